"""Hackenbush: pictures, strings and what they are worth."""
