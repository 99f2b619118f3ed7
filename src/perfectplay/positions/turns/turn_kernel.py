"""The function that is compiled for each class of rules by turns, as expand_kernel.py has one.

It does all that such rules are asked for, single steps too: rules that are compiled for several
functions cost compile time for each of them."""

from typing import Any, NamedTuple

from perfectplay.compiled.arrays import Int32s, Ints
from perfectplay.compiled.intrinsics import events, load_key, put_numbers, save_key
from perfectplay.compiled.kernels import inlined
from perfectplay.positions.codes import (
    BAD_MOVER,
    BAD_WEIGHT,
    BEGIN,
    EXITS,
    FINE,
    MORE_STEPS,
    NO_EVENT,
    OTHER_PATTERN,
    RAW,
    RENAMED,
    REWARDS,
    STRATA,
    SYMMETRY,
    TURNS,
)
from perfectplay.positions.expand_kernel import BatchEdges, BatchRows
from perfectplay.positions.turns.patterns import PatternExits
from perfectplay.rules.game import CHANCE, OVER


class TurnArrays(NamedTuple):
    """What a batch has besides rows and edges."""

    begins: Ints
    """Filled by BEGIN: int64[n, width], where the pattern of each row begins."""
    pattern: Int32s
    """Read by EXITS: the number of each row's pattern, or -1."""
    exits: PatternExits
    node: Int32s
    rank: Int32s
    """Filled by EXITS: see `Batch`."""


class StepRoom(NamedTuple):
    """Room for the steps of one position."""

    key: Ints
    weight: Ints
    reward: Ints


@inlined
def _events(rules: Any, q: Any, steps: Ints, weights: Ints) -> tuple[int, int]:
    """Put down what chance can do at a position: (how many events, code)."""
    count = 0
    for weight, c in events(rules, q):
        if count == len(steps) or weight <= 0:
            return count, BAD_WEIGHT if weight <= 0 else MORE_STEPS
        save_key(steps, count, c)
        weights[count] = weight
        count += 1
    return count, FINE if count else NO_EVENT


@inlined
def _paid_or_begun(
    rules: Any, q: Any, i: int, over: int, begun: int, payoff: Ints, begins: Ints
) -> int:
    """Write the payoff of a terminal position, or where the pattern of a turn begins; the columns
    of the payoff."""
    columns = 0
    if over:
        columns = put_numbers(payoff, i, rules.payoff(q))
    elif begun:
        save_key(begins, i, rules.pattern(q))
    return columns


@inlined
def _represented(rules: Any, q: Any, flags: int) -> tuple[Any, int, int, int]:
    """(representative, its stratum, how players are renamed, code) of a position."""
    r = q
    stratum = swap = 0
    code = FINE
    if not flags & RAW:
        r = rules.representative(q)
    if flags & STRATA:
        stratum = rules.stratum(r)
    if flags & TURNS:
        swap = rules.turn(q) - rules.turn(r)  # a division would cost more
        swap = swap if swap >= 0 else swap + rules.players
    elif flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
        code = RENAMED
    return r, stratum, swap, code


def expand_turns(  # noqa: C901, PLR0912, PLR0915
    rules: Any, sample: Any, keys: Ints, flags: int,
    rows: BatchRows, edges: BatchEdges, turns: TurnArrays, steps: StepRoom,
) -> tuple[int, int, int, int]:  # fmt: skip
    """What `expand` does. With BEGIN only the rows, and their patterns; with EXITS the steps that
    leave the turns of all rows, whose patterns are known. Stops early when the edges are full, or
    with the code MORE_STEPS."""
    kinds, payoff, first, anchor = rows
    child, strata, swaps, weight, reward = edges
    begins, pattern, (starts, nodes, inner, positions), node, rank = turns
    step, weights, rewards = steps
    earning = rewards.shape[1] if flags & REWARDS else 0
    # Such that array[k & every_…] is right for arrays of all edges and for arrays of length 1.
    every_stratum, every_swap = -1 if flags & STRATA else 0, -1 if flags & TURNS else 0
    every_rank = -1 if len(rank) > 1 else 0
    room = 1 if flags & BEGIN else len(step)  # one move shows that play goes on
    columns = earned = k = 0
    for i in range(len(keys)):
        # 1. The positions whose steps become the edges of this row: itself, or those of its turn
        #    at which the turn may end, none if it has no pattern.
        p = load_key(keys, i, sample)
        low, high = 0, 1
        if flags & EXITS:
            low, high = starts[max(pattern[i], 0)], starts[pattern[i] + 1]
        for x in range(low, high):
            q = rules.carried(load_key(positions, x, sample), p) if flags & EXITS else p
            kind = rules.to_move(q)
            if kind < OVER or kind >= rules.players:
                return i, columns, earned, BAD_MOVER
            # 2. Put the steps down, to be examined in 4: a rule that is called in two places is
            #    compiled twice.
            count, code = 0, FINE
            if kind >= 0:
                for move in rules.moves(q):
                    if count == room:
                        code = FINE if flags & BEGIN else MORE_STEPS
                        break
                    save_key(step, count, rules.play(q, move))
                    weights[count] = 1
                    if flags & REWARDS:
                        earned = max(earned, put_numbers(rewards, count, rules.reward(q, move)))
                    count += 1
            elif kind == CHANCE and not flags & BEGIN:
                count, code = _events(rules, q, step, weights)
            if code:
                return i, columns, earned, code
            # 3. The row itself; a turn that comes to the end of play has one exit, that end.
            over = count == 0 and kind != CHANCE
            if not flags & EXITS:
                kinds[i], anchor[i] = OVER if over else kind, rules.anchor(q)
                begun = flags & BEGIN and anchor[i]
                paid = _paid_or_begun(rules, q, i, over, begun, payoff, begins)
                columns = max(columns, paid)
            elif over:
                save_key(step, 0, q)
                weights[0] = count = 1
            # 4. Steps that leave the turn become edges.
            inside = 0
            for j in range(0 if flags & BEGIN else count):
                c = load_key(step, j, sample)
                if flags & EXITS and not over and not rules.anchor(c):
                    inside += 1
                    continue
                r, stratum, swap, code = _represented(rules, c, flags)
                if code or k == len(child):
                    return i, columns, earned, code
                save_key(child, k, r)
                weight[k] = weights[j]
                strata[k & every_stratum] = stratum
                swaps[k & every_swap] = swap
                for column in range(earning):  # a slice would take long to compile
                    reward[k, column] = rewards[j, column] if kind >= 0 else 0
                if flags & EXITS:
                    node[k], rank[k & every_rank] = nodes[x], j
                k += 1
            if flags & EXITS and inside != inner[x]:
                return i, columns, earned, OTHER_PATTERN
        first[i + 1] = k
    return len(keys), columns, earned, FINE
