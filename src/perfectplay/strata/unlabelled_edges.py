"""Where the positions of shapes lead (edges.py): one look at a shape serves all its namings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.batch import NOTHING, Batch
from perfectplay.positions.explore import ExpandedBatch
from perfectplay.positions.found_stratum import FoundStratum, narrow
from perfectplay.positions.labels import Labellings
from perfectplay.positions.turns.walk import TURN
from perfectplay.positions.unlabelled import (
    Exits,
    Keep,
    Unlabelled,
    new_exits,
    unlabelled_positions,
)
from perfectplay.rules.game import OVER
from perfectplay.strata.edges import ResolvedEdges

TRIED = 4
"""Parts of a stratum in which rows are compared with what the rules say of them alone."""


@dataclass
class Calls:
    """By number of pieces and naming: the pattern of the turn, and which piece each of its exits
    moves."""

    pattern: Array
    """int32[pieces, namings]"""
    many: Array
    """int8[pieces, namings]: how many nodes have exits."""
    node: Array
    piece: Array
    """int32[pieces, namings, nodes]"""


def unlabelled_edges(
    rules: Any, workers: int, watch: Callable[[int, int], None], keep: Keep | None = None
) -> UnlabelledEdges | None:
    """Where rows lead in a game that has shapes, and in which every piece of every naming may be
    called."""
    shapes = unlabelled_positions(rules, workers, watch, keep)
    return shaped_of(shapes) if shapes is not None else None


def shaped_of(shapes: Unlabelled) -> UnlabelledEdges | None:
    """The same for shapes that are found."""
    calls = calls_of(shapes)
    return UnlabelledEdges(shapes, calls) if calls is not None else None


class UnlabelledEdges:
    """Rows are positions of shapes, by their numbers."""

    def __init__(self, shapes: Unlabelled, calls: Calls) -> None:
        self.shapes, self._calls = shapes, calls

    def keys(self, stratum: int) -> Array:
        return self.shapes.keys(stratum)

    def parts(self, stratum: int, rows: int) -> Iterator[tuple[int, int]]:
        """(first shape, end)."""
        here = self.shapes.strata[stratum]
        low = 0
        while low < len(here.keys):
            high = max(here.rows.shape(int(here.rows.first(low)) + rows), low + 1)
            yield low, high
            low = high

    def forget(self, stratum: int) -> None:
        self.shapes.forget(stratum)

    def samples(self, stratum: int) -> Iterator[FoundStratum]:
        """Rows that stand for all: what solvers must know of a row depends on how many pieces
        there are, and on their names, but not on where they stand."""
        for shape in self.shapes.strata[stratum].examples:
            led = self.led((shape, shape + 1), stratum)
            yield led.found.layer(stratum, None, led.child)

    def led(self, part: tuple[int, int], stratum: int) -> ResolvedEdges:
        low, high = part
        here = self.shapes.strata[stratum]
        exits = self.shapes.exits(here.keys[low:high])
        assert exits is not None
        rows = here.rows.first(np.arange(low, high + 1))
        led = self._led(exits, rows - rows[0])
        shapes = len(here.keys)
        if any(low <= k * shapes // TRIED < high for k in range(TRIED)):
            for k in range(3):
                self._try(led, part, stratum, led.rows * (2 * k + 1) // 6)
        return led

    def _led(self, exits: Exits, row: Array) -> ResolvedEdges:
        """Rows of shapes and where they lead, from where the shapes lead."""
        names, calls = self.shapes.names, self._calls
        rows, many = int(row[-1]), np.diff(exits.first)
        lengths = many * np.diff(row)
        edges, end = int(lengths.sum()), int(exits.first[-1])
        strata = exits.stratum[:end]
        named = distinct(strata)
        hand = np.searchsorted(named, strata)
        base, wide = self._places(exits, named, end)
        sizes = np.bincount(hand, np.repeat(np.diff(row), many), len(named)).astype(np.int64)
        place = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
        there, child = np.empty(edges, np.uint32), np.empty(edges, np.uint32)
        node, swap = np.empty(edges, np.int16), np.empty(edges, np.uint8)
        pattern, count = np.full(rows, -1, np.int32), np.zeros(rows, np.uint8)
        _edges(
            exits.kind, exits.first, exits.sides, exits.piece, exits.orders, exits.swap,
            (hand, base, wide, place[:-1].copy()), (names.counts, *names.maps),
            (calls.pattern, calls.many, calls.node, calls.piece),
            (there, child, node, swap, pattern, count),
        )  # fmt: skip
        outside = [
            (int(each), there[place[k] : place[k + 1]]) for k, each in enumerate(named.tolist())
        ]
        repeats = np.diff(row)
        batch = Batch(
            kind=np.repeat(np.where(exits.kind == OVER, OVER, TURN).astype(np.int8), repeats),
            payoff=narrow(np.repeat(exits.payoff, repeats, axis=0)),
            first=NOTHING,
            child=NOTHING,
            stratum=NOTHING,
            swap=swap,
            weight=np.ones(1, np.int8),
            reward=np.zeros((1, 1), np.int64),
            anchor=np.ones(1, np.uint8),
            pattern=pattern,
            node=node,
            rank=NOTHING,
        )
        return ResolvedEdges(ExpandedBatch(batch, edges, count, None, named), rows, outside, child)

    def _places(self, exits: Exits, named: Array, end: int) -> tuple[Array, Array]:
        """For each exit the first row of the shape it leads to, and how many namings the pieces
        of the player who is not on turn there have."""
        shapes = self.shapes
        base, wide = np.empty(end, np.int64), np.empty(end, np.int64)
        for stratum in named.tolist():
            edges = np.flatnonzero(exits.stratum[:end] == stratum)
            there = shapes.strata[stratum]
            place = shapes.place(stratum, exits.child[edges])
            base[edges] = there.rows.first(place)
            wide[edges] = shapes.names.counts[there.sides[place, 1]]
        return base, wide

    def _try(self, led: ResolvedEdges, part: tuple[int, int], stratum: int, row: int) -> None:
        """Compare one row with what the rules say of that position alone."""
        here, rules = self.shapes.strata[stratum], self.shapes.rules
        key = self._position(stratum, int(here.rows.first(part[0])) + row)
        said = rules.expand(rules.keys([key]))
        counts = np.concatenate((np.zeros(1, np.int64), np.cumsum(led.found.count)))
        edges = slice(int(counts[row]), int(counts[row + 1]))
        batch = led.found.batch
        children = [self._child(led, number) for number in led.child[edges].tolist()]
        same = (
            [rules.position(each) for each in said.child] == children
            and said.pattern[0] == batch.pattern[row]
            and said.node.tolist() == batch.node[edges].tolist()
            and np.broadcast_to(said.swap, len(children)).tolist() == batch.swap[edges].tolist()
        )
        if not same:
            raise self.shapes.contradiction(rules.keys([key])[0])

    def _child(self, led: ResolvedEdges, number: int) -> Any:
        """The representative of a child."""
        for stratum, there in led.outside:
            if number < len(there):
                p = self._position(stratum, int(there[number]))
                return self.shapes.game.representative(p)
            number -= len(there)
        raise AssertionError("children have the first ids")

    def _position(self, stratum: int, row: int) -> Any:
        """The position of a row."""
        here, names = self.shapes.strata[stratum], self.shapes.names
        shape = here.rows.shape(row)
        a, b = here.sides[shape].tolist()
        i, k = divmod(row - int(here.rows.first(shape)), int(names.counts[b]))
        given = int(names.table[a, i]), int(names.table[b, k])
        return self.shapes.game.relabel(self.shapes.rules.position(here.keys[shape]), *given)


def led_of_nothing() -> ResolvedEdges:
    """Where no shapes lead: compiles what tells it."""
    from types import SimpleNamespace

    bare: Any = SimpleNamespace(names=Labellings(1, backwards=False))
    none = np.zeros((2, 1), np.int32)
    calls = Calls(none, none.astype(np.int8), none[:, :, None], none[:, :, None])
    return UnlabelledEdges(bare, calls)._led(new_exits(0, 0, 1), np.zeros(1, np.int64))


def calls_of(shapes: Unlabelled) -> Calls | None:
    """The patterns of all namings, each asked of the rules at one shape; None if some piece cannot
    be called."""
    names, rules, game = shapes.names, shapes.rules, shapes.game
    room = names.names + 1, int(names.counts.max())
    calls = Calls(
        np.full(room, -1, np.int32),
        np.zeros(room, np.int8),
        np.zeros((*room, names.names), np.int32),
        np.zeros((*room, names.names), np.int32),
    )
    for pieces, (key, other) in _examples(shapes).items():
        shape = rules.position(key)
        given = names.table[pieces, : names.counts[pieces]].tolist()
        every = [game.relabel(shape, mine, int(names.table[other, 0])) for mine in given]
        _, pattern = rules.begun(rules.keys(every))
        starts, nodes, _, positions = rules.turn_patterns.exits()
        for i, number in enumerate(pattern.tolist()):
            exits = range(int(starts[number]), int(starts[number + 1]))
            called = [game.called(rules.position(positions[x])) for x in exits]
            who = names.calls[pieces][i].tolist()
            if sorted(called) != sorted(who):
                return None
            calls.pattern[pieces, i], calls.many[pieces, i] = number, len(who)
            calls.node[pieces, i, : len(who)] = nodes[exits.start : exits.stop]
            calls.piece[pieces, i, : len(who)] = [who.index(name) for name in called]
    return calls


def _examples(shapes: Unlabelled) -> dict[int, tuple[Array, int]]:
    """For each number of pieces of who is on turn a shape, and the other's pieces there."""
    found: dict[int, tuple[Array, int]] = {}
    for here in shapes.strata.values():
        for shape in here.examples:
            pieces, other = here.sides[shape].tolist()
            if pieces and pieces not in found:
                found[pieces] = here.keys[shape], other
    return found


