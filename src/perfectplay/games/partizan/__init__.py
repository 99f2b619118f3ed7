"""Games of Left and Right, whose positions fall apart into sums."""
