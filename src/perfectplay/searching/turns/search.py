"""Searches by turns: games that are solved by turns, searched from anchor to anchor.

A turn, a roll and the moves it allows, say, is one step of the search: its pattern is known, its
exits lead to anchors, and the table holds anchors alone. Bounds are whole numbers over a common
denominator (fixed_point.py), so that sums are exact and fast. choose_exit.py tells which exit is
searched next; visit.py has what is compiled for each game.

It serves games with compiled rules for two players whose interests are opposed, where moves, not
chance, end turns and nothing is earned on the way, and whose values lie between bounds that the
rules tell. Others are searched position by position (searching/native.py)."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from perfectplay.positions.expand_plain import trouble
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.rules.capabilities import guides
from perfectplay.rules.game import CHANCE, OVER, declares
from perfectplay.rules.value import Number
from perfectplay.searching import search_stack
from perfectplay.searching.native import POLL, compiled, counted, flags_of
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import Edge, Known, Nature, NotByTurns, refusal
from perfectplay.searching.turns import transposition_table, turn_stack
from perfectplay.searching.turns.fixed_point import most_power, narrow, wide
from perfectplay.searching.turns.levels import DEEP, LEVEL, OTHER, UNKNOWN
from perfectplay.searching.turns.unlabelled_bounds import NONE, nameless, told
from perfectplay.searching.turns.visit import FUNCTIONS

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

    near = 3
    """Windows on either side of a guess that are asked before the value itself."""

    def __init__(self, game: Any, position: Any, nature: Nature, slots: int) -> None:
        self.game, self._nature = game, nature
        self._rules = NativeTurns(game)
        self._flags = flags_of(game, nature)
        self._run = compiled(game, FUNCTIONS)["run"]
        self.table = new_table(slots, self._rules.width)
        self.shapes = NONE
        self._scale = self._measure(position)
        self._begin(position)
        self._workers[0].call(0)

    def again(self, position: Any) -> bool:
        """Turn to another position, with all that is known so far; False if that cannot be."""
        if max(map(abs, self._limits(position))) > self._scale[3]:
            return False
        self._begin(position)
        return True

    def _begin(self, position: Any) -> None:
        self.counts = Counts()
        self.interrupted = False
        self._key = self._rules.keys([position])
        if told(self.shapes, self.game, position) is None:
            self.shapes = nameless(self._rules, position, pairs=self._nature.pairs)
        self._read_book()
        self._workers: list[_Worker] = [_Worker(self, ROOM, ROOM, 0)]

    def _measure(self, position: Any) -> tuple[float, int, int, int, int]:
        """The denominator, as a float and as two words, the largest value, and how much larger
        than that numbers may be that are divided afterwards."""
        _, _, pattern = self._rules.begun(self._rules.keys([position]))
        if pattern[0] < 0:
            raise NotByTurns
        low, high = self._limits(position)
        largest = max(1, math.ceil(max(abs(low), abs(high))))
        total = math.lcm(*self._totals())
        if total < 2 or largest * total * total >= HEAVIEST:
            raise NotByTurns
        unit = total ** most_power(total, largest)
        self.unit = unit
        return (float(unit), *wide(unit), largest, total)

    def _totals(self) -> set[int]:
        """What the weights of chance add up to."""
        patterns, found = self._rules.turn_patterns.patterns(), set()
        for node in np.flatnonzero(patterns.kind == CHANCE).tolist():
            edges = slice(int(patterns.first[node]), int(patterns.first[node + 1]))
            found.add(int(patterns.weight[edges].sum()))
        return found

    def _limits(self, position: Any) -> tuple[Fraction, Fraction]:
        """What the rules say of a value, in stored units."""
        guided = guides(self.game)
        said = guided.bounds(position) if guided else None
        if said is None:
            return Fraction(-1), Fraction(1)
        low, high, *parts = (int(x) for x in said)
        per = parts[0] if parts else 1
        if self._nature.pairs:
            low, high = (2 * x - (self._nature.sum or 0) * per for x in (low, high))
        return Fraction(low, per), Fraction(high, per)

    def _read_book(self) -> None:
        """Take over the patterns that are known. Sums by their weights must have room, and be
        divisible without a rest as long as there are powers left."""
        turn_patterns, total = self._rules.turn_patterns, self._scale[4]
        if any(each > total**2 or total**8 % each for each in self._totals()):
            raise NotByTurns
        p, roots = turn_patterns.patterns(), np.ascontiguousarray(turn_patterns.roots())
        slots = np.full(4 * len(roots) + 1, -1, np.int64)
        for number in range(len(roots)):
            at = int(search_stack.slot_of(roots, number, 0, len(slots)))
            while slots[at] >= 0:
                at = (at + 1) % len(slots)
            slots[at] = number
        inside = p.start, p.kind, p.first, p.to, p.weight
        self.patterns = (*(a.copy() for a in (*inside, *turn_patterns.exits())), roots, slots)

    # -- Searching. -------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[Number, Number]:
        """Lower and upper bound on the root, in stored units of its own frame."""
        known = [worker.bounds for worker in self._workers]
        return max(low for low, _ in known), min(high for _, high in known)

    @property
    def guess(self) -> float | None:
        """What the value of the root is thought to be, in stored units."""
        return self._workers[0].guess

    @property
    def settled(self) -> bool:
        """Whether no search brings the bounds nearer to each other."""
        low, high = self.bounds
        return low == high

    def narrow(
        self, window: tuple[float, float], nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window; False if it was stopped, by
        the number of nodes or by `halt`, which is asked now and then with the nodes so far."""
        while len(self._workers) < threads:
            self._workers.append(_Worker(self, ROOM, ROOM, len(self._workers)))
        before = self.counts.nodes
        workers = self._workers[:threads]
        for worker in workers:
            worker.ask(window, nodes)
        pool = [threading.Thread(target=w.work, daemon=True) for w in workers]
        for thread in pool:
            thread.start()
        try:
            while all(thread.is_alive() for thread in pool):
                pool[0].join(POLL)
                if halt(before + sum(int(w.control[search_stack.NODES]) for w in workers)):
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            for worker in workers:
                worker.control[search_stack.STOP] = 1
            for thread in pool:
                thread.join()
        for worker in workers:
            self.counts.add(counted(worker.control))
            if worker.error:
                raise worker.error
        return any(worker.answered for worker in workers)

    # -- What was found. --------------------------------------------------------------------------

    def known(self, position: Any = None) -> Known:
        """What is known of the root, or of another position."""
        p = self._rules.position(self._key[0]) if position is None else position
        p = self.game.representative(p)
        kind, edges = self.game.to_move(p), []
        if kind == CHANCE:
            children = [q for _, q in self.game.chances(p)]
        elif kind == OVER:
            children = []
        else:
            children = [self.game.play(p, m) for m in self.game.moves(p)]
        for number, q in enumerate(children):
            edges.append(Edge(*self._seen(q), number))
        low, high = self.bounds if position is None else self._within(p)
        return Known(kind if children else OVER, low, high, edges)

    def _seen(self, q: Any) -> tuple[Number, Number]:
        """Bounds on a position, to player 0 of the frame that it is given in."""
        r = self.game.representative(q)
        low, high = self._within(r)
        swap = declares(self.game, "turn") and self.game.turn(q) != self.game.turn(r)
        return (-high, -low) if swap else (low, high)

    def _within(self, p: Any) -> tuple[Number, Number]:
        """Bounds on a representative: from the table, or from what follows in its turn."""
        game, kind = self.game, self.game.to_move(p)
        children: list[tuple[int, Any]] = []
        if kind == CHANCE:
            children = [(int(w), q) for w, q in game.chances(p)]
        elif kind != OVER:
            children = [(1, game.play(p, m)) for m in game.moves(p)]
        if not children:
            one = game.payoff(p)
            amount = one[0] - one[1] if isinstance(one, tuple) else one
            return Fraction(amount), Fraction(amount)
        if game.anchor(p):
            return self._stored(p)
        seen = [self._seen(q) for _, q in children]
        lows, highs = [low for low, _ in seen], [high for _, high in seen]
        if kind == CHANCE:
            total = sum(w for w, _ in children)
            averages = [
                sum((w * x for (w, _), x in zip(children, side, strict=True)), Fraction(0)) / total
                for side in (lows, highs)
            ]
            return averages[0], averages[1]
        best = max if kind == 0 else min
        return best(lows), best(highs)

    def _stored(self, p: Any) -> tuple[Number, Number]:
        """What the table, or else the rules, know of an anchor."""
        low, high = self._limits(p)
        shape = told(self.shapes, self.game, p)
        if shape is not None:
            low, high = max(low, shape[0]), min(high, shape[1])
        key = self._rules.keys([p])
        if len(self.table):
            slot = transposition_table.place(self.table, key, 0)
            at = transposition_table.find(self.table, slot, key, 0)
            if at >= 0:
                self.table[at, transposition_table.LOCK] = 0
                entry = self.table[at].tolist()
                pairs = (
                    entry[i : i + 2] for i in (transposition_table.LOW, transposition_table.HIGH)
                )
                below, above = (Fraction(narrow(*pair), self.unit) for pair in pairs)
                low, high = max(low, below), min(high, above)
        return low, high


