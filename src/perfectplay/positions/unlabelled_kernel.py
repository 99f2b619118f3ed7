"""The functions on unlabelled positions that are compiled for each class of rules, as in
expand_kernel.py. Here, too, an unlabelled position is a `board` for short."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Bytes, Int32s, Ints, Kinds
from perfectplay.compiled.intrinsics import load_key, save_key
from perfectplay.positions.codes import CHANCE_EXIT, FINE, FULL, STRATA, TURNS
from perfectplay.positions.labels import BITS
from perfectplay.positions.turns.patterns import PatternExits

SOME = 37
"""One key of so many is compared with its board."""


class UnlabelledExits(NamedTuple):
    """Where some boards lead."""

    kind: Kinds
    payoff: Ints
    """Of the boards, as rules give them (batch.py)."""
    first: Ints
    """int64[n + 1]: the exits of board i."""
    pieces: Bytes
    """uint8[n, 2]: how many pieces the player on turn has, and the other."""
    moved: Bytes
    """uint8[e]: which piece of the player on turn moves, from 0 on."""
    child: Ints
    """int64[e, width]: the board that follows."""
    stratum: Ints
    swap: Bytes
    orders: Int32s
    """int32[e, 2]: how the pieces of who is on turn then stand, and the other's."""


def unlabelled_exits(  # noqa: C901, PLR0913, PLR0917
    rules: Any, sample: Any, keys: Ints, flags: int, exits: PatternExits, pattern: Int32s,
    first: Ints, pieces: Bytes, edges: tuple[Bytes, Ints, Ints, Bytes, Int32s], steps: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Fill `first`, `pieces` and `edges`, which are `moved` … `orders`, of all boards: (boards
    done, a code).

    Row 0 of `steps` is a board, the rows after it what it leads to, so that all of them pass
    through one call of `unlabel`: a rule that is called in two places is compiled twice."""
    starts, _, _, positions = exits
    moved, child, strata, swaps, orders = edges
    k = 0
    for i in range(len(keys)):
        p = load_key(keys, i, sample)
        save_key(steps, 0, p)
        begin, count, j = k, 1, 0
        while j < count:
            q = load_key(steps, j, sample)
            board, mine, other = rules.unlabel(q)
            if j == 0:
                # 1. The board itself: how many pieces it has, and the moves of each of them,
                #    which are those of the position with labels 1, 2, …
                for side in range(2):
                    labels = other if side else mine
                    pieces[i, side] = 0
                    while labels > 0:
                        pieces[i, side] += 1
                        labels >>= BITS
                low, high = starts[max(pattern[i], 0)], starts[pattern[i] + 1]
                for x in range(low, high):
                    at = rules.carried(load_key(positions, x, sample), p)
                    if rules.to_move(at) < 0:
                        return i, CHANCE_EXIT
                    label = rules.called(at)
                    for move in rules.moves(at):
                        c = rules.play(at, move)
                        if not rules.anchor(c):
                            continue
                        if count == len(steps) or k == len(moved):
                            return i, FULL
                        save_key(steps, count, c)
                        moved[k] = label - 1
                        count += 1
                        k += 1
            else:
                # 2. What move j leads to: a board, and the order in which the pieces stand there.
                e = begin + j - 1
                save_key(child, e, board)
                orders[e, 0], orders[e, 1] = mine, other
                if flags & STRATA:
                    strata[e] = rules.stratum(board)
                if flags & TURNS:
                    swap = rules.turn(q) - rules.turn(board)
                    swaps[e] = swap if swap >= 0 else swap + rules.players
            j += 1
        first[i + 1] = k
    return len(keys), FINE


def row_keys(
    rules: Any, sample: Any, boards: Ints, pieces: Bytes,
    counts: Ints, table: Ints, number: Int32s, out: Ints,
) -> int:  # fmt: skip
    """Write the keys of all positions of some boards, labelling by labelling; `counts`, `table`
    and `number` are those of `Labellings`. Some keys are unlabelled again: returns the first board
    one of whose positions turns out to have another board, or labels that do not exist; or -1."""
    r = 0
    for s in range(len(boards)):
        board = load_key(boards, s, sample)
        for i in range(counts[pieces[s, 0]]):
            for k in range(counts[pieces[s, 1]]):
                p = rules.representative(
                    rules.relabel(board, table[pieces[s, 0], i], table[pieces[s, 1], k])
                )
                save_key(out, r, p)
                if r % SOME == 0:
                    again, mine, other = rules.unlabel(p)
                    if again != board or number[mine] < 0 or number[other] < 0:
                        return s
                r += 1
    return -1
