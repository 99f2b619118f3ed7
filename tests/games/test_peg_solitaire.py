"""Peg solitaire against recursion over sets of holes."""

from __future__ import annotations

import math
from functools import cache

import pytest

from perfectplay import solve
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.peg_solitaire import PegSolitaire
from perfectplay.verification.published import subjects
from perfectplay.verification.published.subjects import sizes_by_ply

Hole = tuple[int, int]
Pegs = frozenset[Hole]

WAYS = {"square": 2, "triangle": 3, "king": 4}
"""How many lines of STEPS there are."""
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Slow:
    """Least costs by plain recursion. A board is a set of (row, column)."""

    def __init__(self, rows: str, lines: str = "square") -> None:
        self.board: Pegs = frozenset(
            (y, x)
            for y, row in enumerate(rows.split("/"))
            for x, sign in enumerate(row)
            if sign != "."
        )
        steps = STEPS[: WAYS[lines]]
        self.steps = [*steps, *((-y, -x) for y, x in steps)]

    def jumps(self, pegs: Pegs, hole: Hole) -> list[tuple[Pegs, Hole]]:
        found = []
        for y, x in self.steps:
            near, far = (hole[0] + y, hole[1] + x), (hole[0] + 2 * y, hole[1] + 2 * x)
            if near in pegs and far in self.board and far not in pegs:
                found.append((pegs - {hole, near} | {far}, far))
        return found

    def after(self, pegs: Pegs, hole: Hole, chains: bool) -> set[Pegs]:
        out: set[Pegs] = set()
        for then, at in self.jumps(pegs, hole):
            out.add(then)
            if chains:
                out |= self.after(then, at, chains)
        return out

    def costs(self, pegs: Pegs, finish: Pegs | None, chains: bool) -> dict[Pegs, float]:
        """All positions from `pegs` on, each with its least cost; finish None: any one peg."""
        found: dict[Pegs, float] = {}

        @cache
        def cost(here: Pegs) -> float:
            children = {q for hole in here for q in self.after(here, hole, chains)}
            done = len(here) == 1 if finish is None else here == finish
            if done:
                children = set()
            found[here] = min((1 + cost(q) for q in children), default=0 if done else math.inf)
            return found[here]

        cost(pegs)
        return found

    def fewest(self, pegs: Pegs) -> int:
        @cache
        def left(here: Pegs) -> int:
            children = {q for hole in here for q in self.after(here, hole, chains=False)}
            return min((left(q) for q in children), default=len(here))

        return left(pegs)


SQUARE = "ooo/ooo/ooo"
CASES = [
    ("plus", "..o../..o../ooooo/..o../..o..", "square", (2, 2), (2, 2), "moves"),
    ("triangle4", "o/oo/ooo/oooo", "triangle", (1, 0), None, "moves"),
    ("4x3", "oooo/oooo/oooo", "square", (0, 0), None, "jumps"),
    ("triangle4", "o/oo/ooo/oooo", "triangle", (1, 0), (1, 1), "moves"),
    ("oooo/oooo/oooo", "oooo/oooo/oooo", "square", (0, 1), (1, 3), "moves"),
    ("3x3", SQUARE, "king", (0, 0), None, "moves"),
]


@pytest.mark.parametrize(("board", "rows", "lines", "vacant", "finish", "cost"), CASES)
def test_costs(
    board: str, rows: str, lines: str, vacant: Hole, finish: Hole | None, cost: str
) -> None:
    slow = Slow(rows, lines)
    expected = slow.costs(
        slow.board - {vacant}, None if finish is None else frozenset({finish}), cost == "moves"
    )
    game = PegSolitaire(
        board,
        name(vacant),
        "any" if finish is None else name(finish),
        cost,  # type: ignore[arg-type]
        "king" if lines == "king" else "",
    )
    solution = solve(game, plain=board != "triangle4")
    numbers = {game.representative(number(game, pegs)) for pegs in expected}
    assert solution.table.rows == len(numbers)
    for pegs, least in expected.items():
        assert float(solution.value(number(game, pegs))) == least, pegs


def name(hole: Hole) -> str:
    return "abcdefg"[hole[1]] + str(hole[0] + 1)


def number(game: PegSolitaire, pegs: Pegs) -> int:
    return sum(1 << i for i, (x, y) in enumerate(game.holes) if (y, x) in pegs)


@pytest.mark.parametrize(("rows", "vacant"), [("oooo/oooo/oooo", (1, 1)), ("ooooo/ooooo", (0, 2))])
def test_fewest_pegs(rows: str, vacant: Hole) -> None:
    slow = Slow(rows)
    game = PegSolitaire(rows, name(vacant), "fewest", symmetry=False)
    solution = solve(game, plain=True)
    assert solution.value(solution.start).exact == slow.fewest(slow.board - {vacant})


def test_the_english_board() -> None:
    game = PegSolitaire()
    assert len(game.holes) == 33
    assert (game.over != 0).sum() == 76
    assert game.text(game.start()) == "..ooo../..ooo../ooooooo/ooo_ooo/ooooooo/..ooo../..ooo.."
    assert len(game.images) == 8
    assert 23_475_688 < game.most_positions < 70_000_000
    assert len(PegSolitaire(vacant="d1", finish="d1").images) == 2
    assert len(PegSolitaire(vacant="d1", finish="any").images) == 8
    assert len(PegSolitaire("french", symmetry=False).images) == 1
    assert len(PegSolitaire("triangle6", finish="any").images) == 6
    assert [game.move_text(game.start(), m) for m in game.moves(game.start())] == [
        *("d2-d4", "b4-d4", "f4-d4", "d6-d4")
    ]


def test_boards_by_rows() -> None:
    assert PegSolitaire("ooo/o_o/ooo").start() == PegSolitaire("3x3").start()
    assert PegSolitaire("_o/oo/oo/oo", finish="a1 b4").wanted == 0b10000001
    assert PegSolitaire("../.o/.o/.o").text(0b110) == "_/o/o"


@pytest.mark.parametrize(
    "wrong",
    [
        {"board": "circle"},
        {"board": "oo"},
        {"board": "9x9"},
        {"board": "triangle99"},
        {"vacant": "a1"},
        {"finish": "z9"},
        {"vacant": ","},
        {"cost": "pegs"},
        {"lines": "round"},
        {"board": "triangle10"},
    ],
    ids=str,
)
def test_nonsense_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        PegSolitaire(**wrong)  # type: ignore[arg-type]
    assert caught.value.hint


def test_plies_are_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions that several blocks lead to count once."""
    game = PegSolitaire(board="triangle5", vacant="a1", symmetry=False)
    whole = sizes_by_ply(game, 12)
    monkeypatch.setattr(subjects, "BLOCK", 3)
    assert sizes_by_ply(game, 12) == whole
