"""The value of one position, without solving the whole game.

Forward search with bounds: alpha-beta where players move, Star1 and Star2 where chance acts
(Ballard 1983), a transposition table that threads share, and, if there is one, a solved table
below. A search that is stopped answers with bounds that hold.

    search_facts.py          what must be known of a game beforehand
    methods.py               which method searches a position
    windows.py               which windows are asked, one after the other
    plain.py                 the search, interpreted
    alphabeta/               games without chance, on integers
    proofs/                  the same by proof numbers
    native.py                the search, compiled, and its threads: visit.py calls itself from
                             position to position; choose_child.py, node_values.py, search_stack.py
    one_player/              the least cost for one player, without chance
    turns/                   games by turns, searched from anchor to anchor
    endgame_tables.py        solved tables below a search
    result.py                the answer, with best play as far as a search has proved it
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.errors import NoSolverError, UsageError, unread
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.progress import size as shown_size
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.game import Game, alternate, declares, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.rules.search_capabilities import guides
from perfectplay.rules.value import Kind, Number
from perfectplay.searching.alphabeta.distances import outcome, plies
from perfectplay.searching.methods import Searched, known_method, method_for
from perfectplay.searching.one_player.greedy import known_way
from perfectplay.searching.one_player.search import LeastCost
from perfectplay.searching.result import Counts, SearchResult, best_play
from perfectplay.searching.search_facts import SearchFacts, UnfitSearchError, search_facts
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
    distance: bool
    """Find out how soon play ends, too, where that is a win or a loss: as tables do, the winner
    hastens and the loser delays."""
    method: str | None
    """How to search (methods.py); None: by the first method that serves."""
    any_line: bool
    """For one player: any line that ends play, found fast, instead of one of least cost."""
    seed: int | None
    """Any line: changes guesses at random, by this number."""
    how: str
    """Any line: greedy, weighted or beam (one_player/greedy.py)."""
    progress: Progress | None


DEFAULTS = SearchOptions(
    window=(-math.inf, math.inf), nodes=None, seconds=None, size=SIZE, slots=None, table=None,
    threads=1, exact=False, plain=False, distance=False, method=None,
    any_line=False, seed=None, how="greedy", progress=None,
)  # fmt: skip


@explained
def search(game: Game, position: Any = None, **options: Unpack[SearchOptions]) -> SearchResult:
    """The value of a position (the start, if none is given) to the player to move, or bounds on it
    if the search was stopped.

    Options: `window`, `nodes`, `seconds`, `size`, `slots`, `table`, `threads`, `exact`, `plain`,
    `distance`, `method`, `any_line`, `seed`, `how`, `progress`; see `SearchOptions`."""
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
    known_method(given["method"])
    known_way(given["how"])
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
        raise unread(text, error, game.text(next(first_positions(game)))) from None
    return p


class _Searchers:
    """Makes searches of one game, all with the same options."""

    def __init__(self, game: Game, options: SearchOptions) -> None:
        self._game, self._table, self._wanted = game, options["table"], options["method"]
        self._foreign = _foreign(self._table, game)
        self.plain = options["plain"] or not game.native or self._foreign is not None
        self._size, self._slots = options["size"], options["slots"]
        self.distance = options["distance"]
        self._failed: set[str] = set()
        self._last: Any = None
        self._options = options
        self._least: LeastCost | None = None
        self._makers = {
            "turns": self._by_turns,
            "alpha-beta": self._alpha_beta,
            "proof": self._by_proofs,
            "positions": self._by_positions,
        }

    def least_cost(self, question: _Question, limit: TimeLimit) -> SearchResult | None:
        """The answer of the search for one player, if that is the method."""
        if self._method(question) != "least-cost":
            if self._options["any_line"]:
                raise NoSolverError(
                    f"{type(self._game).__name__}: any line is for one player who wants the least "
                    "cost, without chance",
                    "leave out --any (any_line=True)",
                )
            return None
        options = self._options
        if self._least is None:
            self._least = LeastCost(self._game, options, options["progress"] or Silent())
        found = self._least.search(question.root, options["nodes"], limit)
        if found is None:
            self._failed.add("least-cost")
        return found

    def searcher(self, question: _Question, limit: TimeLimit) -> Searcher:
        """A search of a position, by all other methods."""
        while True:
            method = self._method(question)
            try:
                return self._makers[method](question.representative, question.facts, limit)
            except UnfitSearchError:
                self._failed.add(method)

    def _method(self, question: _Question) -> str:
        asked = Searched(
            self._game, question.representative, lambda: question.facts,
            self._options["window"] != DEFAULTS["window"], self.plain, self._table is not None,
            self.distance,
        )  # fmt: skip
        return method_for(asked, self._wanted, self._failed)

    def give_up(self, searcher: Searcher) -> None:
        """Do without the method of a search that turned out not to serve."""
        self._failed.add(searcher.method)

    @property
    def _room(self) -> int:
        """Entries of the transposition table, or minus its bytes."""
        return self._slots if self._slots is not None else -self._size

    def _by_turns(self, p: Any, facts: SearchFacts, limit: TimeLimit) -> Searcher:
        from perfectplay.searching.turns.search import TurnSearch

        if not isinstance(self._last, TurnSearch) or not self._last.again(p, limit):
            self._last = TurnSearch(self._game, p, facts, self._room, limit)
        searcher: Searcher = self._last
        return searcher

    def _alpha_beta(self, p: Any, facts: SearchFacts, limit: TimeLimit) -> Searcher:
        from perfectplay.searching.alphabeta.search import AlphaBetaSearch

        return self._questions(AlphaBetaSearch, p, facts)

    def _by_proofs(self, p: Any, facts: SearchFacts, limit: TimeLimit) -> Searcher:
        from perfectplay.searching.proofs.search import ProofSearch

        return self._questions(ProofSearch, p, facts)

    def _questions(self, made: Any, p: Any, facts: SearchFacts) -> Searcher:
        """A search of this class, which may know something already."""
        if type(self._last) is made:
            self._last.again(p)
        else:
            self._last = made(self._game, p, facts, self._room, distance=self.distance)
        searcher: Searcher = self._last
        return searcher

    def _by_positions(self, p: Any, facts: SearchFacts, limit: TimeLimit) -> Searcher:
        from perfectplay.searching import endgame_tables

        game, table = self._game, self._table
        solution = find = None
        if self._foreign is not None:
            find = partial(endgame_tables.foreign_bounds, self._foreign, game, facts)
        elif table is not None:
            solution = endgame_tables.solution_of(table, game)
            find = partial(endgame_tables.bounds, solution, facts)
        if self.plain:
            from perfectplay.searching.plain import PlainSearch

            return PlainSearch(game, p, facts, self._slots or self._size // PLAIN_ENTRY, find)
        from perfectplay.searching.native import NativeSearch

        entries = None if solution is None else endgame_tables.entries(solution, facts)
        return NativeSearch(game, p, facts, self._room, entries)


def _foreign(table: Solution | str | Path | None, game: Game) -> Callable[[Any], Any] | None:
    """What looks positions up in files of another program, if the table is no table of ours."""
    if table is None:
        return None
    from perfectplay.searching.endgame_tables import foreign

    return foreign(table, game)


class _Question:
    """One position, and the window in which its value is asked for."""

    def __init__(self, game: Game, root: Any, window: tuple[Number, Number]) -> None:
        self._game, self.root = game, root
        self.representative = game.representative(root)
        self._mover = max(game.to_move(root), 0)
        swapped = declares(game, "turn") and game.players == 2 and not alternate(game)
        flipped = swapped and game.turn(root) != game.turn(self.representative)
        self._player = self._mover ^ int(flipped)  # who moves there, in the frame of the search
        self._asked = window

    @cached_property
    def facts(self) -> SearchFacts:
        """What random play shows of the game."""
        return search_facts(self._game, self.root)

    def _stored(self, window: tuple[Number, Number]) -> tuple[Number, Number]:
        """A window in the units that people see, in stored units."""
        low, high = window
        if self.facts.pairs:
            low, high = (2 * x - (self.facts.sum or 0) for x in window)
        return (-high, -low) if self._game.minimise or self._player == 1 else (low, high)

    def answer(
        self, searchers: _Searchers, options: SearchOptions, limit: TimeLimit
    ) -> SearchResult:
        """The answer; if a method turns out not to serve, that of the next one."""
        least = searchers.least_cost(self, limit)
        if least is not None:
            return least
        progress, window = options["progress"] or Silent(), self._stored(self._asked)
        while True:
            searcher = searchers.searcher(self, limit)
            progress.start("search")
            try:
                driver = Driver(
                    searcher, whole=self.facts.whole, alone=self._game.players == 1,
                    window=window, progress=progress, recurs=self.facts.recurs,
                )  # fmt: skip
                stopped = driver.run(options["nodes"], limit, options["threads"])
            except UnfitSearchError:
                searchers.give_up(searcher)
            else:
                return self._result(searcher, searchers, stopped, limit)
            finally:
                progress.finish()

    def _result(
        self, searcher: Searcher, searchers: _Searchers, stopped: str, limit: TimeLimit
    ) -> SearchResult:
        game, root = self._game, self.root
        found, depth, whole = searcher.bounds, None, _as_it_is
        if searchers.distance:
            depth, whole = plies(*found), outcome
        ends = [self._shown(whole(x)) for x in found]
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
            secured=None if play.secured is None else _tidy(self._shown(whole(play.secured))),
            line=play.line,
            stopped=stopped,
            counts=searcher.counts,
            seconds=limit.spent,
            compile_seconds=limit.compiled,
            method=searcher.method,
            depth=depth,
        )

    def _shown(self, stored: Number) -> Number:
        """A number in stored units, in the units that people see."""
        return self.facts.shown(stored, self._player, minimise=bool(self._game.minimise))

    def _kind(self, low: Number, high: Number) -> Kind:
        if not self.facts.whole:
            return "chance"
        if self._game.players == 1:
            return "total"
        guided = guides(self._game)
        stated = guided.bounds(self.root) if guided else None
        unit = self.facts.bounded or (stated is not None and tuple(stated[:2]) == (-1, 1))
        plain = unit and not self.facts.pairs and not declares(self._game, "reward")
        return "outcome" if plain and low >= -1 and high <= 1 else "score"


def _as_it_is(number: Number) -> Number:
    return number


def _tidy(number: Number) -> Number:
    if isinstance(number, Fraction) and number.denominator == 1:
        return int(number)
    return number
