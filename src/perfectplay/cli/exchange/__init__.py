"""Commands that give data to other programs."""
