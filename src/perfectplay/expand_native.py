"""Compiled rules over batches of int64 keys.

One function, `_expand`, is compiled for each class of rules; everything after it works on arrays.
A key is a row of `width` int64 words: one for integer positions, one per entry for tuples.
"""

from __future__ import annotations

import copy
from itertools import islice
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.extending import overload

from perfectplay.batch import Batch
from perfectplay.compile import rules_kernel
from perfectplay.digest import rules_digest
from perfectplay.errors import RulesError
from perfectplay.expand import trouble
from perfectplay.game import Game, alternate, declares, first_positions
from perfectplay.graph import Array
from perfectplay.refusal import compile_error, refuse_uncompilable

ALTERNATE, STRATA, TURNS, SYMMETRY, REWARDS, ANCHORS, RAW = 1, 2, 4, 8, 16, 32, 64


def _load(keys, i, sample):  # type: ignore[no-untyped-def]
    """Position in row `i` of `keys`, of the same type as `sample`."""


@overload(_load)
def _load_overload(keys, i, sample):  # type: ignore[no-untyped-def]
    if isinstance(sample, types.Integer):
        return lambda keys, i, sample: keys[i, 0]
    return _tuple_loader(sample.count)


def _tuple_loader(count: int) -> Any:
    words = ", ".join(f"keys[i, {k}]" for k in range(count))
    scope: dict[str, Any] = {}
    exec(f"def load(keys, i, sample): return ({words},)", scope)
    return scope["load"]


def _save(keys, i, p):  # type: ignore[no-untyped-def]
    """Write position `p` to row `i` of `keys`."""


@overload(_save)
def _save_overload(keys, i, p):  # type: ignore[no-untyped-def]
    if isinstance(p, types.Integer | types.Boolean):

        def save(keys, i, p):  # type: ignore[no-untyped-def]
            keys[i, 0] = p

        return save
    if isinstance(p, types.BaseTuple) and all(
        isinstance(t, types.Integer | types.Boolean) for t in p
    ):
        lines = "".join(f"\n    keys[i, {k}] = p[{k}]" for k in range(p.count))
        scope: dict[str, Any] = {}
        exec(f"def save(keys, i, p):{lines}", scope)
        return scope["save"]
    return None


def _put(out, i, number):  # type: ignore[no-untyped-def]
    """Write a payoff or reward to row `i`; the number of columns it has."""


@overload(_put)
def _put_overload(out, i, number):  # type: ignore[no-untyped-def]
    if isinstance(number, types.Integer | types.Boolean):

        def put(out, i, number):  # type: ignore[no-untyped-def]
            out[i, 0] = number
            return 1

        return put
    if isinstance(number, types.BaseTuple) and all(
        isinstance(t, types.Integer | types.Boolean) for t in number
    ):
        lines = "".join(f"\n    out[i, {k}] = number[{k}]" for k in range(number.count))
        scope: dict[str, Any] = {}
        exec(f"def put(out, i, number):{lines}\n    return {number.count}", scope)
        return scope["put"]
    return None


def _events(rules, p):  # type: ignore[no-untyped-def]
    """Yield (weight, position) at a CHANCE position."""


@overload(_events)
def _events_overload(rules, p):  # type: ignore[no-untyped-def]
    if rules.rules_class.chances is not Game.chances:
        return lambda rules, p: rules.chances(p)

    def none(rules, p):  # type: ignore[no-untyped-def]
        for m in rules.moves(p):
            yield 0, rules.play(p, m)  # refused as a weight of 0: these rules have no chances

    return none


def _expand(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0911, PLR0912, PLR0913, PLR0917
    rules, sample, keys, flags, kinds, payoff, first, anchor, child, stratum, swap, weight, reward
):
    """Fill the rows (kinds … anchor) and edges (child … reward) of all keys; returns the rows
    done, the columns of payoffs and of rewards, and a code of TROUBLES. Stops early when the
    edges are full.

    One body, with every array a parameter of its own: passing arrays on to functions costs more
    than most rules do."""
    columns = earned = 0
    room = len(child)
    k = 0
    for i in range(len(keys)):
        p = _load(keys, i, sample)
        kind = rules.to_move(p)
        start = k
        if kind >= 0:
            if kind >= rules.players:
                return i, columns, earned, 2
            for move in rules.moves(p):
                if k == room:
                    return i, columns, earned, 0
                q = rules.play(p, move)
                if flags & RAW:
                    _save(child, k, q)
                else:
                    r = rules.representative(q)
                    _save(child, k, r)
                    if flags & STRATA:
                        stratum[k] = rules.stratum(r)
                    if flags & TURNS:
                        swap[k] = (rules.turn(q) - rules.turn(r)) % rules.players
                    elif flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
                        return i, columns, earned, 3
                if flags & REWARDS:
                    earned = max(earned, _put(reward, k, rules.reward(p, move)))
                k += 1
        elif kind == -1:
            for w, q in _events(rules, p):
                if k == room:
                    return i, columns, earned, 0
                if w <= 0:
                    return i, columns, earned, 1
                weight[k] = w
                if flags & RAW:
                    _save(child, k, q)
                else:
                    r = rules.representative(q)
                    _save(child, k, r)
                    if flags & STRATA:
                        stratum[k] = rules.stratum(r)
                    if flags & TURNS:
                        swap[k] = (rules.turn(q) - rules.turn(r)) % rules.players
                    elif flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
                        return i, columns, earned, 3
                k += 1
            if k == start:
                return i, columns, earned, 4
        elif kind != -2:
            return i, columns, earned, 2
        if k == start:
            kind = -2
            columns = max(columns, _put(payoff, i, rules.payoff(p)))
        if flags & ANCHORS:
            anchor[i] = rules.anchor(p)
        kinds[i] = kind
        first[i + 1] = k
    return len(keys), columns, earned, 0


