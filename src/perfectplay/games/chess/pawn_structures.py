"""Pawn structures: all placements of two kings with the same pawns, solved at once.

Within a structure only kings move, so a position is a number: 4096 if Black is to move + 64 * the
square of the white king + that of the black one. What leaves a structure are its exits: moves of
pawns, captures by kings, promotions. Which king stands where matters only for whether an exit can
be taken, so exits are listed once for a structure, not once for a position.

Colours are absolute here, and pawns are 64 bits, a1 first. A code says what a position is worth:
0 not reached, 1 reached, 2 drawn, 3 stalemate, 4 + depth won by White, -4 - depth won by Black.
"""

import numpy as np
from numpy.typing import NDArray

from perfectplay.compiled.arrays import Array, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.games.chess.board import KING, REACH

Codes = NDArray[np.int16]
Worth = NDArray[np.int8]
Exit = tuple[int, int, int, int, int, int, int, int, int]
PLACES = 8192
"""Numbers of positions in a structure."""
OPEN, DRAWN, STALE, WON = 1, 2, 3, 4
NEVER = 32767
PUSH, DOUBLE, TAKE, KING_TAKES, PROMOTE, PASSING = range(6)
KIND, SIDE, AT, TO, WHITE, BLACK, MEN, WHITE_HITS, BLACK_HITS = range(9)
"""Columns of an exit: what it is, whose, from and to which square; then the pawns after it, all
together, and the squares that they attack. Exits PASSING follow the double step that they answer,
and are the other player's."""
NOT_A, NOT_H = 0x00FEFEFEFEFEFEFE, 0x007F7F7F7F7F7F7F
NO_H, LOW = 0x7F7F7F7F7F7F7F7F, 0x00FFFFFFFFFFFFFF
NEAR = np.array(
    [
        sum(1 << to if to < 63 else -(1 << 63) for to in range(64)
            if to == at or (int(REACH[at, to]) >> KING) & 1)
        for at in range(64)
    ],
    np.int64,
)  # fmt: skip
"""By square: itself and its neighbours, as bits."""
STEPS = np.full((64, 9), -1, np.int64)
"""By square: its neighbours, then -1."""
for _at in range(64):
    _near = [to for to in range(64) if (int(REACH[_at, to]) >> KING) & 1]
    STEPS[_at, : len(_near)] = _near


@kernel
def hit_by(pawns: int, side: int) -> int:
    """The squares that pawns of a side attack, as bits."""
    if side == 0:
        return ((pawns & NOT_A) << 7) | ((pawns & NOT_H) << 9)
    return ((pawns & NOT_A) >> 9) | ((pawns & NOT_H) >> 7)


@kernel
def _exit(
    out: Ints, n: int, kind: int, side: int, at: int, to: int, white: int, black: int
) -> int:
    out[n, KIND], out[n, SIDE], out[n, AT], out[n, TO] = kind, side, at, to
    out[n, WHITE], out[n, BLACK], out[n, MEN] = white, black, white | black
    out[n, WHITE_HITS], out[n, BLACK_HITS] = hit_by(white, 0), hit_by(black, 1)
    return n + 1


@kernel
def _pair(side: int, mine: int, theirs: int) -> tuple[int, int]:
    return (mine, theirs) if side == 0 else (theirs, mine)


