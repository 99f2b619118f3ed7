"""Moves are found on the picture: every move of most games can be made by clicking the board."""

from __future__ import annotations

import random
from itertools import islice, product

import pytest
from test_games import pairs

from perfectplay import load
from perfectplay.answer.faces.places import STEP, Clicks, Place, Places, clicks, places
from perfectplay.drawing.shapes import Box, marks, shape
from perfectplay.games import GAMES
from perfectplay.rules.game import CHANCE, SIMULTANEOUS, Game, first_positions

UNTOLD = {
    "bakers-game": "where a card may go from one column and cell is not told apart",
    "bulls-and-cows": "a move is a code",
    "cube": "turns of a cube that looks the same from several sides",
    "darts": "a move is a field to aim at, and the picture shows the score",
    "egg-dropping": "a move is one of up to 100 floors, too narrow to be clicked",
    "freecell": "where a card may go from one column and cell is not told apart by what changes",
    "hog": "a move is a number of dice",
    "mastermind": "a move is a code",
    "rubik": "turns of a cube that looks the same from several sides",
    "red-green-balls": "a move is a number of coins",
    "thoughtful-klondike": "where a card may go is not told apart by what changes",
}
"""Games in which the board does not tell all moves apart, and why: they have the list."""
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
        found |= made(inner.clicks(), paths, [*path, place])
    return found


def unreachable(game: Game, p: object) -> set[object]:
    """The positions after moves that no clicks lead to; places that cannot be clicked fail."""
    found = places(game, p)
    moves = list(game.moves(p))
    paths: list[list[Place]] = []
    reached = {game.play(p, moves[i]) for i in made(found.clicks, paths)}
    assert all(place in found.boxes for path in paths for place in path)
    return {game.play(p, m) for m in moves} - reached


@pytest.mark.parametrize("name", sorted(set(GAMES) - set(UNTOLD) - HEAVY))
def test_every_move_can_be_clicked(name: str) -> None:
    game = load(name, SMALLER.get(name, []))
    for p in walk(game):
        assert not unreachable(game, p), game.text(p)


def _seen(found: Places, here: Clicks) -> set[int]:
    """The moves that are made by clicking somewhere on the picture, at what is drawn on top."""
    on_top = set()
    order = found.drawn(here)
    for left, top, right, bottom in map(found.boxes.__getitem__, order):
        for i, j in product(range(1, 8), repeat=2):
            x, y = left + (right - left) * i / 8, top + (bottom - top) * j / 8
            on_top.add([each for each in order if _holds(found.boxes[each], x, y)][-1])
    further = [here.further[place].clicks() for place in on_top & here.further.keys()]
    made_here = {here.moves[place] for place in on_top & here.moves.keys()}
    return made_here.union(*(_seen(found, each) for each in further))


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


@pytest.mark.parametrize("name", sorted(set(GAMES) - set(UNTOLD) - HEAVY))
def test_no_place_is_hidden_by_another_one(name: str) -> None:
    game = load(name, SMALLER.get(name, []))
    for p in walk(game, 4):
        found = places(game, p)
        assert _seen(found, found.clicks) == made(found.clicks, []), game.text(p)


@pytest.mark.parametrize(
    ("name", "given"),
    [("noughts-and-crosses", []), ("ovid", []), ("domineering", ["rows=3", "columns=3"])],
)
def test_the_cell_in_the_middle_of_a_board_is_not_all_of_it(name: str, given: list[str]) -> None:
    game = load(name, given)
    found = places(game, next(first_positions(game)))
    sizes = {(right - left, bottom - top) for left, top, right, bottom in found.boxes.values()}
    assert len(sizes) == 1


@pytest.mark.parametrize("name", sorted(UNTOLD))
def test_exceptions_are_exceptions(name: str) -> None:
    game = load(name)
    assert any(unreachable(game, p) for p in walk(game, 60)), f"{name}: {UNTOLD[name]}?"


def test_most_games_are_played_by_clicking_alone() -> None:
    assert len(GAMES) - len(UNTOLD) >= 60
    assert set(UNTOLD) < set(GAMES)


def test_a_move_that_ends_where_another_goes_on_takes_a_second_click() -> None:
    game = load("peg-solitaire")
    p = game.parse("..___../..___../_______/___oo__/__o____/..___../..___..")
    moves = {game.move_text(p, m): i for i, m in enumerate(game.moves(p))}
    assert {"e4-c4", "e4-c4-c6"} <= set(moves)
    found = places(game, p)
    spots = {name: _middle(found, game, name) for name in ("e4", "c4", "c6")}
    after = found.after([spots["e4"], spots["c4"]])
    assert after is not None
    assert after.moves[spots["c4"]] == moves["e4-c4"]
    assert after.moves[spots["c6"]] == moves["e4-c4-c6"]


def _middle(found: Places, game: Game, name: str) -> Place:
    """The place of a hole, by its name."""
    x, y = 14 + 30 * "abcdefg".index(name[0]) + 15, 14 + 30 * (int(name[1]) - 1) + 15
    place = round(x / STEP), round(y / STEP)
    assert place in found.boxes, game
    return place


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
                here = here.further[place].clicks()
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
