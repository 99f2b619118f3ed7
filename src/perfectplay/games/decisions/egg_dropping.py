"""Egg dropping: find the lowest floor from which eggs break, in as few drops as possible.

Eggs break when they are dropped from floor C of a house or from any higher floor, and survive a
fall from any lower one; C may be any of the `floors` floors, or none of them. A drop from a chosen
floor shows whether C lies above it. An egg that survives is used again, a broken one is lost, and
C must be found for certain, so the last egg has to go up floor by floor. The tester pays 1 for
each drop; nature answers as badly for them as it can, so that the value counts the drops of the
worst case. With `mean`, all floors + 1 answers are equally likely instead, and the tester wants
the least expected number of drops.

From Sniedovich 2003. Where an egg is known to break on the top floor, that floor needs no test:
play with one floor less.

Check: with 2 eggs and 100 floors 14 drops are enough; t drops and n eggs are enough for exactly
C(t, 1) + C(t, 2) + … + C(t, n) floors.

A position is one integer: sixteen bits for the number of floors that may still be C, sixteen for
the one among them, counted from below, from which an egg is falling (0: none is), then the eggs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, Game
from perfectplay.rules.packing import at, fields, get, put

FLOORS, FALLING, EGGS = fields(16, 16, 16)
"""Floors that may still be C, the floor from which an egg is falling (0: none), eggs."""
MOST_FLOORS, MOST_EGGS = 60000, 1000
TESTER, NATURE = 0, 1
HOLDS, BREAKS = 0, 1


def after(p: int, broken: int) -> int:
    """What remains to be tested when the falling egg breaks, or does not."""
    if broken:
        return at(FLOORS, get(p, FALLING) - 1) | at(EGGS, get(p, EGGS) - 1)
    return at(FLOORS, get(p, FLOORS) - get(p, FALLING)) | at(EGGS, get(p, EGGS))


@dataclass(frozen=True)
class EggDropping(Charted, Game):
    """Find among `floors` floors the one from which eggs break, with `eggs` eggs."""

    eggs: int = 2
    floors: int = 100
    mean: bool = False

    native = True

    @property
    def players(self) -> int:  # type: ignore[override]
        """Chance takes the place of nature where the average counts."""
        return 1 if self.mean else 2

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """The tester alone counts drops."""
        return self.mean

    def __post_init__(self) -> None:
        if not 1 <= self.eggs <= MOST_EGGS or not 1 <= self.floors <= MOST_FLOORS:
            raise UsageError(
                f"no test of {self.floors} floors with {self.eggs} eggs",
                f"use 1 to {MOST_EGGS} eggs and 1 to {MOST_FLOORS} floors",
            )

    def start(self) -> int:
        return at(FLOORS, self.floors) | at(EGGS, self.eggs)

    def to_move(self, p: int) -> int:
        if get(p, FALLING) == 0:
            return TESTER
        return CHANCE if self.mean else NATURE

    def moves(self, p: int) -> Iterator[int]:
        if get(p, FALLING):
            yield HOLDS
            yield BREAKS
        else:
            highest = get(p, FLOORS) if get(p, EGGS) > 1 else min(1, get(p, FLOORS))
            for floor in range(1, highest + 1):
                yield floor

    def play(self, p: int, m: int) -> int:
        return after(p, m) if get(p, FALLING) else put(p, FALLING, m)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        yield get(p, FALLING), after(p, BREAKS)
        yield get(p, FLOORS) + 1 - get(p, FALLING), after(p, HOLDS)

    def reward(self, p: int, m: int) -> int:
        if get(p, FALLING):
            return 0
        return 1 if self.mean else -1

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        return get(p, FLOORS)

    def player_name(self, i: int) -> str:
        return "the tester" if i == TESTER else "nature"

    def text(self, p: int) -> str:
        fall = f", drop from {get(p, FALLING)}" if get(p, FALLING) else ""
        return f"eggs {get(p, EGGS)}, floors {get(p, FLOORS)}{fall}"

    def parse(self, s: str) -> int:
        found = re.fullmatch(r"\s*eggs (\d+),\s*floors (\d+)(?:,\s*drop from (\d+))?\s*", s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        eggs, floors, floor = int(found[1]), int(found[2]), int(found[3] or 0)
        if eggs > self.eggs or floors > self.floors or floor > floors or (found[3] and not floor):
            most = f"at most {self.eggs} eggs, {self.floors} floors, and a drop from one of them"
            raise ValueError(f"{s!r}: {most}")
        if (eggs == 0 and floors) or (eggs == 1 and floor > 1):
            raise ValueError(f"{s!r}: the last egg goes up floor by floor")
        return at(FLOORS, floors) | at(FALLING, floor) | at(EGGS, eggs)

    def move_text(self, p: int, m: int) -> str:
        if get(p, FALLING):
            return "breaks" if m else "holds"
        return f"floor {m}"

    def chart(self) -> Chart:
        axes = {"floors": range(1, self.floors + 1), "eggs": range(1, self.eggs + 1)}
        return Chart(axes, lambda floors, eggs: at(FLOORS, floors) | at(EGGS, eggs))

    def picture(self, p: int) -> str:
        high, floors, floor = 240, get(p, FLOORS), get(p, FALLING)
        step = high / self.floors
        parts = [svg.box(0, 0, 60, high, svg.SHADE)]
        if floors:
            parts.append(svg.box(0, high - step * floors, 60, step * floors))
        if self.floors <= 40:
            parts += [svg.line(0, step * i, 60, step * i, wide=1) for i in range(1, self.floors)]
        if floor:
            y = high - step * (floor - 0.5)
            parts.append(svg.circle(74, y, 6, svg.COLOURS[1]))
            parts.append(svg.note(86, y, f"floor {floor}", 12))
        words = f"{floors} to test" if floors else "found"
        parts.append(svg.note(0, high + 18, f"{words}, {get(p, EGGS)} eggs"))
        return svg.svg(150, high + 26, parts)
