"""Several players, each of whom maximises their own number."""
