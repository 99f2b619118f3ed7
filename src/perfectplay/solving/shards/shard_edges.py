"""Edges and values where strata are cut in shards: a child is at (stratum, shard, row)."""

from __future__ import annotations

import json
from collections import OrderedDict
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander
from perfectplay.positions.explore import ExpandedBatch, expanded
from perfectplay.solving.shards.shard_files import get
from perfectplay.solving.shards.shard_keys import KeyRows, NativeKeys, TextKeys, grouped
from perfectplay.strata.edges import ResolvedEdges

Place = tuple[int, int]
"""A stratum and one of its shards."""
HELD = 1 << 26
"""Rows of shards whose keys can be found without further ado: a byte or more for each."""


def strata_of(found: ExpandedBatch) -> Array:
    """int64[e]: the stratum of each child."""
    batch = found.batch
    missing = len(batch.stratum) != len(batch.child)  # compiled rules without strata
    return np.zeros(len(batch.child), np.int64) if missing else batch.stratum


class ShardedValues:
    """Shards in a folder: their keys and, once they are solved, their values."""

    def __init__(self, folder: Path, keys: NativeKeys | TextKeys) -> None:
        self._folder, self._keys = folder, keys
        self._said: dict[str, Any] = {}
        self._rows: OrderedDict[Place, KeyRows] = OrderedDict()
        self._columns: OrderedDict[Place, dict[str, Array]] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def keys(self, stratum: int) -> dict[str, Any]:
        """Where the keys of a stratum are, and where its moves lead."""
        return self._read(f"{stratum}.keys.json")

    def values(self, stratum: int) -> dict[str, Any]:
        """Where its values are."""
        return self._read(f"{stratum}.values.json")

    def _read(self, name: str) -> dict[str, Any]:
        found = self._said.get(name)
        if found is None:
            found = self._said[name] = json.loads((self._folder / name).read_text())
        return found  # type: ignore[no-any-return]

    def rows(self, place: Place) -> KeyRows:
        """What finds keys in a shard."""
        with self._lock:
            found = self._rows.pop(place, None)
            if found is None:
                layer = self.keys(place[0])
                keys = get(self._folder, layer["keys"][place[1]])
                found = self._keys.rows(keys, layer["bits"], hashed=True)
                self._held += len(keys)
                while self._held > HELD and self._rows:
                    dropped, old = self._rows.popitem(last=False)
                    self._columns.pop(dropped, None)
                    self._held -= len(old.keys)
            self._rows[place] = found
            return found

    # -- What rows lead to (SolvedBelow). ---------------------------------------------------------

    def columns(self, place: Place, stratum: int) -> dict[str, Array]:
        found = self._columns.get(place)
        if found is None:
            where = self.values(place[0])["shards"][place[1]]
            found = {name: get(self._folder, each) for name, each in where.items()}
            self._columns[place] = found
        return found

    def denominator(self, place: Place) -> tuple[int, Any]:
        said = self.values(place[0])
        return int(said["denominator"]), Fraction(said["most"])

    def denominators(self, stratum: int) -> list[int]:
        return [int(self.values(each)["denominator"]) for each in self.keys(stratum)["below"]]


class ShardEdges:
    """The moves of rows are asked of the rules; children are looked up in shards."""

    def __init__(
        self, rules: Expander, keys: NativeKeys | TextKeys, strata: ShardedValues
    ) -> None:
        self._rules, self._keys, self._strata = rules, keys, strata

    def resolve(self, part: Array, stratum: int, *, inside: bool = True) -> ResolvedEdges:
        """Where the rows of a part lead; `inside`: those that lead to the same stratum lead to the
        part, which is all of it; else to its shards."""
        found = expanded(self._rules, self._keys.positions(part))
        children, strata = self._keys.of(found.batch.child), strata_of(found)
        keys, at, groups = found.groups or grouped(children, strata)
        outside: list[tuple[Any, Array]] = []
        moved = np.arange(len(keys), dtype=np.uint32)
        for number, begin, end in groups:
            if inside and number == stratum:  # which is the highest, and so the last
                continue
            bits = self._strata.keys(number)["bits"]
            if not bits:
                outside.append(((number, 0), self._found(keys[begin:end], (number, 0))))
                continue
            shards = self._keys.shard_of(keys[begin:end], bits).astype(np.int64)
            hand, inner, cuts = grouped(keys[begin:end], shards)
            moved[begin:end] = np.uint32(begin) + inner
            for shard, a, b in cuts:
                place = number, shard
                outside.append((place, self._found(hand[a:b], place)))
        resolved = ResolvedEdges(found, len(part), outside, moved[at])
        if resolved.low < found.edges:
            stay = np.flatnonzero(strata == stratum)
            rows = self._keys.rows(part, 0, hashed=False)
            wanted = children[stay]
            resolved.child[stay] = self._there(wanted, rows) + np.uint32(resolved.low)
        return resolved

    def _found(self, wanted: Array, place: Place) -> Array:
        return self._there(wanted, self._strata.rows(place))

    def _there(self, wanted: Array, among: KeyRows) -> Array:
        """uint32[n]: the rows of wanted keys."""
        rows, missing = self._keys.find(wanted, among)
        if missing >= 0:
            raise RulesError(
                f"{type(self._rules.game).__name__}: a move leads to "
                f"{self._keys.shown(wanted[missing])}, "
                "which it did not when the rules were asked before",
                "rules must give the same answers every time",
            )
        return rows
