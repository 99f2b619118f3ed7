"""The functions that are compiled for each class of rules: they run them over batches of keys.

What depends on the types of positions (`load_key`, …) are stubs, which compiled/rule_types.py
implements when a game is compiled. A key is a row of int64 words: one for integer positions, one
per entry for tuples."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Bytes, Ints, Kinds
from perfectplay.compiled.intrinsics import anchored, events, load_key, put_numbers, save_key
from perfectplay.positions.codes import (
    ANCHORS,
    BAD_MOVER,
    BAD_WEIGHT,
    FINE,
    NO_EVENT,
    RAW,
    RENAMED,
    REWARDS,
    STRATA,
    SYMMETRY,
    TURNS,
)
from perfectplay.rules.game import CHANCE, OVER


class BatchRows(NamedTuple):
    """Room for the rows of a batch (batch.py)."""

    kind: Kinds
    payoff: Ints
    first: Ints
    anchor: Bytes


class BatchEdges(NamedTuple):
    """Room for the edges of a batch (batch.py); what the game does not have has length 1."""

    child: Ints
    stratum: Ints
    swap: Bytes
    weight: Ints
    reward: Ints


def expand(  # noqa: C901, PLR0912
    rules: Any, sample: Any, keys: Ints, flags: int, rows: BatchRows, edges: BatchEdges
) -> tuple[int, int, int, int]:
    """Fill the rows and edges of all keys: (rows done, columns of payoffs, columns of rewards, a
    code). Stops early, with the code FINE, when the edges are full.

    One body, because passing arrays on to functions costs more than most rules do. Children are
    written first and examined then: a rule that is called in two places is compiled twice."""
    kinds, payoff, first, anchor = rows
    child, stratum, swap, weight, reward = edges
    columns = earned = 0
    k = 0
    for i in range(len(keys)):
        # 1. Edges start … k - 1: the children as the rules give them.
        p = load_key(keys, i, sample)
        kind = rules.to_move(p)
        if kind < OVER or kind >= rules.players:
            return i, columns, earned, BAD_MOVER
        start = k
        if kind >= 0:
            for move in rules.moves(p):
                if k == len(child):
                    return i, columns, earned, FINE
                save_key(child, k, rules.play(p, move))
                if flags & REWARDS:
                    earned = max(earned, put_numbers(reward, k, rules.reward(p, move)))
                k += 1
        elif kind == CHANCE:
            for w, q in events(rules, p):
                if k == len(child) or w <= 0:
                    return i, columns, earned, FINE if k == len(child) else BAD_WEIGHT
                weight[k] = w
                save_key(child, k, q)
                k += 1
            if k == start:
                return i, columns, earned, NO_EVENT
        # 2. A position without children is terminal.
        if k == start:
            kind = OVER
            columns = max(columns, put_numbers(payoff, i, rules.payoff(p)))
        # 3. Each child becomes its representative.
        if not flags & RAW:
            for j in range(start, k):
                q = load_key(child, j, sample)
                r = rules.representative(q)
                save_key(child, j, r)
                if flags & STRATA:
                    stratum[j] = rules.stratum(r)
                if flags & TURNS:
                    swap[j] = (rules.turn(q) - rules.turn(r)) % rules.players
                elif flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
                    return i, columns, earned, RENAMED
        # 4. The row itself; only now does it count as done.
        if flags & ANCHORS:
            anchor[i] = anchored(rules, p)
        kinds[i] = kind
        first[i + 1] = k
    return len(keys), columns, earned, FINE


def first_keys(rules: Any, number: int, end: int, keys: Ints, strata: Ints) -> tuple[int, int]:
    """Fill `keys` and `strata` with representatives of the first positions from a number on: (how
    many, the number that comes next). Stops at `end`, or where there is no room."""
    k = 0
    while number < end:
        begin = k
        for p in rules.starts_of(number):
            if k == len(keys):
                return begin, number
            r = rules.representative(p)
            save_key(keys, k, r)
            strata[k] = rules.stratum(r)
            k += 1
        number += 1
    return k, number
