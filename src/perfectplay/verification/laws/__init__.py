"""What capabilities must keep to: each compared with the plain way, for `check`."""
