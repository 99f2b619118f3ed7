"""Searches that leave the value open: no move is called best that is not, seconds are kept in all
phases, and the command says when solving is quicker."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from perfectplay import Game, load, search, solve
from perfectplay.cli import main
from perfectplay.compiled import time_limit
from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.rules.game import OVER
from perfectplay.searching import plain, solve_instead
from perfectplay.searching.result import BestPlay, SearchResult, best_play
from perfectplay.searching.search_facts import EdgeBounds, NodeBounds
from perfectplay.searching.turns import unlabelled_bounds


@dataclass(frozen=True)
class Pick(Game):
    """Choose one of three; interpreted."""

    def start(self) -> int:
        return 0

    def moves(self, p: int) -> Iterator[int]:
        if p == 0:
            yield from (1, 2, 3)

    def play(self, p: int, m: int) -> int:
        return m


def picked(*bounds: tuple[float, float], kind: int = 0, known: tuple[Any, Any]) -> BestPlay:
    """What is said of a choice between moves with these bounds."""
    edges = [EdgeBounds(low, high, i) for i, (low, high) in enumerate(bounds)]
    nodes = {0: NodeBounds(kind, *known, edges)}
    return best_play(Pick(), 0, lambda p: nodes.get(p or 0, NodeBounds(OVER, 0, 0, [])))


# -- Moves. ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [0, 1])
def test_a_move_is_best_only_if_it_is_proved(kind: int) -> None:
    def views(*bounds: tuple[float, float]) -> list[tuple[float, float]]:
        return [*bounds] if kind == 0 else [(-high, -low) for low, high in bounds]

    def said(*bounds: tuple[float, float], low: float, high: float) -> tuple[Any, bool]:
        known = (low, high) if kind == 0 else (-high, -low)
        found = picked(*views(*bounds), kind=kind, known=known)
        return found.move, found.best

    assert said((-1, 1), (-1, 1), (-1, 1), low=-1, high=1) == (None, False)
    assert said((-1, 1), (0, 1), (-1, -1), low=0, high=1) == (2, False)
    assert said((-1, 0), (0, 1), (-1, -1), low=0, high=1) == (2, True)
    assert said((-1, 1), (-1, 1), (0, 0), low=0, high=0) == (3, True)  # the rules bound the root
    inf = math.inf
    assert said((-inf, inf), (-inf, inf), (-inf, inf), low=-inf, high=inf) == (None, False)
    assert said((-inf, inf), low=-inf, high=inf) == (1, True)  # there is no other


def test_no_move_is_named_where_nothing_is_decided() -> None:
    """On the empty board of 7 x 6, a search that ends early knows of no move that wins."""
    found = search(load("connect"), nodes=300, plain=True)
    assert (found.move, found.move_text, found.best, found.line) == (None, None, False, ())
    assert found.as_json()["move"] is None
    assert found.as_json()["best"] is False
    assert found.advice == "open: no move is proved best"


def test_moves_of_stopped_searches_are_best_if_they_say_so() -> None:
    game = load("noughts-and-crosses")
    solved, seen = solve(game), set()
    p = game.parse("x.o/.x./..o")
    for start in (game.start(), p):
        worth = {m.move: m.value.lower for m in solved.moves(start)}
        for nodes in range(2, 200, 12):
            found = search(game, start, nodes=nodes, plain=True)
            seen.add((found.move is not None, found.best))
            if found.move is not None and found.best:
                assert worth[found.move] == max(worth.values())
            elif found.move is not None:
                assert found.secured is not None
                assert worth[found.move] >= found.secured
    assert seen >= {(False, False), (True, True)}


def test_a_move_that_is_proved_good_but_not_best_says_so() -> None:
    result = SearchResult(
        game="g", parameters={}, position="p", name="player 1", kind="outcome", lower=0, upper=1,
        move=2, move_text="c", line=(), stopped="nodes", best=False, secured=0,
    )  # fmt: skip
    assert result.advice == "c (secures draw; whether another is better is open)"
    assert result.as_json()["best"] is False


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (-math.inf, math.inf, "unknown"),
        (3, math.inf, "at least 3"),
        (-math.inf, Fraction(1, 2), "at most 0.5"),
        (0, 3, "between 0 and 3"),
    ],
)
def test_bounds_in_words(low: Any, high: Any, told: str) -> None:
    result = SearchResult(
        game="g", parameters={}, position="p", name="player 1", kind="score", lower=low,
        upper=high, move=None, move_text=None, line=(), stopped="nodes", best=False,
    )  # fmt: skip
    assert result.value_text == told


# -- Time. ----------------------------------------------------------------------------------------


class Ticking:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self, tick: float = 1.0) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Ticking:
    """The clock of all searches of a test."""
    clock = Ticking()
    monkeypatch.setattr(
        "perfectplay.searching.search.TimeLimit",
        lambda seconds, native: TimeLimit(seconds, native=False, clock=clock),
    )
    return clock


def test_a_limit_leaves_compiling_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: now)
    watch = time_limit._Stopwatch()
    monkeypatch.setattr(time_limit, "_compiler", lambda: watch)
    limit = TimeLimit(10.0)
    now = 4.0
    watch.start()
    watch.start()  # compiling one kernel compiles another
    now = 100.0
    assert (limit.spent, limit.left, limit.compiled) == (4.0, 6.0, 96.0)
    watch.end()
    watch.end()
    now = 105.0
    assert (limit.left, limit.over, limit.compiled) == (1.0, False, 96.0)
    assert limit.share(0.5).left == 0.5
    now = 106.0
    assert limit.over


def test_interpreted_searches_look_at_the_clock_at_every_node(clock: Ticking) -> None:
    """Rules may take a tenth of a second for a node."""
    found = search(load("connect"), seconds=40.0, plain=True)
    assert found.stopped == "seconds"
    assert found.counts.nodes < 50


def test_time_before_the_search_counts(clock: Ticking, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long before the first node, such as a table that is read, leaves less time."""
    clock.tick = 0.0
    real = plain.PlainSearch.__init__

    def slow(*given: Any, **options: Any) -> Any:
        clock.now += 100.0
        return real(*given, **options)

    monkeypatch.setattr(plain.PlainSearch, "__init__", slow)
    found = search(load("connect"), seconds=60.0, plain=True)
    assert (found.stopped, found.counts.nodes, found.seconds) == ("seconds", 0, 100.0)


