"""Compiled searches, position by position: arrays, threads, and what Python does meanwhile."""

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.rule_fields import type_name
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.positions.expand_native import NativeExpander, rule_flags
from perfectplay.positions.expand_plain import trouble
from perfectplay.rules.game import Game, declares
from perfectplay.rules.value import Number
from perfectplay.searching.choose_child import ONCE, WHOLLY, choose_move
from perfectplay.searching.fractions64 import INFINITE
from perfectplay.searching.node_values import average, guess_of, settled
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import EdgeBounds, NodeBounds, SearchFacts, refusal
from perfectplay.searching.search_stack import (
    ALPHA,
    BETA,
    BOUNDED,
    CONTROL,
    COUNT,
    CYCLES,
    DEEP,
    ENDGAME_HITS,
    ENTRY,
    FLAGS,
    GUESS,
    GUESSES,
    HEAD,
    HIGH,
    HIGH_PER,
    HITS,
    INDEX,
    KIND,
    LIMIT,
    LONGEST,
    LOOKS,
    LOW,
    LOW_PER,
    MINIMISE,
    NODES,
    NOISE,
    PAIRS,
    PARENT,
    PLY,
    PROBED,
    PROBES,
    READY,
    REWARD,
    ROOM,
    STAR1,
    STAR2,
    STOP,
    SUM,
    SUM_KNOWN,
    SWAP,
    TROUBLE,
    VISITS,
    WHERE,
    SearchArrays,
    look,
    look_below,
    narrow,
)
from perfectplay.searching.visit import FUNCTIONS, NEVER
from perfectplay.searching.windows import NEAREST, UNLIMITED

MOST_PLIES = 4000
"""Plies of a path."""
STACK = 2**28
"""Bytes of machine stack for a thread; memory is taken only as far as it is used."""
POLL = 0.05
"""Seconds between two looks at whether to stop."""


_compiled: dict[tuple[str, str], dict[str, Any]] = {}


