"""Hackenbush strings: the closed form against play, endless ones against the definitions."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest

import pytest

from perfectplay.errors import UsageError
from perfectplay.sums import Short, value
from perfectplay.sums.canonical_form import canonical
from perfectplay.sums.hackenbush.strings import Word, number, real_string, string, string_value
from perfectplay.sums.hackenbush.surreal import OMEGA, Surreal
from perfectplay.sums.hackenbush.values import picture_value

STANLEY = "Stanley, Mathematical Games (slides)"
FINITE = [
    ("BBBRRBBR", "77/32", STANLEY),
    ("RBRRBRR", "-55/64", STANLEY),
    ("RRBRB", "-13/8", STANLEY),
    ("BR", "1/2", STANLEY),
    ("BRR", "1/4", STANLEY),
    ("BRB", "3/4", "Winning Ways, chapter 2"),
    ("BBR", "3/2", "Winning Ways, chapter 2"),
    ("BBB", "3", STANLEY),
    ("", "0", STANLEY),
]
ENDLESS = [
    # Conway, On Numbers and Games, chapter 3; Gonshor 1986, chapters 3 to 5.
    ("(BR)", "2/3"),
    ("BRRBRB(RB)", "1/3"),
    ("(B)", "ω"),
    ("(R)", "-ω"),
    ("B(R)", "1/ω"),
    ("(B)B", "ω + 1"),
    ("(B)R", "ω - 1"),
    ("(B)(B)", "2ω"),
    ("(B)(R)", "ω/2"),
    ("(B)(R)(B)", "3ω/4"),
    ("B(R)B", "2/ω"),
    ("B(R)R", "1/(2ω)"),
    ("B(R)(R)", "1/ω^2"),
    ("B(R)(B)", "1/ω^(1/2)"),
    ("BB(R)", "1 + 1/ω"),
    ("BR(B)", "1 - 1/ω"),
    ("(BR)B", "2/3 + 1/ω"),
    ("(BR)R", "2/3 - 1/ω"),
    ("(B)B(R)", "ω + 1/ω"),
    ("R(B)", "-1/ω"),
]


def by_play(colours: str, most: int) -> Iterator[tuple[str, Short]]:
    """All strings, and their values from all moves: what is left is always a shorter string."""
    waiting: list[tuple[str, tuple[Short, ...]]] = [("", ())]
    while waiting:
        letters, below = waiting.pop()
        left = [after for after, c in zip(below, letters, strict=True) if c != "R"]
        right = [after for after, c in zip(below, letters, strict=True) if c != "B"]
        here = canonical(left, right)
        yield letters, here
        if len(letters) < most:
            waiting += [(letters + c, (*below, here)) for c in colours]


@pytest.mark.parametrize(("letters", "expected", "source"), FINITE)
def test_finite_strings_of_the_literature(letters: str, expected: str, source: str) -> None:
    assert string_value(letters) == Fraction(expected), source
    assert str(real_string(Fraction(expected))) == letters


def test_all_blue_red_strings_up_to_twelve_edges() -> None:
    count = 0
    for letters, there in by_play("BR", 12):
        count += 1
        assert there is value(string_value(letters))
        assert there is picture_value((i, i + 1, c) for i, c in enumerate(letters))
        assert str(real_string(there.number)) == letters
    assert count == 2**13 - 1


def test_strings_with_green_edges() -> None:
    for letters, there in by_play("BRG", 7):
        assert picture_value((i, i + 1, c) for i, c in enumerate(letters)) is there, letters


def test_long_strings_are_quick() -> None:
    letters = "BR" * 50_000
    assert abs(string_value(letters) - Fraction(2, 3)) < Fraction(1, 1 << 99_000)


# -- Without end. ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "shown"), ENDLESS)
def test_endless_strings_of_the_literature(text: str, shown: str) -> None:
    word = Word.parse(text)
    assert str(number(word)) == shown
    assert string(number(word)) == word
    assert number(-word) == -number(word)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("BRBR...", "(BR)"),
        ("BR...", "(BR)"),
        ("BRRR…", "B(R)"),
        ("BBBB...", "(B)"),
        ("b r b (r b r b)", "(BR)"),
        ("B(BB)", "(B)"),
        ("BRB(B)R", "BR(B)R"),
    ],
)
def test_ways_to_write(text: str, same: str) -> None:
    assert str(Word.parse(text)) == str(Word.parse(same))


@pytest.mark.parametrize("text", ["B(", "()", "(BG)", "B(R", "X", "(B))", "..."])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Word.parse(text)


def random_words(count: int, seed: int) -> list[Word]:
    rng = random.Random(seed)

    def letters(most: int, least: int = 0) -> str:
        return "".join(rng.choice("BR") for _ in range(rng.randint(least, most)))

    return [
        Word.of(
            tuple(
                (letters(3), letters(rng.choice((1, 1, 3)), 1)) for _ in range(rng.randrange(4))
            ),
            letters(3),
        )
        for _ in range(count)
    ]


def lies_above(one: Word, other: Word) -> int:
    """1, 0 or -1: the order of two words, by their first difference; 60 edges of a piece tell."""
    rank = {"B": 1, "": 0, "R": -1}
    for i in range(max(len(one.blocks), len(other.blocks)) + 1):
        here, there = (
            (w.blocks[i][0] + 60 * w.blocks[i][1])[:60]
            if i < len(w.blocks)
            else w.end * (i == len(w.blocks))
            for w in (one, other)
        )
        for a, b in zip_longest(here, there, fillvalue=""):
            if a != b:
                return 1 if rank[a] > rank[b] else -1
    return 0


def test_numbers_are_ordered_as_their_strings() -> None:
    words = random_words(400, 1)
    rng = random.Random(2)
    for word in words:
        assert string(number(word)) == word
    for _ in range(3000):
        one, other = rng.choice(words), rng.choice(words)
        here, there = number(one), number(other)
        assert (here > there) - (here < there) == lies_above(one, other), f"{one} {other}"


def options(word: Word, colour: str) -> list[Surreal]:
    """What is left after taking an edge of a colour; of endless pieces only the lowest 24."""
    found = []
    for block in range(len(word.blocks) + 1):
        piece = (
            "".join(word.blocks[block]) + 24 * word.blocks[block][1]
            if block < len(word.blocks)
            else word.end
        )
        found += [number(word.below(block, i)) for i, c in enumerate(piece) if c == colour]
    return found


def test_sums_keep_to_the_definition() -> None:
    """x + y lies above all options of Left and below all of Right, and no string that is a part
    of its own does. The check is by Conway's definition, with finitely many of the options."""
    words = random_words(60, 3)
    for one, other in zip(words[:12], words[30:], strict=False):
        x, y = number(one), number(other)
        low = [z + y for z in options(one, "B")] + [x + z for z in options(other, "B")]
        high = [z + y for z in options(one, "R")] + [x + z for z in options(other, "R")]
        total = string(x + y)
        assert all(z < x + y for z in low)
        assert all(z > x + y for z in high)
        for block in range(len(total.blocks) + 1):
            piece = total.blocks[block][0] if block < len(total.blocks) else total.end
            for place in range(len(piece) + 2 if block < len(total.blocks) else len(piece)):
                simpler = number(total.below(block, place))
                assert any(z >= simpler for z in low) or any(z <= simpler for z in high)


def test_surreal_arithmetic() -> None:
    tiny = number(Word.parse("B(R)"))
    assert tiny * OMEGA == 1
    assert 0 < tiny < Fraction(1, 10**100)
    assert OMEGA > 10**100
    assert OMEGA - 1 < OMEGA < OMEGA + tiny
    assert str(3 * OMEGA - Fraction(1, 3) - 2 * tiny) == "3ω - 1/3 - 2/ω"
    assert tiny.infinitesimal
    assert not OMEGA.finite
    assert hash(Surreal.of(2)) == hash(2)
    assert {Surreal.of(Fraction(1, 2)): 1}[Surreal.of(Fraction(2, 4))] == 1
    with pytest.raises(ValueError, match="ω\\^2"):
        string(OMEGA * OMEGA)
    with pytest.raises(ValueError, match="ω\\^2"):
        string(OMEGA * Fraction(1, 3))
    with pytest.raises(ValueError, match="not a rational"):
        OMEGA.fraction()
