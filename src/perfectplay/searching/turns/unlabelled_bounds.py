"""Nameless: bounds and guesses for searches, from a smaller game that forgets names.

Where pieces have names that chance calls (positions/unlabelled.py of the package), positions that
differ in names alone have one shape. Let the player on turn call his pieces as he likes, before
every turn: that is worth at least as much to him as any names he really has; if the other side may
do so, at most. So the game of shapes, in which the most and the least of all namings are taken
turn by turn, bounds the values of all positions, and the average of all namings is a good guess at
them. There are far fewer shapes than positions: they are found and valued before a search begins.

Numbers are floats, moved outwards by more than they can err."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.intrinsics import load_key
from perfectplay.compiled.kernels import kernel
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.positions.codes import REWARDS, STRATA, TURNS
from perfectplay.positions.labels import MOST, Labellings
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.positions.unlabelled import BATCH, HELD, Unlabelled
from perfectplay.positions.unlabelled_kernel import UnlabelledExits
from perfectplay.rules.capabilities import labels
from perfectplay.rules.game import OVER
from perfectplay.searching.search_stack import slot_of
from perfectplay.searching.visit import unnamed_of
from perfectplay.strata.unlabelled_edges import calls_of

FEW = 2**24
"""Unlabelled that are valued before a search, at most."""
OUTWARDS = 1e-12
"""How far bounds are moved at each shape: floats err by a thousandth of that."""
FINE = 2.0**44
"""Bounds and guesses are kept as integers: so many are 1."""
KEY, LOW, HIGH, ABOUT = 0, 1, 2, 3
"""Columns of the table."""
APART = 64.0
"""How much more each piece is worth than the one before, where namings are told apart."""
EMPTY = -(2**63)
"""The guess of a slot that holds nothing."""
NONE = np.zeros((0, 4), np.int64)


class TooMany(Exception):  # noqa: N818 - a plain fact
    """There are more shapes than are worth it."""


def nameless(rules: NativeTurns, root: Any, *, pairs: bool) -> Array:
    """A table of shapes (int64[slots, 4], see `look`) for a search from `root` on, or an empty one
    if the game has no names, or too many shapes."""
    game: Any = rules.game
    needed = STRATA | TURNS
    if not 0 < labels(game) <= MOST or rules.width != 1 or rules.flags & REWARDS:
        return NONE
    if rules.flags & needed != needed or game.turn(root) != 0 or game.to_move(root) == OVER:
        return NONE
    namings = int(Labellings(labels(game), backwards=bool(game.labels_reversible)).counts.max())
    if (game.most_positions or 0) > FEW * namings**2:
        return NONE
    shapes = Unlabelled(rules)
    first = rules.keys([game.unlabel(root)[0]])
    try:
        if not shapes.find(first, _few()):
            return NONE
    except TooMany:
        return NONE
    calls = calls_of(shapes)
    if calls is None:
        return NONE
    _tried(shapes, calls)
    return _table(shapes, _Valued(shapes, calls, pairs=pairs).values())


def told(table: Array, game: Any, position: Any) -> tuple[Fraction, Fraction] | None:
    """Bounds on a position that a table knows, as it knows all that follow; else None."""
    if not len(table):
        return None
    key = np.array([[game.unlabelled_key(position)]], np.int64)
    at = look(table, slot_of(key, 0, 0, len(table)), int(key[0, 0]))
    if at < 0:
        return None
    low, high = (Fraction(int(table[at, column]), int(FINE)) for column in (LOW, HIGH))
    return low, high


def _few() -> Callable[[int, int], None]:
    """Watches how much is found."""

    def watch(_rows: int, held: int) -> None:
        if held > 2 * HELD * FEW:
            raise TooMany

    return watch


def _tried(shapes: Unlabelled, calls: Any) -> None:
    """Compare some positions of every stratum with what is said of their shapes: where each piece
    leads, and how turns go."""
    rules, names = shapes.rules, shapes.labellings
    dice = np.random.default_rng(1)
    for here in shapes.strata.values():
        s = int(dice.integers(len(here.keys)))
        exits = shapes.exits(here.keys[s : s + 1])
        a, b = (int(x) for x in here.pieces[s])
        if exits is None or exits.kind[0] == OVER:
            continue
        i, k = (int(dice.integers(names.counts[each])) for each in (a, b))
        mine, other = int(names.table[a, i]), int(names.table[b, k])
        p = shapes.game.relabel(rules.position(here.keys[s]), mine, other)
        said = rules.expand(rules.keys([p]))
        led = [
            (shapes.game.unlabel(rules.position(each))[0], int(x))
            for each, x in zip(
                said.child, np.broadcast_to(said.swap, len(said.child)), strict=True
            )
        ]
        end = int(exits.first[-1])
        known = zip(exits.child[:end], exits.swap[:end], strict=True)
        same = sorted(led) == sorted((rules.position(each), int(x)) for each, x in known)
        if not same or said.pattern[0] != calls.pattern[a, i]:
            raise shapes.contradiction(here.keys[s])


class _Valued:
    """Bounds and guesses of all shapes, from the lowest stratum up."""

    def __init__(self, shapes: Unlabelled, calls: Any, *, pairs: bool) -> None:
        self._shapes, self._pairs = shapes, pairs
        p = shapes.rules.turn_patterns.patterns()
        self._inside = p.start, p.kind, p.first, p.to, p.weight
        self._ways = _distinct(self._inside, calls, shapes.labellings)
        self._known: dict[int, Array] = {}

    def values(self) -> dict[int, Array]:
        """float64[n, 3] of each stratum: at least, at most, about."""
        for stratum in sorted(self._shapes.strata):
            keys = self._shapes.strata[stratum].keys
            out = np.empty((len(keys), 3))
            for low in range(0, len(keys), BATCH):
                exits = self._shapes.exits(keys[low : low + BATCH])
                assert exits is not None
                self._value(exits, out[low : low + BATCH])
            self._known[stratum] = out
        return self._known

    def _value(self, exits: UnlabelledExits, out: Array) -> None:
        end = int(exits.first[-1])
        child = np.empty((end, 3))
        for stratum in np.unique(exits.stratum[:end]).tolist():
            edges = np.flatnonzero(exits.stratum[:end] == stratum)
            place = self._shapes.place(stratum, exits.child[edges])
            child[edges] = self._known[stratum][place]
        paid = exits.payoff[:, 0].astype(np.float64)
        if self._pairs and exits.payoff.shape[1] > 1:
            paid -= exits.payoff[:, 1]
        heads = exits.kind, paid, exits.first, exits.pieces
        forget(heads, (exits.moved, exits.swap, child), self._inside, self._ways, out)


def _distinct(inside: Any, calls: Any, names: Labellings) -> tuple[Array, ...]:
    """The namings of so many pieces that differ in what they make of what pieces are worth, and
    how many are like each: (int64[names + 2]: where those of so many pieces begin, int64[n, 2]:
    pieces and naming, float64[n]: their share, and `calls` as arrays). They are tried on pieces of
    which each is worth far more than the one before, in all orders: that tells apart all averages
    of maxima."""
    first, found, share = [0], [], []
    arrays = calls.pattern, calls.many, calls.node, calls.piece
    for pieces, count in enumerate(names.counts.tolist()):
        if pieces and calls.pattern[pieces, 0] >= 0:
            trials = APART ** np.array(list(permutations(range(pieces))), np.float64)
            marks = np.empty((count, len(trials)))
            mark(inside, arrays, pieces, trials, marks)
            _, which, many = np.unique(
                marks.round(3), axis=0, return_index=True, return_counts=True
            )
            found += [(pieces, int(i)) for i in which]
            share += (many / count).tolist()
        first.append(len(found))
    named = np.array(found, np.int64).reshape(-1, 2)
    return np.array(first), named, np.array(share), *arrays


@kernel
def mark(inside, calls, pieces, trials, marks):  # type: ignore[no-untyped-def]
    """What turns are worth by all namings, in some trials."""
    for i in range(len(marks)):
        for k in range(len(trials)):
            marks[i, k] = _turn(inside, calls, pieces, i, trials[k])


@kernel
def _turn(inside, calls, pieces, naming, worth):  # type: ignore[no-untyped-def]
    """What a turn is worth if pieces are called so, and moving piece k is worth worth[k]."""
    start, kind, first, to, weight = inside
    patterns, many, exits, called = calls
    number = patterns[pieces, naming]
    begin = start[number]
    value = np.empty(start[number + 1] - begin)
    for j in range(len(value)):
        node = begin + j
        best, total, none = 0.0, 0, True
        for t in range(many[pieces, naming]):
            if exits[pieces, naming, t] == j:
                best, none = worth[called[pieces, naming, t]], False
        for e in range(first[node], first[node + 1]):
            if kind[node] < 0:
                best += weight[e] * value[to[e]]
                total += weight[e]
            elif none or value[to[e]] > best:
                best, none = value[to[e]], False
        value[j] = best / total if kind[node] < 0 else best
    return value[-1]


@kernel
def forget(heads, exits, inside, ways, out):  # type: ignore[no-untyped-def]
    """Bounds and guesses of shapes from those that they lead to."""
    kinds, paid, first, sides = heads
    piece, swap, child = exits
    begin, named, share, patterns, many, nodes, called = ways
    calls = patterns, many, nodes, called
    worth = np.empty((3, 8))
    for s in range(len(kinds)):
        if kinds[s] == OVER:
            out[s, 0] = out[s, 1] = out[s, 2] = paid[s]
            continue
        pieces = sides[s, 0]
        worth[:, :pieces] = -np.inf
        for e in range(first[s], first[s + 1]):
            for c in range(3):
                v = -child[e, 1 - c if c < 2 else 2] if swap[e] else child[e, c]
                worth[c, piece[e]] = max(worth[c, piece[e]], v)
        low, high, about = np.inf, -np.inf, 0.0
        for i in range(begin[pieces], begin[pieces + 1]):
            naming = named[i, 1]
            low = min(low, _turn(inside, calls, pieces, naming, worth[0]))
            high = max(high, _turn(inside, calls, pieces, naming, worth[1]))
            about += share[i] * _turn(inside, calls, pieces, naming, worth[2])
        out[s, 0], out[s, 1], out[s, 2] = low - OUTWARDS, high + OUTWARDS, about


def _table(shapes: Unlabelled, values: dict[int, Array]) -> Array:
    """What is known of shapes, by what is left of a position without its names."""
    rules = shapes.rules
    named = rules_kernel(unnamed_keys, rules.game)
    many = sum(len(each) for each in values.values())
    table = np.zeros((2 * many + 1, 4), np.int64)
    table[:, ABOUT] = EMPTY
    for stratum, known in values.items():
        keys = shapes.strata[stratum].keys
        out = np.empty((len(keys), 1), np.int64)
        rules._called(named, rules.game, rules.sample, keys, out)
        if fill(table, out, known) >= 0:
            return NONE
    return table


def unnamed_keys(rules, sample, keys, out):  # type: ignore[no-untyped-def]
    """What is left of some positions without their names."""
    for i in range(len(keys)):
        out[i, 0] = unnamed_of(rules, load_key(keys, i, sample))


@kernel
def fill(table, keys, known):  # type: ignore[no-untyped-def]
    """Put shapes into the table; one that is there already, or -1."""
    for i in range(len(keys)):
        at = slot_of(keys, i, 0, len(table))
        while table[at, ABOUT] != EMPTY:
            if table[at, KEY] == keys[i, 0]:
                return i
            at = at + 1 if at + 1 < len(table) else 0
        table[at, KEY] = keys[i, 0]
        table[at, LOW] = np.int64(np.floor(known[i, 0] * FINE))
        table[at, HIGH] = np.int64(np.ceil(known[i, 1] * FINE))
        table[at, ABOUT] = np.int64(known[i, 2] * FINE)
    return -1


@kernel
def look(table, slot, key):  # type: ignore[no-untyped-def]
    """The slot of a shape, looked for from `slot` on; -1 if it is not there."""
    while table[slot, ABOUT] != EMPTY:
        if table[slot, KEY] == key:
            return slot
        slot = slot + 1 if slot + 1 < len(table) else 0
    return -1
