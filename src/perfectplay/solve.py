"""The spine: rules -> positions -> strata -> values -> table -> answer.

`solve` reads as that sentence; everything it calls is one module away.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.answer import Solution
from perfectplay.audit import Audit
from perfectplay.batch import Expander
from perfectplay.digest import rules_digest
from perfectplay.expand import expander
from perfectplay.explore import Explorer
from perfectplay.facts import FactFinder, graph
from perfectplay.game import Game, parameters
from perfectplay.graph import Facts
from perfectplay.layers import Layers
from perfectplay.load import rules_path
from perfectplay.lookup import MemoryTable, Table
from perfectplay.memory import Budget, peak_memory
from perfectplay.progress import Progress, Silent
from perfectplay.solvers import Options, Work
from perfectplay.store import Bounds, Fractions, Store, new_store
from perfectplay.table import TableWriter

FORMAT = 1


def solve(  # noqa: PLR0913
    game: Game,
    folder: str | Path | None = None,
    *,
    exact: bool = False,
    workers: int | None = None,
    memory: int | None = None,
    plain: bool = False,
    ties: str = "first",
    fresh: bool = False,
    progress: Progress | None = None,
) -> Solution:
    """Solve every position that can arise from the start of `game`.

    With a `folder`, values go to a table there, a run that was killed is taken up where it was,
    and a finished table of the same rules is opened instead of solved again (`fresh` solves
    anyway). Without one the solution lives in memory. `exact` asks for rationals where floats with
    proved bounds would do; `memory` is a budget in bytes; `plain` interprets native rules."""
    options = Options(exact=exact, workers=workers or os.cpu_count() or 1, ties=ties)
    run = _Run(game, options, plain=plain, progress=progress or Silent())
    folder = Path(folder) if folder is not None else None
    finished = None if folder is None or fresh else run.finished(folder)
    if finished is not None:
        return Solution(game, finished, run.report(finished, folder))
    layers, facts = run.explore(Budget(memory), folder)
    try:
        table = run.fill(layers, facts, folder, fresh=fresh)
    finally:
        layers.close()
    return Solution(game, table, run.report(table, folder))


def choose(facts: Facts) -> Callable[..., Work]:
    """The solver for a stratum of a game with these facts."""
    match facts:
        case Facts(outcome=True):
            name = "retrograde"
        case Facts(scalar=True, chance=True):
            name = "stochastic"
        case Facts(scalar=True, players=1):
            name = "puzzle"
        case Facts(scalar=True):
            name = "scores"
        case _:
            name = "vectors"
    solver: Callable[..., Work] = import_module(f"perfectplay.solvers.{name}").solve
    return solver


@dataclass
class _Run:
    """One run of `solve`: what is asked, how long each stage took, what the solvers did."""

    game: Game
    options: Options
    plain: bool
    progress: Progress
    seconds: dict[str, float] = field(
        default_factory=lambda: {"compile": 0.0, "expand": 0.0, "solve": 0.0, "write": 0.0}
    )
    resumed: int = 0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - began

    def identity(self) -> dict[str, Any]:
        """What makes two runs the same work."""
        game = self.game
        return {
            "format": FORMAT,
            "game": rules_path(game),
            "parameters": {name: _plain(value) for name, value in parameters(game).items()},
            "rules": rules_digest(game),
            "plain": self.plain or not game.native,
            "exact": self.options.exact,
            "ties": self.options.ties,
        }

    def finished(self, folder: Path) -> Table | None:
        """The table in `folder`, if it is the finished table of this very work."""
        if not (folder / "manifest.json").exists():
            return None
        table = Table.open(folder)
        mine = self.identity()
        return table if {key: table.header.get(key) for key in mine} == mine else None

    def explore(self, budget: Budget, folder: Path | None) -> tuple[Layers, Facts]:
        """rules -> positions -> strata."""
        with self.stage("compile"):
            self.progress.start("compile")
            self.rules: Expander = expander(self.game, plain=self.plain)
            if self.rules.width:
                self.rules.expand(self.rules.starts()[0])
        working = folder.with_name(folder.name + ".working") if folder else None
        layers = Layers(working)
        finder = FactFinder(self.game)
        with self.stage("expand"):
            self.progress.start("expand")
            walk = Explorer(self.rules, self.options.workers)
            try:
                for layer in walk.layers(budget.watch(walk, layers, self.progress)):
                    finder.look(layer)
                    layers.add(layer)
                return layers, finder.facts()
            except BaseException:
                layers.close()
                raise

    def fill(
        self, layers: Layers, facts: Facts, folder: Path | None, *, fresh: bool
    ) -> Table | MemoryTable:
        """strata -> values -> table, lowest stratum first."""
        self.facts = facts
        store = new_store(facts, layers.positions, exact=self.options.exact)
        header = {**self.identity(), "facts": asdict(facts)}
        if folder is None:
            kept: list[tuple[int, Any]] = []
            works = self._solve(
                layers, facts, store, lambda s, keys, low, high, work: kept.append((s, keys))
            )
            return _in_memory(header, self.rules.width, kept, store, self._extra(works, layers))
        with TableWriter(folder, header, self.rules.width, fresh=fresh) as writer:
            if writer.finished is not None:
                return writer.finished
            for _, first, _, columns in writer.stored():
                store.load(first, columns)
            self.resumed = writer.rows
            before = [Work(**work) for work in writer.work]
            works = before + self._write(layers, facts, store, writer)
            with self.stage("write"):
                return writer.finish(self._extra(works, layers))

    def _write(
        self, layers: Layers, facts: Facts, store: Store, writer: TableWriter
    ) -> list[Work]:
        """Solve, while another thread writes what is solved."""
        writing: list[Future[None]] = []
        with ThreadPoolExecutor(1) as pen:

            def write(stratum: int, keys: Any, low: int, high: int, work: Work) -> None:
                while len(writing) > 1 or (writing and writing[0].done()):
                    writing.pop(0).result()
                columns = store.columns(low, high)
                writing.append(pen.submit(writer.add, stratum, keys, columns, vars(work)))

            works = self._solve(layers, facts, store, write)
            with self.stage("write"):
                for page in writing:
                    page.result()
        return works

    def _solve(
        self,
        layers: Layers,
        facts: Facts,
        store: Store,
        write: Callable[[int, Any, int, int, Work], None],
    ) -> list[Work]:
        """Solve every stratum that is not on disk already; what was done to each."""
        solver = choose(facts)
        works: list[Work] = []
        audit = (
            Audit(facts, store) if isinstance(store, Bounds | Fractions) and facts.scalar else None
        )
        self.progress.start("solve", layers.positions)
        ids = layers.ids()
        low = 0
        for stratum in sorted(layers.sizes):
            high = low + layers.sizes[stratum]
            layer = layers.take(stratum)
            if low >= self.resumed:
                with self.stage("solve"):
                    moves = graph(layer, facts, ids, low)
                    work = solver(moves, facts, store, self.options)
                    if audit is not None:
                        audit.look(moves, work)
                    works.append(work)
                with self.stage("write"):
                    write(stratum, layer.keys, low, high, work)
            self.progress.advance(layer.size)
            low = high
        self.progress.finish()
        return works

    def _extra(self, works: list[Work], layers: Layers) -> dict[str, Any]:
        """What the manifest says besides the header."""
        work = Work({})
        for each in works:
            work.add(each)
        strata = len(layers.sizes)
        return {
            "methods": dict(sorted(work.methods.items())),
            "strata": work.components if strata == 1 and work.components else strata,
            "notes": sorted(set(work.notes)),
            "residual": work.residual,
            "policy_gap": work.gap,
        }

    def report(self, table: Table | MemoryTable, folder: Path | None) -> dict[str, Any]:
        """What `solve --json` prints, except for the value of the start."""
        return {
            "game": table.header["game"],
            "parameters": table.header["parameters"],
            "positions": table.rows,
            "strata": table.extra["strata"],
            "methods": table.extra["methods"],
            "notes": table.extra["notes"],
            "policy_gap": table.extra["policy_gap"],
            "seconds": {name: round(took, 4) for name, took in self.seconds.items()},
            "peak_memory": peak_memory(),
            "table": str(folder) if folder else None,
            "signature": table.signature,
        }


def _in_memory(
    header: dict[str, Any], width: int, kept: list[tuple[int, Any]], store: Store, extra: Any
) -> MemoryTable:
    """A table of strata that were kept instead of written."""
    strata = [(stratum, len(keys)) for stratum, keys in kept]
    keys: Any
    if width:
        keys = np.concatenate([keys for _, keys in kept])
    else:
        keys = [text for _, texts in kept for text in texts]
    return MemoryTable(header, width, strata, keys, store.columns(0, len(keys)), extra)


def _plain(value: Any) -> Any:
    """A parameter as JSON would give it back."""
    return [_plain(x) for x in value] if isinstance(value, tuple | list) else value
