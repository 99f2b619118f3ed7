"""ShardedStrata: strata cut in shards, in files, which tasks find and solve.

The process that runs this hands out tasks and holds no positions, but for a stratum while it goes
to the table. How a stratum is cut follows from the lengths of the runs that lead to it, and so
from rules and counts alone: not from memory, workers, or where they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.progress import size as shown
from perfectplay.solvers.exact.denominators import Denominators
from perfectplay.solvers.store import Fractions, WholeNumbers, new_store
from perfectplay.solvers.work import Work
from perfectplay.solving.budget import SURE
from perfectplay.solving.loop import SolvedStratum
from perfectplay.solving.out_of_core import EDGE
from perfectplay.solving.shards.dispatcher import Dispatcher
from perfectplay.solving.shards.rounds import in_rounds, serves
from perfectplay.solving.shards.row_solver import JoinedRows, SolvedRows
from perfectplay.solving.shards.shard_files import Json, Slice, get, put, slices
from perfectplay.solving.shards.shard_keys import grouped
from perfectplay.solving.shards.workshop import KNOWN, Workshop
from perfectplay.strata.disk_strata import working_files
from perfectplay.strata.facts import FactFinder
from perfectplay.strata.graph import Facts
from perfectplay.strata.sealed_files import write_atomic
from perfectplay.table.table_sink import Columns, TableSink

ROWS = 1 << 17
"""Keys of a shard, about."""
SHARDS = 6
"""Bits of the number of shards, until they have MANY rows each."""
MANY = 1 << 24


def bits_for(rows: int) -> int:
    """The first bits of hashes that name the shard, for a stratum with so many rows or fewer."""
    wanted = max(0, ((rows - 1) // ROWS).bit_length())
    return wanted if wanted <= SHARDS else max(SHARDS, ((rows - 1) // MANY).bit_length())


@dataclass
class ShardedStratum:
    """A stratum whose keys are found."""

    bits: int
    keys: list[Slice]
    below: list[int]
    inside: bool
    """Whether moves stay in it."""

    @property
    def rows(self) -> int:
        """How many positions it has."""
        return sum(each.rows for each in self.keys)


@dataclass
class ShardedStrata:
    """All strata of a game, in files, as the loop of loop.py wants them."""

    tasks: Dispatcher
    memory: int
    """Bytes that a worker may use."""
    room: int
    """Bytes that files may take."""
    numbered: bool = False
    whole: bool = False
    facts: Facts = field(init=False)
    used: int = 0
    most_used: int = 0
    _strata: dict[int, ShardedStratum] = field(default_factory=dict)
    _runs: dict[int, list[Slice]] = field(default_factory=dict)
    _wanted: dict[str, set[int]] = field(default_factory=dict)
    """For each file of runs the strata that are not closed yet."""
    _dropped: set[int] = field(default_factory=set)
    _users: dict[int, int] = field(default_factory=dict)
    """For each stratum the highest one that leads to it."""
    _edges: int = 0
    _bytes: dict[str, int] = field(default_factory=dict)
    """What files take."""

    @property
    def shop(self) -> Workshop:
        """The run, as tasks know it."""
        return self.tasks.shop

    # -- Exploring. -------------------------------------------------------------------------------

    def explore(self, *, exact: bool) -> None:
        """Find all positions, from the highest stratum down."""
        book = self.shop.rules.turn_patterns
        finder = FactFinder(self.shop.rules.game, book)
        gauge = Denominators(book) if exact else None
        self._begin()
        while self._runs:
            stratum = max(self._runs)
            found = self._close(stratum)
            mine = self._strata[stratum]
            for each in found:
                finder.merge(each["facts"])
                if each["roots"]:
                    book.numbers(np.array(each["roots"], np.int64))
                if gauge is not None and not mine.inside:
                    gauge.merge(each["gauge"])
            if gauge is not None:
                gauge = None if mine.inside else gauge
            if gauge is not None:
                gauge.settle(stratum, mine.below)
        self.facts = finder.facts()
        whole = gauge is not None and gauge.whole
        self.whole = self.facts.scalar and self.facts.chance and whole
        if isinstance(new_store(self.facts, 0, exact=exact, whole=self.whole), Fractions):
            raise UsageError(
                "exact values of this game need fractions of any size, which are not kept in "
                "shards",
                "solve it without --on, or without --exact",
            )
        rows = sum(each.rows for each in self._strata.values())
        self._say(
            KNOWN,
            {
                "facts": asdict(self.facts),
                "whole": self.whole,
                "per_row": self._edges / max(1, rows),
            },
        )
        for stratum in sorted(self._strata):
            self._refuse_large(stratum, self._edges / max(1, rows))
        self._users = {
            other: stratum for stratum in sorted(self._strata)
            for other in self._strata[stratum].below
        }  # fmt: skip

    def _begin(self) -> None:
        """Put first positions into runs."""
        rules, keys = self.shop.rules, self.shop.keys
        sets: dict[int, Any] = {}
        for positions, strata in rules.start_batches():
            starts, _, groups = grouped(keys.of(positions), strata)
            for stratum, begin, end in groups:
                sets.setdefault(stratum, keys.growing(0)).insert(starts[begin:end])
        named = sorted(sets)
        runs = put(self.shop.folder, "start.runs", (sets[each].ordered()[0] for each in named))
        self._take(dict(zip(named, runs, strict=True)))

    def _take(self, runs: dict[int, Slice]) -> None:
        """Runs of keys that tasks have written into one file."""
        for stratum, run in runs.items():
            self._runs.setdefault(stratum, []).append(run)
            self._wanted.setdefault(run.file, set()).add(stratum)
            self._count([run])

    def _close(self, stratum: int) -> list[Json]:
        """Find all positions of a stratum, in rounds if its moves stay in it."""
        known: list[Slice] = []
        found: list[Json] = []
        runs, round_, bits = self._runs.pop(stratum), 0, 0
        while runs:
            rows = sum(each.rows for each in (*known, *runs))
            bits = bits_for(rows)
            every = [
                {
                    "stratum": stratum, "round": round_, "shard": shard, "bits": bits,
                    "runs": runs, "known": known,
                }
                for shard in range(1 << bits)
            ]  # fmt: skip
            results = self.tasks.do("explore", every, rows=rows)
            known = known + slices([each["keys"] for each in results])
            self._count(known[-len(results) :])
            for each in results:
                self._take({int(t): Slice(*run) for t, run in each["runs"].items()})
                self._edges += each["edges"]
                self.tasks.progress.advance(each["keys"][3])
            self._closed(stratum, runs)
            found += results
            runs = self._runs.pop(stratum, [])
            round_ += 1
        if round_ > 1:
            known, bits = self._in_order(stratum, known)
        below = {other for each in found for other in each["below"]}
        mine = ShardedStratum(bits, known, sorted(below - {stratum}), stratum in below)
        self._strata[stratum] = mine
        self._say(f"{stratum}.keys.json", asdict(mine))
        return found

    def _in_order(self, stratum: int, known: list[Slice]) -> tuple[list[Slice], int]:
        """Shards of a stratum whose keys were found in several rounds."""
        rows = sum(each.rows for each in known)
        bits = bits_for(rows)
        every = [
            {"stratum": stratum, "shard": shard, "bits": bits, "known": known}
            for shard in range(1 << bits)
        ]
        keys = slices([each["keys"] for each in self.tasks.do("close", every, rows=rows)])
        self._count(keys)
        for each in known:
            self._remove(each.file)
        return keys, bits

    def _closed(self, stratum: int, runs: list[Slice]) -> None:
        """Remove runs that were taken by all strata they lead to."""
        for run in runs:
            left = self._wanted[run.file]
            left.discard(stratum)
            if not left:
                self._remove(run.file)

    def _refuse_large(self, stratum: int, per_row: float) -> None:
        mine = self._strata[stratum]
        needed = int(EDGE * per_row * mine.rows)
        together = mine.inside and not serves(self.facts, mine.rows)
        if together and needed > SURE * self.memory:
            error = TooLargeError(
                f"too large: stratum {stratum}, in which moves stay, has {mine.rows:,} positions, "
                f"which need about {shown(needed)} of memory together; a worker has "
                f"{shown(self.memory)}",
                "give workers more memory, or choose smaller parameters",
            )
            error.resumable = True
            raise error

    # -- Files. -----------------------------------------------------------------------------------

    def _say(self, name: str, data: Json) -> None:
        """Tell workers what they need to know, once."""
        text = json.dumps(data).encode()
        path = self.shop.folder / name
        with working_files(self.shop.folder):
            if not path.exists() or path.read_bytes() != text:
                write_atomic(path, text)

    def _count(self, written: Iterable[Slice]) -> None:
        for each in written:
            size = each.rows * max(1, each.columns) * np.dtype(each.kind).itemsize
            self._bytes[each.file] = self._bytes.get(each.file, 0) + size
            self.used += size
        self.most_used = max(self.most_used, self.used)
        if self.used > self.room:
            error = TooLargeError(
                f"working files would take more than {shown(self.used)}; "
                f"{shown(self.room)} may be used",
                "allow more with --disk, or put the table on a larger disk",
            )
            error.resumable = True
            raise error

    def _remove(self, name: str) -> None:
        self.used -= self._bytes.pop(name, 0)
        (self.shop.folder / name).unlink(missing_ok=True)

    # -- Solving, as the loop asks for it. --------------------------------------------------------

    @property
    def sizes(self) -> dict[int, int]:
        """How many rows each stratum has."""
        return {stratum: each.rows for stratum, each in self._strata.items()}

    def _keys(self, stratum: int) -> Any:
        """The positions of a stratum, shard by shard."""
        keys = np.concatenate([get(self.shop.folder, s) for s in self._strata[stratum].keys])
        return keys if self.shop.native else self.shop.keys.positions(keys)

    def recall(self, stratum: int, stored: Columns, work: Work, sink: TableSink) -> None:
        left = sorted(self.sizes)[min(len(sink.works), len(self.sizes) - 1)]
        if self._users.get(stratum, stratum) < left:
            return  # nothing that is left to do leads there
        if not (self.shop.folder / f"{stratum}.values.json").exists():
            found = sink.unsorted(self._keys(stratum), stored)
            most: Any = 0
            if self.whole:
                store = WholeNumbers(np.zeros((len(next(iter(found.values()))), 1), np.int64))
                store.load(0, found, work.denominator)
                most = store.most
            self._put(stratum, found, work.denominator or "1", most)

    def solve(self, stratum: int) -> SolvedStratum:
        mine, folder = self._strata[stratum], self.shop.folder
        if mine.inside and serves(self.facts, mine.rows):
            columns, work = in_rounds(self.tasks, stratum, mine.keys, self._remove)
            if stratum in self._users:
                self._put(stratum, columns, "1", 0)
            return SolvedStratum(self._keys(stratum), columns, work)
        full = [shard for shard, keys in enumerate(mine.keys) if keys.rows]
        every = [{"stratum": stratum, "shard": c} for c in (full[:1] if mine.inside else full)]
        results = self.tasks.do("solve", every, rows=mine.rows)
        rows = JoinedRows(mine.rows)
        for each in results:
            self._count(slices(list(each["columns"].values())))
            columns = {name: get(folder, where) for name, where in each["columns"].items()}
            top, work = columns.pop("top", None), Work(**each["work"])
            denominator, total = int(each["denominator"]), int(each["total"])
            rows.take(SolvedRows(columns, work, top, denominator, total))
        joined, work, denominator, most = rows.finish()
        if stratum in self._users:
            if self.whole or mine.inside:
                self._put(stratum, joined, str(denominator), most)
            else:
                where = {c: each["columns"] for c, each in zip(full, results, strict=True)}
                shards = [where.get(c, {}) for c in range(len(mine.keys))]
                self._say_values(stratum, shards, "1", 0)
        return SolvedStratum(self._keys(stratum), joined, work)

    def _put(self, stratum: int, columns: Columns, denominator: str, most: Any) -> None:
        """Write the values of a stratum for those above it."""
        with working_files(self.shop.folder):
            where = put(self.shop.folder, f"{stratum}.values", columns.values())
        self._count(where)
        shards, at = [], 0
        for each in self._strata[stratum].keys:
            end = at + each.rows
            parts = (whole.part(at, end) for whole in where)
            shards.append(dict(zip(columns, parts, strict=True)))
            at = end
        self._say_values(stratum, shards, denominator, most)

    def _say_values(self, stratum: int, shards: list[Any], denominator: str, most: Any) -> None:
        said = {"shards": shards, "denominator": denominator, "most": str(most)}
        self._say(f"{stratum}.values.json", said)

    def settle(self, solved: int, safe: list[int]) -> None:
        """Remove what no stratum to come needs, once all that came of it is in the table."""
        if not safe:
            return
        for stratum in sorted(self.sizes):
            if stratum > safe[-1]:
                break
            if stratum in self._dropped or self._users.get(stratum, stratum) > safe[-1]:
                continue
            self._dropped.add(stratum)
            for path in self.shop.folder.glob(f"{stratum}.*"):
                if not path.name.endswith(".keys.json"):
                    self._remove(path.name)

    def close(self) -> None:
        """Remove all files."""
        self.tasks.journal.close()
        shutil.rmtree(self.shop.folder, ignore_errors=True)
