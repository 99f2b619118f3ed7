"""Races by dice."""
