"""Sums of many values: who wins and by which moves, against the canonical form of the whole."""

from __future__ import annotations

import random
import time
from fractions import Fraction

import naive_values as naive
import pytest

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.sums import ZERO, Short, integer, nimber, number, parse, switch, tiny, up
from perfectplay.sums.compound import Compound
from perfectplay.sums.partizan import LEFT, RIGHT


def short(g: naive.Tree) -> Short:
    return Short.of(map(short, g[0]), map(short, g[1]))


def mixed(rng: random.Random) -> Short:
    """A number, nimber, up, tiny, switch, hot game or random game."""
    kind = rng.randrange(7)
    if kind == 0:
        return number(Fraction(rng.randint(-99, 99), 1 << rng.randint(0, 5)))
    if kind == 1:
        return nimber(rng.randint(0, 30))
    if kind == 2:
        return up(rng.randint(-3, 3), rng.randint(0, 3))
    if kind == 3:
        return tiny(rng.randint(1, 9)) * rng.choice((1, -1))
    if kind == 4:
        return switch(rng.randint(-5, 50), rng.randint(-50, -6))
    if kind == 5:
        return Short.of([switch(rng.randint(5, 9), rng.randint(1, 4))], [rng.randint(-3, 0)])
    return short(naive.random_tree(rng, 4))


def test_small_sums_against_their_canonical_form() -> None:
    rng = random.Random(1)
    for n in range(250):
        values = [
            short(naive.random_tree(rng, rng.randint(1, 4))) for _ in range(rng.randint(1, 6))
        ]
        if n % 2:
            values += [switch(rng.randint(1, 9)) for _ in range(rng.randint(1, 4))]
            values += [integer(rng.randint(-3, 3)), tiny(2)]
        total = ZERO
        for g in values:
            total = total + g
        compound = Compound(values)
        assert compound.outcome == total.outcome
        assert compound.value is total
        for player in (LEFT, RIGHT):
            expected = []
            for i, g in enumerate(values):
                for option in g.left if player == LEFT else g.right:
                    after = total - g + option
                    if after >= 0 if player == LEFT else after <= 0:
                        expected.append((i, option))
            assert compound.winning_moves(player) == expected


def test_sums_against_play_itself() -> None:
    rng = random.Random(2)
    for _ in range(60):
        trees = [naive.random_tree(rng, 3) for _ in range(3)]
        assert Compound(map(short, trees)).outcome == naive.outcome(*trees)


@pytest.mark.parametrize("balanced", [False, True])
def test_a_thousand_parts_in_under_a_second(balanced: bool) -> None:
    rng = random.Random(17)
    values = [mixed(rng) for _ in range(1000)]
    if balanced:
        values.append(number(-sum([g.mean for g in values], Fraction(0))))
    began = time.perf_counter()
    found = Compound(values).outcome
    assert time.perf_counter() - began < 5  # a second on an idle machine
    assert found == ("N" if balanced else found)


def test_what_cancels_does_not_matter() -> None:
    rng = random.Random(9)
    values = [mixed(rng) for _ in range(500)]
    assert Compound([*values, *[-g for g in values]]).outcome == "P"
    assert Compound([*values, *[-g for g in values], up(1)]).outcome == "L"
    assert Compound([*values, *[-g for g in values], nimber(3)]).winning_moves(LEFT)[-1] == (
        1000,
        ZERO,
    )


def test_switches_are_taken_hottest_first() -> None:
    """±1 ±2 … ±n and a number: n - (n - 1) + … decides, and its sign alone."""
    for n in range(1, 60):
        switches = [switch(k) for k in range(1, n + 1)]
        taken = (n + 1) // 2
        assert Compound([*switches, integer(1 - taken)]).outcome == "N"
        assert Compound([*switches, integer(-1 - taken)]).outcome == "R"
        moves = Compound([*switches, integer(1 - taken)]).winning_moves(LEFT)
        assert (n - 1, integer(n)) in moves


def test_a_tie_of_many_switches_is_decided_by_infinitesimals() -> None:
    """After ±100, …, ±1 Left is to move again, with -50 + 50 and what is infinitesimal."""
    switches = [switch(n) for n in range(1, 101)]
    small = [up(3), nimber(5), tiny(2), integer(-25)] * 2
    assert Compound([*switches, *small]).outcome == "N"
    assert Compound([*switches, *small, up(-9)]).outcome == "R"
    assert Compound([*switches, integer(-50)]).outcome == "R"
    assert Compound([*switches, integer(-50), nimber(4)]).outcome == "N"


def test_undecided_sums_are_refused_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfectplay.sums.compound.MOST_WORK", 1)
    monkeypatch.setattr("perfectplay.sums.compound.SMALL", 1)
    values = [parse("{2|1||0}") - 1, parse("{3||1|-2}"), parse("{{3|1}|{0|-4}}")]
    with pytest.raises(TooLargeError, match="still open"):
        _ = Compound([*values, number(Fraction(-3, 4))]).outcome
    with pytest.raises(UsageError, match="no player"):
        Compound([]).wins(2)
