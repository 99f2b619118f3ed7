"""One run from rules to a table: positions -> strata -> values -> table.

`Run.table` goes along the route (route.py) from home to home until one serves. Here are strata in
memory; those in files are in out_of_core_run.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.digest import UNKNOWN, rules_digest
from perfectplay.compiled.machine import peak_memory
from perfectplay.compiled.threads import give_back_memory
from perfectplay.errors import PerfectPlayError, TimeUpError, TooLargeError
from perfectplay.positions.batch import Expander
from perfectplay.progress import Heed, Progress, Silent
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import Game
from perfectplay.rules.load import rules_path
from perfectplay.rules.parameters import stored_parameters
from perfectplay.solvers.store import Store
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.budget import FAR, FILES, Budget, disk_room
from perfectplay.solving.choose import extra, refuse_method
from perfectplay.solving.private_peak import PrivatePeak
from perfectplay.solving.route import Home, Route
from perfectplay.strata.disk_strata import begun, resumable, tidy, working_files
from perfectplay.strata.graph import Facts, Graph
from perfectplay.table.reader import MemoryTable, Table

if TYPE_CHECKING:  # compiled parts are imported when there is something to solve
    from perfectplay.positions.found_stratum import FoundStratum
    from perfectplay.solvers.exact.denominators import Denominators
    from perfectplay.solving.loop import SolvableStrata
    from perfectplay.strata.coalition_strata import CoalitionView
    from perfectplay.strata.facts import FactFinder
    from perfectplay.strata.stratum_queue import StratumQueue

STAGES = ("compile", "expand", "solve", "write")
COMPARING = 0.25
"""Seconds after which turns are not compared with their patterns any more."""


@dataclass
class Run:
    """What is asked, how long each stage took, and what the solvers did."""

    game: Game
    options: Options
    route: Route
    plain: bool = False
    folder: Path | None = None
    """Where the table goes; None: it stays in memory."""
    fresh: bool = False
    """Solve again even if there is a table, or a part of one."""
    budget: Budget = field(default_factory=Budget)
    disk: int | None = None
    """Bytes that working files may take."""
    on: str | None = None
    """Which workers do the tasks, where strata are cut in shards."""
    progress: Progress = field(default_factory=Silent)
    whole: bool = True
    """Whether exact values may be whole numbers of fixed width, where these are sure to do."""
    look: Callable[[FoundStratum, Graph, Work], None] = field(default=lambda *_: None)
    """Called with every stratum that was solved, lowest first."""
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    cpu: float = 0.0
    """Processor seconds of all threads in all stages."""
    working: int = 0
    """Bytes in working files at most, if the game was solved out of core."""
    private: PrivatePeak = field(default_factory=PrivatePeak)
    """How much memory it took, apart from mapped files."""
    denominators: Denominators | None = None
    store: Store = field(init=False, repr=False)
    """All values by id, once strata in memory are solved."""
    _compiled: bool = False
    _compared: float = 0.0
    """Seconds in which turns were compared with their patterns."""

    def __post_init__(self) -> None:
        self.options = replace(self.options, progress=Heed(self.progress))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        began, busy = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - began
            self.cpu += time.process_time() - busy
            self.private.look()

    @cached_property
    def digest(self) -> str:
        """The digest of the rules, taken before they run: they may fill tables of their own."""
        return rules_digest(self.game)

    def identity(self) -> dict[str, Any]:
        """What makes two runs the same work."""
        game = self.game
        return {
            "game": rules_path(game),
            "parameters": stored_parameters(game),
            "rules": self.digest,
            "plain": self.plain or not game.native,
            "exact": self.options.exact,
            "ties": self.options.ties,
            "method": None if self.options.method == "auto" else self.options.method,
        }

    def finished(self) -> Table | None:
        """The table in the folder, if it is the finished table of this very work."""
        mine = self.identity()
        if self.folder is None or self.fresh or not (self.folder / "manifest.json").exists():
            return None
        table = Table.open(self.folder)
        other = {key: table.header.get(key) for key in mine}
        digests = str(mine["rules"]), str(other["rules"])
        if all(digest.startswith(UNKNOWN) for digest in digests):  # no table of theirs is used
            self.fresh = {**other, "rules": ""} == {**mine, "rules": ""}
        return table if other == mine else None

    # -- From home to home. -----------------------------------------------------------------------

    def table(self) -> Table | MemoryTable:
        """rules -> table, in the first home that serves."""
        try:
            with self.private.watching(beside=self.options.workers > 1):
                for home in self.route.homes:
                    if home is not Home.NUMBERS:
                        self._compile()
                    table = self._solved_in(home)
                    if table is not None:
                        return table
                    give_back_memory()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self._kept()) from None
        except TimeUpError as error:
            error.hint = self._kept()
            raise
        raise AssertionError("the last home of a route never gives way")

    def _kept(self) -> str:
        """What a run that is stopped leaves behind."""
        again = "the same command goes on from there"
        if self.folder is None:
            return "nothing is kept"
        parts = len([*self.folder.glob("part-*.json")])
        if parts:
            return f"{parts} part{'s' * (parts > 1)} of the table in {self.folder}; {again}"
        if self.on is not None and (self.shards_folder / "journal.jsonl").exists():
            return f"what workers have done so far, in {self.shards_folder}; {again}"
        if resumable(self.strata_folder):
            return f"the positions found so far, in {self.strata_folder}; {again}"
        return "nothing was finished yet, so that nothing is kept"

    def _solved_in(self, home: Home) -> Table | MemoryTable | None:
        """The table; None if this home does not serve and another one may."""
        if home is Home.MEMORY:
            return self._in_memory()
        if home is Home.NUMBERS:
            from perfectplay.solving.numbered_run import by_numbers

            return by_numbers(self)
        if home is Home.SHARDS:
            from perfectplay.solving.shards.shards_run import by_shards

            return by_shards(self)
        from perfectplay.solving.out_of_core_run import by_keys, by_labels

        return by_labels(self) if home is Home.LABELS else by_keys(self)

    def _in_memory(self) -> Table | MemoryTable | None:
        """The table; None if values do not fit, or an earlier run had gone out of core."""
        may_leave = Home.FILES in self.route.homes
        if may_leave and not self.fresh and begun(self.strata_folder, self.identity()):
            return None
        try:
            queue, facts = self.explore(may_leave=may_leave)
        except TooLargeError as error:
            if error.positions > (1 if error.at_least else FAR) * self._room(may_leave=may_leave):
                raise
            return None
        try:
            table = self.fill(queue, facts)
        finally:
            queue.close()
        if self.folder is not None:
            tidy(self.strata_folder)
        return table

    @property
    def strata_folder(self) -> Path:
        """Where strata are while a game is solved out of core."""
        assert self.folder is not None
        return self.folder.with_name(self.folder.name + ".strata")

    @property
    def shards_folder(self) -> Path:
        """Where shards are while a game is solved by workers."""
        assert self.folder is not None
        return self.folder.with_name(self.folder.name + ".shards")

    def _room(self, *, may_leave: bool) -> int:
        """How many positions there is room for out of core."""
        if not may_leave or self.folder is None:
            return 0
        return disk_room(self.folder, self.disk) // (FILES * int(self.rules.width))

    # -- Strata in memory. ------------------------------------------------------------------------

    def _compile(self) -> None:
        """Make the rules run over batches of positions, which compiles them if they are native;
        once."""
        if self._compiled:
            return
        self._compiled = True
        from perfectplay.positions.expand import expander
        from perfectplay.strata.coalition_strata import CoalitionView

        with self.stage("compile"):
            self.budget.refuse_starts(self.game, self.progress)
            self.progress.start("compile")
            steps = not self.route.turns
            self.rules: Expander = expander(self.game, plain=self.plain, steps=steps)
            self.coalitions: CoalitionView | None = None
            self.found, self.turn_patterns = self.rules, self.rules.turn_patterns
            if self.route.coalitions:
                self.coalitions = CoalitionView(self.rules, steps=steps)
                self.found, self.turn_patterns = (
                    self.coalitions.base,
                    self.coalitions.turn_patterns,
                )
            if self.found.width:
                self.found.expand(next(self.found.start_batches())[0][:1])

    def explored(self) -> tuple[StratumQueue, Facts]:
        """rules -> positions -> strata, for those who solve them by themselves."""
        self._compile()
        return self.explore()

    def explore(self, *, may_leave: bool = False) -> tuple[StratumQueue, Facts]:
        """positions -> strata. `may_leave`: TooLargeError at the first suspicion that there will
        not be enough memory, since there is another home."""
        from perfectplay.positions.explore import Explorer
        from perfectplay.strata.facts import FactFinder
        from perfectplay.strata.stratum_queue import StratumQueue

        room = self._room(may_leave=may_leave)
        working = self.folder.with_name(self.folder.name + ".working") if self.folder else None
        queue = StratumQueue(working)
        finder = FactFinder(self.game, self.turn_patterns)
        seats = 1 if self.coalitions is None else self.coalitions.game.seats
        with self.stage("expand"), working_files(working or Path(gettempdir())):
            self.progress.start("expand")
            walk = Explorer(self.found, self.options.workers)
            try:
                watch = self.budget.watch(walk, queue, self.progress, elsewhere=room, seats=seats)
                looks = self._looks(finder)
                see = looks if self.coalitions is None else lambda stratum: None
                for stratum in walk.found_strata(watch, see, queue.folder):
                    queue.add(stratum)
                    self._compare(stratum)
                if self.coalitions is not None:
                    whole = self.denominators is not None
                    queue = self.coalitions.strata(queue, looks, whole=whole)
                return queue, finder.facts()
            except BaseException:
                queue.close()
                raise

    def _compare(self, stratum: FoundStratum) -> None:
        """Try whether turns run like their patterns, on a few anchors of every stratum as long as
        that takes little time."""
        if self.turn_patterns is None or self._compared > COMPARING:
            return
        from perfectplay.positions.turns.check import compare

        began = time.thread_time()
        some = range(0, stratum.size, max(1, stratum.size // 3))
        compare(self.found.game, [self.found.position(stratum.positions[i]) for i in some])
        self._compared += time.thread_time() - began

    def _looks(self, finder: FactFinder) -> Callable[[FoundStratum], None]:
        """What looks at every stratum that is found."""
        if not self.options.exact or not self.whole or simultaneous(self.game) is not None:
            return finder.look
        from perfectplay.solvers.exact.denominators import Denominators

        self.denominators = denominators = Denominators(self.turn_patterns)

        def look(stratum: FoundStratum) -> None:
            finder.look(stratum)
            denominators.look(stratum)

        return look

    def fill(self, queue: StratumQueue, facts: Facts) -> Table | MemoryTable:
        """strata in memory -> values -> table."""
        from perfectplay.solving.memory_strata import MemoryStrata

        whole = facts.scalar and facts.chance and self._fits(queue)
        strata = MemoryStrata(
            queue,
            facts,
            self.options,
            self.turn_patterns,
            whole=whole,
            look=self.look,
            rules=self.rules,
        )
        self.store = strata.store
        return self.filled(strata)

    def filled(self, strata: SolvableStrata) -> Table | MemoryTable:
        """strata -> values -> table, lowest stratum first."""
        from perfectplay.solving.loop import solve_strata
        from perfectplay.table.table_sink import TableSink

        refuse_method(self.options.method, strata.facts, exact=self.options.exact)
        header = self.header(strata.facts, whole=strata.whole)
        sink = TableSink(
            self.rules, header, self.folder, fresh=self.fresh, numbered=strata.numbered
        )
        try:
            if sink.finished is not None:
                return sink.finished
            works = solve_strata(strata, sink, self.progress, self.stage)
            with self.stage("write"):
                sink.wait()  # only then it is known what counts once
                return sink.finish(extra(works, strata.sizes))
        except TimeUpError:
            sink.wait()  # what is solved counts for the next run
            raise
        except PerfectPlayError:
            sink.abandon()
            raise
        finally:
            sink.close()

    def _fits(self, queue: StratumQueue) -> bool:
        """Whether exact values are whole numbers of fixed width."""
        if self.denominators is None or self.denominators.whole or not self.denominators.room:
            return self.denominators is not None and self.denominators.whole
        from perfectplay.solvers.exact.denominators import LongestPaths

        longest = LongestPaths(self.turn_patterns, queue.positions)
        for stratum in sorted(queue.sizes, reverse=True):
            longest.look(queue.look(stratum))
        return self.denominators.whole_by(longest)

    def header(self, facts: Facts, *, whole: bool) -> dict[str, Any]:
        """What a table says of itself before its values."""
        same = {key: value for key, value in self.identity().items() if value is not None}
        return {**same, "facts": facts.stored(), **({"numbers": "whole"} if whole else {})}

    def report(self, table: Table | MemoryTable) -> dict[str, Any]:
        """What `solve --json` prints, except for the value of the start."""
        return {
            "game": table.header["game"],
            "parameters": table.header["parameters"],
            "positions": table.positions,
            "strata": table.extra["strata"],
            "methods": table.extra["methods"],
            "notes": table.extra["notes"],
            "policy_gap": table.extra["policy_gap"],
            "residual": table.extra["residual"],
            "policy_error": table.extra.get("policy_error"),
            "equilibrium_gap": table.extra.get("equilibrium_gap"),
            "method": self.options.method,
            "rounds": table.extra.get("rounds", {}),
            "residuals": table.extra.get("residuals", []),
            "solved_before": not any(self.seconds.values()),
            "seconds": {name: round(took, 4) for name, took in self.seconds.items()},
            "cpu": round(self.cpu, 4),
            "peak_memory": peak_memory(),
            "private_memory": self.private.most,
            "working_files": self.working,
            "table": str(self.folder) if self.folder else None,
            "signature": table.signature,
        }
