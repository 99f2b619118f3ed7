"""Turns of compiled rules: the patterns of a batch of anchors, and the exits of their turns."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from perfectplay.batch import NOTHING, Batch
from perfectplay.compile import compile_errors, rules_kernel
from perfectplay.digest import rules_digest
from perfectplay.expand import trouble
from perfectplay.expand_kernel import (
    REWARDS,
    STRATA,
    TURNS,
    events,
    load_key,
    put_numbers,
    save_key,
)
from perfectplay.expand_native import NativeExpander
from perfectplay.game import Game
from perfectplay.graph import Array
from perfectplay.index import NativeIndex
from perfectplay.refusal import compile_error
from perfectplay.turns import TURN, Book


def _begin(rules, sample, keys, kinds, payoff, patterns):  # type: ignore[no-untyped-def]
    """The kind and the pattern of every row: (rows done, columns of payoffs, code)."""
    columns = 0
    for i in range(len(keys)):
        p = load_key(keys, i, sample)
        kind = rules.to_move(p)
        over = kind == -2
        if kind >= 0:
            over = True
            for _ in rules.moves(p):
                over = False
                break
        if over:
            kinds[i] = -2
            columns = max(columns, put_numbers(payoff, i, rules.payoff(p)))
            continue
        if not rules.anchor(p):
            return i, columns, 5
        kinds[i] = TURN
        save_key(patterns, i, rules.pattern(p))
    return len(keys), columns, 0


def _leave(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917
    rules, sample, keys, flags, pattern, exits, scratch, first,
    child, stratum, swap, weight, reward, node, rank,
):  # fmt: skip
    """The exits of the turns of all rows: (rows done, columns of rewards, code). Stops early when
    the edges are full (code 0) or a node has more steps than `scratch` has room for (code -1).

    Steps are gathered first and looked at then: each rule that is called in two places costs
    compile time twice."""
    starts, nodes, inner, positions = exits
    steps, weights, rewards = scratch
    room = len(node)
    earned = 0
    k = 0
    for i in range(len(keys)):
        if pattern[i] >= 0:
            p = load_key(keys, i, sample)
            for x in range(starts[pattern[i]], starts[pattern[i] + 1]):
                q = rules.carried(load_key(positions, x, sample), p)
                kind = rules.to_move(q)
                count = 0
                if kind >= 0:
                    for move in rules.moves(q):
                        if count == len(steps):
                            return i, earned, -1
                        save_key(steps, count, rules.play(q, move))
                        weights[count] = 1
                        if flags & REWARDS:
                            earned = max(
                                earned, put_numbers(rewards, count, rules.reward(q, move))
                            )
                        count += 1
                elif kind == -1:
                    for w, c in events(rules, q):
                        if count == len(steps):
                            return i, earned, -1
                        if w <= 0:
                            return i, earned, 1
                        save_key(steps, count, c)
                        weights[count] = w
                        if flags & REWARDS:
                            rewards[count] = 0
                        count += 1
                over = count == 0
                if over:
                    save_key(steps, 0, q)
                    weights[0] = 1
                    if flags & REWARDS:
                        rewards[0] = 0
                    count = 1
                inside = 0
                for j in range(count):
                    c = load_key(steps, j, sample)
                    if not over and not rules.anchor(c):
                        inside += 1
                        continue
                    if k == room:
                        return i, earned, 0
                    r = rules.representative(c)
                    save_key(child, k, r)
                    if flags & STRATA:
                        stratum[k] = rules.stratum(r)
                    if flags & TURNS:
                        renamed = rules.turn(c) - rules.turn(r)  # a division would cost more
                        swap[k] = renamed if renamed >= 0 else renamed + rules.players
                    if flags & REWARDS:
                        reward[k] = rewards[j]
                    weight[k] = weights[j]
                    if len(rank) > 1:
                        rank[k] = j
                    node[k] = nodes[x]
                    k += 1
                if inside != inner[x]:
                    return i, earned, 6
        first[i + 1] = k
    return len(keys), earned, 0


class NativeTurns(NativeExpander):
    """Compiled rules, whose children are the exits of turns."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.book = Book(NativeExpander(game).raw(), NativeIndex(self.width))
        digest = f"{rules_digest(game)}-{type(game).__module__}"
        self._begins = rules_kernel(_begin, digest)
        self._leaves = rules_kernel(_leave, digest)
        self._exits_per_row = 8.0
        self._steps = 64
        self._kept = threading.local()

    def expand(self, positions: Any) -> Batch:
        """The exits of the turns that begin at `positions`, int64[n, width]."""
        keys = np.ascontiguousarray(positions)
        n, players = len(keys), self.game.players
        kinds, payoff = np.empty(n, np.int8), np.zeros((n, players), np.int64)
        patterns = np.zeros((n, self.width), np.int64)
        done, columns, code = self._run(self._begins, keys, kinds, payoff, patterns)
        if code:
            raise trouble(self.game, code, self.position(keys[done]))
        pattern = np.full(n, -1, np.int32)
        begun = np.flatnonzero(kinds == TURN)
        pattern[begun] = self.book.numbers(np.ascontiguousarray(patterns[begun]))
        while True:
            room = int(n * self._exits_per_row) + 64
            first = np.zeros(n + 1, np.int64)
            edges = self._edges(room)
            scratch = (
                np.empty((self._steps, self.width), np.int64),
                np.empty(self._steps, np.int64),
                np.zeros((self._steps, players), np.int64),
            )
            done, earned, code = self._run(
                self._leaves, keys, self.flags, pattern, self.book.exits(), scratch, first, *edges
            )
            if code < 0:
                self._steps *= 4
                continue
            if code:
                raise trouble(self.game, code, self.position(keys[done]))
            if done == n:
                break
            used = int(first[done]) / max(done, 1)
            self._exits_per_row = 1.25 * max(self._exits_per_row, used)
        return self._turned((kinds, payoff[:, : max(columns, 1)], pattern), first, edges, earned)

    def _run(self, function: Any, keys: Array, *rest: Any) -> Any:
        try:
            return function(self.game, self.sample, keys, *rest)
        except compile_errors() as error:
            raise compile_error(self.game, error) from None
        except (IndexError, ZeroDivisionError, OverflowError, ValueError) as error:
            raise self._failed(error) from None

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
        return Batch(
            kind=kinds,
            payoff=payoff,
            first=first,
            child=child[:e].copy(),
            stratum=stratum[:e].copy() if self.flags & STRATA else stratum[:0],
            swap=swap[:e].copy() if self.flags & TURNS else swap,
            weight=weight[:e].copy(),
            reward=reward[: e if self.flags & REWARDS else 1, : max(earned, 1)].copy(),
            anchor=np.ones(1, np.uint8),
            pattern=pattern,
            node=node[:e].copy(),
            rank=rank[:e].copy() if len(rank) > 1 else NOTHING,
        )
