"""Plan: what solving a game will cost, from a few seconds of looking at it."""

import random
import time
from dataclasses import replace
from itertools import islice, pairwise
from statistics import median
from typing import Any

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.batch import Expander
from perfectplay.positions.expand import expander
from perfectplay.positions.explained import explained
from perfectplay.positions.explore import Explorer
from perfectplay.progress import Silent
from perfectplay.rules.capabilities import most_inside, numbered_starts, own_solver
from perfectplay.rules.game import Game, declares, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solving.budget import Budget, per_position, start_bytes
from perfectplay.solving.estimate import at_least, expected, growth
from perfectplay.solving.forecast import Forecast
from perfectplay.solving.found_plan import Plan
from perfectplay.solving.plan_numbered import plan_numbered
from perfectplay.solving.plan_unlabelled import plan_unlabelled
from perfectplay.solving.route import Home, route
from perfectplay.solving.shards.crew import workers_of
from perfectplay.strata.stratum_queue import StratumQueue

SECONDS = 2.5
"""How long to look."""
MANY = 10**7
"""Numbers of first positions that are not all tried by a plan."""
SAMPLE = 4000
FAR = 0.67
"""Strata that have come no nearer to 0 than this part of the way are the first of many."""
COUNTING = 0.35
"""The part of the time for looking in which first positions are counted: to collect them takes
longer than that."""
SLICES = 9
"""Measurements of the rate."""
INDEXING = 0.4
"""Finding positions takes this much of the rate of expanding alone."""


@explained
def plan(
    game: Game,
    memory: int | None = None,
    seconds: float = SECONDS,
    *,
    exact: bool = False,
    on: str | None = None,
) -> Forecast:
    """Look at `game` for some seconds and forecast what solving it takes, perhaps for `exact`
    values, or `on` other workers; along the route that `solve` goes."""
    own = own_solver(game, exact=exact)
    homes = route(game, exact=exact, stored=own is None or on is not None, on=on).homes
    if own is not None and Home.OWN in homes:
        forecast: Forecast = own.plan(memory, seconds)
        return forecast
    limit = TimeLimit(seconds, native=game.native)
    if Home.SHARDS in homes:
        return _shared(game, memory, limit, str(on))
    if Home.NUMBERS in homes:
        return plan_numbered(game, memory, limit)
    unlabelled = plan_unlabelled(game, memory, limit) if Home.LABELS in homes else None
    return unlabelled or _plan(game, memory, limit)


def _shared(game: Game, memory: int | None, limit: TimeLimit, on: str) -> Plan:
    """The forecast for other workers. Where pieces have labels, positions are counted by
    unlabelled ones, though shards do not use them."""
    from perfectplay.solving.shards.shared_plan import shared

    workers_of(on)
    counted = plan_unlabelled(game, memory, limit.share(0.5)) if game.native else None
    found = _plan(game, memory, limit)
    if counted is not None and counted.complete and not found.complete:
        found = replace(
            found,
            complete=True,
            positions=counted.positions,
            estimate=None,
            strata=counted.strata,
            largest_stratum=counted.largest_stratum,
        )
    return shared(found, on)


def _plan(game: Game, memory: int | None, limit: TimeLimit) -> Plan:
    """The forecast for a game that is found position by position."""
    budget, cpu = Budget(memory), time.process_time()
    until = time.perf_counter() + COUNTING * limit.left
    starts, counted = budget.count_starts(game, Silent(), until)
    took = time.process_time() - cpu
    rules = expander(game)
    if not counted and not (rules.width and game.most_positions):
        return _begun(game, budget, starts, took)
    if not counted:
        return _by_sample(game, rules, budget, list(islice(game.starts(), SAMPLE)), starts)
    if rules.turn_patterns is not None and most_inside(game) is not None and game.most_positions:
        return _by_formula(game, rules, memory, limit)
    if numbered_starts(game) > MANY and game.most_positions:
        return _by_sample(game, rules, budget, _some_starts(game, limit.share(0.5)))
    if rules.width:  # compile first
        rules.expand(next(rules.start_batches())[0][:1])
    strata = declares(game, "stratum")
    walk, queue, pace = Explorer(rules), StratumQueue(None), Pace()
    complete = _explore(walk, queue, pace, limit.share(0.6))
    if walk.expanded:
        rate, each = pace.rate(walk.expanded), walk.edges / walk.expanded
    else:  # the first positions took all the time
        rate, each = _tried(rules, next(rules.start_batches())[0][:SAMPLE])
    shown = 0 if complete else at_least(walk, limit.left)
    strata_found = queue.sizes
    return Plan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=complete,
        positions=walk.found if complete else max(walk.found, shown),
        estimate=None if complete else _estimate(queue, game),
        growth=None if complete else growth(walk),
        edges_per_position=each,
        strata=len(strata_found) if strata else None,
        largest_stratum=max(strata_found.values(), default=walk.found),
        rate=rate,
        width=rules.width,
        bytes_per_position=per_position(game),
        budget=budget.most,
        most=game.most_positions,
        staying=_staying(game, walk),
        turns=rules.turn_patterns is not None,
    )


