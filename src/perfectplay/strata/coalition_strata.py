"""Seats: a game with sides is found once, and every seat of a position is made from that.

Rules with several players often rename them, so that a position of a game with sides carries a
seat (rules/coalitions.py). Its moves are those of the position itself, whatever the seat; only who
is on whose side differs. So positions, edges and turns are those of the game without sides: they
are found and kept once, and a stratum gets its seats when it is solved. An edge that renames
players by `swap` leads from seat s to seat (s + swap) mod players.

Only seats that can arise are made: they are followed from the first positions along all edges,
each set of seats as the bits of a word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct, mask
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.positions.batch import Expander
from perfectplay.positions.expand import expander
from perfectplay.positions.explore import MOST
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.positions.turns.pattern_arrays import Patterns
from perfectplay.rules.coalitions import Sided
from perfectplay.rules.game import OVER
from perfectplay.strata.stratum_queue import StratumQueue

BITS = 62
"""Seats that a word has bits for."""


class CoalitionView:
    """How a game with sides is made from the game itself."""

    def __init__(self, rules: Expander, *, steps: bool) -> None:
        assert isinstance(rules.game, Sided)
        self.rules = rules
        """The rules with sides: they name positions, and are not run."""
        self.game = game = rules.game
        self.base: Expander = expander(game.rules, plain=rules.width == 0, steps=steps)
        self.turn_patterns = (
            None
            if self.base.turn_patterns is None
            else CoalitionPatterns(self.base.turn_patterns, game)
        )

    def layers(
        self, found: StratumQueue, look: Callable[[FoundStratum], None], *, whole: bool
    ) -> CoalitionStrata:
        """The strata of the game with sides, from those of the game itself; `look` is called with
        each, highest first, and needs the `whole` of it or only what facts need."""
        seated = CoalitionStrata(self, found)
        for stratum in sorted(seated.sizes, reverse=True):
            look(seated.look(stratum) if whole else seated.ends(stratum))
        return seated

    def starts(self) -> dict[Any, int]:
        """The seats at which play may begin, as bits, by position of the game itself."""
        found: dict[Any, int] = {}
        for p in self.rules.starts()[0]:
            key = _hashable(p[:-1]) if self.rules.width else self.game.board(p)
            found[key] = found.get(key, 0) | 1 << int(p[-1])
        return found

    def positions(self, given: Any, row: Array, seat: Array) -> Any:
        """Rows of positions with their seats."""
        if self.rules.width:
            return np.column_stack([given[row], seat.astype(np.int64)])
        pairs = zip(row.tolist(), seat.tolist(), strict=True)
        return [self.game.seated(given[i], s) for i, s in pairs]


def _hashable(key: Array) -> tuple[int, ...]:
    return tuple(map(int, key))


def _players(kind: Array, seat: Array, seats: int) -> Array:
    """The players behind movers of a frame; 0 where nobody moves."""
    return np.where(kind >= 0, (kind.astype(np.int64) + seat) % seats, 0)


def _sides(kind: Array, seat: Array, game: Sided) -> Array:
    """The sides of movers; other kinds stay."""
    player = _players(kind, seat, game.seats)
    return np.where(kind >= 0, np.array(game.side)[player], kind).astype(np.int8)


def _earned(reward: Array, kind: Array, seat: Array, game: Sided) -> Array:
    """What sides get where movers earn something."""
    if reward.shape[1] > 1 and reward[:, 1:].any():
        raise UsageError(
            f"sides cannot be taken in {type(game.rules).__name__}: reward(p, m) is a tuple",
            "sides need rewards that are integers, for who moves; payoffs may be tuples",
        )
    worth = np.array(game.wants).T[_players(kind, seat, game.seats)]
    number = np.where(kind >= 0, reward[:, 0].astype(np.int64), 0)
    return worth * number[:, None]


def _paid(payoff: Array, seat: Array, game: Sided) -> Array:
    """What sides get at the ends of play, by row."""
    given = payoff.astype(np.int64)
    if given.shape[1] < game.seats:
        given = np.broadcast_to(given[:, :1], (len(given), game.seats))
    frame = (np.arange(game.seats)[None, :] - seat[:, None]) % game.seats
    paid: Array = np.take_along_axis(given, frame, 1) @ np.array(game.wants).T
    return paid


class CoalitionPatterns:
    """The patterns of turns with sides: those of the game, once for each way in which seats give
    the movers that there are to sides."""

    def __init__(self, base: Any, game: Sided) -> None:
        self._base, self._game = base, game
        self._made: tuple[int, Patterns, Array] | None = None

    def patterns(self) -> Patterns:
        """All patterns."""
        return self._all()[1]

    def numbers(self, pattern: Array, seat: Array) -> Array:
        """The patterns of rows whose turns have these patterns without sides."""
        count, _, way = self._all()
        return np.where(pattern >= 0, pattern + way[seat] * count, -1).astype(np.int32)

    def _all(self) -> tuple[int, Patterns, Array]:
        base: Patterns = self._base.patterns()
        if self._made is None or self._made[0] != len(base):
            self._made = self._lifted(base)
        return self._made

    def _lifted(self, base: Patterns) -> tuple[int, Patterns, Array]:
        game, seats = self._game, self._game.seats
        movers = [j for j in range(seats) if (base.kind == j).any()]
        wants = np.array(game.wants)
        ways: dict[Any, int] = {}
        way, taken = np.zeros(seats, np.int64), []
        for s in range(seats):
            players = [(j + s) % seats for j in movers]
            known = tuple((game.side[j], *wants[:, j].tolist()) for j in players)
            if known not in ways:
                ways[known] = len(ways)
                taken.append(s)
            way[s] = ways[known]
        mover = np.repeat(base.kind, np.diff(base.first))
        at = [np.full(1, s) for s in taken]
        lifted = Patterns(
            start=_runs(base.start, len(taken)),
            kind=np.concatenate([_sides(base.kind, s, game) for s in at]),
            first=_runs(base.first, len(taken)),
            to=np.tile(base.to, len(taken)),
            weight=np.tile(base.weight, len(taken)),
            reward=np.concatenate([_earned(base.reward, mover, s, game) for s in at]),
            rank=np.tile(base.rank, len(taken)),
        )
        return len(base), lifted, way


def _runs(begins: Array, times: int) -> Array:
    """Where runs begin, if all of them are repeated so many times."""
    whole = int(begins[-1])
    return np.concatenate([[0], *(begins[1:] + k * whole for k in range(times))]).astype(np.int64)


class CoalitionStrata(StratumQueue):
    """Strata with seats, each made when it is asked for. Positions have their ids as numbers."""

    def __init__(self, coalition_view: CoalitionView, found: StratumQueue) -> None:
        super().__init__(None)
        self._seating, self._found = coalition_view, found
        self._low: dict[int, int] = {}
        self._bits = np.zeros(found.positions, np.int64)  # by number
        self._at = np.zeros(found.positions, np.uint32)  # the id of the first seat
        self._follow()
        low = 0
        for stratum in sorted(found.sizes):
            numbers = found.numbers(stratum)
            ends = low + np.cumsum(_counts(self._bits[numbers]))
            self._at[numbers[1:]] = ends[:-1]
            self._at[numbers[:1]] = low
            self._low[stratum], self.sizes[stratum] = low, int(ends[-1]) - low
            low = int(ends[-1])
        if low > MOST:
            raise TooLargeError(f"more than {MOST:,} positions: there are {low:,} with seats")

    def _follow(self) -> None:
        """Find out which seats can arise."""
        starts = self._seating.starts()
        for stratum in sorted(self._found.sizes, reverse=True):
            layer = self._found.look(stratum)
            for row in np.flatnonzero(layer.numbers < len(starts)).tolist():
                p = layer.positions[row]
                key = _hashable(p) if self._seating.rules.width else p
                self._bits[layer.numbers[row]] |= starts[key]
            edges = layer.count, layer.child, layer.swap
            done, seats = np.zeros(layer.size, np.int64), self._seating.game.seats
            while _hand_on(layer.numbers, edges, seats, done, self._bits):
                pass

    def take(self, stratum: int) -> FoundStratum:
        """The layer of a stratum; its working file is removed."""
        return self._seated(self._found.take(stratum), stratum)

    def look(self, stratum: int) -> FoundStratum:
        """The layer of a stratum, which stays where it is."""
        return self._seated(self._found.look(stratum), stratum)

    def ends(self, stratum: int) -> FoundStratum:
        """A stratum as far as facts go: its ends of play, and one row of every other kind; all of
        it if moves earn something."""
        layer = self._found.look(stratum)
        if layer.reward.any():
            return self._seated(layer, stratum)
        row, seat = self._rows(layer)
        over = layer.kind[row] == OVER
        row, seat = row[over], seat[over]
        others = distinct(layer.kind[layer.kind != OVER])
        payoff = np.zeros((len(row) + len(others), self._seating.game.players), np.int64)
        payoff[: len(row)] = _paid(_each(layer.payoff, layer.size)[row], seat, self._seating.game)
        kind = np.concatenate([np.full(len(row), OVER, np.int8), others])
        return replace(layer, kind=kind, payoff=payoff)

    def ids(self) -> None:
        """Numbers are ids."""
        return

    def close(self) -> None:
        """Remove what is left of the working files."""
        self._found.close()

    def _rows(self, layer: FoundStratum) -> tuple[Array, Array]:
        """(row of the layer, seat) of every row with a seat."""
        return _seats(self._bits[layer.numbers], self._seating.game.seats)  # type: ignore[no-any-return]

    def _seated(self, layer: FoundStratum, stratum: int) -> FoundStratum:
        game, turn_patterns = self._seating.game, self._seating.turn_patterns
        row, seat = self._rows(layer)
        size, low = len(row), self._low[stratum]
        first = np.zeros(layer.size + 1, np.int64)
        np.cumsum(layer.count, out=first[1:])
        count = layer.count[row]
        about = row, seat, first, layer.swap, game.seats
        child, edge = _edges(about, layer.child, self._bits, self._at, int(count.sum()))
        kind = _sides(layer.kind[row], seat, game)
        pattern, node = layer.pattern, layer.node
        if turn_patterns is not None:
            pattern = turn_patterns.numbers(_each(layer.pattern, layer.size)[row], seat)
        edges = len(layer.child)
        reward = np.zeros((1, game.players), np.int64)
        if layer.reward.any():
            mover = np.repeat(layer.kind, layer.count)
            if turn_patterns is not None:
                base: Patterns = self._seating.base.turn_patterns.patterns()
                turn = np.repeat(_each(layer.pattern, layer.size), layer.count)
                mover = base.kind[base.start[turn] + _each(node, edges)]
            at = np.repeat(seat, count)
            reward = _earned(_each(layer.reward, edges)[edge], mover[edge], at, game)
        payoff = np.zeros((1, game.players), np.int64)
        over = layer.kind[row] == OVER
        if over.any():
            payoff = np.zeros((size, game.players), np.int64)
            payoff[over] = _paid(_each(layer.payoff, layer.size)[row[over]], seat[over], game)
        return FoundStratum(
            stratum=stratum,
            positions=self._seating.positions(layer.positions, row, seat),
            numbers=np.arange(low, low + size, dtype=np.uint32),
            kind=kind,
            payoff=payoff,
            count=count,
            child=child,
            swap=np.zeros(1, np.uint8),
            weight=_some(layer.weight, edge, edges),
            reward=reward,
            anchor=_some(layer.anchor, row, layer.size),
            pattern=pattern,
            node=_some(node, edge, edges),
            rank=_some(layer.rank, edge, edges) if game.players > 2 else layer.rank[:1],
            inside=layer.inside,
            below=layer.below,
        )


def _each(array: Array, size: int) -> Array:
    """The array with one element for each of so many."""
    return np.broadcast_to(array, (size, *array.shape[1:]))


def _some(array: Array, rows: Array, size: int) -> Array:
    """Elements of an array, one of which may stand for all."""
    return array[rows] if mask(array, size) else array


def _counts(bits: Array) -> Array:
    """How many bits words have."""
    counts: Array = np.bitwise_count(bits).astype(np.int64)
    return counts


@kernel
def _hand_on(numbers, edges, seats, done, bits):  # type: ignore[no-untyped-def]
    """Give the seats of all rows on along their edges; whether any was new. `done` are those that
    were given on before."""
    count, child, swap = edges
    every_swap = -1 if len(swap) == len(child) else 0
    every = (np.int64(1) << seats) - 1
    changed = False
    e = 0
    for row in range(len(numbers)):
        here = bits[numbers[row]]
        end = e + count[row]
        if here == done[row]:
            e = end
            continue
        done[row] = here
        while e < end:
            s = np.int64(swap[e & every_swap])
            moved = ((here << s) | (here >> (seats - s))) & every
            to = child[e]
            if moved & ~bits[to]:
                bits[to] |= moved
                changed = True
            e += 1
    return changed


@kernel
def _seats(bits, seats):  # type: ignore[no-untyped-def]
    """(row, seat) for all bits of all rows, in order."""
    total = 0
    for i in range(len(bits)):
        for s in range(seats):
            total += (bits[i] >> s) & 1
    row, seat = np.empty(total, np.int64), np.empty(total, np.int64)
    k = 0
    for i in range(len(bits)):
        for s in range(seats):
            if (bits[i] >> s) & 1:
                row[k], seat[k] = i, s
                k += 1
    return row, seat


@kernel
def _edges(about, child, bits, at, total):  # type: ignore[no-untyped-def]
    """(child, edge): where the edges of rows with seats lead, and which edges they are."""
    row, seat, first, swap, seats = about
    every_swap = -1 if len(swap) == len(child) else 0
    out, edge = np.empty(total, np.uint32), np.empty(total, np.uint32)
    k = 0
    for i in range(len(row)):
        for e in range(first[row[i]], first[row[i] + 1]):
            s = seat[i] + np.int64(swap[e & every_swap])
            s = s if s < seats else s - seats
            below = bits[child[e]] & ((np.int64(1) << s) - 1)
            before = 0
            while below:
                below &= below - 1
                before += 1
            out[k] = at[child[e]] + before
            edge[k] = e
            k += 1
    return out, edge
