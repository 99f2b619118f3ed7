"""Structures check: derive every value of a game with structures again, from the rules themselves.

The solver of structures knows kings, pawns and exits, but not the rules: moves, captures and ends
are put down there a second time, in another form. Here the compiled rules are run on every
position, and its value must be the best of what its moves lead to, one ply later. That is a proof:
wins and losses rest on shorter ones down to the ends of play; and who can keep to drawn positions,
from which the other cannot get to won ones, does not lose.
"""

import time
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import VerificationError
from perfectplay.games.chess.structures import Structured
from perfectplay.positions.expand import expander
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import OVER
from perfectplay.verification.verify import Verification

FAR = 1 << 20
"""More than any depth."""


def verify_structures(
    table: Structured, progress: Progress | None = None, sample: int | None = None
) -> Verification:
    """Prove all values, or check those of some structures with about `sample` positions."""
    began, progress = time.perf_counter(), progress or Silent()
    rules = expander(table.game)
    keys = list(table.numbers)
    if sample is not None and sample < table.rows:
        keys = keys[:: max(1, table.rows // sample)]
    progress.start("verify", len(keys))
    checked = 0
    for key in keys:
        codes = table.codes[table.numbers[key]]
        places = np.flatnonzero(codes)
        positions = table.walks.positions(key, places)
        batch = rules.expand(positions)
        below = _values(table, rules, batch.child)
        wanted = _best(batch, below)
        stored = table.walks.read(codes[places], places)
        wrong = np.flatnonzero((stored != wanted).any(axis=1))
        if len(wrong):
            first = int(wrong[0])
            p, mine, right = (each[first] for each in (positions, stored, wanted))
            raise VerificationError(
                f"{table.game.text(rules.position(p))}: stored is {tuple(mine.tolist())}, its "
                f"moves give {tuple(right.tolist())} (outcome to who moves, plies)"
            )
        checked += len(places)
        progress.advance(1)
    progress.finish()
    kind = "values follow from those of all moves, by the rules"
    return Verification(checked, time.perf_counter() - began, kind)


def _values(table: Structured, rules: Any, keys: Array) -> Array:
    """int64[n, 2]: outcome to the player to move, and depth, of positions given by keys. Those
    between two structures are derived from their moves."""
    found = np.empty((len(keys), 2), np.int64)
    between = table.walks.between(keys)
    inside = np.flatnonzero(~between)
    if len(inside):
        some, missing = inside, np.ones(len(inside), np.bool_)
        for turned in (False, True):
            some = some[missing]
            numbers, places = table.walks.found(keys[some], table.numbers, turned=turned)
            codes = np.where(numbers >= 0, table.codes[np.maximum(numbers, 0), places], 0)
            missing = codes == 0
            found[some[~missing]] = table.walks.read(codes[~missing], places[~missing])
            if not missing.any():
                break
        else:
            p = rules.position(keys[some[missing][0]])
            raise VerificationError(f"{table.game.text(p)} can arise, but was not solved")
    if between.any():
        batch = rules.expand(np.ascontiguousarray(keys[between]))
        found[between] = _best(batch, _values(table, rules, batch.child))
    return found


def _best(batch: Any, below: Array) -> Array:
    """int64[n, 2]: the values of the rows of a batch, from those of their children."""
    over = batch.kind == OVER
    out = np.zeros((len(over), 2), np.int64)
    out[over, 0] = batch.payoff[over, 0] if len(batch.payoff) > 1 else batch.payoff[0, 0]
    if not len(below):
        return out
    won, depth = -below[:, 0], below[:, 1]
    # Sooner wins and later losses are better; draws lie between.
    rank = won * (FAR - depth)
    starts = batch.first[:-1][~over]
    best = np.maximum.reduceat(rank, starts)
    out[~over, 0] = np.sign(best)
    out[~over, 1] = np.where(best == 0, -1, FAR - np.abs(best) + 1)
    return out
