"""Play in the terminal: what a typed number means, and from whose side the board is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from perfectplay import load, solve
from perfectplay.cli.terminal import COMMANDS, SIDES, Match
from perfectplay.rules.game import OVER, Game


@dataclass(frozen=True)
class Takes(Game):
    """Take 2, 3 or 1 counters, in this order; who cannot take loses."""

    def start(self) -> int:
        return 6

    def moves(self, p: int) -> Iterator[int]:
        yield from (take for take in (2, 3, 1) if take <= p)

    def play(self, p: int, m: int) -> int:
        return p - m


@dataclass(frozen=True)
class WordTakes(Takes):
    def move_text(self, p: int, m: int) -> str:
        return ("", "one", "two", "three")[m]


@dataclass(frozen=True)
class AbsoluteTakes(Takes):
    """The same with positions that say whose turn it is."""

    def start(self) -> Any:
        return 6, 0

    def to_move(self, p: Any) -> int:
        return p[1]

    def moves(self, p: Any) -> Iterator[int]:
        yield from super().moves(p[0])

    def play(self, p: Any, m: int) -> Any:
        return p[0] - m, 1 - p[1]


def said(game: Game, *typed: str, person: int | None = 0, **how: Any) -> list[str]:
    """What is said in a match in which a person types this."""
    words, lines = iter(typed), []

    def ask(_: str) -> str:
        word = next(words, None)
        if word is None:
            raise EOFError
        return word

    Match(solve(game), person, ask=ask, say=lines.append, **how).play(game.start())
    return lines


@pytest.mark.parametrize(
    ("typed", "move"), [("2", "2"), ("3", "3"), ("#2", "3"), ("#1", "2"), ("#3", "1")]
)
def test_a_number_is_the_move_of_that_name_and_with_a_hash_a_place(typed: str, move: str) -> None:
    lines = said(Takes(), typed)
    assert "moves: 2, 3, 1 (or #1 to #3, in this order)" in lines
    assert f"player 1 plays {move}" in lines


@pytest.mark.parametrize("typed", ["4", "#4", "#0", "#", "²", "#²", "9" * 5000])
def test_what_is_neither_move_nor_place_is_refused(typed: str) -> None:
    lines = said(Takes(), typed)
    assert f"{typed!r} is not a legal move; legal: 2, 3, 1 (or #1 to #3, in this order)" in lines


@pytest.mark.parametrize("typed", ["2", "#2", "three", "THREE"])
def test_a_bare_number_is_a_place_where_moves_are_words(typed: str) -> None:
    lines = said(WordTakes(), typed)
    assert "moves: 1: two, 2: three, 3: one" in lines
    assert "player 1 plays three" in lines


def test_positions_and_moves_say_from_whose_side_they_are_seen() -> None:
    lines = said(Takes(), "1", "2", "1")
    assert lines[1] == SIDES
    assert "\n6  (as player 1 sees it)" in lines
    assert "player 2 plays 1, as player 2 sees it" in lines
    assert "player 1 plays 1" in lines  # the person's own side needs no words
    assert lines[-2].endswith(" sees it)")
    assert "\n6  (as player 1 sees it)" not in said(AbsoluteTakes(), "1")
    assert SIDES not in said(AbsoluteTakes(), "1")


def test_the_last_position_is_seen_by_whose_turn_it_would_be() -> None:
    lines = said(Takes(), person=None)
    plies = sum(" plays " in line for line in lines)
    assert lines[-2] == f"\n0  (as player {plies % 2 + 1} sees it)"


def test_an_ended_position_of_an_absolute_game_is_shown_as_it_is() -> None:
    lines = said(AbsoluteTakes(), person=None)
    assert lines[-2].startswith("\n(0, ")
    assert AbsoluteTakes().to_move((0, 1)) != OVER


# -- Boards, commands, dice, opponents. -----------------------------------------------------------


def test_a_text_of_rows_is_shown_as_a_board() -> None:
    lines = said(load("noughts-and-crosses"), "b2")
    assert lines[2] == "\n3  . . .\n2  . . .\n1  . . .\n   a b c\n(as player 1 sees it)"
    assert any("2  . X ." in line for line in lines)


def test_help_lists_commands_and_p_tells_the_position() -> None:
    lines = said(load("noughts-and-crosses"), "help", "p", "position", ":p")
    for name, words in COMMANDS:
        assert f"{name:4}  {words}" in lines
    assert lines.count(".../.../...") == 3


def test_a_hint_is_one_best_move_and_values_have_the_numbers_of_the_list() -> None:
    lines = said(WordTakes(), "h", "?")
    assert "* 1: two  win in 3 plies" in lines  # the hint
    assert "* 1: two    win in 3 plies" in lines  # the first of all values
    assert sum(line.startswith("  ") and "loses" in line for line in lines) == 2


def test_a_move_called_as_a_command_is_a_move_and_a_colon_makes_it_a_command() -> None:
    @dataclass(frozen=True)
    class Letters(WordTakes):
        def move_text(self, p: int, m: int) -> str:
            return ("", "q", "u", "h")[m]

    lines = said(Letters(), "u", "q")
    assert [line for line in lines if "player 1 plays" in line] == [
        "player 1 plays u",
        "player 1 plays q",
    ]
    assert said(Letters(), ":q")[-1] == "\nleft the game"
    assert not any("plays" in line for line in said(Letters(), ":q"))


def test_dice_fall_the_same_way_after_a_move_is_taken_back() -> None:
    pig = load("pig", ["goal=20"])
    for seed in range(4):
        lines = said(pig, "roll", "u", "roll", "u", "u", seed=seed)
        rolls = [line for line in lines if line.startswith("chance: ")]
        assert len(rolls) >= 2
        assert rolls[0] == rolls[1]


def test_a_seed_that_was_chosen_is_told_and_repeats_the_game() -> None:
    pig = load("pig", ["goal=10"])
    first = said(pig, person=None)
    seed = int(next(line for line in first if line.startswith("--seed")).split()[1])
    again = said(pig, person=None, seed=seed)
    assert [line for line in first if not line.startswith("--seed")] == again
    assert not any(line.startswith("--seed") for line in said(Takes(), person=None))


def test_own_dice_are_asked_for() -> None:
    pig = load("pig", ["goal=10"])
    lines = said(pig, "roll", "9", "help", "4", "roll", "0-0, player 1, total 6", own_dice=True)
    assert "4: 0-0, player 1, total 4 (1/6)" in lines
    assert "'9' is none of these: type a number from the list" in lines
    assert "\n0-0, player 1, total 4" in lines
    assert "\n0-0, player 1, total 6" in lines
    assert not any(line.startswith("--seed") for line in lines)


def test_who_has_everything_wins() -> None:
    lines = said(load("pig", ["goal=4"]), person=None, seed=1)
    assert lines[-1] in ("player 1 wins", "player 2 wins")


def test_opponents_may_be_less_than_perfect() -> None:
    def blunder(game: Game, p: int) -> int:
        return 1 if p == 4 else next(iter(game.moves(p)))

    lines = said(Takes(), "2", against="f.py:blunder", policies={"f.py:blunder": blunder})
    assert "player 2 plays 1, as player 2 sees it" in lines
    first = said(Takes(), person=None, against="random", seed=3)
    assert first == said(Takes(), person=None, against="random", seed=3)
    assert len({tuple(said(Takes(), person=None, against="random", seed=n)) for n in range(9)}) > 1


@dataclass(frozen=True)
class Pits(Takes):
    """Moves that are called after numbers, which are not their places."""

    def move_text(self, p: int, m: int) -> str:
        return f"pit {m}"


@pytest.mark.parametrize(
    ("typed", "move"), [("2", "pit 2"), ("1", "pit 1"), ("#1", "pit 2"), ("#3", "pit 1")]
)
def test_a_number_in_the_name_of_a_move_is_no_place(typed: str, move: str) -> None:
    lines = said(Pits(), typed)
    assert "moves: pit 2, pit 3, pit 1 (or #1 to #3, in this order)" in lines
    assert f"player 1 plays {move}" in lines


def test_numbers_that_are_places_are_shown_and_other_numbers_find_their_move() -> None:
    nim = load("subtraction", ["heap=10", "takes=1,4,6"])
    assert "moves: 1: take 1, 2: take 4, 3: take 6" in said(nim)
    assert "player 1 plays take 4" in said(nim, "4")
    assert "player 1 plays take 4" in said(nim, "2")
    assert any("'5' is not a legal move" in line for line in said(nim, "5"))


def test_long_lists_of_moves_are_cut() -> None:
    lines = said(load("subtraction", ["heap=99", "most=99"]), "99", person=0)
    assert any("60: take 60, … and 39 more (? shows all)" in line for line in lines)
    assert "player 1 plays take 99" in lines
