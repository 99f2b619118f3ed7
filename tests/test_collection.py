"""A solution as a collection: what it iterates is what the rules reach, however it is stored."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from perfectplay import CHANCE, OVER, Game, Solution, UsageError, load, sided, solve
from perfectplay.games.chess.structures import Structured
from perfectplay.rules.capabilities import by_turns
from perfectplay.rules.game import first_positions
from perfectplay.table import parquet


def following(game: Game, p: Any) -> list[Any]:
    if game.to_move(p) == OVER:
        return []
    if game.to_move(p) == CHANCE:
        return [child for _, child in game.chances(p)]
    return [game.play(p, m) for m in game.moves(p)]


def reached(game: Game) -> set[Any]:
    """The representatives of all positions that can arise, found by the rules alone."""
    found: set[Any] = set()
    waiting = [game.representative(p) for p in first_positions(game)]
    while waiting:
        p = waiting.pop()
        if p not in found:
            found.add(p)
            waiting += [game.representative(q) for q in following(game, p)]
    return found


def stored(game: Any) -> set[Any]:
    """Those that a table holds."""
    every = reached(game)
    if not by_turns(game):
        return every
    return {p for p in every if game.anchor(p) or not following(game, p)}


def deciding(game: Game) -> set[Any]:
    return {p for p in reached(game) if game.to_move(p) >= 0 and next(iter(game.moves(p)), p) != p}


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "texts": (load("nim", ["heaps=1,2,3"]), {"plain": True}),
    "texts of tuples": (load("domineering", ["rows=3", "columns=3"]), {}),
    "one word": (load("pig", ["goal=5"]), {}),
    "several words": (load("mastermind", ["pegs=2", "colours=3"]), {}),
    "by turns": (load("cant-stop", ["sides=2", "short=2", "columns=1"]), {}),
    "by turns, texts": (load("cant-stop", ["sides=2", "short=2", "columns=1"]), {"plain": True}),
    "labelled pieces, exact": (load("einstein", ["stones=2"]), {"exact": True}),
    "coalitions": (sided(load("piglet", ["goal=2", "players=3"]), "2+3"), {"plain": True}),
}


@pytest.mark.parametrize("disk", [False, True], ids=["memory", "disk"])
@pytest.mark.parametrize("name", CASES)
def test_positions_are_those_that_the_rules_reach(name: str, disk: bool, tmp_path: Path) -> None:
    game, options = CASES[name]
    solution: Solution = solve(game, tmp_path / "table" if disk else None, **options)
    listed = list(solution)
    assert len(solution) == len(listed) == len(set(listed))
    assert set(listed) == stored(game)
    assert all(p in solution and p in solution.positions() for p in listed)
    parts = [list(solution.positions(number)) for number, _ in solution.table.strata]
    assert [p for part in parts for p in part] == listed
    for (number, rows), part in zip(solution.table.strata, parts, strict=True):
        assert len(part) == rows == len(solution.positions(number))
        assert {game.stratum(p) for p in part} == {number}


@pytest.mark.parametrize("name", CASES)
def test_the_policy_has_a_best_move_wherever_a_player_moves(name: str) -> None:
    game, options = CASES[name]
    solution = solve(game, **options)
    policy = solution.policy()
    assert set(policy) == deciding(game)
    assert len(policy) == len(deciding(game)) == len(list(policy))
    for p in [*policy][:50]:
        assert policy[p] == solution.best(p)
        assert p in policy
    ends = [p for p in solution if not following(game, p)]
    assert ends[0] not in policy
    assert policy.get(ends[0], "none") == "none"
    with pytest.raises(KeyError):
        policy["nonsense"]


def test_symmetric_positions_are_known_but_not_listed() -> None:
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    game = solution.game
    both = {game.parse("1 2"), game.parse("2 1")}
    (one,) = {game.representative(p) for p in both}
    (twin,) = both - {one}
    assert twin in solution
    assert twin not in solution.positions()
    assert one in solution.positions()
    assert twin in solution.policy()
    assert "nonsense" not in solution
    assert "nonsense" not in solution.positions()


def test_a_stratum_that_is_not_there_is_refused() -> None:
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    with pytest.raises(UsageError, match="no stratum 99") as caught:
        solution.positions(99)
    assert caught.value.hint == "strata are 0 to 3"


def test_large_tables_are_read_group_by_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", 64)
    game = load("pig", ["goal=10"])
    solution = solve(game, tmp_path / "table")
    assert len(solution.table.parts()[0].groups) > 8
    memory = solve(game)
    assert list(solution) == list(memory)
    for number, _ in memory.table.strata:
        assert list(solution.positions(number)) == list(memory.positions(number))


def test_iterating_takes_little_memory(tmp_path: Path) -> None:
    solution = solve(load("pig", ["goal=50"]), tmp_path / "table")
    assert len(solution) > 50_000
    tracemalloc.start()
    count = sum(1 for _ in solution)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == len(solution)
    assert peak < 200 * 2**16, "a group of 65,536 keys, and little else"


def test_a_data_frame_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    assert solution.to_arrow().num_rows == len(solution)

    def missing() -> None:
        raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

    monkeypatch.setattr(solution.table, "to_pandas", missing)
    with pytest.raises(UsageError, match="needs pandas"):
        solution.to_pandas()


@dataclass(frozen=True)
class Unreadable(Game):
    def start(self) -> int:
        return 2

    def moves(self, p: int) -> Iterator[int]:
        yield from range(1, p + 1)

    def play(self, p: int, m: int) -> int:
        return p - m

    def text(self, p: int) -> str:
        return f"{p} left"


def test_texts_that_cannot_be_read_are_an_error_of_the_rules() -> None:
    solution = solve(Unreadable(), plain=True)
    assert len(solution) == 3
    with pytest.raises(UsageError, match="'0 left' cannot be read back") as caught:
        list(solution)
    assert "parse" in caught.value.hint


def test_games_without_rows_say_so() -> None:
    table = Structured(load("pawn-endings"), None, None)  # type: ignore[arg-type]
    for ask in (table.to_arrow, table.each_key, lambda: table.strata):
        with pytest.raises(UsageError, match="no rows"):
            ask()
