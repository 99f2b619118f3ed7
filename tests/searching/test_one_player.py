"""Searches for one player: least costs are those of plain breadth-first search, lines can be
played, databases bound, and what cannot be solved is called so."""

from __future__ import annotations

import csv
import dataclasses
import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import OVER, Abstractions, ForcedMoves, Game, SearchGuides, check, load, search
from perfectplay.errors import RulesError, UsageError
from perfectplay.games.puzzles.cube import SOLVED
from perfectplay.games.puzzles.sliding import SlidingPuzzle
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Silent
from perfectplay.searching.one_player import greedy, limits
from perfectplay.searching.one_player.estimate import Databases
from perfectplay.searching.patterns import database_files, halves
from perfectplay.searching.patterns.by_number import half
from perfectplay.searching.patterns.databases import databases_of, solved_blurs
from perfectplay.searching.patterns.halves import FreeHalves
from perfectplay.searching.result import SearchResult
from perfectplay.searching.search import searches

FIFTEEN = Path(__file__).parent / "fifteen_puzzle.csv"


@dataclass(frozen=True)
class Web(Game):
    """Random ways between numbers: some are free, some lead nowhere, ends cost something, too."""

    seed: int = 0
    size: int = 60
    compiled: bool = True

    players = 1
    minimise = True

    @property
    def native(self) -> bool:  # type: ignore[override]
        return self.compiled

    def draw(self, p: int, m: int, n: int) -> int:
        """A number below n that depends on place, way and seed."""
        x = (p * 7919 + m * 104729 + self.seed * 15485863 + 12345) & 0xFFFFFFF
        x = (x ^ (x >> 9)) * 668265263 & 0xFFFFFFFFFFF
        return (x >> 13) % n

    def start(self) -> int:
        return 0

    def moves(self, p: int) -> Iterator[int]:
        if self.draw(p, 99, 14) > 0 or p == 0:
            for m in range(1 + self.draw(p, 98, 3)):
                yield m

    def play(self, p: int, m: int) -> int:
        return self.draw(p, m, self.size)

    def reward(self, p: int, m: int) -> int:
        return self.draw(p, m + 50, 4)

    def payoff(self, p: int) -> int:
        return self.draw(p, 97, 3)


