"""Shapes: positions that differ in nothing but the names of pieces, found and numbered together.

In some games pieces have names, and chance calls the names of those that may move. Where a piece
can go does not depend on what it is called. So a position is a **shape**, the board with its
pieces called 1, 2, … as they stand, and a naming for each player (names.py); the rules are asked
for the moves of shapes alone. If a piece of a shape leads to another shape, whose pieces stand in
another order than before, then that is so for all namings at once: each becomes another one, as
the order tells.

All namings of a shape come about, if all those of first positions do: a move takes pieces away or
lets them change places, and every naming of what is left is what that makes of some naming. So
positions need not be looked for one by one. Position (shape, naming i, naming k) of a stratum is
its row `first row of the shape + i * namings of the other player's pieces + k`: there are no keys
to keep, and none to look up.

`shapes_of` finds all shapes, from the highest stratum down, or says that the game has none: it
must be solved by turns, move by move, with strata that every turn leaves, and all namings of first
positions must be first positions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.compile import rules_kernel
from perfectplay.deal import dealt
from perfectplay.digest import compiled_digest
from perfectplay.errors import RulesError
from perfectplay.expand_kernel import REWARDS, STRATA, TURNS
from perfectplay.finding import some_at_a_time
from perfectplay.game import OVER
from perfectplay.graph import Array
from perfectplay.keys import sorted_keys
from perfectplay.keyset import KeySet, find
from perfectplay.names import Names
from perfectplay.shapes_kernel import CHANCES, FULL, row_keys, shape_exits
from perfectplay.turns_native import NativeTurns

BATCH = 1 << 12
"""Shapes that are expanded at once."""
HELD = 32
"""Bytes that a shape takes for each word of its key, at most."""


@dataclass
class Exits:
    """Where some shapes lead to."""

    kind: Array
    payoff: Array
    """Of the shapes, as rules give them (batch.py)."""
    first: Array
    """int64[n + 1]: the exits of shape i."""
    sides: Array
    """uint8[n, 2]: how many pieces the player on turn has, and the other."""
    piece: Array
    """uint8[e]: which piece of the player on turn moves, from 0 on."""
    child: Array
    """int64[e, width]: the shape that follows."""
    stratum: Array
    swap: Array
    orders: Array
    """int32[e, 2]: how the pieces of who is on turn then stand, and the other's."""


def new_exits(shapes: int, room: int, width: int) -> Exits:
    """Room for the exits of some shapes."""
    return Exits(
        np.zeros(shapes, np.int8),
        np.zeros((shapes, 1), np.int64),
        np.zeros(shapes + 1, np.int64),
        np.zeros((shapes, 2), np.uint8),
        np.empty(room, np.uint8),
        np.empty((room, width), np.int64),
        np.empty(room, np.int64),
        np.zeros(room, np.uint8),
        np.empty((room, 2), np.int32),
    )


@dataclass
class Stratum:
    """All shapes of a stratum."""

    keys: Array
    """In ascending order: shapes near each other then lead to shapes near each other."""
    sides: Array
    row: Array
    """int64[n + 1]: the first row of each shape."""
    found: tuple[Array, Array, Array]
    """For `find`: keys bucket by bucket, where buckets begin, the place of each key above."""
    below: list[int] = field(default_factory=list)
    edges: int = 0
    """Exits of all rows."""


