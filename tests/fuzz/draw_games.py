"""Random games of twelve kinds, each with its graph as a slow twin reads it.

A case is one number: it determines the kind of the game, the game, and how it is solved."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from graph_rules import (
    EDGES,
    NODES,
    AbsoluteRules,
    GraphRules,
    Numbers,
    PairRules,
    SeatRules,
    ThreeRules,
)

from perfectplay.rules.game import CHANCE, OVER, Game


@dataclass
class DrawnGraph:
    """A graph by node: who moves, what it pays each player, and its edges (child, seats turned,
    weight, what who moves earns)."""

    kinds: list[int]
    paid: list[Numbers]
    edges: list[list[tuple[int, int, int, int]]]
    starts: list[int]


@dataclass
class DrawnGame:
    """A random game: its rules, its graph, and how it is to be solved."""

    kind: str
    rules: Game
    graph: DrawnGraph
    native: bool
    exact: bool = False
    ties: str = "first"
    paying_cycles: bool = False
    """Whether moves on a cycle may earn something, which some solvers refuse."""


@dataclass
class Plan:
    """What graphs of a kind look like."""

    movers: tuple[int, ...] = (0,)
    cyclic: bool = False
    payoffs: tuple[int, int] = (-1, 1)
    rewards: tuple[int, ...] = (0,)
    paying_cycles: bool = False
    columns: int = 1
    shifts: tuple[int, ...] = (0,)
    most_nodes: int = 8
    most_choices: int = 10**9
    """How many policies there may be, where all are tried."""


def draw(number: int, seed: int = 0) -> DrawnGame:
    """The game of a case."""
    rng = random.Random(f"{seed} game {number}")
    kind = list(KINDS)[number % len(KINDS)]
    game = KINDS[kind](rng)
    game.kind = kind
    return game


def graph_of(rng: random.Random, plan: Plan) -> DrawnGraph:
    """A random graph in which every node but the last ones has children."""
    while True:
        graph = _attempt(rng, plan)
        choices = 1
        for kind, edges in zip(graph.kinds, graph.edges, strict=True):
            choices *= len(edges) if kind >= 0 else 1
        if choices <= plan.most_choices:
            return graph


def _attempt(rng: random.Random, plan: Plan) -> DrawnGraph:
    size = rng.randint(3, plan.most_nodes)
    ends = rng.randint(1, max(1, size // 3))
    kinds = [OVER] * ends + [rng.choice(plan.movers) for _ in range(size - ends)]
    if plan.cyclic and rng.random() < 0.1:
        kinds[0] = rng.choice(plan.movers)  # perhaps there is no end at all
    paid = [tuple(rng.randint(*plan.payoffs) for _ in range(plan.columns)) for _ in kinds]
    edges: list[list[tuple[int, int, int, int]]] = []
    room = EDGES - size
    for node, kind in enumerate(kinds):
        below = list(range(size if plan.cyclic else node))
        count = 0 if kind == OVER or not below else rng.randint(1, min(3, len(below), 1 + room))
        room -= max(0, count - 1)
        edges.append(
            [
                (to, rng.choice(plan.shifts), rng.randint(1, 3), rng.choice(plan.rewards))
                for to in rng.choices(below, k=count)
            ]
        )
        if not count:
            kinds[node] = OVER
    graph = DrawnGraph(kinds, paid, edges, _starts(rng, size))
    for node, kind in enumerate(kinds):
        edges[node] = [
            (to, turned, weight if kind == CHANCE else 1, 0 if kind == CHANCE else earned)
            for to, turned, weight, earned in edges[node]
        ]
    if plan.cyclic and not plan.paying_cycles:
        _no_paying_cycles(graph)
    return graph


def _starts(rng: random.Random, size: int) -> list[int]:
    """The last node, or several."""
    if rng.random() < 0.5:
        return [size - 1]
    return [rng.randrange(size) for _ in range(rng.randint(2, 4))]


def reached(graph: DrawnGraph) -> list[set[int]]:
    """The nodes that can be reached from each node, and the node itself."""
    found = [{node, *(edge[0] for edge in edges)} for node, edges in enumerate(graph.edges)]
    for _ in found:
        found = [set().union(*(found[to] for to in each)) for each in found]
    return found


def _no_paying_cycles(graph: DrawnGraph) -> None:
    far = reached(graph)
    for node, edges in enumerate(graph.edges):
        graph.edges[node] = [
            (to, turned, weight, 0 if node in far[to] else earned)
            for to, turned, weight, earned in edges
        ]


def heights(rng: random.Random, graph: DrawnGraph) -> list[int]:
    """Strata that no move raises: all the same, or by how much can be reached, some joined."""
    if rng.random() < 0.5:
        return [0] * len(graph.kinds)
    step, low = rng.randint(1, 3), rng.randint(-3, 2)
    return [len(each) // step + low for each in reached(graph)]


def _padded(numbers: list[int], length: int, blank: int = 0) -> Numbers:
    return (*numbers, *[blank] * (length - len(numbers)))


def rules_of(cls: type[Game], rng: random.Random, graph: DrawnGraph, **more: Any) -> Game:
    """The graph as rules."""
    flat = [edge for edges in graph.edges for edge in edges]
    first = [sum(len(edges) for edges in graph.edges[:node]) for node in range(len(graph.edges))]
    columns = list(zip(*graph.paid, strict=True))
    names = ["paid", "paid_second", "paid_third"]
    for name, column in zip(names, columns, strict=False):
        more[name] = _padded(list(column), NODES)
    return cls(
        nodes=_padded(graph.kinds, NODES, OVER),
        first_edge=_padded(first, NODES + 1, len(flat)),
        child=_padded([edge[0] for edge in flat], EDGES),
        shift=_padded([edge[1] for edge in flat], EDGES),
        weight=_padded([edge[2] for edge in flat], EDGES, 1),
        earned=_padded([edge[3] for edge in flat], EDGES),
        height=_padded(heights(rng, graph), NODES),
        first_nodes=tuple(graph.starts),
        **more,
    )


def _game(rng: random.Random, cls: type[Game], plan: Plan, **more: Any) -> DrawnGame:
    how = {name: more.pop(name) for name in ("exact", "ties") if name in more}
    graph = graph_of(rng, plan)
    rules = rules_of(cls, rng, graph, **more)
    native = rng.random() < 0.5
    return DrawnGame("", rules, graph, native, paying_cycles=plan.paying_cycles, **how)


ANY = tuple(range(-5, 6))


def _alternate_acyclic(rng: random.Random) -> DrawnGame:
    return _game(rng, GraphRules, Plan(shifts=(1,), most_nodes=10))


def _alternate_cyclic(rng: random.Random) -> DrawnGame:
    return _game(rng, GraphRules, Plan(shifts=(1,), cyclic=True, most_nodes=10))


def _extra_turns(rng: random.Random) -> DrawnGame:
    endless = rng.choice((None, -1, 0, 1))
    return _game(rng, AbsoluteRules, Plan((0, 1), cyclic=True, most_nodes=10), endless=endless)


def _endless_any(rng: random.Random) -> DrawnGame:
    plan = Plan((0, 1), cyclic=True, most_nodes=10)
    return _game(rng, AbsoluteRules, plan, endless=rng.choice(ANY))


def _scores_acyclic(rng: random.Random) -> DrawnGame:
    plan = Plan(payoffs=(-9, 9), rewards=(0, 0, 1, -2, 5), most_nodes=10)
    if rng.random() < 0.5:
        plan.shifts = (1,)
        return _game(rng, GraphRules, plan)
    plan.movers = (0, 1)
    return _game(rng, AbsoluteRules, plan, endless=rng.choice((None, 2)))


def _scores_cyclic(rng: random.Random) -> DrawnGame:
    plan = Plan(payoffs=(-9, 9), rewards=(0, 1, -2, 5), cyclic=True)
    plan.paying_cycles = rng.random() < 0.1
    if rng.random() < 0.5:
        plan.shifts = (1,)
        return _game(rng, GraphRules, plan)
    plan.movers = (0, 1)
    return _game(rng, AbsoluteRules, plan, endless=rng.choice((None, *ANY)))


def _puzzle(rng: random.Random, *, minimise: bool) -> DrawnGame:
    costs = rng.choice(((0, 1), (0, 0, 1, 4), (1,), (0,)))
    rewards = costs if minimise else tuple(-cost for cost in costs)
    if rng.random() < 0.1:
        rewards = (*rewards, -1, 1)
    plan = Plan(payoffs=(-3, 5), rewards=rewards, cyclic=True, paying_cycles=True, most_nodes=7)
    endless = rng.choice((None, None, *ANY))
    return _game(rng, AbsoluteRules, plan, players=1, minimise=minimise, endless=endless)


def _puzzle_coins(rng: random.Random) -> DrawnGame:
    """One player who gathers, and can wander about for nothing between what pays."""
    if rng.random() < 0.5:
        return _puzzle(rng, minimise=False)
    plan = Plan(payoffs=(0, 3), rewards=(0, 0, 1, 2), cyclic=True, most_nodes=7)
    return _game(rng, AbsoluteRules, plan, players=1, endless=rng.choice((None, *ANY)))


def _chance_acyclic(rng: random.Random) -> DrawnGame:
    players = rng.choice((1, 2))
    movers = (*range(players), *[CHANCE] * players)
    plan = Plan(movers, payoffs=(-3, 4), rewards=(0, 0, 1, -2), most_nodes=10)
    minimise = players == 1 and rng.random() < 0.5
    exact = rng.random() < 0.5
    return _game(rng, AbsoluteRules, plan, players=players, minimise=minimise, exact=exact)


def _chance_cyclic(rng: random.Random) -> DrawnGame:
    players = rng.choice((1, 2, 2))
    movers = (*range(players), *[CHANCE] * players)
    plan = Plan(movers, cyclic=True, payoffs=(-3, 4), rewards=(0, 1), most_nodes=6)
    plan.most_choices = 12
    minimise = players == 1 and rng.random() < 0.5
    plan.paying_cycles = minimise and rng.random() < 0.7
    endless = None if plan.paying_cycles else rng.choice((None, *ANY))
    return _game(
        rng, AbsoluteRules, plan, players=players, minimise=minimise, endless=endless,
        exact=rng.random() < 0.5,
    )  # fmt: skip


def _several_players(rng: random.Random) -> DrawnGame:
    columns = rng.choice((2, 3))
    movers = tuple(range(columns)) + (CHANCE,) * rng.randint(0, 1)
    plan = Plan(movers, payoffs=(-1, 2), rewards=(0, 0, 1), columns=columns, most_nodes=9)
    ties = rng.choice(("first", "last", "average", "for:2", "against:1", "lexicographic"))
    cls = PairRules if columns == 2 else ThreeRules
    return _game(rng, cls, plan, exact=rng.random() < 0.5, ties=ties)


def _seats(rng: random.Random) -> DrawnGame:
    what = rng.choice(("outcome", "score", "chance"))
    plan = Plan((0, 0, 1), cyclic=rng.random() < 0.7, shifts=(0, 1, 1), most_nodes=7)
    if what == "score":
        plan.payoffs, plan.rewards = (-5, 5), (0, 1, -2)
    if what == "chance":
        plan.movers, plan.most_nodes, plan.most_choices = (0, 1, CHANCE), 5, 4
    return _game(rng, SeatRules, plan, exact=rng.random() < 0.5)


KINDS = {
    "alternate": _alternate_acyclic,
    "alternate, cycles": _alternate_cyclic,
    "extra turns, cycles": _extra_turns,
    "endless of any value": _endless_any,
    "scores": _scores_acyclic,
    "scores, cycles": _scores_cyclic,
    "puzzle, least": lambda rng: _puzzle(rng, minimise=True),
    "puzzle, most": _puzzle_coins,
    "chance": _chance_acyclic,
    "chance, cycles": _chance_cyclic,
    "several players": _several_players,
    "sides": _seats,
}
"""The twelve kinds, by name."""
