"""Searches for any line, deal after deal: arrays, restarts, and what Python does meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perfectplay.errors import UsageError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.rules.search_capabilities import guess_kinds
from perfectplay.searching.native import compiled
from perfectplay.searching.one_player import any_line as greedy
from perfectplay.searching.one_player import beam
from perfectplay.searching.one_player.arena import FINISHED, FOUND, ROOM
from perfectplay.searching.one_player.estimate import DEAD
from perfectplay.searching.one_player.native import QUOTA
from perfectplay.searching.one_player.search_end import Halt, SearchEnd

SHARES = (2_500, 10_000, 40_000)
"""Positions that a search may keep before it is given up for one with another guess, in turn."""
WAYS = ("greedy", "weighted", "beam")
"""Ways to look for any line: the least guess first; the least sum of the cost so far and a
multiple of the guess (weighted A*, Pohl 1970); layer by layer (beam.py)."""
WEIGHT = 3
WIDTHS = (100, 1_000, 10_000)
"""Positions of a layer, in turn."""


def known_way(how: str) -> None:
    """UsageError if there is no such way to look for any line."""
    if how not in WAYS:
        raise UsageError(f"no way {how!r} to find any line", f"use {', '.join(WAYS)}")


class AnyLine:
    """Searches of one game, or of several that are compiled alike, one after the other."""

    def __init__(
        self, expander: NativeExpander, size: int, seed: int | None = None, *, lines: bool = True,
        how: str = "greedy",
    ) -> None:  # fmt: skip
        """With room for `size` bytes; without `lines`, only what a line costs is told."""
        width, self._lines, self._how = expander.width, lines, how
        self._expander, self._seed = expander, seed
        self._most = max(1000, size // (8 * width + 16 + 8))
        self._kernel = compiled(expander.game, greedy.FUNCTIONS)["any_line"]
        self._beam = compiled(expander.game, beam.FUNCTIONS)["beam"] if how == "beam" else None
        self._scratch = greedy.GreedyArrays(
            np.empty((self._most, width), np.int64), np.empty((self._most, 4), np.int32),
            np.full(1 << (2 * self._most - 1).bit_length(), -1, np.int32),
            np.full(greedy.BUCKETS, -1, np.int32),
        )  # fmt: skip
        self._slots: dict[int, Any] = {}

    def run(self, game: Any, root: Any, halt: Halt) -> SearchEnd:
        """Search a position of `game` until there is an answer, or a reason to stop."""
        nodes, stopped = 0, "memory"
        for number, (share, kind, width) in enumerate(self._rounds(game)):
            control = np.zeros(greedy.CONTROL, np.int64)
            control[[greedy.MOST, greedy.KIND, greedy.WIDTH]] = share, kind, width
            control[greedy.SEED] = 0 if self._seed is None else self._seed * 1000 + number
            control[greedy.WEIGHT] = WEIGHT if self._how == "weighted" else 0
            before = nodes
            found, stopped = self._round(game, root, control, lambda n: halt(before + n))  # noqa: B023
            nodes += int(control[greedy.NODES])
            if found is not None:
                found.nodes = nodes
                return found
            if stopped != "memory":
                break
        return SearchEnd(0, None, 0, nodes, stopped, "any line")

    def _rounds(self, game: Any) -> Iterator[tuple[int, int, int]]:
        """How many positions to keep, which guess, and the width of a beam (0: none), in turn; the
        last one keeps all that there is room for, and only that one can refute, unless a beam gave
        nothing up."""
        kinds = guess_kinds(game)
        if self._how == "beam":
            for width in WIDTHS:
                for kind in range(kinds):
                    yield self._most, kind, width
        elif self._how == "greedy" and (kinds > 1 or self._seed is not None):
            for share in SHARES:
                for kind in range(max(1, kinds - 1)):
                    if share < self._most:
                        yield share, kind, 0
        yield self._most, kinds - 1, 0

    def _round(
        self, game: Any, root: Any, control: Any, halt: Halt
    ) -> tuple[SearchEnd | None, str]:
        """One search: its answer, or why there is none."""
        key = self._expander.keys([root])
        scratch = self._part(int(control[greedy.MOST]))
        scratch.keys[0] = key[0]
        try:
            while True:
                code = self._expander.called(
                    self._beam if control[greedy.WIDTH] else self._kernel, game,
                    self._expander.sample, scratch, control, QUOTA,
                    near=(key, None),
                )  # fmt: skip
                if code == FOUND:
                    return self._found(control), ""
                if code == FINISHED:
                    return SearchEnd(DEAD, method="any line"), ""
                if code == ROOM:
                    return None, "memory"
                if stopped := halt(int(control[greedy.NODES])):
                    return None, stopped
        finally:
            greedy.clear(scratch, int(control[greedy.COUNT]))

    def _part(self, most: int) -> greedy.GreedyArrays:
        """The arrays with a hash table for so many positions: a small one stays in the cache."""
        if most == self._most:
            return self._scratch
        if most not in self._slots:
            self._slots[most] = self._scratch._replace(
                slots=np.full(1 << (2 * most - 1).bit_length(), -1, np.int32)
            )
        part: greedy.GreedyArrays = self._slots[most]
        return part

    def _found(self, control: Any) -> SearchEnd:
        path, node = [], int(control[greedy.LAST])
        while node >= 0 and self._lines:
            path.append(self._expander.position(self._scratch.keys[node]))
            node = int(self._scratch.rows[node, 0])
        return SearchEnd(0, path[::-1], int(control[greedy.COST]), method="any line")
