"""Matches: who plays, what was played, and what it cost."""
