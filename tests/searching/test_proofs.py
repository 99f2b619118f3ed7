"""Search by proof numbers against plain minimax: with and without threats, cycles and rewards,
with small tables; lines on wide boards against sets of cells; strategies that proofs make."""

from __future__ import annotations

import random
import runpy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from perfectplay import Game, SearchGuides, Threats, check, load, search, searches, solve
from perfectplay.errors import TableError
from perfectplay.games.bits import signed
from perfectplay.games.lines.mnk import MNK
from perfectplay.games.lines.qubic import Qubic
from perfectplay.rules.game import alternate
from perfectplay.rules.load import rules_path
from perfectplay.rules.search_capabilities import enough_moves
from perfectplay.searching.strategies import strategy
from perfectplay.verification.verify_strategy import verify_strategy

CUBE = {"width": 4, "height": 4, "depth": 4, "line": 4}


def played(game: Game, rng: random.Random) -> Any:
    """A position after some random moves."""
    p = game.start()
    for _ in range(rng.randrange(12)):
        moves = list(game.moves(p)) if game.to_move(p) >= 0 else []
        if not moves:
            break
        p = game.play(p, rng.choice(moves))
    return p


def minimax(game: Game) -> Callable[[Any], int]:
    """A function that gives the value of a position to player 0 of its frame: plain minimax."""

    @cache
    def value(p: Any) -> int:
        kind = game.to_move(p)
        moves = list(game.moves(p)) if kind >= 0 else []
        if not moves:
            return int(game.payoff(p))
        swap = -1 if alternate(game) else 1
        side = -1 if kind == 1 else 1
        worth = [swap * value(game.play(p, m)) + side * int(game.reward(p, m)) for m in moves]
        return min(worth) if kind == 1 else max(worth)

    return value


SMALL_GAMES = [
    ("connect", {"width": 4, "height": 4, "line": 3}),
    ("dots-and-boxes", {"rows": 2, "columns": 2}),
    *(
        pytest.param(name, given, marks=pytest.mark.slow)
        for name, given in [
            ("mnk", {"width": 4, "height": 3, "line": 3}),
            ("kalah", {"pits": 2, "seeds": 2}),
            ("mnk", {"width": 3, "height": 3, "line": 3, "misere": True}),
            ("fifteen", {}),
            ("nim", {}),
            ("fibonacci-nim", {}),
        ]
    ),
]


@pytest.mark.parametrize(("name", "given"), SMALL_GAMES)
def test_positions_of_eight_games_are_worth_what_minimax_finds(
    name: str, given: dict[str, Any]
) -> None:
    game, rng = load(name, given), random.Random(name)
    value = minimax(game)
    positions = list(dict.fromkeys(played(game, rng) for _ in range(125)))
    answers = searches(game, positions, size=2**16, method="proof")
    for p, found in zip(positions, answers, strict=True):
        assert found.method == "proof"
        assert found.exact == (-value(p) if game.to_move(p) == 1 else value(p)), game.text(p)


# -- Cycles. --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Graphs(Game):
    """Walk in turn on one of many random graphs of few places; who cannot move loses, and endless
    play is a draw."""

    graphs: int = 60

    native = True
    endless = 0

    def starts(self) -> Iterator[int]:
        for graph in range(self.graphs):
            yield 16 * graph

    def moves(self, p: int) -> Iterator[int]:
        word = (p + 1) * 2654435761 % 2**32
        for k in range((word >> 7) % 4):
            yield ((word >> (9 + 5 * k)) % 9) + p // 16 * 16

    def play(self, p: int, m: int) -> int:
        return m


def test_what_is_proved_in_games_with_cycles_holds() -> None:
    """Wins and losses are found, all of them, and draws by endless play stay open."""
    game = Graphs()
    solution, values = solve(game), set()
    starts = list(game.starts())
    for p, found in zip(starts, searches(game, starts, method="proof"), strict=True):
        value = solution.value(p)
        values.add(value.lower)
        assert found.lower <= value.lower <= found.upper
        if value.lower:
            assert found.exact == value.lower, p
        elif found.exact is None:
            assert found.stopped == "circles"
    assert values == {-1, 0, 1}


# -- Threats. -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Passing(Threats, SearchGuides, Game):
    """Three in a row on 4 x 3, with the least that searches need: threats are found by passing."""

    native = True

    def start(self) -> int:
        return 0

    def lined(self, marks: int) -> bool:
        found = False
        for x in range(4):
            for y in range(3):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                    if 0 <= x + 2 * dx < 4 and y + 2 * dy < 3:
                        whole = True
                        for i in range(3):
                            whole &= (marks >> ((y + i * dy) * 4 + x + i * dx)) & 1 == 1
                        found |= whole
        return found

    def moves(self, p: int) -> Iterator[int]:
        if not self.lined(p >> 12):
            for cell in range(12):
                if not ((p | p >> 12) >> cell) & 1:
                    yield cell

    def play(self, p: int, m: int) -> int:
        return p >> 12 | (p & 4095 | 1 << m) << 12

    def payoff(self, p: int) -> int:
        return -1 if self.lined(p >> 12) else 0

    def passed(self, p: int) -> int:
        return p >> 12 | (p & 4095) << 12

    def bounds(self, p: int) -> tuple[int, int]:
        if not self.lined(p >> 12):
            for cell in range(12):
                if not ((p | p >> 12) >> cell) & 1 and self.lined(p & 4095 | 1 << cell):
                    return (1, 1)
        return (-1, -1) if self.lined(p >> 12) else (-1, 1)


def test_threats_are_found_by_passing() -> None:
    game, same = Passing(), load("mnk", {"width": 4, "height": 3, "line": 3})
    value, rng = minimax(same), random.Random(5)
    positions = [p for _ in range(75) if (p := played(game, rng)).bit_count() > 4]
    assert len(positions) > 25
    for p in positions:  # earlier ones take the twin long
        assert search(game, p, method="proof").exact == value(p)
    assert search(game, method="proof").counts.probes > 0


