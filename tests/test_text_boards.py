"""Boards over several lines: which texts are boards, and what rows and columns are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from perfectplay import Game, load
from perfectplay.answer.faces.text_boards import BoardTexts
from perfectplay.drawing.boards import boards_in, text_board, text_picture
from perfectplay.rules.game import first_positions

FROM_BELOW, FROM_ABOVE = ("3", "2", "1"), ("1", "2", "3")


@dataclass(frozen=True)
class Fill(Game):
    """Fill the empty cells of 2 rows and 3 columns in turn; moves are numbers of a row and of a
    column, from `base` on, or the other way round."""

    base: int = 0
    turned: bool = False

    def start(self) -> str:
        return "......"

    def moves(self, p: str) -> Iterator[tuple[int, int]]:
        for cell, mark in enumerate(p):
            if mark == ".":
                row, column = self.base + cell // 3, self.base + cell % 3
                yield (column, row) if self.turned else (row, column)

    def play(self, p: str, m: tuple[int, int]) -> str:
        row, column = m[::-1] if self.turned else m
        cell = 3 * (row - self.base) + column - self.base
        return p[:cell] + "#" + p[cell + 1 :]

    def text(self, p: str) -> str:
        return f"{p[:3]}/{p[3:]}"

    def parse(self, s: str) -> str:
        return s.replace("/", "")


def names(game: Game) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns and rows of a game's board, as the lines show them."""
    board = BoardTexts(game)
    naming = board._naming
    return (naming.columns, naming.rows) if naming else ((), ())


@pytest.mark.parametrize(
    ("name", "given", "columns", "rows"),
    [
        ("noughts-and-crosses", [], "abc", FROM_BELOW),
        ("domineering", ["rows=3", "columns=3"], "abc", FROM_ABOVE),
        ("connect", ["width=4", "height=3"], "abcd", ()),
        ("qubic", [], "abc", FROM_BELOW),
        ("chess", [], "abcdefgh", tuple("87654321")),
        ("morris", [], "12345678", ("a", "b")),
        ("sliding", [], "", ()),
        ("einstein", [], "", ()),
    ],
)
def test_rows_and_columns_are_called_as_in_moves(
    name: str, given: list[str], columns: str, rows: tuple[str, ...]
) -> None:
    assert names(load(name, given)) == (tuple(columns), rows)


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_pairs_of_numbers_name_rows_and_columns(base: int, turned: bool) -> None:
    counted = tuple(str(base + number) for number in range(3))
    assert names(Fill(base, turned)) == (counted, counted[:2])


def test_a_board_is_drawn_over_several_lines() -> None:
    game = load("noughts-and-crosses")
    lines = BoardTexts(game).lines(game.parse("XO./.X./..."))
    assert lines == ("3  X O .", "2  . X .", "1  . . .", "   a b c")
    ovid = load("ovid")
    assert BoardTexts(ovid).lines(ovid.start())[-1] == "to move X"


def test_layers_stand_side_by_side() -> None:
    assert text_board("XO/.. ../.O", "ab", "21") == (
        "2  X O   . .",
        "1  . .   . O",
        "   a b   a b",
    )
    assert text_picture("XO/.. ../.O").count("<rect") == 9  # two boards of four on a panel


def test_a_fen_is_a_board_and_marks_of_several_letters_are_aligned() -> None:
    assert text_board("k1/2K/3 w - -".replace("k1", "k2")) == ("k . .", ". . K", ". . .", "w - -")
    assert text_board("10 9 / 8 .") == ("10  9", " 8  .")


@pytest.mark.parametrize(
    "text", ["0-0, player 1, total 0", "1/2", "3/3/3", "2 1 / - / -", "12", "", "a/b/c", "1x1 2x1"]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert boards_in(text) is None
    assert text_board(text) == ()


@pytest.mark.parametrize(
    ("text", "rows", "notes"),
    [
        ("'XX./..O'", ["XX.", "..O"], []),
        ("'XX.\\n..O'", ["XX.", "..O"], []),
        ("'X..O'", ["X..O"], []),
        ("('XO.', '.X.', '..O')", ["XO.", ".X.", "..O"], []),
        ("(('XO.', '.X.', '..O'), 'X')", ["XO.", ".X.", "..O"], ["X"]),
        ("((1, 2, 0), (0, 0, 0), (0, 0, 3))", ["12.", "...", "..3"], []),
        ("(((1, 2, 0), (0, 0, 0)), 1)", ["12.", "..."], ["1"]),
        ("[['X', '', ''], ['', 'O', '']]", ["X..", ".O."], []),
    ],
)
def test_what_python_writes_of_a_board_is_one(
    text: str, rows: list[str], notes: list[str]
) -> None:
    found = boards_in(text)
    assert found is not None
    assert ["".join(row) for row in found.boards[0]] == rows
    assert found.notes == notes


@pytest.mark.parametrize(
    "text",
    [
        "'hello'",
        "('pass', 'play')",
        "((1, 2), (3, 4))",
        "(1, 2, 3)",
        "((3, 3, 3), 1)",
        "('ab', 1)",
        "((True, False, True), (True, True, True))",
        "((1, 2, 3), (4, 5))",
        "'" + "(" * 500,
        "(((",
        "()",
    ],
)
def test_what_python_writes_of_other_things_is_no_board(text: str) -> None:
    assert boards_in(text) is None


def test_rows_that_come_about_by_chance_are_no_board() -> None:
    hanoi = load("hanoi", ["discs=6"])
    p = hanoi.parse("6 5 / 4 3 / 2 1")
    assert boards_in(hanoi.text(p)) is not None
    assert BoardTexts(hanoi).lines(p) == ()


def test_boards_appear_when_men_are_placed() -> None:
    game = load("einstein", ["placement=random", "stones=2"])
    start = next(first_positions(game))
    board = BoardTexts(game)
    assert board.lines(start) == ()
    _, placed = next(iter(game.chances(start)))
    assert len(board.lines(placed)) == 4


def test_ones_and_minus_ones_are_stones_of_two_sides() -> None:
    drawn = text_picture("((1, 0, -1), (0, 0, 0))")
    assert drawn.count("<circle") == 3  # the second side's stones have a ring, too
    assert "<text" not in drawn
    assert text_picture("((1, 0, -1), (0, 2, 0))").count("<text") == 3


@dataclass(frozen=True)
class Row(Game):
    """Mark a cell of five, in turn, until the row is full."""

    def start(self) -> str:
        return "....."

    def moves(self, p: str) -> list[int]:
        return [i for i, mark in enumerate(p) if mark == "."]

    def play(self, p: str, m: int) -> str:
        return (p[:m] + "X" + p[m + 1 :]).translate(str.maketrans("XO", "OX"))

    def payoff(self, p: str) -> int:
        return 0


def test_a_row_that_is_full_stays_a_board() -> None:
    game = Row()
    assert "'XOXOO'" not in game.picture("XOXOO")
    assert game.picture("XOXOO").count("<circle") == 3
    assert BoardTexts(game).lines("XOXOO") == ("X O X O O",)
    assert "XO" in game.picture("XO")  # no row of this game
    assert boards_in("WORDS") is None
