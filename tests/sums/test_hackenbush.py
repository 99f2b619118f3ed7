"""Hackenbush pictures: folding against play edge by edge, and against minimax of whole sums."""

import random
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from perfectplay.compiled.digest import rules_digest
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.games.partizan.hackenbush import Hackenbush
from perfectplay.sums import Short, nimber, parse, value
from perfectplay.sums.canonical_form import canonical
from perfectplay.sums.hackenbush import values as folding
from perfectplay.sums.hackenbush.picture import LEFT, RIGHT, Picture, standing
from perfectplay.sums.hackenbush.values import Edge, Folder, blocks, picture_value
from perfectplay.sums.partizan import value_of

Edges = tuple[Edge, ...]
STANLEY = [
    # Stanley, Mathematical Games (slides); his pictures as text.
    ("BBB + B + BBB + RR + RRR", "2"),
    ("BBB + BB + RR + RR + R", "0"),
    ("BR + BR + R", "0"),
    ("BR", "1/2"),
    ("RRBRB", "-13/8"),
    ("BBBRRBBR", "77/32"),
    ("RBRRBRR", "-55/64"),
    ("0-a-b-0 BRB", "1"),  # b = 1/2, r = 2
    ("0-a B, a-b B, a-b R, b-c R", "1/2"),  # <0, 1/4 | 3/2, 1>
    ("BRR", "1/4"),  # <0 | 1/2, 1>
    ("G", "*"),
    ("GGGGG", "*5"),
    ("GGGGG + GGGGG", "0"),
    ("G + GGG + GGGGG + GGGGGGG", "0"),  # Marienbad
    ("0-a-b-c-d-0 G", "*"),  # can move to 4, 1 + 3 and 2 + 2
]
WINNING_WAYS = [
    # Winning Ways, chapters 1, 2, 7 and 8; ONAG, chapter 15.
    ("GB", "^*"),
    ("GR", "v*"),
    ("GBG", "{0,^*|0,^*}"),
    ("B[B][R]", "1"),
    ("B[R][R]", "1/4"),
    ("0-a-b-0 G", "*"),
    ("0-a-b-c-0 G", "0"),
    ("0-a-0 BR", "0"),
]


CGSUITE = [
    # The tests of CGSuite 2 (GameGraphTest), in our notation.
    ("BRBRRBBR", "77/128"),
    ("B[B]RB", "3/2"),
    ("GGGGGGG", "*7"),
    ("BRBGRRR", "{3/4|3/4,{3/4|3/4,3/4v*}}"),  # 3/4, three powers of down, star
    ("G[GG[G]G][G[GGG]GG]G[GG]G", "*5"),
    ("0-a G, a-b-w G, a-c-w G, w-n G, n: GG, n-m G, m-h G, m-h G, h: G", "*2"),  # a girl
]


@pytest.mark.parametrize(("text", "shown"), STANLEY + WINNING_WAYS + CGSUITE)
def test_pictures_of_the_literature(text: str, shown: str) -> None:
    assert Picture.parse(text).value() is parse(shown)


# -- Slow twins. ----------------------------------------------------------------------------------


@cache
def by_play(edges: Edges) -> Short:
    """The value from all moves, by nothing but the rules and canonical forms."""
    left, right = [], []
    for i, (_, _, colour) in enumerate(edges):
        after = by_play(standing(edges[:i] + edges[i + 1 :]))
        left += [after] * (colour != "R")
        right += [after] * (colour != "B")
    return canonical(left, right)


@cache
def grundy(edges: Edges) -> int:
    """The Sprague-Grundy number of a green picture, by the mex rule."""
    after = {grundy(standing(edges[:i] + edges[i + 1 :])) for i in range(len(edges))}
    return next(n for n in range(len(edges) + 1) if n not in after)


def random_picture(rng: random.Random, colours: str, most: int) -> Edges:
    nodes = rng.randint(1, 5)
    edges = [
        (rng.randint(0, nodes), rng.randint(0, nodes), rng.choice(colours))
        for _ in range(rng.randint(1, most))
    ]
    return standing(tuple(edges))


