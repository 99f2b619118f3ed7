"""Compiled rules over batches of int64 keys.

One function, `expand_kernel.expand`, is compiled for each class of rules; everything after it
works on arrays.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.compile_errors import compile_error, refuse_uncompilable
from perfectplay.compiled.kernels import compile_errors
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.errors import PerfectPlayError, RulesError
from perfectplay.positions.batch import Batch
from perfectplay.positions.codes import (
    ALTERNATE,
    ANCHORS,
    RAW,
    REWARDS,
    STRATA,
    SYMMETRY,
    TURNS,
)
from perfectplay.positions.examine import LOOKS, faults
from perfectplay.positions.expand_kernel import BatchEdges, BatchRows, expand, first_keys
from perfectplay.positions.expand_plain import trouble
from perfectplay.positions.explained import explained
from perfectplay.positions.failures import WIDE, shown
from perfectplay.rules.capabilities import numbered_starts
from perfectplay.rules.game import Game, alternate, declares, first_positions

UNDONE = 127
"""The kind of rows that compiled rules have not come to."""


class NativeExpander:
    """Compiled rules on int64 keys. Several threads may expand at once."""

    turn_patterns: Any = None

    @explained
    def __init__(self, game: Game) -> None:
        self.game = game
        self._numbers = 0 if declares(game, "starts") else numbered_starts(game)
        first = next(first_positions(game), None)
        if first is None:
            raise RulesError(f"{type(game).__name__}: starts() yields no position")
        self.sample = _checked(game.representative(first), game)
        self.width = len(self.sample) if isinstance(self.sample, tuple) else 1
        self.flags = rule_flags(game)
        refuse_uncompilable(game)
        self._kernel = rules_kernel(expand, game)
        self._first = rules_kernel(first_keys, game) if self._numbers else None
        self._per_row = 8.0  # children a position has at most, on the average of a batch

    def starts(self) -> tuple[Array, Array]:
        """The first positions as keys, some of them perhaps twice, and their strata."""
        found = list(self.start_batches())
        return np.concatenate([k for k, _ in found]), np.concatenate([s for _, s in found])

    def start_batches(self) -> Iterator[tuple[Array, Array]]:
        """The same, some at a time where the rules number them."""
        if self._first is None:
            keys = self.keys(self._starts)
            yield keys, np.array([self.game.stratum(p) for p in self._starts], np.int64)
            return
        number, end, room = 0, self._numbers, 1 << 16
        while number < end:
            keys, strata = np.empty((room, self.width), np.int64), np.empty(room, np.int64)
            many, number = self.called(self._first, self.game, number, end, keys, strata)
            if many:
                yield keys[:many], strata[:many]
            elif number < end:  # one number has more than there is room for
                room *= 2

    @functools.cached_property
    def _starts(self) -> list[Any]:
        """The first positions, which may be many: collected when somebody asks for them."""
        game = self.game
        found = (_checked(game.representative(p), game) for p in first_positions(game))
        starts = list(dict.fromkeys(found))
        if any(type(p) is not type(self.sample) for p in starts) or (
            isinstance(self.sample, tuple) and any(len(p) != self.width for p in starts)
        ):
            raise RulesError(f"{type(game).__name__}: first positions differ in type or length")
        return starts

    def keys(self, positions: Any) -> Array:
        """Positions as int64[n, width]; keys stay as they are."""
        if isinstance(positions, np.ndarray):
            return positions
        return np.array(positions, np.int64).reshape(len(positions), self.width)

    def position(self, key: Any) -> Any:
        """The position of one key."""
        return int(key[0]) if isinstance(self.sample, int) else tuple(map(int, key))

    def raw(self) -> NativeExpander:
        """The same rules, giving children as they are instead of their representatives."""
        twin = copy.copy(self)
        twin.flags = self.flags & (REWARDS | ANCHORS) | RAW
        return twin

    def expand(self, positions: Any) -> Batch:
        """The children of `positions`, int64[n, width]."""
        keys = np.ascontiguousarray(positions)
        room = int(len(keys) * self._per_row) + 64
        while True:
            batch, done = self._expand(keys, room)
            if done == len(keys):
                return batch
            room *= 2
            self._per_row = max(self._per_row, 1.25 * (room - 64) / len(keys))

    def _expand(self, keys: Array, room: int) -> tuple[Batch, int]:
        n, flags, players = len(keys), self.flags, self.game.players
        rows = BatchRows(
            np.full(n, UNDONE, np.int8),
            np.zeros((n, players), np.int64),
            np.zeros(n + 1, np.int64),
            np.zeros(n if flags & ANCHORS else 1, np.uint8),
        )
        edges = self._new_edges(room, weighted=declares(self.game, "chances"))
        done, columns, earned, code = self._call(keys, rows, edges)
        if code:
            raise trouble(self.game, code, self.position(keys[done]))
        return self._batch(rows, edges, done, (max(columns, 1), max(earned, 1))), done

    def _new_edges(self, room: int, *, weighted: bool) -> BatchEdges:
        """Room for so many edges."""
        flags = self.flags
        return BatchEdges(
            np.empty((room, self.width), np.int64),
            np.empty(room if flags & STRATA else 1, np.int64),
            np.full(room if flags & TURNS else 1, flags & ALTERNATE, np.uint8),
            np.ones(room if weighted else 1, np.int64),
            np.zeros((room if flags & REWARDS else 1, self.game.players), np.int64),
        )

    def _call(self, keys: Array, rows: BatchRows, edges: BatchEdges) -> tuple[int, int, int, int]:
        found: tuple[int, int, int, int] = self.called(
            self._kernel, self.game, self.sample, keys, self.flags, rows, edges, near=(keys, rows)
        )
        return found

    def called(
        self, compiled: Any, *arguments: Any, near: tuple[Array, BatchRows | None] | None = None
    ) -> Any:
        """What a compiled function of the rules returns. If they fail, interpreted rules are asked
        where: `near` has the keys that the function went through, and the rows that are done."""
        try:
            return compiled(*arguments)
        except compile_errors() as error:
            raise compile_error(self.game, error) from None
        except (PerfectPlayError, MemoryError):
            raise
        except Exception as error:
            raise self._failure(error, near) from None

    def _failure(
        self, error: Exception, near: tuple[Array, BatchRows | None] | None
    ) -> RulesError:
        """What is wrong with rules that failed when they were compiled."""
        keys, rows = near or (np.empty((0, self.width), np.int64), None)
        known = rows is not None and len(rows.kind) == len(keys)
        done = int((rows.kind == UNDONE).argmax()) if rows is not None and known else 0
        positions = [self.position(key) for key in keys[done : done + (1 if known else LOOKS)]]
        fault = next(faults(self.game, positions, below=not known), None)
        if fault is not None:
            return fault
        at = f" at {shown(self.game, positions[0])}, interpreted ones do not" if known else ""
        return RulesError(
            f"{type(self.game).__name__}: compiled rules raise {type(error).__name__}{at}: "
            f"{error}",
            WIDE if known else "use --plain (plain=True) to see where",
        )

    def _batch(
        self, rows: BatchRows, edges: BatchEdges, done: int, columns: tuple[int, int]
    ) -> Batch:
        e = int(rows.first[done])
        return Batch(
            kind=rows.kind[:done],
            payoff=rows.payoff[:done, : columns[0]],
            first=rows.first[: done + 1],
            child=edges.child[:e],
            stratum=edges.stratum[: e if self.flags & STRATA else 0],
            swap=edges.swap[: e if self.flags & TURNS else 1],
            weight=edges.weight[:e] if len(edges.weight) > 1 else edges.weight,
            reward=edges.reward[: e if self.flags & REWARDS else 1, : columns[1]],
            anchor=rows.anchor[: done if self.flags & ANCHORS else 1],
        )


def rule_flags(game: Game) -> int:
    """What rules have, as flags (codes.py)."""
    wanted = {
        ALTERNATE: alternate(game),
        STRATA: declares(game, "stratum"),
        TURNS: declares(game, "turn") and not alternate(game),
        SYMMETRY: declares(game, "representative") and not alternate(game),
        REWARDS: declares(game, "reward"),
        ANCHORS: declares(game, "anchor"),
    }
    return sum(flag for flag, holds in wanted.items() if holds)


def _checked(p: Any, game: Game) -> Any:
    """Position `p` as plain Python integers, if it can be a native position."""
    words = p if isinstance(p, tuple) else (p,)
    if not words or not all(isinstance(x, int | np.integer) for x in words):
        raise RulesError(
            f"{type(game).__name__}: start() returns {p!r}, which is no native position",
            "a native position is an integer or a flat tuple of integers; "
            "or set native = False to use any hashable position",
        )
    if not all(-(2**63) <= int(x) < 2**63 for x in words):
        raise RulesError(
            f"{type(game).__name__}: position {p!r} does not fit in 64 bits",
            "spread it over a tuple of integers, or set native = False",
        )
    return tuple(int(x) for x in p) if isinstance(p, tuple) else int(p)
