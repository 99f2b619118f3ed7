"""The spine: rules -> positions -> strata -> values -> table -> answer.

`solve` reads as that sentence; everything it calls is one module away.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.answer import Solution
from perfectplay.batch import Expander
from perfectplay.digest import rules_digest
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.game import Game, parameters
from perfectplay.graph import Facts, Graph
from perfectplay.load import rules_path
from perfectplay.lookup import MemoryTable, Table
from perfectplay.memory import Budget, peak_memory, reuse_freed_memory
from perfectplay.progress import Progress, Silent
from perfectplay.solvers import Options, Work
from perfectplay.store import Bounds, Fractions, Store, new_store

if TYPE_CHECKING:  # compiled parts are imported when there is something to solve
    from perfectplay.audit import Audit
    from perfectplay.explore import Layer
    from perfectplay.layers import Layers
    from perfectplay.pages import Pages

FORMAT = 1
SWITCH = 3e-4
"""Seconds a thread may keep Python to itself while others wait."""


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
    refuse_ties(ties, game)
    options = Options(exact=exact, workers=workers or os.cpu_count() or 1, ties=ties)
    run = Run(game, options, plain=plain, progress=progress or Silent())
    folder = Path(folder) if folder is not None else None
    finished = None if folder is None or fresh else run.finished(folder)
    if finished is not None:
        return Solution(game, finished, run.report(finished, folder))
    with threads():
        layers, facts = run.explore(Budget(memory), folder)
        try:
            table = run.fill(layers, facts, folder, fresh=fresh)
        finally:
            layers.close()
    return Solution(game, table, run.report(table, folder))


@contextmanager
def threads() -> Iterator[None]:
    """Threads that come out of compiled code wait for Python no longer than they must."""
    reuse_freed_memory()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, SWITCH))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


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
class Run:
    """One run of `solve`: what is asked, how long each stage took, what the solvers did."""

    game: Game
    options: Options
    plain: bool
    progress: Progress
    seconds: dict[str, float] = field(
        default_factory=lambda: {"compile": 0.0, "expand": 0.0, "solve": 0.0, "write": 0.0}
    )
    look: Callable[[Layer, Graph], None] = field(default=lambda layer, moves: None)
    """Called with every stratum that was solved, lowest first."""

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
        from perfectplay.expand import expander
        from perfectplay.explore import Explorer
        from perfectplay.facts import FactFinder
        from perfectplay.layers import Layers

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
                watch = budget.watch(walk, layers, self.progress)
                for layer in walk.layers(watch, finder.look):
                    layers.add(layer)
                return layers, finder.facts()
            except BaseException:
                layers.close()
                raise

    def fill(
        self, layers: Layers, facts: Facts, folder: Path | None, *, fresh: bool
    ) -> Table | MemoryTable:
        """strata -> values -> table, lowest stratum first."""
        from perfectplay.pages import Pages

        self.store = store = new_store(facts, layers.positions, exact=self.options.exact)
        header = {**self.identity(), "facts": asdict(facts)}
        pages = Pages(self.rules, header, folder, fresh=fresh)
        try:
            if pages.finished is not None:
                return pages.finished
            works = self._solve(layers, facts, store, pages)
            with self.stage("write"):
                return pages.finish(self._extra(works, layers))
        except PerfectPlayError:
            pages.abandon()
            raise
        finally:
            pages.close()

    def _solve(self, layers: Layers, facts: Facts, store: Store, pages: Pages) -> list[Work]:
        """Solve every stratum that is not on disk already; what was done to each."""
        from perfectplay.facts import graph

        solver = choose(facts)
        works = [Work(**work) for work in pages.works]
        stored = pages.stored()
        audit = _audit(facts, store)
        self.progress.start("solve", layers.positions)
        ids = layers.ids()
        low = 0
        for stratum in sorted(layers.sizes):
            layer = layers.take(stratum)
            with self.stage("solve"):
                columns = next(stored, None)
                if columns is not None:
                    store.load(low, pages.unsorted(layer.positions, columns))
                else:
                    moves = graph(layer, facts, ids, low)
                    work = solver(moves, facts, store, self.options)
                    if audit is not None:
                        audit.look(moves, work)
                    works.append(work)
                    self.look(layer, moves)
            if columns is None:
                with self.stage("write"):
                    columns = store.columns(low, low + layer.size)
                    pages.add(stratum, layer.positions, columns, vars(work))
            self.progress.advance(layer.size)
            low += layer.size
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
            "residual": table.extra["residual"],
            "solved_before": not any(self.seconds.values()),
            "seconds": {name: round(took, 4) for name, took in self.seconds.items()},
            "peak_memory": peak_memory(),
            "table": str(folder) if folder else None,
            "signature": table.signature,
        }


def refuse_ties(ties: str, game: Game) -> None:
    """UsageError unless `ties` is a rule for equally good moves that this game can have."""
    side, _, whom = ties.partition(":")
    named = side in ("for", "against") and whom.isdigit() and 1 <= int(whom) <= game.players
    if not named and ties not in ("first", "last", "average"):
        raise UsageError(
            f"no rule for equally good moves is called {ties!r}",
            f"first, last, average, for:J or against:J, with J from 1 to {game.players}",
        )


def _audit(facts: Facts, store: Store) -> Audit | None:
    """Games with chance have their best moves stored, and evaluated again."""
    if facts.scalar and isinstance(store, Bounds | Fractions):
        from perfectplay.audit import Audit

        return Audit(facts, store)
    return None


def _plain(value: Any) -> Any:
    """A parameter as JSON would give it back."""
    return [_plain(x) for x in value] if isinstance(value, tuple | list) else value
