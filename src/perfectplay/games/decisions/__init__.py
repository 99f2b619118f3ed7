"""Decisions under chance: when to stop, where to aim, what to bet on."""