def compiled(
    game: Game, functions: tuple[Callable[..., Any], ...], options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Some functions, by name, compiled for the rules of `game`, with these options for Numba:
    then all but the last are parts of it.

    Each is a copy whose globals hold the compiled others: only so can compiled code call itself
    and what was compiled for the same rules."""
    key = type_name(game), functions[-1].__module__
    if key not in _compiled:
        made: dict[str, Any] = {}
        scope = {k: v for function in functions for k, v in function.__globals__.items()}
        for function in functions:
            copy = FunctionType(function.__code__, scope, function.__name__)
            copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
            part = options is not None and function is not functions[-1]
            own = {**(options or {}), "inline": "always"} if part else options
            made[function.__name__] = scope[function.__name__] = rules_kernel(copy, game, own)
        _compiled[key] = made
    return _compiled[key]


def new_control(game: Game, facts: SearchFacts) -> Ints:
    """The counters and settings of a thread (`control` in search_stack.py), at the beginning."""
    control = np.zeros(CONTROL, np.int64)
    control[FLAGS] = (
        rule_flags(game)
        | BOUNDED * facts.bounded
        | MINIMISE * bool(game.minimise)
        | PAIRS * facts.pairs
    )
    control[LIMIT], control[LONGEST] = UNLIMITED, MOST_PLIES
    control[SUM], control[SUM_KNOWN] = facts.sum or 0, facts.sum is not None
    control[GUESSES] = declares(game, "guess")
    return control


class Worker(ABC):
    """One thread of a search, with counters of its own (`control` in search_stack.py)."""

    def __init__(self, control: Ints) -> None:
        self.control = control
        self.answered = False
        self.error: BaseException | None = None

    @abstractmethod
    def answer(self) -> bool:
        """Search until the question is answered, or STOP is set; whether it is answered."""

    def run(self) -> None:
        """Do that, and keep the error if there is one."""
        try:
            self.answered = self.answer()
        except BaseException as error:
            self.error = error


def run_all(workers: Sequence[Worker], counts: Counts, halt: Callable[[int], bool]) -> bool:
    """Run workers, each in a thread, until one has answered or `halt` says so, which is asked now
    and then with the number of nodes so far. Adds to `counts`; True if Ctrl-C ended it."""
    interrupted, before = False, counts.nodes
    size = threading.stack_size(STACK)
    try:
        threads = [threading.Thread(target=worker.run, daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
    finally:
        threading.stack_size(size)
    try:
        while all(thread.is_alive() for thread in threads):
            threads[0].join(POLL)
            if halt(before + sum(int(w.control[NODES]) for w in workers)):
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        for worker in workers:
            worker.control[STOP] = 1
        for thread in threads:
            thread.join()
    for worker in workers:
        counts.add(counted(worker.control))
        if worker.error:
            raise worker.error
    return interrupted


def counted(control: Ints) -> Counts:
    """What a thread counted."""
    at = control.tolist()
    return Counts(
        nodes=at[NODES],
        alpha_cuts=at[ALPHA],
        beta_cuts=at[BETA],
        star1_cuts=at[STAR1],
        star2_cuts=at[STAR2],
        probes=at[PROBED],
        table_looks=at[LOOKS],
        table_hits=at[HITS],
        endgame_hits=at[ENDGAME_HITS],
        circles=at[CYCLES],
    )


class NativeSearch:
    """Bounds on one position, narrowed by compiled code. The table has so many `slots`, or, if
    they are negative, so many bytes."""

    method = "positions"
    near = NEAREST

    def __init__(
        self, game: Game, position: Any, facts: SearchFacts, slots: int, endgames: Ints | None
    ) -> None:
        self.game, self._facts = game, facts
        self.reach, self.cut = MOST_PLIES, 0
        self.counts = Counts()
        self.interrupted = False
        self._expander = NativeExpander(game)
        self._width = self._expander.width
        wide = ENTRY + self._width
        self._table = np.zeros((slots if slots >= 0 else -slots // (8 * wide), wide), np.int64)
        self._endgames = np.zeros((0, wide), np.int64) if endgames is None else endgames
        self._kernels = compiled(game, FUNCTIONS)
        self._room = 1 << 12
        self._root = self._expander.keys([position])
        self._stack = self._expanded(self._root[0])
        self._stack[0, READY] = 1
        _Worker(self, NEVER, 1, 0).run()  # compiles the rest

    # -- Rows. ------------------------------------------------------------------------------------

    def _expanded(self, key: Ints) -> Ints:
        """Rows with a position in row 0 and its children from row 1 on."""
        while True:
            stack = np.zeros((self._room, HEAD + self._width), np.int64)
            if self._expand(stack, key):
                return stack
            self._room *= 2

    def _expand(self, stack: Ints, key: Ints) -> bool:
        """Fill such rows; False if there is not room enough."""
        control, position = new_control(self.game, self._facts), self._expander.position(key)
        memory = self.memory(stack, control)
        code = self.call("open_row", stack, control, 0, position, position)
        look(self._table, stack, control, 0)
        look_below(self._endgames, stack, control, 0)
        stack[0, [PARENT, PLY, SWAP]] = 0
        if not code:
            code = self.call("generate", self._expander.sample, memory, 0, 1, *NEVER)
        if code == ROOM:
            return False
        self._refuse(code, position)
        if stack[0, KIND] >= 0:
            choose_move(stack, control, 0, 1, *NEVER, ONCE)
        elif stack[0, COUNT]:
            average(stack, 0, 1)
        return True

    def memory(self, stack: Ints, control: Ints) -> SearchArrays:
        """The arrays of one thread."""
        return SearchArrays(stack, self._table, self._endgames, control)

    def visit(self, memory: SearchArrays, row: int, top: int, window: tuple[float, float]) -> None:
        """Search a row, whose children get the rows from `top` on."""
        self.call("visit", self._expander.sample, memory, row, top, *window, WHOLLY)

    def call(self, name: str, *arguments: Any) -> Any:
        """What one of FUNCTIONS returns."""
        near = self._root, None  # where interpreted rules look for what made compiled ones fail
        return self._expander.called(self._kernels[name], self.game, *arguments, near=near)

    def _refuse(self, code: int, position: Any) -> None:
        if code:
            raise refusal(self.game, code) or trouble(self.game, code, position)

    # -- Searching. -------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[Number, Number]:
        """Lower and upper bound on the root, in stored units of its own frame."""
        return _bounds(self._stack[0])

    @property
    def guess(self) -> float | None:
        """The heuristic value of the root, in stored units; None if the rules have none."""
        return float(guess_of(self._stack, 0)) if declares(self.game, "guess") else None

    @property
    def settled(self) -> bool:
        """Whether no search can narrow the bounds."""
        return bool(settled(self._stack, 0)) or self._stack[0, COUNT] == 0

    def narrow(
        self, window: tuple[float, float], nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window; False if it was stopped, by
        the number of nodes or by `halt`, which is asked now and then with the nodes so far."""
        while True:
            workers = [_Worker(self, window, nodes, i) for i in range(threads)]
            self.interrupted = run_all(workers, self.counts, halt)
            full = False
            for worker in workers:
                self.cut += int(worker.control[DEEP])
                code, where = (int(worker.control[i]) for i in (TROUBLE, WHERE))
                if code == ROOM:
                    full = True
                else:
                    self._refuse(code, self._expander.position(worker.stack[where, HEAD:]))
                    self._take(worker.stack)
            if not full or self.interrupted:
                return any(worker.answered for worker in workers)
            self._room *= 2
            self._stack = np.pad(self._stack, ((0, self._room - len(self._stack)), (0, 0)))

    def _take(self, stack: Ints) -> None:
        """Take over what a worker knows of the root and its children."""
        for row in range(1 + int(stack[0, COUNT])):
            narrow(self._stack, row, stack, row)
            self._stack[row, GUESS] = stack[row, GUESS]

    def copy_of_root(self) -> Ints:
        """Rows for a worker: the root, its children as they are known, and room."""
        stack = self._stack.copy()
        stack[: 1 + int(stack[0, COUNT]), [VISITS, PROBES]] = 0
        return stack

    # -- What was found. --------------------------------------------------------------------------

    def node_bounds(self, position: Any = None) -> NodeBounds:
        """What is known of the root, or of another position."""
        stack = self._stack
        if position is not None:
            stack = self._expanded(self._expander.keys([self.game.representative(position)])[0])
            self._look_at_children(stack)
        control = new_control(self.game, self._facts)
        look_below(self._endgames, stack, control, 0)
        below = bool(control[ENDGAME_HITS])
        found = []
        for row in stack[1 : 1 + int(stack[0, COUNT])]:
            low, high = _bounds(row)
            if row[SWAP]:
                low, high = -high, -low
            earned = int(row[REWARD])
            found.append(EdgeBounds(low + earned, high + earned, int(row[INDEX])))
        return NodeBounds(int(stack[0, KIND]), *_bounds(stack[0]), found, below)

    def _look_at_children(self, stack: Ints) -> None:
        """Set the bounds of children where play has ended."""
        above = 1 + int(stack[0, COUNT])
        for row in range(1, above):
            if not settled(stack, row):
                control = new_control(self.game, self._facts)
                control[LIMIT] = 2  # the child itself
                self.visit(self.memory(stack, control), row, above, NEVER)
        if stack[0, KIND] >= 0:
            choose_move(stack, new_control(self.game, self._facts), 0, 1, *NEVER, ONCE)


class _Worker(Worker):
    """A thread with rows of its own."""

    def __init__(
        self, search: NativeSearch, window: tuple[float, float], nodes: int, number: int
    ) -> None:
        super().__init__(new_control(search.game, search._facts))
        self.control[LIMIT], self.control[LONGEST] = nodes, search.reach
        self.control[NOISE] = 0 if number == 0 else 2 * number + 1
        self.stack = search.copy_of_root()
        self._search, self._window = search, window

    def answer(self) -> bool:
        """Search until the window is answered, or STOP is set; whether it is answered."""
        memory = self._search.memory(self.stack, self.control)
        self._search.visit(memory, 0, 1, self._window)
        return not self.control[STOP]


def _number(n: int, d: int) -> Number:
    if abs(int(n)) >= INFINITE:
        return math.inf if n > 0 else -math.inf
    return int(n) if d == 1 else Fraction(int(n), int(d))


def _bounds(row: Ints) -> tuple[Number, Number]:
    return _number(row[LOW], row[LOW_PER]), _number(row[HIGH], row[HIGH_PER])
