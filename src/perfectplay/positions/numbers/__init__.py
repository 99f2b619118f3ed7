"""Positions by number, for rules that are `Indexed`."""