@dataclass(frozen=True)
class Pile(Abstractions, ForcedMoves, SearchGuides, Game):
    """Turn over the upper part of a pile of cards until they are in order; a pile in order but for
    the two uppermost is turned at once. Four bits a card, the uppermost lowest."""

    cards: int = 5
    blurs: int = 2
    careless: bool = False

    players = 1
    minimise = True
    native = True

    def start(self) -> int:
        return sum((self.cards - i) << (4 * i) for i in range(self.cards))

    def ordered(self) -> int:
        """The goal."""
        p = 0
        for i in range(self.cards):
            p |= (i + 1) << (4 * i)
        return p

    def goals(self) -> Iterator[int]:
        yield self.ordered()

    def moves(self, p: int) -> Iterator[int]:
        if p != self.ordered():
            for m in range(2, self.cards + 1):
                yield m

    def play(self, p: int, m: int) -> int:
        q = p >> (4 * m) << (4 * m)
        for i in range(m):
            q |= (p >> (4 * i) & 15) << (4 * (m - 1 - i))
        return q

    def reward(self, p: int, m: int) -> int:
        return 1

    def payoff(self, p: int) -> int:
        return 0

    def blur(self, p: int, k: int) -> int:
        q = 0
        for i in range(self.cards):
            card = p >> (4 * i) & 15
            if (card > self.cards // 2) == (k == 1):
                q |= card << (4 * i)
        return q

    def forced(self, p: int) -> Iterator[int]:
        if p != self.ordered():
            if self.play(p, 2) == self.ordered():
                yield 2
            elif self.careless and p & 15 == 1:
                yield 3

    def parse(self, s: str) -> int:
        return int(s)


def least(game: Game, root: Any) -> float:
    """The least cost from a position, by Dijkstra's algorithm over interpreted rules."""
    queue: list[tuple[int, int, Any, bool]] = [(0, 0, root, False)]
    done, order = set(), 0
    while queue:
        cost, _, p, ended = heapq.heappop(queue)
        if ended:
            return cost
        if p in done:
            continue
        done.add(p)
        moves = [] if game.to_move(p) == OVER else list(game.moves(p))
        for m in moves:
            order += 1
            heapq.heappush(queue, (cost + game.reward(p, m), order, game.play(p, m), False))
        if not moves:
            heapq.heappush(queue, (cost + game.payoff(p), order, p, True))
    return math.inf


def played(game: Game, root: Any, found: SearchResult) -> None:
    """Play a line by its texts with interpreted rules: it ends play, at the cost found."""
    p, cost = root, 0
    for text in found.line:
        m = next(m for m in game.moves(p) if game.move_text(p, m) == text)
        cost += game.reward(p, m)
        p = game.play(p, m)
    assert not list(game.moves(p))
    assert cost + game.payoff(p) == found.exact


def wandered(game: Game, start: Any, steps: int, chance: random.Random) -> Any:
    """Where random play leads."""
    p = start
    for _ in range(steps):
        moves = list(game.moves(p))
        p = game.play(p, chance.choice(moves)) if moves else p
    return p


def case(kind: str, number: int) -> tuple[Game, Any]:
    """A small random puzzle and a position of it."""
    chance = random.Random(f"{kind} {number}")
    if kind == "web":
        return Web(seed=number, size=20 + number), 0
    if kind == "plain web":
        return Web(seed=number, size=20 + number, compiled=False), 0
    if kind == "pile":
        game: Game = Pile()
        return game, wandered(game, game.start(), number, chance)
    name, given = {
        "sliding": ("sliding", {"width": 3, "height": 2}),
        "cube": ("cube", {"metric": "quarter"}),
        "hanoi": ("hanoi", {"discs": 4, "pegs": 4}),
    }[kind]
    game = load(name, given)
    if kind == "cube":  # near the solved cube, or breadth-first search takes long
        p = SOLVED
        for _ in range(number % 4):
            p = game.play(p, chance.choice((0, 2, 3, 5, 6, 8)))
        return game, p
    start = game.start() if kind == "hanoi" else next(iter(game.goals()))
    if kind == "sliding":
        tiles = [int(x) for x in "123450"]
        chance.shuffle(tiles)
        return game, game.packed(tiles)
    return game, wandered(game, start, 30, chance)


@pytest.mark.parametrize("kind", ["web", "plain web", "pile", "sliding", "cube", "hanoi"])
def test_least_costs_are_those_of_plain_search(kind: str) -> None:
    many = 0
    for number in range(84):
        game, root = case(kind, number)
        found = search(game, root)
        assert found.exact == least(game, root), (kind, number)
        if found.exact < math.inf:
            played(game, root, found)
        many += found.exact < math.inf
    assert many > 20
    if kind in ("web", "sliding"):
        assert many < 84  # some cannot be solved


def test_interpreted_searches_agree() -> None:
    for kind in ("pile", "sliding"):
        for number in range(12):
            game, root = case(kind, number)
            found = search(game, root, plain=True)
            assert found.exact == least(game, root)
            if found.exact < math.inf:
                played(game, root, found)


def test_numbered_databases_are_those_of_the_abstractions_solved_as_games() -> None:
    game: Any = load("sliding", {"width": 3, "height": 2, "groups": "1,2/3,4,5"})
    found = databases_of(NativeExpander(game), game.start(), Silent())
    for k in range(2):
        solution = solved_blurs(game, game.start(), k, 0, plain=True)
        least_by_index: dict[int, float] = {}
        for p in solution.positions():
            i = game.blur_index(p, k)[0]
            cost = solution.values(p)[0].lower
            least_by_index[i] = min(cost, least_by_index.get(i, math.inf))
        assert costs_of(game, found, k) == least_by_index


def costs_of(game: Any, found: Databases, k: int) -> dict[int, int]:
    """The costs that a database of half bytes has, by number."""
    costs = {}
    for i in range(game.blur_sizes(k)[0]):
        kept = half.py_func(found.cost, int(found.first[k]) + i)
        least, step = game.blur_least(game.blur_at(i, k), k)
        if kept < 15:
            costs[i] = least + step * kept
    return costs


@pytest.mark.parametrize(
    "groups", ["1,2,3,4/5,6,7,8", pytest.param("1,2/3,4,5/6,7,8", marks=pytest.mark.slow)]
)
def test_databases_are_the_same_for_any_number_of_threads_and_after_a_stop(
    groups: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "SPAN", 64)
    monkeypatch.setattr(halves, "KEEP", -1.0)
    game: Any = load("sliding", {"groups": groups})
    built = []
    for workers in (1, 2):
        monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path / str(workers)))
        built.append(databases_of(NativeExpander(game), game.start(), Silent(), workers).cost)
    assert (built[0] == built[1]).all()
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path / "stopped"))
    monkeypatch.setattr(FreeHalves, "_spans", stopping(FreeHalves._spans))
    for _ in range(200):
        try:
            again = databases_of(NativeExpander(game), game.start(), Silent()).cost
            break
        except KeyboardInterrupt:
            pass
    assert (built[0] == again).all()


