"""Searches by turns: games that are solved by turns, searched from anchor to anchor.

A turn, say a roll and the moves it allows, is one step of the search: its pattern is known, its
exits lead to anchors, and the table holds anchors alone. Bounds are integers over a common
denominator, so that sums are exact and fast.

    fixed_point.py           numbers
    turn_stack.py            rows: levels, nodes, exits, anchors that were searched before
    choose_exit.py           which exit is searched next, and what is asked of it
    levels.py                from level to level
    visit.py                 what is compiled for each game
    unlabelled_bounds.py     bounds from a smaller game, if pieces have labels

It serves games with compiled rules for two players whose interests are opposed, where moves, not
chance, end turns and nothing is earned on the way, and whose values lie between bounds that the
rules state. Others are searched position by position (searching/native.py)."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.expand_plain import PlainExpander, trouble
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.rules.value import Number
from perfectplay.searching import search_stack
from perfectplay.searching.native import Worker, compiled, new_control, run_all
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import (
    EdgeBounds,
    NodeBounds,
    SearchFacts,
    UnfitSearchError,
    join_bounds,
    refusal,
    stated_bounds,
)
from perfectplay.searching.turns import turn_stack
from perfectplay.searching.turns.fixed_point import most_power, narrow, wide
from perfectplay.searching.turns.levels import (
    DEEP,
    UNKNOWN,
    UNSUITED,
    ExitPatterns,
    FixedPoint,
    Scratch,
    Shared,
)
from perfectplay.searching.turns.turn_stack import PatternGraph, Rows
from perfectplay.searching.turns.unlabelled_bounds import NO_TABLE, bounds_in, unlabelled_table
from perfectplay.searching.turns.visit import FUNCTIONS, TurnMemory

LEVELS = 256
"""Turns that a path may have."""
ROOM = 64
"""Exits, and nodes, of a turn that there is room for at first."""
HEAVIEST = 2**30
"""Weights of a chance position add up to less than this."""
STEP = 1 << 21
"""Nodes between two looks at what else is to be done."""


class TurnSearch:
    """Bounds on one anchor, narrowed by compiled code; the table has so many `slots`, or, if they
    are negative, so many bytes."""

    method = "turns"
    reach = cut = 0
    near = 3
    """Windows on either side of a guess that are asked before the value itself."""

    def __init__(
        self,
        game: Any,
        position: Any,
        facts: SearchFacts,
        slots: int,
        limit: TimeLimit | None = None,
    ) -> None:
        self.game, self.facts = game, facts
        self.rules = NativeTurns(game)
        self.kernel = compiled(game, FUNCTIONS)["run"]
        self._steps = PlainExpander(game)
        scale = self._measure(position)
        self.shared = Shared(new_table(slots, self.rules.width), NO_TABLE, scale)
        self._begin(position, limit)
        self._workers[0].step(0)

    def again(self, position: Any, limit: TimeLimit | None = None) -> bool:
        """Turn to another position, with all that is known so far; False if that cannot be."""
        if max(map(abs, self.limits(position))) > self.shared.scale.largest:
            return False
        self._begin(position, limit)
        return True

    def _begin(self, position: Any, limit: TimeLimit | None) -> None:
        self.counts = Counts()
        self.interrupted = False
        self.key = self.rules.keys([position])
        if bounds_in(self.shared.unlabelled, self.game, position) is None:
            found = unlabelled_table(self.rules, position, pairs=self.facts.pairs, limit=limit)
            self.shared = self.shared._replace(unlabelled=found)
        self.read_patterns()
        self._workers = [_Worker(self, 0)]

    def _measure(self, position: Any) -> FixedPoint:
        """The largest denominator that leaves room for the sums of this game."""
        _, _, pattern = self.rules.begun(self.rules.keys([position]))
        if pattern[0] < 0:
            raise UnfitSearchError
        low, high = self.limits(position)
        largest = max(1, math.ceil(max(abs(low), abs(high))))
        total = math.lcm(*self._totals())
        if total < 2 or largest * total * total >= HEAVIEST:
            raise UnfitSearchError
        self.unit = total ** most_power(total, largest)
        return FixedPoint(float(self.unit), wide(self.unit), largest, total)

    def _totals(self) -> set[int]:
        """What the weights of chance add up to."""
        p = self.rules.turn_patterns.patterns()
        nodes = np.flatnonzero(p.kind == CHANCE).tolist()
        return {int(p.weight[p.first[node] : p.first[node + 1]].sum()) for node in nodes}

    def limits(self, position: Any) -> tuple[Fraction, Fraction]:
        """The bounds that the rules state, in stored units."""
        facts = self.facts
        stated = stated_bounds(self.game, position, pairs=facts.pairs, total=facts.sum)
        if stated is None:
            return Fraction(-1), Fraction(1)
        if any(isinstance(bound, float) for bound in stated):
            raise UnfitSearchError  # infinite
        return Fraction(stated[0]), Fraction(stated[1])

    def read_patterns(self) -> None:
        """Take over the turn patterns that are known. Sums by their weights must have room, and
        be divisible without a rest as long as there are powers left."""
        known, total = self.rules.turn_patterns, self.shared.scale.total
        if any(each > total**2 or total**8 % each for each in self._totals()):
            raise UnfitSearchError
        p, roots = known.patterns(), np.ascontiguousarray(known.roots())
        slots = np.full(4 * len(roots) + 1, -1, np.int64)
        for number in range(len(roots)):
            at = int(search_stack.slot_of(roots, number, 0, len(slots)))
            while slots[at] >= 0:
                at = (at + 1) % len(slots)
            slots[at] = number
        graph = PatternGraph(*(a.copy() for a in (p.start, p.kind, p.first, p.to, p.weight)))
        starts, nodes, inner, positions = (a.copy() for a in known.exits())
        self.patterns = ExitPatterns(graph, starts, nodes, inner, positions, roots, slots)

    # -- Searching. -------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[Number, Number]:
        """Lower and upper bound on the root, in stored units of its own frame."""
        known = [worker.bounds for worker in self._workers]
        return max(low for low, _ in known), min(high for _, high in known)

    @property
    def guess(self) -> float | None:
        """The heuristic value of the root, in stored units."""
        return self._workers[0].guess

    @property
    def settled(self) -> bool:
        """Whether no search can narrow the bounds."""
        low, high = self.bounds
        return low == high

    def narrow(
        self, window: tuple[float, float], nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window; False if it was stopped, by
        the number of nodes or by `halt`, which is asked now and then with the nodes so far."""
        while len(self._workers) < threads:
            self._workers.append(_Worker(self, len(self._workers)))
        workers = self._workers[:threads]
        for worker in workers:
            worker.ask(window, nodes)
        self.interrupted = run_all(workers, self.counts, halt)
        return any(worker.answered for worker in workers)

    # -- What was found. --------------------------------------------------------------------------

    def node_bounds(self, position: Any = None) -> NodeBounds:
        """What is known of the root, or of another position."""
        p = self.rules.position(self.key[0]) if position is None else position
        p = self.game.representative(p)
        kind, edges = self._steps.children(p)
        known = [EdgeBounds(*self._after(r, s), i) for i, (r, _, s, _, _) in enumerate(edges)]
        low, high = self.bounds if position is None else self._within(p)
        return NodeBounds(kind if edges else OVER, low, high, known)

    def _after(self, r: Any, swap: int) -> tuple[Number, Number]:
        """Bounds on a representative, to player 0 of a position that leads there."""
        low, high = self._within(r)
        return (-high, -low) if swap else (low, high)

    def _within(self, p: Any) -> tuple[Number, Number]:
        """Bounds on a representative: from the table, or from what follows in its turn."""
        kind, edges = self._steps.children(p)
        if not edges:
            one = self.game.payoff(p)
            amount = Fraction(one[0] - one[1] if isinstance(one, tuple) else one)
            return amount, amount
        if self.game.anchor(p):
            return self._stored(p)
        return join_bounds(kind, ((weight, self._after(r, s)) for r, _, s, weight, _ in edges))

    def _stored(self, p: Any) -> tuple[Number, Number]:
        """What the rules and tables know of an anchor."""
        known = [self.limits(p)]
        unlabelled = bounds_in(self.shared.unlabelled, self.game, p)
        if unlabelled is not None:
            known.append(unlabelled)
        table, key = self.shared.anchors, self.rules.keys([p])
        at = turn_stack.find(table, turn_stack.place(table, key, 0), key, 0)
        if at >= 0:
            table[at, turn_stack.LOCK] = 0
            low, high = turn_stack.STORED_LOW, turn_stack.STORED_HIGH
            known.append((self.value_at(table[at], low), self.value_at(table[at], high)))
        return max(low for low, _ in known), min(high for _, high in known)

    def value_at(self, row: Ints, column: int) -> Fraction:
        """The number in two columns of a row."""
        return Fraction(narrow(*row[column : column + 2].tolist()), self.unit)


