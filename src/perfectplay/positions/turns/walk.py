"""Turns: what lies between two anchors is walked through once, and not stored.

A game that is solved by turns stores only its anchors, such as the starts of turns, and the ends
of play. The **turn** of an anchor is what lies between it and the next ones: positions inside,
which never come back within it, and **exits**, the steps that end it. Anchors whose turns differ
by nothing but their exits share a **pattern** (`ByTurns.pattern`). So a turn has two halves:

* its pattern, found once: the positions inside, children first, equal ones merged (`Patterns`);
* its exits, asked of the rules for every anchor (`expand` of `NativeTurns` and `PlainTurns`):
  they are the children of the anchor, as far as exploring, strata and tables are concerned.
"""

import threading
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Batch, Expander, of_each_player, some
from perfectplay.positions.codes import NO_ANCHOR, OTHER_PATTERN
from perfectplay.positions.expand_plain import PlainExpander, columns_of, integers, trouble
from perfectplay.positions.explained import failing
from perfectplay.positions.id_index import NativeIndex, PlainIndex, grown
from perfectplay.positions.turns.patterns import PatternExits, Patterns, TurnPositions, arranged
from perfectplay.rules.game import OVER, Game

TURN = -3
"""The kind of a row that stands for a whole turn."""
MOST = 50_000_000
"""Positions of the turns that are walked through at once."""


class GrowingArray:
    """An array that is added to at its end."""

    def __init__(self, dtype: Any, columns: int = 0) -> None:
        self._room = np.empty((64, columns) if columns else 64, dtype)
        self.size = 0

    def add(self, rows: Array) -> None:
        """Add rows, which may have fewer columns."""
        end = self.size + len(rows)
        if end > len(self._room):
            self._room = grown(self._room, max(end, 2 * len(self._room)))
        if rows.ndim > 1:
            self._room[self.size : end] = 0
            self._room[self.size : end, : rows.shape[1]] = rows
        else:
            self._room[self.size : end] = rows
        self.size = end

    @property
    def array(self) -> Array:
        """What there is; it is not changed by further additions."""
        return self._room[: self.size]


class TurnPatterns:
    """The patterns found so far, and a number for each. Threads may share it."""

    def __init__(self, raw: Expander, index: Any) -> None:
        self.raw = raw
        """Rules that give children as they are, not their representatives."""
        self.lock = threading.Lock()
        self.inside = 0
        """Positions inside the turns walked through."""
        self._index = index
        self._count = 0
        players = raw.game.players
        self._columns = {
            "start": GrowingArray(np.int64),
            "kind": GrowingArray(np.int8),
            "first": GrowingArray(np.int64),
            "to": GrowingArray(np.int32),
            "weight": GrowingArray(np.int64),
            "reward": GrowingArray(np.int64, players),
            "rank": GrowingArray(np.int32),
            "exit_start": GrowingArray(np.int64),
            "exit_node": GrowingArray(np.int32),
            "inner": GrowingArray(np.int32),
        }
        for name in ("start", "first", "exit_start"):
            self._columns[name].add(np.zeros(1, np.int64))
        self.keys: Any = GrowingArray(np.int64, raw.width) if raw.width else []
        """The positions of the pattern at which a turn may end."""

    def numbers(self, positions: Any) -> Array:
        """The numbers of patterns that begin at these positions; new ones are walked through."""
        with self.lock:
            numbers, after = self._index.insert(positions, self._count)
            if after > self._count:
                roots = self._index.positions(self._count, after)
                self._count = after
                self._add(walk(self.raw, roots), len(roots))
            out: Array = numbers.astype(np.int32)
            return out

    def _add(self, walked: TurnPositions, turns: int) -> None:
        found, exits = arranged(walked, turns, self.raw)
        self.inside += int((~walked.leaf).sum())
        columns = self._columns
        columns["start"].add(found.start[1:] + columns["kind"].size)
        columns["first"].add(found.first[1:] + columns["to"].size)
        columns["exit_start"].add(exits.start[1:] + columns["exit_node"].size)
        columns["exit_node"].add(exits.node)
        columns["inner"].add(exits.inner)
        for name in ("kind", "to", "weight", "reward", "rank"):
            columns[name].add(getattr(found, name))
        if self.raw.width:
            self.keys.add(exits.positions)
        else:
            self.keys += exits.positions

    def roots(self) -> Any:
        """The positions at which patterns begin, by their numbers."""
        with self.lock:
            return self._index.positions(0, self._count)

    def exits(self) -> PatternExits:
        """Where the turns of all known patterns may end."""
        with self.lock:
            start, node, inner = (
                self._columns[name].array for name in ("exit_start", "exit_node", "inner")
            )
            return PatternExits(
                start, node, inner, self.keys.array if self.raw.width else self.keys
            )

    def patterns(self) -> Patterns:
        """All patterns, for solvers."""
        names = ("start", "kind", "first", "to", "weight", "reward", "rank")
        return Patterns(**{name: self._columns[name].array for name in names})


