"""Verification of tables by number: each row follows from its children, by the code that verifies
other tables, one run of rows after the other.

Outcomes are proved by induction on their depth, and what one player needs by induction on what it
costs, so that nothing is remembered of a run. Numbers are asked of the rules again: every one
below the size of its stratum must be that of the position it gives, or be stored as a hole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.errors import VerificationError
from perfectplay.positions.batch import Expander
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.rules.game import OVER
from perfectplay.table.numbered import NumberedMemoryTable, NumberedTable, holes
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.verification.progress_proof import RunSummary
from perfectplay.verification.verify_strata import _HINT, StrataVerifier


class StratumKeys:
    """The keys of a stratum by number."""

    def __init__(self, numbering: Numbering, stratum: int) -> None:
        self._numbering, self._stratum = numbering, stratum

    def __len__(self) -> int:
        return self._numbering.sizes[self._stratum]

    def __getitem__(self, number: int) -> Array:
        key: Array = self._numbering.keys(self._stratum, np.array([number]))[0][0]
        return key


class NumberedVerifier(StrataVerifier):
    """Verifies the strata of a table by number, lowest first."""

    def __init__(self, table: Table | MemoryTable, rules: Expander, sample: int | None) -> None:
        super().__init__(table, rules, sample)
        assert isinstance(table, NumberedTable | NumberedMemoryTable)
        self._table = table
        self._numbering = table.numbering = Numbering(rules.game)
        if self._numbering.strata != table.strata:
            raise VerificationError("the strata of the table are not those of the rules", _HINT)

    def check_starts(self) -> None:
        """Every first position must be stored."""
        starts: Any = self.rules
        for keys, strata in starts.start_batches():
            self.children(keys, np.arange(len(keys)), keys, np.broadcast_to(strata, len(keys)), {})

    def stratum(self, number: int) -> int:
        """Verify all rows of one stratum, or some; how many it has."""
        size = self._numbering.sizes[number]
        pieces = list(self._pieces(size))
        found = self._shared(pieces, lambda rows: self._rows(number, rows))
        if found and self._share == 1.0:
            columns = {name: column.copy() for name, column in self._columns(number).items()}
            columns["score"][holes(columns)] = 0
            self.inside: list[dict[str, Array]] = []
            self.check_progress(StratumKeys(self._numbering, number), columns, found)
        return size

    def _columns(self, number: int) -> dict[str, Array]:
        found = self.source.get(number)
        assert found is not None
        return found[1]

    def _values(self, strata: Array, numbers: Array) -> dict[str, Array]:
        """The stored values of positions, given by stratum and number."""
        if self._share < 1.0:
            return self._table.find_all(strata, numbers)
        out: dict[str, Array] = {}
        for number in distinct(strata):
            some = strata == number
            for name, column in self._columns(int(number)).items():
                known = out.setdefault(name, np.empty(len(strata), np.int64))
                known[some] = column[numbers[some]]
        return out

    def _rows(self, number: int, rows: Array) -> list[tuple[int, RunSummary]]:
        """Verify some rows; what is needed of them where scores may go round."""
        keys, missing = self._numbering.keys(number, rows)
        stored = self._values(np.full(len(rows), number), rows)
        wrong = holes(stored) != missing
        if wrong.any():
            what = "stored as a hole, but a position has this number"
            other = "stored as a position, but its number is a hole"
            at = int(np.argmax(wrong))
            self.complain(keys[at], other if missing[at] else what)
        self.checked += int((~missing).sum())
        if missing.all():
            return []
        stored = {name: column[~missing] for name, column in stored.items()}
        self._check_numbers(keys[~missing], stored)
        run = self.run(number, np.ascontiguousarray(keys[~missing]), stored)
        if run is None or self.facts.outcome or self._costs(run):
            return []
        kind, count = np.full(len(rows), OVER, np.int8), np.zeros(len(rows), np.int64)
        kind[~missing], count[~missing] = run.kind, run.count
        return [(int(rows[0]), replace(run, kind=kind, count=count))]

    def _costs(self, run: RunSummary) -> bool:
        """Whether every move costs one player something."""
        return self.facts.players == 1 and bool((run.reward < 0).all())

    def children(
        self, mine: Any, row_of: Array, keys: Any, strata: Array, like: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        """(number of each child in its stratum, values of the children)."""
        numbers = self._numbering.ranks(keys)
        sizes = self._numbering.sizes
        known = np.array([*sizes], np.int64)
        place = np.searchsorted(known, strata).clip(0, len(known) - 1)
        wrong = (known[place] != strata) | (numbers < 0)
        wrong |= numbers >= np.array([*sizes.values()], np.int64)[place]
        values: dict[str, Array] = {name: np.empty(0, np.int64) for name in like}
        if len(keys) and not wrong.any():
            values = self._values(strata, numbers)
            wrong = holes(values)
        if wrong.any():
            lost = int(np.argmax(wrong))
            self.complain(mine[row_of[lost]], f"its child {self._text(keys[lost])} has no number")
        return numbers, values
