"""Forward search: the value of one position, without solving the whole game."""
