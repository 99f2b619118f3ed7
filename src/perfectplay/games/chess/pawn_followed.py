"""Followed: what arises if one player plays by a solution and the other plays anything.

Of a solution that rests on guesses, only those guesses matter which are met on the way."""

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.games.chess.pawn_settled import later, passed
from perfectplay.games.chess.pawn_structures import (
    DOUBLE,
    KIND,
    PASSING,
    PLACES,
    PROMOTE,
    SIDE,
    STALE,
    STEPS,
    WON,
    Codes,
    Worth,
    after,
    exit_row,
)


@kernel
def _put(marks: Ints, number: int, place: int) -> bool:
    """Mark a position; whether it is new."""
    bit = np.int64(1) << (place & 63)
    if marks[number, place >> 6] & bit:
        return False
    marks[number, place >> 6] |= bit
    return True


@kernel
def _code(
    codes: Codes, exits: Ints, children: Array, worth: Worth, k: int, q: int, kings: int
) -> np.int64:
    """The code of what exit k leads to, place q."""
    wk, bk = kings >> 6, kings & 63
    sign = 1 if exits[k, SIDE] == 0 else -1
    if q == -2:
        value = worth[0, exits[k, SIDE]] if len(worth) == 1 else worth[k, kings]
        return np.int64(sign * value * WON if value else STALE)
    code = np.int64(codes[children[k], q])
    if exits[k, KIND] == PROMOTE:
        if (worth[0, exits[k, SIDE]] if len(worth) == 1 else worth[k, kings]) < 0:
            return np.int64(-sign * WON)
        return np.int64(later(code))
    if exits[k, KIND] == DOUBLE:
        return np.int64(passed(codes, exits, children, k, code, wk, bk))
    return code


@kernel
def _enough(code: np.int64, own: np.int64, sign: int) -> bool:
    """Whether going to `code` keeps what the player with this sign has by `own`: a win with one
    ply less, or at least a draw."""
    if sign * own >= WON:
        return bool(sign * code == sign * own - 1)
    return bool(sign * code > -WON)


@kernel
def _take(exits: Ints, children: Array, marks: Ints, k: int, q: int, kings: int) -> None:
    """Mark what exit k leads to, place q, and the answers en passant."""
    _put(marks, children[k], q)
    i = k + 1
    while exits[k, KIND] == DOUBLE and i < len(exits) and exits[i, KIND] == PASSING:
        to = after(exit_row(exits, i), kings >> 6, kings & 63)
        if to >= 0:
            _put(marks, children[i], to)
        i += 1


@kernel
def follow(  # noqa: C901, PLR0912
    codes: Codes,
    number: int,
    moves: tuple[Ints, Array],
    worth: Worth,
    marks: Ints,
    player: int,
    known: Codes,
    out: Ints,
) -> int:
    """Mark what follows from marked positions of a structure if `player` keeps what they
    have; the number of promotions that they choose, listed in `out`. Positions won for them by
    other codes, `known`, are left out; `known` may be empty."""
    exits, children = moves
    own = codes[number]
    queue = np.empty(PLACES, np.int64)
    filled = done = chosen = 0
    for place in range(PLACES):
        if (marks[number, place >> 6] >> (place & 63)) & 1:
            queue[filled] = place
            filled += 1
    sign = 1 if player == 0 else -1
    while done < filled:
        place = queue[done]
        done += 1
        if len(known) and sign * known[number, place] >= WON:
            continue
        side, kings = place >> 12, place & 4095
        wk, bk = kings >> 6, kings & 63
        at = wk if side == 0 else bk
        found = False
        i = 0
        while STEPS[at, i] >= 0 and not found:
            to = STEPS[at, i]
            i += 1
            q = 4096 + 64 * to + bk if side == 0 else 64 * wk + to
            if not own[q]:
                continue
            if side == player:
                if not _enough(np.int64(own[q]), np.int64(own[place]), sign):
                    continue
                found = True
            if _put(marks, number, q):
                queue[filled] = q
                filled += 1
        for k in range(len(exits)):
            if found or exits[k, SIDE] != side or exits[k, KIND] == PASSING:
                continue
            q = after(exit_row(exits, k), wk, bk)
            if q == -1:
                continue
            if side == player:
                code = _code(codes, exits, children, worth, k, q, kings)
                if not _enough(code, np.int64(own[place]), sign):
                    continue
                found = True
                if exits[k, KIND] == PROMOTE:
                    out[chosen, 0], out[chosen, 1] = k, kings
                    chosen += 1
            if q >= 0:
                _take(exits, children, marks, k, q, kings)
    return chosen
