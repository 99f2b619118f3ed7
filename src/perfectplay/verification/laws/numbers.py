"""Check the numbers of positions (`Indexed`), moves backwards (`BackwardMoves`) and moves
from number to number (`NumberMoves`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from perfectplay.errors import PerfectPlayError
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.rules.capabilities import backward, indexed, number_moves
from perfectplay.rules.game import OVER
from perfectplay.verification.check_position import Findings

MANY = 3000
"""Numbers of a stratum that are tried."""
SOME = 500
"""Positions whose moves are tried backwards."""
STEPS = 300
"""Numbers of a stratum whose moves from number to number are tried."""


def check_numbers(game: Any, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Every position must have a number that leads back to it, and no other position may have it;
    moves backwards must lead back to every position that a move leads from."""
    if indexed(game) is None:
        return
    try:
        numbering = Numbering(game)
        found = next(_wrong(game, numbering, positions), None)
        if found is None and backward(game) is not None:
            found = next(_one_way(game, numbering, positions[:: 1 + len(positions) // SOME]), None)
        if found is None and number_moves(game):
            found = next(_other_steps(game, numbering), None)
        if found is None and complete:
            found = next(_other_values(game, positions), None)
        if found is not None:
            finder.add(*found)
    except PerfectPlayError as error:
        finder.add("rank", error.message, error.hint)


Wrong = tuple[str, str, str]
"""Method, what is wrong, a hint."""


def _wrong(game: Any, numbering: Numbering, positions: list[Any]) -> Iterator[Wrong]:
    for p in positions:
        place = numbering.rank(p)
        if place is None:
            q = game.representative(p)
            yield (
                "rank",
                f"{game.text(p)} has number {game.rank(q)} of stratum {game.stratum(q)}, which "
                f"has {numbering.sizes.get(game.stratum(q), 0)} numbers",
                "rank(p) must lie in 0 … size(stratum) - 1, for strata of numbered_strata()",
            )
        elif numbering.position(*place) is None:
            yield (
                "unrank",
                f"{game.text(p)} has number {place[1]} of stratum {place[0]}, but unrank gives "
                f"{game.text(game.unrank(*place))}",
                "unrank(stratum, rank(p)) must be p, or a position that shares its number",
            )
    for stratum, size in numbering.strata:
        for number in range(0, size, 1 + size // MANY):
            p = numbering.position(stratum, number)
            for child in () if p is None else _children(game, p):
                place = numbering.rank(child)
                if place is None or numbering.position(*place) is None:
                    yield (
                        "rank",
                        f"{game.text(child)} follows {game.text(p)}, number {number} of stratum "
                        f"{stratum}, but has no number",
                        "all that moves lead to from positions with numbers must have numbers, "
                        "also where no play comes; or let rank(p) be -1 there",
                    )


def _children(game: Any, p: Any) -> Iterator[Any]:
    yield from (game.play(p, m) for m in _moves(game, p))


def _one_way(game: Any, numbering: Numbering, positions: list[Any]) -> Iterator[Wrong]:
    for p in positions:
        here = numbering.rank(p)
        for child in _children(game, p):
            place = numbering.rank(child)
            if here is None or place is None or place[0] != here[0]:
                continue
            back = (game.representative(q) for q in game.unmoves(numbering.position(*place)))
            if all((game.stratum(q), game.rank(q)) != here for q in back):
                yield (
                    "unmoves",
                    f"{game.text(child)} follows {game.text(p)}, but no move backwards leads from "
                    "it to there",
                    "yield all positions of the same stratum from which a move may lead to p; "
                    "others do no harm",
                )


def _other_steps(game: Any, numbering: Numbering) -> Iterator[Wrong]:
    """Where moves from number to number are not those of positions."""
    for stratum, size in numbering.strata:
        for number in range(0, size, 1 + size // STEPS):
            p = numbering.position(stratum, number)
            name = f"number {number} of stratum {stratum}"
            if game.vacant(stratum, number) != (p is None):
                yield "vacant", f"is wrong for {name}", "it must say whether a number is a hole"
            if p is None:
                continue
            children = [(m, game.play(p, m)) for m in _moves(game, p)]
            leaving = [m for m, child in children if numbering.rank(child)[0] != stratum]  # type: ignore[index]
            inside = {numbering.rank(c)[1] for m, c in children if m not in leaving}  # type: ignore[index]
            if sorted(leaving) != sorted(game.exits(p)):
                yield (
                    "exits",
                    f"gives other moves at {game.text(p)} than those that leave the stratum",
                    "yield just the moves that leave the stratum, each once",
                )
            if _filled(game, game.steps, stratum, number) != inside:
                yield (
                    "steps",
                    f"gives other numbers for {name}, {game.text(p)}, than children inside have",
                    "write the numbers of all children in the same stratum, or of holes",
                )
            for child in inside:
                if number not in _filled(game, game.unsteps, stratum, child):
                    yield (
                        "unsteps",
                        f"does not lead from number {child} of stratum {stratum} back to {name}",
                        "write the numbers of all positions with that child",
                    )
            for parent in _filled(game, game.unsteps, stratum, number):
                if number not in _filled(game, game.steps, stratum, parent):
                    yield (
                        "unsteps",
                        f"leads from {name} to number {parent}, which has no such child",
                        "write no numbers but of positions with that child, and of holes",
                    )


def _filled(game: Any, write: Any, stratum: int, number: int) -> set[int]:
    """What `steps` or `unsteps` write, without holes."""
    out = np.empty(number_moves(game), np.int64)
    some = out[: write(stratum, number, out)].tolist()
    return {i for i in some if i >= 0 and not game.vacant(stratum, i)}


def _moves(game: Any, p: Any) -> Iterator[Any]:
    if game.to_move(p) != OVER:
        yield from game.moves(p)


def _other_values(game: Any, positions: list[Any]) -> Iterator[Wrong]:
    from perfectplay.answer.solve import solve

    by_number, by_key = solve(game, workers=1), solve(game, plain=True, workers=1)
    for p in positions:
        a, b = by_number.values(p), by_key.values(p)
        if a != b:
            yield (
                "rank",
                f"changes the value of {game.text(p)}: {a[0]} by number, {b[0]} by key",
                "positions with one number must be worth the same",
            )
