"""The loop: every stratum, lowest first, is solved, and its values go to the table.

    for each stratum: edges -> solver -> values -> sink

Where strata live is not seen here: in memory (memory_strata.py), or in files, or as labellings of
unlabelled positions (out_of_core.py).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from perfectplay.progress import Progress
from perfectplay.solvers.work import Work
from perfectplay.strata.graph import Facts
from perfectplay.table.table_sink import Columns, TableSink


class SolvedStratum(NamedTuple):
    """The values of a stratum, and what was done to find them."""

    positions: Any
    columns: Columns
    work: Work


class SolvableStrata(Protocol):
    """All strata of a game, found but not yet solved."""

    facts: Facts
    whole: bool
    """Whether exact values are whole numbers of fixed width."""
    numbered: bool
    """Whether rows are the numbers of positions, and there are no keys."""

    @property
    def sizes(self) -> dict[int, int]:
        """How many rows each stratum has."""

    def recall(self, stratum: int, stored: Columns, work: Work, sink: TableSink) -> None:
        """Take the values that an earlier run had stored in the sink, sorted by key."""

    def solve(self, stratum: int) -> SolvedStratum:
        """Solve a stratum whose lower strata were solved or recalled."""

    def settle(self, solved: int, safe: list[int]) -> None:
        """Give back what no stratum above `solved` needs; the strata `safe` are in the table."""


def solve_strata(
    strata: SolvableStrata,
    sink: TableSink,
    progress: Progress,
    stage: Callable[[str], AbstractContextManager[None]],
) -> list[Work]:
    """Solve every stratum that is not in the table already; what was done to each."""
    numbers = sorted(strata.sizes)
    progress.start("solve", sum(strata.sizes.values()))
    works = [Work(**work) for work in sink.works]
    with stage("solve"):
        for number, work, stored in zip(numbers, works, sink.stored(), strict=False):
            strata.recall(number, stored, work, sink)
            progress.advance(strata.sizes[number])
    for number in numbers[len(works) :]:
        with stage("solve"):
            solved = strata.solve(number)
        works.append(solved.work)
        with stage("write"):
            sink.add(number, *solved)
        progress.advance(len(solved.positions))
        del solved  # perhaps large, and not needed while the next stratum is solved
        strata.settle(number, numbers[: sink.safe])
    progress.finish()
    return works
