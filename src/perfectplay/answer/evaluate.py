"""Evaluate: what a policy that somebody wrote is worth, exactly, and where it errs most.

following/solved_graph.py says how the value under a policy is found and proved. What a move loses
is read off the solved game; how often a position is met follows from who plays what
(solvers/chance/policy.py)."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from perfectplay.answer.evaluation import (
    SIDES,
    Evaluation,
    Mistake,
    PolicyMove,
    Seat,
    difference,
    weighed,
)
from perfectplay.answer.following.solved_graph import SolvedGraph
from perfectplay.answer.policies import NAMED, Policy, policy_name, uneven
from perfectplay.answer.policy_graph import (
    Chooser,
    Chosen,
    PolicyEdges,
    PolicyGraph,
    follow,
)
from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.errors import NoSolverError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import Game, declares
from perfectplay.rules.value import Value
from perfectplay.solvers.store import Store
from perfectplay.solvers.work import Options
from perfectplay.solving.choose import refuse_ties
from perfectplay.strata.graph import Graph

Against = Policy | Literal["reply", "optimum", "itself", "random"] | None
LOOKS = 200
"""At how many positions a policy is asked twice: as they are, and as their representatives."""


@explained
def evaluate(  # noqa: PLR0913
    game: Game,
    policy: Policy | Literal["random"],
    against: Against = None,
    *,
    exact: bool = False,
    mistakes: int = 10,
    start: Any = None,
    ties: str = "first",
    workers: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """What the function `policy(game, p)` is worth in the place of each player.

    It returns a move, or several as {move: weight}, weights being positive integers or Fractions;
    "random" makes every legal move with the same probability. The others know the policy and make
    the best of it (`against` None or "reply"), or make the best moves of the solved game
    ("optimum"), or follow the same policy ("itself"), or another one. `exact` asks for rationals,
    `start` is another position to begin with, `mistakes` says how many of the worst to name. A
    policy sees representatives of positions."""
    refuse_ties(ties, game)
    followed, other = _named(policy), _named(against)
    _refuse(game, followed, other)
    options = Options(exact=exact, workers=workers or cores(), ties=ties)
    with threads(options.workers):
        solved = SolvedGraph.of(game, options, memory, progress)
        return _Evaluating(solved, other).evaluation(followed, start, mistakes)


def _named(policy: Any) -> Any:
    """The policy that is called by a word; anything else as it is."""
    return NAMED.get(policy, policy) if isinstance(policy, str) else policy


def _refuse(game: Game, policy: Policy, against: Against) -> None:
    """UsageError if the arguments make no sense."""
    if not callable(policy):
        raise UsageError(
            f"{policy!r} is no policy",
            "a policy is a function of a game and a position that returns a move, or "
            f"{', '.join(NAMED)}",
        )
    if not callable(against) and against not in (None, *SIDES):
        raise UsageError(
            f"{against!r} is no policy to play against",
            f"a function, or {', '.join((*SIDES, *NAMED))}",
        )
    if simultaneous(game) is not None:
        raise NoSolverError(
            f"{type(game).__name__} has simultaneous moves: policies are not evaluated there",
            "probe shows what every choice is worth against an optimal mixed strategy",
        )
    if game.players == 1 and callable(against):
        raise UsageError("one player plays against nobody", "leave out the second policy")


@dataclass
class _Evaluating:
    """A solved game in which policies are to be followed."""

    solved: SolvedGraph
    against: Against

    def __post_init__(self) -> None:
        solved = self.solved
        self.solution, self.game, self.graph = solved.solution, solved.game, solved.graph
        self.facts, self.whole = solved.facts, solved.whole
        alone = self.game.players == 1 or self.against == "itself"
        self.seats = 1 if alone else self.game.players
        self.played_facts = self.facts
        """Those of the graph in which policies are followed."""

    def evaluation(self, policy: Policy, start: Any, mistakes: int) -> Evaluation:
        """The answer."""
        p = self.solution.start if start is None else start
        perfect = self.solution.values(p)
        row, shift = self.solved.row(p)
        players = self.game.players
        mine = PolicyEdges(self.game, policy, self.whole, self.graph.first)
        froms = [(row, (i + shift) % players if self.seats > 1 else 0) for i in range(players)]
        self.solved.run.progress.start("follow")
        played = follow(self.graph, froms, self.seats, mine, self._others())
        self.played_facts = self.solved.played_facts(played)
        store = self.solved.solve(played, self.played_facts)
        seats = []
        for i, name in enumerate(self.solved.names()):
            place = played.place(*froms[i])
            value = self.solved.values(self.played_facts, store, place)[(i + shift) % players]
            lost = self._given_away(perfect[i], value)
            seats.append(Seat(i, name, value, perfect[i], lost))
        times = self._times(played, store, froms)
        wrong, found = self._mistakes(played, times, mistakes)
        return Evaluation(
            policy=policy_name(policy),
            against=self._side(),
            start=self.game.text(p),
            seats=tuple(seats),
            positions=len(distinct(played.nodes // self.seats)),
            asked=len(mine.asked),
            wrong=wrong,
            mistakes=tuple(found),
            notes=tuple(self._notes(policy, mine, played, times)),
            solution=self.solution,
        )

    def _given_away(self, perfect: Value, value: Value) -> Value:
        """By how much a value falls short; an outcome counts as the payoff that it stands for."""
        perfect = self.solved.paid(perfect, value)
        return difference(perfect, value, minimise=self.facts.minimise)

    def _side(self) -> str:
        if self.game.players == 1:
            return "nobody"
        if callable(self.against):
            return policy_name(self.against)
        return self.against or "reply"

    def _others(self) -> Chooser | None:
        """What those do who do not follow the policy; None: what is best for them."""
        if callable(self.against):
            return PolicyEdges(self.game, self.against, self.whole, self.graph.first)
        if self.against != "optimum" or self.game.players == 1:
            return None
        best = self.solved.best_edges(self.graph, self.facts, self.solved.run.store)
        if best is None:
            raise UsageError(
                "with interests that are not opposed there is no perfect play whatever others do",
                "--against reply: the others make the best of the policy",
            )
        return lambda rows: Chosen.single(best[rows])

    # -- Mistakes. --------------------------------------------------------------------------------

    def _times(
        self, played: PolicyGraph, store: Store, froms: list[tuple[int, int]]
    ) -> Array | None:
        """How often each row is met, the mean of all seats; None if that is not known."""
        from perfectplay.solvers.chance.policy import visits

        graph = played.graph
        edge: Array | None = graph.first[:-1]
        if _free(graph).any():
            edge = self.solved.best_edges(graph, self.played_facts, store)
        if edge is None:
            return None
        begin = np.zeros(graph.size)
        for row, seat in froms:
            begin[played.place(row, seat)] += 1 / len(froms)
        return visits(graph, edge, begin)

    def _mistakes(
        self, played: PolicyGraph, times: Array | None, most: int
    ) -> tuple[int, list[Mistake]]:
        """How many positions have a mistake, and the worst of them."""
        own = np.flatnonzero(played.own)
        places, count = played.edges_of(own)
        owner = np.repeat(np.arange(len(own)), count)
        weight = played.graph.weight[places]
        share = weight / np.bincount(owner, weight, len(own))[owner]
        rows, edges = played.nodes[own] // self.seats, played.edge[places]
        each = self.solved.losses(rows[owner], edges)
        loss = np.bincount(owner, share * each, len(own))
        wrong = np.flatnonzero(loss)
        often = np.ones(len(own)) if times is None else times[own]
        cost = np.array([weighed(often[k], loss[k]) for k in wrong.tolist()])
        order = np.lexsort((wrong, -loss[wrong], -cost))[:most]
        begin = np.cumsum(count) - count
        found = []
        for k in wrong[order].tolist():
            made = slice(begin[k], begin[k] + count[k])
            often_here = None if times is None else float(often[k])
            found.append(self._mistake(int(rows[k]), edges[made], weight[made], often_here))
        return len(wrong), found

    def _mistake(self, row: int, edges: Array, weight: Array, times: float | None) -> Mistake:
        """The mistake of taking one of these edges of a row."""
        p = self.whole.position(row)
        moves = self.solution.moves(p)
        legal = list(self.game.moves(p))
        total = int(weight.sum())
        # Outcomes are one apart, whatever is paid for them; means are means of payoffs.
        unit = self.facts.scale if self.facts.outcome and not self.played_facts.outcome else 1
        made = []
        for number, share in zip(
            (edges - self.graph.first[row]).tolist(), weight.tolist(), strict=True
        ):
            text = self.game.move_text(p, legal[number])
            move = next(each for each in moves if each.text == text and each.move == legal[number])
            made.append(PolicyMove(move, Fraction(share, total), move.loss / unit))
        made.sort(key=lambda choice: -choice.cost)
        return Mistake(p, self.game.text(p), tuple(made), moves[0], times)

    # -- Notes. -----------------------------------------------------------------------------------

    def _notes(
        self, policy: Policy, mine: PolicyEdges, played: PolicyGraph, times: Array | None
    ) -> Iterator[str]:
        free = _free(played.graph).any() and not self.facts.scalar
        if times is None:
            why = "others are free in their choice" if free else "play need not end, or lasts long"
            yield f"how often positions are met is not known: {why}"
        if free:
            yield "each of the others looks after himself: a policy may gain by what they do"
        if declares(self.game, "representative"):
            rows = mine.asked
            some = rows[:: max(1, len(rows) // LOOKS)].tolist()
            pair = uneven(self.solution, policy, map(self.whole.position, some))
            if pair is not None:
                yield (
                    f"{policy_name(policy)} does not do the same at {self.game.text(pair[0])} and "
                    f"at {self.game.text(pair[1])}, which are the same by symmetry: the second "
                    "counts"
                )


def _free(graph: Graph) -> Array:
    """bool[n]: rows at which a player has a choice."""
    return (np.diff(graph.first) > 1) & (graph.kind >= 0)
