"""Alpha-beta position by position, as `search` sees it: arrays, questions, threads."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from perfectplay.compiled.rule_fields import fixed
from perfectplay.compiled.rule_kernels import UNCHECKED
from perfectplay.errors import NoSolverError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.rules.game import OVER, Game
from perfectplay.rules.search_capabilities import enough_moves
from perfectplay.rules.value import Number
from perfectplay.searching.alphabeta import walk as walking
from perfectplay.searching.alphabeta.distances import MOST
from perfectplay.searching.alphabeta.layout import Layout, packed_layout, wide_layout
from perfectplay.searching.alphabeta.walk import (
    BEST,
    COLUMNS,
    CONTROLS,
    DISTANCE,
    EARLY,
    HEAD,
    NUMBER_BITS,
    PAIRS,
    TOKENS,
    WalkArrays,
)
from perfectplay.searching.native import Worker, compiled, run_all
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import (
    EdgeBounds,
    NodeBounds,
    SearchFacts,
    UnfitSearchError,
    stated_bounds,
)
from perfectplay.searching.search_stack import LIMIT, NODES, NOISE, STOP, SUM, TROUBLE

PLIES = 4000
"""Plies of a path."""
SMALL, LARGE = MOST, 2**21 - 1
"""Values up to the first fit in packed entries, mostly; up to the second, in all."""
EARLY_PLIES = 20
"""Down to this ply, children are looked up before the first is searched."""
LINE_NODES = 20_000
"""Nodes for finding out about one position of the line."""
FUNCTIONS = (
    walking.stated, walking.terminal, walking.generate, walking.recall, walking.store,
    walking.untried, walking.climb, walking.walk,
)  # fmt: skip


class AlphaBetaSearch:
    """Bounds on one position, narrowed by compiled code."""

    method = "alpha-beta"
    near = reach = cut = 0
    guess = None
    functions: tuple[Callable[..., Any], ...] = FUNCTIONS

    def __init__(
        self, game: Game, position: Any, facts: SearchFacts, slots: int, *, distance: bool = False
    ) -> None:
        self.game, self._rules, self._facts = game, fixed(game), facts
        self._distance = distance
        self._expander = NativeExpander(game)
        self._kernel = compiled(self._rules, self.functions, UNCHECKED)[
            self.functions[-1].__name__
        ]
        self._slots, self._room, self._wide = slots, 1 << 12, False
        self._most, self._layout = 0, Layout(0, 0, 0, 0)
        self._table: Any = None
        self.again(position)
        self._asking(position, 0, 1, 0).run()  # compiles

    def again(self, position: Any) -> None:
        """Take another position; what is in the table stays."""
        self.root, self.counts, self.interrupted = position, Counts(), False
        self._lows: dict[int, int] = {}  # number of a move: a bound on its worth
        low, high = self._stated()
        self._known = low > -math.inf
        needed = SMALL if not self._known or self._distance else int(max(-low, high))
        most = next((n for n in (1, SMALL, LARGE) if n >= max(needed, self._most)), 0)
        if not most:
            raise UnfitSearchError
        if most != self._most:
            self._most = most
            self._new_table()
        open_ended = self._distance or not self._known
        self._bounds = (-most, most) if open_ended else (int(low), int(high))

    def _stated(self) -> tuple[Number, Number]:
        """What is known of the root beforehand, to who moves there."""
        stated = stated_bounds(
            self.game, self.root, pairs=self._facts.pairs, total=self._facts.sum
        )
        if stated is None:
            return (-1, 1) if self._facts.bounded else (-math.inf, math.inf)
        least, most = math.ceil(stated[0]), math.floor(stated[1])
        return (-most, -least) if self._sign < 0 else (least, most)

    def _new_table(self) -> None:
        """An empty table, for values up to `_most`."""
        slots = self._slots if self._slots >= 0 else -self._slots // 8
        layout = packed_layout(slots, self._most)
        if self._expander.width == 1 and layout is not None and not self._wide:
            self._layout, self._table = layout, np.zeros(2 << layout.bucket_bits, np.uint64)
            return
        words = 2 + self._expander.width
        slots = self._slots if self._slots >= 0 else -self._slots // (8 * words)
        self._layout = wide_layout(slots, self._most)
        self._table = np.zeros((2 << self._layout.bucket_bits, words), np.int64)

    # -- What is known. ---------------------------------------------------------------------------

    @property
    def _sign(self) -> int:
        """1 where player 0 moves at the root, else -1: `_bounds` are those of who moves."""
        return -1 if self.game.to_move(self.root) == 1 else 1

    @property
    def bounds(self) -> tuple[Number, Number]:
        """Lower and upper bound on the root, in stored units of its own frame."""
        return self._framed(*self._bounds, self._sign)

    def _framed(self, low: int, high: int, sign: int) -> tuple[Number, Number]:
        """Bounds to who moves, as bounds to player 0; what is not known is infinite."""
        least: Number = low if low > -self._most or self._known else -math.inf
        most: Number = high if high < self._most or self._known else math.inf
        return (least, most) if sign > 0 else (-most, -least)

    @property
    def settled(self) -> bool:
        """Whether no search can narrow the bounds."""
        return self._bounds[0] == self._bounds[1]

    # -- Searching. -------------------------------------------------------------------------------

    def narrow(
        self, window: tuple[float, float], nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window; False if it was stopped."""
        low, high = window if self._sign > 0 else (-window[1], -window[0])
        value = 0
        while not (self._bounds[0] >= high or self._bounds[1] <= low or self.settled):
            least, most = self._bounds
            question = min(max(value + 1 if least == value else value, least + 1), most)
            if high - low <= 1:
                question = min(max(math.ceil(high), least + 1), most)
            done = self._ask(self.root, question, nodes, threads, halt)
            if done is None:
                return False
            if not self._learn(done, question):
                return True
            value = done.value
        return True

    def _asking(self, position: Any, bound: int, nodes: int, number: int) -> "Asking":
        """A thread that finds out whether a position is worth at least `bound`."""
        return _Worker(self, position, bound, nodes, number)

    def securing(
        self, position: Any, bound: int, nodes: int, halt: Callable[[int], bool]
    ) -> int | None:
        """The number of a move at a representative that secures at least `bound` to who moves; -1
        if none does, None if that stayed open."""
        done = self._ask(position, bound, nodes, 1, halt)
        if done is None or not done.settles:
            return None
        number = self._number(done, position) if done.value >= bound else -1
        return 0 if number is None else number  # every move secures that

    def _ask(
        self, position: Any, bound: int, nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> "Asking | None":
        """Whether a position is worth at least `bound`: a thread with the answer, a number as the
        kernel gives it. None if the search was stopped."""
        before = self.counts.nodes
        while True:
            workers = [self._asking(position, bound, nodes, i) for i in range(threads)]
            self.interrupted = run_all(workers, self.counts, halt)
            done = next((w for w in workers if w.answered), None)
            if done is not None:
                return done
            code = max(int(w.control[TROUBLE]) for w in workers)
            if self.interrupted or not code:
                return None
            self._mend(code)
            nodes -= self.counts.nodes - before
            before = self.counts.nodes

    def _learn(self, done: "Asking", bound: int) -> bool:
        """Take over an answer about the root; whether it is one."""
        if not done.settles:
            return False
        low, high = self._bounds
        if done.value >= bound:
            self._bounds = max(low, done.value), high
            number = self._number(done, self.root)
            if number is not None:
                self._lows[number] = max(done.value, self._lows.get(number, done.value))
        else:
            self._bounds = low, min(high, done.value)
        return True

    def _number(self, done: "Asking", position: Any) -> int | None:
        """The number, among all moves, of the one that answered a question; None if none did."""
        number = (int(done.path[0, BEST]) >> 1) & ((1 << NUMBER_BITS) - 1)
        if number == 0:
            return None
        moves = list(self.game.moves(position))
        return moves.index(enough_moves(self.game, position)[number - 1])

    def _mend(self, code: int) -> None:
        """Make room for what did not fit, or give up."""
        if code == walking.ROOM:
            self._room *= 2
            return
        if code == walking.KEYS and not self._wide:
            self._wide = True
        elif code == walking.LARGE and self._most < LARGE and not self._distance:
            more = SMALL if self._most < SMALL else LARGE
            if not self._known:
                low, high = self._bounds
                self._bounds = (
                    -more if low == -self._most else low, more if high == self._most else high
                )  # fmt: skip
            self._most = more
        elif code == walking.UNEQUAL:
            raise NoSolverError(
                f"{type(self.game).__name__}: the sum of payoffs or rewards differs, so interests "
                "are not opposed",
                "search is for one player or two with opposed interests; use perfectplay solve",
            )
        else:
            raise UnfitSearchError
        self._new_table()

    # -- What was found. --------------------------------------------------------------------------

    def node_bounds(self, position: Any = None) -> NodeBounds:
        """What is known of the root, or of another position, which a short search looks at."""
        p = self.root if position is None else self.game.representative(position)
        moves = list(self.game.moves(p)) if self.game.to_move(p) >= 0 else []
        if not moves:
            worth = self.game.payoff(p)
            worth = worth[0] - worth[1] if isinstance(worth, tuple) else worth
            worth *= SMALL if self._distance else 1
            return NodeBounds(OVER, worth, worth, [])
        sign = -1 if self.game.to_move(p) == 1 else 1
        (low, high), lows = self._bounds, self._lows
        if position is not None:
            (low, high), lows = self._short_search(p)
        edges = [
            EdgeBounds(*self._framed(lows.get(i, -self._most), high, sign), i)
            for i in range(len(moves))
        ]
        return NodeBounds(self.game.to_move(p), *self._framed(low, high, sign), edges)

    def _short_search(self, p: Any) -> tuple[tuple[int, int], dict[int, int]]:
        """Bounds on a position, and on what some of its moves are worth."""
        low, high = -self._most, self._most
        lows: dict[int, int] = {}
        value, left = 0, LINE_NODES
        while low < high:
            question = min(max(value + 1 if low == value else value, low + 1), high)
            worker = self._asking(p, question, left, 0)
            worker.run()
            left -= int(worker.control[NODES])
            if not (worker.answered and worker.settles):
                break
            value = worker.value
            if value >= question:
                low = max(low, value)
                number = self._number(worker, p)
                if number is not None:
                    lows[number] = value
            else:
                high = min(high, value)
        return (low, high), lows


class Asking(Worker):
    """A thread with stacks of its own, and one question."""

    value: int
    """The answer, as the kernel gives it."""
    settles = True
    """Whether the question has an answer."""
    path: Any


class _Worker(Asking):
    """One that goes by alpha-beta."""

    def __init__(
        self, search: AlphaBetaSearch, position: Any, bound: int, nodes: int, number: int
    ) -> None:
        control = np.zeros(CONTROLS, np.int64)
        super().__init__(control)
        facts = search._facts
        control[LIMIT], control[DISTANCE], control[EARLY] = nodes, search._distance, EARLY_PLIES
        control[PAIRS], control[SUM] = facts.pairs, facts.sum or 0
        control[NOISE] = 0 if number == 0 else 2 * number + 12345
        self.kids = np.empty((search._room, HEAD + search._expander.width), np.int64)
        self.kids[0, HEAD:] = search._expander.keys([position])[0]
        self.path = np.empty((PLIES, COLUMNS), np.int64)
        self.arrays = WalkArrays(
            search._table, self.kids, np.empty(search._room, np.int64), self.path,
            np.zeros(2 * TOKENS, np.int64), control,
        )  # fmt: skip
        self.value = 0
        self._search, self._bound = search, bound

    def answer(self) -> bool:
        """Search until the question is answered, or STOP is set; whether it is answered."""
        search, control = self._search, self.control
        expander = search._expander
        near = self.kids[:1, HEAD:], None
        self.value = int(
            expander.called(
                search._kernel,
                search._rules,
                expander.sample,
                self._bound,
                self.arrays,
                search._layout,
                near=near,
            )
        )
        return not control[STOP] and not control[TROUBLE]
