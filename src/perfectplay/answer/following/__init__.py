"""Players held to policies in a solved game: the graph of play, its values, studies of it."""
