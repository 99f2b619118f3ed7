"""Mastermind against a plain recursion over sets of codes, written from the rules."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import pytest

from perfectplay import solve
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.mastermind import BullsAndCows, Mastermind
from perfectplay.searching.search import search

Code = tuple[int, ...]


def answer(guess: Code, code: Code) -> tuple[int, int]:
    black = sum(a == b for a, b in zip(guess, code, strict=True))
    return black, sum((Counter(guess) & Counter(code)).values()) - black


def codes_of(game: Mastermind) -> list[Code]:
    if game.repeat:
        return list(product(range(game.colours), repeat=game.pegs))
    return list(permutations(range(game.colours), game.pegs))


def least_guesses(game: Mastermind) -> Fraction:
    """On average, or in the worst case."""
    all_codes = codes_of(game)

    @cache
    def total(left: frozenset[Code]) -> int:
        """The sum over all codes, or the most of them."""
        if len(left) == 1:
            return 1
        best = 10**9
        for guess in left if game.consistent else all_codes:
            parts: dict[tuple[int, int], set[Code]] = {}
            for code in left:
                parts.setdefault(answer(guess, code), set()).add(code)
            if len(parts) == 1:
                continue
            more = [total(frozenset(part - {guess})) for part in parts.values() if part != {guess}]
            best = min(best, 1 + max(more) if game.worst else len(left) + sum(more))
        return best

    found = total(frozenset(all_codes))
    return Fraction(found) if game.worst else Fraction(found, len(all_codes))


@pytest.mark.parametrize(
    "game",
    [
        Mastermind(2, 3),
        Mastermind(2, 3, symmetry=False),
        Mastermind(2, 4, worst=True),
        Mastermind(3, 3, consistent=True),
        Mastermind(1, 5),
        Mastermind(4, 2, worst=True, consistent=True),
        Mastermind(2, 5, repeat=False),
        Mastermind(3, 3, repeat=False, worst=True),
        Mastermind(2, 2, repeat=False),
    ],
    ids=repr,
)
def test_least_guesses(game: Mastermind) -> None:
    solution = solve(game, exact=True, plain=True)
    found = solution.value(solution.start).exact
    assert found is not None
    assert (-found if game.worst else found) == least_guesses(game)


def test_bulls_and_cows_is_mastermind_without_repetition() -> None:
    cows, pegs = BullsAndCows(2, 4), Mastermind(2, 4, repeat=False)
    assert cows.start() == pegs.start()
    assert cows.text(cows.play(cows.start(), 1)) == "all, guess 01"
    assert pegs.text(pegs.play(pegs.start(), 1)) == "all, guess AB"


def test_answers() -> None:
    for game in (Mastermind(3, 4), Mastermind(4, 3), BullsAndCows(3, 5)):
        codes = game.possible(game.start())
        assert len(codes) == game.number()
        for guess, code in product(codes[::3], codes):
            pair = (tuple(game.colour(c, peg) for peg in range(game.pegs)) for c in (guess, code))
            assert divmod(game.answer(guess, code), game.pegs + 1) == answer(*pair)


def test_impossible_codes_are_refused() -> None:
    for pegs, colours, repeat in ((0, 4, True), (7, 2, True), (4, 3, False), (4, 7, True)):
        with pytest.raises(UsageError, match="no codes"):
            Mastermind(pegs, colours, repeat)
    game = BullsAndCows(2, 3)
    for words in ("00", "01 01", "01 12, guess 77", "found, guess 01", "01, guess 12"):
        with pytest.raises(ValueError, match=": "):
            game.parse(words)


@pytest.mark.parametrize(
    "game",
    [
        Mastermind(2, 4),
        Mastermind(2, 4, symmetry=False),
        Mastermind(2, 4, worst=True),
        Mastermind(3, 3, consistent=True),
        Mastermind(3, 3, repeat=False),
    ],
    ids=repr,
)
def test_searches_find_the_same(game: Mastermind) -> None:
    found = search(game, plain=True)
    assert found.exact is not None
    assert (-found.exact if game.worst else found.exact) == least_guesses(game)


@pytest.mark.slow
def test_larger_sizes() -> None:
    """With more than 216 codes only symmetric guesses are one. 206 is known; the others agree with
    a search in which no guesses are one (symmetry=false)."""
    assert search(Mastermind(4, 4)).exact == Fraction(905, 256)
    assert search(Mastermind(4, 4, worst=True)).exact == -4
    assert search(Mastermind(3, 4)).exact == Fraction(206, 64)
    assert search(Mastermind(3, 4, worst=True)).exact == -4


@pytest.mark.parametrize("trials", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_guesses_are_one_only_if_they_tell_the_same(trials: int) -> None:
    """The representative of a guess is its own, leaves the codes alone, and splits them alike."""
    game, dice = Mastermind(4, 6), random.Random(5)
    merged = 0
    for trial in range(trials):
        first, second, hidden = (dice.randrange(1296) for _ in range(3))
        left = [c for c in range(1296) if game.answer(first, c) == game.answer(first, hidden)]
        if trial % 2:
            left = [c for c in left if game.answer(second, c) == game.answer(second, hidden)]
        for guess in dice.sample(range(1296), 12):
            p = game.packed(left, guess + 1)
            q = game.representative(p)
            assert game.representative(q) == q
            assert q[:-1] == p[:-1]
            parts = [Counter(game.answer(r[-1] - 1, c) for c in left) for r in (p, q)]
            assert parts[0] == parts[1]
            merged += p != q
    assert merged > 2 * trials
