"""Moves are found on the picture: every move of most games can be made by clicking the board."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from test_games import pairs

from perfectplay import load
from perfectplay.answer.faces.places import Clicks, Place, clicks, places
from perfectplay.drawing.shapes import marks, shape
from perfectplay.games import GAMES
from perfectplay.rules.game import CHANCE, SIMULTANEOUS, Game, first_positions

UNTOLD = {
    "amazons", "bulls-and-cows", "cant-stop", "col", "cube", "darts", "egg-dropping",
    "fibonacci-nim", "hog", "mastermind", "peg-solitaire", "red-green-balls",
}  # fmt: skip
"""Games in which some moves look alike, change nothing or are numbers: they have the list."""
HEAVY = {"bear-off", "pawn-endings"}
SMALLER = {"kayles": ["heaps=7"], "octal": ["heaps=6"], "dawsons-chess": ["heaps=8"]}


def walk(game: Game, plies: int = 25) -> list[object]:
    """Positions of random play at which somebody moves."""
    draw, found, p = random.Random(1), [], next(first_positions(game))
    for _ in range(plies):
        kind = game.to_move(p)
        if kind == CHANCE:
            events = list(game.chances(p))
            p = draw.choices([q for _, q in events], [int(w) for w, _ in events])[0]
            continue
        if kind == SIMULTANEOUS:
            p = game.play(p, draw.choice(pairs(game, p)))
            continue
        moves = list(islice(game.moves(p), 200)) if kind >= 0 else []
        if not moves:
            p = next(first_positions(game))
            continue
        found.append(p)
        p = game.play(p, draw.choice(moves))
    return found


def made(tree: Clicks, paths: list[list[Place]], path: list[Place] | None = None) -> set[int]:
    """The moves that clicks lead to, walked as a person would."""
    path = path or []
    found = set()
    for place, number in tree.moves.items():
        found.add(number)
        paths.append([*path, place])
    for place, inner in tree.further.items():
        found |= made(inner(), paths, [*path, place])
    return found


@pytest.mark.parametrize("name", sorted(set(GAMES) - UNTOLD - HEAVY))
def test_every_move_can_be_clicked(name: str) -> None:
    game = load(name, SMALLER.get(name, []))
    for p in walk(game):
        found = places(game, p)
        moves = list(game.moves(p))
        paths: list[list[Place]] = []
        assert made(found.clicks, paths) == set(range(len(moves))), game.text(p)
        assert all(place in found.boxes for path in paths for place in path)


def naive(changed: list[frozenset[Place]], clicked: list[Place]) -> set[int]:
    """The moves that change all places that were clicked."""
    return {i for i, each in enumerate(changed) if set(clicked) <= each}


def test_clicks_lead_only_to_moves_that_change_these_places() -> None:
    draw = random.Random(3)
    for _ in range(400):
        cells = [(x, 0) for x in range(draw.randint(1, 5))]
        changed = [
            frozenset(draw.sample(cells, draw.randint(1, len(cells))))
            for _ in range(draw.randint(1, 6))
        ]
        paths: list[list[Place]] = []
        tree = clicks(changed)
        reached = made(tree, paths)
        for path in paths:
            here = tree
            for place in path[:-1]:
                here = here.further[place]()
            assert here.moves[path[-1]] in naive(changed, path)
        apart = {i for i, each in enumerate(changed) if changed.count(each) == 1}
        assert reached == apart


def test_nested_changes_are_made_by_their_last_place() -> None:
    heap = [frozenset((0, y) for y in range(n + 1)) for n in range(4)]
    tree = clicks(heap)
    assert tree.moves == {(0, n): n for n in range(4)}
    assert not tree.further


def test_transformations_move_shapes() -> None:
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg"><g transform="translate(10 20)">'
        '<g transform="scale(2)"><rect x="1" y="2" width="3" height="4"/></g>'
        '<circle cx="5" cy="5" r="5" transform="rotate(90)"/></g><text y="20">ab</text></svg>'
    )
    found = {seen.tag: seen.box for seen in map(shape, marks(picture)) if seen}
    assert found == {
        "rect": (12, 24, 18, 32), "circle": (0, 20, 10, 30), "text": (0, 7.2, 17.92, 23.2)
    }  # fmt: skip
