"""Unlabelled positions: those that differ only in labels, found and numbered together.

In some games pieces have labels, and chance calls the label of the piece that may move. Where a
piece can go does not depend on its label. So a position is an **unlabelled position**, in this
room a `board` for short, whose pieces are labelled 1, 2, … as they stand, and a labelling for each
player (labels.py). The rules are asked for the moves of boards alone: if a move leads to another
board and leaves its pieces in a certain order, it does so for all labellings, and the order says
what becomes of each.

If every labelling occurs at the start, every labelling of every board stays reachable: a move
takes pieces away or changes their order, and each labelling of what is left comes from some
labelling of what was there. So positions need not be looked for one by one. Position (board,
labelling i, labelling k) of a stratum is row `first row of the board + i * labellings of the other
player's pieces + k`: there are no keys to keep, and none to look up.

`unlabelled_positions` finds all boards, from the highest stratum down, or says that the game
cannot be treated so: it must be solved by turns, without rewards, with strata that every turn
leaves, and all labellings of first positions must be first positions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, TypeGuard

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError
from perfectplay.positions.codes import CHANCE_EXIT, FULL, REWARDS, STRATA, TURNS
from perfectplay.positions.key_order import group_by_stratum, sorted_keys
from perfectplay.positions.key_set import KeySet, find, placed
from perfectplay.positions.labels import Labellings
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.positions.unlabelled_kernel import UnlabelledExits, row_keys, unlabelled_exits
from perfectplay.rules.capabilities import labels
from perfectplay.rules.game import OVER

BATCH = 1 << 12
"""Boards that are expanded at once."""
HELD = 16
"""Bytes that a board takes for each word of its key: the key, and what finds it."""


def new_exits(boards: int, room: int, width: int) -> UnlabelledExits:
    """Room for the exits of some boards."""
    return UnlabelledExits(
        np.zeros(boards, np.int8),
        np.zeros((boards, 1), np.int64),
        np.zeros(boards + 1, np.int64),
        np.zeros((boards, 2), np.uint8),
        np.empty(room, np.uint8),
        np.empty((room, width), np.int64),
        np.empty(room, np.int64),
        np.zeros(room, np.uint8),
        np.empty((room, 2), np.int32),
    )


class RowRanges:
    """Which rows of a stratum belong to which board: those of board i come after those of board
    i - 1. As a rule all boards of a stratum have equally many; then nothing has to be kept."""

    def __init__(self, many: Array) -> None:
        alike = len(many) > 0 and bool((many == many[0]).all())
        self._each, self._boards = int(many[0]) if alike else 0, len(many)
        if not alike:
            self._first = np.zeros(len(many) + 1, np.int64)
            np.cumsum(many, out=self._first[1:])

    def first(self, boards: Any) -> Any:
        """The first row of one board or of several; of one beyond the last: how many there are."""
        return boards * np.int64(self._each) if self._each else self._first[boards]

    @property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.first(self._boards))

    def board(self, row: int) -> int:
        """The board of a row; the number of boards, if there is no such row."""
        if self._each:
            return min(row // self._each, self._boards)
        return int(np.searchsorted(self._first, row, "right")) - 1


@dataclass
class UnlabelledStratum:
    """All boards of a stratum."""

    keys: Array
    """In ascending order: boards near each other then lead to boards near each other."""
    pieces: Array
    """uint8[n, 2], as in UnlabelledExits; held once if all boards are alike."""
    rows: RowRanges
    below: list[int]
    edges: int
    """Exits of all rows."""
    placed: tuple[Array, Array] | None = None
    """For `find`, as long as it is needed."""

    @property
    def examples(self) -> list[int]:
        """One board of each kind: kinds differ in how many pieces players have."""
        if not self.pieces.strides[0]:
            return [0]
        kinds = self.pieces[:, 0].astype(np.int64) * 8 + self.pieces[:, 1]
        return [int((kinds == kind).argmax()) for kind in distinct(kinds).tolist()]


Keep = Callable[[int, Array], Array]
"""Puts the keys of a stratum away; the same keys, wherever they are now."""


class Unlabelled:
    """All boards of a game, by stratum."""

    def __init__(self, rules: NativeTurns, workers: int = 1) -> None:
        game: Any = rules.game
        self.rules, self.game, self.workers = rules, game, workers
        self.labellings = Labellings(labels(game), backwards=bool(game.labels_reversible))
        self._exits = rules_kernel(unlabelled_exits, game)
        self._keys = rules_kernel(row_keys, game)
        self._per_board = 16.0
        self.strata: dict[int, UnlabelledStratum] = {}
        self._lock = Lock()

    @cached_property
    def rows(self) -> int:
        """How many positions there are; those of a symmetric board are counted twice, because two
        of its labellings are one position."""
        return sum(each.rows.total for each in self.strata.values())

    # -- What the rules say. ----------------------------------------------------------------------

    def exits(self, keys: Array) -> UnlabelledExits | None:
        """Ask the rules about some boards; None if they cannot be treated so."""
        kind, payoff, pattern = self.rules.begun(keys)
        n, width, room = len(keys), self.rules.width, int(len(keys) * self._per_board) + 64
        while True:
            found = new_exits(n, room, width)
            _, code = self.rules.called(
                self._exits, self.game, self.rules.sample, keys, self.rules.flags,
                self.rules.turn_patterns.exits(), pattern, *found[2:4], found[4:],
                np.empty((room, width), np.int64), near=(keys, None),
            )  # fmt: skip
            if code == CHANCE_EXIT:
                return None
            if code != FULL:
                return found._replace(kind=kind, payoff=payoff)
            room *= 2
            self._per_board = max(self._per_board, 1.25 * (room - 64) / n)

    def keys(self, stratum: int) -> Array:
        """The keys of all rows of a stratum, some of them twice."""
        here, known = self.strata[stratum], self.labellings
        out = np.empty((here.rows.total, self.rules.width), np.int64)

        def fill(low: int) -> None:
            high = min(low + BATCH, len(here.keys))
            wrong = self.rules.called(
                self._keys, self.game, self.rules.sample, here.keys[low:high],
                np.ascontiguousarray(here.pieces[low:high]), known.counts, known.table,
                known.number, out[here.rows.first(low) : here.rows.first(high)],
                near=(here.keys[low:high], None),
            )  # fmt: skip
            if wrong >= 0:
                raise self.contradiction(here.keys[low + wrong])

        with Pool(self.workers) as pool:
            list(pool.map(fill, range(0, len(here.keys), BATCH)))
        return out

    def contradiction(self, key: Array) -> RulesError:
        """unlabel(p), relabel and the rules do not fit together."""
        game = self.game
        return RulesError(
            f"{type(game).__name__}: what unlabel(p) and relabel(shape, mine, other) say "
            f"contradicts the rules at {game.text(self.rules.position(key))}",
            "run `perfectplay check` on the game, or set labels = 0: it is solved without, too",
        )

    # -- Finding them. ----------------------------------------------------------------------------

    def find(
        self, first: Array, watch: Callable[[int, int], None], keep: Keep | None = None
    ) -> bool:
        """Find all boards that come after the first ones; whether that was possible. `watch` is
        called with the rows of every stratum, or 0 before that is done, and the bytes that are
        held so far; `keep` takes keys of strata that are done."""
        open_: dict[int, KeySet] = {}
        found, held = self.exits(first), 0
        self._take(open_, first, np.array([self._stratum(key) for key in first]))
        with Pool(self.workers) as pool:
            while open_ and found is not None:
                stratum = max(open_)
                _, keys = sorted_keys(self.rules, open_.pop(stratum).ordered()[0])
                parts = (keys[i : i + BATCH] for i in range(0, len(keys), BATCH))
                pieces, below, edges = [], set(), 0
                for found in pool.in_order(self.exits, parts):
                    end = int(found.first[-1]) if found is not None else 0
                    if found is None or found.stratum[:end].max(initial=stratum - 1) >= stratum:
                        return False
                    below |= self._take(open_, found.child[:end], found.stratum[:end])
                    pieces.append(found.pieces)
                    edges += int((np.diff(found.first) * self._rows_of(found.pieces)).sum())
                    watch(0, held)
                kept = keys if keep is None else keep(stratum, keys)
                self._add(stratum, kept, np.concatenate(pieces), sorted(below), edges)
                held += HELD * self.rules.width * len(keys) if kept is keys else 0
                watch(self.strata[stratum].rows.total, held + sum(s.bytes for s in open_.values()))
        return found is not None

    def _stratum(self, key: Array) -> int:
        return int(self.game.stratum(self.rules.position(key)))

    def _rows_of(self, pieces: Array) -> Array:
        counts = self.labellings.counts
        rows: Array = counts[pieces[:, 0]] * counts[pieces[:, 1]]
        return rows

    def _take(self, open_: dict[int, KeySet], keys: Array, strata: Array) -> set[int]:
        """Put keys into the sets of their strata; which strata these are."""
        keys, _, groups = group_by_stratum(keys, strata)
        for stratum, begin, end in groups:
            if stratum not in open_:
                open_[stratum] = KeySet(self.rules.width)
            open_[stratum].insert(keys[begin:end])
        return {stratum for stratum, _, _ in groups}

    def _add(self, stratum: int, keys: Array, pieces: Array, below: list[int], edges: int) -> None:
        rows = RowRanges(self._rows_of(pieces))
        if len(pieces) and (pieces == pieces[0]).all():
            pieces = np.broadcast_to(pieces[0].copy(), pieces.shape)
        self.strata[stratum] = UnlabelledStratum(keys, pieces, rows, below, edges)

    def place(self, stratum: int, keys: Array) -> Array:
        """The numbers of boards in their stratum."""
        here = self.strata[stratum]
        with self._lock:
            here.placed = here.placed or placed(here.keys)
            begin, place = here.placed
        out = np.empty(len(keys), np.uint32)
        missing = find(keys, here.keys, begin, out, place)
        if missing >= 0:
            raise self.contradiction(keys[missing])
        return out

    def forget(self, stratum: int) -> None:
        """Drop the index of a stratum: no other leads there any more."""
        self.strata[stratum].placed = None


def unlabelled_positions(
    rules: Any, workers: int, watch: Callable[[int, int], None], keep: Keep | None = None
) -> Unlabelled | None:
    """All boards of a game, if it can be treated so."""
    if not has_labels(rules):
        return None
    unlabelled = Unlabelled(rules, workers)
    first = first_unlabelled(unlabelled)
    if first is None or not unlabelled.find(first, watch, keep):
        return None
    return unlabelled


def has_labels(rules: Any) -> TypeGuard[NativeTurns]:
    """Whether rules have labels, and all else that unlabelled positions need."""
    if not isinstance(rules, NativeTurns) or not labels(rules.game):
        return False
    return not rules.flags & REWARDS and bool(rules.flags & STRATA and rules.flags & TURNS)


def first_unlabelled(unlabelled: Unlabelled) -> Array | None:
    """The boards of first positions, if all their labellings are first positions."""
    rules, game = unlabelled.rules, unlabelled.game
    keys, _ = rules.starts()
    starts = {rules.position(key) for key in keys}
    first = rules.keys(list({game.unlabel(p)[0] for p in starts if game.to_move(p) != OVER}))
    found = unlabelled.exits(first)
    if found is None or not len(first):
        return None
    unlabelled._add(0, first, found.pieces, [], 0)
    every = unlabelled.keys(0)
    del unlabelled.strata[0]
    return first if {rules.position(key) for key in every} == starts else None
