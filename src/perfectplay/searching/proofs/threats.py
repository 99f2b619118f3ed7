"""Sequences of threats: moves that leave the other player one reply, until one leaves none.

Only one player chooses, so all positions that such sequences lead to fit on one stack, and any of
them that is won proves the first one. The rules' `bounds` say what is won, and `enough` which
replies there are; `threat` says only what to try, so a wrong one costs time and nothing else."""

from typing import Any

from perfectplay.searching.alphabeta.stubs import candidates, position, threatening, write
from perfectplay.searching.alphabeta.walk import stated
from perfectplay.searching.proofs.walk import ProofArrays, mixed
from perfectplay.searching.search_stack import PROBED

SEQUENCES = 200
"""Positions that are looked at before a sequence of threats is given up."""
SEEN = 1 << 10
"""Positions that are remembered, to be left out where another sequence comes to them."""


def forced(rules: Any, sample: Any, bound: int, row: int, most: int, arrays: ProofArrays) -> bool:
    """Whether threats alone prove that the position of a row is worth at least `bound`. Players
    take turns; the rows above it are free."""
    _, kids, order, _, _, seen, control = arrays
    end, left, call = row + 1, SEQUENCES, control[PROBED] << 32
    if end >= len(order):
        return False
    for k in range(kids.shape[1]):
        kids[end, k] = kids[row, k]
    end += 1
    while end > row + 1 and left > 0:
        end -= 1
        left -= 1
        control[PROBED] += 1
        p = position(kids, end, sample)
        for m in threatening(rules, p):
            q = rules.play(p, m)
            least, most_known = stated(rules, q, rules.to_move(q), most, control)
            if most_known < 1 - bound:
                return True
            if least >= 1 - bound or end >= len(order):
                continue
            replies = 0
            for reply in candidates(rules, q):
                replies += 1
                if replies > 1:
                    break
                write(kids, end, rules.play(q, reply))
            if replies != 1:
                continue
            tag = mixed(kids, end, bound) ^ call
            at = (tag >> 40) & (SEEN - 1)
            if seen[at] != tag:
                seen[at] = tag
                end += 1
    return False
