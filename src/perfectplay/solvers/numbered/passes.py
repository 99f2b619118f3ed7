"""The kernels that solve strata with numbers: they call the rules, and write values in place.

`AllValues` has the values of all strata, `Place` says what is being done. In the kernels
`known` is the stratum, other than their own, that a move led to last, since the next one mostly
leads there, too.

All codes that are written while code c is looked at are larger than c, and all that is asked is
which codes are at most c: so threads may share a stratum, and a pass may be repeated."""

from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.intrinsics import load_key, parents, put_numbers, save_key
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.numbered.codes import (
    A_HOLE,
    BACKWARD,
    BAD_RANK,
    DEEP,
    EARNS,
    FINE,
    FIRST,
    LARGE,
    PAIRS,
    TOP_CODES,
    TWICE,
    UNEVEN,
    UNUSUAL,
)

SPREAD = 2654435761
"""Spreads numbers over the places where they are remembered (Fibonacci hashing)."""
RUN = 4096
"""Values that are looked through at once."""


class AllValues(NamedTuple):
    """Values by number, stratum after stratum."""

    value: Array
    strata: Ints
    """The strata, lowest first."""
    base: Ints
    """Where the values of each begin, and behind the last where they end."""


class Place(NamedTuple):
    """What a pass works on."""

    at: int
    """Which of the strata."""
    mode: int
    code: int
    """The code that was reached: parents of positions with this code are looked at."""
    lost: int
    won: int
    up: int
    top: int
    """The coding (codes.py); with scores `top` is what stands for a hole."""
    alone: bool
    """One player, who wants the end of play as soon as possible."""
    unit: int
    """What each move of one player costs."""
    absolute: bool
    """Positions say whose turn it is, which must change with every move."""


# -- Which positions to look at. ------------------------------------------------------------------


@kernel
def frontier(value: Array, begin: int, code: int, rows: Ints) -> int:
    """Fill `rows` with the numbers, from `begin` on, that have a code; how many there are. Most
    runs of values have none."""
    found = 0
    for low in range(0, len(value), RUN):
        high = min(low + RUN, len(value))
        hits = 0
        for i in range(low, high):
            hits += value[i] == code
        if hits == 0:
            continue
        for i in range(low, high):
            if value[i] == code:
                rows[found] = begin + i
                found += 1
    return found


@kernel
def unsettled(value: Array, begin: int, code: int, top: int, rows: Ints) -> int:
    """Fill `rows` with the numbers, from `begin` on, that may still get a code up to this one;
    how many there are."""
    found = 0
    for i in range(len(value)):
        v = value[i]
        if v == 0 or v == top - 1 or (v > code and v < top - 2):
            rows[found] = begin + i
            found += 1
    return found


@inlined
def ranked(rules: Any, p: Any) -> Any:
    """What is asked for the number of a position."""
    return p if rules.any_image() else rules.representative(p)


@inlined
def _may_get(old: Any, code: Any, gains: Any, place: Any) -> Any:
    """Whether a position with a code may be decided by children that have another."""
    if gains:
        return old == 0 or old == place.top - 1 or (old > code + place.up and old < place.top - 2)
    return old == 0


def candidates(
    rules: Any,
    sample: Any,
    values: AllValues,
    place: Place,
    rows: Ints,
    found_at: tuple[Ints, Ints],
    seen: Ints,
) -> tuple[int, int]:
    """Fill `found_at`, keys and numbers, with positions from which moves may lead to those in
    `rows`, and which these may decide: (rows done, positions found). Ends where there is no more
    room. `seen` remembers some numbers that were found for this code, so that most are found once;
    its length is a power of 2."""
    keys, numbers = found_at
    value, strata, bases = values.value, values.strata, values.base
    stratum, base = strata[place.at], bases[place.at]
    size = bases[place.at + 1] - base
    gains = place.alone or (place.code & 1) == 1
    found = 0
    for row in range(len(rows)):
        for q in parents(rules, rules.unrank(stratum, rows[row])):
            if found == len(keys):
                return row, found
            r = ranked(rules, q)
            if rules.stratum(r) != stratum:
                continue
            j: Any = np.int64(rules.rank(r))
            if j < 0 or j >= size:
                continue
            if _may_get(np.int64(value[base + j]), place.code, gains, place):
                mark, slot = j << 16 | place.code, (j * SPREAD >> 12) & (len(seen) - 1)
                if seen[slot] == mark:
                    continue
                seen[slot] = mark
                save_key(keys, found, q)
                numbers[found] = j
                found += 1
    return len(rows), found


