"""Compiled searches, position by position: arrays, threads, and what Python does meanwhile."""

import math
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.compile_errors import compile_error
from perfectplay.compiled.kernels import compile_errors
from perfectplay.compiled.rule_fields import type_name
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.errors import RulesError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.positions.expand_plain import trouble
from perfectplay.rules.game import Game, alternate, declares
from perfectplay.rules.value import Number
from perfectplay.searching.choose_child import ONCE, WHOLLY, choose_move
from perfectplay.searching.fractions64 import INFINITE
from perfectplay.searching.node_values import average, guess_of, settled
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import EdgeBounds, NodeBounds, SearchFacts, refusal
from perfectplay.searching.search_stack import (
    ALTERNATE,
    BOUNDED,
    CONTROL,
    COUNT,
    ENTRY,
    FLAGS,
    GUESS,
    GUESSES,
    HEAD,
    HIGH,
    HIGH_PER,
    INDEX,
    KIND,
    LIMIT,
    LONGEST,
    LOW,
    LOW_PER,
    MINIMISE,
    NOISE,
    PAIRS,
    PARENT,
    PLY,
    PROBES,
    READY,
    REWARD,
    REWARDS,
    ROOM,
    STOP,
    STRATA,
    SUM,
    SUM_KNOWN,
    SWAP,
    SYMMETRY,
    TROUBLE,
    TURNS,
    VISITS,
    WHERE,
    SearchArrays,
    look,
    look_below,
    narrow,
)
from perfectplay.searching.visit import FUNCTIONS, NEVER
from perfectplay.searching.windows import NEAREST
from perfectplay.searching.workers import Worker, run_all

MOST_PLIES = 4000
"""Plies of a path."""
UNLIMITED = 2**62


_compiled: dict[tuple[str, str], dict[str, Any]] = {}


def compiled(game: Game, functions: tuple[Callable[..., Any], ...]) -> dict[str, Any]:
    """Some functions, by name, compiled for the rules of `game`.

    Each is a copy whose globals hold the compiled others: only so can compiled code call itself
    and what was compiled for the same rules."""
    key = type_name(game), functions[-1].__module__
    if key not in _compiled:
        made: dict[str, Any] = {}
        scope = {k: v for function in functions for k, v in function.__globals__.items()}
        for function in functions:
            copy = FunctionType(function.__code__, scope, function.__name__)
            copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
            made[function.__name__] = scope[function.__name__] = rules_kernel(copy, game)
        _compiled[key] = made
    return _compiled[key]


def new_control(game: Game, facts: SearchFacts) -> Ints:
    """The counters and settings of a thread (`control` in search_stack.py), at the beginning."""
    declared = {
        ALTERNATE: alternate(game),
        STRATA: declares(game, "stratum"),
        TURNS: declares(game, "turn") and not alternate(game),
        SYMMETRY: declares(game, "representative") and not alternate(game),
        REWARDS: declares(game, "reward"),
        BOUNDED: facts.bounded,
        MINIMISE: bool(game.minimise),
        PAIRS: facts.pairs,
    }
    control = np.zeros(CONTROL, np.int64)
    control[FLAGS] = sum(flag for flag, holds in declared.items() if holds)
    control[LIMIT], control[LONGEST] = UNLIMITED, MOST_PLIES
    control[SUM], control[SUM_KNOWN] = facts.sum or 0, facts.sum is not None
    control[GUESSES] = declares(game, "guess")
    return control


class NativeSearch:
    """Bounds on one position, narrowed by compiled code. The table has so many `slots`, or, if
    they are negative, so many bytes."""

    near = NEAREST

    def __init__(
        self, game: Game, position: Any, facts: SearchFacts, slots: int, endgames: Ints | None
    ) -> None:
        self.game, self._facts = game, facts
        self.counts = Counts()
        self.interrupted = False
        self._expander = NativeExpander(game)
        self._width = self._expander.width
        wide = ENTRY + self._width
        self._table = np.zeros((slots if slots >= 0 else -slots // (8 * wide), wide), np.int64)
        self._endgames = np.zeros((0, wide), np.int64) if endgames is None else endgames
        self._kernels = compiled(game, FUNCTIONS)
        self._room = 1 << 12
        self._stack = self._expanded(self._expander.keys([position])[0])
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
        try:
            return self._kernels[name](self.game, *arguments)
        except compile_errors() as error:
            raise compile_error(self.game, error) from None
        except (IndexError, ZeroDivisionError, OverflowError, ValueError) as error:
            raise RulesError(
                f"{type(self.game).__name__}: the compiled rules failed: {error}",
                "run `perfectplay check` on the game, or search with --plain to see where",
            ) from None

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
        found = []
        for row in stack[1 : 1 + int(stack[0, COUNT])]:
            low, high = _bounds(row)
            if row[SWAP]:
                low, high = -high, -low
            earned = int(row[REWARD])
            found.append(EdgeBounds(low + earned, high + earned, int(row[INDEX])))
        return NodeBounds(int(stack[0, KIND]), *_bounds(stack[0]), found)

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
        self.control[LIMIT] = nodes
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
