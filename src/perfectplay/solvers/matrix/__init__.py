"""Matrix games: both players choose at once."""
