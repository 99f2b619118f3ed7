"""The kernels that solve strata of rules that know moves from number to number (`NumberMoves`).

What a position that was decided decides is found without positions: whoever can move to a loss has
won; whoever could only move to wins has lost. For the second, each open position remembers the
first child that is not won, its *watch* (eight bits of its number, and which child it is): as long
as that child is open, the position is not looked at again, and those before it never. Positions
are written down once, to see where play ends, and what lies outside of the stratum."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.intrinsics import prefetch
from perfectplay.compiled.kernels import inlined, kernel
from perfectplay.rules.game import OVER
from perfectplay.solvers.numbered.codes import (
    A_HOLE,
    BAD_RANK,
    DEEP,
    FINE,
    TOP_CODES,
)
from perfectplay.solvers.numbered.passes import (
    AllValues,
    Place,
    at_end,
    ranked,
    stratum_at,
    with_child,
)

RUN = 64
"""Numbers that are looked through at once for those that were decided."""
AT_ONCE = 512
"""Parents that are collected before they are looked at."""


@inlined
def _mark(number: Any) -> Any:
    """What is remembered of a number: 1 … 255."""
    return (number * 2654435761 >> 20) % 255 + 1


@inlined
def _child_code(rules: Any, values: AllValues, at: Any, c: Any, known: Any, other: Any) -> Any:
    """(code of a child in a lower stratum, what is wrong, its stratum, which one that is)."""
    r = ranked(rules, c)
    s = rules.stratum(r)
    if s != known:
        known, other = s, stratum_at(values.strata, at, s)
    if other < 0:
        return np.int64(0), BAD_RANK, known, other
    low = values.base[other]
    x = np.int64(rules.rank(r))
    if x < 0 or x >= values.base[other + 1] - low:
        return np.int64(0), BAD_RANK, known, other
    return np.int64(values.value[low + x]), FINE, known, other


def first(  # noqa: C901
    rules: Any, values: AllValues, place: Place, begin: int, end: int, pay: Ints
) -> tuple[int, int, int]:
    """Write the codes of positions where play ends or is decided by moves that leave the stratum:
    (the largest depth that was written, what is wrong, where). pay[0, 1] becomes 1 if the second
    player is on turn somewhere."""
    value, at, top = values.value, place.at, place.top
    stratum, own = values.strata[at], values.base[at]
    known, other = np.int64(stratum), np.int64(-1)
    highest: Any = np.int64(0)
    unsure = False
    for i in range(begin, end):
        if rules.vacant(stratum, i):
            value[own + i] = top
            continue
        q = rules.unrank(stratum, i)
        mover = rules.to_move(q)
        seer = mover if mover >= 0 else rules.turn(q)
        pay[0, 1] |= seer
        exits, moves, safe = 0, 0, False
        best, longest = np.int64(top), np.int64(0)
        for m in rules.exits(q):
            exits += 1
            v, wrong, known, other = _child_code(rules, values, at, rules.play(q, m), known, other)
            if wrong != FINE or v == top:
                return highest, wrong if wrong != FINE else A_HOLE, i
            safe, best, longest = with_child(v, unsure, place, safe, best, longest)
        if best == top and mover != OVER:
            for _ in rules.moves(q):
                moves += 1
                if moves > exits:
                    break
        new = np.int64(0)
        if best < top:
            new = best
        elif moves == 0:
            new, wrong = at_end(rules, q, seer, place, pay)
            if wrong != FINE:
                return highest, wrong, i
        elif safe:
            new = np.int64(top - 1)
        elif moves == exits:
            new = longest + 1
        if new != 0 and new < top - 2:
            if new > top - TOP_CODES:
                return highest, DEEP, i
            highest = max(highest, new)
        value[own + i] = new
    return highest, FINE, 0


@kernel
def holds(value: Array, low: int, high: int, code: int) -> bool:
    """Whether one of values low … high - 1 is a code of the same type: many at a time."""
    part = value[low:high]
    found: Any = np.uint8(0)
    for i in range(len(part)):
        found |= np.uint8(part[i] == code)
    return bool(found)


@kernel
def write_wins(value: Array, own: int, numbers: Ints, won: int, top: int) -> None:
    """Let positions be won that are open or won later. There are no branches that a processor
    could not foretell; what is written back as it was, no other thread would change."""
    for k in range(len(numbers)):
        j = own + numbers[k]
        v = np.int64(value[j])
        wins = (v == 0) | (v == top - 1) | ((v > won) & (v < top - 2))
        value[j] = won if wins else v


@kernel
def unwatched(value: Array, own: int, watch: Array, numbers: Ints, marks: Ints) -> int:
    """Put those positions first that are open and whose watch may be the child that led to them:
    how many they are."""
    left = 0
    for k in range(len(numbers)):
        j = numbers[k]
        w = np.int64(watch[j])
        numbers[left] = j
        left += (value[own + j] == 0) & ((w == 0) | (w & 255 == marks[k]))
    return left


def back(  # noqa: C901, PLR0912, PLR0915
    rules: Any, values: AllValues, place: Place, begin: int, end: int, wanted: Any,
    watch: Array, room: tuple[Ints, Ints, Ints],
) -> tuple[int, int, int]:  # fmt: skip
    """Write what follows for the parents of positions begin … end - 1 that have the code of
    `place`: (the largest depth that was written, what is wrong, where). Parents are collected
    until there are `AT_ONCE`, so that their memory is there when they are looked at. `wanted` is
    the same code, of the type of codes."""
    value, at, code, top = values.value, place.at, place.code, place.top
    stratum, own = values.strata[at], values.base[at]
    size = values.base[at + 1] - own
    won = np.int64(code + place.up)
    known, other = np.int64(stratum), np.int64(-1)
    highest: Any = np.int64(0)
    some, marks, children = room
    if code & 1 and won > top - TOP_CODES:
        return highest, DEEP, begin
    many = 0
    low = i = begin
    while i < end or many > 0:
        while i < end and many < AT_ONCE:
            if i == low:  # most runs of numbers have none
                low = min(i + RUN, end)
                if not holds(value, own + i, own + low, wanted):
                    i = low
                    continue
            if value[own + i] == code:
                mark = _mark(i)
                for k in range(rules.unsteps(stratum, i, children)):
                    j = children[k]
                    if j >= size:
                        return highest, BAD_RANK, i
                    if j >= 0:
                        prefetch(value, own + j)
                        some[many] = j
                        marks[many] = mark
                        many += 1
            i += 1
        if code & 1:
            write_wins(value, own, some[:many], won, top)
            highest = max(highest, won if many else 0)
            many = 0
            continue
        left = unwatched(value, own, watch, some[:many], marks)
        many = 0
        for k in range(left):
            j = some[k]
            if value[own + j] != 0:  # it was there twice
                continue
            w = np.int64(watch[j])
            waits = False
            for e in range(w >> 8, rules.steps(stratum, j, children)):
                x = children[e]
                if x >= size:
                    return highest, BAD_RANK, j
                if x < 0:
                    continue
                v = np.int64(value[own + x])
                if v == 0 or (v > code and v != top):
                    watch[j] = min(e, 255) << 8 | _mark(x)
                    waits = True
                    break
            if waits:
                continue
            new = np.int64(code + 1)  # the child that led here takes longest of those inside
            p = rules.unrank(stratum, j)
            for m in rules.exits(p):
                v, wrong, known, other = _child_code(
                    rules, values, at, rules.play(p, m), known, other
                )
                if wrong != FINE:
                    return highest, wrong, j
                new = max(new, v + 1)
            if new > top - TOP_CODES:
                return highest, DEEP, j
            value[own + j] = new
            highest = max(highest, new)
    return highest, FINE, 0
