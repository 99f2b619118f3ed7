"""check: each kind of mistake is found, and named by its method."""

from __future__ import annotations

import inspect
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import TooLargeError, load, solve
from perfectplay.games import GAMES
from perfectplay.games.dice.pig import Pig
from perfectplay.games.heaps.nim import Nim
from perfectplay.positions.growth import growing
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.verification.check import _walk, check
from perfectplay.verification.check_position import Findings
from perfectplay.verification.overflow import overflow


@dataclass(frozen=True)
class Race(Game):
    """Two players throw a coin in turn and step 0 or 1; first at `goal` wins. A sound game."""

    goal: int = 3

    def start(self):
        return (0, 0, 0, False)

    def to_move(self, p):
        if max(p[:2]) == self.goal:
            return OVER
        return CHANCE if p[3] else p[2]

    def moves(self, p):
        if max(p[:2]) < self.goal:
            yield "throw"

    def play(self, p, m):
        return (*p[:3], True)

    def chances(self, p):
        a, b, who, _ = p
        yield 1, (a, b, 1 - who, False)
        yield 1, (a + (who == 0), b + (who == 1), 1 - who, False)

    def payoff(self, p):
        return (1, 0) if p[0] == self.goal else (0, 1)

    def stratum(self, p):
        return 2 * self.goal - p[0] - p[1]


class Negative(Race):
    def chances(self, p):
        a, b, who, _ = p
        yield -1, (a, b, 1 - who, False)
        yield 2, (a + (who == 0), b + (who == 1), 1 - who, False)


class Rising(Race):
    def stratum(self, p):
        return p[0] + p[1]


class Nowhere(Race):
    def play(self, p, m):
        return None if p[0] else (*p[:3], True)


class Unparsed(Race):
    def parse(self, s):
        return (0, 0, 0, False)


class TextForgets(Race):
    def text(self, p):
        return f"{p[0]}-{p[1]} {p[3]}"


class Raises(Race):
    def payoff(self, p):
        return 1 // (p[0] - p[0])


class Halves(Race):
    def payoff(self, p):
        return 0.5


class Stranger(Race):
    def to_move(self, p):
        return 7 if p[0] == 1 else super().to_move(p)


class Remembers(Game):
    """Keeps the player to move outside the position."""

    def __init__(self) -> None:
        self.turn_now = 0

    def start(self):
        return 3

    def to_move(self, p):
        self.turn_now = 1 - self.turn_now
        return self.turn_now

    def moves(self, p):
        if p > 0:
            yield 1

    def play(self, p, m):
        return p - m


class Absolute(Game):
    """Alternate play, but payoffs are those of the first player: it forgets who is to move."""

    def start(self):
        return ""

    def moves(self, p):
        if len(p) < 4 and "aa" not in p:
            yield from "ab"

    def play(self, p, m):
        return p + m

    def payoff(self, p):
        if "aa" not in p:
            return 0
        return 1 if len(p) % 2 else -1


class Unsettled(Nim):
    def representative(self, p):
        return p ^ 1 if p else p


class WrongTwin(Race):
    """Says that players may change places, but turns nothing over."""

    def representative(self, p):
        return (min(p[:2]), max(p[:2]), *p[2:])


class Uncompiled(Race):
    native = True

    def moves(self, p):
        for name in {"throw": 1}:
            yield name


@pytest.mark.parametrize(
    ("game", "method", "words"),
    [
        (Negative(), "chances", "weight -1"),
        (Rising(), "stratum", "rises"),
        (Nowhere(), "play", "leads nowhere"),
        (Unparsed(), "parse", "round-trip"),
        (TextForgets(), "text", "for both"),
        (Raises(), "payoff", "ZeroDivisionError"),
        (Halves(), "payoff", "0.5"),
        (Stranger(), "to_move", "is 7"),
        (Remembers(), "to_move", "forgets who is to move"),
        (Absolute(), "payoff", "forget who is to move"),
        (Unsettled(), "representative", "not settled"),
        (WrongTwin(), "representative", "changes the value"),
        (Uncompiled(), "native", "do not compile"),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Game) else None,
)
def test_mistakes_are_found_and_named(game: Any, method: str, words: str) -> None:
    problems = check(game).problems
    assert any(p.method == method and words in p.message for p in problems), problems


@pytest.mark.parametrize(
    "game", [Race(), Pig(goal=5), Pig(goal=4, players=3), Nim(heaps=(1, 2, 2))]
)
def test_sound_rules_pass(game: Game) -> None:
    report = check(game)
    assert report.ok, str(report)
    assert report.complete
    assert "nothing wrong" in str(report)


# -- The same answers every time. -----------------------------------------------------------------


@dataclass(frozen=True)
class Steady(Game):
    """Take 1 or 2 counters of 30; moves are words."""

    heap: int = 30

    def start(self):
        return (self.heap, "begin")

    def moves(self, p):
        return [word for word, take in (("one", 1), ("two", 2)) if take <= p[0]]

    def play(self, p, m):
        return (p[0] - (1 if m == "one" else 2), m)


