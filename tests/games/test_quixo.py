"""Quixo against a twin that has cubes in rows of text, and turns in its positions."""

from collections import Counter
from functools import cache

import pytest

from perfectplay import check, load, solve
from perfectplay.errors import UsageError
from perfectplay.games.boards.quixo import Quixo

Board = tuple[str, ...]


def turned(board: Board) -> Board:
    """Columns as rows."""
    return tuple("".join(row[x] for row in board) for x in range(len(board)))


@cache
def after(board: Board, mark: str) -> frozenset[Board]:
    """What pushes of one player lead to; nothing once somebody has a row."""
    n = len(board)
    if lined(board, "X") or lined(board, "O"):
        return frozenset()
    found = set()
    for lines in (board, turned(board)):
        for y, row in enumerate(lines):
            for x, cube in enumerate(row):
                if cube not in (".", mark) or not {x, y} & {0, n - 1}:
                    continue
                rest = row[:x] + row[x + 1 :]
                for end, new in ((0, mark + rest), (n - 1, rest + mark)):
                    if end != x:
                        moved = (*lines[:y], new, *lines[y + 1 :])
                        found.add(moved if lines is board else turned(moved))
    return frozenset(found)


@cache
def lined(board: Board, mark: str) -> bool:
    n = len(board)
    slanted = ("".join(board[i][i] for i in range(n)), "".join(board[i][-1 - i] for i in range(n)))
    return mark * n in (*board, *turned(board), *slanted)


def twin(n: int) -> dict[tuple[Board, str], tuple[int, int]]:
    """Outcome and depth of all positions that can arise: rounds, until nothing changes."""
    start = (("." * n,) * n, "X")
    children, waiting = {}, [start]
    while waiting:
        p = waiting.pop()
        if p not in children:
            other = "O" if p[1] == "X" else "X"
            children[p] = [(board, other) for board in after(*p)]
            waiting += children[p]
    known = {}
    for board, mark in children:
        other = "O" if mark == "X" else "X"
        if lined(board, mark) or lined(board, other):
            known[board, mark] = (1 if lined(board, mark) else -1, 0)
    depth = 0
    while True:
        depth += 1
        new = {}
        for p, qs in children.items():
            if p in known:
                continue
            values = [known.get(q) for q in qs]
            if any(v and v[0] < 0 for v in values):
                new[p] = (1, depth)
            elif all(v and v[0] > 0 for v in values):
                new[p] = (-1, depth)
        if not new:
            return {p: known.get(p, (0, -1)) for p in children}
        known |= new


@pytest.mark.parametrize("n", [2, 3])
def test_outcomes_and_depths_are_those_of_the_twin(n: int) -> None:
    game, expected = Quixo(n), twin(n)
    solution = solve(game)
    for (board, mark), (outcome, depth) in expected.items():
        text = "/".join(board)
        if mark == "O":
            text = text.translate(str.maketrans("XO", "OX"))
        value = solution.value(game.parse(text))
        found = -1 if value.depth is None else value.depth
        assert (int(value.outcome), found) == (outcome, depth), text
    if n == 3:  # those of benchmarks/quixo.py
        counts = Counter(outcome for outcome, _ in expected.values())
        assert (len(expected), counts[1], counts[-1]) == (32_027, 20_247, 11_780)


@pytest.mark.slow
def test_images_share_a_number_and_its_value() -> None:
    with_symmetry, without = solve(Quixo(3)), solve(Quixo(3, symmetry=False))
    for p in [*without.positions()][::7]:
        assert with_symmetry.value(p) == without.value(p)
    assert (len(with_symmetry), len(without)) == (2_663, 18_670)


def test_rules_are_checked() -> None:
    assert check(Quixo(2)).ok
    with pytest.raises(UsageError, match="6 x 6"):
        load("quixo", ["width=6"])
    game = Quixo()
    for text in ("..../....", "XO../..../..../...?", "X.../..../..../....", "OO../..../..../...."):
        with pytest.raises(ValueError, match=r"X to move|so many cubes"):
            game.parse(text)
