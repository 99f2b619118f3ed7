"""What is kept of what was asked for: within the budget, the same as without it, by any thread."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from perfectplay import load, solve
from perfectplay.answer import compare_moves, solution
from perfectplay.answer.compare_moves import lost
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.table import reader
from perfectplay.table.recent import Recent


def test_what_is_asked_for_again_and_again_stays() -> None:
    kept: Recent[int] = Recent(100)
    kept.put("often", 7)
    for i in range(1000):
        kept.put(i, i)
        assert kept.get("often") == 7
        assert kept.weight <= 100
    assert kept.get(0) is None
    assert kept.get(999) == 999


def test_weights_count() -> None:
    kept: Recent[str] = Recent(10)
    for i in range(20):
        kept.put(i, "x", 4)
        assert kept.weight <= 10
    assert kept.put("large", "y", 50) == "y"
    assert kept.get("large") == "y"  # the last thing is kept, whatever it weighs


def test_what_cannot_be_hashed_is_not_kept() -> None:
    kept: Recent[int] = Recent(10)
    assert kept.put([1], 2) == 2
    assert kept.get([1]) is None
    assert kept.weight == 0


def walked(found: Any, plies: int) -> list[Any]:
    """Positions of random play, with all that is known about each."""
    draw, p, seen = random.Random(5), found.start, []
    for _ in range(plies):
        seen.append((p, found.analyse(p), found.ranked(p)))
        kind = found.to_move(p)
        following = list(found.events(p)) if kind == CHANCE else []
        following = following or [found.game.play(p, m) for m in found.game.moves(p)]
        p = found.start if kind == OVER else draw.choice(following)
    return seen


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("noughts-and-crosses", []),
        ("pig", ["goal=9"]),
        ("awari", ["seeds=4"]),
        ("piglet", []),
        ("sliding", ["width=3", "height=2"]),
    ],
)
def test_answers_do_not_depend_on_what_is_kept(
    name: str, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load(name, given)
    kept = walked(solve(game, plain=True), 60)
    for module, limit in ((solution, "MOST_VALUES"), (compare_moves, "MOST_KEPT")):
        monkeypatch.setattr(module, limit, 0)
    monkeypatch.setattr(compare_moves, "MOST_RANKS", 3)
    assert walked(solve(game, plain=True), 60) == kept


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("noughts-and-crosses", []),
        ("mu-torere", ["points=6"]),
        ("nim", ["misere=true"]),
        ("kalah", ["pits=2", "seeds=2"]),
        ("pig", ["goal=9"]),
        ("sliding", ["width=3", "height=2"]),
    ],
)
def test_the_first_best_move_is_found_without_the_others(name: str, given: list[str]) -> None:
    game = load(name, given)
    found, other = solve(game, plain=True), solve(game, plain=True)
    for p, analysis, ranked in walked(found, 80):
        if ranked:
            assert other.leading(p)[0] == ranked[0][0]
        for move in analysis.moves:
            judged = other.judged(p, move.number)
            assert (judged.text, judged.best, judged.move.value) == (
                move.text, move.best, move.value,
            )  # fmt: skip
            if not judged.best:
                best = min(ranked[0], key=lambda move: move.number)
                assert judged.better == found.game.move_text(p, best.move)
                assert lost(judged.move.value, judged.top) == (move.loss, move.change)


def test_a_table_keeps_groups_within_its_budget(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_KEPT", 1000)
    found = solve(load("noughts-and-crosses"), tmp_path / "table", plain=True)
    opened = solution.Solution.open(tmp_path / "table", found.game)
    whole = walked(found, 40)
    assert walked(opened, 40) == whole


def test_threads_share_what_is_kept() -> None:
    found = solve(load("noughts-and-crosses"), plain=True)
    right = walked(solve(found.game, plain=True), 80)
    seen: list[Any] = []
    threads = [threading.Thread(target=lambda: seen.append(walked(found, 80))) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [right] * 6
