"""A* with interpreted rules."""

from __future__ import annotations

import heapq
import math
from typing import Any

from perfectplay.rules.game import Game, declares
from perfectplay.rules.search_capabilities import Abstractions, abstractions, guides
from perfectplay.searching.one_player.best_line import children, number, play_forced
from perfectplay.searching.one_player.estimate import DEAD
from perfectplay.searching.one_player.search_end import Halt, SearchEnd
from perfectplay.searching.patterns.databases import group_of, solved_blurs

NODE = 600
"""Bytes that a position takes, about."""
LOOK = 1000
"""Nodes between two looks at whether to stop."""


class PlainBound:
    """The lower bound of estimate.py, interpreted."""

    def __init__(self, game: Game, root: Any) -> None:
        self._game, self._rules = game, abstractions(game)
        self._solved: list[tuple[int, Any]] = []
        if self._rules is not None:
            groups = [group_of(self._rules, k) for k in range(self._rules.blurs)]
            self._solved = [
                (group, solved_blurs(game, root, k, group, plain=True))
                for k, group in enumerate(groups)
            ]

    def __call__(self, p: Any) -> int:
        best = self._one(p)
        if self._rules is not None and declares(self._game, "also"):
            best = max([best, *map(self._one, self._rules.also(p))])
        return best

    def cost(self, p: Any, k: int) -> int | None:
        """The least cost of what abstraction `k` remembers of `p`, if that is known and finite."""
        blurred, solution = self._rules.blur(p, k), self._solved[k][1]  # type: ignore[union-attr]
        found = None if solution.row(blurred) is None else solution.values(blurred)[0].lower
        return None if found is None or found == math.inf else int(found)

    def _one(self, p: Any) -> int:
        return stated(self._game, p) if self._rules is None else self._looked_up(self._rules, p)

    def _looked_up(self, rules: Abstractions, p: Any) -> int:
        sums: dict[int, int] = {}
        for k, (group, solution) in enumerate(self._solved):
            blurred = rules.blur(p, k)
            if solution.row(blurred) is None:
                continue
            cost = solution.values(blurred)[0].lower
            if cost == math.inf:
                return DEAD
            key = group if group >= 0 else -1 - k
            sums[key] = sums.get(key, 0) + int(cost)
        best, least = max(sums.values(), default=0), min(sums.values(), default=0)
        return max(best, least + rules.spared) if least > 0 and rules.spared else best


def stated(game: Game, p: Any) -> int:
    """The lower bound that the rules' `bounds` state; DEAD if it is infinite."""
    guided = guides(game)
    known = guided.bounds(p) if guided is not None else None
    if known is None:
        return 0
    low, parts = known[0], known[2] if len(known) > 2 else 1
    return DEAD if low >= DEAD else max(0, -(-int(low) // int(parts)))


class PlainBestFirst:
    """A* with a heap."""

    def __init__(self, game: Game, root: Any, size: int) -> None:
        begun = play_forced(game, root)
        self._game, self._root, self._most = game, game.representative(begun.end), size // NODE
        self._bound = PlainBound(game, root)
        self._cost = {self._root: begun.cost}
        self._parent: dict[Any, Any] = {self._root: None}
        self._queue: list[tuple[int, int, int, Any]] = [(begun.cost, 0, begun.cost, self._root)]
        self._nodes = 0

    def run(self, halt: Halt) -> SearchEnd:
        """Search until there is an answer, or a reason to stop."""
        looked = 0
        while self._queue:
            least, order, cost, p = heapq.heappop(self._queue)
            if cost > self._cost[p]:
                continue
            if self._nodes - looked >= LOOK or looked == 0:
                looked = max(self._nodes, 1)
                stopped = halt(self._nodes)
                if stopped or len(self._cost) > self._most:
                    return SearchEnd(least, None, 0, self._nodes, stopped or "memory", "A*")
            moves = children(self._game, p)
            if not moves:
                last = cost + number(self._game.payoff(p))
                if last < cost:
                    return SearchEnd(0, None, 0, self._nodes, "unfit", "A*")
                if last <= least:
                    return SearchEnd(last, self._path(p), 0, self._nodes, "", "A*")
                heapq.heappush(self._queue, (last, order, cost, p))
            elif not self._expand(least, p, cost, moves):
                return SearchEnd(0, None, 0, self._nodes, "unfit", "A*")
        return SearchEnd(DEAD, None, 0, self._nodes, "", "A*")

    def _expand(self, least: int, p: Any, cost: int, moves: list[Any]) -> bool:
        """Take up the children of a position; False if a move costs less than nothing."""
        for move in moves:
            self._nodes += 1
            q, new = self._game.representative(move.end), cost + move.cost
            if move.cost < 0:
                return False
            if new >= self._cost.get(q, DEAD):
                continue
            bound = new + self._bound(q)
            if bound < DEAD:
                self._cost[q], self._parent[q] = new, p
                heapq.heappush(self._queue, (max(bound, least), -self._nodes, new, q))
        return True

    def _path(self, p: Any) -> list[Any]:
        path = []
        while p is not None:
            path.append(p)
            p = self._parent[p]
        return path[::-1]
