"""Rubik's cube: counts by depth, published positions, and searches against plain breadth-first
search; databases built number by number."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from perfectplay import check, search
from perfectplay.errors import UsageError
from perfectplay.games.puzzles import rubik_cosets as cosets
from perfectplay.games.puzzles.rubik import Rubik
from perfectplay.games.puzzles.rubik_pieces import SOLVED, codes, seen_as, stickers, turned
from perfectplay.games.puzzles.rubik_shown import facelets, turns_of
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Silent
from perfectplay.searching.patterns import database_files, halves
from perfectplay.searching.patterns.by_number import counted, half
from perfectplay.searching.patterns.halves import Halves
from perfectplay.searching.search import searches

FILE = Path(__file__).parent / "rubik.csv"
SMALL = Rubik(databases="small")


def rows() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if line[0] != "#"))


def test_positions_by_depth_are_the_published_ones() -> None:
    """Turns lead to as many positions as is known."""
    game: Any = SMALL
    goal = next(iter(SMALL.goals()))
    level, before, counts = {goal}, set[Any](), [1]
    for _ in range(3):
        new = {game.play(p, m) for p in level for m in range(18)}
        before, level = level, new - level - before
        counts.append(len(level))
    assert counts == [1, 18, 243, 3240]


def test_positions_say_where_pieces_are() -> None:
    """Turns of what is remembered do what turns of pieces do."""
    game, draw, pieces = SMALL, random.Random(4), SOLVED
    p = next(iter(game.goals()))
    for _ in range(60):
        turn = draw.randrange(18)
        p, pieces = game.play(p, turn), turned(*pieces, turn)
        assert game.pieces(p) == pieces == codes(stickers(*pieces))
        assert p == game.packed(*pieces) == game.parse(game.text(p))


@pytest.mark.parametrize("ordered", [False, True])
def test_symmetries_change_what_is_remembered_as_they_change_the_cube(ordered: bool) -> None:
    draw, twists, flips = random.Random(5), cosets.twist_images(), cosets.flip_images()
    number, representatives, keeping = cosets.classes(ordered=ordered)
    slices, changes = cosets.slice_images()
    game = Rubik(databases="large" if ordered else "medium")
    p = next(iter(SMALL.goals()))
    for _ in range(12):
        p = SMALL.play(p, draw.randrange(18))
        shown = stickers(*SMALL.pieces(p))
        twist, flip, between = cosets.read(shown)
        seen = [cosets.read(seen_as(shown, way)) for way in cosets.kept()]
        for i, each in enumerate(seen):
            other = int(flips[i, flip]) ^ int(changes[i, between])
            assert each == (int(twists[i, twist]), other, int(slices[i, between]))
        found = int(number[between])
        named = seen[found >> 11 & 15][2]
        assert representatives[found >> 15] == (named if ordered else named // 24 * 24)
        places = {
            game.blur_index(SMALL.packed(*codes(seen_as(shown, w))), 0) for w in cosets.kept()
        }
        assert len(places) == 1  # all that looks the same has one number
        i = places.pop()[0]
        assert game.blur_index(game.blur_at(i, 0), 0) == (i, 0)
    assert len(representatives) == game.blur_sizes(0)[0] // (2048 * 2187) == len(keeping)


def test_published_solutions_solve() -> None:
    """Positions by their facelets, with solutions of a program that shares nothing with this."""
    game = SMALL
    for row in rows():
        p = game.parse(row["facelets"])
        assert game.text(p) == row["facelets"]
        turns = turns_of(row["solution"])
        assert len(turns) == int(row["moves"])
        for turn in turns:
            p = game.play(p, turn)
        assert game.pieces(p) == SOLVED
    assert rows()[-1]["facelets"] == game.text(game.start())  # the superflip, at most 20


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["half", "quarter"])
def test_searches_find_the_least_number_of_turns(metric: str) -> None:
    """Of few turns, against all positions that so few lead to; with half turns only, against
    breadth-first search through all."""
    game, draw = Rubik(metric=metric, databases="small"), random.Random(6)  # type: ignore[arg-type]
    goal = next(iter(game.goals()))
    near = distances(game, goal, 3)
    for _ in range(12):
        p = goal
        for _ in range(2):
            p = game.play(p, draw.randrange(18))
        assert search(game, p).exact == near[p]
    few = Rubik(metric=metric, turns="U2R2F2")  # type: ignore[arg-type]
    known = distances(few, goal, 100)
    assert len(known) == 2592
    for p in draw.sample(sorted(known), 30):
        found = search(few, p)
        assert found.exact == known[p] == sum(cost(few, turn) for turn in found.line)


def cost(game: Rubik, turn: str) -> int:
    """What a turn costs."""
    return game.reward(SMALL.start(), turns_of(turn)[0])


def distances(game: Rubik, goal: Any, most: int) -> dict[Any, int]:
    """The least cost of all positions from which it is at most so much."""
    found, levels = {goal: 0}, {0: [goal]}
    for cost in range(most + 1):
        for p in levels.get(cost, []):
            if found[p] < cost:
                continue
            for m in range(18):
                if game.allowed >> m & 1:
                    q, new = game.play(p, m), cost + game.reward(p, m)
                    if new <= most and new < found.get(q, most + 1):
                        found[q] = new
                        levels.setdefault(new, []).append(q)
    return found


def far_from_goal(game: Rubik, k: int, most: int) -> dict[int, int]:
    """The least costs of blurred positions, by their numbers, from the goal on."""
    level, found = {game.blur(next(iter(game.goals())), k)}, dict[int, int]()
    for depth in range(most + 1):
        for q in level:
            found.setdefault(game.blur_index(q, k)[0], depth)
        level = {game.blur(game.play(q, m), k) for q in level for m in range(18)}
    return found


def test_databases_built_by_number_have_the_least_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if building is stopped after every level, and taken up again."""
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path))
    expander, size, k = NativeExpander(SMALL), cosets.SETS * cosets.TWISTS, 3
    cost = Halves(expander, k, -1, (size, 1), "whole").built(Silent())
    known = far_from_goal(SMALL, k, 4)
    assert {i: half.py_func(cost, i) for i in known} == known
    counts = counted(cost, size)
    assert counts[:5].tolist() == [list(known.values()).count(depth) for depth in range(5)]
    assert counts.sum() == counts[:10].sum() == size  # 9 turns are enough

    monkeypatch.setattr(halves, "KEEP", -1.0)
    monkeypatch.setattr(Halves, "_level", stopping(Halves._level))
    for _ in range(20):
        try:
            again = Halves(expander, k, -1, (size, 1), "parts").built(Silent())
            break
        except KeyboardInterrupt:
            assert database_files.read_part("parts") is not None
    assert (again == cost).all()
    assert database_files.read_part("parts") is None


