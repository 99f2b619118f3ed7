"""Twenty-one against the recursion from its rules, in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from perfectplay import UsageError, load, solve
from perfectplay.games.dice.twenty_one import TwentyOne
from perfectplay.verification.check import check


def first_wins(game: TwentyOne, tie: Fraction) -> Fraction:
    """How often player 1 wins, if a tie is worth this much to them."""

    @cache
    def second(other: int, total: int) -> Fraction:
        """The chance of player 1 when player 2 has `total` and may roll or hold."""
        hold = tie if total == other else Fraction(total < other)
        return min(hold, rolled(other, total))

    @cache
    def rolled(other: int, total: int) -> Fraction:
        bust = tie if other == 0 else Fraction(1)
        after = [total + face for face in range(1, game.sides + 1)]
        worth = (bust if t > game.goal else second(other, t) for t in after)
        return sum(worth, Fraction(0)) / len(after)

    @cache
    def first(total: int) -> Fraction:
        after = [total + face for face in range(1, game.sides + 1)]
        worth = (rolled(0, 0) if t > game.goal else first(t) for t in after)
        roll = sum(worth, Fraction(0)) / len(after)
        return max(roll, rolled(total, 0)) if total else roll

    return first(0)


@pytest.mark.parametrize(("goal", "sides"), [(2, 2), (5, 3), (21, 6)])
def test_values_are_those_of_the_recursion(goal: int, sides: int) -> None:
    for ties, tie in (("first", Fraction(1)), ("second", Fraction(0)), ("again", None)):
        game = TwentyOne(goal, sides, ties)
        solution = solve(game, exact=True)
        value = solution.value(solution.start).exact
        assert first_wins(game, value if tie is None else tie) == value


def test_the_second_player_holds_as_soon_as_they_are_ahead() -> None:
    assert first_wins(TwentyOne(2, 2, "second"), Fraction(0)) == Fraction(3, 16)
    solution = solve(load("twenty-one", []))
    for other in (3, 16, 20):
        for total in range(1, 22):
            p = solution.position(f"player 2, total {total} against {other}")
            best = [move.text for move in solution.moves(p) if move.best]
            assert "hold" in best if total > other else total == other or best == ["roll"]


def test_check_finds_nothing_wrong() -> None:
    for ties in ("again", "first", "second"):
        assert check(TwentyOne(5, 3, ties)).ok


@pytest.mark.parametrize("wrong", [{"goal": 0}, {"sides": 1}, {"ties": "never"}])
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        TwentyOne(**wrong)  # type: ignore[arg-type]
    assert caught.value.hint


@pytest.mark.parametrize("text", ["player 3, total 1", "player 1, total 22", "player 2, total 1"])
def test_positions_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="player"):
        TwentyOne().parse(text)
