"""The JSON of the server: its own, and that of other explorers."""
