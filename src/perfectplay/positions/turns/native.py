"""Turns of compiled rules: the patterns of a batch of anchors, and the exits of their turns.

For games by turns one function, `walk`, does all that rules are asked for, single steps too: rules
that are compiled for several functions cost compile time for each of them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.intrinsics import events, load_key, put_numbers, save_key
from perfectplay.compiled.kernels import inlined
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.positions.batch import NOTHING, Batch
from perfectplay.positions.expand_kernel import RAW, REWARDS, STRATA, SYMMETRY, TURNS
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.positions.expand_plain import trouble
from perfectplay.positions.id_index import NativeIndex
from perfectplay.positions.turns.walk import TURN, TurnPatterns
from perfectplay.rules.game import OVER, Game

BEGIN, EXITS = 128, 256
"""Flags of `walk`: what turns begin, how they end; without them, single steps."""
STEPS = 64
"""Steps of a position that there is room for at first."""
_ONE = np.ones(1, np.int8)
MORE = -1
"""The code of `walk` for more of them."""


@inlined
def _seen(rules, q, flags):  # type: ignore[no-untyped-def]
    """(representative, its stratum, how players are renamed, code) of a position."""
    r = q
    stratum = swap = code = 0
    if not flags & RAW:
        r = rules.representative(q)
    if flags & STRATA:
        stratum = rules.stratum(r)
    if flags & TURNS:
        swap = rules.turn(q) - rules.turn(r)  # a division would cost more
        swap = swap if swap >= 0 else swap + rules.players
    elif flags & SYMMETRY and rules.to_move(q) != rules.to_move(r):
        code = 3
    return r, stratum, swap, code


def walk(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917
    rules, sample, keys, flags, kinds, payoff, first, anchor, child, strata, swaps, weight, reward,
    patterns, pattern, exits, node, rank, scratch,
):  # fmt: skip
    """What `expand` does. With BEGIN only the rows, and their patterns; with EXITS the steps that
    leave the turns of all rows, whose patterns are known. Stops early when the edges are full, or
    with the code MORE when a position has more steps than `scratch` has room for. Steps are put
    down first and looked at then: a rule that is called in two places is compiled twice."""
    starts, nodes, inner, positions = exits
    steps, weights, rewards = scratch
    ranked = -1 if len(rank) > 1 else 0
    columns = earned = k = 0
    for i in range(len(keys)):
        p = load_key(keys, i, sample)
        low, high = 0, 1
        if flags & EXITS:  # none if there is no pattern, -1
            low, high = starts[max(pattern[i], 0)], starts[pattern[i] + 1]
        for x in range(low, high):
            q = p
            if flags & EXITS:
                q = rules.carried(load_key(positions, x, sample), p)
            kind = rules.to_move(q)
            if kind < -2 or kind >= rules.players:
                return i, columns, earned, 2
            count = inside = 0
            if kind >= 0:
                for move in rules.moves(q):
                    if count == len(steps):
                        return i, columns, earned, MORE
                    save_key(steps, count, rules.play(q, move))
                    weights[count] = 1
                    if flags & REWARDS:
                        earned = max(earned, put_numbers(rewards, count, rules.reward(q, move)))
                    count += 1
                    if flags & BEGIN:
                        break
            elif kind == -1 and not flags & BEGIN:
                for w, c in events(rules, q):
                    if count == len(steps) or w <= 0:
                        return i, columns, earned, 1 if w <= 0 else MORE
                    save_key(steps, count, c)
                    weights[count] = w
                    count += 1
                if count == 0:
                    return i, columns, earned, 4
            over = count == 0 and kind != -1
            if not flags & EXITS:
                kinds[i] = -2 if over else kind
                anchor[i] = rules.anchor(q)
                if over:
                    columns = max(columns, put_numbers(payoff, i, rules.payoff(q)))
                elif flags & BEGIN and anchor[i]:
                    save_key(patterns, i, rules.pattern(q))
            elif over:  # the end, which a turn comes to
                save_key(steps, 0, q)
                weights[0] = count = 1
            for j in range(0 if flags & BEGIN else count):
                c = load_key(steps, j, sample)
                if flags & EXITS and not over and not rules.anchor(c):
                    inside += 1
                    continue
                r, stratum, swap, code = _seen(rules, c, flags)
                if code or k == len(child):
                    return i, columns, earned, code
                save_key(child, k, r)
                weight[k] = weights[j]
                if flags & STRATA:
                    strata[k] = stratum
                if flags & TURNS:
                    swaps[k] = swap
                if flags & REWARDS:
                    for column in range(rewards.shape[1]):  # a slice would take long to compile
                        reward[k, column] = rewards[j, column] if kind >= 0 else 0
                if flags & EXITS:
                    node[k], rank[k & ranked] = nodes[x], j
                k += 1
            if flags & EXITS and inside != inner[x]:
                return i, columns, earned, 6
        first[i + 1] = k
    return len(keys), columns, earned, 0


class NativeSteps(NativeExpander):
    """Compiled rules of a game by turns, step by step."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._kernel = rules_kernel(walk, game)
        self._room = STEPS
        self._no_patterns = np.zeros((1, self.width), np.int64)
        self._no_exits = np.zeros(1, np.int64), NOTHING, NOTHING, self._no_patterns

    def _call(self, keys: Array, rows: Any, edges: Any) -> tuple[int, int, int, int]:
        turns = self._no_patterns, NOTHING, self._no_exits, NOTHING, NOTHING
        return self._walk(keys, self.flags, rows, edges, turns)

    def _walk(
        self, keys: Array, flags: int, rows: Any, edges: Any, turns: Any
    ) -> tuple[int, int, int, int]:
        """What `walk` returns, once there is room for the steps of every position."""
        while True:
            scratch = (
                np.empty((self._room, self.width), np.int64),
                np.empty(self._room, np.int64),
                np.zeros((self._room, self.game.players), np.int64),
            )
            given = self.game, self.sample, keys, flags, *rows, *edges, *turns, scratch
            found: tuple[int, int, int, int] = self._called(self._kernel, *given)
            if found[3] != MORE:
                return found
            self._room *= 4


