"""Interpreted searches: the same search as the compiled one, on any positions and any fractions.

Numbers are integers, fractions or infinite floats, so nothing is ever rounded. visit.py and
choose_child.py explain each step; this is the same in plain Python.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from perfectplay.positions.expand_plain import PlainExpander, whole_number
from perfectplay.positions.explained import failing
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.search_capabilities import guides
from perfectplay.rules.value import Number
from perfectplay.searching import search_stack
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import (
    EdgeBounds,
    NodeBounds,
    SearchFacts,
    join_bounds,
    over,
    refusal,
    stated_bounds,
)
from perfectplay.searching.windows import NEAREST

LONGEST = 1500
"""Plies of a path."""
Window = tuple[Number, Number]


class Stopped(BaseException):
    """Time or nodes are used up."""


@dataclass(eq=False)
class Node:
    """A position with bounds on its value, to player 0 of its own frame."""

    position: Any
    low: Number = -math.inf
    high: Number = math.inf
    reward: int = 0
    swap: int = 0
    weight: int = 1
    order: int = 0
    kind: int = OVER
    children: list[Node] = field(default_factory=list)
    visits: int = 0
    probes: int = 0

    @property
    def settled(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    def worth(self, side: int) -> Window:
        """Bounds on what going here is worth to player 0 of the parent, or to player 1."""
        low, high = (
            (self.low, self.high) if (side > 0) == (not self.swap) else (-self.high, -self.low)
        )
        return low + side * self.reward, high + side * self.reward

    def window(self, side: int, low: Number, high: Number) -> Window:
        """A window on this worth as one on the value."""
        low, high = low - side * self.reward, high - side * self.reward
        return (low, high) if (side > 0) == (not self.swap) else (-high, -low)

    def narrow(self, low: Number, high: Number) -> None:
        """Narrow the bounds."""
        self.low, self.high = max(self.low, low), min(self.high, high)


class PlainSearch:
    """Bounds on one position, narrowed by interpreted rules."""

    method = "positions"
    near = NEAREST
    guess: float | None = None
    """Interpreted searches do not guess."""

    def __init__(
        self,
        game: Game,
        position: Any,
        facts: SearchFacts,
        slots: int,
        endgames: Callable[[Any], Any] | None,
    ) -> None:
        self.game = game
        self.counts = Counts()
        self.interrupted = False
        self.reach, self.cut = LONGEST, 0
        self._facts = facts
        self._sum = facts.sum
        self._slots = slots
        self._endgames = endgames
        self._table: dict[Any, Window] = {}
        self._rules = PlainExpander(game)
        self._guides = guides(game)
        self._path: set[Any] = set()
        self._limit = 0
        self._halt: Callable[[int], bool] = lambda nodes: False
        with failing(game, [position]):
            self._root = self._node(position)
            self._generate(self._root)
            self._narrow_by_children(self._root)

    @property
    def bounds(self) -> Window:
        """Lower and upper bound on the root."""
        return self._root.low, self._root.high

    @property
    def settled(self) -> bool:
        """Whether no search can narrow the bounds."""
        return self._root.settled or not self._root.children

    def node_bounds(self, position: Any = None) -> NodeBounds:
        """What is known of the root, or of another position."""
        root = self._root
        if position is not None:
            root = self._node(self.game.representative(position))
            self._generate(root)
            for child in root.children:
                if not child.settled:  # play may have ended there
                    self._generate(child)
                    self._narrow_by_children(child)
            self._narrow_by_children(root)
        edges = [EdgeBounds(*c.worth(1), i) for i, c in enumerate(root.children)]
        below = self._endgames is not None and self._endgames(root.position) is not None
        return NodeBounds(root.kind, root.low, root.high, edges, below)

    def narrow(
        self, window: Window, nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window; False if it was stopped."""
        self._limit, self._halt = self.counts.nodes + nodes, halt
        for child in self._root.children:
            child.visits = child.probes = 0
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, 4 * LONGEST + 1000))
        self._path.clear()
        try:
            with failing(self.game, [self._root.position]):
                self._visit(self._root, *window)
        except Stopped:
            return False
        except KeyboardInterrupt:
            self.interrupted = True
            return False
        finally:
            sys.setrecursionlimit(before)
            self._narrow_by_children(self._root)
        return True

    # -- One position. ----------------------------------------------------------------------------

    def _node(self, r: Any, swap: int = 0, weight: int = 1, reward: int = 0) -> Node:
        """A node for a representative, with all bounds that are known without a search."""
        node = Node(r, swap=swap, weight=weight, reward=reward)
        if self._facts.bounded:
            node.narrow(-1, 1)
        stated = stated_bounds(self.game, r, pairs=self._facts.pairs, total=self._sum)
        if stated is not None:
            node.narrow(*stated)
        self.counts.table_looks += 1
        known = self._table.get(r)
        if known is not None:
            self.counts.table_hits += 1
            node.narrow(*known)
        below = self._endgames(r) if self._endgames else None
        if below is not None:
            self.counts.endgame_hits += 1
            node.narrow(*below)
        return node

    def _generate(self, node: Node) -> None:
        """Give a node its children, or the payoff if play has ended."""
        p = node.position
        kind, edges = self._rules.children(p)
        node.children = [
            self._node(r, swap, weight, self._earned(kind, reward))
            for r, _, swap, weight, reward in edges
        ]
        if self._guides and kind >= 0:
            for child, move in zip(node.children, self.game.moves(p), strict=True):
                child.order = int(self._guides.hint(p, move))
        node.kind = kind if edges else OVER
        if node.kind == OVER:
            node.low = node.high = self._paid(self.game.payoff(p))

    def _earned(self, kind: int, reward: Any) -> int:
        pair = isinstance(reward, tuple)
        if pair and len(reward) > 1 and sum(reward):
            raise refusal(self.game, search_stack.UNEQUAL) or ValueError
        one = whole_number(reward[0] if pair else reward, self.game)
        earned = -one if kind == 1 and not pair else one
        return 2 * earned if self._facts.pairs else -earned if self.game.minimise else earned

    def _paid(self, payoff: Any) -> int:
        if isinstance(payoff, tuple) and len(payoff) > 1:
            self._sum = int(sum(payoff)) if self._sum is None else self._sum
            if sum(payoff) != self._sum:
                raise refusal(self.game, search_stack.UNEQUAL) or ValueError
            payoff = payoff[0] - payoff[1]
        elif self._facts.pairs:
            raise refusal(self.game, search_stack.SHAPE) or ValueError
        one = whole_number(payoff[0] if isinstance(payoff, tuple) else payoff, self.game)
        return -one if self.game.minimise else one

    # -- The search. ------------------------------------------------------------------------------

    def _visit(self, node: Node, a: Number, b: Number, *, probe: bool = False) -> None:
        counts = self.counts
        counts.nodes += 1
        if counts.nodes >= self._limit or self._halt(counts.nodes):
            raise Stopped
        if len(self._path) >= self.reach:
            self.cut += 1
            return
        if node.position in self._path:
            counts.circles += 1
            return
        if node is not self._root:
            node.narrow(*self._table.get(node.position, (-math.inf, math.inf)))
            if node.settled:
                return
            self._generate(node)
        if node.kind == OVER:
            return
        self._path.add(node.position)
        try:
            choices = (
                self._events(node, a, b)
                if node.kind == CHANCE
                else self._moves(node, a, b, probe=probe)
            )
            for child, window, try_one in choices:
                self._visit(child, *window, probe=try_one)
        finally:
            self._path.discard(node.position)
            self._narrow_by_children(node)
            if node is not self._root:
                node.children = []
                self._store(node)

    def _store(self, node: Node) -> None:
        if self._slots <= 0:
            return
        old = self._table.pop(node.position, (-math.inf, math.inf))
        node.narrow(*old)
        if len(self._table) >= self._slots:
            self._table.pop(next(iter(self._table)))
        self._table[node.position] = node.low, node.high

    def _narrow_by_children(self, node: Node) -> None:
        """Narrow the bounds of a node by those of its children."""
        if node.children:
            known = ((child.weight, child.worth(1)) for child in node.children)
            node.narrow(*join_bounds(node.kind, known))

    def _moves(
        self, node: Node, a: Number, b: Number, *, probe: bool
    ) -> Iterator[tuple[Node, Window, bool]]:
        """The children to search where a player moves, with their windows."""
        side = 1 if node.kind == 0 else -1
        if side < 0:
            a, b = -b, -a
        while True:
            self._narrow_by_children(node)
            low, high = (node.low, node.high) if side > 0 else (-node.high, -node.low)
            open_ = [c for c in node.children if not c.settled and c.worth(side)[1] > low]
            new = [c for c in open_ if c.visits == 0 and c.worth(side)[1] > a]
            if low >= b or node.settled:
                name = "beta_cuts" if side > 0 else "alpha_cuts"
                unseen = any(c.visits == 0 and not c.settled for c in node.children)
                setattr(self.counts, name, getattr(self.counts, name) + unseen)
                return
            if high <= a or (probe and any(c.visits for c in node.children)):
                return
            old = [c for c in open_ if c.visits == 1]
            if not new and not old:
                return
            child = max(new or old, key=lambda c: (c.order, c.worth(side)[1]))
            child.visits += 1
            window = child.window(side, max(a, low), b) if new else (-math.inf, math.inf)
            yield child, window, False

    def _events(self, node: Node, a: Number, b: Number) -> Iterator[tuple[Node, Window, bool]]:
        """The children to search where chance acts, with their windows: Star1 and Star2."""
        total = sum(child.weight for child in node.children)
        while True:
            self._narrow_by_children(node)
            left = [c for c in node.children if not c.settled]
            new = [c for c in left if c.visits == 0]
            probes = [c for c in new if c.probes == 0 and self.game.to_move(c.position) >= 0]
            if node.low >= b or node.high <= a:
                if new and probes:
                    self.counts.star2_cuts += 1
                elif new:
                    self.counts.star1_cuts += 1
                return
            again = [c for c in left if c.visits == 1]
            if probes:
                self.counts.probes += 1
                probes[0].probes += 1
                yield probes[0], self._share(node, probes[0], total, a, b), True
            elif new:
                child = max(new, key=lambda c: (c.high - c.low) * c.weight)
                child.visits += 1
                yield child, self._share(node, child, total, a, b), False
            elif again:
                again[0].visits += 1
                yield again[0], (-math.inf, math.inf), False
            else:
                return

    @staticmethod
    def _share(node: Node, child: Node, total: int, a: Number, b: Number) -> Window:
        """The window of one event that would decide about the average."""
        others = [(c.worth(1), c.weight) for c in node.children if c is not child]
        most = sum(worth[1] * weight for worth, weight in others)
        least = sum(worth[0] * weight for worth, weight in others)
        first = -math.inf if math.inf in (most, -a) else over(a * total - most, child.weight)
        last = math.inf if math.inf in (-least, b) else over(b * total - least, child.weight)
        return child.window(1, first, last)
