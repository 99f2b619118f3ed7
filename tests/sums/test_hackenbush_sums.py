"""Sums of any parts: who wins and by which moves, against minimax; and the command `value`."""

import json
import random
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from naive_values import Tree, outcome, random_tree, wins

from perfectplay.cli import main
from perfectplay.errors import TooLargeError
from perfectplay.sums import Short, nimber, parse, switch, tiny, up, value
from perfectplay.sums.bag import LEFT, RIGHT, Bag
from perfectplay.sums.hackenbush.picture import Picture, standing
from perfectplay.sums.hackenbush.strings import Word, number, string
from perfectplay.sums.hackenbush.surreal import OMEGA, Surreal, Total
from perfectplay.sums.sum import Sum
from perfectplay.sums.summands import Bush, Endless, Heap, Summand, ValueSummand

ONE: Tree = ((((), ()),), ())


@cache
def short(tree: Tree) -> Short:
    return Short.of(map(short, tree[0]), map(short, tree[1]))


def whole(n: int) -> Tree:
    """The number n as a tree."""
    tree: Tree = ((), ())
    for _ in range(abs(n)):
        tree = ((tree,), ()) if n > 0 else ((), (tree,))
    return tree


# -- Bags. ----------------------------------------------------------------------------------------


def test_bags_against_trying_all_moves() -> None:
    rng = random.Random(1)
    seen = set()
    for _ in range(400):
        trees = [random_tree(rng, 2) for _ in range(rng.randint(1, 3))]
        trees += [
            ((whole(rng.randint(0, 2)),), (whole(rng.randint(-2, 0)),))
            for _ in range(rng.randint(0, 2))
        ]
        there = outcome(*trees)
        assert Bag(map(short, trees)).outcome == there, trees
        seen.add(there)
    assert seen == set("LRNP")


def test_bags_against_canonical_forms() -> None:
    """Switches are taken largest first: the same as working the sum out."""
    rng = random.Random(2)
    for _ in range(100):
        values = [
            switch(Fraction(rng.randint(0, 8), 2), -Fraction(rng.randint(0, 8), 4))
            for _ in range(rng.randint(1, 5))
        ]
        values += [
            rng.choice((up(1), nimber(2), tiny(1), -tiny(2), parse("{0,*|^}"), value("1/4")))
        ]
        bag = Bag(values)
        total = sum(values, value(0))
        assert bag.outcome == total.outcome
        assert bag.total() is total
        assert bag.mean == total.mean
        assert (bag.stop(LEFT), bag.stop(RIGHT)) == (total.left_stop, total.right_stop)


def test_a_thousand_parts_are_decided() -> None:
    rng = random.Random(3)
    makers = [
        lambda: value(Fraction(rng.randint(-64, 64), 16)),
        lambda: nimber(rng.randint(0, 40)),
        lambda: up(rng.randint(-3, 3), rng.randint(0, 3)),
        lambda: switch(rng.randint(0, 99), -rng.randint(1, 99)),
        lambda: tiny(rng.randint(1, 5)) * rng.choice((1, -1)),
        lambda: short(random_tree(rng, 3)),
    ]
    bag = Bag(rng.choice(makers)() for _ in range(1000))
    assert bag.outcome in "LRNP"
    assert len(bag.switches) > 50
    assert "+-" in str(bag)
    with pytest.raises(TooLargeError):
        bag.total()


def test_totals() -> None:
    third = number(Word.parse("(BR)"))
    hot = Total(third, parse("{1|-2}"))
    assert str(hot) == "1/6 + +-3/2" or str(hot) == "2/3 + {1|-2}"
    assert hot.outcome == "N"
    assert (hot.left_stop, hot.right_stop) == (Fraction(5, 3), Fraction(-4, 3))
    assert Total(third) + Total(-third) == 0
    assert Total(third, nimber(1)).outcome == "L"
    assert str(Total(Fraction(1, 2), nimber(1))) == "1/2*"
    assert Total(OMEGA, parse("+-100")).outcome == "L"
    assert Total(third).temperature is None
    assert Total(third, up(1)).temperature == 0
    assert Total(third) != Total(third, nimber(1))
    assert isinstance(Total(1).simple(), Short)
    assert isinstance(Total(third).simple(), Surreal)


# -- Winning moves. -------------------------------------------------------------------------------


