"""Pattern databases: the least costs of positions with some things forgotten."""
