"""How many lines of play there are."""