# -- Outcomes and depths. -------------------------------------------------------------------------


@kernel
def stratum_at(strata: Ints, at: int, stratum: int) -> int:
    """The place of a stratum below place `at`; -1 if there is none."""
    low, high = 0, at
    while low < high:
        middle = (low + high) >> 1
        if strata[middle] < stratum:
            low = middle + 1
        else:
            high = middle
    return low if low < at and strata[low] == stratum else -1


@inlined
def is_hole(rules: Any, p: Any, i: Any, stratum: Any) -> Any:
    """Whether number i leads to a position that has another number."""
    r = ranked(rules, p)
    return rules.rank(r) != i or rules.stratum(r) != stratum


@inlined
def _followed(best: Any, longest: Any, safe: Any, inside: Any, place: Any, gains: Any) -> Any:
    """The code that follows from the children: 0 if the position stays as it is, -1 if all that
    is known is that it cannot be lost."""
    first = place.mode == FIRST
    if best < place.top:
        return best if first or gains else np.int64(0)
    if safe or place.alone:
        return np.int64(-1 if safe and first else 0)
    return longest + 1 if (inside == 0 if first else not gains) else np.int64(0)


@inlined
def at_end(rules: Any, q: Any, seer: Any, place: Any, pay: Any) -> Any:
    """(the code of a position where play has ended, what is wrong)."""
    if put_numbers(pay, 0, rules.payoff(q)) > 1:
        return np.int64(0), PAIRS
    worth = -pay[0, 0] if place.absolute and seer == 1 else pay[0, 0]
    if place.alone:
        return np.int64(place.won), UNEVEN if worth != 0 else FINE
    both = place.up != 1
    if abs(worth) > 1 or (not both and (worth > 0 if place.lost < place.won else worth < 0)):
        return np.int64(0), UNUSUAL
    lost_or_drawn = place.lost if worth < 0 else place.top - 2
    return np.int64(place.won if worth > 0 else lost_or_drawn), FINE


@inlined
def _wrong_move(rules: Any, q: Any, m: Any, c: Any, seer: Any, place: Any, pay: Any) -> Any:
    """What is wrong with a move to `c`: it earns something, or the player who made it is on turn
    again."""
    if place.alone and place.mode == FIRST:
        put_numbers(pay, 0, rules.reward(q, m))
        if pay[0, 0] != place.unit:
            return UNEVEN
    if place.absolute:
        follows = rules.to_move(c)
        if (follows if follows >= 0 else rules.turn(c)) != 1 - seer:
            return TWICE
    return FINE


@inlined
def with_child(v: Any, unsure: Any, place: Any, safe: Any, best: Any, longest: Any) -> Any:
    """(safe, best, longest) with one more child. It is safe to move to a draw, and to a position
    that is open as yet."""
    if v == 0 or v >= place.top - 2 or unsure:
        return True, best, longest
    if place.alone or v & 1:
        return safe, min(best, v + place.up), longest
    return safe, best, max(longest, v)


