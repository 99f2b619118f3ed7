"""The number of a best move for many stored positions at once, the one that `probe` shows first.

Games with chance store it. In a game without chance it follows from the values of the children,
which are looked up batch by batch as `verify` does it: the first move that keeps the outcome and
leaves one ply less, or that keeps the score. What that does not settle is asked of the solution,
position by position: endless wins, scores on cycles, ties that are broken otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.errors import TableError
from perfectplay.positions.batch import Batch, Expander
from perfectplay.rules.capabilities import by_turns
from perfectplay.solvers.store import NONE
from perfectplay.table.numbered import ByNumber, holes
from perfectplay.verification.stored_units import child_strata, stored_reward
from perfectplay.verification.table_rows import TableRows, find

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

ASK = -2
"""Stands for a number that must be asked of the solution."""
_LAST = np.int64(2) ** 62


class BestMoveNumbers:
    """Numbers of best moves in the order of the rules; -1 where nobody moves."""

    def __init__(self, solution: Solution, rules: Expander) -> None:
        self._solution, self._rules = solution, rules
        if not isinstance(solution.table, ByNumber):
            self._rows = TableRows(solution.table)
        facts = solution.facts
        self._cyclic = set(solution.report.get("methods") or ["unknown"]) != {"acyclic"}
        plain = solution.ties == "first" and not facts.chance and not by_turns(solution.game)
        self._outcomes = plain and facts.outcome
        self._scores = plain and facts.scalar and not facts.outcome

    def of(
        self, keys: Any, positions: list[Any], batch: Batch, columns: dict[str, Any]
    ) -> list[int]:
        """The numbers for positions with these keys, expanded as `batch`, with these columns."""
        moving = batch.kind >= 0
        if "move" in columns and not by_turns(self._solution.game):
            found = np.where(moving, columns["move"], -1).astype(np.int64)
        elif self._outcomes:
            found = self._keeping_outcomes(keys, batch, columns)
        elif self._scores:
            found = self._keeping_scores(batch, columns)
        else:
            found = np.full(len(keys), ASK, np.int64)
        found[~moving] = -1
        for row in np.flatnonzero((found == ASK) | (moving & (found == -1))).tolist():
            found[row] = self._solution.leading(positions[row])[0].number
        numbers: list[int] = found.tolist()
        return numbers

    def _keeping_outcomes(self, keys: Any, batch: Batch, columns: dict[str, Any]) -> Array:
        """The first move that leads to what the position is worth; ASK for endless wins."""
        own, parent = columns["outcome"], _of_parents(batch)
        worth, depth = self._worth(batch, "outcome"), self._column(batch, "depth")
        own_depth = columns["depth"].astype(np.int64)
        keeps = worth == own[parent]
        after = np.where(depth < 0, -1, depth + 1)
        in_time = after == own_depth[parent]
        drawn = own == 0
        back = self._leading_back(keys, batch, parent)
        # a draw goes on for as long as it says if it can; a win or a loss must
        rank = np.where(keeps & (in_time | drawn[parent]), 2 * back + ~in_time, 4)
        found = _first_least(batch, rank, 4)
        found[(own != 0) & (own_depth < 0)] = ASK
        if self._solution.facts.endless:
            found[drawn] = ASK
        return found

    def _keeping_scores(self, batch: Batch, columns: dict[str, Any]) -> Array:
        """The first move that keeps the score; ASK where play could come back from one that earns
        nothing."""
        parent, reward = _of_parents(batch), stored_reward(batch, self._solution.facts)
        keeps = self._worth(batch, "score") + reward == columns["score"][parent]
        found = _first_least(batch, np.where(keeps, 0, 4), 4)
        if self._cyclic:
            found[parent[keeps & (reward == 0)]] = ASK
        found[columns["score"] == NONE] = ASK
        return found

    def _worth(self, batch: Batch, name: str) -> Array:
        """int64[e]: what children are worth to player 0 of the parent."""
        worth = self._column(batch, name)
        swap = np.broadcast_to(batch.swap, worth.shape)
        return np.where(swap == 1, -worth, worth)

    def _column(self, batch: Batch, name: str) -> Array:
        """int64[e]: a column of the children."""
        strata, table = child_strata(batch), self._solution.table
        keys = self._rules.keys(batch.child)
        out = np.zeros(len(strata), np.int64)
        if isinstance(table, ByNumber):
            assert table.numbering is not None
            if len(out):
                found = table.find_all(strata, table.numbering.ranks(keys))
                self._refuse(holes(found).any())
                out[:] = found[name]
            return out
        for number in distinct(strata):
            edges = np.flatnonzero(strata == number)
            held = self._rows.get(int(number))
            self._refuse(held is None)
            assert held is not None
            rows = find(held[0], keys, edges)
            self._refuse((rows < 0).any())
            out[edges] = held[1][name][rows]
        return out

    def _refuse(self, missing: Any) -> None:
        if missing:
            raise TableError(
                "the table lacks a position that a move leads to",
                "perfectplay verify says where; solve the game again",
            )

    def _leading_back(self, keys: Any, batch: Batch, parent: Array) -> Array:
        """int64[e]: 1 for edges to where they come from: such a move is made last."""
        to, out = self._rules.keys(batch.child), np.zeros(len(parent), np.int64)
        if isinstance(to, np.ndarray):
            out[(to == np.asarray(keys)[parent]).all(axis=1)] = 1
        else:
            out[[e for e, row in enumerate(parent.tolist()) if to[e] == keys[row]]] = 1
        return out


def _of_parents(batch: Batch) -> Array:
    """int64[e]: the row that an edge leaves."""
    return np.repeat(np.arange(len(batch.kind)), np.diff(batch.first))


def _first_least(batch: Batch, rank: Array, none: int) -> Array:
    """int64[n]: the number of the first edge of least rank; -1 where all have rank `none`."""
    size = len(batch.first) - 1
    out = np.full(size, -1, np.int64)
    rows = np.flatnonzero(np.diff(batch.first))
    if not len(rows):
        return out
    starts = batch.first[rows]
    number = np.arange(len(rank)) - np.repeat(starts, np.diff(batch.first)[rows])
    order = np.where(rank < none, rank.astype(np.int64) * (1 << 32) + number, _LAST)
    least = np.minimum.reduceat(order, starts)
    out[rows] = np.where(least < _LAST, least & ((1 << 32) - 1), -1)
    return out
