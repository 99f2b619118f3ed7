"""Values: how they compare, to whom they are, and which events a line shows."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from test_verify import Explicit

from perfectplay import Outcome, Value, load, solve
from perfectplay.errors import UsageError
from perfectplay.rules.game import CHANCE, OVER, Game


def outcome(won: int, depth: int | None = None) -> Value:
    return Value("outcome", won, won, depth=depth)


def bounds(lower: float, upper: float) -> Value:
    return Value("chance", lower, upper, "bounds")


# -- Comparison. ----------------------------------------------------------------------------------


def test_outcomes_are_ordered_by_result_and_then_by_depth() -> None:
    rising = [
        outcome(-1, 2), outcome(-1, 6), outcome(-1), outcome(0), outcome(1), outcome(1, 7),
        outcome(1, 1),
    ]  # fmt: skip
    for (i, a), (k, b) in itertools.product(enumerate(rising), repeat=2):
        assert ((a < b), (a <= b), (a > b), (a >= b), (a == b)) == (
            i < k, i <= k, i > k, i >= k, i == k,
        )  # fmt: skip
    mixed = rising.copy()
    random.Random(3).shuffle(mixed)
    assert sorted(mixed) == rising


def test_outcomes_count_as_numbers() -> None:
    assert outcome(1, 5) == Outcome.WIN == outcome(1, 7)
    assert outcome(1, 5) != outcome(1, 7)
    assert outcome(-1, 5) < 0 < outcome(1, 5)
    assert outcome(0) == 0
    assert hash(outcome(1, 5)) == hash(outcome(1, 7)) == hash(1)


def test_exact_values_compare_with_numbers() -> None:
    third = Value("chance", Fraction(1, 3), Fraction(1, 3))
    assert third == Fraction(1, 3)
    assert third != 1 / 3
    assert hash(third) == hash(Fraction(1, 3))
    assert 0 < third < 0.5 < Value("score", 2, 2)
    assert Value("total", math.inf, math.inf) > 10**30
    assert third != "1/3"
    with pytest.raises(TypeError):
        third < "1/3"  # noqa: B015


def test_bounds_compare_where_that_is_proved() -> None:
    value = bounds(0.25, 0.5)
    assert value < 0.75
    assert not value < 0.25
    assert value <= 0.5 <= bounds(0.5, 0.75)
    assert value > bounds(0.0, 0.125)
    assert value == bounds(0.25, 0.5)
    assert value not in (0.3, bounds(0.25, 0.4))
    for other in (0.3, bounds(0.3, 0.6), Value("chance", Fraction(1, 3), Fraction(1, 3))):
        with pytest.raises(UsageError, match="not known which is greater"):
            value < other  # noqa: B015
        with pytest.raises(UsageError, match="not known which is greater"):
            value >= other  # noqa: B015


def test_values_without_bounds_do_not_compare() -> None:
    value = Value("chance", 0.25, 0.25, "residual")
    assert value == Value("chance", 0.25, 0.25, "residual")
    assert value != 0.25
    with pytest.raises(UsageError, match="not known"):
        value < 0.75  # noqa: B015


def test_finite_wins_come_before_endless_ones() -> None:
    # Player 0 wins by endless play, or at once at x.
    nodes = {"a": (0, [("b", 0), ("x", 0)]), "b": (1, [("a", 0), ("b", 0)]), "x": (OVER, 1)}
    moves = solve(Explicit(nodes, endless=1)).moves("a")
    assert [(str(m.value), m.change) for m in moves] == [
        ("win in 1 ply", ""),
        ("win", "never ends"),
    ]


# -- To whom. -------------------------------------------------------------------------------------


class Stuck(Explicit):
    """Explicit nodes, and where a player has no move, play has ended, too."""

    def moves(self, p: str) -> Any:
        return range(len(self.nodes[p][1]))

    def payoff(self, p: str) -> Any:
        return self.nodes[p][1] if self.nodes[p][0] == OVER else Game.payoff(self, p)


def test_a_value_is_to_the_player_to_move_and_to_player_1_if_there_is_none() -> None:
    nodes = {
        "a": (0, [("b", 0), ("x", 0)]),
        "b": (1, []),  # player 1 is to move and cannot: a loss for them
        "x": (OVER, -1),
    }
    solution = solve(Stuck(nodes))
    for p, player, text, to in (
        ("a", 0, "win in 1 ply", "player 1"),
        ("b", 1, "loss in 0 plies", "player 2"),
        ("x", 0, "loss in 0 plies", "player 1"),
    ):
        found = solution.analyse(p)
        assert solution.seen_by(p) == player
        assert solution.value(p) == solution.values(p)[player] == found.value
        assert str(found.value) == text
        assert found.to == found.as_json()["to"] == to
        assert f"{text} to {to}" in found._repr_mimebundle_()["text/html"]


def test_a_value_at_chance_is_to_player_1() -> None:
    nodes = {"c": (CHANCE, [("x", 1), ("y", 2)]), "x": (OVER, 1), "y": (OVER, -2)}
    solution = solve(Explicit(nodes), exact=True)
    assert solution.value("c") == -1 == solution.values("c")[0]
    assert solution.analyse("c").to == "player 1"


def test_values_are_to_each_player_everywhere() -> None:
    rng = random.Random(2)
    for _ in range(30):
        kinds = {p: rng.randrange(2) for p in "abcd"}
        nodes: dict[str, Any] = {
            p: (k, [(rng.choice("abcdxy"), 0) for _ in range(3)]) for p, k in kinds.items()
        }
        nodes |= {"x": (OVER, 1), "y": (OVER, -1)}
        solution = solve(Explicit(nodes))
        for row in solution.to_arrow().to_pylist():
            p = row["key"]
            values = solution.values(p)
            assert [value.outcome for value in values] == [row["outcome"], -row["outcome"]]
            assert solution.value(p).outcome == values[solution.seen_by(p)].outcome


# -- Lines. ---------------------------------------------------------------------------------------


def test_a_line_of_pig_does_not_roll_1_for_ever() -> None:
    solution = solve(load("pig", {"goal": 20}))
    line = solution.line(solution.start, 200)
    assert line.ending == "over"
    after = [step.position for step in line if step.move == "chance 1/6"]
    assert not all("total 0" in position for position in after)
    assert line == solution.line(solution.start, 200)


def test_a_line_takes_the_most_probable_event_and_of_these_the_one_that_changes_least() -> None:
    def shown(*events: tuple[str, int]) -> str:
        ends = {"low": 0, "middle": 4, "high": 9, "same": 9}
        nodes = {"c": (CHANCE, list(events)), **{p: (OVER, ends[p]) for p, _ in events}}
        return solve(Explicit(nodes, players=1)).line("c").steps[0].position

    assert shown(("low", 1), ("middle", 1), ("high", 1)) == "middle"
    assert shown(("low", 2), ("middle", 1), ("high", 1)) == "low"
    assert shown(("low", 1), ("high", 1)) == "high"  # as typical, and better
    assert shown(("same", 1), ("high", 1)) == "same"
    assert shown(("high", 1), ("same", 1)) == "high"
