"""Chess: endings with few men, and kings with pawns."""