def leaves_a_win(edges: Any, heap: int, player: int, known: dict[Any, bool]) -> bool:
    """Whether the player to move wins a picture and a heap of Nim, by trying all moves."""
    key = edges, heap, player
    if key not in known:
        known[key] = any(
            not leaves_a_win(after, left, 1 - player, known)
            for after, left in followers(edges, heap, player).values()
        )
    return known[key]


def followers(edges: Any, heap: int, player: int) -> dict[str, tuple[Any, int]]:
    found = {}
    for i, (_, _, colour) in enumerate(edges):
        if colour != "BR"[1 - player]:
            found[f"{colour}{i + 1}"] = standing(edges[:i] + edges[i + 1 :]), heap
    for left in range(heap):
        found[f"{heap}->{left}"] = edges, left
    return found


def test_winning_moves_against_minimax() -> None:
    rng = random.Random(4)
    for _ in range(60):
        nodes = rng.randint(1, 4)
        edges = standing(
            tuple(
                (rng.randint(0, nodes), rng.randint(0, nodes), rng.choice("BRG"))
                for _ in range(rng.randint(1, 6))
            )
        )
        heap = rng.randint(0, 3)
        total = Sum([Bush(Picture.of(edges)), Heap(heap)])
        known: dict[Any, bool] = {}
        for player in (LEFT, RIGHT):
            after = followers(edges, heap, player)
            won = {name for name, p in after.items() if not leaves_a_win(*p, 1 - player, known)}
            assert {choice.name for choice in total.winning(player)} == won
            everything = {choice.name for choice in total.choices(player)}
            assert everything == set(after) or total.nim_sum is not None


def test_best_moves_are_good_in_every_sum() -> None:
    """If any move wins beside some heap or number, so does one that is called best."""
    rng = random.Random(5)
    for _ in range(40):
        tree = random_tree(rng, 3)
        here = short(tree)
        best = {c.name for c in Sum([ValueSummand(here)]).choices(LEFT) if c.best}
        for beside in ("0", "*", "1", "-1", "^", "v2", "+-1", "*2"):
            won = {
                c.name
                for c in Sum([ValueSummand(here), ValueSummand(parse(beside))]).winning(LEFT)
                if not c.part
            }
            assert bool(won) == bool(won & best)


def test_the_only_winning_move() -> None:
    """Stanley, Mathematical Games: *23 + *18 + *13 + *7 + *5; Marienbad."""
    moves = Sum([Heap(n) for n in (23, 18, 13, 7, 5)]).winning(LEFT)
    assert [(move.part, move.name) for move in moves] == [(2, "13->7")]
    assert Sum([Heap(n) for n in (1, 3, 5, 7)]).outcome == "P"
    large = Sum([Heap(10**12), Heap(10**12 + 1)])
    assert [move.name for move in large.winning(RIGHT)] == ["1000000000001->1000000000000"]


def test_pictures_are_taken_apart_at_the_ground() -> None:
    text = "0-a-b-0 BRB, b: G + 0-0 R + GB + RRB + (BR) + 0-c B"
    parts = Bush.parts(Picture.parse(text))
    assert [part.text for part in parts] == [
        "0-a B, a-b R, b-0 B, b-n3 G",
        "0-0 R",
        "GB",
        "RRB",
        "B",
        "(BR)",
    ]
    total = Sum(parts)
    assert total.bag.total() == Total.of(Picture.parse(text).value())
    assert {choice.name for choice in total.choices(LEFT)} >= {"B1", "B3", "G4", "G6", "B7", "B11"}
    assert total.svg()


def test_many_parts_are_quick() -> None:
    heaps = Sum([Heap(n) for n in range(1001)])
    assert heaps.facts()["temperature"] == "0"
    assert len(heaps.winning(LEFT)) == 489
    bushes = Sum(Bush.parts(Picture.parse(" + ".join(["BBR", "RB", "GB", "GGR", "RRG"] * 200))))
    assert bushes.outcome == "R"
    assert "more" in dict(bushes.advice())["Red wins by"]