def test_check_tries_threats() -> None:
    @dataclass(frozen=True)
    class Wrong(MNK):
        def threat(self, p: Any) -> Iterator[int]:
            yield 99

    @dataclass(frozen=True)
    class Lost(Passing):
        def passed(self, p: int) -> int:
            return p >> 12

    assert check(MNK(3, 2, 2)).ok
    assert [x.method for x in check(Wrong(3, 2, 2)).problems] == ["threat"]
    assert [x.method for x in check(Lost(), limit=50, plays=2).problems] == ["passed"]


# -- Boards of lines. -----------------------------------------------------------------------------

BOARDS = [
    MNK(4, 4, 4), MNK(6, 6, 3, exact=True), MNK(5, 4, 3), MNK(8, 8, 5),
    Qubic(3, 3, 3), Qubic(4, 4, 4, 4), Qubic(4, 4, 3, 4),
]  # fmt: skip


@pytest.mark.parametrize("game", BOARDS)
def test_gaps_are_those_of_lines_tried_out(game: Any) -> None:
    rng, n = random.Random(3), game.cells()
    for _ in range(8):
        cells = rng.sample(range(n), rng.randrange(2, min(n - 1, 34)))
        own, other = (sum(1 << c for c in cells[i::2]) for i in (0, 1))
        free = ((1 << n) - 1) & ~(own | other)
        if game.lined(own):
            continue
        for missing in (1, 2):
            wanted = 0
            for some in combinations([c for c in range(n) if free >> c & 1], missing):
                if game.lined(own | sum(1 << c for c in some)):
                    wanted |= sum(1 << c for c in some)
            got = game.gaps(signed(own), signed(free), missing) & ((1 << n) - 1)
            assert got == wanted or (missing == 2 and game.gaps(own, free, 1))


def test_longer_lines_do_not_count_if_lines_are_exact() -> None:
    rng = random.Random(7)
    for game in (MNK(5, 4, 3, exact=True), MNK(8, 8, 4, exact=True)):
        w, h, seen = game.width, game.height, set()
        for _ in range(200):
            cells = set(rng.sample(range(w * h), rng.randrange(w * h * 3 // 4)))
            wanted = False
            for cell in cells:
                for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                    on = [
                        0 <= cell % w + k * dx < w
                        and 0 <= cell // w + k * dy < h
                        and cell + k * (dx + w * dy) in cells
                        for k in range(-1, game.line + 1)
                    ]
                    wanted |= on == [False, *[True] * game.line, False]
            assert game.lined(signed(sum(1 << cell for cell in cells))) == wanted
            seen.add(wanted)
        assert seen == {False, True}


def test_wide_boards_are_the_same_game() -> None:
    """A board with cells that no line can use plays like the board without them."""
    rng, wide, small = random.Random(2), MNK(11, 3, 3), MNK(3, 3, 3)
    assert type(wide) is not MNK
    assert rules_path(wide) == rules_path(small) == "mnk"

    assert wide.text(wide.parse(wide.text(wide.start()))) == wide.text(wide.start())

    for _ in range(20):
        p = played(wide, rng)
        assert wide.parse(wide.text(p)) == p
        assert sorted(enough_moves(wide, p)) == enough_moves(wide, p)


def test_the_cube_has_192_symmetries() -> None:
    """Against all mappings of cells that keep lines, found by their coordinates."""
    game, rng = load("qubic", CUBE), random.Random(1)
    orders = [(0, 1, 2, 3), (1, 0, 3, 2), (0, 2, 1, 3), (2, 0, 3, 1)]
    every = set()
    for order in orders:
        for axes in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
            for flips in range(8):
                image = []
                for cell in range(64):
                    at = [order[cell % 4], order[cell // 4 % 4], order[cell // 16]]
                    at = [at[a] for a in axes]
                    at = [3 - v if flips >> k & 1 else v for k, v in enumerate(at)]
                    image.append(at[0] + 4 * at[1] + 16 * at[2])
                every.add(tuple(image))
    assert len(every) == 192
    for many in (1, 4, 9, 30):
        cells = rng.sample(range(64), many)
        mine, theirs = cells[many % 2 :: 2], cells[1 - many % 2 :: 2]
        images = [
            tuple(signed(sum(1 << m[c] for c in side)) for side in (mine, theirs)) for m in every
        ]
        assert game.representative(images[0]) == min(images)


# -- Strategies. ----------------------------------------------------------------------------------


def test_proofs_make_strategies() -> None:
    game = load("mnk", {"width": 4, "height": 3, "line": 3})
    found = strategy(game, method="proof")
    proved = verify_strategy(game, found)
    assert (proved.at_least, proved.searched) == (1, 0)
    first = {found.position: found.moves[found.position]}
    silent = verify_strategy(game, replace(found, moves=first))  # threats win after any reply
    assert (silent.moves, silent.searched) == (1, 0)
    assert silent.threatened > 1
    small = {**found.parameters, "width": 3}
    drawn = load("mnk", small)
    with pytest.raises(TableError, match="which is no position"):
        verify_strategy(drawn, replace(found, parameters=small))


@pytest.mark.slow
def test_patashniks_dictionary_is_a_strategy() -> None:
    """Qubic is won by the first player; every one of the 2,929 moves is met."""
    script = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "qubic_patashnik.py"))
    game = load("qubic", CUBE)
    proved = verify_strategy(game, script["read"](script["DICTIONARY"], game))
    assert (proved.at_least, proved.moves, proved.searched) == (1, 2929, 0)
    assert proved.positions == 328_394
