"""Unlabelled positions: those that differ only in labels, found and numbered together.

In some games pieces have names, and chance calls the names of those that may move. Where a piece
can go does not depend on what it is called. So a position is a **shape**, the board with its
pieces called 1, 2, … as they stand, and a naming for each player (labels.py); the rules are asked
for the moves of shapes alone. If a piece of a shape leads to another shape, whose pieces stand in
another order than before, then that is so for all namings at once: each becomes another one, as
the order tells.

All namings of a shape come about, if all those of first positions do: a move takes pieces away or
lets them change places, and every naming of what is left is what that makes of some naming. So
positions need not be looked for one by one. Position (shape, naming i, naming k) of a stratum is
its row `first row of the shape + i * namings of the other player's pieces + k`: there are no keys
to keep, and none to look up.

`unlabelled_positions` finds all shapes, from the highest stratum down, or says that the game has
none: it must be solved by turns, move by move, with strata that every turn leaves, and all namings
of first positions must be first positions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, TypeGuard

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.errors import RulesError
from perfectplay.positions.expand_kernel import REWARDS, STRATA, TURNS
from perfectplay.positions.group_by_stratum import group_by_stratum
from perfectplay.positions.in_order import some_at_a_time
from perfectplay.positions.key_order import sorted_keys
from perfectplay.positions.key_set import KeySet, find_placed, placed
from perfectplay.positions.labels import Labellings
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.positions.unlabelled_kernel import CHANCES, FULL, row_keys, unlabelled_exits
from perfectplay.rules.capabilities import labels
from perfectplay.rules.game import OVER

BATCH = 1 << 12
"""Unlabelled that are expanded at once."""
HELD = 16
"""Bytes that a shape takes for each word of its key: the key, and what finds it."""


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


class RowRanges:
    """Which rows of a stratum belong to which shape: those of shape i come after those of shape
    i - 1. As a rule all shapes of a stratum have equally many; then nothing has to be kept."""

    def __init__(self, many: Array) -> None:
        alike = len(many) > 0 and bool((many == many[0]).all())
        self._each, self._shapes = int(many[0]) if alike else 0, len(many)
        if not alike:
            self._first = np.zeros(len(many) + 1, np.int64)
            np.cumsum(many, out=self._first[1:])

    def first(self, shapes: Any) -> Any:
        """The first row of one shape or of several; of one beyond the last: how many there are."""
        return shapes * np.int64(self._each) if self._each else self._first[shapes]

    @property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.first(self._shapes))

    def shape(self, row: int) -> int:
        """The shape of a row; the number of shapes, if there is no such row."""
        if self._each:
            return min(row // self._each, self._shapes)
        return int(np.searchsorted(self._first, row, "right")) - 1


@dataclass
class UnlabelledStratum:
    """All shapes of a stratum."""

    keys: Array
    """In ascending order: shapes near each other then lead to shapes near each other."""
    sides: Array
    """uint8[n, 2], as in Exits; held once if all shapes are alike."""
    rows: RowRanges
    below: list[int]
    edges: int
    """Exits of all rows."""
    placed: tuple[Array, Array] | None = None
    """For `find_placed`, as long as it is needed."""

    @property
    def examples(self) -> list[int]:
        """One shape of each kind: kinds differ in how many pieces players have."""
        if not self.sides.strides[0]:
            return [0]
        kinds = self.sides[:, 0].astype(np.int64) * 8 + self.sides[:, 1]
        return [int((kinds == kind).argmax()) for kind in distinct(kinds).tolist()]


Keep = Callable[[int, Array], Array]
"""Puts the keys of a stratum away; the same keys, wherever they are now."""


class Unlabelled:
    """All shapes of a game, by stratum."""

    def __init__(self, rules: NativeTurns, workers: int = 1) -> None:
        game: Any = rules.game
        self.rules, self.game, self.workers = rules, game, workers
        self.names = Labellings(labels(game), backwards=bool(game.labels_reversible))
        self._exits = rules_kernel(unlabelled_exits, game)
        self._keys = rules_kernel(row_keys, game)
        self._per_shape = 16.0
        self.strata: dict[int, UnlabelledStratum] = {}
        self._lock = Lock()

    @cached_property
    def rows(self) -> int:
        """How many positions there are, some of them twice: a board that looks like itself from
        elsewhere has two namings for one position."""
        return sum(each.rows.total for each in self.strata.values())

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
                self.rules.turn_patterns.exits(), pattern, found.first, found.sides, found.piece,
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
        out = np.empty((here.rows.total, self.rules.width), np.int64)

        def fill(low: int) -> None:
            high = min(low + BATCH, len(here.keys))
            wrong = self.rules._called(
                self._keys, self.game, self.rules.sample, here.keys[low:high],
                np.ascontiguousarray(here.sides[low:high]), self.names.counts, self.names.table,
                self.names.number, out[here.rows.first(low) : here.rows.first(high)],
            )  # fmt: skip
            if wrong >= 0:
                raise self.contradiction(here.keys[low + wrong])

        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(fill, range(0, len(here.keys), BATCH)))
        return out

    def contradiction(self, key: Array) -> RulesError:
        """What unlabel(p), relabel and the rules say does not fit together."""
        game = self.game
        return RulesError(
            f"{type(game).__name__}: what unlabel(p) and relabel(shape, mine, other) say "
            f"contradicts the rules at {game.text(self.rules.position(key))}",
            "run `perfectplay check` on the game, or remove `names`: it is solved without, too",
        )

    # -- Finding them. ----------------------------------------------------------------------------

    def find(
        self, first: Array, watch: Callable[[int, int], None], keep: Keep | None = None
    ) -> bool:
        """Find all shapes that come after the first ones; whether that was possible. `watch` is
        called with the rows of every stratum, and the bytes that are held so far; `keep` takes
        keys of strata that are done."""
        open_: dict[int, KeySet] = {}
        found, held = self.exits(first), 0
        self._take(open_, first, np.array([self._stratum(key) for key in first]))
        with ThreadPoolExecutor(self.workers) as pool:
            while open_ and found is not None:
                stratum = max(open_)
                _, keys = sorted_keys(self.rules, open_.pop(stratum).ordered()[0])
                parts = (keys[i : i + BATCH] for i in range(0, len(keys), BATCH))
                sides, below, edges = [], set(), 0
                for found in some_at_a_time(pool, self.exits, parts):
                    end = int(found.first[-1]) if found is not None else 0
                    if found is None or found.stratum[:end].max(initial=stratum - 1) >= stratum:
                        return False
                    below |= self._take(open_, found.child[:end], found.stratum[:end])
                    sides.append(found.sides)
                    edges += int((np.diff(found.first) * self._rows_of(found.sides)).sum())
                kept = keys if keep is None else keep(stratum, keys)
                self._add(stratum, kept, np.concatenate(sides), sorted(below), edges)
                held += HELD * self.rules.width * len(keys) if kept is keys else 0
                watch(self.strata[stratum].rows.total, held + sum(s.bytes for s in open_.values()))
        return found is not None

    def _stratum(self, key: Array) -> int:
        return int(self.game.stratum(self.rules.position(key)))

    def _rows_of(self, sides: Array) -> Array:
        counts = self.names.counts
        rows: Array = counts[sides[:, 0]] * counts[sides[:, 1]]
        return rows

    def _take(self, open_: dict[int, KeySet], keys: Array, strata: Array) -> set[int]:
        dealt_keys, _, groups = group_by_stratum(keys, strata)
        for stratum, begin, end in groups:
            if stratum not in open_:
                open_[stratum] = KeySet(self.rules.width)
            open_[stratum].insert(dealt_keys[begin:end])
        return {hand[0] for hand in groups}

    def _add(self, stratum: int, keys: Array, sides: Array, below: list[int], edges: int) -> None:
        rows = RowRanges(self._rows_of(sides))
        if len(sides) and (sides == sides[0]).all():
            sides = np.broadcast_to(sides[0].copy(), sides.shape)
        self.strata[stratum] = UnlabelledStratum(keys, sides, rows, below, edges)

    def place(self, stratum: int, keys: Array) -> Array:
        """The numbers of shapes in their stratum."""
        here = self.strata[stratum]
        with self._lock:
            here.placed = here.placed or placed(here.keys)
            begin, place = here.placed
        out = np.empty(len(keys), np.uint32)
        missing = find_placed(keys, here.keys, begin, place, out)
        if missing >= 0:
            raise self.contradiction(keys[missing])
        return out

    def forget(self, stratum: int) -> None:
        """Give back what finds shapes of a stratum: no other leads there any more."""
        self.strata[stratum].placed = None


def unlabelled_positions(
    rules: Any, workers: int, watch: Callable[[int, int], None], keep: Keep | None = None
) -> Unlabelled | None:
    """All shapes of a game, if it has any."""
    if not has_labels(rules):
        return None
    shapes = Unlabelled(rules, workers)
    first = first_unlabelled(shapes)
    if first is None or not shapes.find(first, watch, keep):
        return None
    return shapes


def has_labels(rules: Any) -> TypeGuard[NativeTurns]:
    """Whether rules tell what shapes need."""
    if not isinstance(rules, NativeTurns) or not labels(rules.game):
        return False
    return not rules.flags & REWARDS and bool(rules.flags & STRATA and rules.flags & TURNS)


def first_unlabelled(shapes: Unlabelled) -> Array | None:
    """The shapes of first positions, if all their namings are first positions."""
    rules, game = shapes.rules, shapes.game
    keys, _ = rules.starts()
    starts = {rules.position(key) for key in keys}
    found = {game.unlabel(p)[0] for p in starts if game.to_move(p) != OVER}
    first = rules.keys(list(found))
    sides = shapes.exits(first)
    if sides is None or not len(first):
        return None
    shapes._add(0, first, sides.sides, [], 0)
    every = shapes.keys(0)
    del shapes.strata[0]
    return first if {rules.position(key) for key in every} == starts else None
