"""The figures of a study from their definitions, in fractions: all positions one by one, chains by
Gaussian elimination, the worst player by trying every policy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from perfectplay import CHANCE, OVER, Game

Chain = dict[Any, list[tuple[Fraction, Any]]]
Mixed = Callable[[Any], dict[Any, Fraction]]
"""A policy: for a position its moves with their probabilities."""


def mover(game: Game, p: Any) -> int:
    """Who moves; who has no move left has ended play."""
    player = game.to_move(p)
    return OVER if player >= 0 and not [*game.moves(p)] else player


def always(move: Callable[[Any], Any]) -> Mixed:
    return lambda p: {move(p): Fraction(1)}


def at_random(game: Game) -> Mixed:
    def policy(p: Any) -> dict[Any, Fraction]:
        moves = list(game.moves(p))
        return dict.fromkeys(moves, Fraction(1, len(moves)))

    return policy


def chain(game: Game, policies: tuple[Mixed, ...], start: Any) -> Chain:
    """What follows each position that can arise, with probabilities; nothing where play ends."""
    found: Chain = {}
    queue = [start]
    for p in queue:
        if p not in found:
            found[p] = list(_next(game, policies, p))
            queue += [q for _, q in found[p]]
    return found


def _next(game: Game, policies: tuple[Mixed, ...], p: Any) -> Iterator[tuple[Fraction, Any]]:
    who = mover(game, p)
    if who == CHANCE:
        events = list(game.chances(p))
        total = sum(weight for weight, _ in events)
        yield from ((Fraction(weight, total), q) for weight, q in events)
    elif who != OVER:
        for m, share in policies[who](p).items():
            yield share, game.play(p, m)


def ending(found: Chain) -> set[Any]:
    """Positions from which play can end."""
    good = {p for p, after in found.items() if not after}
    while True:
        more = {p for p, after in found.items() if any(q in good for _, q in after)} - good
        if not more:
            return good
        good |= more


def collected(found: Chain, pay: Callable[[Any], Fraction]) -> dict[Any, Fraction]:
    """What play collects on average from each position, if pay(p) is paid where it comes by; play
    that cannot end any more gets nothing more."""
    good = sorted(ending(found), key=repr)
    place = {p: i for i, p in enumerate(good)}
    rows = []
    for p in good:
        row = [Fraction(0)] * (len(good) + 1)
        row[place[p]] += 1
        for share, q in found[p]:
            if q in place:
                row[place[q]] -= share
        row[-1] = pay(p)
        rows.append(row)
    solved = dict(zip(good, eliminated(rows), strict=True))
    return {p: solved.get(p, Fraction(0)) for p in found}


def eliminated(rows: list[list[Fraction]]) -> list[Fraction]:
    """The solution of linear equations."""
    n = len(rows)
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def worth(game: Game, policies: tuple[Mixed, ...], start: Any, player: int) -> dict[Any, Fraction]:
    """What every position is worth to a player; endless play is worth nothing."""
    found = chain(game, policies, start)

    def pay(p: Any) -> Fraction:
        who = mover(game, p)
        if who == OVER:
            return to(game.payoff(p), player, 0)
        if who == CHANCE:
            return Fraction(0)
        earned = policies[who](p).items()
        return sum((s * to(game.reward(p, m), player, who) for m, s in earned), Fraction(0))

    return collected(found, pay)


def to(paid: Any, player: int, owner: int) -> Fraction:
    if isinstance(paid, tuple):
        return Fraction(paid[player])
    return Fraction(paid if player == owner else -paid)


def greedy(game: Game, start: Any) -> Mixed:
    """The first move after which random play brings most."""
    everything = (at_random(game),) * game.players
    after = [worth(game, everything, start, i) for i in range(game.players)]
    sign = -1 if game.minimise else 1

    def move(p: Any) -> Any:
        who = mover(game, p)
        return max(
            game.moves(p),
            key=lambda m: sign * (to(game.reward(p, m), who, who)
                                  + after[who][game.play(p, m)]),
        )  # fmt: skip

    return always(move)


def worst(game: Game, best: Mixed, start: Any, player: int) -> Fraction:
    """The least that a player can get against `best`, by trying all policies."""
    free = [p for p in chain(game, (at_random(game),) * game.players, start)
            if mover(game, p) == player]  # fmt: skip
    sign = -1 if game.minimise else 1
    least = []
    for moves in itertools.product(*(list(game.moves(p)) for p in free)):
        chosen = dict(zip(free, moves, strict=True))
        policies = [best] * game.players
        policies[player] = always(chosen.__getitem__)
        least.append(sign * worth(game, tuple(policies), start, player)[start])
    return sign * min(least)


def lengths(
    game: Game, found: Chain, start: Any, counted: Callable[[Any], bool], most: int
) -> list[Fraction]:
    """The probabilities that exactly 0, 1, …, most - 1 counted positions are met."""
    ended = [Fraction(0)] * most
    waiting = {(start, 0): Fraction(1)}
    while waiting:
        after: dict[tuple[Any, int], Fraction] = {}
        for (p, k), share in waiting.items():
            if k >= most:
                continue
            if not found[p]:
                ended[k] += share
            for part, q in found[p]:
                at = q, k + counted(p)
                after[at] = after.get(at, Fraction(0)) + share * part
        waiting = after
    return ended
