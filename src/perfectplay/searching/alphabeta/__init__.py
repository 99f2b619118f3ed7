"""Alpha-beta on integers, for games of two players without chance."""
