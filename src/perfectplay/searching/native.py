"""Compiled searches: arrays, threads, and what Python does while compiled code runs."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from perfectplay.compiled.compile_errors import compile_error
from perfectplay.compiled.kernels import compile_errors
from perfectplay.compiled.rule_fields import type_name
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.errors import RulesError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.positions.expand_plain import trouble
from perfectplay.rules.game import OVER, Game, alternate, declares
from perfectplay.rules.value import Number
from perfectplay.searching import search_stack
from perfectplay.searching.choose_child import ONCE, WHOLLY, choose_move
from perfectplay.searching.fractions64 import INFINITE
from perfectplay.searching.node_values import average, guess_of, settled
from perfectplay.searching.result import Counts
from perfectplay.searching.search_facts import Edge, Known, Nature, refusal
from perfectplay.searching.visit import (
    ALTERNATE,
    BOUNDED,
    FUNCTIONS,
    MINIMISE,
    NEVER,
    PAIRS,
    REWARDS,
    STRATA,
    SYMMETRY,
    TURNS,
)
from perfectplay.searching.windows import NEAREST

STACK = 2**28
"""Bytes of machine stack for a thread that searches; memory is taken only as far as it is used."""
LONGEST = 4000
"""Plies of a path."""
POLL = 0.05
NEVER_ENDING = 2**62


_made: dict[tuple[str, str], dict[str, Any]] = {}


def compiled(game: Game, functions: tuple[Callable[..., Any], ...]) -> dict[str, Any]:
    """Some functions, by name, compiled for the rules of `game`.

    Each is a copy whose globals hold the compiled others: only so can compiled code call itself
    and what was compiled for the same rules."""
    key = type_name(game), functions[-1].__module__
    if key not in _made:
        made: dict[str, Any] = {}
        scope = {k: v for function in functions for k, v in function.__globals__.items()}
        for function in functions:
            copy = FunctionType(function.__code__, scope, function.__name__)
            copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
            made[function.__name__] = scope[function.__name__] = rules_kernel(copy, game)
        _made[key] = made
    return _made[key]


def flags_of(game: Game, nature: Nature) -> int:
    """What compiled code is told of a game."""
    wanted = {
        ALTERNATE: alternate(game),
        STRATA: declares(game, "stratum"),
        TURNS: declares(game, "turn") and not alternate(game),
        SYMMETRY: declares(game, "representative") and not alternate(game),
        REWARDS: declares(game, "reward"),
        BOUNDED: nature.bounded,
        MINIMISE: bool(game.minimise),
        PAIRS: nature.pairs,
    }
    return sum(flag for flag, holds in wanted.items() if holds)


class NativeSearch:
    """Bounds on one position, narrowed by compiled code. The table has so many `slots`, or, if
    they are negative, so many bytes."""

    near = NEAREST

    def __init__(self, game: Game, position: Any, nature: Nature, slots: int, ends: Any) -> None:
        self.game = game
        self._expander = NativeExpander(game)
        self._sample = self._expander.sample
        self._width = self._expander.width
        self._flags = flags_of(game, nature)
        self._nature = nature
        wide = search_stack.ENTRY + self._width
        self._table = np.zeros((slots if slots >= 0 else -slots // (8 * wide), wide), np.int64)
        self._ends = (
            np.zeros((0, search_stack.ENTRY + self._width), np.int64) if ends is None else ends
        )
        self._key = self._expander.keys([position])[0]
        made = compiled(game, FUNCTIONS)
        self._opened, self._generate, self._visit = (
            made[name] for name in ("opened", "generate", "visit")
        )
        self._nodes = 0
        self.counts = Counts()
        self.interrupted = False
        self._room = 1 << 12
        self._stack = self._root(self._room)
        _Worker(self, NEVER, 1, 0).run()  # compiles the rest

    # -- Rows. ------------------------------------------------------------------------------------

    def _control(self) -> Any:
        control = np.zeros(search_stack.CONTROL, np.int64)
        control[search_stack.LIMIT], control[search_stack.LONGEST] = NEVER_ENDING, LONGEST
        if self._nature.sum is not None:
            control[search_stack.SUM], control[search_stack.SUM_KNOWN] = self._nature.sum, 1
        control[search_stack.GUESSES] = declares(self.game, "guess")
        return control

    def _root(self, room: int) -> Any:
        """Rows with the root in row 0 and its children from row 1 on."""
        stack = np.zeros((room, search_stack.HEAD + self._width), np.int64)
        while not self._lay(stack, self._key):
            self._room *= 2
            stack = np.zeros((self._room, search_stack.HEAD + self._width), np.int64)
        stack[0, search_stack.READY] = 1
        return stack

    def _lay(self, stack: Any, key: Any) -> bool:
        """Put a position into row 0 and its children below; False if there is not room enough."""
        control, position = self._control(), self._expander.position(key)
        arrays = stack, self._table, self._ends, control, self._flags
        code = self._run(
            self._opened, self.game, stack, control, self._flags, 0, position, position
        )
        search_stack.look(self._table, stack, control, 0)
        search_stack.look_below(self._ends, stack, control, 0)
        stack[0, [search_stack.PARENT, search_stack.PLY, search_stack.SWAP]] = 0
        if not code:
            code = self._run(self._generate, self.game, self._sample, *arrays, 0, 1, *NEVER)
        if code == search_stack.ROOM:
            return False
        self._refuse(code, position)
        if stack[0, search_stack.KIND] >= 0:
            choose_move(stack, control, 0, 1, *NEVER, ONCE)
        elif stack[0, search_stack.COUNT]:
            average(stack, 0, 1)
        return True

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return kernel(*arguments)
        except compile_errors() as error:
            raise compile_error(self.game, error) from None
        except (IndexError, ZeroDivisionError, OverflowError, ValueError) as error:
            raise RulesError(
                f"{type(self.game).__name__}: the compiled rules failed: {error}",
                "run `perfectplay check` on the game, or search with --plain to see where",
            ) from None

    def _refuse(self, code: int, position: Any) -> None:
        if code:
            own = refusal(self.game, code)
            raise own if own else trouble(self.game, code, position)

    # -- Searching. -------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[Number, Number]:
        """Lower and upper bound on the root, in stored units of its own frame."""
        return _bounds(self._stack[0])

    @property
    def guess(self) -> float | None:
        """What the value of the root is thought to be, in stored units; None if nobody guesses."""
        return float(guess_of(self._stack, 0)) if declares(self.game, "guess") else None

    @property
    def settled(self) -> bool:
        """Whether no search brings the bounds nearer to each other."""
        return bool(settled(self._stack, 0)) or self._stack[0, search_stack.COUNT] == 0

    def narrow(
        self, window: tuple[float, float], nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window; False if it was stopped, by
        the number of nodes or by `halt`, which is asked now and then with the nodes so far."""
        while True:
            workers = [_Worker(self, window, nodes, i) for i in range(threads)]
            whole = self._watch(workers, halt)
            for worker in workers:
                self.counts.add(counted(worker.control))
                if worker.error:
                    raise worker.error
                code = int(worker.control[search_stack.TROUBLE])
                if code == search_stack.ROOM:
                    self._room *= 2
                    continue
                where = worker.stack[worker.control[search_stack.WHERE], search_stack.HEAD :]
                self._refuse(code, self._expander.position(where))
                self._take(worker.stack)
            if all(w.control[search_stack.TROUBLE] != search_stack.ROOM for w in workers):
                return whole
            self._stack = self._grown()

    def _watch(self, workers: list[_Worker], halt: Callable[[int], bool]) -> bool:
        """Run workers until one has answered, or they are stopped."""
        before = self.counts.nodes
        size = threading.stack_size(STACK)
        try:
            for worker in workers:
                worker.start()
        finally:
            threading.stack_size(size)
        try:
            while all(worker.is_alive() for worker in workers):
                workers[0].join(POLL)
                nodes = before + sum(int(w.control[search_stack.NODES]) for w in workers)
                if halt(nodes):
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            whole = any(w.answered for w in workers)
            for worker in workers:
                worker.control[search_stack.STOP] = 1
            for worker in workers:
                worker.join()
        return whole

    def _grown(self) -> Any:
        stack = np.zeros((self._room, search_stack.HEAD + self._width), np.int64)
        stack[: len(self._stack)] = self._stack
        return stack

    def _take(self, stack: Any) -> None:
        """Take over what a worker knows of the root and its children."""
        for row in range(1 + int(stack[0, search_stack.COUNT])):
            search_stack.narrow(self._stack, row, stack, row)
            self._stack[row, search_stack.GUESS] = stack[row, search_stack.GUESS]
        if stack[0, search_stack.DONE]:
            self._stack[0, search_stack.DONE] = 1

    def copy_of_root(self) -> Any:
        """Rows for a worker: the root, its children as they are known, and room."""
        stack = self._stack.copy()
        count = 1 + int(stack[0, search_stack.COUNT])
        stack[:count, [search_stack.VISITS, search_stack.PROBES]] = 0
        return stack

    # -- What was found. --------------------------------------------------------------------------

    def known(self, position: Any = None) -> Known:
        """What is known of the root, or of another position."""
        stack = self._stack
        if position is not None:
            stack = np.zeros((self._room, search_stack.HEAD + self._width), np.int64)
            key = self._expander.keys([self.game.representative(position)])[0]
            if not self._lay(stack, key):
                return Known(OVER, -math.inf, math.inf, [])
            self._look_for_ends(stack)
        found = []
        for row in stack[1 : 1 + int(stack[0, search_stack.COUNT])]:
            low, high = _bounds(row)
            if row[search_stack.SWAP]:
                low, high = -high, -low
            earned = int(row[search_stack.REWARD])
            found.append(Edge(low + earned, high + earned, int(row[search_stack.INDEX])))
        return Known(int(stack[0, search_stack.KIND]), *_bounds(stack[0]), found)

    def _look_for_ends(self, stack: Any) -> None:
        """Set the bounds of children at which play has ended."""
        above = 1 + int(stack[0, search_stack.COUNT])
        for row in range(1, above):
            if not settled(stack, row):
                control = self._control()
                control[search_stack.LIMIT] = 2  # the child itself
                arrays = stack, self._table, self._ends, control, self._flags
                self._run(
                    self._visit, self.game, self._sample, *arrays, row, above, *NEVER, WHOLLY
                )
        if stack[0, search_stack.KIND] >= 0:
            choose_move(stack, self._control(), 0, 1, *NEVER, ONCE)