@kernel
def exits_of(white: int, black: int) -> Ints:
    """int64[n, 9]: all exits of a structure, wherever the kings are."""
    out = np.empty((200, 9), np.int64)
    n = 0
    men = white | black
    for side in range(2):
        mine, theirs = (white, black) if side == 0 else (black, white)
        up = 8 if side == 0 else -8
        for at in range(8, 56):
            bit = np.int64(1) << at
            if theirs & bit:
                w, b = _pair(side, mine, theirs & ~bit)
                n = _exit(out, n, KING_TAKES, side, at, at, w, b)
            if not mine & bit:
                continue
            to = at + up
            rest = mine & ~bit
            if to < 8 or to >= 56:
                w, b = _pair(side, rest, theirs)
                n = _exit(out, n, PROMOTE, side, at, to, w, b)
            elif not (men >> to) & 1:
                w, b = _pair(side, rest | (np.int64(1) << to), theirs)
                n = _exit(out, n, PUSH, side, at, to, w, b)
                far = to + up
                home = at < 16 if side == 0 else at >= 48
                if home and not (men >> far) & 1:
                    after = rest | (np.int64(1) << far)
                    w, b = _pair(side, after, theirs)
                    n = _exit(out, n, DOUBLE, side, at, far, w, b)
                    for aside in range(-1, 2, 2):
                        beside = far + aside
                        if 0 <= (far & 7) + aside < 8 and (theirs >> beside) & 1:
                            others = (theirs & ~(np.int64(1) << beside)) | (np.int64(1) << to)
                            w, b = _pair(side, rest, others)
                            n = _exit(out, n, PASSING, 1 - side, beside, to, w, b)
            for aside in range(-1, 2, 2):
                taken = to + aside
                if 0 <= (to & 7) + aside < 8 and 8 <= taken < 56 and (theirs >> taken) & 1:
                    bits = np.int64(1) << taken
                    w, b = _pair(side, rest | bits, theirs & ~bits)
                    n = _exit(out, n, TAKE, side, at, taken, w, b)
    return out[:n].copy()


@kernel
def legal(side: int, wk: int, bk: int, men: int, white_hits: int, black_hits: int) -> bool:
    """Whether kings may stand so with a side to move."""
    if (men >> wk) & 1 or (men >> bk) & 1 or (NEAR[wk] >> bk) & 1:
        return False
    return not (white_hits >> bk) & 1 if side == 0 else not (black_hits >> wk) & 1


@kernel
def after(e: Exit, wk: int, bk: int) -> int:
    """The position that an exit (a tuple) leads to, -1 if it cannot be taken. A promotion leads to
    where the new queen has been captured, or to -2 if the other king cannot take her."""
    kind, side, at, to, _, _, men, white_hits, black_hits = e
    if kind == KING_TAKES:
        if not (NEAR[wk if side == 0 else bk] >> to) & 1:
            return -1
        if side == 0:
            wk = to
        else:
            bk = to
    elif kind == PROMOTE:
        if to in (wk, bk) or (black_hits >> wk if side == 0 else white_hits >> bk) & 1:
            return -1
        mine, other = (wk, bk) if side == 0 else (bk, wk)
        guards = white_hits if side == 0 else black_hits
        if not (NEAR[other] >> to) & 1 or (NEAR[mine] >> to) & 1 or (guards >> to) & 1:
            return -2
        return 64 * wk + to if side == 0 else 4096 + 64 * to + bk
    elif kind == DOUBLE:
        middle = (at + to) >> 1
        if middle in (wk, bk):
            return -1
    if legal(1 - side, wk, bk, men, white_hits, black_hits):
        return 4096 * (1 - side) + 64 * wk + bk
    return -1


@kernel
def exit_row(exits: Ints, k: int) -> Exit:
    """Exit k as a tuple, which costs less to hand on than a row."""
    e = exits[k]
    return e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8]


@kernel
def next_to(squares: np.int64) -> np.int64:
    """All squares next to some of these, as bits."""
    aside = ((squares & NO_H) << 1) | ((squares >> 1) & NO_H)
    both = squares | aside
    return aside | (both << 8) | ((both >> 8) & LOW)


@kernel
def _room(side: int, wk: int, men: int, white_hits: int, black_hits: int) -> np.int64:
    """The squares where the black king may stand, as bits, with the white one on `wk`: the same
    as `legal`."""
    if (men >> wk) & 1 or (side == 1 and (black_hits >> wk) & 1):
        return np.int64(0)
    return np.int64(~men & ~NEAR[wk] & ~(white_hits if side == 0 else np.int64(0)))