def walk(raw: Expander, roots: Any) -> TurnPositions:
    """Walk through the turns that begin at `roots`."""
    many = len(roots)
    index: Any = NativeIndex(raw.width + 1, many) if raw.width else PlainIndex(0)
    index.insert(_tagged(np.arange(many), roots), 0)
    found: list[Any] = []
    reward = GrowingArray(np.int64, raw.game.players)
    done = 0
    while done < index.count:
        end = min(index.count, done + (1 << 15))
        tags, positions = _untagged(index.positions(done, end))
        batch = raw.expand(positions)
        leaf = np.broadcast_to(batch.anchor, len(tags)).astype(bool)
        leaf[: max(0, many - done)] = False
        row = np.repeat(np.arange(len(tags)), np.diff(batch.first))
        kept = ~leaf[row]
        children = some(batch.child, np.flatnonzero(kept))
        child = index.insert(_tagged(tags[row[kept]], children), index.count)[0]
        count = np.where(leaf, 0, np.diff(batch.first))
        weight = np.broadcast_to(batch.weight, len(row))[kept]
        given = np.broadcast_to(batch.reward, (len(row), batch.reward.shape[1]))[kept]
        reward.add(of_each_player(given, batch.kind[row[kept]], raw.game.players))
        found.append((tags, leaf, batch.kind, count, child.astype(np.int64), weight))
        done = end
        if index.count > MOST:
            raise RulesError(
                f"{type(raw.game).__name__}: turns have more than {MOST:,} positions",
                "anchor(p) must hold wherever a turn begins",
            )
    tags, leaf, kind, count, child, weight = map(np.concatenate, zip(*found, strict=True))
    first = np.zeros(len(kind) + 1, np.int64)
    np.cumsum(count, out=first[1:])
    positions = _untagged(index.positions(0, index.count))[1]
    return TurnPositions(tags, positions, kind, leaf, first, child, weight, reward.array)


def _tagged(tags: Array, positions: Any) -> Any:
    """Positions together with the turn that they belong to."""
    if isinstance(positions, np.ndarray):
        return np.column_stack([tags, positions])
    return list(zip(tags.tolist(), positions, strict=True))


def _untagged(pairs: Any) -> tuple[Array, Any]:
    if isinstance(pairs, np.ndarray):
        return pairs[:, 0].copy(), np.ascontiguousarray(pairs[:, 1:])
    return np.array([t for t, _ in pairs], np.int64), [p for _, p in pairs]


class PlainTurns(PlainExpander):
    """Interpreted rules, whose children are the exits of turns."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._raw = PlainExpander(game).raw()
        self.turn_patterns = TurnPatterns(self._raw, PlainIndex(0))
        turns: Any = game
        self.pattern, self.carried, self.anchor = turns.pattern, turns.carried, turns.anchor

    def expand(self, positions: Any) -> Batch:
        """The exits of the turns that begin at `positions`."""
        with failing(self.game, positions):
            kinds = [TURN if self._goes_on(p) else OVER for p in positions]
            begun = [p for p, kind in zip(positions, kinds, strict=True) if kind == TURN]
            numbers = iter(self.turn_patterns.numbers([self.pattern(p) for p in begun]).tolist())
            pattern = [next(numbers) if kind == TURN else -1 for kind in kinds]
            rows = [
                self._exits(p, n) if n >= 0 else []
                for p, n in zip(positions, pattern, strict=True)
            ]
            payoffs = [
                self.game.payoff(p) if n < 0 else 0
                for p, n in zip(positions, pattern, strict=True)
            ]
        edges = [edge for row in rows for edge in row]
        child, stratum, swap, weight, reward, node, rank = (
            zip(*edges, strict=True) if edges else [()] * 7
        )
        return Batch(
            kind=np.array(kinds, np.int8),
            payoff=columns_of(payoffs, self.game),
            first=np.cumsum([0, *map(len, rows)], dtype=np.int64),
            child=list(child),
            stratum=integers(stratum, self.game),
            swap=np.array(swap, np.uint8),
            weight=np.array(weight, np.int64),
            reward=columns_of(list(reward), self.game),
            anchor=np.ones(1, np.uint8),
            pattern=np.array(pattern, np.int32),
            node=np.array(node, np.int32),
            rank=np.array(rank, np.int32),
        )

    def _goes_on(self, p: Any) -> bool:
        kind = self.game.to_move(p)
        if kind == OVER or (kind >= 0 and not any(True for _ in self.game.moves(p))):
            return False
        if not self.anchor(p):
            raise trouble(self.game, NO_ANCHOR, p)
        return True

    def _exits(self, p: Any, number: int) -> list[tuple[Any, ...]]:
        """The exits of the turn of `p`: (child, stratum, swap, weight, reward, node, rank)."""
        start, nodes, inner, keys = self.turn_patterns.exits()
        edges: list[tuple[Any, ...]] = []
        for x in range(int(start[number]), int(start[number + 1])):
            q, node = self.carried(keys[x], p), int(nodes[x])
            steps = self._raw.children(q)[1]
            leaving = [
                (*self._reduced(child), weight, reward, node, rank)
                for rank, (child, _, _, weight, reward) in enumerate(steps)
                if self.anchor(child)
            ]
            if len(steps) - len(leaving) != inner[x]:
                raise trouble(self.game, OTHER_PATTERN, p)
            edges += leaving if steps else [(*self._reduced(q), 1, 0, node, 0)]
        return edges
