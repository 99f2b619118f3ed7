"""The least cost from one position, for one player without chance: which search serves."""

from __future__ import annotations

import math
from typing import Any

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.errors import NoSolverError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Progress
from perfectplay.rules.game import Game, declares, parameters
from perfectplay.rules.load import rules_path
from perfectplay.rules.search_capabilities import abstractions
from perfectplay.searching.one_player.best_line import PlayedLine, line_through
from perfectplay.searching.one_player.estimate import DEAD
from perfectplay.searching.one_player.greedy import AnyLine
from perfectplay.searching.one_player.limits import Deepening
from perfectplay.searching.one_player.native import BestFirst
from perfectplay.searching.one_player.plain import PlainBestFirst, stated
from perfectplay.searching.one_player.search_end import SearchEnd
from perfectplay.searching.patterns.databases import databases_of
from perfectplay.searching.result import Counts, SearchResult

UNLIMITED = 1 << 62


class LeastCost:
    """Searches of one game. What is built for one position serves the next."""

    def __init__(self, game: Game, options: Any, progress: Progress) -> None:
        self._game, self._size, self._progress = game, options["size"], progress
        self._plain = options["plain"] or not game.native
        self._any, self._seed = options["any_line"], options["seed"]
        self._threads, self._how = options["threads"], options["how"]
        if self._any and self._plain:
            raise NoSolverError(
                f"{type(game).__name__}: any line is searched with compiled rules only",
                "leave out --any (any_line=True)",
            )
        self._databases: Any = None

    def search(self, root: Any, nodes: int | None, limit: TimeLimit) -> SearchResult | None:
        """The answer for one position; None if a move costs less than nothing, so that another
        search must find it."""
        most = UNLIMITED if nodes is None else nodes
        lower = stated(self._game, root)
        if lower >= DEAD:
            found = SearchEnd(DEAD, None, 0, 1, "", "bounds")
        else:
            found = self._found(root, most, limit)
            found.lower = max(lower, found.lower)
        if found.stopped == "unfit":
            return None
        line = None if found.path is None else line_through(self._game, root, found.path)
        return _answer(self._game, root, found, line, limit)

    def _found(self, root: Any, most: int, limit: TimeLimit) -> SearchEnd:
        begun = [0]

        def halt(nodes: int) -> str:
            self._progress.advance(nodes - begun[0])
            begun[0] = nodes
            return "nodes" if nodes >= most else "seconds" if limit.over else ""

        try:
            self._progress.start("search")
            if self._plain:
                return PlainBestFirst(self._game, root, self._size).run(halt)
            return self._native(root, most, halt)
        except KeyboardInterrupt:
            return SearchEnd(0, None, 0, begun[0], "interrupted")
        finally:
            self._progress.finish()

    def _native(self, root: Any, most: int, halt: Any) -> SearchEnd:
        expander = NativeExpander(self._game)
        if self._any:
            return AnyLine(expander, self._size, self._seed, how=self._how).run(
                self._game, root, halt
            )
        rules = abstractions(self._game)
        if self._databases is None or not declares(self._game, "blur_index"):
            self._databases = databases_of(expander, root, self._progress, self._threads)
            self._progress.start("search")
        first = SearchEnd(0)
        if rules is None:
            first = BestFirst(expander, self._databases, root, self._size).run(most, halt)
            if first.stopped != "memory":
                return first
        found = Deepening(expander, self._databases, root, self._threads).run(
            first.lower, most - first.nodes, lambda nodes: str(halt(first.nodes + nodes))
        )
        found.nodes += first.nodes
        found.method = f"{first.method}, {found.method}" if first.method else found.method
        return found


def _answer(
    game: Game, root: Any, found: SearchEnd, line: PlayedLine | None, limit: TimeLimit
) -> SearchResult:
    lower = math.inf if found.lower >= DEAD else found.lower
    upper = math.inf if line is None else line.cost
    return SearchResult(
        game=rules_path(game),
        parameters=parameters(game),
        position=game.text(root),
        name=game.player_name(0),
        kind="total",
        lower=lower,
        upper=upper,
        move=line.moves[0] if line is not None and line.moves else None,
        move_text=line.texts[0] if line is not None and line.texts else None,
        line=() if line is None else line.texts,
        stopped=found.stopped,
        counts=Counts(nodes=found.nodes),
        seconds=limit.spent,
        compile_seconds=limit.compiled,
        best=lower == upper,
        secured=None if line is None or lower == upper else upper,
        method=f"least-cost ({found.method})",
    )