def settle(  # noqa: C901, PLR0912, PLR0915
    rules: Any, sample: Any, values: AllValues, place: Place, keys: Ints, numbers: Ints, pay: Ints
) -> tuple[int, int, int]:
    """Find the codes of positions from those of their children: (the largest depth that was
    written, what is wrong, where)."""
    value, strata, bases = values.value, values.strata, values.base
    at, mode, code, up, top = place.at, place.mode, place.code, place.up, place.top
    alone, stratum, own = place.alone, strata[at], bases[at]
    known, other, gains = stratum, 0, alone or (code & 1) == 1  # gains: good to move to
    highest: Any = 0
    for k in range(len(numbers)):
        i = numbers[k]
        if mode != BACKWARD:
            save_key(keys, 0, rules.unrank(stratum, i))
        q = load_key(keys, k if mode == BACKWARD else 0, sample)
        if mode == FIRST:
            if is_hole(rules, q, i, stratum):
                value[own + i] = top
                continue
        elif not _may_get(np.int64(value[own + i]), code, gains, place):
            continue
        moves, inside, safe = 0, 0, False
        best, longest = np.int64(top), np.int64(0)
        mover = rules.to_move(q)
        seer = mover if mover >= 0 else rules.turn(q)  # values are as this player sees them
        if mover != OVER:
            for m in rules.moves(q):
                moves += 1
                c = rules.play(q, m)
                wrong = _wrong_move(rules, q, m, c, seer, place, pay)
                if wrong != FINE:
                    return highest, wrong, i
                r = ranked(rules, c)
                s = rules.stratum(r)
                if mode == FIRST and s == stratum:
                    inside += 1
                    if at == 0 and not alone:  # so do all others
                        break
                    continue
                if s != known:
                    known, other = s, stratum_at(strata, at + 1, s)
                here = at if s == stratum else other
                x: Any = np.int64(rules.rank(r))
                if here < 0 or x < 0 or x >= bases[here + 1] - bases[here]:
                    return highest, BAD_RANK, i
                v = np.int64(value[bases[here] + x])
                if v == top:
                    return highest, A_HOLE, i
                unsure = here == at and v > code
                safe, best, longest = with_child(v, unsure, place, safe, best, longest)
                if mode != FIRST and ((safe and not gains) or best == code + up):
                    break
        if moves == 0 and mode == FIRST:
            new, wrong = at_end(rules, q, seer, place, pay)
            if wrong != FINE:
                return highest, wrong, i
            deep = new != top - 2
        else:
            new = _followed(best, longest, safe, inside, place, gains) if moves else 0
            deep = new > 0
        if deep and new > top - TOP_CODES:
            return highest, DEEP, i
        highest = max(highest, new) if deep else highest
        if new != 0 or mode == FIRST:
            value[own + i] = new if new >= 0 else top - 1
    return highest, FINE, 0


# -- Scores. --------------------------------------------------------------------------------------


def sweep(  # noqa: C901
    rules: Any, sample: Any, values: AllValues, place: Place, rows: Ints, pay: Ints
) -> tuple[int, int, int]:
    """Scores: give each position the best of its children's, as they stand: (how many changed,
    what is wrong, where). Rows that no move inside leads from are settled: they become -1.

    Scores begin with 0, which is what endless play is worth, and only ever move away from it,
    towards what can be forced: so the order does not matter, and what no sweep changes is
    right."""
    value, strata, bases = values.value, values.strata, values.base
    at, mode = place.at, place.mode
    stratum, own, hole = strata[at], bases[at], place.top
    known, other = stratum, 0
    changed = 0
    for row in range(len(rows)):
        i = rows[row]
        q = rules.unrank(stratum, i)
        if mode == FIRST and is_hole(rules, q, i, stratum):
            value[own + i] = hole
            rows[row] = -1
            continue
        inside = moves = 0
        best: Any = np.int64(hole)
        for m in rules.moves(q):
            moves += 1
            r = ranked(rules, rules.play(q, m))
            s = rules.stratum(r)
            if s != known:
                known, other = s, stratum_at(strata, at + 1, s)
            here = at if s == stratum else other
            x: Any = np.int64(rules.rank(r))
            if here < 0 or x < 0 or x >= bases[here + 1] - bases[here]:
                return changed, BAD_RANK, i
            v = np.int64(value[bases[here] + x])
            if v == hole:
                return changed, A_HOLE, i
            if put_numbers(pay, 0, rules.reward(q, m)) > 1:
                return changed, PAIRS, i
            if here == at:
                inside += 1
                if pay[0, 0] != 0:
                    return changed, EARNS, i
            best = max(best, pay[0, 0] - v)
        if moves == 0:
            if put_numbers(pay, 0, rules.payoff(q)) > 1:
                return changed, PAIRS, i
            best = pay[0, 0]
        if best <= hole or best >= -hole:
            return changed, LARGE, i
        if best != value[own + i]:
            value[own + i] = best
            changed += 1
        if inside == 0:
            rows[row] = -1
    return changed, FINE, 0
