"""Compiled searches for one player: arrays that grow, and what Python does between two calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.searching.native import compiled
from perfectplay.searching.one_player import arena as arenas
from perfectplay.searching.one_player.best_line import play_forced
from perfectplay.searching.one_player.estimate import DEAD, Databases
from perfectplay.searching.one_player.search_end import Halt, SearchEnd

QUOTA = 1 << 20
"""Nodes between two looks at whether to stop."""
FIRST = 1 << 12
"""Nodes that there is room for at first."""
MOST_BUCKETS = 1 << 24
"""Largest cost that is sorted by buckets."""


def rows(array: Array, count: int) -> Array:
    """The same rows, with room for `count`."""
    more = np.empty((count, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more


class BestFirst:
    """A*: exact, and ends also where there is no line; takes memory for all that it finds."""

    def __init__(self, expander: NativeExpander, databases: Databases, root: Any, most: int):
        self._expander, self._databases, self._game = expander, databases, expander.game
        self._search = compiled(self._game, arenas.FUNCTIONS)["best_first"]
        begun = play_forced(self._game, root)
        self._root, width = self._game.representative(begun.end), expander.width
        self._most = max(FIRST, most // (8 * width + 8 + 8 + 12))
        self._arena = arenas.Arena(
            np.empty((FIRST, width), np.int64), np.empty(FIRST, np.int32),
            np.empty(FIRST, np.int32), np.full(2 * FIRST, -1, np.int32),
            np.empty((FIRST, 3), np.int32), np.full(1 << 10, -1, np.int32),
        )  # fmt: skip
        self._control = np.zeros(arenas.CONTROL, np.int64)
        arena = self._arena
        arena.keys[0] = expander.keys([self._root])[0]
        arena.parent[0], arena.cost[0] = -1, begun.cost
        arenas.rehash(arena.slots, arena.keys, 1)
        self._bucket = begun.cost
        if begun.cost >= len(arena.heads):
            self._widen(begun.cost)
        arena.entries[0] = (0, begun.cost, -1)
        self._arena.heads[begun.cost] = 0
        self._control[arenas.COUNT] = self._control[arenas.ENTRIES] = 1

    def run(self, quota: int, halt: Halt) -> SearchEnd:
        """Search until there is an answer, or a reason to stop."""
        control = self._control
        while True:
            code = self._expander.called(
                self._search, self._game, self._expander.sample, self._arena, self._databases,
                control, min(QUOTA, max(quota - int(control[arenas.NODES]), 1)),
                near=(self._expander.keys([self._root]), None),
            )  # fmt: skip
            stopped = self._stop(code, halt)
            if code in (arenas.FOUND, arenas.FINISHED) or stopped:
                return self._found(code, stopped)

    def _stop(self, code: int, halt: Halt) -> str:
        if code == arenas.NEGATIVE:
            return "unfit"
        if code == arenas.ROOM and not self._grow():
            return "memory"
        if code == arenas.LARGE and not self._widen(2 * len(self._arena.heads)):
            return "unfit"
        return halt(int(self._control[arenas.NODES]))

    def _found(self, code: int, stopped: str) -> SearchEnd:
        control = self._control
        nodes = int(control[arenas.NODES])
        if code == arenas.FINISHED:
            return SearchEnd(DEAD, None, 0, nodes, "", "A*")
        if code != arenas.FOUND:
            return SearchEnd(int(control[arenas.BUCKET]), None, 0, nodes, stopped, "A*")
        path, node = [], int(control[arenas.LAST])
        while node >= 0:
            path.append(self._expander.position(self._arena.keys[node]))
            node = int(self._arena.parent[node])
        return SearchEnd(int(control[arenas.COST]), path[::-1], 0, nodes, "", "A*")

    def _grow(self) -> bool:
        """Make room for twice as many nodes; False if that is too much."""
        arena, count = self._arena, int(self._control[arenas.COUNT])
        room = min(2 * len(arena.keys), self._most)
        queued = max(len(arena.entries), 2 * int(self._control[arenas.ENTRIES]))
        if count >= self._most or queued > 8 * self._most:
            return False
        slots = np.full(1 << (2 * room - 1).bit_length(), -1, np.int32)
        self._arena = arenas.Arena(
            rows(arena.keys, room), rows(arena.parent, room), rows(arena.cost, room), slots,
            rows(arena.entries, queued), arena.heads,
        )  # fmt: skip
        arenas.rehash(slots, self._arena.keys, count)
        return True

    def _widen(self, most: int) -> bool:
        """Make buckets for costs below `most` at least; False if these are too many."""
        if most > MOST_BUCKETS:
            return False
        heads = np.full(2 * most, -1, np.int32)
        heads[: len(self._arena.heads)] = self._arena.heads
        self._arena = self._arena._replace(heads=heads)
        return True