@pytest.mark.parametrize("kind", ["pile", "sliding"])
def test_threads_find_the_same_line_by_the_same_nodes(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ALONE", 3)
    monkeypatch.setattr(limits, "TASKS", 9)
    for number in range(25):
        game, root = case(kind, number)
        one, two = (search(game, root, threads=threads) for threads in (1, 2))
        assert (one.exact, one.line, one.counts.nodes) == (two.exact, two.line, two.counts.nodes)


def stopping(function: Any) -> Any:
    """The same, but every fourth call is interrupted."""
    calls: list[int] = []

    def called(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) % 4 == 0:
            raise KeyboardInterrupt
        return function(*arguments)

    return called


def test_databases_of_single_tiles_add_up_to_the_distance_in_rows_and_columns() -> None:
    game: Any = load("sliding", {"groups": "1/2/3/4/5/6/7/8"})
    found = databases_of(NativeExpander(game), game.start(), Silent())
    p, costs = game.ordered, [costs_of(game, found, k) for k in range(8)]
    chance = random.Random(5)
    for _ in range(200):
        p = wandered(game, p, 1, chance) if list(game.moves(p)) else game.play(p, 5)
        sums = sum(costs[k][game.blur_index(p, k)[0]] for k in range(8))
        assert sums == game.bounds(p)[0]


def test_a_damaged_database_is_built_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path))
    costs = np.arange(100, dtype=np.uint8)
    database_files.write("abc", costs)
    kept = database_files.read("abc")
    assert kept is not None
    assert kept.tolist() == costs.tolist()
    file = database_files.file_of("abc")
    data = file.read_bytes()
    for broken in (data[:-3], data.replace(b"abc", b"abd"), b"", data[:-1] + b"x"):
        file.write_bytes(broken)
        assert database_files.read("abc") is None


def test_a_search_that_is_stopped_gives_bounds_that_hold() -> None:
    game, root = Web(seed=3, size=100_000), 0
    least_cost, before = least(game, root), 0
    for nodes in (1, 5, 20, 80, 10_000_000):
        found = search(game, root, nodes=nodes)
        assert before <= found.lower <= least_cost <= found.upper
        before = int(found.lower)
    assert found.exact == least_cost


def test_a_search_that_runs_out_of_memory_goes_on_without() -> None:
    game = Pile(cards=8, blurs=0)
    root = wandered(game, game.start(), 40, random.Random(2))
    assert search(game, root, size=1).exact == search(game, root).exact == least(game, root)


@pytest.mark.parametrize("plain", [False, True])
def test_impossible_orders_are_called_so(plain: bool) -> None:
    game = load("sliding", {"width": 3, "height": 2})
    found = search(game, game.parse("2 1 3 / 4 5 ."), plain=plain)
    assert found.exact == math.inf
    assert found.value_text == "impossible"
    assert found.move is None


@pytest.mark.parametrize("how", ["weighted", "beam"])
def test_other_ways_to_any_line_find_lines_and_refute(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beams so narrow that they give positions up: whoever refutes then has looked at all."""
    monkeypatch.setattr(greedy, "WIDTHS", (1, 3))
    impossible = 0
    for number in range(40):
        game, root = case("sliding", number)
        found, least_cost = search(game, root, any_line=True, how=how), least(game, root)
        assert (found.upper == math.inf) == (least_cost == math.inf)
        assert found.upper >= least_cost
        assert found == dataclasses.replace(
            search(game, root, any_line=True, how=how),
            seconds=found.seconds, compile_seconds=found.compile_seconds,
        )  # fmt: skip
        impossible += least_cost == math.inf
    assert 0 < impossible < 40
    with pytest.raises(UsageError, match="no way"):
        search(game, root, any_line=True, how="guided")


def test_check_tries_abstractions_and_forced_moves() -> None:
    assert check(Pile()).ok
    wrong = check(Pile(careless=True))
    assert [problem.method for problem in wrong.problems] == ["forced"]
    assert "costs more than the best move" in wrong.problems[0].message

    @dataclass(frozen=True)
    class Added(Pile):
        added: tuple[tuple[int, ...], ...] = ((0, 1),)
        native = False

        def counts_in(self, p: int, m: int, group: int) -> int:
            return 0

    @dataclass(frozen=True)
    class Mixed(Pile):
        native = False

        def blur(self, p: int, k: int) -> int:
            return p & 255 if k else p & ~255

    assert check(Added()).ok
    assert "leads elsewhere" in check(Mixed()).problems[0].message


@pytest.mark.slow
def test_fifteen_puzzles_of_the_literature_come_out() -> None:
    game: Any = load("sliding", {"width": 4, "height": 4})
    with FIFTEEN.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if line[0] != "#"))
    roots = [game.packed([int(x) for x in row["board"].split()]) for row in rows]
    for row, root, found in zip(rows, roots, searches(game, roots), strict=True):
        assert found.exact == int(row["moves"]), row
        played(game, root, found)


@dataclass(frozen=True)
class Misnumbered(SlidingPuzzle):
    """A puzzle whose blurred positions have numbers beyond all sizes."""

    def blur_index(self, p: Any, k: int) -> tuple[int, int]:
        return 10**9, 0


def test_goals_without_a_number_are_refused() -> None:
    with pytest.raises(RulesError, match="a goal has number 1000000000, 0 in abstraction 0"):
        search(Misnumbered(groups="1,2,3,4/5,6,7,8"))