def new_rows(kids: int, nodes: int, width: int) -> tuple[Any, ...]:
    """Empty levels (turn_stack.py) with room for so many exits and nodes each."""
    return (
        np.zeros((LEVELS, turn_stack.HEAD), np.int64),
        np.zeros((LEVELS * kids, turn_stack.KID), np.int64),
        np.zeros(LEVELS * kids, np.float64),
        np.zeros((LEVELS * nodes, turn_stack.NODES), np.int64),
        np.zeros((LEVELS * nodes, turn_stack.FLOATS), np.float64),
        np.zeros((LEVELS, width), np.int64),
        np.zeros((LEVELS * kids, width), np.int64),
    )


def new_words(kids: int, width: int) -> tuple[Any, ...]:
    """Room for a pattern and, for each exit of a turn, for what rules tell of it, its shape, and
    its slots in the tables of anchors and of shapes."""
    return (
        np.zeros((1, width), np.int64),
        np.zeros((kids, 4), np.int64),
        np.zeros((kids, 1), np.int64),
        np.zeros(kids, np.int64),
        np.zeros(kids, np.int64),
    )


def new_table(slots: int, width: int) -> Any:
    """An empty table whose rows begin where lines of memory do, if they are as long."""
    wide_ = transposition_table.ENTRY + width
    many = slots if slots >= 0 else -slots // (8 * wide_)
    many = max(
        transposition_table.WAYS, many // transposition_table.WAYS * transposition_table.WAYS
    )
    room = np.zeros(many * wide_ + 8, np.int64)
    skip = -(room.ctypes.data // 8) % 8
    return room[skip : skip + many * wide_].reshape(many, wide_)


class _Worker:
    """One thread of a search, with levels and counts of its own."""

    def __init__(self, search: TurnSearch, kids: int, nodes: int, number: int) -> None:
        self._search = search
        self._number = number
        self._rooms = kids, nodes
        self.error: BaseException | None = None
        self.answered = False
        self.guess: float | None = None
        self.control = np.zeros(search_stack.CONTROL, np.int64)
        self._low, self._high = search._limits(search._rules.position(search._key[0]))
        self._window: tuple[float, float] = (-math.inf, math.inf)
        self._clear()

    def _clear(self) -> None:
        """Make rows with the root alone."""
        width, (kids, nodes) = self._search._rules.width, self._rooms
        self.rows, self._words = new_rows(kids, nodes, width), new_words(kids, width)
        self._at_root()

    def _at_root(self) -> None:
        head, unit = self.rows[0][0], self._search.unit
        head[:] = 0
        self.rows[5][0] = self._search._key[0]
        low, high = wide(math.floor(self._low * unit)), wide(math.ceil(self._high * unit))
        head[turn_stack.LOW : turn_stack.LOW + 2] = low
        head[turn_stack.HIGH : turn_stack.HIGH + 2] = high
        below, above = self._window
        asked = math.floor(Fraction((below + above) / 2) * unit) if below == above else 0
        head[turn_stack.EXACT] = below != above
        head[turn_stack.ASKED : turn_stack.ASKED + 2] = wide(asked)
        self.control[LEVEL] = 0

    def ask(self, window: tuple[float, float], nodes: int) -> None:
        """Be told a new question about the root."""
        self._window = window
        self.control[:] = 0
        self.control[search_stack.LIMIT], self.control[search_stack.NOISE] = nodes, self._number
        self._at_root()

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Bounds on the root, in stored units."""
        return self._low, self._high

    def work(self) -> None:
        """Search until what was asked is answered, or STOP is set."""
        try:
            self.answered = self._answer()
        except BaseException as error:
            self.error = error
        self._take()

    def _answer(self) -> bool:
        limit = int(self.control[search_stack.LIMIT])
        while not self.control[search_stack.STOP] and self.control[search_stack.NODES] < limit:
            if self.call(min(limit, int(self.control[search_stack.NODES]) + STEP)):
                return True
        return False

    def call(self, limit: int) -> bool:
        """Run compiled code up to so many nodes; whether it has answered."""
        search, control = self._search, self.control
        nature = search._nature
        control[search_stack.LIMIT], control[search_stack.TROUBLE] = limit, 0
        control[search_stack.SUM], control[search_stack.SUM_KNOWN] = (
            nature.sum or 0,
            nature.sum is not None,
        )
        control[search_stack.GUESSES] = declares(search.game, "guess")
        known = search.table, search.shapes, search.patterns
        rest = control, search._flags, search._scale, self._words
        given = search.game, search._rules.sample, self.rows, *known, *rest
        done = bool(search._rules._called(search._run, *given))
        code = int(control[search_stack.TROUBLE])
        if code:
            self._mend(code)
        return done

    def _mend(self, code: int) -> None:
        """Do what compiled code asks for."""
        search = self._search
        level = int(self.control[LEVEL])
        key = self.rows[5][level : level + 1].copy()
        if code == UNKNOWN:
            search._rules.begun(key)
            search._read_book()
        elif code == search_stack.ROOM:
            self._rooms = 2 * self._rooms[0], 2 * self._rooms[1]
            self._clear()
        elif code in {DEEP, OTHER, search_stack.LARGE}:
            raise NotByTurns
        else:
            position = search._rules.position(key[0])
            raise refusal(search.game, code) or trouble(search.game, code, position)

    def _take(self) -> None:
        """Note what is known of the root."""
        head, unit = self.rows[0][0].tolist(), self._search.unit
        if not head[turn_stack.LAID]:
            return
        low = Fraction(narrow(*head[turn_stack.LOW : turn_stack.LOW + 2]), unit)
        high = Fraction(narrow(*head[turn_stack.HIGH : turn_stack.HIGH + 2]), unit)
        if head[turn_stack.SIDE] < 0:
            low, high = -high, -low
        self._low, self._high = max(self._low, low), min(self._high, high)
        pattern = self._search.patterns[0]
        last = int(pattern[head[turn_stack.PATTERN] + 1] - pattern[head[turn_stack.PATTERN]]) - 1
        self.guess = head[turn_stack.SIDE] * float(self.rows[4][last, turn_stack.ABOUT])