class PlaysAtRandom(Steady):
    """Sometimes takes another counter, at one position only."""

    def play(self, p, m):
        more = random.choice([0, 1]) if p == (17, "two") else 0
        return (super().play(p, m)[0] - more, m)


class PaysAtRandom(Steady):
    def payoff(self, p):
        return random.choice([-2, -1])


class EarnsAtRandom(Steady):
    def reward(self, p, m):
        return random.randrange(3)


class NumPyRandom(Steady):
    def play(self, p, m):
        return (p[0] - 1 - int(np.random.randint(2)) * (p[0] > 1), m)


DICE = random.Random(5)


class OwnDice(Steady):
    """Throws dice of its own, whose state nobody sees."""

    def play(self, p, m):
        return (max(0, p[0] - DICE.randrange(1, 9)), m)


COUNT = [0]


class Counts(Steady):
    """Keeps in the module how often it was asked, and gives another stratum after a while."""

    def stratum(self, p):
        COUNT[0] += 1
        return p[0] if COUNT[0] < 250 else 2 * p[0]


class Hashed(Steady):
    """Moves in the order of a set, which is the same only within one process."""

    def moves(self, p):
        return list({f"word {i}" for i in range(8)}) if p[0] >= 2 else []

    def play(self, p, m):
        return (p[0] - 1 - int(m[-1]) % 2, m)


class HashedPayoff(Steady):
    def payoff(self, p):
        return 1 + hash(p[1]) % 10**9


@pytest.mark.parametrize(
    ("game", "method", "words"),
    [
        (PlaysAtRandom(), "play", "draws random numbers at (17, 'two')"),
        (PaysAtRandom(), "payoff", "draws random numbers"),
        (EarnsAtRandom(), "reward", "draws random numbers"),
        (NumPyRandom(), "play", "draws random numbers"),
        (OwnDice(), "play", "asked again"),
        (Counts(), "stratum", ""),
        (Hashed(), "moves", "comes in another order in another process"),
        (HashedPayoff(), "payoff", "answers otherwise in another process"),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Game) else None,
)
def test_rules_that_answer_otherwise_another_time_are_found(
    game: Game, method: str, words: str
) -> None:
    COUNT[0] = 0
    (problem,) = check(game).problems
    assert problem.method == method
    assert words in problem.message
    assert problem.hint


def test_rules_that_always_answer_the_same_are_not_blamed() -> None:
    report = check(Steady())
    assert report.ok
    assert report.unseen == []


def test_sets_in_positions_are_no_reason_to_doubt(tmp_path: Path) -> None:
    """A frozenset is written in another order in another process, and is the same all the same."""
    (tmp_path / "sets.py").write_text(
        "from dataclasses import dataclass\n"
        "from perfectplay import Game\n\n"
        "@dataclass(frozen=True)\n"
        "class Sets(Game):\n"
        "    names: tuple[str, ...] = ('ab', 'cd', 'ef')\n\n"
        "    def start(self):\n        return frozenset(self.names)\n\n"
        "    def moves(self, p):\n        return sorted(p)\n\n"
        "    def play(self, p, m):\n        return p - {m}\n\n"
        "    def text(self, p):\n        return ' '.join(sorted(p))\n\n"
        "    def parse(self, s):\n        return frozenset(s.split())\n",
        encoding="utf-8",
    )
    report = check(load(f"{tmp_path / 'sets.py'}:Sets", {"names": ("x", "y", "z", "u")}))
    assert report.problems == []
    assert report.unseen == []


def test_what_is_used_up_in_self_shows_in_another_process(tmp_path: Path) -> None:
    """Afterwards rules answer the same again and again."""
    (tmp_path / "used.py").write_text(
        "from perfectplay import Game\n\n"
        "class Used(Game):\n"
        "    def __init__(self):\n        self.left = 5\n\n"
        "    def start(self):\n        return 0\n\n"
        "    def moves(self, p):\n        return [1] if self.left else []\n\n"
        "    def play(self, p, m):\n        self.left -= 1\n        return p + 1\n",
        encoding="utf-8",
    )
    [problem] = check(load(f"{tmp_path / 'used.py'}:Used")).problems
    assert "in another process" in problem.message
    assert "nothing kept in self" in problem.hint


