"""Iterative deepening, compiled: one limit after the other, on one thread or several.

Threads share what is left of an iteration: rows of the stack, shallow ones expanded further, in
the order in which one thread would come to them. The first of them that has a line, in that
order, has the line that one thread finds; only nodes up to there are counted. So an answer does
not depend on how many threads there are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.rule_kernels import UNCHECKED
from perfectplay.compiled.threads import Pool
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.rules.game import declares
from perfectplay.searching.native import compiled
from perfectplay.searching.one_player import deepening
from perfectplay.searching.one_player.best_line import play_forced
from perfectplay.searching.one_player.estimate import DEAD, Databases
from perfectplay.searching.one_player.native import FIRST, QUOTA, rows
from perfectplay.searching.one_player.search_end import Halt, SearchEnd

TASKS = 256
"""Parts of an iteration, at least, that threads share."""
ALONE = 1 << 18
"""Nodes of an iteration that one thread visits before others help."""


class Subtree(NamedTuple):
    """A part of an iteration: one row, with the path to it."""

    rows: tuple[Ints, ...]
    """One row each of key, twin, cost and known (deepening.py)."""
    path: Ints
    """int64[depth, width]"""
    nodes: int = 0
    """Nodes that one thread visits just before, when it comes to the rows above this one."""


class Deepening:
    """Iterative deepening: takes no memory, and never ends where there is no line but endless
    play."""

    def __init__(
        self, expander: NativeExpander, databases: Databases, root: Any, workers: int = 1
    ) -> None:
        self._expander, self._databases, self._game = expander, databases, expander.game
        self._workers = workers
        self._search = compiled(self._game, deepening.FUNCTIONS, UNCHECKED)["deepen"]
        begun, game = play_forced(self._game, root), self._game
        twins = list(game.also(begun.end)) if declares(game, "twin") else [begun.end]  # type: ignore[attr-defined]
        self._keys = expander.keys([begun.end])
        twin = expander.keys([*twins, begun.end][:1])
        first = np.array([[begun.cost, 0, 0]]), np.zeros((1, 2), np.int64)
        self._root = Subtree((self._keys, twin, *first), np.empty((0, expander.width), np.int64))
        self._nodes, self._ended = 0, False

    def run(self, limit: int, quota: int, halt: Halt) -> SearchEnd:
        """Search with higher and higher limits, from `limit` on."""
        while limit < DEAD:
            part = _Part(self, self._root, limit)
            code = self._iterate(part, quota, halt)
            if code == deepening.FOUND:
                return self._told(int(part.control[deepening.LIMIT]), part.line(), "")
            if isinstance(code, str):
                return self._told(limit, None, code)
            limit = int(part.control[deepening.NEXT])
        return self._told(limit, None, "")

    def _told(self, lower: int, path: list[Any] | None, stopped: str) -> SearchEnd:
        return SearchEnd(lower, path, 0, self._nodes, stopped, "IDA*")

    def _iterate(self, part: _Part, quota: int, halt: Halt) -> int | str:
        """One limit; a code, or why it stopped."""
        begun = self._nodes
        while True:
            most = 4 * QUOTA if self._workers == 1 else ALONE
            code = part.go_on(min(most, max(quota - self._nodes, 1)))
            self._nodes = begun + int(part.control[deepening.NODES])
            if code == deepening.NEGATIVE:
                return "unfit"
            if code in (deepening.FOUND, deepening.FINISHED):
                return code
            if stopped := halt(self._nodes):
                return stopped
            if self._workers > 1:
                return self._share(part, halt)

    def _share(self, part: _Part, halt: Halt) -> int | str:
        """Go on with what is left of an iteration, on several threads."""
        (tasks, after), self._ended = self._split(part), False
        limit = int(part.control[deepening.LIMIT])

        def search(task: Subtree) -> tuple[int, _Part]:
            one, code = _Part(self, task, limit), deepening.PAUSED
            while code == deepening.PAUSED and not self._ended:
                code = one.go_on(QUOTA)
            return code, one

        with Pool(self._workers) as pool:
            try:
                for task, (code, one) in zip(tasks, pool.in_order(search, tasks), strict=True):
                    self._nodes += task.nodes + int(one.control[deepening.NODES])
                    if code == deepening.NEGATIVE:
                        return "unfit"
                    if code == deepening.FOUND:
                        part.take_over(one)
                        return code
                    part.control[deepening.NEXT] = min(
                        part.control[deepening.NEXT], one.control[deepening.NEXT]
                    )
                    if stopped := halt(self._nodes):
                        return stopped
            finally:
                self._ended = True
        self._nodes += after
        return deepening.FINISHED

    def _split(self, part: _Part) -> tuple[list[Subtree], int]:
        """What is left of a part, in its order, in parts that are shallow; and how many nodes one
        thread visits after them."""
        tasks, kept, after = part.tasks(), set[int](), 0
        while len(tasks) < TASKS:
            depths = [len(task.path) if i not in kept else DEAD for i, task in enumerate(tasks)]
            at = depths.index(min(depths, default=DEAD)) if depths else 0
            if not depths or depths[at] >= DEAD:
                break
            one = _Part(self, tasks[at], int(part.control[deepening.LIMIT]))
            code = one.go_on(1)
            if code not in (deepening.PAUSED, deepening.FINISHED):
                kept.add(at)  # a line ends here: whoever comes to it finds that
                continue
            more = one.tasks()
            part.control[deepening.NEXT] = min(
                part.control[deepening.NEXT], one.control[deepening.NEXT]
            )
            nodes = tasks[at].nodes + int(one.control[deepening.NODES])
            kept = {i if i < at else i + len(more) - 1 for i in kept}
            tasks[at : at + 1] = more
            if at < len(tasks):
                tasks[at] = tasks[at]._replace(nodes=tasks[at].nodes + nodes)
            else:
                after += nodes
        return tasks, after


class _Part:
    """A stack that begins with one row, and how far it is."""

    def __init__(self, search: Deepening, task: Subtree, limit: int) -> None:
        self._search, depth = search, len(task.path)
        self.control = np.zeros(deepening.CONTROL, np.int64)
        self.control[[deepening.TOP, deepening.LIMIT, deepening.NEXT]] = 1, limit, DEAD
        self.control[deepening.CARRIES] = search._databases.carried()
        arrays = [np.empty((FIRST, each.shape[1]), np.int64) for each in task.rows]
        for array, row in zip(arrays, task.rows, strict=True):
            array[0] = row[0]
        path = np.empty((max(FIRST, 2 * depth), task.path.shape[1]), np.int64)
        path[:depth] = task.path
        self.stack = deepening.Stack(arrays[0], arrays[1], arrays[2], arrays[3], path)

    def go_on(self, quota: int) -> int:
        """Visit about so many nodes; a code of deepening.py, but for ROOM."""
        search = self._search
        code = int(search._expander.called(
            search._search, search._game, search._expander.sample,
            (self.stack, search._databases), self.control, quota, near=(search._keys, None),
        ))  # fmt: skip
        if code == deepening.ROOM:
            self.stack = deepening.Stack(*(rows(each, 2 * len(each)) for each in self.stack))
            return deepening.PAUSED
        return code

    def tasks(self) -> list[Subtree]:
        """The rows of the stack, in the order in which they are searched."""
        found = []
        for i in reversed(range(int(self.control[deepening.TOP]))):
            depth = int(self.stack.cost[i, 1])
            each = tuple(array[i : i + 1].copy() for array in self.stack[:4])
            found.append(Subtree(each, self.stack.path[:depth].copy()))
        return found

    def take_over(self, other: _Part) -> None:
        """Have the line that another part found."""
        self.control, self.stack = other.control, other.stack

    def line(self) -> list[Any]:
        """The positions of the line that was found."""
        depth = int(self.control[deepening.DEPTH])
        path = self.stack.path[: depth + 1]
        return [self._search._expander.position(key) for key in path]