@pytest.mark.slow
def test_unlabelled_positions_take_half_of_the_time_at_most() -> None:
    """They are given up when that is over, and the search goes on without them."""
    game = load("einstein")
    p = game.representative(game.start())
    rules = NativeTurns(game)
    clock = Ticking()
    some = TimeLimit(40.0, native=False, clock=clock)
    assert not len(unlabelled_bounds.unlabelled_table(rules, p, pairs=True, limit=some))
    assert clock.now < 40
    many = TimeLimit(10_000.0, native=False, clock=Ticking())
    assert len(unlabelled_bounds.unlabelled_table(rules, p, pairs=True, limit=many))


# -- Solving instead. -----------------------------------------------------------------------------


def test_a_search_in_vain_says_how_long_solving_takes(capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["search", "sliding", "-p", "width=2", "-p", "height=2", "--nodes", "3", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["value_text"] == "at least 4"
    assert found["solve_seconds"] < 60
    main.run(["search", "sliding", "-p", "width=2", "-p", "height=2", "--nodes", "3"])
    shown = capsys.readouterr().out
    assert "perfectplay solve sliding -p width=2 -p height=2 takes about" in shown
    assert "no move is proved best" in shown


def test_solving_is_not_proposed_where_it_is_long_or_unknown() -> None:
    assert solve_instead.solve_instead(load("connect", {"width": 7}), 1.0) is None
    assert solve_instead.solve_instead(load("noughts-and-crosses"), None) is not None


def test_a_game_too_large_to_solve_may_be_searched(capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["plan", "connect", "--memory", "1M", "--seconds", "0.2"])
    assert "perfectplay search connect looks for" in capsys.readouterr().out
    main.run(["plan", "noughts-and-crosses"])
    assert "perfectplay search" not in capsys.readouterr().out
