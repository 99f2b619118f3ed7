"""Promoted pawns: positions from which a king with one new piece, and pawns, is sure to win.

The strong side is White here, the other is turned round. It has a king, one piece and pawns that
stay where they are; the weak side has a king and pawns, and all its moves are considered. A
position counts as won only if White can force mate, or give the piece for a won ending of kings
and pawns; and as not won where a pawn takes the piece, where a black pawn is promoted and cannot
be taken at once, or where White would have to move a pawn. So all that is called won is won, but
not the reverse: a proof, not a value.

Positions of a structure are bits: bit bk of row 64 * (square of the piece) + (square of the white
king). A white piece never stands on a line with a black king in between when White is to move,
since Black would be in check; so where it can go does not depend on the black king.
"""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.games.chess.board import BETWEEN, WALK
from perfectplay.games.chess.pawn_structures import (
    AT,
    DOUBLE,
    KIND,
    KING_TAKES,
    MEN,
    NEAR,
    PASSING,
    PROMOTE,
    SIDE,
    STEPS,
    TO,
    WHITE_HITS,
    hit_by,
    next_to,
)

ROWS = 4096
Store = tuple[Ints, Ints, Ints]
"""Rows by structure: `room`, `won` and `lost`, see `promoted`."""


@kernel
def seen_from(kind: int, at: int, men: int) -> np.int64:
    """The squares that a piece attacks, as bits, men of either side included."""
    found = np.int64(0)
    i: Any = 0
    step = np.int64(WALK[kind, at, 0])
    while step >= 0:
        to = step & 63
        found |= np.int64(1) << to
        i = step >> 6 if (men >> to) & 1 else i + 1
        step = np.int64(WALK[kind, at, i])
    return found


@kernel
def _answers(
    row: int, exits: Ints, children: Array, store: Store, piece: int
) -> tuple[np.int64, np.int64]:
    """Black's moves out of the structure, by squares of the king: where there is one that is not
    known to lose, and where there is one at all."""
    room, won, lost = store
    at, wk = row >> 6, row & 63
    one = np.int64(1)
    escape, there = np.int64(0), np.int64(0)
    for k in range(len(exits)):
        kind, to, child = exits[k, KIND], exits[k, TO], children[k]
        if exits[k, SIDE] == 0 or kind == PASSING:
            continue
        if kind == KING_TAKES:
            if (room[child, row] >> to) & 1:
                there |= NEAR[to]
                if not (won[child, row] >> to) & 1:
                    escape |= NEAR[to]
            continue
        if to in (at, wk):
            continue
        if kind == PROMOTE:
            legal = _promoting(exits[k], row, piece)
            held = np.int64(0)  # White takes the new piece, and wins
            rest = exits[k, MEN] | (one << wk)
            if (seen_from(piece, at, rest) >> to) & 1:
                held |= lost[child, 64 * to + wk] & ~BETWEEN[at, to]
            if (NEAR[wk] >> to) & 1:
                held |= lost[child, 64 * at + to]
            there |= legal
            escape |= legal & ~held
            continue
        legal = room[child, row]
        if kind == DOUBLE:
            middle = (exits[k, AT] + to) >> 1
            if middle in (at, wk):
                continue
            legal &= ~(one << middle)
        there |= legal
        escape |= legal & ~won[child, row]
    return escape, there


@kernel
def _promoting(e: Ints, row: int, kind: int) -> np.int64:
    """Where the black king may stand when a pawn of theirs is promoted."""
    at, wk, one = row >> 6, row & 63, np.int64(1)
    men = e[MEN] | (one << e[TO])
    attacked = seen_from(kind, at, men | (one << wk)) | NEAR[wk] | e[WHITE_HITS]
    return np.int64(~(men | attacked | (one << at)))


@kernel
def promoted(
    pawns: tuple[int, int],
    kind: int,
    moves: tuple[Ints, Ints],
    number: int,
    store: Store,
    first: Ints,
    kings: Ints,
) -> None:
    """Fill rows of structure `number` in `store`: `room`, where the black king may stand with
    White to move; `won`, with White to move; `lost`, with Black to move. In `first`: the same as
    `lost` if Black does not take the piece. `kings`: where White, to move, wins without it."""
    room, won, lost = store
    white, black = pawns
    exits, children = moves
    men, white_hits, black_hits = white | black, hit_by(white, 0), hit_by(black, 1)
    one = np.int64(1)
    base = np.zeros(ROWS, np.int64)
    mine = np.zeros(ROWS, np.int64)
    away = np.zeros(ROWS, np.int64)
    for row in range(ROWS):
        at, wk = row >> 6, row & 63
        room[number, row] = won[number, row] = lost[number, row] = first[number, row] = 0
        if at == wk or (men >> at) & 1 or (men >> wk) & 1:
            continue
        attacked = seen_from(kind, at, men | (one << wk))
        bare = ~men & ~NEAR[wk] & ~(one << at)
        room[number, row] = bare & ~attacked & ~white_hits
        for k in range(len(exits)):  # White takes a pawn
            if exits[k, SIDE] == 0 and exits[k, KIND] == KING_TAKES:
                to = exits[k, TO]
                if (attacked >> to) & 1:
                    mine[row] |= lost[children[k], 64 * to + wk]
                if (NEAR[wk] >> to) & 1:
                    mine[row] |= lost[children[k], 64 * at + to]
        if (black_hits >> wk) & 1 or (black_hits >> at) & 1:
            continue
        escape, there = _answers(row, exits, children, store, kind)
        there |= next_to(room[number, row])
        base[row] = bare & ~escape & (attacked | white_hits | there)
        if not (NEAR[wk] >> at) & 1 and not (white_hits >> at) & 1:
            away[row] = NEAR[at] if not (kings[wk] >> at) & 1 else 0
            base[row] |= bare & ~escape & NEAR[at]
    _force(number, men, kind, store, base, mine, away)
    for row in range(ROWS):
        first[number, row] = base[row] & ~next_to(room[number, row] & ~won[number, row])


@kernel
def _force(
    number: int, men: int, kind: int, store: Store, base: Ints, mine: Ints, away: Ints
) -> None:
    """Add positions that lead to won ones, until there are no more."""
    room, won, lost = store[0][number], store[1][number], store[2][number]
    grown = True
    while grown:
        grown = False
        for row in range(ROWS):
            if base[row] & ~away[row] & ~lost[row]:
                found = base[row] & ~away[row] & ~next_to(room[row] & ~won[row])
                if found != lost[row]:
                    lost[row] = found
                    grown = True
        for row in range(ROWS):
            if not room[row] & ~won[row]:
                continue
            at, wk = row >> 6, row & 63
            found = mine[row]
            i = 0
            while STEPS[wk, i] >= 0:
                found |= lost[64 * at + STEPS[wk, i]]
                i += 1
            blockers = men | (np.int64(1) << wk)
            j: Any = 0
            step = np.int64(WALK[kind, at, 0])
            while step >= 0:
                to = step & 63
                if (blockers >> to) & 1:
                    j = step >> 6
                else:
                    found |= lost[64 * to + wk]
                    j += 1
                step = np.int64(WALK[kind, at, j])
            found = (found & room[row]) | won[row]
            if found != won[row]:
                won[row] = found
                grown = True
