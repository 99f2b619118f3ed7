"""Pages to take away: a small game as one file that needs no server."""