def _staying(game: Game, walk: Explorer) -> float:
    """The share of positions that may lie on cycles which are iterated. Without chance, and with
    two players, outcomes are found by counting children, along moves held once."""
    if not walk.expanded or not (declares(game, "chances") or game.players > 2):
        return 0.0
    return walk.staying / walk.expanded


def _estimate(queue: StratumQueue, game: Game) -> int | None:
    """About how many positions there are. The first strata of many mean little: then it is what
    the rules say at most, if they do."""
    strata, most = queue.sizes, game.most_positions
    if not strata or min(strata) > FAR * max(strata):
        return most
    return expected(queue, most)


def _begun(game: Game, budget: Budget, starts: int, took: float) -> Plan:
    """The plan for a game with so many first positions that there was no time for others."""
    return Plan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=False,
        positions=starts,
        estimate=game.most_positions,
        growth=None,
        edges_per_position=0.0,
        strata=0 if declares(game, "stratum") else None,
        largest_stratum=0,
        rate=starts / max(took, 1e-6),
        width=1 if game.native else 0,
        bytes_per_position=start_bytes(game),
        budget=budget.most,
        most=game.most_positions,
    )


def _by_formula(game: Game, rules: Expander, memory: int | None, limit: TimeLimit) -> Plan:
    """The plan of a game by turns that knows its sizes: only the rate is measured."""
    from perfectplay.solving.plan_turns import measured

    rate, edges = measured(game, rules, limit)
    return Plan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=False,
        positions=0,
        estimate=game.most_positions,
        growth=None,
        edges_per_position=edges,
        strata=None,
        largest_stratum=0,
        rate=rate,
        width=rules.width,
        bytes_per_position=per_position(game),
        budget=Budget(memory).most,
        most=game.most_positions,
        inside=most_inside(game),
    )


def _some_starts(game: Any, limit: TimeLimit) -> list[Any]:
    """Some of the first positions of a game that has numbers for them, at random."""
    some: list[Any] = []
    chance = random.Random(1)
    while len(some) < SAMPLE and not (limit.over and some):
        some += game.starts_of(chance.randrange(game.start_numbers))
    return some


def _by_sample(
    game: Game, rules: Expander, budget: Budget, some: list[Any], counted: int = 0
) -> Plan:
    """The plan of a game with too many first positions to collect, but which knows how
    many positions there are: some of the first ones show rate and moves."""
    rate, each = _tried(rules, rules.keys([game.representative(p) for p in some]))
    return Plan(
        game=rules_path(game),
        parameters=parameters(game),
        complete=False,
        positions=counted,
        estimate=game.most_positions,
        growth=None,
        edges_per_position=each,
        strata=0 if declares(game, "stratum") else None,
        largest_stratum=0,
        rate=rate,
        width=rules.width,
        bytes_per_position=per_position(game),
        budget=budget.most,
        most=game.most_positions if counted else None,
    )


def _tried(rules: Expander, keys: Any) -> tuple[float, float]:
    """(positions a second of one core that are expanded and found, moves of a position), by the
    faster of two trials; the first of three compiles."""
    took = []
    for _ in range(3):
        began = time.process_time()
        batch = rules.expand(keys)
        took.append(time.process_time() - began)
    return INDEXING * len(keys) / max(min(took[1:]), 1e-6), len(batch.child) / max(1, len(keys))


class _Enough(Exception):  # noqa: N818
    """The time for looking is over."""


class Pace:
    """How fast positions are expanded, by the seconds of a core; on a busy machine some of them
    hold many interruptions, so that it is taken in the middle of several measurements."""

    def __init__(self) -> None:
        self._marks = [(0, time.process_time())]

    def mark(self, expanded: int) -> None:
        """So many were expanded until now."""
        self._marks.append((expanded, time.process_time()))

    def rate(self, expanded: int) -> float:
        """Positions a second, if so many were expanded until now."""
        self.mark(expanded)
        bounds, found = self._marks[:1], []
        for mark in self._marks[1:]:
            if mark[0] - bounds[-1][0] >= max(1, expanded // SLICES):
                bounds.append(mark)
        for (before, began), (after, ended) in pairwise(bounds):
            found.append((after - before) / max(ended - began, 1e-6))
        return median(found)


def _explore(walk: Explorer, queue: StratumQueue, pace: Pace, limit: TimeLimit) -> bool:
    """Explore until all is found or time is up; whether all was found."""

    def watch(expanded: int) -> None:
        pace.mark(expanded)
        if limit.over:
            raise _Enough

    try:
        for found in walk.found_strata(watch):
            queue.sizes[found.stratum] = found.size
    except _Enough:
        return False
    return True
