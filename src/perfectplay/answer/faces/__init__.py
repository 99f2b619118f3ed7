"""What all faces share: why a position is worth that, where moves happen on the board, matches."""
