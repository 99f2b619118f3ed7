"""Which moves are best: the same as by canonical forms of all differences, without writing those
down."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest
from naive_values import Tree, random_tree

from perfectplay.sums import Short, canonical_form
from perfectplay.sums.gains import best_steps
from perfectplay.sums.partizan import LEFT, RIGHT
from perfectplay.sums.reading import read_sum
from perfectplay.sums.sum import Sum
from perfectplay.sums.summands import ValueSummand

BOARDS = ["1x2", "2x1", "2x2", "2x3", "3x2", "3x3", "4x2", "2x5", "3x4"]


def naive_best(steps: list[tuple[Short, Short]], player: int) -> set[tuple[Short, Short]]:
    """The moves that no other dominates, from the definition: by gains in canonical form."""
    gains = {step: step[1] - step[0] if player == LEFT else step[0] - step[1] for step in steps}
    return {step for step in steps if not any(gains[step] < gain for gain in gains.values())}


def valued(tree: Tree) -> Short:
    return Short.of(map(valued, tree[0]), map(valued, tree[1]))


def steps_of(total: Sum, player: int) -> list[tuple[Short, Short]]:
    return [(p.value, move.value) for p in total.parts for move in p.moves(player)]  # type: ignore[misc]


def test_best_moves_on_boards_are_those_by_canonical_forms_of_differences() -> None:
    for one, other in combinations_with_replacement(BOARDS, 2):
        total = read_sum(["domineering", one, other])
        for player in (LEFT, RIGHT):
            steps = steps_of(total, player)
            assert best_steps(steps, player) == naive_best(steps, player)


def test_best_moves_of_random_values_are_those_by_canonical_forms_of_differences() -> None:
    rng = random.Random(3)
    for _ in range(60):
        total = Sum([ValueSummand(valued(random_tree(rng, 3))) for _ in range(rng.randint(1, 4))])
        for player in (LEFT, RIGHT):
            steps = steps_of(total, player)
            assert best_steps(steps, player) == naive_best(steps, player)


def test_moves_of_one_board_are_compared_without_sums() -> None:
    """The gains of the moves on this board take thousands of sums to write down."""
    total = read_sum(["domineering", "4x4"])
    assert total.outcome == "N"
    canonical_form.forget()
    best = {choice.name for choice in total.choices(LEFT) if choice.best}
    assert best == {"b1-b2", "c1-c2", "a2-a3", "b2-b3", "c2-c3", "d2-d3", "b3-b4", "c3-c4"}
    assert len(canonical_form._SUMS) < 100


@pytest.mark.slow
def test_best_moves_on_a_board_of_six_by_four() -> None:
    total = read_sum(["domineering", "6x4"])
    assert dict(total.advice())["Right wins by"] == "b3-c3, b4-c4"
