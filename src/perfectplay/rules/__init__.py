"""What an author writes: the rules of a game, their parameters, and what its values are."""