class _Worker(threading.Thread):
    """One thread of a search, with rows and counts of its own."""

    def __init__(
        self, search: NativeSearch, window: tuple[float, float], nodes: int, number: int
    ) -> None:
        super().__init__(daemon=True)
        self._search = search
        self._window = window
        self.control = search._control()
        self.control[search_stack.LIMIT] = nodes
        self.control[search_stack.NOISE] = 0 if number == 0 else 2 * number + 1
        self.stack = search.copy_of_root()
        self.error: BaseException | None = None
        self.answered = False

    def run(self) -> None:
        """Search until the window is answered or STOP is set."""
        search = self._search
        try:
            search._run(
                search._visit, search.game, search._sample, self.stack, search._table,
                search._ends, self.control, search._flags, 0, 1, *self._window, WHOLLY,
            )  # fmt: skip
        except BaseException as error:
            self.error = error
        self.answered = not self.control[search_stack.STOP]


def _number(n: int, d: int) -> Number:
    if abs(int(n)) >= INFINITE:
        return math.inf if n > 0 else -math.inf
    return int(n) if d == 1 else Fraction(int(n), int(d))


def _bounds(row: Any) -> tuple[Number, Number]:
    return (
        _number(row[search_stack.LOW], row[search_stack.LOW_PER]),
        _number(row[search_stack.HIGH], row[search_stack.HIGH_PER]),
    )


def counted(control: Any) -> Counts:
    """What a thread counted."""
    at = control.tolist()
    return Counts(
        nodes=at[search_stack.NODES],
        alpha_cuts=at[search_stack.ALPHA],
        beta_cuts=at[search_stack.BETA],
        star1_cuts=at[search_stack.STAR1],
        star2_cuts=at[search_stack.STAR2],
        probes=at[search_stack.PROBED],
        table_looks=at[search_stack.LOOKS],
        table_hits=at[search_stack.HITS],
        endgame_hits=at[search_stack.ENDS],
        circles=at[search_stack.CIRCLES] + at[search_stack.DEEP],
    )
