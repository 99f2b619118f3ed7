"""perfectplay."""
