"""Games of lines: three, four or more in a row."""
