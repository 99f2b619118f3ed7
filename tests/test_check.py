"""check: each kind of mistake is found, and named by its method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from perfectplay.games.dice.pig import Pig
from perfectplay.games.heaps.nim import Nim
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.verification.check import check


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
