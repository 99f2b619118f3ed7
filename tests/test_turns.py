"""Games solved by turns: the same values as by single steps, by patterns or without, and laws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from perfectplay import CHANCE, OVER, ByTurns, Game, RulesError, check, solve
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.yahtzee import Yahtzee
from perfectplay.games.puzzles.columns import height, lifted
from perfectplay.positions.expand import expander
from perfectplay.solvers.work import Options
from perfectplay.solving.route import route
from perfectplay.solving.run import Run
from perfectplay.verification.verify import verify_table

GAMES = [
    CantStop(2, 2, 2, 1),
    CantStop(3, 2, 1, 1),
    CantStop(3, 2, 2, 1),
    CantStop(2, 2, 1, 1, share=True),
    CantStop(1, 2, 2, 1),
    CantStop(2, 2, 2, 1, jump=True),
    Yahtzee(dice=2, sides=3, boxes=("1", "2", "yahtzee", "chance")),
    Yahtzee(dice=3, sides=2, rerolls=1, boxes=("1", "three", "chance"), bonus_at=3),
]


@dataclass(frozen=True)
class Gamble(ByTurns, Game):
    """A random game: turns of rolls and choices on a ring of anchors, made from a seed."""

    players: int = 2
    seed: int = 0
    size: int = 4
    by_turns = True

    def start(self) -> tuple[int, int, int]:
        return (0, 0, 0)

    def _draw(self, p: Any) -> random.Random:
        return random.Random(f"{self.seed} {p}")

    def to_move(self, p: tuple[int, int, int]) -> int:
        place, step, _ = p
        if place >= self.size:
            return OVER
        return CHANCE if step == 1 else (place + step) % self.players

    def moves(self, p: tuple[int, int, int]) -> Iterator[int]:
        yield from range(self._draw(p).randint(1, 3))

    def play(self, p: tuple[int, int, int], m: int) -> tuple[int, int, int]:
        return self._next(p, self._draw((p, m)))

    def chances(self, p: tuple[int, int, int]) -> Iterator[tuple[int, tuple[int, int, int]]]:
        for i in range(3):
            draw = self._draw((p, "chance", i))
            yield draw.randint(1, 3), self._next(p, draw)

    def _next(self, p: tuple[int, int, int], draw: random.Random) -> tuple[int, int, int]:
        place, step, _ = p
        if step == 3 or draw.random() < 0.2:  # a turn ends, most often further on
            return (draw.choice([place, *range(self.size + 1)]), 0, 0)
        return (place, step + 1, draw.randint(0, 2))

    def payoff(self, p: tuple[int, int, int]) -> tuple[int, ...]:
        rest = random.Random(f"{self.seed} end")
        numbers = [rest.randint(0, 5) for _ in range(self.players)]
        return (numbers[0], -numbers[0]) if self.players == 2 else tuple(numbers)

    def reward(self, p: tuple[int, int, int], m: int) -> int:
        return self._draw((p, m, "reward")).randint(0, 2) if self.players != 2 else 0

    def anchor(self, p: tuple[int, int, int]) -> bool:
        return p[1] == 0


@dataclass(frozen=True)
class Hurry(Gamble):
    """The same, but every turn may be the last."""

    def chances(self, p: tuple[int, int, int]) -> Iterator[tuple[int, tuple[int, int, int]]]:
        yield 1, (self.size, 0, self._draw((p, "end")).randint(-3, 3))
        yield from Gamble.chances(self, p)

    def payoff(self, p: tuple[int, int, int]) -> tuple[int, ...]:
        return (p[2], -p[2], p[2] * p[2] % 4)[: self.players]

    def _next(self, p: tuple[int, int, int], draw: random.Random) -> tuple[int, int, int]:
        return (p[0], 1, draw.randint(0, 2)) if p[1] == 0 else Gamble._next(self, p, draw)


def by_steps(game: Game, **options: Any) -> Any:
    """The solution with every position stored."""
    from perfectplay.answer.solution import Solution

    run = Run(game, Options(**options), route(game, stored=False, steps=True), plain=True)
    table = run.fill(*run.explored())
    return Solution(game, table, run.report(table))


def reached(game: Game, most: int = 400) -> list[Any]:
    """Positions, inside turns too, breadth first."""
    found = dict.fromkeys(game.starts())
    for p in found.copy() or ():
        queue = [p]
        while queue and len(found) < most:
            q = queue.pop(0)
            kind = game.to_move(q)
            if kind == OVER:
                continue
            step = (
                [c for _, c in game.chances(q)]
                if kind == CHANCE
                else [game.play(q, m) for m in game.moves(q)]
            )
            for c in step:
                if c not in found:
                    found[c] = None
                    queue.append(c)
    return list(found)


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("exact", [False, True])
def test_turns_and_steps_agree(game: Game, exact: bool) -> None:
    turns, steps = solve(game, plain=True, exact=exact), by_steps(game, exact=exact)
    assert turns.table.rows < steps.table.rows
    for p in reached(game):
        for ours, theirs in zip(turns.values(p), steps.values(p), strict=True):
            if exact:
                assert ours.lower == theirs.lower
            elif ours.exactness == "bounds":
                assert ours.lower <= theirs.upper
                assert theirs.lower <= ours.upper
                assert ours.upper - ours.lower < 1e-13 * max(1.0, abs(ours.upper))
            else:
                assert float(ours) == pytest.approx(float(theirs), abs=1e-12)


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_random_games(players: int, seed: int) -> None:
    """Without patterns, with cycles among anchors: values by turns are those by steps."""
    game = Gamble(players=players, seed=seed)
    try:
        steps = by_steps(game)
    except RulesError:  # endless play would earn without limit
        with pytest.raises(RulesError):
            solve(game)
        return
    turns = solve(game)
    verify_table(turns.table, expander(game))
    gap = 1e-9 if players == 3 else 1e-12
    if players == 3 and (turns.report["notes"] or steps.report["notes"]):
        return  # several equilibria: which one is found may depend on the order
    for p in reached(game):
        for ours, theirs in zip(turns.values(p), steps.values(p), strict=True):
            assert float(ours) == pytest.approx(float(theirs), abs=gap * 10)


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("seed", range(24))
def test_bounds_by_turns_hold(players: int, seed: int) -> None:
    """Newton by turns proves bounds around the exact value, and no wider than unrolled ones by
    more than its rounding; what it may not prove, endless play, is left to others."""
    game = (Gamble if seed < 10 else Hurry)(players=players, seed=seed, size=3 + seed % 4)
    try:
        exact = by_steps(game, exact=True)
    except RulesError:
        return
    turns = solve(game)
    methods = turns.report["methods"]
    assert set(methods) <= {"ends", "newton by turns, proved", "turns unrolled"}
    assert seed < 10 or methods["newton by turns, proved"] > 0
    assert seed < 10 or "turns unrolled" not in methods
    verify_table(turns.table, expander(game))
    for p in reached(game):
        right = exact.values(p)[0].exact
        found = turns.values(p)[0]
        assert found.lower <= right <= found.upper
        assert found.upper - found.lower < 1e-12 * max(1.0, abs(float(right)))


@pytest.mark.parametrize("ties", ["first", "last", "lexicographic"])
@pytest.mark.parametrize("kind", [Gamble, Hurry])
def test_exact_values_of_several_players(kind: type[Gamble], ties: str) -> None:
    """Fractions by turns, with choices from floats, are those by steps; some have ties."""
    compared = 0
    for seed in range(16):
        game = kind(players=3, seed=seed)
        try:
            turns = solve(game, exact=True, ties=ties)
            steps = by_steps(game, exact=True, ties=ties)
        except RulesError:
            continue
        verify_table(turns.table, expander(game))
        if any("round" in note for s in (turns, steps) for note in s.report["notes"]):
            continue
        assert bool(turns.report["notes"]) == bool(steps.report["notes"])
        if turns.report["notes"]:
            continue  # which policy comes to rest may depend on the way
        compared += turns.report["methods"].get("newton by turns, exact", 0)
        for p in reached(game):
            assert [v.exact for v in turns.values(p)] == [v.exact for v in steps.values(p)]
    assert compared or kind is Gamble


@pytest.mark.parametrize(
    "game",
    [
        *(Hurry(3, seed) for seed in range(12)),
        *(pytest.param(game, marks=pytest.mark.slow) for game in GAMES[1:3]),
    ],
    ids=str,
)
def test_values_are_those_of_the_policy_up_to_the_stated_error(game: Game) -> None:
    floats, exact = solve(game), solve(game, exact=True)
    if floats.report["notes"] or exact.report["notes"]:
        return  # perhaps another policy
    error = floats.report["policy_error"]
    assert 0.0 < error < 1e-10
    worst = 0.0
    for p in reached(game):
        for ours, right in zip(floats.values(p), exact.values(p), strict=True):
            worst = max(worst, abs(float(Fraction(float(ours)) - right.exact)))
    assert worst <= error


@pytest.mark.parametrize("ties", ["first", "last", "average", "lexicographic"])
def test_ties_by_turns_and_by_steps_agree(ties: str) -> None:
    for seed in range(12):
        game = Gamble(players=3, seed=seed)
        try:
            turns, steps = solve(game, ties=ties), by_steps(game, ties=ties)
        except RulesError:
            continue
        if any("round" in note for s in (turns, steps) for note in s.report["notes"]):
            continue
        if ties != "average" and (turns.report["notes"] or steps.report["notes"]):
            continue  # moves that are kept for being among the best depend on the way
        for p in reached(game):
            for ours, theirs in zip(turns.values(p), steps.values(p), strict=True):
                assert float(ours) == pytest.approx(float(theirs), abs=1e-8)


def test_compiled_and_interpreted_turns_agree() -> None:
    game = CantStop(3, 2, 2, 1)
    fast, slow = expander(game), expander(game, plain=True)
    keys = [p for p in reached(game, 2000) if game.anchor(p)]
    keys = list(dict.fromkeys(game.representative(p) for p in keys))
    ours, twin = fast.expand(fast.keys(keys)), slow.expand(keys)
    assert ours.kind.tolist() == twin.kind.tolist()
    assert ours.first.tolist() == twin.first.tolist()
    assert [tuple(map(int, c)) for c in ours.child] == twin.child
    for name in ("swap", "stratum", "weight", "node", "rank"):
        assert getattr(ours, name).tolist() == getattr(twin, name).tolist(), name


def test_tables_are_the_same_for_any_number_of_workers() -> None:
    game = CantStop(3, 2, 2, 1)
    one, two = (solve(game, workers=n).table.signature for n in (1, 2))
    assert one == two


@dataclass(frozen=True)
class Wrong(CantStop):
    """A pattern that forgets the squares which markers jump over."""

    native = False

    def advanced(self, p: tuple[int, ...], markers: int, column: int) -> int:
        after = CantStop.advanced(self, p, markers, column)
        return after if after < 0 or column != 1 else self._jumped(p, after)

    def _jumped(self, p: tuple[int, ...], markers: int) -> int:
        here = height(markers, 1)
        over = here < self.top(1) and self.occupied(p, 1, here)
        return lifted(markers, 1, here + 1) if over else markers


def test_a_wrong_pattern_is_refused() -> None:
    with pytest.raises(RulesError, match="pattern"):
        solve(Wrong(2, 2, 2, 1), plain=True)
    report = check(Wrong(2, 2, 2, 1))
    assert any(problem.method == "pattern" for problem in report.problems)


@dataclass(frozen=True)
class Circular(Gamble):
    """Turns that never reach an anchor."""

    def _next(self, p: tuple[int, int, int], draw: random.Random) -> tuple[int, int, int]:
        return (0, 1 + (p[1] + 1) % 2, 0)


def test_cycles_inside_a_turn_are_refused() -> None:
    with pytest.raises(RulesError, match="within a turn"):
        solve(Circular())


def test_games_without_chance_have_no_turns() -> None:
    @dataclass(frozen=True)
    class Quiet(ByTurns, Game):
        by_turns = True

        def start(self) -> int:
            return 3

        def moves(self, p: int) -> Iterator[int]:
            yield from range(1, p + 1)

        def play(self, p: int, m: int) -> int:
            return p - m

    with pytest.raises(RulesError, match="by turns"):
        solve(Quiet())


def test_a_wrong_value_is_found(tmp_path: Any) -> None:
    from perfectplay import VerificationError

    solution = solve(Gamble(players=2, seed=1))
    run = next(iter(solution.table.runs()))
    for runs in solution.table.runs():
        run = runs
    column = np.asarray(run.columns["upper"])
    column[-1] -= 1e-9
    with pytest.raises(VerificationError):
        verify_table(solution.table, expander(solution.game))