def stopping(function: Any) -> Any:
    """The same, but every second call is interrupted."""
    calls = []

    def called(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) > 1 and len(calls) % 2 == 0:
            raise KeyboardInterrupt
        function(*arguments)

    return called


def test_a_careless_order_of_moves_is_noticed() -> None:
    @dataclass(frozen=True)
    class Careless(Rubik):
        """Leaves out what other turns do not do."""

        turns: str = "U2R2"

        def follows(self, last: int, m: int) -> bool:
            return m > last

    assert check(Rubik(turns="U2R2")).ok
    assert [each.method for each in check(Careless()).problems] == ["follows"]


def test_what_is_no_cube_is_refused() -> None:
    solved = SMALL.text(next(iter(SMALL.goals())))
    wrong = {
        "R U X": "no turn",
        solved.replace("U", "R", 1): "no piece shows",
        "R" + solved[1:4] + "F" + solved[5:]: "centre",
        solved[:53] + "U": "no piece shows",
    }
    for text, words in wrong.items():
        with pytest.raises(ValueError, match=words):
            SMALL.parse(text)
    flipped = SOLVED[0], SOLVED[1] ^ 16
    twisted = SOLVED[0] ^ 8, SOLVED[1]
    swapped = SOLVED[0], SOLVED[1] ^ 1 ^ 1 << 5
    for pieces in (flipped, twisted, swapped):
        text = facelets(stickers(*pieces))
        with pytest.raises(ValueError, match=r"themselves|itself"):
            SMALL.parse(text)
    with pytest.raises(UsageError):
        Rubik(turns="RX")


def rest(game: Rubik, row: dict[str, str], turns: int) -> Any:
    """Where so many turns are left of a shortest solution: so many are needed there."""
    p, solution = game.parse(row["facelets"]), turns_of(row["solution"])
    for turn in solution[: len(solution) - turns]:
        p = game.play(p, turn)
    return p


def test_ends_of_published_solutions_take_as_many_turns() -> None:
    for row, found in zip(
        rows(), searches(SMALL, [rest(SMALL, row, 8) for row in rows()]), strict=True
    ):
        assert found.exact == 8 == len(found.line), row


@pytest.mark.slow
def test_longer_ends_of_published_solutions_take_as_many_turns() -> None:
    """With the large databases, which take half a minute to build."""
    game = Rubik()
    for row, found in zip(
        rows(), searches(game, [rest(game, row, 13) for row in rows()]), strict=True
    ):
        assert found.exact == 13 == len(found.line), row