def new_rows(exits: int, nodes: int, width: int) -> Rows:
    """Empty levels (turn_stack.py) with room for so many exits and nodes each."""
    return Rows(
        levels=np.zeros((LEVELS, turn_stack.LEVEL_COLUMNS), np.int64),
        exits=np.zeros((LEVELS * exits, turn_stack.EXIT_COLUMNS), np.int64),
        guesses=np.zeros(LEVELS * exits, np.float64),
        nodes=np.zeros((LEVELS * nodes, turn_stack.NODE_COLUMNS), np.int64),
        estimates=np.zeros((LEVELS * nodes, turn_stack.ESTIMATE_COLUMNS), np.float64),
        anchors=np.zeros((LEVELS, width), np.int64),
        children=np.zeros((LEVELS * exits, width), np.int64),
    )


def new_scratch(exits: int, width: int) -> Scratch:
    """Room for a turn with so many exits."""
    return Scratch(
        pattern=np.zeros((1, width), np.int64),
        stated=np.zeros((exits, 4), np.int64),
        unlabelled=np.zeros((exits, 1), np.int64),
        slots=np.zeros(exits, np.int64),
        unlabelled_slots=np.zeros(exits, np.int64),
    )


def new_table(slots: int, width: int) -> Ints:
    """An empty transposition table whose rows are aligned to cache lines, if they are as long."""
    wide_, ways = turn_stack.ENTRY + width, turn_stack.WAYS
    many = slots if slots >= 0 else -slots // (8 * wide_)
    many = max(ways, many // ways * ways)
    room = np.zeros(many * wide_ + 8, np.int64)
    skip = -(room.ctypes.data // 8) % 8
    return room[skip : skip + many * wide_].reshape(many, wide_)


class _Worker(Worker):
    """A thread with levels of its own."""

    def __init__(self, search: TurnSearch, number: int) -> None:
        super().__init__(new_control(search.game, search.facts))
        self._search, self._number, self._room = search, number, ROOM
        self.guess: float | None = None
        self.bounds = search.limits(search.rules.position(search.key[0]))
        self._window: tuple[float, float] = (-math.inf, math.inf)
        self._clear()

    def _clear(self) -> None:
        """Make rows with the root alone."""
        width = self._search.rules.width
        self.rows = new_rows(self._room, self._room, width)
        self._scratch = new_scratch(self._room, width)
        self._ask_root()

    def _ask_root(self) -> None:
        """Put the root on level 0, with the question that the window is."""
        root, unit = self.rows.levels[0], self._search.unit
        root[:] = 0
        self.rows.anchors[0] = self._search.key[0]
        low, high = self.bounds
        below, above = self._window
        root[turn_stack.EXACT] = below != above
        asked = math.floor(Fraction((below + above) / 2) * unit) if below == above else 0
        for column, number in (
            (turn_stack.ASKED, asked),
            (turn_stack.LOW, math.floor(low * unit)),
            (turn_stack.HIGH, math.ceil(high * unit)),
        ):
            root[column : column + 2] = wide(number)
        self.control[search_stack.LEVEL] = 0

    def ask(self, window: tuple[float, float], nodes: int) -> None:
        """Take a new question about the root."""
        self._window, self.answered = window, False
        self.control = new_control(self._search.game, self._search.facts)
        self.control[search_stack.LIMIT], self.control[search_stack.NOISE] = nodes, self._number
        self._ask_root()

    def answer(self) -> bool:
        """Search until the question is answered, or STOP is set; whether it is answered."""
        control, limit = self.control, int(self.control[search_stack.LIMIT])
        try:
            while not control[search_stack.STOP] and control[search_stack.NODES] < limit:
                if self.step(min(limit, int(control[search_stack.NODES]) + STEP)):
                    return True
            return False
        finally:
            self._take()

    def step(self, limit: int) -> bool:
        """Run compiled code up to so many nodes; whether it has answered."""
        self.control[search_stack.LIMIT], self.control[search_stack.TROUBLE] = limit, 0
        search, rules = self._search, self._search.rules
        memory = TurnMemory(self.rows, search.patterns, search.shared, self.control, self._scratch)
        near = self.rows.anchors[int(self.control[search_stack.LEVEL]) :: -1], None
        answered = bool(rules.called(search.kernel, search.game, rules.sample, memory, near=near))
        code = int(self.control[search_stack.TROUBLE])
        if code:
            self._mend(code)
        return answered

    def _mend(self, code: int) -> None:
        """Do what compiled code asks for."""
        search, level = self._search, int(self.control[search_stack.LEVEL])
        key = self.rows.anchors[level : level + 1].copy()
        if code == UNKNOWN:
            search.rules.begun(key)
            search.read_patterns()
        elif code == search_stack.ROOM:
            self._room *= 2
            self._clear()
        elif code in {DEEP, UNSUITED, search_stack.LARGE}:
            raise UnfitSearchError
        else:
            position = search.rules.position(key[0])
            raise refusal(search.game, code) or trouble(search.game, code, position)

    def _take(self) -> None:
        """Note what is known of the root."""
        root, value_at = self.rows.levels[0], self._search.value_at
        if not root[turn_stack.EXPANDED]:
            return
        low, high = value_at(root, turn_stack.LOW), value_at(root, turn_stack.HIGH)
        side, number = int(root[turn_stack.SIDE]), int(root[turn_stack.PATTERN])
        if side < 0:
            low, high = -high, -low
        self.bounds = max(self.bounds[0], low), min(self.bounds[1], high)
        start = self._search.patterns.graph.start
        last = int(start[number + 1] - start[number]) - 1
        self.guess = side * float(self.rows.estimates[last, turn_stack.NODE_GUESS])
