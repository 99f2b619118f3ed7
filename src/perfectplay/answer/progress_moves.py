"""Best moves that make progress: whoever keeps to them reaches what the value promises.

Keeping the value at every step is not enough. Where moves go round a cycle for nothing, a player
can keep a value for ever and never get it. Games with chance have a column `move` in their tables.
Scores, and draws where endless play is none, have values only; there a move is found from these:

Let a player *press* whose value is better than endless play (or, alone, as good as that), and
consider best moves only. A move is *decisive* if it ends play, leaves the stratum or earns
something: no best play comes back from there, since a cycle of best moves earns nothing. The rank
of a position is 0 if a player who presses has a decisive move, or if another has no other;
otherwise it is one more than the least rank (for a player who presses; else the greatest) of what
moves that are not decisive lead to. A player who presses moves to the least rank. Ranks fall at
every step until a decisive move is made, and those are finite in number.

Ranks follow from values alone, so the answer does not depend on what was asked before. Only
positions within as many plies as the rank are looked at. One player first tries the first best
move everywhere, which often ends: then nothing else is looked at.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from perfectplay.answer.compare_moves import WeighedMove, after, gains
from perfectplay.rules.game import OVER, alternate
from perfectplay.rules.value import Value
from perfectplay.solvers.store import shown_numbers

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution


class BestMoves(NamedTuple):
    """The best moves at a position, as the representatives they lead to; none that stays."""

    presses: bool
    decisive: list[Any]
    others: list[Any]


class ProgressMoves:
    """Finds moves that make progress in a solved game."""

    def __init__(self, solution: Solution) -> None:
        self.solution, self.game, self.facts = solution, solution.game, solution.facts
        facts = self.facts
        cyclic = set(solution.report.get("methods") or ["unknown"]) != {"acyclic"}
        values_only = not facts.outcome or facts.endless != 0
        self._derived = cyclic and facts.scalar and not facts.chance and values_only
        if facts.outcome:
            self._endless = [facts.endless, -facts.endless]
        else:
            self._endless = [float(x) for x in shown_numbers(facts, facts.endless)]
        self._nodes: dict[Any, BestMoves] = {}
        self._ranks: dict[Any, float] = {}
        """Of positions whose ranks are known; infinite where best play cannot end."""
        self._first_ends: dict[Any, bool] = {}
        """Whether one player, always making the first best move, comes to a decisive one."""

    @property
    def size(self) -> int:
        """How many positions it has found something out about."""
        return max(len(self._nodes), len(self._ranks), len(self._first_ends))

    def in_front(self, p: Any, best: Sequence[WeighedMove]) -> list[WeighedMove]:
        """The best moves at `p`, one that makes progress first."""
        if len(best) < 2:
            return list(best)
        target = self._target(p)
        if target is None:
            return list(best)
        same = self.game.representative
        number = next((i for i, move in enumerate(best) if same(move.child) == target), 0)
        return [best[number], *best[:number], *best[number + 1 :]]

    def _target(self, p: Any) -> Any | None:
        """The representative to which a move that makes progress leads; None: any will do."""
        q = self.game.representative(p)
        number = (self.solution.row(q) or {}).get("move", -1)
        if number is not None and number >= 0:
            move = next(itertools.islice(self.game.moves(q), int(number), None))
            return self.game.representative(self.game.play(q, move))
        if not self._derived:
            return None
        here = self._best(q)
        if not here.presses:
            return None
        if here.decisive:
            return here.decisive[0]
        if self._settled(q):
            return here.others[0]
        rank = self._rank(q)
        return next((r for r in here.others if self._ranks.get(r, math.inf) < rank), None)

    # -- Best moves. ------------------------------------------------------------------------------

    def _best(self, q: Any) -> BestMoves:
        """The best moves at a representative, in the order of preference."""
        if q not in self._nodes:
            mover = self.solution.to_move(q)
            own = self.solution.values(q)[mover]
            found = BestMoves(self._presses(own, mover), [], [])
            for child, decisive in self._children(q, own, mover):
                (found.decisive if decisive else found.others).append(child)
            if self.solution.ties == "last":
                found.decisive.reverse()
                found.others.reverse()
            self._nodes[q] = found
        return self._nodes[q]

    def _children(self, q: Any, own: Value, mover: int) -> Iterator[tuple[Any, bool]]:
        game, solution = self.game, self.solution
        stratum = game.stratum(q)
        for m in game.moves(q):
            child = game.play(q, m)
            below = solution.values(child)
            if alternate(game):
                below = below[::-1]
            earned = gains(game.reward(q, m), mover, game.players)[mover]
            if after(below[mover], earned).lower != own.lower:
                continue
            r = game.representative(child)
            ended = solution.to_move(r) == OVER
            if ended or earned or game.stratum(r) != stratum:
                yield r, True
            elif r != q:
                yield r, False

    def _presses(self, own: Value, mover: int) -> bool:
        """Whether a player must see to it that play ends, or alone may as well."""
        if own.kind == "outcome" and own.lower != 0:
            return False  # the depth leads to the end
        sign = -1 if self.facts.minimise else 1
        worth, endless = sign * own.lower, sign * self._endless[mover]
        if worth == -math.inf:
            return False
        return worth >= endless if self.facts.players == 1 else worth > endless

    # -- Ranks. -----------------------------------------------------------------------------------

    def _settled(self, q: Any) -> bool:
        """Whether the rank of a representative is 0: a decisive move is made there, or, by one
        player, after some more first moves."""
        here = self._best(q)
        if here.decisive and (here.presses or not here.others):
            return True
        if self.facts.players > 1:
            return False
        path: dict[Any, None] = {}
        while q not in self._first_ends and q not in path and not self._best(q).decisive:
            path[q] = None
            if not self._best(q).others:
                break
            q = self._best(q).others[0]
        ends = self._first_ends.get(q, q not in path)
        self._first_ends.update(dict.fromkeys(path, ends))
        return ends

    def _rank(self, root: Any) -> float:
        """The rank of a representative; afterwards those are known that it follows from."""
        if root in self._ranks:
            return self._ranks[root]
        distance = {root: 0}
        layer, plies = [root], 0
        while layer:
            ranks = self._within(distance)
            for q, rank in ranks.items():
                if distance[q] + rank <= plies:
                    self._ranks[q] = rank
            if root in self._ranks:
                return self._ranks[root]
            plies += 1
            following = [
                r
                for q in layer
                if q not in self._ranks and not self._settled(q)
                for r in self._best(q).others
            ]
            layer = [r for r in dict.fromkeys(following) if r not in distance]
            distance |= dict.fromkeys(layer, plies)
        ranks = self._within(distance)
        self._ranks |= {q: ranks.get(q, math.inf) for q in distance}
        return self._ranks[root]

    def _within(self, known: dict[Any, int]) -> dict[Any, float]:
        """The ranks that follow if all positions but the known ones rank infinitely."""
        parents: dict[Any, list[Any]] = {}
        waits: dict[Any, int] = {}
        levels: dict[float, list[Any]] = {}
        for q in known:
            if q in self._ranks or self._settled(q):
                levels.setdefault(self._ranks.get(q, 0), []).append(q)
                continue
            here = self._best(q)
            waits[q] = 1 if here.presses else len(here.others)
            for r in here.others:
                parents.setdefault(r, []).append(q)
        ranks: dict[Any, float] = {}
        while levels:
            level = min(levels)
            for q in levels.pop(level):
                if q in ranks or level == math.inf:
                    continue
                ranks[q] = level
                for up in parents.get(q, ()):
                    waits[up] -= 1
                    if waits[up] == 0:
                        levels.setdefault(level + 1, []).append(up)
        return ranks
