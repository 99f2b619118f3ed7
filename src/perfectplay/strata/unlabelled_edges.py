"""Where the positions of unlabelled ones lead (edges.py): one look at a board, which is short for
an unlabelled position (positions/unlabelled.py), serves all its labellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Ids, Int32s, Ints, Kinds, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.positions.batch import NOTHING, Batch
from perfectplay.positions.explore import ExpandedBatch
from perfectplay.positions.found_stratum import FoundStratum, narrow
from perfectplay.positions.labels import Labellings
from perfectplay.positions.turns.walk import TURN
from perfectplay.positions.unlabelled import Keep, Unlabelled, new_exits, unlabelled_positions
from perfectplay.positions.unlabelled_kernel import UnlabelledExits
from perfectplay.rules.game import OVER
from perfectplay.strata.edges import ResolvedEdges

TRIED = 4
"""Parts of a stratum in which rows are compared with what the rules say of them alone."""
NO_PAYOFF = np.zeros((1, 1), np.int64)


class Calls(NamedTuple):
    """By number of pieces and labelling: the pattern of the turn, and which piece each of its
    exits moves."""

    pattern: Int32s
    """int32[pieces, labellings]"""
    many: Kinds
    """int8[pieces, labellings]: how many nodes have exits."""
    node: Int32s
    piece: Int32s
    """int32[pieces, labellings, nodes]"""


class Targets(NamedTuple):
    """Where the exits of some boards lead."""

    group: Ints
    """int64[e]: which of the strata below."""
    base: Ints
    """int64[e]: the first row of the board there."""
    wide: Ints
    """int64[e]: labellings that the pieces of the player not on turn there have."""
    place: Ints
    """int64[strata]: the next free place of `there` for each stratum; moves on."""


class RowEdges(NamedTuple):
    """The rows of some boards and their edges."""

    there: Ids
    """uint32[e]: rows of lower strata, stratum by stratum."""
    child: Ids
    """uint32[e]: where in `there` the child of an edge is."""
    node: Array
    swap: Bytes
    pattern: Int32s
    length: Bytes
    """uint8[n]: how many edges each row has."""


def unlabelled_edges(
    rules: Any, workers: int, watch: Callable[[int, int], None], keep: Keep | None = None
) -> UnlabelledEdges | None:
    """Where rows lead in a game with unlabelled positions in which every piece can be called."""
    unlabelled = unlabelled_positions(rules, workers, watch, keep)
    return edges_of(unlabelled) if unlabelled is not None else None


def edges_of(unlabelled: Unlabelled) -> UnlabelledEdges | None:
    """The same for unlabelled positions that are found."""
    calls = calls_of(unlabelled)
    return UnlabelledEdges(unlabelled, calls) if calls is not None else None


class UnlabelledEdges:
    """Rows are positions by number: those of board 0 in all labellings, those of board 1, …"""

    def __init__(self, unlabelled: Unlabelled, calls: Calls) -> None:
        self.unlabelled, self._calls = unlabelled, calls

    def keys(self, stratum: int) -> Array:
        return self.unlabelled.keys(stratum)

    def parts(self, stratum: int, rows: int) -> Iterator[tuple[int, int]]:
        """(first board, end)."""
        here = self.unlabelled.strata[stratum]
        low = 0
        while low < len(here.keys):
            high = max(here.rows.board(int(here.rows.first(low)) + rows), low + 1)
            yield low, high
            low = high

    def forget(self, stratum: int) -> None:
        self.unlabelled.forget(stratum)

    def samples(self, stratum: int) -> Iterator[FoundStratum]:
        """Rows that stand for all: what solvers must know of a row depends on how many pieces
        there are, and on their labels, but not on where they stand."""
        for board in self.unlabelled.strata[stratum].examples:
            edges = self.resolve((board, board + 1), stratum)
            yield edges.found.as_stratum(stratum, None, edges.child)

    def resolve(self, part: tuple[int, int], stratum: int) -> ResolvedEdges:
        low, high = part
        here = self.unlabelled.strata[stratum]
        exits = self.unlabelled.exits(here.keys[low:high])
        assert exits is not None
        rows = here.rows.first(np.arange(low, high + 1))
        edges = self._resolved(exits, rows - rows[0])
        if any(low <= k * len(here.keys) // TRIED < high for k in range(TRIED)):
            for k in range(3):
                self._try(edges, part, stratum, edges.rows * (2 * k + 1) // 6)
        return edges

    def _resolved(self, exits: UnlabelledExits, row: Ints) -> ResolvedEdges:
        """The edges of all rows, from the exits of their boards; `row` is the first row of each
        board, and the end."""
        known, each = self.unlabelled.labellings, np.diff(row)
        many, rows = np.diff(exits.first), int(row[-1])
        edges, end = int((many * each).sum()), int(exits.first[-1])
        strata = exits.stratum[:end]
        named = distinct(strata)
        group = np.searchsorted(named, strata)
        sizes = np.bincount(group, np.repeat(each, many), len(named)).astype(np.int64)
        place = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
        out = RowEdges(
            np.empty(edges, np.uint32),
            np.empty(edges, np.uint32),
            np.empty(edges, np.int16),
            np.empty(edges, np.uint8),
            np.full(rows, -1, np.int32),
            np.zeros(rows, np.uint8),
        )
        targets = Targets(group, *self._places(exits, named, end), place[:-1].copy())
        payoff = np.repeat(exits.payoff, each, axis=0)
        exits = exits._replace(payoff=NO_PAYOFF)  # not compiled for every layout that it may have
        _edges(exits, targets, known.counts, *known.maps, self._calls, out)
        outside = [
            (int(stratum), out.there[place[k] : place[k + 1]])
            for k, stratum in enumerate(named.tolist())
        ]
        batch = Batch(
            kind=np.repeat(np.where(exits.kind == OVER, OVER, TURN).astype(np.int8), each),
            payoff=narrow(payoff),
            first=NOTHING,
            child=NOTHING,
            stratum=NOTHING,
            swap=out.swap,
            weight=np.ones(1, np.int8),
            reward=np.zeros((1, 1), np.int64),
            anchor=np.ones(1, np.uint8),
            pattern=out.pattern,
            node=out.node,
            rank=NOTHING,
        )
        found = ExpandedBatch(batch, edges, out.length, None, named)
        return ResolvedEdges(found, rows, outside, out.child)

    def _places(self, exits: UnlabelledExits, named: Array, end: int) -> tuple[Ints, Ints]:
        """`base` and `wide` of all exits."""
        unlabelled = self.unlabelled
        base, wide = np.empty(end, np.int64), np.empty(end, np.int64)
        for stratum in named.tolist():
            edges = np.flatnonzero(exits.stratum[:end] == stratum)
            there = unlabelled.strata[stratum]
            place = unlabelled.place(stratum, exits.child[edges])
            base[edges] = there.rows.first(place)
            wide[edges] = unlabelled.labellings.counts[there.pieces[place, 1]]
        return base, wide

    def _try(self, found: ResolvedEdges, part: tuple[int, int], stratum: int, row: int) -> None:
        """Compare one row with what the rules say of that position alone."""
        here, rules = self.unlabelled.strata[stratum], self.unlabelled.rules
        key = self._position(stratum, int(here.rows.first(part[0])) + row)
        alone = rules.expand(rules.keys([key]))
        counts = np.concatenate((np.zeros(1, np.int64), np.cumsum(found.found.count)))
        edges = slice(int(counts[row]), int(counts[row + 1]))
        batch = found.found.batch
        children = [self._child(found, number) for number in found.child[edges].tolist()]
        same = (
            [rules.position(each) for each in alone.child] == children
            and alone.pattern[0] == batch.pattern[row]
            and alone.node.tolist() == batch.node[edges].tolist()
            and np.broadcast_to(alone.swap, len(children)).tolist() == batch.swap[edges].tolist()
        )
        if not same:
            raise self.unlabelled.contradiction(rules.keys([key])[0])

    def _child(self, found: ResolvedEdges, number: int) -> Any:
        """The representative of a child."""
        for stratum, there in found.outside:
            if number < len(there):
                p = self._position(stratum, int(there[number]))
                return self.unlabelled.game.representative(p)
            number -= len(there)
        raise AssertionError("children have the first ids")

    def _position(self, stratum: int, row: int) -> Any:
        """The position of a row."""
        here, known = self.unlabelled.strata[stratum], self.unlabelled.labellings
        board = here.rows.board(row)
        a, b = here.pieces[board].tolist()
        i, k = divmod(row - int(here.rows.first(board)), int(known.counts[b]))
        p = self.unlabelled.rules.position(here.keys[board])
        return self.unlabelled.game.relabel(p, int(known.table[a, i]), int(known.table[b, k]))


def edges_of_nothing() -> ResolvedEdges:
    """The edges of no boards: compiles what finds edges."""
    from types import SimpleNamespace

    bare: Any = SimpleNamespace(labellings=Labellings(1, backwards=False))
    none = np.zeros((2, 1), np.int32)
    calls = Calls(none, none.astype(np.int8), none[:, :, None], none[:, :, None])
    return UnlabelledEdges(bare, calls)._resolved(new_exits(0, 0, 1), np.zeros(1, np.int64))


def calls_of(unlabelled: Unlabelled) -> Calls | None:
    """The patterns of all labellings, each asked of the rules at one board; None if some piece
    cannot be called."""
    known, rules, game = unlabelled.labellings, unlabelled.rules, unlabelled.game
    room = known.labels + 1, int(known.counts.max())
    calls = Calls(
        np.full(room, -1, np.int32),
        np.zeros(room, np.int8),
        np.zeros((*room, known.labels), np.int32),
        np.zeros((*room, known.labels), np.int32),
    )
    for pieces, (key, other) in _examples(unlabelled).items():
        board = rules.position(key)
        labellings = known.table[pieces, : known.counts[pieces]].tolist()
        every = [game.relabel(board, mine, int(known.table[other, 0])) for mine in labellings]
        _, _, pattern = rules.begun(rules.keys(every))
        starts, nodes, _, positions = rules.turn_patterns.exits()
        for i, number in enumerate(pattern.tolist()):
            exits = range(int(starts[number]), int(starts[number + 1]))
            called = [game.called(rules.position(positions[x])) for x in exits]
            labels = known.every[pieces][i].tolist()
            if sorted(called) != sorted(labels):
                return None
            calls.pattern[pieces, i], calls.many[pieces, i] = number, len(labels)
            calls.node[pieces, i, : len(labels)] = nodes[exits.start : exits.stop]
            calls.piece[pieces, i, : len(labels)] = [labels.index(label) for label in called]
    return calls


def _examples(unlabelled: Unlabelled) -> dict[int, tuple[Array, int]]:
    """For each number of pieces of who is on turn a board, and the other's pieces there."""
    found: dict[int, tuple[Array, int]] = {}
    for here in unlabelled.strata.values():
        for board in here.examples:
            pieces, other = here.pieces[board].tolist()
            if pieces and pieces not in found:
                found[pieces] = here.keys[board], other
    return found


