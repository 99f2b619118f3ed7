"""The kit for authors: laws, a twin and known values, in three lines of an author's own test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from perfectplay import CHANCE, OVER, Game, UsageError, load, solve
from perfectplay.testing import agrees, known, obeys_laws
from perfectplay.verification.minimax import minimax

PAGE = Path(__file__).parents[1] / "docs" / "testing-games.md"


def page_files() -> dict[str, str]:
    """The files of the page, by name."""
    return dict(
        re.findall(r"^```python\n# (\S+\.py)\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    )


def run_pytest(folder: Path) -> str:
    """What a real pytest says of an author's folder."""
    paths = [path for path in sys.path if path and not path.endswith("tests")]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    return ended.stdout + ended.stderr


def test_an_authors_tests_pass_and_each_finds_a_planted_mistake(tmp_path: Path) -> None:
    files = page_files()
    right = "tuple(sorted(p))"
    assert right in files["heaps.py"]
    files["wrong.py"] = files["heaps.py"].replace(right, "(min(p), min(p))")
    files["test_wrong.py"] = files["test_heaps.py"].replace("from heaps", "from wrong")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = run_pytest(tmp_path)
    assert "3 failed, 3 passed" in told, told
    assert told.count("FAILED test_wrong.py") == 3
    shown = re.findall(r"^```text\n(Heaps: .*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(shown) == 3
    for line in "".join(shown).splitlines():
        assert line.strip() in ("…", "") or line.strip() in told, told


@dataclass(frozen=True)
class Dice(Game):
    """Two players roll a loaded die once each, or do not; a 1 counts nothing."""

    sides: int = 3

    def start(self):
        return (0, 0, 0, 0)  # what each has, whose turn, whether the die rolls

    def to_move(self, p):
        return OVER if p[2] == 2 else CHANCE if p[3] else p[2]

    def moves(self, p):
        return ["roll", "stop"]

    def play(self, p, m):
        return (*p[:3], 1) if m == "roll" else (*p[:2], p[2] + 1, 0)

    def chances(self, p):
        for face in range(1, self.sides + 1):
            has = [p[0], p[1]]
            has[p[2]] = face if face > 1 else 0
            yield face, (*has, p[2] + 1, 0)

    def payoff(self, p):
        return (p[0], p[1])


def test_minimax_agrees_with_the_engine_where_players_roll_dice() -> None:
    """Interests are not opposed here, so that all players' values are compared."""
    assert agrees(Dice()) == 17


def test_minimax_is_the_definition() -> None:
    values = minimax(Dice())
    assert values[0, 0, 0, 0] == (Fraction(13, 6), Fraction(13, 6))
    assert values[3, 0, 1, 1] == (Fraction(3), Fraction(13, 6))
    nim = minimax(load("subtraction", {"heap": 9}))
    assert [nim[p][0] for p in range(10)] == [-1, 1, 1, 1, -1, 1, 1, 1, -1, 1]


@pytest.mark.parametrize("name", ["hanoi", "sliding"])
def test_minimax_refuses_play_that_comes_back(name: str) -> None:
    with pytest.raises(UsageError, match="play can come back to"):
        minimax(load(name))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("nim", {"heaps": (1, 2, 3)}),
        ("noughts-and-crosses", {}),
        ("red-green-balls", {}),
        ("but-whos-counting", {}),
    ],
)
def test_minimax_agrees_with_games_of_the_package(name: str, parameters: dict[str, Any]) -> None:
    assert agrees(load(name, parameters), most=2000) > 10


class Faces(Dice):
    """A twin of Dice whose positions are texts."""

    def start(self):
        return "0 0 0 0"

    def to_move(self, p):
        return super().to_move(tuple(map(int, p.split())))

    def play(self, p, m):
        return " ".join(map(str, super().play(tuple(map(int, p.split())), m)))

    def chances(self, p):
        for weight, q in super().chances(tuple(map(int, p.split()))):
            yield weight, " ".join(map(str, q))

    def payoff(self, p):
        return super().payoff(tuple(map(int, p.split())))


class Generous(Faces):
    def payoff(self, p):
        mine, yours = super().payoff(p)
        return (mine, yours + (mine == 2))


def test_a_twin_may_write_positions_otherwise() -> None:
    def words(p: Any) -> str:
        return " ".join(map(str, p))

    assert agrees(Dice(), Faces(), by=words) == 17
    with pytest.raises(AssertionError, match="values differ"):
        agrees(Dice(), Generous(), by=words)


def test_a_function_may_be_the_twin() -> None:
    heap = load("subtraction", {"heap": 12})
    assert agrees(heap, lambda p: -1 if p % 4 == 0 else 1) == 13
    with pytest.raises(AssertionError, match=r"1 of 13 values differ\n  8 is worth loss"):
        agrees(heap, lambda p: -1 if p in (0, 4, 12) else 1)


def test_known_values_may_be_in_a_file(tmp_path: Path) -> None:
    heap = load("subtraction", {"heap": 12})
    file = tmp_path / "known.csv"
    file.write_text(
        "position,quantity,value\n,,loss\n5,,win in 3 plies\n5,best,take 1\n8,depth,4\n", "utf-8"
    )
    assert known(heap, file) == 4
    file.write_text("position,value\n5,loss\n6,win\n7,win in 1 ply\n", "utf-8")
    with pytest.raises(AssertionError) as caught:
        known(heap, file)
    assert str(caught.value).splitlines() == [
        "Subtraction: 2 of 3 values differ",
        "  '5' is win, not loss",
        "  '7' is win in 3 plies, not win in 1 ply",
    ]


def test_known_numbers_are_met_in_the_digits_they_have() -> None:
    game = Dice()
    assert known(game, {game.start(): "2.1667", "(3, 0, 1, 0)": Fraction(13, 6)}, exact=True) == 2
    with pytest.raises(AssertionError):
        known(game, {game.start(): "2.1677"})


@pytest.mark.parametrize("text", ["", "p,v\n1,win\n"])
def test_files_without_values_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "known.csv").write_text(text, "utf-8")
    with pytest.raises(UsageError, match="no columns position and value"):
        known(load("subtraction"), tmp_path / "known.csv")
    with pytest.raises(UsageError, match="cannot be read"):
        known(load("subtraction"), tmp_path / "none.csv")


def test_laws_that_hold_give_the_report() -> None:
    assert obeys_laws(load("subtraction")).complete


def test_twins_of_solved_games_need_not_be_exact() -> None:
    """A value with proved bounds agrees with the fraction between them."""
    value = solve(Dice()).value(Dice().start())
    assert agrees(Dice(), lambda p: minimax(Dice())[p]) == 17
    assert value.exactness != "exact"
