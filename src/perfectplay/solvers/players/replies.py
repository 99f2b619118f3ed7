"""How far values of several players are from those of the policy found, and what a player gains by
deviating from it for good: proved, in floats that are rounded outwards.

Each row of a stratum gets three claims for every player: no less than the policy brings, no more,
and no more than they could get by any play of their own while all others keep to the policy. Rows
are taken children first. In a cyclic component the claims are values plus (or minus) toll * h,
where h is about the expected number of steps inside it. If one step, made as the claim says,
brings no more than the claim less toll / 2, then the claim holds: every step in the component
costs at least toll / 2, so it comes to an end, and what was shown for one step can be applied
again and again. Where a player can stay in the component for ever, nothing is claimed.

What the stratum leads to is taken at its values; errors and gains of strata add up."""

import math
from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Bytes, Floats, Int32s
from perfectplay.compiled.kernels import kernel
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.solvers.backward import FlatGraph
from perfectplay.solvers.players.vector_rows import Arrangement

LEAST, MOST, REPLY = 0, 1, 2
"""Claims: what the policy brings at least and at most, and what any reply to it brings."""
TRIES = 20
"""How often the toll is raised until there is a proof."""
ROUNDS = 400
"""Sweeps through a component until its steps count as endless."""
ROUNDING = 2.3e-16
LITTLE = 1e-280
"""A toll must be positive, or it would not bring a component to its end."""


class Played(NamedTuple):
    """A stratum with its values and the policy that was found."""

    graph: FlatGraph
    value: Floats
    pick: Bytes


def replies(
    graph: FlatGraph, parts: Arrangement, value: Floats, pick: Bytes
) -> tuple[float, float | None]:
    """(error, gain): how far values may be from those of the policy, and the most that a player
    gains by leaving it, over what the values say; infinity and None where nothing is proved."""
    claims = np.empty((3, len(graph.kind), value.shape[1]))
    error, gain = _claimed(Played(graph, value, pick), parts, claims)
    return float(error), float(gain) if math.isfinite(gain) else None


@kernel
def _claimed(game: Played, parts: Arrangement, claims: Floats) -> tuple[float, float]:
    """(error, gain): fill in the claims, children first."""
    low, kind, value = game.graph.low, game.graph.kind, game.value
    order, start = parts.order, parts.start
    players = value.shape[1]
    new = np.empty(players)
    error = gain = 0.0
    for c in range(len(start) - 1):
        members = order[start[c] : start[c + 1]]
        for mode in range(3):
            claim = claims[mode]
            if not parts.cyclic[c]:
                if kind[members[0]] == OVER:
                    claim[members[0]] = value[low + members[0]]
                else:
                    _backed(mode, members[0], game, claim, new)
                    claim[members[0]] = new
            elif not _component(mode, members, game, claim, parts):
                if mode < REPLY:
                    return np.inf, np.inf
                gain = np.inf
                for row in members:
                    claim[row] = np.inf
        for row in members:
            for i in range(players):
                here = value[low + row, i]
                off = max(here - claims[LEAST, row, i], claims[MOST, row, i] - here)
                error = max(error, off + ROUNDING * abs(here))
                gain = max(gain, claims[REPLY, row, i] - here + ROUNDING * abs(here))
    return error, gain


@kernel
def _backed(mode: int, row: int, game: Played, claim: Floats, new: Floats) -> float:
    """The largest number met; into `new` goes what one step from a row brings to each player if
    rows of the stratum are worth their claims, rounded to the safe side."""
    graph, value, pick = game
    low, kind, first, child = graph.low, graph.kind, graph.first, graph.child
    swap, weight, reward = graph.swap, graph.weight, graph.reward
    swaps = -1 if len(swap) == len(child) else 0
    weights = -1 if len(weight) == len(child) else 0
    rewards = -1 if len(reward) == len(child) else 0
    players = value.shape[1]
    mover = kind[row]
    size = first[row + 1] - first[row]
    largest = 0.0
    for i in range(players):
        best = mode == REPLY and mover == i
        total = -np.inf if best else 0.0
        mass = 0.0
        most = 0.0
        for e in range(first[row], first[row + 1]):
            share = np.float64(weight[e & weights] if mover == CHANCE else pick[e])
            if share == 0.0 and not best:
                continue
            s = np.int64(swap[e & swaps])
            other = i - s if i >= s else i - s + players
            to = np.int64(child[e]) - low
            known = claim[to, other] if to >= 0 else value[child[e], other]
            worth = reward[e & rewards, i] + known
            most = max(most, abs(worth))
            if best:
                total = max(total, worth)
            else:
                total += share * worth
                mass += share
        slack = ROUNDING * (size + 4) * most
        new[i] = (total if best else total / mass) + (-slack if mode == LEAST else slack)
        largest = max(largest, most)
    return largest


@kernel
def _component(  # noqa: C901
    mode: int, members: Int32s, game: Played, claim: Floats, parts: Arrangement
) -> bool:
    """Whether claims for a cyclic component, which go into `claim`, could be proved."""
    low, value = game.graph.low, game.value
    players = value.shape[1]
    sign = -1.0 if mode == LEAST else 1.0
    new = np.empty(players)
    steps = np.ones((len(members), players))
    if not _lengths(mode, members, game, parts, steps):
        return False
    for row in members:
        claim[row] = value[low + row]
    largest = 0.0
    for _ in range(ROUNDS if mode == REPLY else 1):
        about = 0.0
        for row in members:
            largest = max(largest, _backed(mode, row, game, claim, new))
            for i in range(players):
                about = max(about, abs(new[i] - claim[row, i]))
                if mode == REPLY:
                    claim[row, i] = max(claim[row, i], new[i])
        if about <= 1e-14 * largest:
            break
    near = claim[members]
    toll = 4.0 * about + 1e-15 * largest + LITTLE
    for _ in range(TRIES):
        for k in range(len(members)):
            for i in range(players):
                claim[members[k], i] = near[k, i] + sign * toll * steps[k, i]
        fine = True
        for row in members:
            _backed(mode, row, game, claim, new)
            for i in range(players):
                fine = fine and sign * (claim[row, i] - new[i]) >= 0.5 * toll
        if fine:
            return True
        toll *= 4.0
    return False


@kernel
def _lengths(mode: int, members: Int32s, game: Played, parts: Arrangement, steps: Floats) -> bool:
    """Whether play ends; about as many steps as the component takes go into `steps`, by row and by
    the player who may choose freely. (What is proved does not depend on their being right.)"""
    graph, _, pick = game
    low, kind, first, child = graph.low, graph.kind, graph.first, graph.child
    swap, weight = graph.swap, graph.weight
    place, number = parts.place, parts.number
    swaps = -1 if len(swap) == len(child) else 0
    weights = -1 if len(weight) == len(child) else 0
    players = steps.shape[1]
    for _ in range(ROUNDS):
        change = 0.0
        for row in members:
            mover = kind[row]
            for i in range(players):
                best = mode == REPLY and mover == i
                total, mass = 0.0, 0.0
                for e in range(first[row], first[row + 1]):
                    share = np.float64(weight[e & weights] if mover == CHANCE else pick[e])
                    s = np.int64(swap[e & swaps])
                    to = np.int64(child[e]) - low
                    left = 0.0
                    if to >= 0 and number[to] == number[row]:
                        left = steps[place[to], i - s if i >= s else i - s + players]
                    total = max(total, left) if best else total + share * left
                    mass += share
                now = 1.0 + (total if best else total / mass)
                change = max(change, now - steps[place[row], i])
                steps[place[row], i] = now
        if change < 0.1:
            return True
    return False
