"""Lower bounds on the least cost from a position: from pattern databases if rules declare
abstractions, else from their `bounds`. Compiled for each game."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.searching.one_player.stubs import (
    blurs_of,
    counting,
    group_at,
    least_cost,
    looked_up,
    others,
    spared_by,
)

DEAD = 2**30
"""A cost that stands for: no goal can be reached."""
UNREACHED = 255
"""The same in a database."""
EMPTY = 254
"""A free row of a hash table."""
LARGEST = 253
"""The largest cost in a database; larger ones are kept as this, which bounds them."""


UNREACHED_HALF, LARGEST_HALF = 15, 14
"""Both, where two costs share a byte."""


class Databases(NamedTuple):
    """Pattern databases, one behind the other."""

    cost: Bytes
    """uint8[n]: the least cost of each blurred position; of two, the first in the lower half, for
    rules with `blur_at`."""
    first: Ints
    """int64[blurs + 1]: where each begins, or where the one begins that serves for it."""
    group: Ints
    """int64[blurs]: the group whose costs are added, -1 for none."""
    keys: Ints
    """int64[n, width]: the blurred positions, where rules have no index for them: each database is
    then a hash table of a power of two rows."""

    def carried(self) -> bool:
        """Whether searches of steady rules may carry costs along: all are in one group, and fit in
        a word."""
        return len(self.group) <= PACKED and not self.group.any()


LARGE = 1 << 25
"""Half bytes of databases that the caches of a processor do not hold."""


class HalfBytes(NamedTuple):
    """Where databases of half bytes lie: all that searches hand on, since to count references to
    arrays would take longer than to read them."""

    cost: int
    first: int
    group: int
    most: int
    """Half bytes."""


def database_bound(rules: Any, p: Any, databases: Any, enough: int) -> int:
    """The lower bound that the databases give for `p` itself, or some bound above `enough`."""
    best, total, least = 0, 0, DEAD
    for k in range(blurs_of(rules)):
        group = group_at(databases, k)
        if group < 0 or k == 0 or group != group_at(databases, k - 1):
            if best > enough:
                return best
            total = 0
        cost = looked_up(rules, p, k, databases)
        if cost == UNREACHED:
            return DEAD
        total += cost
        best, least = max(best, total), min(least, total)
    if spared_by(rules) > 0 and least > 0:
        best = max(best, least + spared_by(rules))
    return best


def estimate(rules: Any, p: Any, databases: Any, enough: int) -> int:
    """A lower bound on the least cost from `p`, from `p` alone; no better one than is `enough`."""
    if blurs_of(rules) > 0:
        return database_bound(rules, p, databases, enough)
    return least_cost(rules, p)


def widest(rules: Any, p: Any, databases: Any, enough: int) -> int:
    """The same, from positions of equal cost, too."""
    best = estimate(rules, p, databases, enough)
    for q in others(rules, p):
        if best > enough:
            break
        best = max(best, estimate(rules, q, databases, enough))
    return best


PACKED = 7
"""Costs that fit in a word side by side."""


def one_by_one(rules: Any, p: Any, databases: Any) -> int:
    """The costs from all databases, side by side, a byte each: for steady rules (`is_steady`)
    whose abstractions are all in one group."""
    known = 0
    for k in range(blurs_of(rules)):
        known |= looked_up(rules, p, k, databases) << (8 * k)
    return known


def after_move(rules: Any, p: Any, m: Any, child: Any, databases: Any, known: int) -> int:
    """Those costs from what a move at `p` leads to: only one of them is another."""
    k = counting(rules, p, m)
    if k < 0:
        return known
    return known & ~(255 << (8 * k)) | looked_up(rules, child, k, databases) << (8 * k)


def added_up(known: int) -> int:
    """The sum of such costs; DEAD if one of them is none."""
    total = 0
    while known:
        if known & 255 == UNREACHED:
            return DEAD
        total += known & 255
        known >>= 8
    return total


FUNCTIONS = (database_bound, estimate, widest)
CARRIED = (*FUNCTIONS, one_by_one, after_move, added_up)
