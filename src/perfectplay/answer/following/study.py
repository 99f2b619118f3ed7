"""Study: what kind of game it is. How long does a play last, how much does skill matter, how often
does a choice matter, what does it cost to err, and what is it worth to move first?

Trick (2001) asks such questions of Flip and its variants, to find rules that make it worth
playing. Everything here follows from the solved game as one graph (solved_graph.py), in which four
policies are followed:

    best     makes the best move of the solved game
    greedy   looks one move ahead: makes the move after which play at random brings most
    random   makes every legal move with the same probability
    worst    does what is worst for itself

Held to such a policy a player has no choice left, and the solvers that prove the values of games
prove what is left: expected numbers are values, too, of a game that pays for what is counted."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.answer.evaluation import difference
from perfectplay.answer.following.found_study import (
    BEST,
    GREEDY,
    RANDOM,
    WORST,
    Choices,
    Length,
    PolicyFigures,
    Study,
)
from perfectplay.answer.following.solved_graph import SAME, SolvedGraph, float_bounds
from perfectplay.answer.policy_graph import Chooser, Chosen, PolicyGraph, follow
from perfectplay.compiled.arrays import Array
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.errors import NoSolverError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.value import Value
from perfectplay.solvers.chance.play_length import distribution, jumps
from perfectplay.solvers.work import Options
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph

BITS = 50
"""Losses are counted in such units that the largest has so many bits."""
_PAID = Facts(
    players=1, scalar=True, chance=True, rewards=True, outcome=False, endless=0.0
)  # fmt: skip
"""The facts of a game that pays for what is counted, and in which nobody chooses."""


@explained
def study(
    game: Game,
    *,
    exact: bool = False,
    start: Any = None,
    workers: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """How long a play lasts, how much skill and single choices matter, who has the advantage.

    For one player, or two with opposed interests. `exact` asks for fractions, `start` is another
    position to begin with."""
    _refuse(game)
    options = Options(exact=exact, workers=workers or cores())
    with threads(options.workers):
        solved = SolvedGraph.of(game, options, memory, progress)
        if not solved.facts.scalar:
            raise _not_opposed(game)
        return _Studying(solved, solved.solution.start if start is None else start).study()


def _refuse(game: Game) -> None:
    """NoSolverError if the game is not for one player, or two who move in turn."""
    name = type(game).__name__
    if game.players > 2:
        raise NoSolverError(
            f"{name} has {game.players} players: a study compares a policy with the best one, "
            "which there is for one player, or two with opposed interests",
            "evaluate says what a policy is worth among several players",
        )
    if simultaneous(game) is not None:
        raise NoSolverError(
            f"{name} has simultaneous moves: best play is mixed, and is not followed here",
            "probe shows what every choice is worth against an optimal mixed strategy",
        )


def _not_opposed(game: Game) -> NoSolverError:
    return NoSolverError(
        f"the players of {type(game).__name__} have interests that are not opposed: there is no "
        "best policy to compare others with",
        "evaluate says what a policy is worth there",
    )


@dataclass
class _Studying:
    """A solved game that is being studied, from one position on."""

    solved: SolvedGraph
    p: Any

    def __post_init__(self) -> None:
        self.game, self.graph = self.solved.game, self.solved.graph
        self.players = self.game.players
        self.row, self.shift = self.solved.row(self.p)
        self.notes: list[str] = []

    def study(self) -> Study:
        """The answer."""
        perfect = self.solved.solution.values(self.p)
        played = self._alone(self._best)
        report = self.solved.solution.report
        return Study(
            game=report["game"],
            parameters=report["parameters"],
            start=self.game.text(self.p),
            names=tuple(self.solved.names()),
            positions=len(self._whole.nodes),
            length=self._length(played),
            choices=self._choices(played),
            policies=tuple(self._policies(perfect, played)),
            notes=tuple(dict.fromkeys(self.notes)),
            solution=self.solved.solution,
        )

    # -- Policies. --------------------------------------------------------------------------------

    @cached_property
    def _best(self) -> Chooser:
        edges = self.solved.best_edges(self.graph, self.solved.facts, self.solved.run.store)
        assert edges is not None, "interests are opposed"
        return lambda rows: Chosen.single(edges[rows])

    def _random(self, rows: Array) -> Chosen:
        """All edges with the same weight."""
        edge, count = _edges_of(self.graph, rows)
        return Chosen(count, edge, np.ones(len(edge), np.int64))

    @cached_property
    def _whole(self) -> PolicyGraph:
        """All that can arise, players moving at random."""
        return self._alone(self._random)

    @cached_property
    def _greedy(self) -> Chooser:
        """The edges after which random play brings most, of equal ones the first."""
        whole, solved = self._whole, self.solved
        facts = solved.played_facts(whole)
        lower, upper = float_bounds(solved.solve(whole, facts), facts)
        value = np.zeros(self.graph.size)
        value[whole.nodes] = np.where(lower == upper, lower, 0.5 * (lower + upper))

        def choose(rows: Array) -> Chosen:
            edge, count = _edges_of(self.graph, rows)
            owner = np.repeat(np.arange(len(rows)), count)
            to = value[self.graph.child[edge]]
            worth = self.graph.reward[edge] + np.where(self.graph.swap[edge] & 1, -to, to)
            worth = np.where(self.graph.kind[rows][owner] == 1, -worth, worth)
            most = np.full(len(rows), -math.inf)
            np.maximum.at(most, owner, worth)
            margin = SAME * np.maximum(1.0, np.abs(np.where(np.isfinite(most), most, 0.0)))
            good = np.flatnonzero(worth >= (most - margin)[owner])
            _, which = np.unique(owner[good], return_index=True)
            return Chosen.single(edge[good[which]])

        return choose

    def _alone(self, chooser: Chooser) -> PolicyGraph:
        """The graph in which all players follow one policy."""
        return follow(self.graph, [(self.row, 0)], 1, chooser, None)

    def _policies(self, perfect: tuple[Value, ...], best: PolicyGraph) -> list[PolicyFigures]:
        """What each of the four brings."""
        nothing = tuple(Value("score", 0, 0) for _ in perfect)
        found = [PolicyFigures(BEST, perfect, nothing, perfect, self._moves(best))]
        for name, chooser in ((GREEDY, self._greedy), (RANDOM, self._random)):
            itself = self._alone(chooser)
            both = self._values(itself, self.solved.played_facts(itself), [0] * self.players)
            against = both if self.players == 1 else self._against_best(chooser)
            away = self._gives_away(perfect, against)
            found.append(PolicyFigures(name, against, away, both, self._moves(itself)))
        worst = self._worst()
        found.append(PolicyFigures(WORST, worst, self._gives_away(perfect, worst), (), None))
        return found

    def _gives_away(
        self, perfect: tuple[Value, ...], values: tuple[Value | None, ...]
    ) -> tuple[Value | None, ...]:
        less = self.solved.facts.minimise
        return tuple(
            None
            if value is None
            else difference(self.solved.paid(ideal, value), value, minimise=less)
            for ideal, value in zip(perfect, values, strict=True)
        )

    def _seats(self) -> list[int]:
        return [(i + self.shift) % self.players for i in range(self.players)]

    def _against_best(self, chooser: Chooser) -> tuple[Value | None, ...]:
        """What a policy brings in each place against perfect play."""
        seats = self._seats()
        played = follow(self.graph, [(self.row, s) for s in seats], 2, chooser, self._best)
        return self._values(played, self.solved.played_facts(played), seats)

    def _values(
        self, played: PolicyGraph, facts: Facts, seats: list[int]
    ) -> tuple[Value | None, ...]:
        """What the start is worth to the player in each place; None where there is no value."""
        try:
            store = self.solved.solve(played, facts)
        except UsageError as error:
            self.notes.append(error.message)
            return (None,) * self.players
        places = (played.place(self.row, seat) for seat in seats)
        return tuple(
            self.solved.values(facts, store, place)[(i + self.shift) % self.players]
            for i, place in enumerate(places)
        )

    def _worst(self) -> tuple[Value | None, ...]:
        """The least that a player can get: alone, or against perfect play."""
        if self.players == 1:
            played, seats = follow(self.graph, [(self.row, 0)], 1, None, None), [0]
        else:
            seats = self._seats()
            played = follow(self.graph, [(self.row, s) for s in seats], 2, None, self._best)
        facts = replace(self.solved.facts, chance=True, outcome=False)
        if math.isinf(facts.endless):  # who must end play does worst by never ending it
            if _can_stay(played.graph):
                return (Value("total", math.inf, math.inf),)
            facts = replace(facts, endless=0.0)
        kind = np.where(played.own, 1 - played.graph.kind, played.graph.kind)
        turned = replace(played, graph=replace(played.graph, kind=kind.astype(np.int8)))
        return self._values(turned, facts, seats)

    # -- What is counted. -------------------------------------------------------------------------

    def _expected(self, played: PolicyGraph, counted: Array) -> Value:
        """What play collects on average, if a row pays the integer counted[row] when it is met."""
        graph, fan = played.graph, np.diff(played.graph.first)
        paying = replace(
            graph,
            kind=np.where(graph.kind >= 0, np.int8(0), graph.kind),
            payoff=np.zeros(graph.size, np.int64),
            swap=np.zeros(graph.edges, np.uint8),
            reward=np.repeat(counted.astype(np.int64), fan),
        )
        store = self.solved.solve(replace(played, graph=paying), _PAID)
        return self.solved.values(_PAID, store, played.place(self.row, 0))[0]

    def _moves(self, played: PolicyGraph) -> Value:
        """How many moves players make, on average."""
        if _never_ending(played.graph).any():
            return Value("total", math.inf, math.inf)
        return self._expected(played, self.graph.kind[played.nodes] >= 0)

    def _length(self, played: PolicyGraph) -> Length:
        """How long play lasts if all make the best moves."""
        graph = played.graph
        chance, moving = graph.kind == CHANCE, graph.kind >= 0
        counted, unit = (chance, "chance events") if chance.any() else (moving, "moves")
        if jumps(graph, counted) is None:
            counted, unit = chance | moving, "moves and chance events"
        never = _never_ending(graph)
        start = played.place(self.row, 0)
        exact = self.solved.run.options.exact
        found = distribution(graph, counted, never, start, exact=exact)
        assert found is not None, "every step is counted"
        if never.any():
            endless = Value("total", math.inf, math.inf)
            return Length(unit, endless, endless, found, self._endless_share(played))
        means = self._expected(played, moving), self._expected(played, chance)
        return Length(unit, *means, found, Value("chance", 0, 0))

    def _endless_share(self, played: PolicyGraph) -> Value:
        """The probability that play never ends."""
        over = played.graph.kind == OVER
        ends = replace(played.graph, payoff=over.astype(np.int64))
        ends = replace(ends, kind=np.where(ends.kind >= 0, np.int8(0), ends.kind),
                       swap=np.zeros(ends.edges, np.uint8),
                       reward=np.zeros(ends.edges, np.int64))  # fmt: skip
        store = self.solved.solve(replace(played, graph=ends), _PAID)
        share = self.solved.values(_PAID, store, played.place(self.row, 0))[0]
        if share.lower == share.upper:
            return Value("chance", 1 - share.lower, 1 - share.lower)
        lower, upper = (
            math.nextafter(1 - x, way) for x, way in ((share.upper, 0.0), (share.lower, 1.0))
        )
        return Value("chance", lower, upper, "bounds")

    def _choices(self, played: PolicyGraph) -> Choices:
        """How often a choice matters under best play, and what it costs to err there."""
        rows = played.nodes
        fan = np.diff(self.graph.first)[rows]
        open_places = np.flatnonzero((self.graph.kind[rows] >= 0) & (fan > 1))
        edge, count = _edges_of(self.graph, rows[open_places])
        owner = np.repeat(np.arange(len(open_places)), count)
        loss = self.solved.losses(rows[open_places][owner], edge)
        least, most = self.solved.loss_bounds(rows[open_places][owner], edge)
        with np.errstate(invalid="ignore"):
            wide = np.where(loss > 0, (most - least) / 2, np.maximum(most, 0.0))
        off = float(wide[np.isfinite(wide)].max(initial=0.0))
        costs = {
            "next": np.full(len(open_places), math.inf),
            "random": np.bincount(owner, loss, len(open_places)) / np.maximum(count, 1),
            "worst": np.zeros(len(open_places)),
        }
        np.minimum.at(costs["next"], owner, np.where(loss > 0, loss, math.inf))
        np.maximum.at(costs["worst"], owner, loss)
        matters = costs["worst"] > 0
        here = np.zeros(len(rows), np.bool_)
        here[open_places] = True
        real = np.zeros(len(rows), np.bool_)
        real[open_places[matters]] = True
        if _never_ending(played.graph).any():
            self.notes.append("play need not end: choices are counted by position, not by play")
            return Choices(int(here.sum()), int(real.sum()), None, None, {})
        met, met_real = self._expected(played, here), self._expected(played, real)
        found = {}
        for name, cost in costs.items():
            per_row = np.zeros(len(rows))
            per_row[open_places[matters]] = cost[matters]
            found[name] = self._cost(played, per_row, met_real, off)
        return Choices(int(here.sum()), int(real.sum()), met, met_real, found)

    def _cost(self, played: PolicyGraph, per_row: Array, times: Value, off: float) -> Value:
        """The mean of a cost over all that happens `times` times a play; `off` is how far a cost
        may be from the truth."""
        largest = float(per_row.max(initial=0.0))
        if math.isinf(largest):
            return Value("total", math.inf, math.inf)
        if not largest:
            return Value("total", 0, 0)
        unit = 2.0 ** (math.frexp(largest)[1] - BITS)
        total = self._expected(played, np.rint(per_row / unit))
        slack = off + unit + 8 * 2.0**-53 * self._size
        most, least = float(times.upper), float(times.lower)
        lower = float(total.lower) * unit / most * (1 - 1e-15) - slack
        upper = float(total.upper) * unit / least * (1 + 1e-15) + slack
        return Value("total", max(lower, 0.0), upper, "bounds")

    @cached_property
    def _size(self) -> float:
        """The largest finite value."""
        lower, upper = float_bounds(self.solved.run.store, self.solved.facts)
        ends = np.abs(np.concatenate([lower, upper]))
        return float(ends[np.isfinite(ends)].max(initial=1.0))


# -- Graphs. --------------------------------------------------------------------------------------


def _edges_of(graph: Graph, rows: Array) -> tuple[Array, Array]:
    """All edges of some rows, and how many each row has."""
    begin = graph.first[rows]
    count = graph.first[rows + 1] - begin
    ends = np.cumsum(count)
    return np.repeat(begin - (ends - count), count) + np.arange(int(count.sum())), count


def _never_ending(graph: Graph) -> Array:
    """bool[n]: rows of components that play, in which nobody chooses, never leaves again."""
    found = components(graph)
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    here = found.number[row_of]
    leaving = np.bincount(here[here != found.number[graph.child]], minlength=found.count)
    never: Array = (found.cyclic & (leaving == 0))[found.number]
    return never


def _can_stay(graph: Graph) -> bool:
    """Whether the player who chooses everywhere can keep play going for ever."""
    found = components(graph)
    stays = found.cyclic[found.number]
    row_of = np.repeat(np.arange(graph.size), np.diff(graph.first))
    inside = found.number[row_of] == found.number[graph.child]
    fan = np.diff(graph.first)
    while True:
        good = inside & stays[graph.child]
        count = np.bincount(row_of[good], minlength=graph.size)
        keeps = stays & np.where(graph.kind == CHANCE, count == fan, count > 0)
        if (keeps == stays).all():
            return bool(stays.any())
        stays = keeps
