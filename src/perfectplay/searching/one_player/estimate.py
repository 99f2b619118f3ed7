"""Lower bounds on the least cost from a position: from pattern databases if rules declare
abstractions, else from their `bounds`. Compiled for each game."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Bytes, Ints
from perfectplay.searching.one_player.stubs import (
    blurs_of,
    least_cost,
    looked_up,
    others,
)

DEAD = 2**30
"""A cost that stands for: no goal can be reached."""
UNREACHED = 255
"""The same in a database."""
EMPTY = 254
"""A free row of a hash table."""
LARGEST = 253
"""The largest cost in a database; larger ones are kept as this, which bounds them."""


class Databases(NamedTuple):
    """Pattern databases, one behind the other."""

    cost: Bytes
    """uint8[n]: the least cost of each blurred position."""
    first: Ints
    """int64[blurs + 1]: where each begins."""
    group: Ints
    """int64[blurs]: the group whose costs are added, -1 for none."""
    keys: Ints
    """int64[n, width]: the blurred positions, where rules have no index for them: each database is
    then a hash table of a power of two rows."""


def database_bound(rules: Any, p: Any, databases: Databases) -> int:
    """The lower bound that the databases give for `p` itself."""
    best, total = 0, 0
    for k in range(blurs_of(rules)):
        cost = looked_up(rules, p, k, databases)
        if cost == UNREACHED:
            return DEAD
        group = databases.group[k]
        if group < 0 or k == 0 or group != databases.group[k - 1]:
            total = 0
        total += cost
        best = max(best, total)
    return best


def estimate(rules: Any, p: Any, databases: Databases) -> int:
    """A lower bound on the least cost from `p`, from `p` alone."""
    if blurs_of(rules) > 0:
        return database_bound(rules, p, databases)
    return least_cost(rules, p)


def widest(rules: Any, p: Any, databases: Databases) -> int:
    """The same, from positions of equal cost, too."""
    best = estimate(rules, p, databases)
    for q in others(rules, p):
        best = max(best, estimate(rules, q, databases))
    return best


FUNCTIONS = (database_bound, estimate, widest)
