"""The spine: rules -> positions -> strata -> values -> table -> answer.

`solve` reads as that sentence; everything it calls is one module away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.digest import rules_digest
from perfectplay.errors import PerfectPlayError, TooLargeError
from perfectplay.positions.batch import Expander
from perfectplay.positions.labels import many_labels
from perfectplay.progress import Progress
from perfectplay.rules.game import Game, declares, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solvers.store import Bounds, Fractions, Store, Whole, new_store
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.budget import FAR, FILES, Budget, disk_room, peak_memory
from perfectplay.solving.choose import choose, extra
from perfectplay.strata.disk_strata import begun, tidy
from perfectplay.strata.graph import Facts, Graph
from perfectplay.table.reader import MemoryTable, Table

if TYPE_CHECKING:  # compiled parts are imported when there is something to solve
    from perfectplay.positions.found_stratum import FoundStratum
    from perfectplay.solvers.chance.policy_audit import Audit
    from perfectplay.solvers.exact.denominators import Denominators
    from perfectplay.strata.facts import FactFinder
    from perfectplay.strata.stratum_queue import StratumQueue
    from perfectplay.table.table_sink import TableSink

FORMAT = 1
COMPARING = 0.25
"""Seconds after which turns are not compared with their patterns any more."""


@dataclass
class Run:
    """One run of `solve`: what is asked, how long each stage took, what the solvers did."""

    game: Game
    options: Options
    plain: bool
    progress: Progress
    steps: bool = False
    """Go by single steps even where the game goes by turns."""
    seconds: dict[str, float] = field(
        default_factory=lambda: {"compile": 0.0, "expand": 0.0, "solve": 0.0, "write": 0.0}
    )
    whole: bool = True
    """Whether exact values may be whole numbers of fixed width, where these are sure to do."""
    denominators: Denominators | None = None
    disk: int | None = None
    """Bytes that working files may take."""
    working: int = 0
    """Bytes in working files at most, if the game was solved out of core."""
    compared: float = 0.0
    """Seconds in which turns were compared with their patterns."""
    look: Callable[[FoundStratum, Graph], None] = field(default=lambda layer, moves: None)
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

    def table(self, budget: Budget, folder: Path | None, *, fresh: bool) -> Table | MemoryTable:
        """rules -> table: in memory if that will do, else out of core if the game can be."""
        strata = folder.with_name(folder.name + ".strata") if folder else None
        exact = self.options.exact and self.whole and not self.plain
        if folder is not None and strata is not None and exact and many_labels(self.game):
            from perfectplay.solving.out_of_core_run import by_labels

            self._compile(budget)
            table = by_labels(self, budget, folder, strata, fresh=fresh)
            if table is not None:
                return table
        if strata is None or fresh or not begun(strata, self.identity()):
            try:
                layers, facts = self.explore(budget, folder, leave=True)
            except TooLargeError as error:
                most = (1 if error.at_least else FAR) * self._elsewhere(folder)
                if folder is None or error.positions > most:
                    raise
            else:
                try:
                    table = self.fill(layers, facts, folder, fresh=fresh)
                finally:
                    layers.close()
                if strata is not None:
                    tidy(strata)
                return table
        assert folder is not None
        assert strata is not None
        from perfectplay.solving.out_of_core_run import by_keys

        self._compile(budget)
        return by_keys(self, budget, folder, strata, fresh=fresh)

    def _elsewhere(self, folder: Path | None) -> int:
        """How many positions there is room for out of core; none if positions are no integers, or
        have no strata."""
        rules = getattr(self, "rules", None)
        if folder is None or not rules or not rules.width or not declares(self.game, "stratum"):
            return 0
        return disk_room(folder, self.disk) // (FILES * int(rules.width))

    def _compile(self, budget: Budget) -> None:
        from perfectplay.positions.expand import expander
        from perfectplay.strata.coalition_strata import coalition_view

        with self.stage("compile"):
            budget.refuse_starts(self.game, self.progress)
            self.progress.start("compile")
            self.rules: Expander = expander(self.game, plain=self.plain, steps=self.steps)
            self.coalition_view = coalition_view(self.rules, steps=self.steps)
            self.found = self.rules if self.coalition_view is None else self.coalition_view.base
            self.turn_patterns = (
                self.rules.turn_patterns
                if self.coalition_view is None
                else self.coalition_view.turn_patterns
            )
            if self.found.width:
                self.found.expand(next(self.found.start_batches())[0][:1])

    def explore(
        self, budget: Budget, folder: Path | None, *, leave: bool = False
    ) -> tuple[StratumQueue, Facts]:
        """rules -> positions -> strata. `leave`: out of core is a way if memory is short."""
        from perfectplay.positions.explore import Explorer
        from perfectplay.strata.facts import FactFinder
        from perfectplay.strata.stratum_queue import StratumQueue

        self._compile(budget)
        elsewhere = self._elsewhere(folder) if leave else 0
        layers = StratumQueue(folder.with_name(folder.name + ".working") if folder else None)
        finder = FactFinder(self.game, self.turn_patterns)
        coalition_view, seats = self.coalition_view, getattr(self.game, "seats", 1)
        with self.stage("expand"):
            self.progress.start("expand")
            walk = Explorer(self.found, self.options.workers)
            try:
                watch = budget.watch(walk, layers, self.progress, elsewhere=elsewhere, seats=seats)
                looks = self._looks(finder)
                see = looks if coalition_view is None else lambda layer: None
                for layer in walk.layers(watch, see, layers.folder):
                    layers.add(layer)
                    self._compare(layer)
                if coalition_view is not None:
                    layers = coalition_view.layers(
                        layers, looks, whole=self.denominators is not None
                    )
                return layers, finder.facts()
            except BaseException:
                layers.close()
                raise

    def _compare(self, layer: FoundStratum) -> None:
        """Try whether turns run like their patterns, on a few anchors of every stratum as long as
        that takes little time."""
        if self.turn_patterns is None or self.compared > COMPARING:
            return
        from perfectplay.positions.turns.check import compare

        began = time.perf_counter()
        some = range(0, layer.size, max(1, layer.size // 3))
        compare(self.found.game, [self.found.position(layer.positions[i]) for i in some])
        self.compared += time.perf_counter() - began

    def _looks(self, finder: FactFinder) -> Callable[[FoundStratum], None]:
        """What looks at every stratum that is found."""
        if not self.options.exact or not self.whole:
            return finder.look
        from perfectplay.solvers.exact.denominators import Denominators

        self.denominators = denominators = Denominators(self.turn_patterns)

        def look(layer: FoundStratum) -> None:
            finder.look(layer)
            denominators.look(layer)

        return look

    def fill(
        self, layers: StratumQueue, facts: Facts, folder: Path | None, *, fresh: bool
    ) -> Table | MemoryTable:
        """strata -> values -> table, lowest stratum first."""
        from perfectplay.table.table_sink import TableSink

        whole = facts.scalar and facts.chance and self._fits(layers)
        exact = self.options.exact
        self.store = store = new_store(facts, layers.positions, exact=exact, whole=whole)
        sink = TableSink(self.rules, self.header(facts, whole), folder, fresh=fresh)
        try:
            if sink.finished is not None:
                return sink.finished
            works = self._solve(layers, facts, store, sink)
            with self.stage("write"):
                return sink.finish(extra(works, layers.sizes))
        except PerfectPlayError:
            sink.abandon()
            raise
        finally:
            sink.close()

    def _fits(self, layers: StratumQueue) -> bool:
        """Whether exact values are whole numbers of fixed width."""
        if self.denominators is None or self.denominators.whole or not self.denominators.room:
            return self.denominators is not None and self.denominators.whole
        from perfectplay.solvers.exact.denominators import LongestPaths

        longest = LongestPaths(self.turn_patterns, layers.positions)
        for stratum in sorted(layers.sizes, reverse=True):
            longest.look(layers.look(stratum))
        return self.denominators.whole_by(longest)

    def header(self, facts: Facts, whole: bool) -> dict[str, Any]:  # noqa: FBT001
        """What a table says of itself before its values."""
        numbers = {"numbers": "whole"} if whole else {}
        return {**self.identity(), "facts": asdict(facts), **numbers}

    def _solve(
        self, layers: StratumQueue, facts: Facts, store: Store, sink: TableSink
    ) -> list[Work]:
        """Solve every stratum that is not on disk already; what was done to each."""
        from perfectplay.strata.facts import graph, stored_patterns

        turn_patterns, options = self.turn_patterns, self.options
        if turn_patterns is not None:
            from perfectplay.solvers.chance.policy_audit import try_moves

            options = replace(options, audit=try_moves)
        patterns = (
            stored_patterns(turn_patterns.patterns(), facts) if turn_patterns is not None else None
        )
        solver = choose(facts, turns=turn_patterns is not None, whole=isinstance(store, Whole))
        works = [Work(**work) for work in sink.works]
        stored = sink.stored()
        audit = _audit(facts, store) if turn_patterns is None else None
        self.progress.start("solve", layers.positions)
        ids = layers.ids()
        low = bottoms = 0
        for stratum in sorted(layers.sizes):
            layer = layers.take(stratum)
            with self.stage("solve"):
                columns = next(stored, None)
                if columns is not None:
                    found = sink.unsorted(layer.positions, columns)
                    if isinstance(store, Whole):
                        store.load(low, found, sink.works[bottoms]["bottom"])
                        bottoms += 1
                    else:
                        store.load(low, found)
                else:
                    moves = graph(layer, facts, ids, low, patterns)
                    work = solver(moves, facts, store, options)
                    if audit is not None:
                        audit.look(moves, work)
                    works.append(work)
                    self.look(layer, moves)
            if columns is None:
                with self.stage("write"):
                    columns = store.columns(low, low + layer.size)
                    sink.add(stratum, layer.positions, columns, work)
            self.progress.advance(layer.size)
            low += layer.size
        self.progress.finish()
        return works

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
            "policy_error": table.extra.get("policy_error"),
            "equilibrium_gap": table.extra.get("equilibrium_gap"),
            "solved_before": not any(self.seconds.values()),
            "seconds": {name: round(took, 4) for name, took in self.seconds.items()},
            "peak_memory": peak_memory(),
            "working_files": self.working,
            "table": str(folder) if folder else None,
            "signature": table.signature,
        }


def _audit(facts: Facts, store: Store) -> Audit | None:
    """Games with chance have their best moves stored, and evaluated again."""
    if facts.scalar and isinstance(store, Bounds | Fractions):
        from perfectplay.solvers.chance.policy_audit import Audit

        return Audit(facts, store)
    return None


def _plain(value: Any) -> Any:
    """A parameter as JSON would give it back."""
    return [_plain(x) for x in value] if isinstance(value, tuple | list) else value