@pytest.mark.parametrize("colours", ["BR", "BRG", "BG", "BBRRG", "B", "R"])
def test_folding_is_play(colours: str) -> None:
    rng = random.Random(colours)
    for _ in range(80):
        edges = random_picture(rng, colours, 8)
        assert picture_value(edges) is by_play(edges), edges


def test_colon_and_fusion_are_the_mex_rule() -> None:
    rng = random.Random(4)
    for _ in range(150):
        edges = random_picture(rng, "G", 10)
        assert picture_value(edges) is nimber(grundy(edges)), edges


def test_cycles_on_the_ground() -> None:
    for n in range(1, 12):
        nodes = [0, *range(1, n), 0]
        edges = tuple((a, b, "G") for a, b in pairwise(nodes))
        assert picture_value(edges) is nimber(n % 2)


def test_blocks_part_the_edges() -> None:
    rng = random.Random(5)
    for _ in range(200):
        edges = random_picture(rng, "BRG", 12)
        parts = blocks(0, edges)
        assert sorted(e for part, _ in parts for e in part) == sorted(edges)
        for part, base in parts:  # the other blocks at its nodes come before, except at its base
            assert any(base in edge[:2] for edge in part)


def test_large_trees_and_green_pictures() -> None:
    rng = random.Random(6)
    tree = tuple((rng.randrange(max(0, i - 9), i), i, rng.choice("BR")) for i in range(1, 1500))
    assert picture_value(tree).is_number
    green = tuple((rng.randrange(200), rng.randrange(200), "G") for _ in range(2000))
    assert picture_value(green).is_nimber
    deep = tuple((i, i + 1, "G") for i in range(20_000))
    assert picture_value(deep) is nimber(20_000)


def test_what_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "LARGEST", 20)
    edges = [(a, b, "BR"[(a + b) % 2]) for a in range(5) for b in range(a)]
    with pytest.raises(TooLargeError):
        picture_value(edges)


# -- Minimax of sums. -----------------------------------------------------------------------------

Form = tuple[tuple[Any, ...], tuple[Any, ...]]
"""A small game as its options, nothing simplified."""
NOUGHT: Form = ((), ())
ONE: Form = ((NOUGHT,), ())
MINUS: Form = ((), (NOUGHT,))
STAR: Form = ((NOUGHT,), (NOUGHT,))
TESTS: dict[str, Form] = {
    "0": NOUGHT,
    "1": ONE,
    "-1": MINUS,
    "*": STAR,
    "*2": ((NOUGHT, STAR), (NOUGHT, STAR)),
    "^": ((NOUGHT,), (STAR,)),
    "v*": ((NOUGHT,), (NOUGHT, STAR)),
    "1/2": ((NOUGHT,), (ONE,)),
    "-1/2": ((MINUS,), (NOUGHT,)),
    "+-1": ((ONE,), (MINUS,)),
    "{1|0}": ((ONE,), (NOUGHT,)),
}


def mover_wins(edges: Edges, other: Form, player: int, known: dict[Any, bool]) -> bool:
    """Whether the player to move wins the sum of a picture and a small game: plain minimax."""
    key = (edges, other, player)
    if key not in known:
        theirs = "BR"[1 - player]
        known[key] = any(
            not mover_wins(standing(edges[:i] + edges[i + 1 :]), other, 1 - player, known)
            for i, (_, _, colour) in enumerate(edges)
            if colour != theirs
        ) or any(not mover_wins(edges, after, 1 - player, known) for after in other[player])
    return known[key]


def test_two_hundred_pictures_by_minimax_with_small_games() -> None:
    rng = random.Random(7)
    outcomes = {(True, False): "L", (False, True): "R", (True, True): "N", (False, False): "P"}
    seen = set()
    for _ in range(200):
        edges = random_picture(rng, "BRG", 7)
        here = picture_value(edges)
        known: dict[Any, bool] = {}
        for text, form in TESTS.items():
            first = tuple(mover_wins(edges, form, player, known) for player in (LEFT, RIGHT))
            total = here + value(text)
            assert total.outcome == outcomes[first], f"{edges} + {text}"
            seen.add(total.outcome)
    assert seen == set("LRNP")