@kernel
def everywhere(reached: Ints, white: int, black: int) -> None:
    """Mark all positions of a structure, whether they can arise or not; see `flood`."""
    men, white_hits, black_hits = white | black, hit_by(white, 0), hit_by(black, 1)
    for i in range(128):
        reached[i] = _room(i >> 6, i & 63, men, white_hits, black_hits)


@kernel
def flood(reached: Ints, white: int, black: int) -> None:
    """Mark all that kings can reach within the structure. Bit bk of reached[64 * side + wk] says
    that the position with this side to move and these squares of the kings can arise."""
    room = np.empty(128, np.int64)
    everywhere(room, white, black)
    grown = True
    while grown:
        grown = False
        for wk in range(64):
            if reached[wk]:
                i = 0
                while STEPS[wk, i] >= 0:
                    to = 64 + STEPS[wk, i]
                    i += 1
                    more = reached[wk] & room[to] & ~reached[to]
                    if more:
                        reached[to] |= more
                        grown = True
        for wk in range(64):
            if reached[64 + wk]:
                more = next_to(reached[64 + wk]) & room[wk] & ~reached[wk]
                if more:
                    reached[wk] |= more
                    grown = True


@kernel
def _leaving(e: Exit, row: np.int64, wk: int) -> np.int64:
    """Of the squares of the black king in `row`, those from which exit `e` (no capture by a king,
    no promotion) can be taken."""
    kind, side, at, to, _, _, men, white_hits, black_hits = e
    middle = (at + to) >> 1 if kind == DOUBLE else -1
    if middle == wk:
        return np.int64(0)
    found: np.int64 = row & _room(1 - side, wk, men, white_hits, black_hits)
    return found & ~(np.int64(1) << middle) if middle >= 0 else found


@kernel
def leave(reached: Ints, exits: Ints, out: Ints, used: Kinds) -> None:  # noqa: C901, PLR0912
    """What each exit leads to, in out[exit] as in `reached`, and whether that is anything."""
    before = 0
    one = np.int64(1)
    for k in range(len(exits)):
        e = exit_row(exits, k)
        kind, side, _, to, _, _, men, white_hits, black_hits = e
        before = k if kind != PASSING else before
        turn = exits[before, SIDE]
        out[k] = 0
        for wk in range(64):
            row = reached[64 * turn + wk]
            if not row:
                continue
            at = 64 * (1 - side) + wk
            if kind == KING_TAKES:
                if side == 1:
                    found = one << to if row & NEAR[to] else np.int64(0)
                    found &= _room(0, wk, men, white_hits, black_hits)
                elif (NEAR[wk] >> to) & 1:
                    at = 64 + to
                    found = row & _room(1, to, men, white_hits, black_hits)
                else:
                    continue
            elif kind == PROMOTE:  # the queen is captured
                near = (NEAR[wk] >> to) & 1
                if to == wk:
                    continue
                row &= ~(one << to)
                if side == 0:
                    at = wk
                    safe = near or (black_hits >> wk) & 1 or (white_hits >> to) & 1
                    found = one << to if row & NEAR[to] and not safe else np.int64(0)
                elif near and not (black_hits >> to) & 1:
                    at = 64 + to
                    found = row & ~white_hits & ~NEAR[to]
                else:
                    continue
            else:
                if kind == PASSING:
                    row = _leaving(exit_row(exits, before), row, wk)
                found = _leaving(e, row, wk)
            if found:
                out[k, at] |= found
                used[k] = 1


@kernel
def mark(reached: Ints, children: Array, out: Ints) -> None:
    """Mark what exits lead to, `out`, in their structures."""
    for k in range(len(children)):
        if children[k] >= 0:
            row = reached[children[k]]
            for i in range(128):
                row[i] |= out[k, i]


@kernel
def opened(reached: Ints, own: Codes) -> int:
    """Write OPEN for every position that is marked; how many there are."""
    n = 0
    for i in range(128):
        for bk in range(64):
            is_there = (reached[i] >> bk) & 1
            own[64 * i + bk] = is_there
            n += is_there
    return n