@kernel
def _edges(
    exits: UnlabelledExits, targets: Targets, counts: Ints, maps: Int32s, where: Int32s,
    calls: Calls, out: RowEdges,
) -> None:  # fmt: skip
    """Fill `out` with the edges of all labellings of some boards, row by row, in the order of
    nodes. Labellings i of the mover's pieces and k of the other's become maps[…] after a move, and
    the players change places: what was i is then the second one."""
    kinds, _, first, pieces, moved, _, _, swaps, orders = exits
    group, base, wide, place = targets
    patterns, many, nodes, called = calls
    there, child, node, swap, pattern, length = out
    begin = np.empty(64, np.int64)
    row = edge = 0
    for s in range(len(kinds)):
        a, b = pieces[s, 0], pieces[s, 1]
        if kinds[s] == OVER:
            row += counts[a] * counts[b]
            continue
        # begin[piece]: the first exit of each piece; exits are sorted by piece.
        for piece in range(a + 1):
            begin[piece] = first[s + 1]
        for e in range(first[s + 1] - 1, first[s] - 1, -1):
            begin[moved[e]] = e
        for i in range(counts[a]):
            for k in range(counts[b]):
                pattern[row] = patterns[a, i]
                length[row] = first[s + 1] - first[s]
                row += 1
                for t in range(many[a, i]):
                    piece = called[a, i, t]
                    e = begin[piece]
                    while e < first[s + 1] and moved[e] == piece:
                        mine = maps[where[b, orders[e, 0]] + k]
                        other = maps[where[a, orders[e, 1]] + i]
                        to = place[group[e]]
                        place[group[e]] = to + 1
                        there[to] = base[e] + mine * wide[e] + other
                        child[edge] = to
                        node[edge] = nodes[a, i, t]
                        swap[edge] = swaps[e]
                        edge += 1
                        e += 1