# -- Text. ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["BBRRB", "B[R][GG[B]R]B", "B + R + G", "B[B]B + R[G]G", "(BR)", "G + B(R) + (B)R", "0"],
)
def test_text_is_read_back(text: str) -> None:
    assert str(Picture.parse(text)) == text


def test_other_pictures_are_read_back() -> None:
    rng = random.Random(8)
    for _ in range(100):
        edges = random_picture(rng, "BRG", 9)
        here = Picture.of(edges)
        again = Picture.parse(str(here))
        assert again.value() is here.value() is picture_value(edges)
        assert [e[2] for e in again.edges] == [e[2] for e in edges]


def test_ways_to_write() -> None:
    same = Picture.parse("0-a-b-0 BRB").value()
    for text in ("g-x B; x-y: R, y-ground b", "0-a B\na-b R\n0-b B"):
        assert Picture.parse(text).value() is same
    assert Picture.parse("0-a-b-0 G").value() is Picture.parse("0-a-b-0 kkk").value()
    assert Picture.parse("0-a B, a: RB").value() is Picture.parse("BRB").value()
    assert Picture.parse("0-a B + 0-a B").value() == 2
    assert Picture.parse("0-G-b BR").value() is Picture.parse("BR").value()  # a node called G
    assert Picture.of([("0", "top", "B"), ("top", 1, "R")]).value() is Picture.parse("BR").value()


@pytest.mark.parametrize(
    "text", ["X", "B[", "B]", "0-a", "a-b B", "0-a-b BRG", "(BG)", "0-a Q", "BR(G)", "1", "B+-"]
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        Picture.parse(text)
    assert error.value.hint


def test_edges_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError):
        Picture.of([(0, 1)])  # type: ignore[list-item]
    with pytest.raises(UsageError):
        Picture.of([(1, 2, "B")])


def test_moves_are_called_by_colour_and_number() -> None:
    picture = Picture.parse("BBR + G")
    assert [(name, str(after)) for name, after in picture.moves(LEFT)] == [
        ("B1", "*"),
        ("B2", "1*"),
        ("G4", "3/2"),
    ]
    assert [name for name, _ in picture.moves(RIGHT)] == ["R3", "G4"]
    assert str(picture.without("b2")) == "B + G"
    with pytest.raises(UsageError):
        picture.without("R1")


def test_a_folder_remembers() -> None:
    folder = Folder()
    edges = tuple((a, b, "BRG"[(a + b) % 3]) for a in range(4) for b in range(a))
    first = folder.value(edges)
    known = len(folder.known)
    assert folder.value(edges) is first
    assert len(folder.known) == known


# -- As rules. ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0-a-b-0 BRB + RRB + GB", "B[R][GG]B", "0-a-0 GB, a-b-0 RG"])
def test_rules_and_pictures_agree(text: str) -> None:
    game = Hackenbush(text)
    here = Picture.parse(text)
    assert value_of(game) is here.value()
    for player in (LEFT, RIGHT):
        after = {
            game.step_text(game.setup(), b, player): b for b in game.options(game.setup(), player)
        }
        assert {name: value_of(game, b) for name, b in after.items()} == dict(here.moves(player))


def test_values_do_not_change_the_rules() -> None:
    """What is remembered of values must not be part of the digest of the rules."""
    game = Hackenbush("BRG")
    before = rules_digest(game)
    picture_value((i, i + 1, "BGR"[i % 3]) for i in range(9))
    assert rules_digest(game) == before


@pytest.mark.parametrize("text", ["(BR)", "", "B" * 70, "X"])
def test_pictures_that_cannot_be_solved(text: str) -> None:
    with pytest.raises(UsageError):
        Hackenbush(text)
