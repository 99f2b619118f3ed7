"""Verification of random games: what passes is the truth, found from all pairs of policies."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from test_verify import Explicit, accepted

from perfectplay.errors import VerificationError
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.store import NONE

INF = math.inf


def random_game(rng: random.Random, *, players: int, chance: bool, rewards: bool) -> Explicit:
    """A small game full of cycles; play ends in one of two nodes."""
    names = [f"p{i}" for i in range(rng.randrange(2, 6))]
    nodes: dict[str, Any] = {}
    for p in names:
        kind = rng.choice([*range(players), *([CHANCE] if chance else [])])
        children = rng.sample([*names, "x", "y"], rng.randrange(1, 3))
        costs = [rng.randrange(3) if rewards else 0 for _ in children]
        weights = [rng.randrange(1, 3) for _ in children]
        nodes[p] = (kind, list(zip(children, weights if kind == CHANCE else costs, strict=True)))
    nodes |= {"x": (OVER, rng.randrange(-2, 3)), "y": (OVER, rng.randrange(-2, 3))}
    declared = rng.choice([None, -1, 1]) if not rewards else None
    return Explicit(nodes, players=players, minimise=rewards, endless=declared)


def truth(game: Explicit) -> dict[str, Any]:
    """The value of every node, to player 0 in stored units, from all pairs of pure policies."""
    live = [p for p, (kind, _) in game.nodes.items() if kind != OVER]
    out: dict[str, Any] = {}
    chosen = [[p for p in live if game.nodes[p][0] == player] for player in (0, 1)]
    best: dict[str, Any] = {}
    for mine in policies(game, chosen[0]):
        worst: dict[str, Any] = {}
        for theirs in policies(game, chosen[1]):
            value = evaluated(game, {**mine, **theirs})
            worst = {p: min(v, worst.get(p, v)) for p, v in value.items()}
        best = {p: max(v, best.get(p, v)) for p, v in worst.items()}
    return out | best


def policies(game: Explicit, nodes: list[str]) -> Any:
    choices = [range(len(game.nodes[p][1])) for p in nodes]
    for picked in itertools.product(*choices):
        yield dict(zip(nodes, picked, strict=True))


def evaluated(game: Explicit, policy: dict[str, int]) -> dict[str, Any]:
    """What fixed policies yield: the absorption of a Markov chain, in rationals."""
    sign = -1 if game.minimise else 1
    endless = -INF if game.minimise else game.endless or 0
    steps: dict[str, list[tuple[Fraction, int, str]]] = {}
    value: dict[str, Any] = {}
    for p, (kind, rest) in game.nodes.items():
        if kind == OVER:
            value[p] = Fraction(sign * rest)
        elif kind == CHANCE:
            total = sum(weight for _, weight in rest)
            steps[p] = [(Fraction(weight, total), 0, q) for q, weight in rest]
        else:
            q, reward = rest[policy[p]]
            steps[p] = [(Fraction(1), sign * reward, q)]
    ending = reaching(steps, set(value))
    value |= {p: endless for p in steps if p not in ending}
    if game.minimise:
        doomed = reaching(steps, {p for p in steps if p not in ending})
        value |= dict.fromkeys(doomed, -INF)
    rows = [p for p in steps if p not in value]
    return value | solved(rows, steps, value)


def reaching(steps: dict[str, Any], goal: set[str]) -> set[str]:
    found = set(goal)
    for _ in steps:
        found |= {p for p, edges in steps.items() if any(q in found for _, _, q in edges)}
    return found


def solved(rows: list[str], steps: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Gauss and Jordan: value = mean of reward + value of the next node."""
    system = []
    for p in rows:
        line = [Fraction(p == q) for q in rows] + [Fraction(0)]
        for chance, reward, q in steps[p]:
            line[-1] += chance * reward
            if q in known:
                line[-1] += chance * known[q]
            else:
                line[rows.index(q)] -= chance
        system.append(line)
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if system[k][i])
        system[i], system[pivot] = system[pivot], system[i]
        system[i] = [x / system[i][i] for x in system[i]]
        for k in range(len(rows)):
            if k != i and system[k][i]:
                system[k] = [
                    a - system[k][i] * b for a, b in zip(system[k], system[i], strict=True)
                ]
    return {p: system[i][-1] for i, p in enumerate(rows)}


@pytest.mark.parametrize(("players", "chance", "rewards"), [
    (2, False, False), (2, True, False), (1, True, False), (1, False, True), (1, True, True),
])  # fmt: skip
def test_random_games(players: int, chance: bool, rewards: bool) -> None:
    rng = random.Random(players + 10 * chance + 100 * rewards)
    lies = passed = 0
    for _ in range(40):
        game = random_game(rng, players=players, chance=chance, rewards=rewards)
        value = truth(game)
        given = {"chance": chance, "rewards": rewards}
        score = not chance
        names = "score" if score else "exact_0"

        def stored(values: dict[str, Any], score: bool = score) -> dict[str, Any]:
            if score:
                return {p: (NONE if v == -INF else int(v),) for p, v in values.items()}
            return {p: (v,) for p, v in values.items()}

        accepted(game, stored(value), names, **given)
        live = [p for p in value if game.nodes[p][0] != OVER]
        for _ in range(20):
            moved = rng.sample(live, rng.randrange(1, len(live) + 1))
            other = rng.choice([*value.values(), Fraction(rng.randrange(-3, 4)), -INF])
            if other == -INF and not rewards:
                continue
            lie = {**value, **dict.fromkeys(moved, other)}
            if lie != value:
                lies += 1
                with pytest.raises(VerificationError):
                    accepted(game, stored(lie), names, **given)
        if chance:
            passed += check_random_bounds(rng, game, value, live, given)
    assert lies > 250
    assert passed > 20 or not chance


def check_random_bounds(
    rng: random.Random, game: Explicit, value: dict[str, Any], live: list[str], given: Any
) -> int:
    """Bounds that pass must hold the truth; how many passed."""
    passed = 0
    for _ in range(20):
        bounds = {p: (float(v), float(v)) for p, v in value.items()}
        for p in rng.sample(live, rng.randrange(1, len(live) + 1)):
            ends = sorted(rng.choice([*map(float, value.values()), -3.0, 0.5, 4.0]) for _ in "ab")
            bounds[p] = ends[0], ends[1]
        try:
            accepted(game, bounds, "lower upper", **given)
        except VerificationError:
            continue
        assert all(lower <= value[p] <= upper for p, (lower, upper) in bounds.items())
        passed += 1
    return passed