def test_moves_in_endless_strings() -> None:
    rng = random.Random(6)
    texts = ["(BR)", "(B)", "B(R)", "(B)R", "(B)(R)", "BR(B)", "(BRR)B", "B(R)(B)", "RB(BR)"]
    checked = 0
    for _ in range(60):
        word = Word.parse(rng.choice(texts))
        other = Word.parse(rng.choice(texts))
        rest: list[Summand] = [
            Endless(-other),
            ValueSummand(parse(rng.choice(("0", "1/4", "-1", "*", "^")))),
        ]
        total = Sum([Endless(word), *rest])
        for player, colour in ((LEFT, "B"), (RIGHT, "R")):
            found = [c for c in total.winning(player) if c.part == 0]
            good = []
            for block in range(len(word.blocks) + 1):
                piece = (
                    (word.blocks[block][0] + 30 * word.blocks[block][1])
                    if block < len(word.blocks)
                    else word.end
                )
                for place, letter in enumerate(piece):
                    if letter == colour:
                        bag = Bag([number(word.below(block, place)), *(p.value for p in rest)])
                        if not bag.wins(1 - player):
                            good.append((block, place))
            assert bool(found) == bool(good), f"{word} {rest}"
            if good:
                block, place = good[0]
                high = ("", "ω+", "2ω+")[block]
                assert found[0].name.split()[0] == f"{colour}{high}{place + 1}"
                checked += 1
    assert checked > 20


def test_strings_beside_their_negatives() -> None:
    for text in ("(BR)", "B(R)", "(B)(R)", "(B)R"):
        word = Word.parse(text)
        assert Sum([Endless(word), Endless(-word)]).outcome == "P"
        assert number(word) == -number(-word)
        assert string(number(word)) == word


# -- Showing. -------------------------------------------------------------------------------------


def test_html_and_drawings() -> None:
    total = Sum([Bush(Picture.parse("BBR")), Heap(2)])
    assert "3/2" in total._repr_mimebundle_()["text/html"]
    for text in ("BBR", "B[R][GG]", "0-a-b-0 BRG, a-a B, 0-0 R, a-b G, a-b B", "B(R) + (BR)R", ""):
        root = ElementTree.fromstring(Picture.parse(text).svg())
        assert root.tag.endswith("svg")
    long = Picture.of((i, i + 1, "B") for i in range(2000))
    assert "too many" in long.svg()


def run(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = main.run(["value", *words])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("hackenbush", "BBRRB"), "value         11/8"),
        (("hackenbush", "(BR)"), "value         2/3"),
        (("hackenbush", "BRRR...", "RBBBB"), "-1/16 + 1/ω"),
        (("game", "{1|-1} + *2 + ^"), "{1^*2|-1^*2}"),
        (("game", "-1/2"), "R: Right wins"),
        (("nim", "23,18,13,7,5"), "wins by      13->7"),
        (("nim", "1", "3", "5", "7"), "P: who begins loses"),
        (("hackenbush", "BBR", "+", "nim", "3", "+", "game", "v"), "3/2v*3"),
        (("kayles", "7,9", "+", "nim", "3"), "*5"),
        (("hackenbush", "BBR", "--moves"), "*  Blue    B2    1"),
    ],
)
def test_the_command(
    words: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = run(*words, capsys=capsys)
    assert code == 0
    assert shown in printed


@pytest.mark.parametrize(
    "words",
    [
        ("hackenbush",),
        ("hackenbush", "XYZ"),
        ("nim", "a"),
        ("nim", "-3"),
        ("game", "{1|"),
        ("game", "1/3"),
        ("pig", "3"),
        ("nothing-like-it", "3"),
        ("kayles",),
        ("0.77", "x"),
        ("nim", "3", "+"),
        ("hackenbush", "BR", "--picture", "x.pdf"),
        ("nim", "3", "--picture", "x.svg"),
    ],
)
def test_mistakes_of_users(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(*words, capsys=capsys)
    assert code == 2, printed
    assert printed.startswith("error:")
    assert "hint:" in printed


def test_json_and_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.svg"
    code, printed = run("hackenbush", "GB + BR", "--json", "--picture", str(file), capsys=capsys)
    assert code == 0
    found = json.loads(
        printed.splitlines()[0] if printed.startswith("{") else printed.splitlines()[-1]
    )
    assert found["value"] == "1/2^*"
    assert found["outcome"] == "L"
    assert {move["move"] for move in found["moves"]["left"] if move["wins"]} == {"G1", "B2"}
    ElementTree.parse(file)


def test_trees_agree_with_wins() -> None:
    assert wins((ONE,), LEFT)
    assert not wins((ONE,), RIGHT)