def test_a_script_is_checked_in_its_own_process_and_says_so(tmp_path: Path) -> None:
    """Another process would have to run the script again."""
    (tmp_path / "script.py").write_text(
        "from dataclasses import dataclass\n"
        "from perfectplay import Game, check\n\n"
        "@dataclass(frozen=True)\n"
        "class Heap(Game):\n"
        "    def start(self):\n        return 9\n\n"
        "    def moves(self, p):\n        return [m for m in (1, 2) if m <= p]\n\n"
        "    def play(self, p, m):\n        return p - m\n\n"
        "print(check(Heap()))\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    assert ended.stdout.count("nothing wrong in all 10 positions") == 1
    assert "not looked at: the same rules in another process" in ended.stdout


# -- What looks wrong. ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Runners(Game):
    """Two runners; a position is seen by the player to move, who comes first."""

    squares: int = 6
    exchange: bool = True
    behind: int = 0

    def start(self):
        return (self.squares + self.behind, self.squares)

    def moves(self, p):
        return [m for m in (1, 2) if m <= p[0] and p[1] > 0]

    def play(self, p, m):
        mine, theirs = p
        return (theirs, mine - m) if self.exchange else (mine - m, theirs)


@dataclass(frozen=True)
class Takers(Game):
    """Boards of bits for me and you; a move to a square of yours takes it."""

    exchange: bool = True

    def start(self):
        return (0b1, 0b1110)

    def moves(self, p):
        return [i for i in range(7) if not p[0] >> i & 1]

    def play(self, p, m):
        mine, theirs = p[0] | 1 << m, p[1] & ~(1 << m)
        return (theirs, mine) if self.exchange else (mine, theirs)


EXCHANGED = "no entry of a position ever changes places"


@pytest.mark.parametrize("kind", [Runners, partial(Runners, behind=3), Takers])
def test_sides_that_are_never_exchanged_are_warned_of(kind: Any) -> None:
    (warning,) = warnings_of(kind(exchange=False))
    assert warning.message == f"{EXCHANGED}: does `play` exchange mine and theirs?"
    assert warnings_of(kind()) == []


def test_a_warning_is_no_problem() -> None:
    report = check(Runners(exchange=False))
    assert report.ok
    assert f"warning: play: {EXCHANGED}" in str(report)


QUICK = set(GAMES) - {
    "chess",
    "pawn-endings",
    "cube",
    "rubik",
    "thoughtful-klondike",
    "mastermind",
    "bulls-and-cows",
    "darts",
}
"""Games whose interpreted rules are not slow."""


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in GAMES
])  # fmt: skip
def test_games_of_the_package_are_not_warned_of(name: str) -> None:
    assert warnings_of(load(name)) == []


def warnings_of(game: Game) -> list[Any]:
    """The warnings of `check` about entries: nothing is compiled, solved or asked again."""
    finder = Findings(game)
    plies: dict[Any, int] = {}
    assert _walk(finder, 200, plies) or len(plies) > 200
    finder.whole(plies)
    return finder.warnings


@dataclass(frozen=True)
class Walk(Game):
    """A walk on a ring that counts its steps, though nobody asked."""

    counted: str = "steps"

    players = 1

    def start(self):
        return (0, 0)

    def moves(self, p):
        return [1, 4]

    def play(self, p, m):
        more = {"steps": 1, "squares": m, "rounds": int(p[0] + m >= 5), "nothing": 0}[self.counted]
        return ((p[0] + m) % 5, p[1] + more)


@pytest.mark.parametrize(
    ("counted", "words"),
    [
        ("steps", "entry 1 of the positions grows by 1 at every move: positions never repeat"),
        ("squares", "entry 1 of the positions grows at every move: positions never repeat"),
        ("rounds", "entry 1 of the positions never falls, and was"),
    ],
)
def test_numbers_that_grow_without_limit_are_named(counted: str, words: str) -> None:
    assert words in growing(Walk(counted))


def test_a_warning_names_the_number_that_grows() -> None:
    (warning,) = check(Walk(), limit=300, plays=3).warnings
    assert warning.message == growing(Walk())
    assert growing(Walk("nothing")) == ""
    assert growing(Runners()) == ""


def test_a_refusal_names_the_number_that_grows() -> None:
    with pytest.raises(TooLargeError) as caught:
        solve(Walk(), memory=2_000_000)
    assert "entry 1 of the positions grows by 1 at every move" in caught.value.hint


class Squares(Steady):
    """Squares what is left again and again, which 64 bits do not hold, and takes the rest."""

    def play(self, p, m):
        wide = (p[0] + 2) ** 20
        return (p[0] - 1 - wide % 2, m) if p[0] > 1 else (0, m)


def test_the_line_in_which_a_number_outgrows_64_bits_is_named() -> None:
    line = inspect.getsource(Squares.play).splitlines()[1].strip()
    number = inspect.getsourcelines(Squares.play)[1] + 1
    where = f"wide is {11**20}, line {number} of test_check.py ({line})"
    assert overflow(Squares(), (9, "one")) == where
    assert overflow(Steady(), (9, "one")) == ""


def test_a_sample_says_how_many_there_are_at_least_and_what_was_not_seen() -> None:
    report = check(Nim(heaps=(9, 9, 9, 9)), limit=200, plays=2)
    assert report.ok
    assert not report.complete
    assert report.positions < report.at_least
    words = f"nothing wrong in {report.positions:,} positions out of {report.at_least:,} or more"
    assert words in str(report)
    assert "not looked at: the other positions" in str(report)
    assert any("representative" in each for each in report.unseen)
    assert report.as_json()["at_least"] == report.at_least
