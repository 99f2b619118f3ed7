"""Edges: where the moves of some rows lead, as solving/out_of_core.py wants to know it.

`KeyedEdges` asks the rules for the moves of every row, and looks their keys up among those of the
strata on the shelf."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander
from perfectplay.positions.explore import ExpandedBatch, expanded
from perfectplay.positions.group_by_stratum import group_by_stratum
from perfectplay.positions.key_set import begins, find
from perfectplay.strata.disk_strata import DiskStrata


@dataclass
class ResolvedEdges:
    """Some rows and where they lead."""

    found: ExpandedBatch
    rows: int
    outside: list[tuple[int, Array]]
    """(stratum, rows there) of all children in lower strata: these get the first ids."""
    child: Array
    """uint32[e]: the id of each child; rows have the ids after those of lower strata."""

    @property
    def low(self) -> int:
        """The id of the first row."""
        return sum(len(there) for _, there in self.outside)


class Edges(Protocol):
    """What solving/out_of_core.py asks."""

    def keys(self, stratum: int) -> Array:
        """The keys of all rows of a stratum, some of them perhaps twice."""

    def parts(self, stratum: int, rows: int) -> Iterator[Any]:
        """Parts of a stratum with about so many rows each; all of it if moves stay inside."""

    def resolve(self, part: Any, stratum: int) -> ResolvedEdges:
        """Where the rows of a part lead."""

    def forget(self, stratum: int) -> None:
        """No stratum that is still to be solved leads to this one."""


class KeyedEdges:
    """Rows are keys in files; their moves are asked of the rules."""

    def __init__(
        self,
        rules: Expander,
        disk_strata: DiskStrata,
        below: dict[int, list[int]],
        inside: set[int],
    ) -> None:
        self.rules, self.disk_strata, self.below, self.inside = rules, disk_strata, below, inside

    def keys(self, stratum: int) -> Array:
        return self.disk_strata.keys(stratum)

    def forget(self, stratum: int) -> None:
        pass  # the shelf has all that is held

    def parts(self, stratum: int, rows: int) -> Iterator[Array]:
        keys = self.disk_strata.keys(stratum)
        size = len(keys) if stratum in self.inside else rows
        return (keys[i : i + size] for i in range(0, len(keys), size))

    def resolve(self, part: Array, stratum: int) -> ResolvedEdges:
        found = expanded(self.rules, part)
        outside, child = self._outside(found, stratum)
        resolved = ResolvedEdges(found, len(part), outside, child)
        if resolved.low < found.edges:
            self._stays(
                found.batch.child, found.batch.stratum, stratum, (part, resolved.low), child
            )
        return resolved

    def _outside(
        self, found: ExpandedBatch, stratum: int
    ) -> tuple[list[tuple[int, Array]], Array]:
        """(stratum, rows there) of all children in lower strata, and the ids that they get, in
        this order."""
        out: list[tuple[int, Array]] = []
        keys, child, groups = found.groups or group_by_stratum(
            found.batch.child, found.batch.stratum
        )
        for number, begin, end in groups:
            if number == stratum:  # the highest, and so the last
                continue
            entry = self.disk_strata.entry(number, self.below[stratum])
            rows = np.empty(end - begin, np.uint32)
            missing = find(keys[begin:end], entry.keys, entry.begin, rows)
            if missing >= 0:
                raise self._lost(keys[begin + missing])
            out.append((number, rows))
        return out, child

    def _stays(
        self, children: Array, strata: Array, stratum: int, mine: tuple[Array, int], child: Array
    ) -> None:
        """Ids of children that are rows themselves."""
        keys, low = mine
        edges = np.flatnonzero(strata == stratum)
        rows = np.empty(len(edges), np.uint32)
        missing = find(children[edges], keys, begins(keys), rows)
        if missing >= 0:
            raise self._lost(children[edges[missing]])
        child[edges] = rows + np.uint32(low)

    def _lost(self, key: Array) -> RulesError:
        game = self.rules.game
        return RulesError(
            f"{type(game).__name__}: a move leads to {game.text(self.rules.position(key))}, "
            "which it did not when the rules were asked before",
            "rules must give the same answers every time",
        )
