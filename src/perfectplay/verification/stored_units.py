"""Payoffs and rewards of the rules in the units that tables store, for verification.

A scalar game stores what player 0 gets, the negative of it for a minimiser. Where payoffs of two
players add up to c, not to 0, it stores the difference p0 - p1 = 2 p0 - c, so everything counts
twice (scale 2).
"""

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.positions.batch import Batch
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.strata.graph import Facts
from perfectplay.verification.row_check import RowCheck


def row_check(
    batch: Batch, facts: Facts, rows: dict[str, Array], children: dict[str, Array]
) -> RowCheck:
    """The rows of a batch, with the value columns of rows and of children edge by edge."""
    edges = int(batch.first[-1])
    return RowCheck(
        batch.kind,
        batch.first,
        stored_payoff(batch, facts),
        np.broadcast_to(batch.swap, (edges,)).astype(np.uint8),
        np.broadcast_to(batch.weight, (edges,)).astype(np.int64),
        stored_reward(batch, facts),
        rows,
        children,
    )


def child_strata(batch: Batch) -> Array:
    """int64[e]: the strata of children, 0 without strata."""
    return batch.stratum if len(batch.stratum) else np.zeros(int(batch.first[-1]), np.int64)


def stored_payoff(batch: Batch, facts: Facts) -> Array:
    """int64[n] (scalar) or int64[n, players]: what ended rows are worth, 0 elsewhere."""
    given = batch.payoff.astype(np.int64)
    ended = batch.kind == OVER
    if not facts.scalar:
        if given.shape[1] < facts.players:
            signs = [1, -1] if facts.players == 2 else [0] * facts.players
            given = given[:, :1] * np.array(signs, np.int64)
        return np.where(ended[:, None], given, 0)
    stored = given[:, 0] * facts.scale - (facts.offset if facts.scale == 2 else 0)
    return np.where(ended, -stored if facts.minimise else stored, 0)


def uneven(batch: Batch, facts: Facts) -> Array:
    """bool[n]: ended rows whose payoffs do not add up to what the facts say."""
    if not facts.scalar or batch.payoff.shape[1] != 2:
        return np.zeros(len(batch.kind), np.bool_)
    return np.asarray((batch.kind == OVER) & (batch.payoff.sum(axis=1) != facts.offset))


def stored_reward(batch: Batch, facts: Facts) -> Array:
    """int64[e] (scalar) or int64[e, players]: what a move earns."""
    edges = int(batch.first[-1])
    given = np.broadcast_to(batch.reward, (edges, batch.reward.shape[1])).astype(np.int64)
    mover = np.repeat(batch.kind, np.diff(batch.first))
    moves = mover != CHANCE
    if not facts.scalar:
        if given.shape[1] == facts.players:
            return np.where(moves[:, None], given, 0)
        others = given if facts.players == 2 else 0 * given  # of two, the other loses as much
        mine = mover[:, None] == np.arange(facts.players)
        return np.where(moves[:, None], np.where(mine, given, -others), 0)
    earned = given[:, 0] * facts.scale
    if given.shape[1] == 1:
        earned = np.where(mover == 1, -earned, earned)
    return np.where(moves, -earned if facts.minimise else earned, 0)
