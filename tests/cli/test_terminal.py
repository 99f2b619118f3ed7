"""Play in the terminal: what a typed number means, and from whose side the board is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from perfectplay import solve
from perfectplay.cli.terminal import SIDES, Match
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


def said(game: Game, *typed: str, person: int | None = 0) -> list[str]:
    """What is said in a match in which a person types this."""
    words, lines = iter(typed), []

    def ask(_: str) -> str:
        word = next(words, None)
        if word is None:
            raise EOFError
        return word

    Match(solve(game), person, ask=ask, say=lines.append).play(game.start())
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
