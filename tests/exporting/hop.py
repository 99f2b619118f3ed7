"""A game in a file of one's own."""

from dataclasses import dataclass

from perfectplay import Game


@dataclass(frozen=True)
class Hop(Game):
    """Take one or two of a heap, but not as many as the other took; who cannot loses."""

    heap: int = 7

    def start(self):
        return self.heap, 0

    def moves(self, p):
        return [n for n in (1, 2) if n <= p[0] and n != p[1]]

    def play(self, p, m):
        return p[0] - m, m
