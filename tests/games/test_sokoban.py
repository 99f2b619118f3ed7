"""Sokoban: levels as text, and least pushes and steps against breadth-first search over sets."""

from __future__ import annotations

import csv
import math
import random
from collections import deque
from pathlib import Path

import pytest

from perfectplay import search, solve
from perfectplay.cli import main
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.sokoban import WAIT, Sokoban

Cell = tuple[int, int]
FILE = Path(__file__).parent / "sokoban.csv"
LEVELS = list(csv.DictReader(FILE.read_text().splitlines()))
"""Levels of Microban; least pushes by the search below, least steps by another program."""
WAYS = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}


class Slow:
    """A level as sets of places."""

    def __init__(self, text: str) -> None:
        signs = {(y, x): s for y, row in enumerate(text.split("/")) for x, s in enumerate(row)}
        self.walls = {cell for cell, sign in signs.items() if sign == "#"}
        self.goals = frozenset(cell for cell, sign in signs.items() if sign in ".*+")
        self.boxes = frozenset(cell for cell, sign in signs.items() if sign in "$*")
        self.player = next(cell for cell, sign in signs.items() if sign in "@+")

    def step(self, man: Cell, boxes: frozenset[Cell], way: str) -> tuple[Cell, frozenset[Cell]]:
        """Where he is after a step, and the boxes; as before if there is no such step."""
        down, right = WAYS[way.lower()]
        to, behind = (man[0] + down, man[1] + right), (man[0] + 2 * down, man[1] + 2 * right)
        if to in self.walls or (to in boxes and behind in boxes | self.walls):
            return man, boxes
        return to, (boxes - {to} | {behind} if to in boxes else boxes)

    def least(self, cost: str) -> float:
        """The least number of pushes or steps, by breadth-first search; steps that push nothing
        are free if pushes count."""
        first = self.player, self.boxes
        found, left = {first: 0}, deque([first])
        while left:
            here = left.popleft()
            if here[1] == self.goals:
                return found[here]
            for way in WAYS:
                there = self.step(*here, way)
                spent = found[here] + int(cost == "moves" or there[1] != here[1])
                if there not in found or spent < found[there]:
                    found[there] = spent
                    if spent == found[here]:
                        left.appendleft(there)
                    else:
                        left.append(there)
        return math.inf

    def solved_by(self, line: str) -> int:
        """How many pushes a line takes; it must be possible, and end with all boxes on goals."""
        man, boxes, pushes = self.player, self.boxes, 0
        for way in line:
            before, pushed = boxes, man
            man, boxes = self.step(man, boxes, way)
            assert man != pushed
            assert (boxes != before) == way.isupper()
            pushes += way.isupper()
        assert boxes == self.goals
        return pushes


def rooms(seed: int) -> str:
    """A random room with two boxes."""
    draw = random.Random(seed)
    high, wide = draw.randint(4, 5), draw.randint(4, 6)
    inside = [(y, x) for y in range(1, high + 1) for x in range(1, wide + 1)]
    signs = dict.fromkeys(inside, "-") | dict.fromkeys(draw.sample(inside, 2), "#")
    open_ones = [cell for cell in inside if signs[cell] == "-"]
    boxes = draw.sample([(y, x) for y, x in open_ones if 1 < y < high and 1 < x < wide], 2)
    others = draw.sample([cell for cell in open_ones if cell not in boxes], 3)
    signs |= dict.fromkeys(boxes, "$") | dict(zip(others, "@..", strict=True))
    rows = ["".join(signs.get((y, x), "#") for x in range(wide + 2)) for y in range(high + 2)]
    return "/".join(rows)


def test_random_rooms_take_as_long_as_breadth_first_search_says() -> None:
    told = []
    for seed in range(50):
        text = rooms(seed)
        for cost in ("pushes", "moves"):
            try:
                game = Sokoban(level=text, cost=cost)  # type: ignore[arg-type]
            except UsageError:  # a box or a goal is cut off
                continue
            found = search(game)
            slow = Slow(text)
            told.append(slow.least(cost))
            assert found.upper == told[-1], (text, cost)
            if found.line:
                line = "".join(found.line)
                assert (slow.solved_by(line) if cost == "pushes" else len(line)) == told[-1]
                slow.solved_by(line)
    assert len(told) > 80
    assert 0.1 < sum(each == math.inf for each in told) / len(told) < 0.9


@pytest.mark.parametrize("row", LEVELS, ids=lambda row: row["number"])
def test_levels_of_microban(row: dict[str, str]) -> None:
    game = Sokoban(int(row["number"]))
    found = search(game)
    assert found.upper == found.lower == int(row["pushes"])
    slow = Slow(game.text(game.start()))
    assert slow.solved_by("".join(found.line)) == int(row["pushes"])
    steps = search(Sokoban(int(row["number"]), "moves"))
    assert steps.upper == steps.lower == int(row["moves"]) == len("".join(steps.line))


@pytest.mark.slow
@pytest.mark.parametrize("row", LEVELS, ids=lambda row: row["number"])
def test_pushes_are_those_of_breadth_first_search(row: dict[str, str]) -> None:
    game = Sokoban(int(row["number"]))
    assert Slow(game.text(game.start())).least("pushes") == int(row["pushes"])


def test_solved_levels_agree_with_the_search() -> None:
    for number in (1, 3):
        found = solve(Sokoban(number))
        assert found.value(found.start).lower == search(Sokoban(number)).upper


def test_levels_come_from_texts_of_several() -> None:
    text = "; one\n#####\n#@$.#\n#####\n\nTitle: two\n  #######\n  #@ $ .#\n  #######\n"
    first, second = Sokoban(1, level=text), Sokoban(2, level=text)
    assert first.text(first.start()) == "#####/#@$.#/#####"
    assert second.text(second.start()) == "--#######/--#@-$-.#/--#######"
    assert search(second).line == ("rR", "R")
    assert first.parse("#####/#-@*#/#####") == first.play(first.start(), 7)
    assert list(first.moves(first.play(first.start(), 7))) == []


def test_who_can_push_nothing_waits() -> None:
    game = Sokoban(level="######/#.-@$#/######")
    assert list(game.moves(game.start())) == [WAIT]
    assert search(game).value_text == "impossible"


@pytest.mark.parametrize(
    "level",
    [
        "#", "#####/#-$.#/#####", "####/#@$./####", "#####/#@$-#/#####", "#@#@#", "#@#",
        "#" * 40 + "/#@" + "-" * 300 + "$.#", "#-@-#",
    ],
)  # fmt: skip
def test_what_is_no_level_is_refused(level: str) -> None:
    with pytest.raises(UsageError):
        Sokoban(level=level)


def test_what_is_no_position_is_refused() -> None:
    game = Sokoban(level="#####/#@$.#/#####")
    for text in ("", "#####/#@.$-#/######", "#####/#@-.#/#####", "####/#@*#/####"):
        with pytest.raises(ValueError, match=r"."):
            game.parse(text)


def test_a_level_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "levels.txt"
    file.write_text("  #####\n  #@$.#\n  #####\n")
    assert main.run(["search", "sokoban", "-p", f"level=@{file}"]) == 0
    assert "--#####/--#@$.#/--#####" in capsys.readouterr().out
    for there in (tmp_path / "none", tmp_path):
        assert main.run(["search", "sokoban", "-p", f"level=@{there}"]) == 2
        assert "cannot be read" in capsys.readouterr().err
    file.write_bytes(b"\xff\xfe#")
    assert main.run(["search", "sokoban", "-p", f"level=@{file}"]) == 2
    assert "cannot be read" in capsys.readouterr().err
