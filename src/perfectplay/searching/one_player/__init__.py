"""Searches for one player who wants the least cost, chance aside: A*, iterative deepening, and
pattern databases made from what the rules say may be forgotten."""