@kernel
def _edges(kinds, first, sides, pieces, orders, swaps, exits, maps, calls, out):  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    """The exits of all positions of some shapes, position by position, in the order of nodes."""
    hand, base, wide, place = exits
    counts, map_, where = maps
    patterns, many, nodes, called = calls
    there, child, node, swap, pattern, count = out
    begin = np.empty(64, np.int64)
    row = edge = 0
    for s in range(len(kinds)):
        a, b = sides[s, 0], sides[s, 1]
        if kinds[s] == OVER:
            row += counts[a] * counts[b]
            continue
        for piece in range(a + 1):
            begin[piece] = first[s + 1]
        for e in range(first[s + 1] - 1, first[s] - 1, -1):
            begin[pieces[e]] = e
        for i in range(counts[a]):
            for k in range(counts[b]):
                pattern[row] = patterns[a, i]
                count[row] = first[s + 1] - first[s]
                row += 1
                for t in range(many[a, i]):
                    piece = called[a, i, t]
                    e = begin[piece]
                    while e < first[s + 1] and pieces[e] == piece:
                        mine = map_[where[b, orders[e, 0]] + k]
                        other = map_[where[a, orders[e, 1]] + i]
                        to = place[hand[e]]
                        place[hand[e]] = to + 1
                        there[to] = base[e] + mine * wide[e] + other
                        child[edge] = to
                        node[edge] = nodes[a, i, t]
                        swap[edge] = swaps[e]
                        edge += 1
                        e += 1
