"""The function that is compiled for each class of rules: it runs them over a batch of keys.

The words that depend on the types of positions (`load_key`, …) are translated by
compiled/rule_types.py when a game is compiled. A key is a row of int64 words: one for integer
positions, one per entry for tuples."""

from __future__ import annotations

from perfectplay.compiled.intrinsics import anchored, events, load_key, put_numbers, save_key

ALTERNATE, STRATA, TURNS, SYMMETRY, REWARDS, ANCHORS, RAW = 1, 2, 4, 8, 16, 32, 64


def expand(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0913, PLR0917
    rules, sample, keys, flags, kinds, payoff, first, anchor, child, stratum, swap, weight, reward
):
    """Fill the rows (kinds … anchor) and edges (child … reward) of all keys; returns the rows
    done, the columns of payoffs and of rewards, and a code of TROUBLES. Stops early when the
    edges are full.

    One body, with every array a parameter of its own: passing arrays on to functions costs more
    than most rules do. Children are written first and looked at then: each rule that is called in
    two places costs compile time twice."""
    columns = earned = 0
    room = len(child)
    k = 0
    for i in range(len(keys)):
        p = load_key(keys, i, sample)
        kind = rules.to_move(p)
        start = k
        if kind >= 0:
            if kind >= rules.players:
                return i, columns, earned, 2
            for move in rules.moves(p):
                if k == room:
                    return i, columns, earned, 0
                save_key(child, k, rules.play(p, move))
                if flags & REWARDS:
                    earned = max(earned, put_numbers(reward, k, rules.reward(p, move)))
                k += 1
        elif kind == -1:
            for w, q in events(rules, p):
                if k == room:
                    return i, columns, earned, 0
                if w <= 0:
                    return i, columns, earned, 1
                weight[k] = w
                save_key(child, k, q)
                k += 1
            if k == start:
                return i, columns, earned, 4
        elif kind != -2:
            return i, columns, earned, 2
        if k == start:
            kind = -2
            columns = max(columns, put_numbers(payoff, i, rules.payoff(p)))
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
                    return i, columns, earned, 3
        if flags & ANCHORS:
            anchor[i] = anchored(rules, p)
        kinds[i] = kind
        first[i + 1] = k
    return len(keys), columns, earned, 0


def first_keys(rules, number, end, keys, strata):  # type: ignore[no-untyped-def]
    """Fill `keys` and `strata` with representatives of the first positions from a number on; how
    many, and the number that comes next. Stops at `end`, or where there is no room."""
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
