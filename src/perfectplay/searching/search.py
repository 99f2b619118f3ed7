"""The value of one position, without solving the whole game.

Forward search with bounds: alpha-beta where players move, Star1 and Star2 where chance acts
(Ballard 1983), a transposition table that threads share, and, if there is one, a solved table
below. A search that is stopped answers with bounds that hold.

    search_facts.py          what must be known of a game beforehand
    windows.py               which windows are asked, one after the other
    plain.py                 the search, interpreted
    native.py                the search, compiled, and its threads: visit.py calls itself from
                             position to position; choose_child.py, node_values.py, search_stack.py
    turns/                   games by turns, searched from anchor to anchor
    endgame_tables.py        solved tables below a search
    result.py                the answer, with best play as far as a search has proved it
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.errors import UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.progress import size as shown_size
from perfectplay.rules.capabilities import guides, own_solver
from perfectplay.rules.game import Game, alternate, declares, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.rules.value import Kind, Number
from perfectplay.searching.result import Counts, SearchResult, best_play
from perfectplay.searching.search_facts import (
    SearchFacts,
    TurnSearchError,
    fits_turns,
    search_facts,
)
from perfectplay.searching.windows import Driver, Searcher
from perfectplay.solving.budget import available_memory

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

__all__ = ["Counts", "SearchOptions", "SearchResult", "position_of", "search", "searches"]

SIZE = 2**27
"""Bytes of the transposition table."""
PLAIN_ENTRY = 500
"""Bytes that an entry of an interpreted search takes, about."""


class SearchOptions(TypedDict, total=False):
    """What `search` and `searches` take by keyword."""

    window: tuple[Number, Number]
    """The search may end as soon as the value is known to lie at or outside of these numbers."""
    nodes: int | None
    seconds: float | None
    """After so many the search stops and answers with bounds. Compiling rules does not count."""
    size: int
    """Bytes of the transposition table; no value depends on it."""
    slots: int | None
    """The same in entries."""
    table: Solution | str | Path | None
    """A solved table of the same rules, whose positions are not searched."""
    threads: int
    exact: bool
    """Compiled searches round fractions of more than 64 bits outwards. If the answer hangs on it,
    search again with interpreted rules, which keep all digits."""
    plain: bool
    """Interpret the rules."""
    progress: Progress | None


DEFAULTS = SearchOptions(
    window=(-math.inf, math.inf), nodes=None, seconds=None, size=SIZE, slots=None, table=None,
    threads=1, exact=False, plain=False, progress=None,
)  # fmt: skip


@explained
def search(game: Game, position: Any = None, **options: Unpack[SearchOptions]) -> SearchResult:
    """The value of a position (the start, if none is given) to the player to move, or bounds on it
    if the search was stopped.

    Options: `window`, `nodes`, `seconds`, `size`, `slots`, `table`, `threads`, `exact`, `plain`,
    `progress`; see `SearchOptions`."""
    return next(searches(game, [position], **options))


@explained
def searches(
    game: Game, positions: Iterable[Any], **options: Unpack[SearchOptions]
) -> Iterator[SearchResult]:
    """Search several positions, one after the other, each with the options of `search`; searches
    by turns reuse what they found out about earlier positions."""
    given = _checked(options)
    searchers = _Searchers(game, given)
    own = own_solver(game, plain=given["plain"]) if given["table"] is None else None
    for position in positions:
        root = next(first_positions(game)) if position is None else position
        if own is not None:
            yield own.search(root, given["seconds"], given["size"], given["progress"] or Silent())
            continue
        limit = TimeLimit(given["seconds"], native=not searchers.plain)
        found = _Question(game, root, given["window"]).answer(searchers, given, limit)
        if given["exact"] and found.stopped == "rounding" and not searchers.plain:
            again: SearchOptions = {**given, "plain": True, "slots": None, "threads": 1}
            if given["seconds"] is not None:
                again["seconds"] = max(limit.left, 0.01)
            found = search(game, position, **again)
        yield found


def _checked(options: SearchOptions) -> SearchOptions:
    """All options, those that are not given by default; UsageError if one makes no sense."""
    unknown = options.keys() - DEFAULTS.keys()
    if unknown:
        raise TypeError(f"search has no option {', '.join(sorted(unknown))}")
    given: SearchOptions = {**DEFAULTS, **options}
    nodes, seconds, size, window = (
        given["nodes"], given["seconds"], given["size"], given["window"]
    )  # fmt: skip
    if given["threads"] < 1 or size < 0 or (nodes is not None and nodes < 1):
        raise UsageError("threads, nodes and size are positive numbers")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"no search takes {seconds} seconds", "give a positive number of seconds")
    if len(window) != 2 or not window[0] < window[1]:
        raise UsageError(
            f"{window} is no window", "a window is a pair (low, high) with low < high"
        )
    if size > available_memory():
        raise UsageError(
            f"a table of {shown_size(size)} does not fit: {shown_size(available_memory())} of "
            "memory can be had",
            "use a smaller one (--size, in MB): no value depends on it",
        )
    return given


def position_of(game: Game, text: str) -> Any:
    """The position that `text` writes; UsageError if there is none."""
    try:
        p = game.parse(text)
        game.to_move(game.representative(p))
    except Exception as error:
        why = "" if " object at 0x" in str(error) else f": {error}".rstrip(": ")
        shown = game.text(next(first_positions(game)))
        raise UsageError(
            f"{text!r} is not a position{why}", f"a position looks like {shown!r}"
        ) from None
    return p


class _Searchers:
    """Makes searches of one game, all with the same options."""

    def __init__(self, game: Game, options: SearchOptions) -> None:
        self._game, self._table = game, options["table"]
        self.plain = options["plain"] or not game.native
        self._size, self._slots = options["size"], options["slots"]
        self.by_turns = self._table is None and not self.plain
        self._last: Any = None

    def searcher(self, p: Any, facts: SearchFacts, limit: TimeLimit) -> Searcher:
        """A search of position `p`, a representative."""
        from perfectplay.searching import endgame_tables

        game, slots = self._game, self._slots if self._slots is not None else -self._size
        if self.by_turns and fits_turns(game, p, facts):
            from perfectplay.searching.turns.search import TurnSearch

            with suppress(TurnSearchError):
                if self._last is None or not self._last.again(p, limit):
                    self._last = TurnSearch(game, p, facts, slots, limit)
                searcher: Searcher = self._last
                return searcher
        solution = None if self._table is None else endgame_tables.solution_of(self._table, game)
        if self.plain:
            from perfectplay.searching.plain import PlainSearch

            find = None if solution is None else partial(endgame_tables.bounds, solution, facts)
            return PlainSearch(game, p, facts, self._slots or self._size // PLAIN_ENTRY, find)
        from perfectplay.searching.native import NativeSearch

        entries = None if solution is None else endgame_tables.entries(solution, facts)
        return NativeSearch(game, p, facts, slots, entries)


class _Question:
    """One position, and the window in which its value is asked for."""

    def __init__(self, game: Game, root: Any, window: tuple[Number, Number]) -> None:
        self._game, self._root, self._facts = game, root, search_facts(game, root)
        self._representative = game.representative(root)
        self._mover = max(game.to_move(root), 0)
        swapped = declares(game, "turn") and game.players == 2 and not alternate(game)
        flipped = swapped and game.turn(root) != game.turn(self._representative)
        self._player = self._mover ^ int(flipped)  # who moves there, in the frame of the search
        self._window = self._stored(window)

    def _stored(self, window: tuple[Number, Number]) -> tuple[Number, Number]:
        """A window in the units that people see, in stored units."""
        low, high = window
        if self._facts.pairs:
            low, high = (2 * x - (self._facts.sum or 0) for x in window)
        return (-high, -low) if self._game.minimise or self._player == 1 else (low, high)

    def answer(
        self, searchers: _Searchers, options: SearchOptions, limit: TimeLimit
    ) -> SearchResult:
        """The answer; if the game cannot be searched by turns after all, position by position."""
        progress = options["progress"] or Silent()
        while True:
            searcher = searchers.searcher(self._representative, self._facts, limit)
            progress.start("search")
            try:
                driver = Driver(
                    searcher, whole=self._facts.whole, alone=self._game.players == 1,
                    window=self._window, progress=progress,
                )  # fmt: skip
                stopped = driver.run(options["nodes"], limit, options["threads"])
            except TurnSearchError:
                searchers.by_turns = False
            else:
                return self._result(searcher, stopped, limit)
            finally:
                progress.finish()

    def _result(self, searcher: Searcher, stopped: str, limit: TimeLimit) -> SearchResult:
        game, root = self._game, self._root
        ends = [self._shown(x) for x in searcher.bounds]
        low, high = min(ends), max(ends)
        play = best_play(game, root, searcher.node_bounds)
        return SearchResult(
            game=rules_path(game),
            parameters=parameters(game),
            position=game.text(root),
            name="the player to move" if alternate(game) else game.player_name(self._mover),
            kind=self._kind(low, high),
            lower=_tidy(low),
            upper=_tidy(high),
            move=play.move,
            move_text=None if play.move is None else game.move_text(root, play.move),
            best=play.best,
            secured=None if play.secured is None else _tidy(self._shown(play.secured)),
            line=play.line,
            stopped=stopped,
            counts=searcher.counts,
            seconds=limit.spent,
            compile_seconds=limit.compiled,
        )

    def _shown(self, stored: Number) -> Number:
        """A number in stored units, in the units that people see."""
        return self._facts.shown(stored, self._player, minimise=bool(self._game.minimise))

    def _kind(self, low: Number, high: Number) -> Kind:
        if not self._facts.whole:
            return "chance"
        if self._game.players == 1:
            return "total"
        guided = guides(self._game)
        stated = guided.bounds(self._root) if guided else None
        unit = self._facts.bounded or (stated is not None and tuple(stated[:2]) == (-1, 1))
        plain = unit and not self._facts.pairs and not declares(self._game, "reward")
        return "outcome" if plain and low >= -1 and high <= 1 else "score"


def _tidy(number: Number) -> Number:
    if isinstance(number, Fraction) and number.denominator == 1:
        return int(number)
    return number
