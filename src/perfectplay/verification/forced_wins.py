"""Which positions are won by threats alone, by rules that name threats: for strategies, which
need not say how. It rests on the rules' `bounds` and `enough`, which `check` compares with the
values of small games, and is other code than the search that finds proofs."""

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.compiled.rule_fields import fixed
from perfectplay.compiled.rule_kernels import UNCHECKED
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.rules.game import Game
from perfectplay.searching.alphabeta.stubs import candidates, position, threatening, write
from perfectplay.searching.alphabeta.walk import CONTROLS, HEAD, stated
from perfectplay.searching.native import compiled

FEW, MANY = 500, 2_000_000
"""Positions that are looked at for one, before it counts as not won: at first, and if that is the
last hope."""
ROOM, FAR = 1 << 14, 1 << 40
SEEN = 1 << 16


class ForcedWins:
    """Looks for forced wins; counts the positions that it looked at."""

    def __init__(self, game: Game) -> None:
        self._rules, self._expander = fixed(game), NativeExpander(game)
        self._kernel = compiled(self._rules, (stated, won), UNCHECKED)["won"]
        self.nodes = 0

    def found(self, keys: Array, least: int, nodes: int) -> Array:
        """Whether who moves at each position gets at least so much by threats: bool[n]. So many
        positions are looked at for each."""
        expander = self._expander
        room = ROOM + len(keys)
        rows = np.empty((room, HEAD + expander.width), np.int64)
        rows[: len(keys), HEAD:] = keys
        wins = np.zeros(len(keys), np.int64)
        control = np.zeros(CONTROLS, np.int64)
        self.nodes += int(
            expander.called(
                self._kernel, self._rules, expander.sample, rows, wins, least, nodes,
                np.zeros(SEEN, np.int64), control, near=(keys, None),
            )
        )  # fmt: skip
        found: Array = wins != 0
        return found


def won(
    rules: Any,
    sample: Any,
    rows: Ints,
    wins: Ints,
    least: int,
    nodes: int,
    seen: Ints,
    control: Ints,
) -> int:
    """Say of each of the first rows whether threats win there; how many positions were looked at.

    From row `base` on, rows are a stack of positions where the attacker is to move; all of them
    come from the same first one by threats that leave one reply each."""
    base, looks = len(wins), 0
    for i in range(base):
        end, left = base + 1, nodes
        for k in range(rows.shape[1]):
            rows[base, k] = rows[i, k]
        while end > base and left > 0 and wins[i] == 0:
            end, left, looks = end - 1, left - 1, looks + 1
            p = position(rows, end, sample)
            if stated(rules, p, rules.to_move(p), FAR, control)[0] >= least:
                wins[i] = 1
                break
            for m in threatening(rules, p):
                q = rules.play(p, m)
                if stated(rules, q, rules.to_move(q), FAR, control)[1] <= -least:
                    wins[i] = 1
                    break
                replies = 0
                for reply in candidates(rules, q):
                    replies += 1
                    if replies == 1 and end < len(rows):
                        write(rows, end, rules.play(q, reply))
                mixed = 0
                if replies == 1 and end < len(rows):
                    for k in range(HEAD, rows.shape[1]):
                        mixed = (mixed ^ (mixed >> 31)) * 6364136223846793005 + rows[end, k]
                    mixed = (mixed + i) * 6364136223846793005 | 1
                    at = (mixed >> 44) & (SEEN - 1)
                    if seen[at] != mixed:
                        seen[at] = mixed
                        end += 1
    return looks
