"""Games solved by number have the same values as the same games solved by key."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from perfectplay import Game, RulesError, check, solve, verify
from perfectplay.compiled.arrays import Ints
from perfectplay.rules.game import OVER
from perfectplay.rules.number_capabilities import BackwardMoves, Indexed, NumberMoves
from perfectplay.solvers.numbered import score_solver
from perfectplay.solving.route import Home, along

HOLES = 7


@dataclass(frozen=True)
class Explicit(BackwardMoves, Indexed, Game):
    """Moves at random among numbers; every seventh number is a hole. Strata have `wide` numbers;
    symmetric positions differ in the lowest bit."""

    seed: int = 0
    size_: int = 140
    wide: int = 35
    most: int = 3
    misere: bool = False
    native = True

    def dice(self, p: int, k: int, sides: int) -> int:
        """A number that looks random."""
        x = (p * 40503 + k * 9176 + self.seed * 7919 + 12345) & 0xFFFFF
        for _ in range(3):
            x = (x * 2531 + 11213) & 0xFFFFF
            x ^= x >> 7
        return x % sides

    def to(self, p: int, k: int) -> int:
        """Where move k leads; -1 if there is none."""
        low = p // self.wide * self.wide
        if k >= self.dice(p, 90, self.most + 1):
            return -1
        q = low + self.dice(p, k, min(self.wide, self.size_ - low))
        if low and self.dice(p, k + 30, 5) == 0:
            q = self.dice(p, k + 60, low)
        return q - 1 if q % HOLES == 6 else q

    def end(self, p: int, most: int) -> int:
        return self.dice(p, 91, 2 * most + 1) - most

    def start(self) -> int:
        return 0

    def starts(self) -> Iterator[int]:
        for p in range(self.size_):
            if p % HOLES != 6:
                yield p

    def moves(self, p: int) -> Iterator[int]:
        for k in range(self.most):
            if self.to(p, k) >= 0:
                yield k

    def play(self, p: int, m: int) -> int:
        return self.to(p, m)

    def stratum(self, p: int) -> int:
        return p // self.wide

    # -- Numbers. --

    def numbered_strata(self) -> Iterator[int]:
        yield from range(-(-self.size_ // self.wide))

    def size(self, stratum: int) -> int:
        return min(self.wide, self.size_ - stratum * self.wide)

    def rank(self, p: int) -> int:
        return -1 if p % HOLES == 6 else p % self.wide

    def unrank(self, stratum: int, i: int) -> int:
        return stratum * self.wide + i

    def unmoves(self, p: int) -> Iterator[int]:
        low = p // self.wide * self.wide
        for q in range(low, min(low + self.wide, self.size_)):
            for k in range(self.most):
                if self.to(q, k) == p or (q + p) % 5 == 0:  # some too many
                    yield q
                    break


class Forwards(Explicit):
    """Without moves backwards: none come from there."""

    unmoves = BackwardMoves.unmoves  # as if nobody had written them


class Scored(Forwards):
    """Play ends with a score, and moves that leave the stratum earn something."""

    def payoff(self, p: int) -> int:
        return self.end(p, 9)

    def reward(self, p: int, m: int) -> int:
        q = self.to(p, m)
        return 0 if q // self.wide == p // self.wide else self.dice(p, m + 70, 5)


@dataclass(frozen=True)
class Turned(Explicit):
    """Positions say whose turn it is, and the second player's are stored as the first player's."""

    def to_move(self, p: int) -> int:
        return OVER if self.dice(p >> 1, 17, 9) == 0 else p & 1

    def turn(self, p: int) -> int:
        return p & 1

    def start(self) -> int:
        return 0

    def starts(self) -> Iterator[int]:
        for p in range(2 * self.size_):
            if p // 2 % HOLES != 6:
                yield p

    def moves(self, p: int) -> Iterator[int]:
        for k in range(self.most):
            if self.to(p >> 1, k) >= 0:
                yield k

    def play(self, p: int, m: int) -> int:
        return 2 * self.to(p >> 1, m) + 1 - (p & 1)

    def payoff(self, p: int) -> int:
        worth = self.end(p >> 1, 1)
        return -worth if p & 1 else worth

    def stratum(self, p: int) -> int:
        return (p >> 1) // self.wide

    def representative(self, p: int) -> int:
        return p & -2 if self.seed & 1 else p

    def size(self, stratum: int) -> int:
        return 2 * min(self.wide, self.size_ - stratum * self.wide)

    def rank(self, p: int) -> int:
        return -1 if (p >> 1) % HOLES == 6 else p - 2 * self.wide * self.stratum(p)

    def unrank(self, stratum: int, i: int) -> int:
        return 2 * stratum * self.wide + i

    def unmoves(self, p: int) -> Iterator[int]:
        low = (p >> 1) // self.wide * self.wide
        for q in range(low, min(low + self.wide, self.size_)):
            for k in range(self.most):
                if self.to(q, k) == p >> 1:
                    yield 2 * q + 1 - (p & 1)
                    break


@dataclass(frozen=True)
class Alone(Explicit):
    """One player, who wants to reach a position without moves."""

    players = 1
    minimise = True
    price: int = 3

    def reward(self, p: int, m: int) -> int:
        return self.price

    def payoff(self, p: int) -> int:
        return 0


class Paid(Explicit):
    """Play may end in a draw, or with a win for who is to move."""

    def payoff(self, p: int) -> int:
        return self.end(p, 1)


class Stepping(NumberMoves, Explicit):
    """Moves from number to number, found the slow way."""

    number_moves = 150

    def vacant(self, stratum: int, i: int) -> bool:
        return self.rank(self.representative(self.unrank(stratum, i))) != i

    def leads(self, stratum: int, i: int, k: int) -> int:
        """The number that move k leads to in the same stratum, or -1."""
        p = self.unrank(stratum, i)
        if self.to_move(p) == OVER:
            return -1
        for m in self.moves(p):
            q = self.play(p, m)
            if m == k and self.stratum(q) == stratum:
                return self.rank(self.representative(q))
        return -1

    def steps(self, stratum: int, i: int, out: Ints) -> int:
        n = 0
        for k in range(self.most):
            j = self.leads(stratum, i, k)
            if j >= 0:
                out[n] = j
                n += 1
        out[n] = -1  # no number of a position
        return n + 1

    def unsteps(self, stratum: int, i: int, out: Ints) -> int:
        n = 0
        for j in range(self.size(stratum)):
            found = False
            for k in range(self.most):
                found = found or self.leads(stratum, j, k) == i
            if found:
                out[n] = j
                n += 1
        return n

    def exits(self, p: int) -> Iterator[int]:
        if self.to_move(p) != OVER:
            for m in self.moves(p):
                if self.stratum(self.play(p, m)) != self.stratum(p):
                    yield m


class SteppingPaid(Stepping):
    """Play may end in any way."""

    end_payoffs = (-1, 1)

    def payoff(self, p: int) -> int:
        return self.end(p, 1)


class Overpaid(SteppingPaid):
    """Says that nobody wins."""

    end_payoffs = (-1, 0)


class SteppingTurned(Stepping, Turned):
    """Positions say whose turn it is."""


class Misstepping(Stepping):
    """Leaves out a way back."""

    def unsteps(self, stratum: int, i: int, out: Ints) -> int:
        return max(0, Stepping.unsteps(self, stratum, i, out) - 1)


def same(game: Game, folder: Path | None = None) -> None:
    by_number = solve(game, folder)
    with along(homes=(Home.MEMORY,)):
        by_key = solve(game)
    assert by_number.table.width == -1
    assert by_number.report["positions"] == by_key.report["positions"] == len(by_number)
    for p in by_key.positions():
        assert by_number.values(p) == by_key.values(p), p
    assert set(by_number.positions()) == set(by_key.positions())
    found = verify(by_number.table, game)
    assert (found.ok, found.rows) == (True, len(by_number))


@pytest.mark.parametrize("seed", range(6))
def test_outcomes_and_depths_are_those_of_other_homes(seed: int, tmp_path: Path) -> None:
    same(Explicit(seed=seed, misere=seed % 2 == 1), tmp_path / "t" if seed % 3 else None)
    same(Paid(seed=seed), tmp_path / "u" if seed % 3 else None)


@pytest.mark.parametrize(
    "kind", [Stepping, pytest.param(SteppingPaid, marks=pytest.mark.slow), SteppingTurned]
)
def test_so_are_those_of_moves_from_number_to_number(kind: type[Stepping], tmp_path: Path) -> None:
    for seed in range(4):
        same(kind(seed=seed, misere=seed % 3 == 1), tmp_path / str(seed) if seed % 2 else None)


def test_check_compares_moves_from_number_to_number() -> None:
    assert check(Stepping(size_=70)).ok
    found = check(Misstepping(size_=70)).problems
    assert "unsteps" in [each.method for each in found]


def test_other_ends_than_rules_say_are_refused() -> None:
    with pytest.raises(RulesError, match="end_payoffs"):
        solve(Overpaid(seed=1))


class Rich(Scored):
    """Scores that take two bytes in some strata."""

    def payoff(self, p: int) -> int:
        return self.end(p, 9) * (20 if p > 70 else 1)


@pytest.mark.parametrize("kind", [Forwards, Scored, Rich, Turned, Alone])
def test_so_are_those_of_other_kinds(kind: type[Explicit], tmp_path: Path) -> None:
    for seed in range(4):
        same(kind(seed=seed), tmp_path / str(seed) if seed % 2 else None)


def test_scores_are_swept_where_their_moves_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    by_bounds = [solve(kind(seed=seed)) for kind in (Scored, Rich) for seed in range(3)]
    monkeypatch.setattr(score_solver, "PER_NUMBER", 1 << 60)
    for solution in by_bounds:
        swept = solve(solution.game)
        assert [*swept.report["methods"]] == ["sweeps"]
        assert [*solution.report["methods"]] == ["score bounds"]
        assert swept.report["signature"] == solution.report["signature"]
