"""Heap games: values against recursion, periods against the literature, moves against brute
force."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import naive_heaps
import numpy as np
import pytest

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.sums.heaps.codes import NAMES, heap_code
from perfectplay.sums.heaps.heap_game import HeapGame, heap_game, mex
from perfectplay.sums.heaps.nim_values import HeapValues, odd_ones, sparse_space
from perfectplay.sums.heaps.periods import find_period

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with open(HERE / name, encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


# -- Codes. ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0.77", "0.77"),
        (".77", "0.77"),
        ("Kayles", "0.77"),
        ("Dawson's Chess", "0.137"),
        ("0.3330", "0.333"),
        ("0.333...", "0.(3)"),
        ("0.33…", "0.(3)"),
        ("4.(33)", "4.(3)"),
        ("0.(0)", "0.0"),
        ("0.", None),
        ("0.3(0303)", "0.(30)"),
        ("0.13(73)", "0.1(37)"),
        ("take 1, 3,5-6", "0.303033"),
        ("all but 2", "0.30(3)"),
        ("0.8f", "0.8F"),
        ("C.0", "C.0"),
        ("grundys-game", "4!.0"),
        ("4!", "4!.0"),
        ("4.00[30]", "4.0(03)"),
    ],
)
def test_codes_are_read(text: str, code: str | None) -> None:
    if code is None:
        code = "0.0"
    found = heap_code(text)
    assert found.text == code
    assert heap_code(found.text) == found


@pytest.mark.parametrize(
    "text",
    [
        *("", "77", "0.9G", "1.7", "3.3", "10.7", "0.7(", "0.()", "take", "take 0", "take 1,x"),
        *("all but", "0.7...7", "-0.7", "take 5-3", "...", "take 99999999999999999999"),
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        heap_code(text)
    assert caught.value.hint


def test_names() -> None:
    for name, code in NAMES.items():
        assert heap_code(name) == heap_code(code)


# -- Values. --------------------------------------------------------------------------------------


def random_code(rng: random.Random) -> str:
    digits = rng.choice(("01234567", "0123456789ABCDEF", "03", "0123"))
    text = rng.choice("000048C") + "." + "".join(rng.choices(digits, k=rng.randint(1, 4)))
    if rng.random() < 0.3:
        text += f"({''.join(rng.choices(digits, k=rng.randint(1, 3)))})"
    return text


@pytest.mark.parametrize("seed", range(120))
def test_values_by_recursion(seed: int) -> None:
    text = random_code(random.Random(seed))
    code = heap_code(text)
    assert heap_game(text).values(40).tolist() == naive_heaps.values(code.digit, 40), text


def test_grundys_game_by_recursion() -> None:
    slow = naive_heaps.values(lambda take: 4 * (take == 0), 150, unequal=True)
    assert heap_game("grundys-game").values(150).tolist() == slow


@pytest.mark.parametrize("row", rows("heap_values.csv"), ids=lambda row: row["code"])
def test_known_values(row: dict[str, str]) -> None:
    expected = [*map(int, row["values"].split())]
    first = int(row["first"])
    found = heap_game(row["code"]).values(first + len(expected) - 1)
    assert found[first:].tolist() == expected, row["source"]


@pytest.mark.parametrize(
    "text", ["0.007", "0.06", "grundys-game", "0.16", "4.56", "0.4006", "0.14"]
)
def test_sparse_space_changes_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = HeapValues(heap_code(text))
    plain.extend(3000)
    monkeypatch.setattr("perfectplay.sums.heaps.nim_values.PLAIN", 50)
    quick = HeapValues(heap_code(text))
    quick.extend(700)
    quick.extend(3000)
    assert (quick.known == plain.known).all()


def test_zeros_of_grundys_game() -> None:
    zeros = """1 2 4 7 10 20 23 26 50 53 270 273 276 282 285 288 316 334 337 340 346 359 362 365
        386 389 392 566 630 633 636 639 673 676 682 685 923 926 929 932 1222"""
    found = np.flatnonzero(heap_game("grundys-game").values(1499) == 0)[1:]
    assert found.tolist() == [*map(int, zeros.split())]


def test_sparse_space_of_grundys_game() -> None:
    """Winning Ways and Flammenkamp: values are odd in all binary places but the last."""
    space = heap_game("grundys-game").sparse_space(9000)
    assert space.mask == 0b1111110
    assert all(
        bin(v & 0b1111110).count("1") % 2 == odd_ones(128, 0b1111110)[v] for v in range(128)
    )
    assert len(space.rare) < 1000 < space.checked


def test_a_mask_is_the_best_of_all() -> None:
    values = heap_game("0.6").values(500)
    found = sparse_space(values)
    rare = [int((odd_ones(64, mask)[values[1:]] == 0).sum()) for mask in range(64)]
    assert int(values.max()) < 64
    assert rare[found.mask] == min(rare) == len(found.rare) - 1


def test_mex_of_the_slides() -> None:
    assert mex([0, 1, 2, 5, 6, 8]) == 3
    assert mex([4, 7, 8, 12]) == 0
    assert mex([4, 1 ^ 3, 2 ^ 2]) == 1
    assert mex([]) == 0


def test_heaps_that_are_none() -> None:
    game = heap_game("0.77")
    for heap in (-1, 2.5, "3"):
        with pytest.raises(UsageError):
            game.values(heap)  # type: ignore[arg-type]
        with pytest.raises(UsageError):
            game.winning_moves([1, heap])  # type: ignore[list-item]
    with pytest.raises(TooLargeError):
        game.values(1 << 40)
    with pytest.raises(TooLargeError):
        heap_game("C.3").values(100_000)


# -- Periods. -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("heap_periods.csv"), ids=lambda row: row["code"])
def test_known_periods(row: dict[str, str]) -> None:
    found = heap_game(row["code"]).period(2048 if row["code"] == "0.28" else 520_000)
    shown = found.length, found.saltus, found.start
    assert shown == tuple(int(row[each]) for each in ("period", "saltus", "start")), row["source"]
    assert found.proved
    if row["exceptions"]:
        assert [n for n, _ in found.exceptions] == [*map(int, row["exceptions"].split())]
    if found.start:
        assert found.exceptions[-1][0] == found.start - 1


def test_patterns_of_kayles() -> None:
    assert heap_game("0.77").period().pattern == (4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7)
    dawson = "4 8 1 1 2 0 3 1 1 0 3 3 2 2 4 4 5 5 9 3 3 0 1 1 3 0 2 1 1 0 4 5 3 7"
    assert heap_game("0.07").period().pattern == tuple(map(int, dawson.split()))


@pytest.mark.parametrize("seed", range(150))
def test_proved_periods_hold_far_beyond(seed: int) -> None:
    """What a theorem says of all heaps is true of many more than it looked at."""
    text = random_code(random.Random(1000 + seed))
    code = heap_code(text)
    long = HeapValues(code)
    three = code.most_heaps == 3
    long.extend(700 if three else 2500)
    for size in (20, 40, 100, 200, 500):
        found = find_period(code, long.known[:size])
        if found.proved:
            heaps = np.arange(found.start, len(long.known))
            predicted = np.array(found.pattern)[heaps % found.length]
            assert (
                long.known[heaps] == predicted + found.saltus * (heaps // found.length)
            ).all(), text
            assert all(found.value(n) != v == long.known[n] for n, v in found.exceptions)
            break


def test_hexadecimal_games_rise() -> None:
    """Some have periods with a saltus, proved by the theorem of docs/heaps.md."""
    proved = {}
    for digits in range(8, 256, 4):
        game = heap_game(f"0.{digits:02X}")
        if game.code.most_heaps == 3:
            found = game.period(400)
            if found.saltus:
                proved[game.text] = found.proved, found.length, found.saltus
    assert proved["0.8"] == (True, 3, 1)
    assert sum(ok for ok, _, _ in proved.values()) >= 10


def test_a_period_that_is_too_short_to_prove() -> None:
    long = HeapValues(heap_code("0.77"))
    long.extend(167)
    found = find_period(heap_code("0.77"), long.known)
    assert (found.length, found.start, found.proved) == (12, 71, False)
    long.extend(168)
    assert find_period(heap_code("0.77"), long.known).proved


def test_a_false_period_is_not_believed() -> None:
    """Dawson's Kayles looks periodic for a while where it is not; the theorem is not fooled."""
    code = heap_code("0.07")
    long = HeapValues(code)
    long.extend(400)
    for size in range(3, 400):
        found = find_period(code, long.known[:size])
        assert not found.proved or found.length == 34


