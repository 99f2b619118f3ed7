"""Facts: what is true of a game, from its declarations and from all of its positions.

`FactFinder` looks at every stratum as it is found; when all are, `facts` says which solvers may
be used, and `graph` brings payoffs and rewards into the form that solvers take (graph.py)."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints, Kinds, distinct
from perfectplay.compiled.kernels import kernel
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError
from perfectplay.positions.batch import of_each_player
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.positions.turns.patterns import Patterns, Turns
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.strata.graph import Facts, Graph

LARGE = 1 << 20
"""Rows or edges that are worth several threads."""


class FactFinder:
    """Collects what payoffs and rewards a game has."""

    _NOTES = ("_chance", "_rewards", "_columns", "_sums", "_zero_sum_rewards", "_ends")

    def __init__(self, game: Game, turn_patterns: Any = None) -> None:
        self.game = game
        self._patterns = turn_patterns
        self._chance = False
        self._rewards = False
        self._columns = 1
        self._sums: set[int] = set()
        self._zero_sum_rewards = True
        self._ends: set[int] = set()

    def look(self, found: FoundStratum) -> None:
        """Take note of one stratum."""
        self._chance = self._chance or bool((found.kind == CHANCE).any())
        ended = found.kind == OVER
        if ended.any():
            payoff = found.payoff if len(found.payoff) == 1 else found.payoff[ended]
            self._columns = max(self._columns, payoff.shape[1])
            if len(self._sums) < 2:
                self._sums.update(distinct(payoff.sum(axis=1, dtype=np.int64)).tolist())
            if len(self._ends) < 8:
                self._ends.update(distinct(payoff.ravel()).tolist())
        self._look_at_rewards(found.reward)

    def _look_at_rewards(self, reward: Array) -> None:
        if reward.any():
            self._rewards = True
            if reward.shape[1] > 1:
                self._zero_sum_rewards &= not reward.sum(axis=1).any()

    def noted(self) -> dict[str, Any]:
        """What was noted so far, JSON-ready."""
        notes = ((name, getattr(self, name)) for name in self._NOTES)
        return {name: sorted(note) if isinstance(note, set) else note for name, note in notes}

    def recall(self, noted: dict[str, Any]) -> None:
        """Go on from there."""
        for name in self._NOTES:
            kind = type(getattr(self, name))
            setattr(self, name, kind(noted[name]))

    def merge(self, noted: dict[str, Any]) -> None:
        """Add what another one noted of other strata, or of other parts of them."""
        for name in self._NOTES:
            mine, other = getattr(self, name), noted[name]
            if isinstance(mine, set):
                mine.update(other)
            elif name == "_zero_sum_rewards":
                self._zero_sum_rewards = mine and other
            else:
                setattr(self, name, max(mine, other))

    def facts(self) -> Facts:
        """All that was found."""
        game = self.game
        if self._patterns is not None:
            self._look_at_rewards(self._patterns.patterns().reward)
        players = game.players
        constant = self._columns == 1 or len(self._sums) == 1
        scalar = players == 1 or (players == 2 and constant and self._zero_sum_rewards)
        if players > 2 and self._columns == 1 and self._ends - {0}:
            raise RulesError(
                f"{type(game).__name__}: payoff(p) is one number, but there are {players} players",
                "return a tuple with one integer per player",
            )
        both = simultaneous(game) is not None
        if both and not scalar:
            raise RulesError(
                f"{type(game).__name__}: players choose at once, but their interests are not "
                "opposed: payoffs and rewards do not add up to the same sum everywhere",
                "let payoff(p) and reward(p, m) be numbers, which one player gets and the other "
                "loses, or tuples with one sum",
            )
        total = self._sums.copy().pop() if scalar and self._columns == 2 and self._sums else 0
        facts = Facts(
            players=players,
            scalar=scalar,
            chance=self._chance or both or self._patterns is not None,
            rewards=self._rewards,
            outcome=False,
            endless=0.0,
            minimise=bool(game.minimise),
            scale=2 if total else 1,
            offset=total,
            simultaneous=both,
            wins=self._wins(),
        )
        ends = {2 * x - total for x in self._ends} if total else self._ends
        plain = players == 2 and scalar and not facts.chance and not self._rewards
        endless = self._endless(facts)
        return replace(facts, outcome=plain and {*ends, endless} <= {-1, 0, 1}, endless=endless)

    def _wins(self) -> bool:
        """Whether one player gets 1 in the end and the others 0, and nothing else counts; one who
        plays alone gets 1 or nothing."""
        game = self.game
        if self._rewards or game.minimise or not self._ends <= {0, 1}:
            return False
        shared = self._sums == {1} if game.players > 1 else 1 in self._ends
        return shared and (game.endless is None or 0 <= game.endless <= 1)

    def _endless(self, facts: Facts) -> float:
        declared = self.game.endless
        if declared is None:
            return -math.inf if facts.minimise else 0.0
        worth = float(-declared if facts.minimise else declared * facts.scale - facts.offset)
        if math.isfinite(worth) and not worth.is_integer() and not (facts.scalar and facts.chance):
            raise RulesError(
                f"{type(self.game).__name__}: endless play is worth {declared}, which is not an "
                "integer",
                "let `endless` be an integer; half of what is shared out if it is to be a draw",
            )
        return worth


def graph(
    found: FoundStratum,
    facts: Facts,
    ids: Array | None,
    low: int,
    patterns: Patterns | None = None,
) -> Graph:
    """The graph of a stratum whose first id is `low`; `ids` maps numbers to ids, if they are not
    the same."""
    first = np.zeros(found.size + 1, np.int64)
    np.cumsum(found.count, out=first[1:])
    turns = None
    if patterns is not None:
        pattern = np.broadcast_to(found.pattern, found.size)
        node = np.broadcast_to(found.node, len(found.child))
        small = np.int16 if int(np.diff(patterns.start).max()) < 2**15 else np.int32
        turns = Turns(
            patterns, pattern.astype(np.int32), node.astype(small), found.rank.astype(np.int32)
        )
    child = found.child
    if ids is not None:
        child = np.empty(len(found.child), np.uint32)
        spread(lambda a, b: _translate(found.child[a:b], ids, child[a:b]), len(child))
    return Graph(
        low=low,
        kind=found.kind,
        payoff=_payoff(found, facts),
        first=first,
        child=child,
        swap=found.swap,
        weight=found.weight.astype(np.int64, copy=False),
        reward=_exit_reward(found, facts, first, turns)
        if turns
        else stored_rewards(found.reward, facts, len(found.child), found.kind, first),
        anchor=found.anchor,
        turns=turns,
    )


def stored_patterns(patterns: Patterns, facts: Facts) -> Patterns:
    """Patterns whose rewards are in stored units."""
    edges = len(patterns.to)
    stored = stored_rewards(patterns.reward, facts, edges, patterns.kind, patterns.first)
    if len(stored) != edges:
        stored = np.zeros((edges, *stored.shape[1:]), np.int64)
    return replace(patterns, reward=stored)


def _exit_reward(found: FoundStratum, facts: Facts, first: Array, turns: Turns) -> Array:
    """Rewards of exits in stored units; the mover is that of the node."""
    if not found.reward.any():
        return np.zeros(1 if facts.scalar else (1, facts.players), np.int64)
    mover = np.empty(len(found.child), np.int8)
    inside = turns.patterns.start, turns.patterns.kind
    spread(lambda a, b: _movers(a, b, first, turns.pattern, turns.node, inside, mover), found.size)
    if facts.scalar and facts.players == 1:  # what one player earns is theirs
        given = np.ascontiguousarray(np.broadcast_to(found.reward[:, 0], mover.shape))
        out = np.empty(len(mover), np.int64 if given.itemsize == 8 else np.int32)
        sign = -1 if facts.minimise else 1
        spread(lambda a, b: _earned(given[a:b], mover[a:b], sign, out[a:b]), len(out))
        return out
    every = np.arange(len(mover) + 1)
    return stored_rewards(found.reward, facts, len(mover), mover, every)


def spread(task: Callable[[int, int], None], size: int) -> None:
    """Call task(begin, end) for parts of a range, some at a time if there are many."""
    if size < LARGE:
        task(0, size)
        return
    cuts = [size * i // 8 for i in range(9)]
    with Pool.shared() as pool:
        list(pool.map(task, cuts[:-1], cuts[1:]))


@kernel
def _movers(
    begin: int, end: int, first: Ints, pattern: Array, node: Array,
    inside: tuple[Ints, Kinds], out: Kinds,
) -> None:  # fmt: skip
    """Who moves at the node that an exit leaves."""
    start, kind = inside
    for row in range(begin, end):
        for e in range(first[row], first[row + 1]):
            out[e] = kind[start[pattern[row]] + node[e]]


@kernel
def _earned(given: Array, mover: Kinds, sign: int, out: Array) -> None:
    """What one player earns, in stored units."""
    for e in range(len(out)):
        out[e] = sign * np.int64(given[e]) if mover[e] >= 0 else 0


def _payoff(found: FoundStratum, facts: Facts) -> Array:
    """Payoffs in stored units, one row per position, zero where play goes on."""
    given = found.payoff.astype(np.int64, copy=False)
    if not facts.scalar:
        if given.shape[1] < facts.players:  # a number; 0 if there are more than two players
            given = given * np.array([1, -1] if facts.players == 2 else [0] * facts.players)
        full = np.broadcast_to(given, (found.size, facts.players)).copy()
        full[found.kind != OVER] = 0
        return full
    stored = given[:, 0] - given[:, 1] if facts.scale == 2 and given.shape[1] > 1 else given[:, 0]
    if facts.minimise:
        stored = -stored
    if len(stored) == found.size:
        return np.where(found.kind == OVER, stored, 0)
    out = np.zeros(found.size, np.int64)
    out[found.kind == OVER] = stored[0] if len(stored) else 0
    return out


def stored_rewards(reward: Array, facts: Facts, edges: int, kind: Array, first: Array) -> Array:
    """Rewards in stored units: of player 0, or of all players."""
    given = reward.astype(np.int64, copy=False)
    if not given.any():
        return np.zeros(1 if facts.scalar else (1, facts.players), np.int64)
    given = np.broadcast_to(given, (edges, given.shape[1]))
    mover = np.repeat(kind, np.diff(first))
    if not facts.scalar:
        return of_each_player(given, mover, facts.players)
    own = given[:, 0]
    if given.shape[1] == 1:  # a number is what the mover earns
        own = np.where(mover == 1, -own, own)
    stored = np.where(mover != CHANCE, own * facts.scale, 0)
    return -stored if facts.minimise else stored


@kernel
def _translate(numbers: Ids, ids: Ids, out: Ids) -> None:
    """The ids of numbers."""
    for e in range(len(numbers)):
        out[e] = ids[numbers[e]]
