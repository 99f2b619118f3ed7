"""The cube against stickers that are turned in space."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from perfectplay import solve
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.cube import FACES, PLACES, SOLVED, Cube

Vector = tuple[int, int, int]
Stickers = dict[tuple[Vector, Vector], str]
"""What shows at (corner, direction)."""
OUT: dict[str, Vector] = {
    "R": (1, 0, 0),
    "L": (-1, 0, 0),
    "U": (0, 1, 0),
    "D": (0, -1, 0),
    "F": (0, 0, 1),
    "B": (0, 0, -1),
}


def solved() -> Stickers:
    return {
        (corner, OUT[face]): face
        for corner in product((-1, 1), repeat=3)
        for face in "RLUDFB"
        if sum(a * b for a, b in zip(corner, OUT[face], strict=True)) == 1
    }


def rotated(v: Vector, face: str) -> Vector:
    """A quarter turn clockwise, as seen when looking at the face."""
    x, y, z = v
    return {"R": (x, z, -y), "U": (-z, y, x), "F": (y, -x, z)}[face]


def turned(stickers: Stickers, word: str) -> Stickers:
    face = word[0]
    axis = "RUF".index(face)
    for _ in range({"": 1, "2": 2, "'": 3}[word[1:]]):
        stickers = {
            (rotated(corner, face), rotated(out, face)) if corner[axis] == 1 else (corner, out): c
            for (corner, out), c in stickers.items()
        }
    return stickers


def shown(stickers: Stickers) -> str:
    """As the game writes it: three colours for each place."""
    words = []
    for place in PLACES:
        outs = [OUT[face] for face in place]
        corner = tuple(sum(each) for each in zip(*outs, strict=True))
        words.append("".join(stickers[corner, out] for out in outs))  # type: ignore[index]
    return " ".join(words)


def distances(words: list[tuple[str, int]]) -> dict[str, int]:
    """The least cost of every position, by (turn, cost)."""
    found = {shown(solved()): 0}
    waiting: dict[int, list[Stickers]] = {0: [solved()]}
    cost = 0
    while waiting:
        for here in waiting.pop(cost, []):
            if found[shown(here)] < cost:
                continue
            for word, price in words:
                there = turned(here, word)
                if found.get(shown(there), 99) > cost + price:
                    found[shown(there)] = cost + price
                    waiting.setdefault(cost + price, []).append(there)
        cost += 1
    return found


def test_turns_move_stickers() -> None:
    chosen, game = random.Random(1), Cube()
    p, stickers = SOLVED, solved()
    for _ in range(300):
        m = chosen.randrange(9)
        word = game.move_text(p, m)
        p, stickers = game.play(p, m), turned(stickers, word)
        assert game.text(p) == shown(stickers)
        assert game.parse(shown(stickers)) == p


def words(turns: str, metric: str) -> Iterator[tuple[str, int]]:
    for i, face in enumerate(turns):
        if face in FACES:
            half_only = turns[i + 1 : i + 2] == "2"
            yield face + "2", 2 if metric == "quarter" else 1
            if not half_only:
                yield face, 1
                yield face + "'", 1


@pytest.mark.parametrize(
    ("turns", "metric", "positions"),
    [("R2U2F2", "half", 24), ("R2U2F2", "quarter", 24), ("FR2", "quarter", 120), ("U", "half", 4)],
)
def test_distances(turns: str, metric: str, positions: int) -> None:
    expected = distances(list(words(turns, metric)))
    assert len(expected) == positions
    game = Cube(metric, turns)  # type: ignore[arg-type]
    solution = solve(game)
    assert solution.table.rows == positions
    for text, cost in expected.items():
        assert solution.value(game.parse(text)).exact == cost


def test_scrambles() -> None:
    game = Cube(scramble="R U2 F'")
    assert game.text(game.start()) == shown(turned(turned(turned(solved(), "R"), "U2"), "F'"))
    assert Cube(turns="RU", scramble="R R'").start() == SOLVED
    for wrong in ("F", "x", "R U3"):
        with pytest.raises(UsageError):
            Cube(turns="RU", scramble=wrong)
    for turns in ("", "RR", "2R", "RX", "R2R"):
        with pytest.raises(UsageError):
            Cube(turns=turns)


def test_a_corner_twisted_by_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="twisted"):
        Cube().parse("RFU UFL ULB UBR DFR DLF DRB")
