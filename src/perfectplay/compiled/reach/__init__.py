"""What rules reach: all that a digest of them must cover."""
