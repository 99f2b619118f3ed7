"""Published figures, each computed again from the rules of its game and compared."""
