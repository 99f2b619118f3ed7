"""The explorer: any game in the browser, on pages in which every move is a link."""
