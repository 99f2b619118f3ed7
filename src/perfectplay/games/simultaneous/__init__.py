"""Games in which both players choose at once."""
