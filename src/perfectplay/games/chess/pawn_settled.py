"""Settled: the kernels that solve a pawn structure, when all that its exits lead to are solved.

Codes and exits are those of pawn_structures.py."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints, Kinds
from perfectplay.compiled.kernels import kernel
from perfectplay.games.chess.pawn_structures import (
    AT,
    DOUBLE,
    DRAWN,
    KIND,
    KING_TAKES,
    NEAR,
    NEVER,
    OPEN,
    PASSING,
    PLACES,
    PROMOTE,
    PUSH,
    SIDE,
    STALE,
    STEPS,
    TAKE,
    TO,
    WON,
    Codes,
    Worth,
    after,
    exit_row,
    hit_by,
)


@kernel
def later(code: int) -> int:
    """A code as seen one ply before, by who is bound to go there."""
    if code >= WON:
        return code + 1
    return code - 1 if code <= -WON else DRAWN


@kernel
def better(sign: int, a: int, b: int) -> int:
    """The code that the player with this sign prefers."""
    a_key = _key(sign * a) if abs(a) >= WON else 0
    b_key = _key(sign * b) if abs(b) >= WON else 0
    return a if a_key >= b_key else b


@kernel
def _key(code: int) -> int:
    return 100000 - code if code > 0 else -100000 - code


@kernel
def passed(codes: Codes, exits: Ints, children: Array, k: int, code: int, wk: int, bk: int) -> int:
    """What double step k leads to, `code`, with the right to take en passant."""
    sign = -1 if exits[k, SIDE] == 0 else 1
    ended = code == STALE or code == -sign * WON  # no move but en passant
    best = code
    k += 1
    while k < len(exits) and exits[k, KIND] == PASSING:
        q = after(exit_row(exits, k), wk, bk)
        if q >= 0:
            other = later(codes[children[k], q])
            best = other if ended else better(sign, best, other)
            ended = False
        k += 1
    return best


@kernel
def _blend(child: Codes, sign: int, moves: Codes, fast: Codes, slow: Codes, safe: Codes) -> None:
    """Take into account an exit that leaves the kings where they are: it can be taken wherever
    what it leads to has a code. No branches, so that many places are done at a time."""
    for i in range(len(child)):
        code = child[i]
        gain = np.int16(sign * code)
        moves[i] |= np.int16(code != 0)
        safe[i] |= np.int16((code > OPEN) & (code < WON))
        fast[i] = min(fast[i], np.int16(gain - WON) if gain >= WON else np.int16(NEVER))
        slow[i] = max(slow[i], np.int16(-gain - WON) if gain <= -WON else np.int16(-1))


@kernel
def settle(  # noqa: C901, PLR0912
    codes: Codes, number: int, exits: Ints, children: Array, worth: Worth
) -> None:
    """Solve structure `number` when all that its exits lead to are solved. `worth`: int8[exits,
    4096], what a promotion is worth to its player if the new queen is not taken at once, by the
    squares of the kings; or int8[1, 2], for all of them, by the player."""
    own = codes[number]
    moves = np.zeros(PLACES, np.int16)
    fast = np.full(PLACES, NEVER, np.int16)
    slow = np.full(PLACES, -1, np.int16)
    safe = np.zeros(PLACES, np.int16)
    for k in range(len(exits)):
        e = exit_row(exits, k)
        kind, side = e[KIND], e[SIDE]
        if kind == PASSING:
            continue
        sign = 1 if side == 0 else -1
        child = codes[max(children[k], 0)]
        passing = kind == DOUBLE and k + 1 < len(exits) and exits[k + 1, KIND] == PASSING
        if kind in (PUSH, TAKE):
            low = 4096 * side
            _blend(
                child[4096 - low : 8192 - low], sign, moves[low : low + 4096],
                fast[low : low + 4096], slow[low : low + 4096], safe[low : low + 4096],
            )  # fmt: skip
            continue
        for place in range(4096 * side, 4096 * side + 4096):
            if not own[place]:
                continue
            wk, bk = (place >> 6) & 63, place & 63
            if kind == KING_TAKES and not (NEAR[wk if side == 0 else bk] >> e[TO]) & 1:
                continue
            q = after(e, wk, bk)
            if q == -1:
                continue
            moves[place] = 1
            if q == -2:
                value = worth[0, side] if len(worth) == 1 else worth[k, 64 * wk + bk]
                code = sign * value * WON if value else STALE
            else:
                code = np.int64(child[q])
                if kind == PROMOTE:
                    code = later(code)
                    if (worth[0, side] if len(worth) == 1 else worth[k, 64 * wk + bk]) < 0:
                        code = -sign * WON  # nobody knows what follows if she is not taken
                elif passing:
                    code = passed(codes, exits, children, k, code, wk, bk)
            gain: Any = sign * code
            if abs(code) < WON:
                safe[place] = 1
            elif gain > 0:
                fast[place] = min(np.int64(fast[place]), gain - WON)
            else:
                slow[place] = max(np.int64(slow[place]), -gain - WON)
    _retrograde(own, exits, moves, fast, slow, safe)


@kernel
def _checked(exits: Ints, side: int, at: int) -> bool:
    """Whether a pawn attacks the king to move, on square `at`: one of those it could take."""
    for k in range(len(exits)):
        takes = exits[k, KIND] == KING_TAKES and exits[k, SIDE] == side
        if takes and (hit_by(np.int64(1) << exits[k, AT], 1 - side) >> at) & 1:
            return True
    return False


@kernel
def _begin(
    own: Codes,
    exits: Ints,
    found: tuple[Codes, Codes, Codes, Codes],
    count: Kinds,
    lists: tuple[Codes, Codes],
) -> None:
    """What is known before king moves are looked at; `count` becomes the number of these, or -1
    if the player can do better than lose. Positions that exits alone decide are put into the list
    of their depth: head[depth], then link[place] …"""
    moves, fast, slow, safe = found
    head, link = lists
    for place in range(PLACES):
        if not own[place]:
            continue
        side, wk, bk = place >> 12, (place >> 6) & 63, place & 63
        at = wk if side == 0 else bk
        when = -1
        if fast[place] < NEVER or safe[place]:
            count[place] = -1
            when = fast[place] + 1 if fast[place] < NEVER else -1
        else:
            i = 0
            while STEPS[at, i] >= 0:
                to = STEPS[at, i]
                i += 1
                if own[4096 + 64 * to + bk if side == 0 else 64 * wk + to]:
                    count[place] += 1
            if count[place] == 0:
                if moves[place] == 0 and not _checked(exits, side, at):
                    own[place] = STALE
                else:
                    when = slow[place] + 1
        if when >= 0:
            link[place] = head[when]
            head[when] = place


@kernel
def _retrograde(  # noqa: C901, PLR0912
    own: Codes, exits: Ints, moves: Codes, fast: Codes, slow: Codes, safe: Codes
) -> None:
    """Settle positions depth by depth, as solvers/retrograde.py does. Of the exits of a position
    is known how many there are, the depths of the fastest win and the slowest loss, and whether
    one draws."""
    deepest = 0
    for i in range(PLACES):
        if own[i]:
            deepest = max(deepest, slow[i] + 1)
            if fast[i] < NEVER:
                deepest = max(deepest, fast[i] + 1)
    head = np.full(deepest + 3, -1, np.int16)
    link = np.empty(PLACES, np.int16)
    queue = np.empty(PLACES, np.int16)
    count = np.zeros(PLACES, np.int8)
    _begin(own, exits, (moves, fast, slow, safe), count, (head, link))
    done = filled = depth = 0

    while depth < len(head) or done < filled:
        if depth < len(head):
            place: Any = np.int64(head[depth])
            while place >= 0:
                if own[place] == OPEN:
                    white = (fast[place] < NEVER) == (place < 4096)
                    own[place] = WON + depth if white else -WON - depth
                    queue[filled] = place
                    filled += 1
                place = np.int64(link[place])
        end = filled
        while done < end:
            place = np.int64(queue[done])
            done += 1
            side, wk, bk = place >> 12, (place >> 6) & 63, place & 63
            at = bk if side == 0 else wk  # the king that moved
            good = (own[place] > 0) == (side == 1)  # for who moved
            k = 0
            while STEPS[at, k] >= 0:
                to = STEPS[at, k]
                k += 1
                up = 4096 + 64 * wk + to if side == 0 else 64 * to + bk
                if own[up] != OPEN:
                    continue
                if not good:
                    count[up] -= 1
                    if count[up] != 0:
                        continue
                    if slow[up] > depth:
                        link[up] = head[slow[up] + 1]
                        head[slow[up] + 1] = up
                        continue
                own[up] = (WON if good == (side == 1) else -WON) + (
                    depth + 1 if good == (side == 1) else -depth - 1
                )
                queue[filled] = up
                filled += 1
        depth += 1
    for i in range(PLACES):
        if own[i] == OPEN:
            own[i] = DRAWN
