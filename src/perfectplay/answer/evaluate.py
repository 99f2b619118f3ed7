"""Evaluate: what a policy that somebody wrote is worth, exactly, and where it errs most.

The game is solved as `solve` does it. Then those who follow a policy lose all other moves
(policy_graph.py), and the same solvers say what is left: so the value under a policy is proved
just as the value under perfect play is. A policy that makes one of several moves at random turns
its positions into chance ones, so that a game without chance gets the solver of games with chance.
What a move loses is read off the solved game; how often a position is met follows from who plays
what (solvers/chance/policy.py)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from perfectplay.answer.policies import NAMED, Policy, policy_name, uneven
from perfectplay.answer.policy_graph import (
    Chooser,
    Chosen,
    JoinedStrata,
    PolicyEdges,
    PolicyGraph,
    follow,
)
from perfectplay.answer.solution import Solution
from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.errors import NoSolverError, RulesError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import Game, alternate, declares
from perfectplay.rules.value import Value
from perfectplay.solvers.store import (
    NONE,
    Bounds,
    Fractions,
    Outcomes,
    Scores,
    Store,
    Vectors,
    new_store,
)
from perfectplay.solvers.store import values as stored_values
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget
from perfectplay.solving.choose import choose, refuse_ties
from perfectplay.solving.route import route
from perfectplay.solving.run import Run
from perfectplay.strata.graph import Facts, Graph

Against = Policy | Literal["reply", "optimum", "itself", "random"] | None
SAME = 1e-12
"""Floats that differ by no more (relative to 1 or their size) make no mistake."""
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
    run = Run(
        game,
        options,
        route(game, exact=exact, stored=False, steps=True),
        budget=Budget(memory),
        progress=progress or Silent(),
        whole=False,
    )
    with threads(options.workers):
        queue, facts = run.explored()
        whole = JoinedStrata(run.rules)
        run.look = lambda found, moves, _: whole.add(found, moves)
        try:
            table = run.fill(queue, facts)
        finally:
            queue.close()
        solved = Solution(game, table, run.report(table))
        return _Evaluating(solved, facts, run, whole, other).evaluation(followed, start, mistakes)


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

    solution: Solution
    facts: Facts
    run: Run
    whole: JoinedStrata
    against: Against

    def __post_init__(self) -> None:
        self.game = self.solution.game
        self.graph = self.whole.graph()
        alone = self.game.players == 1 or self.against == "itself"
        self.seats = 1 if alone else self.game.players
        self.played_facts = self.facts
        """Those of the graph in which policies are followed."""

    def evaluation(self, policy: Policy, start: Any, mistakes: int) -> Evaluation:
        """The answer."""
        p = self.solution.start if start is None else start
        perfect = self.solution.values(p)
        row, shift = self._row(p)
        players = self.game.players
        mine = PolicyEdges(self.game, policy, self.whole, self.graph.first)
        froms = [(row, (i + shift) % players if self.seats > 1 else 0) for i in range(players)]
        self.run.progress.start("follow")
        played = follow(self.graph, froms, self.seats, mine, self._others())
        if played.mixed:
            self.played_facts = replace(self.facts, chance=True, outcome=False)
        store = self._solve(played)
        seats = []
        for i, name in enumerate(self._names()):
            value = self._values(store, played.place(*froms[i]))[(i + shift) % players]
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

    def _row(self, p: Any) -> tuple[int, int]:
        """The row of a position that can arise, and how its players are renamed there."""
        q = self.game.representative(p)
        row = self.whole.row(q)
        assert row is not None, "the solution knows the position"
        return row, 0 if alternate(self.game) else self.game.turn(q) - self.game.turn(p)

    def _given_away(self, perfect: Value, value: Value) -> Value:
        """By how much a value falls short; an outcome counts as the payoff that it stands for."""
        if perfect.kind == "outcome" and value.kind != "outcome":
            paid = Fraction(int(perfect.lower) + self.facts.offset, self.facts.scale)
            perfect = Value(value.kind, paid, paid)
        return difference(perfect, value, minimise=self.facts.minimise)

    def _names(self) -> list[str]:
        if self.game.players == 1:
            return ["the player"]
        if alternate(self.game):
            return ["moving first", "moving second"]
        return self.solution.player_names()

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
        best = self._best(self.graph, self.run.store)
        if best is None:
            raise UsageError(
                "with interests that are not opposed there is no perfect play whatever others do",
                "--against reply: the others make the best of the policy",
            )
        return lambda rows: Chosen.single(best[rows])

    def _best(self, graph: Graph, store: Store) -> Array | None:
        """A best edge of each row."""
        from perfectplay.solvers.chance.policy import best_edges

        move = getattr(store, "move", None)
        if graph is self.graph and move is not None:
            return np.where(move >= 0, graph.first[:-1] + move, -1)
        return best_edges(graph, self.played_facts, store)

    def _solve(self, played: PolicyGraph) -> Store:
        """The values of the graph in which policies are followed."""
        facts = self.played_facts
        solver = choose(facts)
        store = new_store(facts, len(played.nodes), exact=self.run.options.exact)
        self.run.progress.start("solve", len(played.nodes))
        try:
            for part in played.strata(self.whole.starts):
                solver(part, facts, store, self.run.options)
                self.run.progress.advance(part.size)
        except RulesError as error:
            raise UsageError(
                f"a policy has no value in this game: {error.message}",
                "it repeats a cycle that earns or costs something every time",
            ) from error
        self.run.progress.finish()
        return store

    def _values(self, store: Store, id: int) -> tuple[Value, ...]:
        columns = store.columns(id, id + 1)
        return stored_values(
            self.played_facts, {name: column[0] for name, column in columns.items()}
        )

    # -- Mistakes. --------------------------------------------------------------------------------

    def _times(
        self, played: PolicyGraph, store: Store, froms: list[tuple[int, int]]
    ) -> Array | None:
        """How often each row is met, the mean of all seats; None if that is not known."""
        from perfectplay.solvers.chance.policy import visits

        graph = played.graph
        edge: Array | None = graph.first[:-1]
        if _free(graph).any():
            edge = self._best(graph, store)
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
        each = self._losses(rows[owner], edges)
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

    def _losses(self, rows: Array, edges: Array) -> Array:
        """How much worse than the best an edge is at each row, 0 unless that is certain."""
        graph, players = self.graph, self.game.players
        mover, swap = graph.kind[rows], graph.swap[edges].astype(np.int64)
        to = graph.child[edges].astype(np.int64)
        best, made = [], []
        for side in self._bounds():
            if self.facts.scalar:
                sign = np.where(mover == 1, -1.0, 1.0)
                best.append(sign * side[rows])
                made.append(sign * (graph.reward[edges] + np.where(swap & 1, -side[to], side[to])))
            else:
                best.append(side[rows, mover])
                made.append(graph.reward[edges, mover] + side[to, (mover - swap) % players])
        with np.errstate(invalid="ignore"):
            least = np.minimum(*best) - np.maximum(*made)
            loss = (best[0] + best[1] - made[0] - made[1]) / 2
            certain = least > SAME * np.maximum(1.0, np.abs(np.where(np.isfinite(loss), loss, 0)))
        lost: Array = np.where(certain, loss, 0.0) / self.facts.scale
        return lost

    def _bounds(self) -> tuple[Array, Array]:
        """The lower and upper values of all rows as floats."""
        store = self.run.store
        if isinstance(store, Bounds):
            return store.lower, store.upper
        if isinstance(store, Fractions):
            floats = np.array([[float(x) for x in numbers] for numbers in store.value])
            value = floats[:, 0] if self.facts.scalar else floats
        elif isinstance(store, Scores):
            value = np.where(store.value == NONE, -math.inf, store.value)
        else:
            assert isinstance(store, Outcomes | Vectors)
            value = store.value.astype(float)
        return value, value

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
