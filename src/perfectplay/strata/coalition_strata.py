"""Strata of a game between coalitions, made from those of the game itself.

Rules with several players often rename them, so that a position of a game between coalitions
carries a **seat** (rules/coalitions.py): player j of its frame is player (j + seat) mod players of
the game. Its moves do not depend on the seat, only who moves for which coalition does. So
positions, edges and turns are found and kept once, without seats, and a stratum gets its seats
when it is solved. An edge that renames players by `swap` leads from seat s to seat (s + swap) mod
players.

Only seats that can arise are made: they are followed from the first positions along all edges,
each set of seats as the bits of a word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Ids, Ints, distinct, mask
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.positions.batch import Expander
from perfectplay.positions.expand import expander
from perfectplay.positions.explore import MOST
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.positions.turns.patterns import Patterns
from perfectplay.rules.coalitions import Sided
from perfectplay.rules.game import OVER
from perfectplay.strata.stratum_queue import StratumQueue

BITS = 62
"""Seats that a word has bits for."""


class CoalitionView:
    """How a game between coalitions is made from the game itself."""

    def __init__(self, rules: Expander, *, steps: bool) -> None:
        assert isinstance(rules.game, Sided)
        self.rules = rules
        """The rules with coalitions: they name positions, and are not run."""
        self.game = game = rules.game
        self.base: Expander = expander(game.rules, plain=rules.width == 0, steps=steps)
        self.turn_patterns = (
            None
            if self.base.turn_patterns is None
            else CoalitionPatterns(self.base.turn_patterns, game)
        )

    def strata(
        self, found: StratumQueue, look: Callable[[FoundStratum], None], *, whole: bool
    ) -> CoalitionStrata:
        """The strata of the game between coalitions, from those of the game itself; `look` is
        called with each, highest first, and needs the `whole` of it or only what facts need."""
        strata = CoalitionStrata(self, found)
        for stratum in sorted(strata.sizes, reverse=True):
            look(strata.look(stratum) if whole else strata.ends(stratum))
        return strata

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


def _coalitions(kind: Array, seat: Array, game: Sided) -> Array:
    """The coalitions of movers; other kinds stay."""
    player = _players(kind, seat, game.seats)
    return np.where(kind >= 0, np.array(game.side)[player], kind).astype(np.int8)


def _earned(reward: Array, kind: Array, seat: Array, game: Sided) -> Array:
    """What coalitions get where movers earn something."""
    own = np.maximum(kind, 0) if reward.shape[1] > 1 else np.zeros(len(kind), np.int64)
    number = reward[np.arange(len(kind)), own].astype(np.int64)
    if np.count_nonzero(reward) > np.count_nonzero(number):  # somebody else earns something
        raise UsageError(
            f"sides cannot be taken in {type(game.rules).__name__}: reward(p, m) is a tuple",
            "sides need rewards that are integers, for who moves; payoffs may be tuples",
        )
    worth = np.array(game.wants).T[_players(kind, seat, game.seats)]
    return worth * np.where(kind >= 0, number, 0)[:, None]


def _paid(payoff: Array, seat: Array, game: Sided) -> Array:
    """What coalitions get at the ends of play, by row."""
    given = payoff.astype(np.int64)
    if given.shape[1] < game.seats:
        given = np.broadcast_to(given[:, :1], (len(given), game.seats))
    frame = (np.arange(game.seats)[None, :] - seat[:, None]) % game.seats
    paid: Array = np.take_along_axis(given, frame, 1) @ np.array(game.wants).T
    return paid


class CoalitionPatterns:
    """The patterns of turns with coalitions: those of the game, once for each class of seats that
    give all movers the same coalitions and aims."""

    def __init__(self, base: Any, game: Sided) -> None:
        self._base, self._game = base, game
        self._made: tuple[int, Patterns, Array] | None = None

    def patterns(self) -> Patterns:
        """All patterns."""
        return self._all()[1]

    def numbers(self, pattern: Array, seat: Array) -> Array:
        """The patterns of rows whose turns have these patterns without coalitions."""
        count, _, kind = self._all()
        return np.where(pattern >= 0, pattern + kind[seat] * count, -1).astype(np.int32)

    def _all(self) -> tuple[int, Patterns, Array]:
        base: Patterns = self._base.patterns()
        if self._made is None or self._made[0] != len(base):
            self._made = self._lifted(base)
        return self._made

    def _lifted(self, base: Patterns) -> tuple[int, Patterns, Array]:
        game, seats = self._game, self._game.seats
        movers = [j for j in range(seats) if (base.kind == j).any()]
        wants = np.array(game.wants)
        known: dict[Any, int] = {}
        kind, taken = np.zeros(seats, np.int64), []
        for s in range(seats):
            players = [(j + s) % seats for j in movers]
            aims = tuple((game.side[j], *wants[:, j].tolist()) for j in players)
            if aims not in known:
                taken.append(s)
            kind[s] = known.setdefault(aims, len(known))
        mover = np.repeat(base.kind, np.diff(base.first))
        at = [np.full(1, s) for s in taken]
        lifted = Patterns(
            start=_runs(base.start, len(taken)),
            kind=np.concatenate([_coalitions(base.kind, s, game) for s in at]),
            first=_runs(base.first, len(taken)),
            to=np.tile(base.to, len(taken)),
            weight=np.tile(base.weight, len(taken)),
            reward=np.concatenate([_earned(base.reward, mover, s, game) for s in at]),
            rank=np.tile(base.rank, len(taken)),
        )
        return len(base), lifted, kind


def _runs(begins: Array, times: int) -> Array:
    """Where runs begin, if all of them are repeated so many times."""
    whole = int(begins[-1])
    return np.concatenate([[0], *(begins[1:] + k * whole for k in range(times))]).astype(np.int64)


class CoalitionStrata(StratumQueue):
    """Strata with seats, each made when it is asked for. Positions have their ids as numbers."""

    def __init__(self, view: CoalitionView, found: StratumQueue) -> None:
        super().__init__(None)
        self._view, self._found = view, found
        self._low: dict[int, int] = {}
        self._bits = np.zeros(found.positions, np.int64)  # by number
        self._at = np.zeros(found.positions, np.uint32)  # the id of the first seat
        self._follow()
        low = 0
        for stratum in sorted(found.sizes):
            numbers = found.numbers(stratum)
            ends = low + np.cumsum(np.bitwise_count(self._bits[numbers]), dtype=np.int64)
            self._at[numbers[1:]] = ends[:-1]
            self._at[numbers[:1]] = low
            self._low[stratum], self.sizes[stratum] = low, int(ends[-1]) - low
            low = int(ends[-1])
        if low > MOST:
            raise TooLargeError(f"more than {MOST:,} positions: there are {low:,} with seats")

    def _follow(self) -> None:
        """Find out which seats can arise."""
        starts = self._view.starts()
        for stratum in sorted(self._found.sizes, reverse=True):
            found = self._found.look(stratum)
            for row in np.flatnonzero(found.numbers < len(starts)).tolist():
                p = found.positions[row]
                key = _hashable(p) if self._view.rules.width else p
                self._bits[found.numbers[row]] |= starts[key]
            edges = found.count, found.child, found.swap
            done, seats = np.zeros(found.size, np.int64), self._view.game.seats
            while _pass_on(found.numbers, edges, seats, done, self._bits):
                pass

    def take(self, stratum: int) -> FoundStratum:
        """A stratum; its working file is removed."""
        return self._seated(self._found.take(stratum), stratum)

    def look(self, stratum: int) -> FoundStratum:
        """A stratum, which stays where it is."""
        return self._seated(self._found.look(stratum), stratum)

    def ends(self, stratum: int) -> FoundStratum:
        """A stratum as far as facts go: its ends of play, and one row of every other kind; all of
        it if moves earn something."""
        found = self._found.look(stratum)
        if found.reward.any():
            return self._seated(found, stratum)
        row, seat = self._rows(found)
        over = found.kind[row] == OVER
        row, seat = row[over], seat[over]
        others = distinct(found.kind[found.kind != OVER])
        payoff = np.zeros((len(row) + len(others), self._view.game.players), np.int64)
        payoff[: len(row)] = _paid(_each(found.payoff, found.size)[row], seat, self._view.game)
        kind = np.concatenate([np.full(len(row), OVER, np.int8), others])
        return replace(found, kind=kind, payoff=payoff)

    def ids(self) -> None:
        """Numbers are ids."""
        return

    def close(self) -> None:
        """Remove what is left of the working files."""
        self._found.close()

    def _rows(self, found: FoundStratum) -> tuple[Ints, Ints]:
        """(row without seat, seat) of every row."""
        rows: tuple[Ints, Ints] = _seats(self._bits[found.numbers], self._view.game.seats)
        return rows

    def _seated(self, found: FoundStratum, stratum: int) -> FoundStratum:
        game, turn_patterns = self._view.game, self._view.turn_patterns
        row, seat = self._rows(found)
        size, low = len(row), self._low[stratum]
        first = np.zeros(found.size + 1, np.int64)
        np.cumsum(found.count, out=first[1:])
        count = found.count[row]
        about = row, seat, first, found.swap, game.seats
        child, edge = _edges(about, found.child, self._bits, self._at, int(count.sum()))
        kind = _coalitions(found.kind[row], seat, game)
        pattern, node = found.pattern, found.node
        if turn_patterns is not None:
            pattern = turn_patterns.numbers(_each(found.pattern, found.size)[row], seat)
        edges = len(found.child)
        reward = np.zeros((1, game.players), np.int64)
        if found.reward.any():
            mover = np.repeat(found.kind, found.count)
            if turn_patterns is not None:
                base: Patterns = self._view.base.turn_patterns.patterns()
                turn = np.repeat(_each(found.pattern, found.size), found.count)
                mover = base.kind[base.start[turn] + _each(node, edges)]
            at = np.repeat(seat, count)
            reward = _earned(_each(found.reward, edges)[edge], mover[edge], at, game)
        payoff = np.zeros((1, game.players), np.int64)
        over = found.kind[row] == OVER
        if over.any():
            payoff = np.zeros((size, game.players), np.int64)
            payoff[over] = _paid(_each(found.payoff, found.size)[row[over]], seat[over], game)
        return FoundStratum(
            stratum=stratum,
            positions=self._view.positions(found.positions, row, seat),
            numbers=np.arange(low, low + size, dtype=np.uint32),
            kind=kind,
            payoff=payoff,
            count=count,
            child=child,
            swap=np.zeros(1, np.uint8),
            weight=_some(found.weight, edge, edges),
            reward=reward,
            anchor=_some(found.anchor, row, found.size),
            pattern=pattern,
            node=_some(node, edge, edges),
            rank=_some(found.rank, edge, edges) if game.players > 2 else found.rank[:1],
            inside=found.inside,
            below=found.below,
        )


def _each(array: Array, size: int) -> Array:
    """The array with one element for each of so many."""
    return np.broadcast_to(array, (size, *array.shape[1:]))


def _some(array: Array, rows: Array, size: int) -> Array:
    """Elements of an array, one of which may stand for all."""
    return array[rows] if mask(array, size) else array


@kernel
def _pass_on(
    numbers: Ids, edges: tuple[Array, Ids, Bytes], seats: int, done: Ints, bits: Ints
) -> bool:
    """Pass the seats of all rows on along their edges; whether any was new. `done` are those that
    were passed on before."""
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
def _seats(bits: Ints, seats: int) -> tuple[Ints, Ints]:
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
def _edges(
    about: tuple[Ints, Ints, Ints, Bytes, int], child: Ids, bits: Ints, at: Ids, total: int
) -> tuple[Ids, Ids]:
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
