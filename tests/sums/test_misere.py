"""Misère play of heap games: outcomes against brute force, genera and quotients against the
literature."""

from __future__ import annotations

import csv
import itertools
import random
from pathlib import Path

import naive_heaps
import pytest

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.sums.heaps import misere as misere_module
from perfectplay.sums.heaps import quotient_words
from perfectplay.sums.heaps.codes import heap_code
from perfectplay.sums.heaps.heap_game import heap_game
from perfectplay.sums.heaps.misere import Genus, Misere

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with open(HERE / name, encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def misere(text: str) -> Misere:
    return Misere(heap_game(text))


def random_code(rng: random.Random) -> str:
    digits = rng.choice(("01234567", "0123456789ABCDEF", "03"))
    text = rng.choice("00004") + "." + "".join(rng.choices(digits, k=rng.randint(1, 3)))
    return text + "(3)" * (rng.random() < 0.2)


@pytest.mark.parametrize("seed", range(40))
def test_outcomes_by_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    text = random_code(rng) if seed % 10 else "grundys-game"
    code = heap_code(text)
    wins = naive_heaps.winner(code.digit, misere=True, unequal=code.unequal)
    game = misere(text)
    for _ in range(12):
        heaps = tuple(sorted(rng.randint(0, 6) for _ in range(rng.randint(0, 3))))
        assert game.wins(heaps) == wins(heaps) == (game.nim_value(heaps) != 0), (text, heaps)
        after = naive_heaps.positions_after(code.digit, heaps, unequal=code.unequal)
        expected = sorted((heap, left) for heap, left, q in after if not wins(q))
        assert sorted((m.heap, m.leaves) for m in game.winning_moves(heaps)) == expected


@pytest.mark.parametrize("seed", range(30))
def test_quotients_by_brute_force(seed: int) -> None:
    """What a quotient says is true of many heaps, not only of those it was learned from."""
    rng = random.Random(100 + seed)
    text = random_code(rng)
    code = heap_code(text)
    game = misere(text)
    try:
        game.quotient.extend(6)
    except TooLargeError:
        pytest.skip("no quotient")
    wins = naive_heaps.winner(code.digit, misere=True)
    for many in range(4):
        for heaps in itertools.combinations_with_replacement(range(7), many):
            assert game.quotient.wins(heaps) == wins(heaps), (text, heaps)
    heaps = tuple(sorted(rng.choices(range(5), k=7)))
    assert game.wins(heaps) == wins(heaps), (text, heaps)


@pytest.mark.parametrize("row", rows("heap_misere.csv"), ids=lambda row: row["code"])
def test_known_misere_values_and_genera(row: dict[str, str]) -> None:
    game = misere(row["code"])
    expected = [*map(int, row["misere"].split())]
    assert [game.nim_value([n]) for n in range(len(expected))] == expected, row["source"]
    for n, genus in enumerate(row["genus"].split()):
        assert same_genus(game.genus([n]), genus), (n, row["source"])


def same_genus(found: Genus, text: str) -> bool:
    """Whether a genus is what a text says, which may stop as soon as only 2 is added in turn. A
    number alone is the genus of a heap of Nim."""
    value, _, digits = text.partition("^")
    if not digits:
        return found == misere("nim").genus([int(value)])
    shown = [*map(int, digits.strip("()").split(",") if "(" in digits else digits)]
    while len(shown) < 12:
        shown.append(shown[-1] ^ 2)
    values = list(found.values)
    while len(values) < 12:
        values.append(values[-2])
    return found.value == int(value) and values == shown


@pytest.mark.parametrize("row", rows("heap_quotients.csv"), ids=lambda row: row["code"])
def test_known_quotients(row: dict[str, str]) -> None:
    quotient = misere(row["code"]).quotient.extend(int(row["heaps"]))
    assert quotient.size == int(row["classes"]), row["source"]
    if row["lost"]:
        assert quotient.lost == int(row["lost"]), row["source"]
    if row["period"]:
        found = quotient.period()
        assert found is not None
        assert (found.length, found.start) == (int(row["period"]), int(row["start"]))


@pytest.mark.slow
def test_misere_kayles_is_solved_for_all_heaps() -> None:
    """Sibert and Conway 1992; Plambeck and Siegel 2008."""
    quotient = misere("kayles").quotient.extend(170)
    found = quotient.period()
    assert found is not None
    assert (quotient.size, found.start, found.length) == (40, 71, 12)


def test_a_quotient_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words have many options where heaps are large: these are counted, not only the words."""
    monkeypatch.setattr(quotient_words, "MOST_LOOKS", 2000)
    game = misere("nim")
    with pytest.raises(TooLargeError, match="heaps up to 8") as stopped:
        game.quotient.extend(89)
    assert "up to 7 stands" in stopped.value.hint
    assert (game.quotient.heaps, game.quotient.size) == (7, 10)
    assert game.wins([9, 14, 8, 6])


def test_positions_with_too_many_moves_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misere_module, "MOST_MOVES", 5000)
    game, wins = misere("0.07"), naive_heaps.winner(heap_code("0.07").digit, misere=True)
    assert [game.wins([3, n]) for n in range(7)] == [wins((n, 3)) for n in range(7)]
    with pytest.raises(TooLargeError, match="misère play from 99 ") as stopped:
        game.wins([99])
    assert "were tried; use smaller heaps" in stopped.value.hint


def test_what_the_quotient_knows_is_not_tried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are positions that moves lead to."""
    plain, game = misere("kayles"), misere("kayles")
    game.quotient.extend(12)
    monkeypatch.setattr(misere_module, "MOST_POSITIONS", 400)
    asked = [(13, n, m) for n in range(8) for m in range(n + 1)]
    found = [game.wins(heaps) for heaps in asked]
    monkeypatch.undo()
    assert found == [plain.wins(heaps) for heaps in asked]


def test_quotients_are_monoids() -> None:
    for text, heaps in (("0.77", 12), ("0.123", 12), ("0.3F", 7)):
        monoid = misere(text).quotient.extend(heaps).monoid
        every = range(len(monoid.words))
        for a, b in itertools.product(every, every):
            assert monoid.times[a][b] == monoid.times[b][a]
            assert monoid.times[a][0] == a
        for a, b, c in itertools.product(list(every)[:12], every, every):
            assert monoid.times[monoid.times[a][b]][c] == monoid.times[a][monoid.times[b][c]]
        rows = {tuple(monoid.times[a][b] in monoid.lost for b in every) for a in every}
        assert len(rows) == len(every)  # no two classes are the same


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(TooLargeError):
        misere("0.77").wins([1000])
    with pytest.raises(UsageError):
        misere("0.77").wins([-1])
    with pytest.raises(UsageError):
        misere("0.77").wins(["x"])  # type: ignore[list-item]
