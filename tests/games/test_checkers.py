"""Checkers with few pieces: rules written a second time, and databases by another program."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import UsageError, check, plan, solve, verify
from perfectplay.games.boards.checkers import Checkers, counted
from perfectplay.positions.expand import expander
from perfectplay.verification.published.quantities import answer

Board = dict[tuple[int, int], str]
"""Pieces by row and column: b and w are men, B and W kings; Black moves down."""


# -- The rules once more. -------------------------------------------------------------------------


def place(size: int, number: int) -> tuple[int, int]:
    """Row and column of the square with a printed number."""
    row, rest = divmod(number - 1, size // 2)
    return row, 2 * rest + (row + 1) % 2


def ways(piece: str) -> list[tuple[int, int]]:
    rows = (1, -1) if piece.isupper() else (1,) if piece == "b" else (-1,)
    return [(row, column) for row in rows for column in (-1, 1)]


def jumps(size: int, board: Board, at: tuple[int, int]) -> list[tuple[list[Any], Board]]:
    """All captures by the piece on `at`, each with the squares it comes to and the board after."""
    piece, found = board[at], []
    for down, right in ways(piece):
        over, to = (at[0] + down, at[1] + right), (at[0] + 2 * down, at[1] + 2 * right)
        if over not in board or board[over].lower() == piece.lower() or to in board:
            continue
        if not (0 <= to[0] < size and 0 <= to[1] < size):
            continue
        after = {square: each for square, each in board.items() if square not in (at, over)}
        after[to] = crowned(size, piece, to)
        further = [] if after[to] != piece else jumps(size, after, to)
        found += [([at, *path], end) for path, end in further] or [([at, to], after)]
    return found


def crowned(size: int, piece: str, to: tuple[int, int]) -> str:
    return piece.upper() if to[0] == (size - 1 if piece == "b" else 0) else piece


def plain_moves(size: int, board: Board, mover: str) -> list[tuple[list[Any], Board]]:
    own = [at for at, piece in board.items() if piece.lower() == mover]
    found = [capture for at in own for capture in jumps(size, board, at)]
    if found:
        return found
    for at in own:
        for down, right in ways(board[at]):
            to = (at[0] + down, at[1] + right)
            if to not in board and 0 <= to[0] < size and 0 <= to[1] < size:
                after = {square: piece for square, piece in board.items() if square != at}
                found.append(([at, to], {**after, to: crowned(size, board[at], to)}))
    return found


def board_of(game: Checkers, p: int) -> Board:
    return {place(game.size, number): piece for number, piece in game.printed(p).items()}


def positions(game: Checkers, number: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    found: list[int] = []
    while len(found) < number:
        squares = chance.sample(range(1, game.last + 2), chance.randint(2, game.pieces))
        sides: dict[str, list[str]] = {"W": [], "B": []}
        for square in squares:
            sides[chance.choice("WWB")].append(chance.choice(("", "K")) + str(square))
        text = f"{chance.choice('BW')}:W{','.join(sides['W'])}:B{','.join(sides['B'])}"
        try:
            found.append(game.parse(text))
        except ValueError:
            continue  # a man on his last row
    return found


@pytest.mark.parametrize("size", [4, 6, 8])
def test_moves_are_those_of_plain_rules(size: Any) -> None:
    game = Checkers(7, size)
    longest = 0
    for p in positions(game, 400, size):
        mover = "bw"[game.to_move(p)]
        wanted = []
        for path, after in plain_moves(size, board_of(game, p), mover):
            numbers = [
                next(n for n in range(1, game.last + 2) if place(size, n) == at) for at in path
            ]
            taken = len(after) < len(game.printed(p))
            wanted.append((("x" if taken else "-").join(map(str, numbers)), sorted(after.items())))
            longest = max(longest, len(path) - 1)
        ours = [
            (game.move_text(p, m), sorted(board_of(game, game.play(p, m)).items()))
            for m in game.moves(p)
        ]
        assert sorted(ours) == sorted(wanted), game.text(p)
        assert len(set(game.moves(p))) == len(wanted)
    assert longest >= (1 if size == 4 else 2)


def test_a_king_may_come_back_to_where_it_began() -> None:
    game = Checkers(5)
    p = game.parse("B:W6,7,14,15:BK2")
    assert sorted(game.move_text(p, m) for m in game.moves(p)) == ["2x11x18x9x2", "2x9x18x11x2"]
    q = game.play(p, next(iter(game.moves(p))))
    assert game.text(q) == "W:W:BK2"
    assert list(game.moves(q)) == []
    assert game.payoff(q) == 1


def test_a_man_who_is_crowned_stops() -> None:
    game = Checkers(4)
    p = game.parse("B:W26,27:B22")
    assert [game.move_text(p, m) for m in game.moves(p)] == ["22x31"]
    assert game.text(game.play(p, next(iter(game.moves(p))))) == "W:W27:BK31"


def test_compiled_rules_are_the_interpreted_ones() -> None:
    game = Checkers(7, 6)
    some = [game.representative(p) for p in positions(game, 500, 1)]
    ours = expander(game).expand(np.array(some, np.int64).reshape(-1, 1))
    theirs = expander(game, plain=True).expand(some)
    assert [int(child) for child in ours.child[:, 0]] == theirs.child
    for name in ("kind", "first", "stratum", "payoff"):
        assert (getattr(ours, name) == getattr(theirs, name)).all(), name


@pytest.mark.parametrize("game", [Checkers(2, 4), Checkers(3, 4), Checkers(1)])
def test_laws(game: Checkers) -> None:
    assert check(game).ok
    solution = solve(game)
    assert verify(solution.table, game).ok
    assert solution.report["signature"] == solve(game, workers=1).report["signature"]


def test_first_positions_are_all_there_are() -> None:
    game = Checkers(2, 4)
    men, kings = 6, 8  # squares of a man, of a king
    with_one = 2 * (men + kings)
    texts = {game.text(p) for p in game.starts()}
    pairs = set()
    for text in texts:
        assert game.text(game.parse(text)) == text
        pairs.add(text)
    assert len(pairs) == len(list(game.starts()))
    all_codes = [(side, king, at) for side in (0, 1) for king in (0, 1) for at in range(8)]
    legal = [c for c in all_codes if c[1] or (c[2] < 6 if c[0] == 0 else c[2] >= 2)]
    assert len(legal) == with_one
    both = sum(a[2] != b[2] for i, a in enumerate(legal) for b in legal[:i])
    assert len(pairs) == with_one + both


# -- Figures. -------------------------------------------------------------------------------------


def rows() -> list[Any]:
    with (Path(__file__).parent / "checkers_counts.csv").open(encoding="utf-8") as lines:
        return [
            pytest.param(
                row, id=f"{row['pieces']}", marks=[pytest.mark.slow] if row["slow"] else []
            )
            for row in csv.DictReader(lines)
        ]


@pytest.mark.parametrize("row", rows())
def test_counts(row: dict[str, str]) -> None:
    pieces = int(row["pieces"])
    game = Checkers(pieces)
    solution = solve(game)
    assert verify(solution.table, game).ok
    found = dict.fromkeys(("positions", "win", "loss", "draw", "plies"), 0)
    for part in solution.table.runs():
        if part.strata[0][0] >> 23 != pieces:
            continue
        outcome, depth = (np.asarray(part.columns[name]) for name in ("outcome", "depth"))
        found["positions"] += len(outcome)
        for name, value in (("win", 1), ("loss", -1), ("draw", 0)):
            found[name] += int((outcome == value).sum())
        found["plies"] = max(found["plies"], int(depth[outcome == 1].max(initial=0)))
    for name, number in found.items():
        assert row[name] in ("", str(number)), name


def test_kings_alone() -> None:
    """Two kings against one, and one against one, to move."""
    game = Checkers(3)
    solution = solve(game)
    chance = random.Random(7)
    counts = {-1: 0, 0: 0, 1: 0}
    for a in range(1, 33):
        for b in range(1, 33):
            if a != b:
                counts[int(solution.value(game.parse(f"B:WK{a}:BK{b}")).outcome)] += 1
    assert counts == {1: 230, -1: 108, 0: 654}
    for _ in range(20):
        a, b, c = chance.sample(range(1, 33), 3)
        assert int(solution.value(game.parse(f"B:WK{a}:BK{b},K{c}")).outcome) >= 0


@pytest.mark.parametrize(
    "text",
    ["", "B", "B:W1:W2", "B:W33:B1", "B:W1:B5", "B:W8:B32", "B:W8:B8", "B:Wx:B1", "B:W:B",
     "B:W9,10,11,12:B20,21,22,23"],
)  # fmt: skip
def test_wrong_positions_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Checkers(4).parse(text)


def test_wrong_parameters_are_refused() -> None:
    for pieces, size in ((0, 8), (8, 8), (2, 5), (2, 10)):
        with pytest.raises(UsageError):
            Checkers(pieces, size)  # type: ignore[arg-type]


def test_positions_are_counted_by_formula() -> None:
    published = [120, 6_972, 261_224, 7_092_774, 148_688_232, 2_503_611_964, 34_779_531_480]
    assert [counted(8, pieces) for pieces in range(1, 8)] == published
    assert Checkers(3).most_positions == sum(published[:3])
    assert Checkers(2, 4).most_positions == len({*Checkers(2, 4).starts()})


@pytest.mark.slow
def test_a_plan_for_five_pieces_takes_seconds() -> None:
    found = plan(Checkers(5), seconds=1.0)
    assert found.estimate == 156_049_322
    assert found.edges_per_position > 2


def test_what_a_boundary_of_kings_judges_wrongly_is_counted() -> None:
    """Position by position, with the kings counted in the text."""
    bounded, whole = solve(Checkers(3, 4, kings=2)), solve(Checkers(3, 4))
    wrong = ended = 0
    for text in (Checkers(3, 4).text(p) for p in Checkers(3, 4).starts()):
        one, two = (s.value(s.position(text)) for s in (bounded, whole))
        wrong += one.lower != two.lower
        ended += one.depth == 0 and text.count("K") >= 2
    found = answer(bounded, "", "differ:kings=0")
    assert found.lower == wrong > 0
    assert ended > 0
