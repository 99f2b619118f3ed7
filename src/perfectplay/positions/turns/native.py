"""Turns of compiled rules: the patterns of a batch of anchors, and the exits of their turns."""

import threading
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, Int32s
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.positions.batch import NOTHING, Batch
from perfectplay.positions.codes import BEGIN, EXITS, MORE_STEPS, NO_ANCHOR, REWARDS, STRATA, TURNS
from perfectplay.positions.expand_kernel import BatchEdges, BatchRows
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.positions.expand_plain import trouble
from perfectplay.positions.id_index import NativeIndex
from perfectplay.positions.turns.patterns import PatternExits
from perfectplay.positions.turns.turn_kernel import StepRoom, TurnArrays, expand_turns
from perfectplay.positions.turns.walk import TURN, TurnPatterns
from perfectplay.rules.game import OVER, Game

STEPS = 64
"""Steps of a position that there is room for at first."""
_ONE = np.ones(1, np.int8)


class NativeSteps(NativeExpander):
    """Compiled rules of a game by turns, step by step."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._kernel = rules_kernel(expand_turns, game)
        self._room = STEPS
        key = np.zeros((1, self.width), np.int64)
        exits = PatternExits(np.zeros(1, np.int64), NOTHING, NOTHING, key)
        self._no_turns = TurnArrays(key, NOTHING, exits, NOTHING, NOTHING)

    def _call(self, keys: Array, rows: BatchRows, edges: BatchEdges) -> tuple[int, int, int, int]:
        return self._expand_turns(keys, self.flags, rows, edges, self._no_turns)

    def _expand_turns(
        self, keys: Array, flags: int, rows: BatchRows, edges: BatchEdges, turns: TurnArrays
    ) -> tuple[int, int, int, int]:
        """What the kernel returns, once there is room for the steps of every position."""
        while True:
            steps = StepRoom(
                np.empty((self._room, self.width), np.int64),
                np.empty(self._room, np.int64),
                np.zeros((self._room, self.game.players), np.int64),
            )
            found: tuple[int, int, int, int] = self.called(
                self._kernel, self.game, self.sample, keys, flags, rows, edges, turns, steps,
                near=(keys, rows),
            )  # fmt: skip
            if found[3] != MORE_STEPS:
                return found
            self._room *= 4


class NativeTurns(NativeSteps):
    """Compiled rules, whose children are the exits of turns."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.turn_patterns = TurnPatterns(NativeSteps(game).raw(), NativeIndex(self.width))
        self._no_payoff = np.zeros((1, game.players), np.int64)
        self._exits_per_row = 8.0
        self._kept = threading.local()

    def expand(self, positions: Any) -> Batch:
        """The exits of the turns that begin at `positions`, int64[n, width]."""
        keys = np.ascontiguousarray(positions)
        kinds, payoff, pattern = self.begun(keys)
        n = len(keys)
        while True:
            first = np.zeros(n + 1, np.int64)
            edges, node, rank = self._room_for(int(n * self._exits_per_row) + 64)
            rows = BatchRows(np.empty(1, np.int8), self._no_payoff, first, np.empty(1, np.uint8))
            exits = self.turn_patterns.exits()
            turns = TurnArrays(self._no_turns.begins, pattern, exits, node, rank)
            done, _, earned, code = self._expand_turns(
                keys, self.flags | EXITS, rows, edges, turns
            )
            if code:
                raise trouble(self.game, code, self.position(keys[done]))
            if done == n:
                break
            used = int(first[done]) / max(done, 1)
            self._exits_per_row = 1.25 * max(self._exits_per_row, used)
        e = int(first[-1])
        even = not e or edges.weight[:e].max() == 1
        return Batch(
            kind=kinds,
            payoff=payoff,
            first=first,
            child=edges.child[:e].copy(),
            stratum=edges.stratum[: e if self.flags & STRATA else 0].copy(),
            swap=edges.swap[: e if self.flags & TURNS else 1].copy(),
            weight=np.broadcast_to(_ONE, e) if even else edges.weight[:e].copy(),
            reward=edges.reward[: e if self.flags & REWARDS else 1, : max(earned, 1)].copy(),
            anchor=np.ones(1, np.uint8),
            pattern=pattern,
            node=node[:e].copy(),
            rank=rank[:e].copy() if len(rank) > 1 else NOTHING,
        )

    def begun(self, keys: Array) -> tuple[Array, Array, Int32s]:
        """The kinds of rows, their payoffs, and the numbers of their patterns."""
        n = len(keys)
        rows = BatchRows(
            np.empty(n, np.int8),
            np.zeros((n, self.game.players), np.int64),
            np.zeros(n + 1, np.int64),
            np.empty(n, np.uint8),
        )
        turns = self._no_turns._replace(begins=np.zeros((n, self.width), np.int64))
        edges = self._room_for(1)[0]
        done, columns, _, code = self._expand_turns(keys, self.flags | BEGIN, rows, edges, turns)
        inside = (rows.kind != OVER) & (rows.anchor == 0)
        if not code and inside.any():
            done, code = int(inside.argmax()), NO_ANCHOR
        if code:
            raise trouble(self.game, code, self.position(keys[done]))
        pattern = np.full(n, -1, np.int32)
        begun = np.flatnonzero(rows.kind != OVER)
        rows.kind[begun] = TURN
        pattern[begun] = self.turn_patterns.numbers(np.ascontiguousarray(turns.begins[begun]))
        return rows.kind, rows.payoff[:, : max(columns, 1)], pattern

    def _room_for(self, exits: int) -> tuple[BatchEdges, Int32s, Int32s]:
        """Arrays for exits, their nodes and ranks, kept from batch to batch: fresh memory is
        dear."""
        kept: tuple[BatchEdges, Int32s, Int32s] | None = getattr(self._kept, "edges", None)
        if kept is None or len(kept[0].child) < exits:
            kept = self._kept.edges = (
                self._new_edges(exits, weighted=True),
                np.empty(exits, np.int32),
                np.zeros(exits if self.game.players > 2 else 1, np.int32),
            )
        return kept
