"""The notebook: the explorer as a widget, whose pages come from Python without a server."""