class NativeTurns(NativeSteps):
    """Compiled rules, whose children are the exits of turns."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.turn_patterns = TurnPatterns(NativeSteps(game).raw(), NativeIndex(self.width))
        no_payoff = np.zeros((1, game.players), np.int64)
        self._no_rows = np.empty(1, np.int8), no_payoff, np.empty(1, np.uint8)
        self._exits_per_row = 8.0
        self._kept = threading.local()

    def expand(self, positions: Any) -> Batch:
        """The exits of the turns that begin at `positions`, int64[n, width]."""
        keys = np.ascontiguousarray(positions)
        rows, pattern = self.begun(keys)
        n, flags = len(keys), self.flags | EXITS
        while True:
            first = np.zeros(n + 1, np.int64)
            edges = self._edges(int(n * self._exits_per_row) + 64)
            nothing = *self._no_rows[:2], first, self._no_rows[2]
            turns = self._no_patterns, pattern, self.turn_patterns.exits(), *edges[5:]
            done, _, earned, code = self._walk(keys, flags, nothing, edges[:5], turns)
            if code:
                raise trouble(self.game, code, self.position(keys[done]))
            if done == n:
                return self._turned((*rows, pattern), first, edges, earned)
            used = int(first[done]) / max(done, 1)
            self._exits_per_row = 1.25 * max(self._exits_per_row, used)

    def begun(self, keys: Array) -> tuple[tuple[Array, Array], Array]:
        """The kinds of rows and their payoffs, and the numbers of their patterns."""
        n = len(keys)
        kinds, payoff = np.empty(n, np.int8), np.zeros((n, self.game.players), np.int64)
        anchor, patterns = np.empty(n, np.uint8), np.zeros((n, self.width), np.int64)
        rows = kinds, payoff, np.zeros(n + 1, np.int64), anchor
        turns = patterns, NOTHING, self._no_exits, NOTHING, NOTHING
        edges = self._edges(1)[:5]
        done, columns, _, code = self._walk(keys, self.flags | BEGIN, rows, edges, turns)
        inside = (kinds != OVER) & (anchor == 0)
        if not code and inside.any():
            done, code = int(inside.argmax()), 5
        if code:
            raise trouble(self.game, code, self.position(keys[done]))
        pattern = np.full(n, -1, np.int32)
        begun = np.flatnonzero(kinds != OVER)
        kinds[begun] = TURN
        pattern[begun] = self.turn_patterns.numbers(np.ascontiguousarray(patterns[begun]))
        return (kinds, payoff[:, : max(columns, 1)]), pattern

    def _edges(self, room: int) -> tuple[Array, ...]:
        """Room for exits, kept from batch to batch: fresh memory is dear."""
        kept: tuple[Array, ...] | None = getattr(self._kept, "edges", None)
        if kept is not None and len(kept[0]) >= room:
            return kept
        flags, players = self.flags, self.game.players
        edges = (
            np.empty((room, self.width), np.int64),
            np.empty(room if flags & STRATA else 1, np.int64),
            np.zeros(room if flags & TURNS else 1, np.uint8),
            np.ones(room, np.int64),
            np.zeros((room if flags & REWARDS else 1, players), np.int64),
            np.empty(room, np.int32),
            np.zeros(room if players > 2 else 1, np.int32),
        )
        self._kept.edges = edges
        return edges

    def _turned(self, rows: Any, first: Array, edges: Any, earned: int) -> Batch:
        kinds, payoff, pattern = rows
        child, stratum, swap, weight, reward, node, rank = edges
        e = int(first[-1])
        even = not e or weight[:e].max() == 1
        return Batch(
            kind=kinds,
            payoff=payoff,
            first=first,
            child=child[:e].copy(),
            stratum=stratum[:e].copy() if self.flags & STRATA else stratum[:0],
            swap=swap[:e].copy() if self.flags & TURNS else swap,
            weight=np.broadcast_to(_ONE, e) if even else weight[:e].copy(),
            reward=reward[: e if self.flags & REWARDS else 1, : max(earned, 1)].copy(),
            anchor=np.ones(1, np.uint8),
            pattern=pattern,
            node=node[:e].copy(),
            rank=rank[:e].copy() if len(rank) > 1 else NOTHING,
        )
