"""Numbers of positions with up to five men, and moves from number to number."""
