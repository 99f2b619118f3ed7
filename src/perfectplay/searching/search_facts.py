"""What a search must know of a game beforehand, since it never sees all of it, and what it reports
of a position afterwards."""

import math
import operator
import random
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from perfectplay.errors import NoSolverError, PerfectPlayError, RulesError
from perfectplay.rules.capabilities import by_turns, simultaneous
from perfectplay.rules.game import CHANCE, OVER, Game, declares
from perfectplay.rules.search_capabilities import guides
from perfectplay.rules.value import Number

PLAYS, PLIES = 3, 2000
"""How many plays look for an end, and how long each may be."""
SHORT_PLAYS, SHORT_PLIES = 20, 300
"""How many look for a position that comes again, and how long they are together."""


@dataclass(frozen=True)
class SearchFacts:
    """How a game counts, as far as it can be said beforehand."""

    pairs: bool
    """Payoffs are tuples, one number per player."""
    sum: int | None
    """The sum of such a tuple, which must be the same everywhere; None: not known yet."""
    bounded: bool
    """All values lie between -1 and 1, since payoffs are the default, nothing is earned, and
    endless play is worth no more than a win and no less than a loss."""
    whole: bool
    """Values are integers, since nothing is left to chance."""
    recurs: bool = False
    """Random play came to a position again: paths have no end of their own, so searches position
    by position deepen step by step."""

    def shown(self, stored: Number, player: int, *, minimise: bool) -> Number:
        """A stored value as the number that a player is shown."""
        if minimise:
            return -stored
        signed = -stored if player == 1 else stored
        if not self.pairs:
            return signed
        return over(signed + (self.sum or 0), 2)


@dataclass(frozen=True)
class EdgeBounds:
    """A child of a position: bounds on what going there is worth to player 0."""

    low: Number
    high: Number
    number: int
    """Which of the moves, in the order of the rules."""


@dataclass(frozen=True)
class NodeBounds:
    """What is known of a position: who moves, bounds, and its children."""

    kind: int
    low: Number
    high: Number
    edges: list[EdgeBounds]
    below: bool = False
    """Whether a table below the search knows it."""


def over(number: Number, divisor: int) -> Number:
    """The exact quotient; infinity stays what it is."""
    return number if isinstance(number, float) else Fraction(number) / divisor


def join_bounds(
    kind: int, children: Iterable[tuple[int, tuple[Number, Number]]]
) -> tuple[Number, Number]:
    """Bounds on a position by those of its children, (weight, bounds) each: the average where
    chance acts, otherwise what is best for the player who moves."""
    weights, bounds = zip(*children, strict=True)
    lows, highs = zip(*bounds, strict=True)
    if kind == CHANCE:
        low, high = (sum(map(operator.mul, weights, side)) for side in (lows, highs))
        return over(low, sum(weights)), over(high, sum(weights))
    best = max if kind == 0 else min
    return best(lows), best(highs)


def search_facts(game: Game, position: Any) -> SearchFacts:
    """What random play from a position on shows of a game."""
    if game.players > 2:
        raise NoSolverError(
            f"{type(game).__name__} has {game.players} players",
            "search is for one player or two with opposed interests; use perfectplay solve",
        )
    if simultaneous(game) is not None:
        raise NoSolverError(
            f"{type(game).__name__} has simultaneous moves",
            "search is for players who move one after the other; use perfectplay solve",
        )
    end = _end(game, position)
    payoff = game.payoff(end) if end is not None else None
    pairs = isinstance(payoff, tuple) and len(payoff) == 2
    plain = not declares(game, "payoff") and not declares(game, "reward")
    return SearchFacts(
        pairs=pairs,
        sum=int(sum(payoff)) if pairs and isinstance(payoff, tuple) else None,
        bounded=plain and game.players == 2 and abs(game.endless or 0) <= 1,
        whole=not declares(game, "chances"),
        recurs=not declares(game, "chances") and _recurs(game, position),
    )


def _recurs(game: Game, position: Any) -> bool:
    """Whether random play without chance comes to a position again."""
    dice, left = random.Random(0), SHORT_PLIES
    for _ in range(SHORT_PLAYS):
        p, seen = position, set()
        while left and p not in seen:
            seen.add(p)
            moves = [] if game.to_move(p) == OVER else list(game.moves(p))
            if not moves:
                break
            left -= 1
            p = game.play(p, dice.choice(moves))
        else:
            return left > 0
    return False


def _end(game: Game, position: Any) -> Any:
    """Some position where play has ended; None if none was met."""
    dice = random.Random(0)
    for _ in range(PLAYS):
        p = position
        for _ in range(PLIES):
            kind = game.to_move(p)
            if kind == CHANCE:
                p = dice.choice([q for _, q in game.chances(p)])
                continue
            moves = [] if kind == OVER else list(game.moves(p))
            if not moves:
                return p
            p = game.play(p, dice.choice(moves))
    return None


def stated_bounds(
    game: Game, p: Any, *, pairs: bool, total: int | None
) -> tuple[Number, Number] | None:
    """The rules' `bounds` of a representative in stored units; `total` is the sum of payoffs that
    are pairs. None if they state nothing, or that sum is not known yet."""
    guided = guides(game)
    return in_stored_units(game, guided.bounds(p) if guided else None, pairs=pairs, total=total)


def in_stored_units(
    game: Game, stated: tuple[float, ...] | None, *, pairs: bool, total: int | None
) -> tuple[Number, Number] | None:
    """Bounds as rules state them, in stored units; None as above."""
    if stated is None or (pairs and total is None):
        return None
    low, high, *rest = stated
    least, most = _whole(low), _whole(high)
    if rest:
        least, most = (over(x, int(rest[0])) for x in (least, most))
    if pairs:
        least, most = 2 * least - (total or 0), 2 * most - (total or 0)
    return (-most, -least) if game.minimise else (least, most)


def _whole(number: Any) -> Number:
    """A bound as the rules state it, as an integer or infinite."""
    return float(number) if math.isinf(number) else int(number)


class UnfitSearchError(Exception):
    """A method turned out not to serve this game; the next one is asked instead."""


def fits_turns(game: Game, position: Any, facts: SearchFacts) -> bool:
    """Whether a search by turns (searching/turns/search.py) may be tried."""
    stated = facts.bounded or declares(game, "bounds")
    fits = game.native and by_turns(game) and game.players == 2 and not game.minimise
    plain = not declares(game, "reward") and (not facts.pairs or facts.sum is not None)
    return bool(stated and fits and plain) and bool(game.anchor(position))  # type: ignore[attr-defined]


def refusal(game: Game, code: int) -> PerfectPlayError | None:
    """The error for a code that only searches return (search_stack.py)."""
    from perfectplay.searching import search_stack

    name = type(game).__name__
    errors: dict[int, PerfectPlayError] = {
        search_stack.UNEQUAL: NoSolverError(
            f"{name}: the sum of payoffs or rewards differs, so interests are not opposed",
            "search is for one player or two with opposed interests; use perfectplay solve",
        ),
        search_stack.LARGE: NoSolverError(
            f"{name}: payoffs, rewards or bounds of 2^40 or more, or weights of 2^30",
            "search with --plain (plain=True), where numbers have any size",
        ),
        search_stack.SHAPE: RulesError(
            f"{name}: payoff is a number here and a tuple there",
            "return a tuple with one integer per player everywhere",
        ),
    }
    return errors.get(code)