def _first(rules, number, end, keys, strata):  # type: ignore[no-untyped-def]
    """Fill `keys` and `strata` with representatives of the first positions from a number on; how
    many, and the number that comes next. Stops at `end`, or where there is no room."""
    k = 0
    while number < end:
        begin = k
        for p in rules.starts_of(number):
            if k == len(keys):
                return begin, number
            r = rules.representative(p)
            _save(keys, k, r)
            strata[k] = rules.stratum(r)
            k += 1
        number += 1
    return k, number


class NativeExpander:
    """Compiled rules on int64 keys. Several threads may expand at once."""

    book: Any = None

    def __init__(self, game: Game) -> None:
        import perfectplay.native  # noqa: F401  (registers the type)

        self.game = game
        self._numbered = declares(game, "starts_of") and not declares(game, "starts")
        firsts = islice(first_positions(game), 1 if self._numbered else None)
        starts = [_checked(game.representative(p), game) for p in firsts]
        if not starts:
            raise RulesError(f"{type(game).__name__}: starts() yields no position")
        self._starts = list(dict.fromkeys(starts))
        self.width = _width(self._starts, game)
        self.sample = self._starts[0]
        self.flags = _flags(game)
        refuse_uncompilable(game)
        digest = f"{rules_digest(game)}-{type(game).__module__}"
        self._kernel = rules_kernel(_expand, digest)
        self._first = rules_kernel(_first, digest) if self._numbered else None
        self._per_row = 8.0  # children a position has at most, on the average of a batch

    def starts(self) -> tuple[Array, Array]:
        """The first positions as keys, some of them perhaps twice, and their strata."""
        if self._first is not None:
            return self._numbered_starts()
        keys = self.keys(self._starts)
        return keys, np.array([self.game.stratum(p) for p in self._starts], np.int64)

    def _numbered_starts(self) -> tuple[Array, Array]:
        found: list[tuple[Array, Array]] = []
        number, end, room = 0, int(self.game.start_numbers), 1 << 16
        while number < end:
            keys, strata = np.empty((room, self.width), np.int64), np.empty(room, np.int64)
            many, number = self._called(self._first, self.game, number, end, keys, strata)
            found.append((keys[:many], strata[:many]))
            room = 2 * room if many < room // 2 or len(found) > 3 else room
        return np.concatenate([k for k, _ in found]), np.concatenate([s for _, s in found])

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

    def compile(self) -> None:
        """Compile the rules now, so that later calls only run them."""
        self.expand(self.starts()[0])

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
        rows = (
            np.empty(n, np.int8),
            np.zeros((n, players), np.int64),
            np.zeros(n + 1, np.int64),
            np.zeros(n if flags & ANCHORS else 1, np.uint8),
        )
        chance = declares(self.game, "chances")
        edges = (
            np.empty((room, self.width), np.int64),
            np.empty(room if flags & STRATA else 1, np.int64),
            np.full(room if flags & TURNS else 1, flags & ALTERNATE, np.uint8),
            np.ones(room if chance else 1, np.int64),
            np.zeros((room if flags & REWARDS else 1, players), np.int64),
        )
        done, columns, earned, code = self._call(keys, rows, edges)
        if code:
            raise trouble(self.game, code, self.position(keys[done]))
        return self._batch(rows, edges, done, (max(columns, 1), max(earned, 1))), done

    def _call(self, keys: Array, rows: Any, edges: Any) -> tuple[int, int, int, int]:
        arguments = (self.game, self.sample, keys, self.flags, *rows, *edges)
        return self._called(self._kernel, *arguments)  # type: ignore[no-any-return]

    def _called(self, compiled: Any, *arguments: Any) -> Any:
        """What a compiled function of the rules returns."""
        try:
            return compiled(*arguments)
        except (NumbaError, UnsupportedBytecodeError) as error:
            raise compile_error(self.game, error) from None
        except (IndexError, ZeroDivisionError, OverflowError, ValueError) as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> RulesError:
        return RulesError(
            f"{type(self.game).__name__}: the compiled rules failed: {error}",
            "run `perfectplay check` on the game, or solve it with --plain to see where",
        )

    def _batch(self, rows: Any, edges: Any, done: int, columns: tuple[int, int]) -> Batch:
        kind, payoff, first, anchor = rows
        e = int(first[done])
        return Batch(
            kind=kind[:done],
            payoff=payoff[:done, : columns[0]],
            first=first[: done + 1],
            child=edges[0][:e],
            stratum=edges[1][:e] if self.flags & STRATA else edges[1][:0],
            swap=edges[2][:e] if self.flags & TURNS else edges[2],
            weight=edges[3][:e] if len(edges[3]) > 1 else edges[3],
            reward=edges[4][: e if self.flags & REWARDS else 1, : columns[1]],
            anchor=anchor[:done] if self.flags & ANCHORS else anchor,
        )


def _flags(game: Game) -> int:
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


def _width(starts: list[Any], game: Game) -> int:
    widths = {len(p) if isinstance(p, tuple) else 1 for p in starts}
    if len(widths) > 1 or len({type(p) for p in starts}) > 1:
        raise RulesError(f"{type(game).__name__}: first positions have different shapes")
    return widths.pop()
