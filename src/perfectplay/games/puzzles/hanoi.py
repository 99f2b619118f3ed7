"""The Towers of Hanoi: bring a tower of discs from one peg to another in as few moves as possible.

A move takes the uppermost disc of a peg and puts it on another peg, never on a smaller disc.

Check: with 3 pegs n discs take 2^n - 1 moves; with 4 pegs 1, 3, 5, 9, 13, 17, 25, 33 for 1 to 8
discs.

A position has three bits for each disc, the smallest disc lowest: the peg it is on. As a peg's
discs can only be stacked in one way, every distribution of discs is a position.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import WORD
from perfectplay.rules.game import Game


@dataclass(frozen=True)
class Hanoi(Game):
    """Move `discs` discs from peg `origin` to peg `goal` (0: the last peg)."""

    discs: int = 6
    pegs: int = 3
    origin: int = 1
    goal: int = 0

    players = 1
    minimise = True
    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.discs <= WORD // 3 or not 2 <= self.pegs <= 8:
            raise UsageError(
                f"{self.discs} discs on {self.pegs} pegs are not possible",
                f"use 1 to {WORD // 3} discs and 2 to 8 pegs",
            )
        if not 1 <= self.origin <= self.pegs or not 0 <= self.goal <= self.pegs:
            raise UsageError(
                f"no way from peg {self.origin} to peg {self.goal}",
                f"pegs are numbered from 1 to {self.pegs}",
            )

    def tower(self, peg: int) -> int:
        """The position with all discs on one peg, counted from 0."""
        p = 0
        for _ in range(self.discs):
            p = (p << 3) | peg
        return p

    @property
    def most_positions(self) -> int:  # type: ignore[override]
        return int(self.pegs**self.discs)

    def start(self) -> int:
        return self.tower(self.origin - 1)

    def moves(self, p: int) -> Iterator[int]:
        # A move is 8 * from + to.
        if p != self.tower((self.goal or self.pegs) - 1):
            for peg in range(self.pegs):
                disc = self.uppermost(p, peg)
                for to in range(self.pegs):
                    if disc < self.uppermost(p, to):
                        yield 8 * peg + to

    def uppermost(self, p: int, peg: int) -> int:
        """The smallest disc on a peg; `discs` if the peg is empty."""
        for disc in range(self.discs):
            if (p >> (3 * disc)) & 7 == peg:
                return disc
        return self.discs

    def play(self, p: int, m: int) -> int:
        disc = self.uppermost(p, m // 8)
        return p + ((m % 8 - m // 8) << (3 * disc))

    def reward(self, p: int, m: int) -> int:
        return 1

    def payoff(self, p: int) -> int:
        return 0

    def stacks(self, p: int) -> list[list[int]]:
        """The discs on each peg, largest first; disc 1 is the smallest."""
        down = range(self.discs - 1, -1, -1)
        return [[d + 1 for d in down if p >> (3 * d) & 7 == peg] for peg in range(self.pegs)]

    def text(self, p: int) -> str:
        return " / ".join(" ".join(map(str, stack)) or "-" for stack in self.stacks(p))

    def parse(self, s: str) -> int:
        stacks = [[int(d) for d in peg.split() if d != "-"] for peg in s.split("/")]
        discs = [d for stack in stacks for d in stack]
        if len(stacks) != self.pegs or sorted(discs) != list(range(1, self.discs + 1)):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        if any(stack != sorted(stack, reverse=True) for stack in stacks):
            raise ValueError(f"{s!r}: a disc lies on a smaller one")
        return sum(peg << (3 * (d - 1)) for peg, stack in enumerate(stacks) for d in stack)

    def move_text(self, p: int, m: int) -> str:
        return f"{m // 8 + 1}->{m % 8 + 1}"

    def picture(self, p: int) -> str:
        wide, thick = 20 + 12 * self.discs, 14
        high = thick * (self.discs + 1)
        parts = [svg.line(0, high, self.pegs * (wide + 8), high, svg.INK, 3)]
        for peg, stack in enumerate(self.stacks(p)):
            x = (peg + 0.5) * (wide + 8)
            parts.append(svg.line(x, 0, x, high, svg.LINE, 5))
            for level, disc in enumerate(stack):
                size = 20 + 12 * (disc - 1)
                colour = svg.COLOURS[disc % 2]
                y = high - thick * (level + 1) - 1
                parts.append(svg.box(x - size / 2, y, size, thick - 1, colour, svg.INK))
            parts.append(svg.text(x, high + 14, peg + 1, 13, svg.FAINT))
        return svg.svg(self.pegs * (wide + 8), high + 22, parts)
