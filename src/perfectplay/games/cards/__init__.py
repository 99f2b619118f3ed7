"""Games of cards."""
