"""Databases of half bytes (by_number.py): building them level by level, and going on with one
that was stopped."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.errors import RulesError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Progress
from perfectplay.searching.native import compiled
from perfectplay.searching.one_player import by_number, database_files
from perfectplay.searching.one_player.estimate import LARGEST_HALF

SPAN = 1 << 22
"""Numbers between two looks at whether to stop."""
KEEP = 60.0
"""Seconds of building after which what is done is kept, so that it can be taken up again."""


class Halves:
    """Building one database."""

    def __init__(
        self, expander: NativeExpander, k: int, group: int, size: int, identity: str
    ) -> None:
        self._expander, self._k, self._group, self._size = expander, k, group, size
        self._identity = identity
        self._kernels = compiled(expander.game, by_number.FUNCTIONS)

    def built(self, progress: Progress) -> Bytes:
        """All costs, two in a byte."""
        cost, to, asking = self._begun()
        kept = time.monotonic()
        while to <= LARGEST_HALF:
            known = by_number.counted(cost, self._size)
            if not known[to - 1 : LARGEST_HALF + 1].sum():
                break
            left = int(known[to:].sum())
            asking = asking or 2 * int(known[to - 1]) > left or to == LARGEST_HALF
            if left:
                self._level(cost, to, asking, progress)
            to += 1
            if time.monotonic() - kept > KEEP:
                database_files.keep_part(self._identity, cost, {"to": to, "asking": asking})
                kept = time.monotonic()
        database_files.drop_part(self._identity)
        return cost

    def _begun(self) -> tuple[Bytes, int, bool]:
        """What was done before, or the goals."""
        part = database_files.read_part(self._identity)
        if part is not None and len(part[0]) == (self._size + 1) // 2:
            return part[0], int(part[1]["to"]), bool(part[1]["asking"])
        cost: Bytes = np.full((self._size + 1) // 2, 255, np.uint8)
        game: Any = self._expander.game
        goals = self._expander.keys([game.blur(goal, self._k) for goal in game.goals()])
        self._called("begin_halves", self._expander.sample, goals, self._k, cost, near=goals)
        return cost, 1, False

    def _level(self, cost: Bytes, to: int, asking: int, progress: Progress) -> None:
        """Find all positions of one cost; of the last one, again until nothing changes."""
        changed = 1
        while changed:
            changed = 0
            for low in range(0, self._size, SPAN):
                span = low, min(low + SPAN, self._size)
                more = self._called("level", self._k, self._group, cost, span, to, asking)
                if more == by_number.FREE:
                    raise RulesError(
                        f"{type(self._expander.game).__name__}: a move costs nothing in "
                        f"abstraction {self._k}",
                        "blur_at is for abstractions in which every move costs something",
                    )
                changed += more
                progress.advance(span[1] - span[0])
            if to < LARGEST_HALF:
                break

    def _called(self, name: str, *arguments: Any, near: Ints | None = None) -> Any:
        keys = np.empty((0, self._expander.width), np.int64) if near is None else near
        return self._expander.called(
            self._kernels[name], self._expander.game, *arguments, near=(keys, None)
        )
