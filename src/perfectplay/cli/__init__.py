"""Faces: the command line and play in the terminal, all showing the same `Analysis`."""