def test_values_far_out() -> None:
    game = heap_game("0.77")
    assert game.value(10**30) == game.period().pattern[10**30 % 12]
    assert heap_game("nim").value(10**30) == 10**30
    quick = game.values(1_000_000)
    slow = HeapValues(heap_code("0.77"))
    slow.extend(5000)
    assert (quick[:5000] == slow.known).all()
    assert int(quick[999_999]) == game.value(999_999)


# -- Moves. ---------------------------------------------------------------------------------------


def test_positions_of_nim() -> None:
    nim = heap_game("nim")
    assert [move.text for move in nim.winning_moves([23, 18, 13, 7, 5])] == ["13->7"]
    assert nim.winning_moves([1, 3, 5, 7]) == []
    assert nim.nim_sum([23, 18, 13, 7, 5]) == 10
    assert nim.winning_moves([]) == []


@pytest.mark.parametrize("seed", range(60))
def test_winning_moves_by_brute_force(seed: int) -> None:
    rng = random.Random(5000 + seed)
    text = random_code(rng) if seed % 10 else "grundys-game"
    code = heap_code(text)
    wins = naive_heaps.winner(code.digit, misere=False, unequal=code.unequal)
    game = HeapGame(code)
    for _ in range(6):
        heaps = tuple(sorted(rng.randint(0, 6) for _ in range(rng.randint(1, 3))))
        after = naive_heaps.positions_after(code.digit, heaps, unequal=code.unequal)
        expected = sorted((heap, left) for heap, left, q in after if not wins(q))
        found = sorted((move.heap, move.leaves) for move in game.winning_moves(heaps))
        assert found == expected, (text, heaps)
        assert bool(found) == wins(heaps) == bool(game.nim_sum(heaps))
        for heap in heaps:
            listed = sorted(move.leaves for move in game.moves(heap))
            assert listed == sorted(naive_heaps.options(code.digit, heap, unequal=code.unequal)), (
                text,
                heap,
            )
