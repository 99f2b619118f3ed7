"""Edges: where the moves of some rows lead, as solving/out_of_core.py wants to know it.

`KeyedEdges` asks the rules for the moves of every row, and looks their keys up among those of the
strata in files."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander
from perfectplay.positions.explore import ExpandedBatch, expanded
from perfectplay.positions.key_order import group_by_stratum
from perfectplay.positions.key_set import find, placed
from perfectplay.strata.disk_strata import DiskStrata


@dataclass
class ResolvedEdges:
    """Some rows and where they lead."""

    found: ExpandedBatch
    rows: int
    outside: list[tuple[Any, Array]]
    """(stratum, or another name of where it is; rows there) of all children in lower strata: these
    get the first ids."""
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
        pass  # the files have all that is held

    def parts(self, stratum: int, rows: int) -> Iterator[Array]:
        keys = self.disk_strata.keys(stratum)
        size = len(keys) if stratum in self.inside else rows
        return (keys[i : i + size] for i in range(0, len(keys), size))

    def resolve(self, part: Array, stratum: int) -> ResolvedEdges:
        found = expanded(self.rules, part)
        children, strata = found.batch.child, found.batch.stratum
        keys, child, groups = found.groups or group_by_stratum(children, strata)
        outside = []
        for number, begin, end in groups:
            if number != stratum:  # which is the highest, and so the last
                entry = self.disk_strata.entry(number, self.below[stratum])
                outside.append((number, self._rows(keys[begin:end], entry.keys, entry.begin)))
        resolved = ResolvedEdges(found, len(part), outside, child)
        if resolved.low < found.edges:
            stay = np.flatnonzero(strata == stratum)
            rows = self._rows(children[stay], part, *placed(part))
            child[stay] = rows + np.uint32(resolved.low)
        return resolved

    def _rows(self, wanted: Array, keys: Array, begin: Array, place: Array | None = None) -> Array:
        """uint32[n]: the rows of wanted keys."""
        rows = np.empty(len(wanted), np.uint32)
        missing = find(wanted, keys, begin, rows, place)
        if missing >= 0:
            game = self.rules.game
            raise RulesError(
                f"{type(game).__name__}: a move leads to "
                f"{game.text(self.rules.position(wanted[missing]))}, "
                "which it did not when the rules were asked before",
                "rules must give the same answers every time",
            )
        return rows
