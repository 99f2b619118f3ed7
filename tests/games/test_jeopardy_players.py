"""Pig, Hog and Pig Mania for three players: by the solver, and by plain value iteration."""

import pytest

from perfectplay import load, solve
from perfectplay.rules.game import CHANCE, OVER


def swept(game, values):
    """One round of value iteration over all positions, each in its own place."""
    change = 0.0
    for p, before in values.items():
        kind = game.to_move(p)
        if kind == OVER:
            after = tuple(map(float, game.payoff(p)))
        elif kind == CHANCE:
            events = list(game.chances(p))
            total = sum(weight for weight, _ in events)
            after = tuple(
                sum(weight * values[c][i] for weight, c in events) / total for i in range(3)
            )
        else:
            options = [values[game.play(p, m)] for m in game.moves(p)]
            after = max(options, key=lambda v: v[kind])
        change = max(change, *(abs(a - b) for a, b in zip(before, after, strict=True)))
        values[p] = after
    return change


def positions(game):
    found = dict.fromkeys(game.starts())
    queue = list(found)
    while queue:
        p = queue.pop()
        kind = game.to_move(p)
        if kind == OVER:
            continue
        step = (
            [c for _, c in game.chances(p)]
            if kind == CHANCE
            else [game.play(p, m) for m in game.moves(p)]
        )
        for c in step:
            if c not in found:
                found[c] = None
                queue.append(c)
    return found


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pig", {"goal": 5, "sides": 3, "players": 3}),
        ("piglet", {"goal": 4, "players": 3}),
        ("hog", {"goal": 6, "players": 3}),
        ("pig-mania", {"goal": 6, "players": 3}),
    ],
)
def test_three_players(name, given):
    game = load(name, given)
    solution = solve(game, plain=True)
    values = dict.fromkeys(reversed(positions(game)), (1 / 3,) * 3)
    for _ in range(2000):
        if swept(game, values) < 1e-13:
            break
    ours = solution.values(solution.start)
    assert sum(map(float, ours)) == pytest.approx(1)
    assert tuple(map(float, ours)) == pytest.approx(values[game.start()], abs=1e-10)
    assert solution.report["residual"] < 1e-12
