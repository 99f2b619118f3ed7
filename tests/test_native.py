"""Native rules: compiled as written, never stale, and refused in words about the author's own
line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from perfectplay import solve
from perfectplay.compiled.rule_fields import members as attributes
from perfectplay.compiled.rule_fields import type_name
from perfectplay.errors import RulesError
from perfectplay.positions.expand import expander
from perfectplay.rules.game import Game, replaced

RULES = """
from dataclasses import dataclass
from perfectplay import Game
from steps import bonus

MOST = 3

def largest(p, most):
    return min(p, most)

@dataclass(frozen=True)
class Heap(Game):
    heap: int = 20
    native = True

    def start(self):
        return self.heap

    def moves(self, p):
        for take in range(1, largest(p, MOST) + 1 + bonus(p)):
            yield take

    def play(self, p, take):
        return p - take
"""
STEPS = "def bonus(p):\n    return 0\n"
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from rules import Heap
from perfectplay import solve
solution = solve(Heap())
print("".join("L" if solution.value(p).outcome < 0 else "W" for p in range(13)))
"""


def lost(step: int) -> str:
    return "".join("L" if p % step == 0 else "W" for p in range(13))


def test_edited_rules_are_never_answered_from_an_old_kernel(tmp_path: Path) -> None:
    def run(rules: str, steps: str = STEPS) -> str:
        (tmp_path / "rules.py").write_text(rules)
        (tmp_path / "steps.py").write_text(steps)
        command = [sys.executable, "-B", "-c", RUN, str(tmp_path)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    assert run(RULES) == lost(4)
    assert run(RULES) == lost(4)
    assert run(RULES.replace("MOST = 3", "MOST = 4")) == lost(5)
    assert run(RULES.replace("return min(p, most)", "return min(p, most - 1)")) == lost(3)
    assert run(RULES, STEPS.replace("return 0", "return min(p, 4) - min(p, 3)")) == lost(5)


@dataclass(frozen=True)
class Tuples(Game):
    """Two heaps as a tuple position, with an array, a tuple field and a helper method."""

    heaps: tuple[int, int] = (3, 5)
    mode: str = "normal"
    native = True
    STEPS = np.array([1, 2, 9], np.int64)

    def start(self):
        return self.heaps

    def _allowed(self, heap, take):
        return take <= heap and (self.mode == "normal" or take != 2)

    def moves(self, p):
        for i in range(2):
            for j in range(len(self.STEPS)):
                if self._allowed(p[i], self.STEPS[j]):
                    yield i, self.STEPS[j]

    def play(self, p, m):
        i, take = m
        return (p[0] - take, p[1]) if i == 0 else (p[0], p[1] - take)


@pytest.mark.parametrize("mode", ["normal", "odd"])
def test_tuple_positions_arrays_strings_and_helpers(mode: str) -> None:
    game = Tuples((4, 7), mode)
    fast, slow = solve(game), solve(game, plain=True)
    assert fast.report["positions"] == slow.report["positions"] > 20
    for a in range(5):
        for b in range(8):
            assert fast.value((a, b)) == slow.value((a, b))
    assert {str(fast.value((a, 0)).outcome.name) for a in range(5)} == {"WIN", "LOSS"}


@dataclass(frozen=True)
class Broken(Game):
    native = True

    def start(self):
        return 5

    def moves(self, p):
        yield from {1, 2}

    def play(self, p, m):
        return p - m


@dataclass(frozen=True)
class Misspelt(Game):
    native = True

    def start(self):
        return 5

    def moves(self, p):
        for take in range(1, self.heep + 1):
            yield take

    def play(self, p, m):
        return p - m


def test_rules_that_do_not_compile_are_named() -> None:
    with pytest.raises(RulesError) as error:
        solve(Misspelt())
    assert "Misspelt: the rules do not compile in moves()" in error.value.message
    assert "heep" in error.value.message
    assert "--plain" in error.value.hint
    with pytest.raises(RulesError, match="Broken: the rules do not compile in moves"):
        solve(Broken())


@dataclass(frozen=True)
class OutOfBounds(Game):
    native = True
    TABLE = np.array([1, 2], np.int64)

    def start(self):
        return 5

    def moves(self, p):
        if p > 0:
            yield self.TABLE[p]

    def play(self, p, m):
        return p - m


def test_an_index_out_of_bounds_is_an_error_not_a_value() -> None:
    with pytest.raises(RulesError, match=r"IndexError at 5, line \d+ of test_native.py"):
        solve(OutOfBounds())


def test_native_and_plain_batches_agree() -> None:
    from perfectplay.games.dice.pig import Pig

    game = Pig(goal=6, players=3)
    fast, slow = expander(game), expander(game, plain=True)
    positions, _ = slow.starts()
    for _ in range(12):
        ours, twin = fast.expand(fast.keys(positions)), slow.expand(positions)
        assert [fast.position(key) for key in ours.child] == twin.child
        for name in ("kind", "payoff", "first", "stratum", "weight"):
            assert np.array_equal(getattr(ours, name), getattr(twin, name)), name
        positions = list(dict.fromkeys(twin.child))[:500]


@dataclass(frozen=True)
class OtherNames(Game):
    """The methods of other games with other parameters."""

    native = True

    def start(this):
        return 7

    def moves(this, position):
        for number in range(1, this._allowed(position) + 1):
            yield number

    def _allowed(this, heap):
        return min(heap, 2)

    def play(this, position, number):
        return position - number


def test_games_may_use_the_same_names_differently() -> None:
    for game in (Tuples(), OtherNames(), Tuples((2, 2)), OtherNames()):
        assert solve(game).report["positions"] > 5
    assert solve(OtherNames()).value(6).outcome < 0


@dataclass(frozen=True)
class Jars(Game):
    """Pour one unit from jar to jar; a player who cannot pour forward loses."""

    native = True

    def start(self):
        return (2, 1, 0)

    def moves(self, p):
        for i in range(2):
            if p[i] > 0:
                yield i

    def play(self, p, i):
        return replaced(replaced(p, i, p[i] - 1), i + 1, p[i + 1] + 1)


def test_replaced_serves_compiled_and_interpreted_rules() -> None:
    assert replaced((1, 2, 3), 1, 9) == (1, 9, 3)
    fast, slow = solve(Jars()), solve(Jars(), plain=True)
    assert fast.report["positions"] == slow.report["positions"] == 9
    assert fast.value((2, 1, 0)) == slow.value((2, 1, 0))


@dataclass(frozen=True)
class WithDict(Jars):
    def moves(self, p):
        for i in {0: 1}:
            yield i


def test_a_dict_is_refused_before_it_is_compiled() -> None:
    with pytest.raises(RulesError, match=r"in moves\(\), line \d+ .*cannot use a dict"):
        solve(WithDict())


def test_rules_of_a_file_are_compiled_apart_from_the_same_rules_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(STEPS)
    (tmp_path / "rules.py").write_text(RULES)
    (tmp_path / "copied.py").write_text(RULES)
    for name in ("rules", "copied"):
        run = RUN.replace("from rules", f"from {name}")
        command = [sys.executable, "-B", "-c", run, str(tmp_path)]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (tmp_path / f"{name}.py").unlink()
        assert found.strip() == lost(4)


def test_a_text_that_only_pictures_use_is_no_constant_of_compiled_rules() -> None:
    assert "mode" in attributes(Tuples())[1]
    assert not attributes(Named("a name"))[1]


@dataclass(frozen=True)
class Named(Game):
    """A heap with a name that the rules never look at."""

    name: str = ""
    native = True

    def start(self):
        return 3

    def moves(self, p):
        yield from range(1, p + 1)

    def play(self, p, m):
        return p - m

    def text(self, p):
        return f"{self.name} {p}"


@dataclass(frozen=True)
class Sized(Game):
    """Take some from a heap, and win with the last; the rules say that there may be more."""

    heap: int = 12
    most: int = 3
    lame: bool = False
    most_positions: int = 10
    native = True

    def start(self):
        return self.heap

    def moves(self, p):
        for take in range(2 if self.lame else 1, min(self.most, p) + 1):
            yield take

    def play(self, p, take):
        return p - take


@pytest.mark.parametrize("size", [10, 1_999_999, 2_000_000])
def test_numbers_of_large_games_are_constants_of_compiled_rules(size: int) -> None:
    """Each set of numbers has its own code then, and never that of another."""
    fixed = attributes(Sized(most_positions=size))[1]
    assert ({"most", "lame", "players"} <= set(fixed)) == (size == 2_000_000) == bool(fixed)
    for heap, most, lame in [(12, 3, False), (12, 4, False), (12, 3, True), (9, 3, True)]:
        game = Sized(heap, most, lame, size)
        fast, slow = solve(game), solve(game, plain=True)
        assert fast.table.rows == slow.table.rows
        for p in range(heap + 1):
            if p in reached(game):
                assert fast.value(p) == slow.value(p)


def reached(game: Game) -> set[int]:
    found, new = set(), {game.start()}
    while new:
        found |= new
        new = {game.play(p, m) for p in new for m in game.moves(p)} - found
    return found


def test_kernels_of_large_games_differ_by_their_numbers() -> None:
    names = {type_name(Sized(5, most, most_positions=2_000_000)) for most in (2, 3)}
    assert len(names) == 2
    assert len({type_name(Sized(5, most)) for most in (2, 3)}) == 1