class Shapes:
    """All shapes of a game, by stratum."""

    def __init__(self, rules: NativeTurns, workers: int = 1) -> None:
        game = rules.game
        self.rules, self.game, self.workers = rules, game, workers
        self.names = Names(game.names, backwards=bool(game.names_backwards))
        digest = f"{compiled_digest(game)}-{type(game).__module__}"
        self._exits = rules_kernel(shape_exits, digest)
        self._keys = rules_kernel(row_keys, digest)
        self._per_shape = 16.0
        self.strata: dict[int, Stratum] = {}

    @cached_property
    def rows(self) -> int:
        """How many positions there are, some of them twice: a board that looks like itself from
        elsewhere has two namings for one position."""
        return sum(int(each.row[-1]) for each in self.strata.values())

    # -- What the rules say. ----------------------------------------------------------------------

    def exits(self, keys: Array) -> Exits | None:
        """Ask the rules about some shapes; None if they cannot be treated so."""
        (kind, payoff), pattern = self.rules.begun(keys)
        n, width, room = len(keys), self.rules.width, int(len(keys) * self._per_shape) + 64
        while True:
            found = new_exits(n, room, width)
            found.kind, found.payoff = kind, payoff
            _, code = self.rules._called(
                self._exits, self.game, self.rules.sample, keys, self.rules.flags,
                self.rules.book.exits(), pattern, found.first, found.sides, found.piece,
                found.child, found.stratum, found.swap, found.orders,
                np.empty((room, width), np.int64),
            )  # fmt: skip
            if code == CHANCES:
                return None
            if code != FULL:
                return found
            room *= 2
            self._per_shape = max(self._per_shape, 1.25 * (room - 64) / n)

    def keys(self, stratum: int) -> Array:
        """The keys of all rows of a stratum, some of them twice."""
        here = self.strata[stratum]
        out = np.empty((int(here.row[-1]), self.rules.width), np.int64)

        def fill(low: int) -> None:
            high = min(low + BATCH, len(here.keys))
            wrong = self.rules._called(
                self._keys, self.game, self.rules.sample, here.keys[low:high],
                here.sides[low:high], self.names.counts, self.names.table, self.names.number,
                out[here.row[low] : here.row[high]],
            )  # fmt: skip
            if wrong >= 0:
                raise self.contradiction(here.keys[low + wrong])

        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(fill, range(0, len(here.keys), BATCH)))
        return out

    def contradiction(self, key: Array) -> RulesError:
        """What shape_of(p), of_shape and the rules say does not fit together."""
        game = self.game
        return RulesError(
            f"{type(game).__name__}: what shape_of(p) and of_shape(shape, mine, other) say "
            f"contradicts the rules at {game.text(self.rules.position(key))}",
            "run `perfectplay check` on the game, or remove `names`: it is solved without, too",
        )

    # -- Finding them. ----------------------------------------------------------------------------

    def find(self, first: Array, watch: Callable[[int, int], None]) -> bool:
        """Find all shapes that come after the first ones; whether that was possible. `watch` is
        called with the rows of every stratum, and the bytes that are held so far."""
        open_: dict[int, KeySet] = {}
        found, held = self.exits(first), 0
        self._take(open_, first, np.array([self._stratum(key) for key in first]))
        with ThreadPoolExecutor(self.workers) as pool:
            while open_ and found is not None:
                stratum = max(open_)
                found_keys, begin = open_.pop(stratum).ordered()
                order, keys = sorted_keys(self.rules, found_keys)
                place = np.empty(len(order), np.uint32)
                place[order] = np.arange(len(order), dtype=np.uint32)
                parts = (keys[i : i + BATCH] for i in range(0, len(keys), BATCH))
                sides, below, edges = [], set(), 0
                for found in some_at_a_time(pool, self.exits, parts):
                    end = int(found.first[-1]) if found is not None else 0
                    if found is None or found.stratum[:end].max(initial=stratum - 1) >= stratum:
                        return False
                    below |= self._take(open_, found.child[:end], found.stratum[:end])
                    sides.append(found.sides)
                    edges += int((np.diff(found.first) * self._rows_of(found.sides)).sum())
                places = found_keys, begin, place
                self._add(stratum, keys, np.concatenate(sides), places, sorted(below), edges)
                held += HELD * self.rules.width * len(keys)
                watch(
                    int(self.strata[stratum].row[-1]), held + sum(s.bytes for s in open_.values())
                )
        return found is not None

    def _stratum(self, key: Array) -> int:
        return int(self.game.stratum(self.rules.position(key)))

    def _rows_of(self, sides: Array) -> Array:
        counts = self.names.counts
        rows: Array = counts[sides[:, 0]] * counts[sides[:, 1]]
        return rows

    def _take(self, open_: dict[int, KeySet], keys: Array, strata: Array) -> set[int]:
        dealt_keys, _, hands = dealt(keys, strata)
        for stratum, begin, end in hands:
            if stratum not in open_:
                open_[stratum] = KeySet(self.rules.width)
            open_[stratum].insert(dealt_keys[begin:end])
        return {hand[0] for hand in hands}

    def _add(self, stratum: int, keys: Array, sides: Array, *rest: Any) -> None:
        row = np.zeros(len(keys) + 1, np.int64)
        np.cumsum(self._rows_of(sides), out=row[1:])
        self.strata[stratum] = Stratum(keys, sides, row, *rest)

    def place(self, stratum: int, keys: Array) -> Array:
        """The numbers of shapes in their stratum."""
        known, begin, place = self.strata[stratum].found
        out = np.empty(len(keys), np.uint32)
        missing = find(keys, known, begin, out)
        if missing >= 0:
            raise self.contradiction(keys[missing])
        return place[out]


def shapes_of(rules: Any, workers: int, watch: Callable[[int, int], None]) -> Shapes | None:
    """All shapes of a game, if it has any."""
    if not isinstance(rules, NativeTurns) or not rules.game.names:
        return None
    if rules.flags & REWARDS or not rules.flags & STRATA or not rules.flags & TURNS:
        return None
    shapes = Shapes(rules, workers)
    first = _first_shapes(shapes)
    if first is None or not shapes.find(first, watch):
        return None
    return shapes


def _first_shapes(shapes: Shapes) -> Array | None:
    """The shapes of first positions, if all their namings are first positions."""
    rules, game = shapes.rules, shapes.game
    keys, _ = rules.starts()
    starts = {rules.position(key) for key in keys}
    found = {game.shape_of(p)[0] for p in starts if game.to_move(p) != OVER}
    first = rules.keys(list(found))
    sides = shapes.exits(first)
    if sides is None or not len(first):
        return None
    shapes._add(0, first, sides.sides, (first, first, first))
    every = shapes.keys(0)
    del shapes.strata[0]
    return first if {rules.position(key) for key in every} == starts else None
