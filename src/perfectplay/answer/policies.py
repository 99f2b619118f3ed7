"""Policies: what a function that somebody wrote does at a position, as legal moves with weights.

A policy is a function `policy(game, p)` that returns a move, or several as {move: weight}: each is
then made with a probability in proportion to its weight. Weights are positive integers or
Fractions, as exact as those of `chances`, so that what a policy is worth can be exact too."""

import math
import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any

from perfectplay.answer.solution import Solution
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.rules.game import CHANCE, Game

Policy = Callable[[Any, Any], Any]
HEAVIEST = 2**53
"""Weights of a position, as integers, add up to less: solvers count with them as floats, too."""


def random(game: Game, p: Any) -> dict[Any, int]:
    """Every legal move with the same weight."""
    return dict.fromkeys(game.moves(p), 1)


NAMED: dict[str, Policy] = {"random": random}
"""The policies that are called by a word."""


def policy_name(policy: Policy) -> str:
    """What a policy is called in messages."""
    return str(getattr(policy, "__name__", None) or type(policy).__name__)


def choices(game: Game, policy: Policy, p: Any) -> list[tuple[int, int]]:
    """The numbers of the legal moves at `p` that the policy makes, ascending, with their weights:
    integers without a common factor. UsageError if it makes none, or one that is not legal."""
    try:
        return _choices(game, policy, p)
    except PerfectPlayError:
        raise
    except Exception as error:
        raise _failed(game, policy, p, error) from error


def _choices(game: Game, policy: Policy, p: Any) -> list[tuple[int, int]]:
    made = policy(game, p)
    moves = list(game.moves(p))
    number = _number(moves, made)
    if number is not None:
        return [(number, 1)]
    if isinstance(made, Mapping):
        return _whole(game, policy, p, _weights(game, policy, p, moves, made))
    if made is None:
        raise UsageError(
            f"the policy {policy_name(policy)} returns None at {game.text(p)}",
            "a function without return gives None: return one of the moves of game.moves(p)",
        )
    raise _illegal(game, policy, p, moves, made)


def _number(moves: list[Any], move: Any) -> int | None:
    """Which of the legal moves a move is; None if it is none of them."""
    for number, each in enumerate(moves):
        if type(each) is type(move) and each == move:
            return number
    for number, each in enumerate(moves):
        if each == move:  # say, a NumPy integer
            return number
    return None


def _weights(
    game: Game, policy: Policy, p: Any, moves: list[Any], made: Mapping[Any, Any]
) -> dict[int, Fraction]:
    """The weights that a policy gives to moves, by number."""
    if not made:
        raise UsageError(
            f"the policy {policy_name(policy)} names no move at {game.text(p)}",
            "return one of the moves of game.moves(p), or at least one with its weight",
        )
    known = {move: number for number, move in reversed([*enumerate(moves)])}
    found = {}
    for move, weight in made.items():
        number = known.get(move)
        if number is None:
            raise _illegal(game, policy, p, moves, move)
        if not isinstance(weight, Rational) or weight <= 0:
            raise UsageError(
                f"the policy {policy_name(policy)} gives the move {move!r} at {game.text(p)} "
                f"the weight {weight!r}",
                "weights are positive integers or Fractions; leave out moves that are never made",
            )
        found[number] = Fraction(int(weight.numerator), int(weight.denominator))
    return found


def _whole(
    game: Game, policy: Policy, p: Any, weights: dict[int, Fraction]
) -> list[tuple[int, int]]:
    """The same weights as integers without a common factor, by ascending number."""
    scale = math.lcm(*(weight.denominator for weight in weights.values()))
    scaled = {number: int(weight * scale) for number, weight in sorted(weights.items())}
    common = math.gcd(*scaled.values())
    if sum(scaled.values()) // common >= HEAVIEST:
        raise UsageError(
            f"the weights of the policy {policy_name(policy)} at {game.text(p)} are too fine",
            "as integers without a common factor they must add up to less than 2^53",
        )
    return [(number, weight // common) for number, weight in scaled.items()]


def _illegal(game: Game, policy: Policy, p: Any, moves: list[Any], move: Any) -> UsageError:
    legal = ", ".join(repr(each) for each in moves[:8]) + (", …" if len(moves) > 8 else "")
    return UsageError(
        f"the policy {policy_name(policy)} makes the move {move!r} at {game.text(p)}, "
        "which is not legal there",
        f"legal are {legal}",
    )


def _failed(game: Game, policy: Policy, p: Any, error: Exception) -> UsageError:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"line {last.lineno} of {os.path.basename(last.filename)}"
    return UsageError(
        f"the policy {policy_name(policy)} fails at {game.text(p)}: "
        f"{type(error).__name__}: {error} ({where})",
        "a policy must have a move for every position that can arise while it is followed",
    )


# -- Symmetry. ------------------------------------------------------------------------------------


def uneven(solution: Solution, policy: Policy, positions: Iterable[Any]) -> tuple[Any, Any] | None:
    """A position that a policy treats otherwise than its representative, and that; None if there
    is none among those that may follow `positions`."""
    game = solution.game
    for p in positions:
        for after in _followers(game, p):
            q = game.representative(after)
            if after != q and solution.to_move(after) >= 0 and _differs(game, policy, after, q):
                return after, q
    return None


def _followers(game: Game, p: Any) -> Iterator[Any]:
    """Positions that follow, before they are replaced by representatives; chance is passed."""
    for m in game.moves(p):
        q = game.play(p, m)
        if game.to_move(q) == CHANCE:
            yield from (each for _, each in game.chances(q))
        else:
            yield q


def _differs(game: Game, policy: Policy, p: Any, q: Any) -> bool:
    """Whether a policy does something else at `p` than at its representative `q`."""
    try:
        expected = _leads_to(game, policy, q)
    except PerfectPlayError:
        return False  # there the policy need not know a move
    try:
        return _leads_to(game, policy, p) != expected
    except PerfectPlayError:
        return True


def _leads_to(game: Game, policy: Policy, p: Any) -> dict[Any, Fraction]:
    """The representatives that may follow if a policy moves at `p`, with their probabilities."""
    made = choices(game, policy, p)
    moves, total = list(game.moves(p)), sum(weight for _, weight in made)
    found: dict[Any, Fraction] = {}
    for number, weight in made:
        q = game.representative(game.play(p, moves[number]))
        found[q] = found.get(q, Fraction()) + Fraction(weight, total)
    return found
