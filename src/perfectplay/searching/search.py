"""Search: the value of one position, without solving the whole game.

Forward search with bounds: alpha-beta where players move, Star1 and Star2 where chance acts
(Ballard 1983), a table of positions searched before, shared by threads, and, if there is one, a
solved table below. A search that is stopped answers with bounds that hold.

    search_facts.py          what must be known of a game beforehand
    windows.py               which windows are asked, one after the other
    plain.py                 the search, interpreted
    native.py                the search, compiled: visit.py calls itself from position to position;
                             choose_child.py, chance_windows.py, node_values.py, search_stack.py
    turns/                   games by turns, from anchor to anchor
    endgame_tables.py        solved tables below a search
    principal_variation.py   best play, as far as a search has proved it
    result.py                what it answers
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.errors import UsageError
from perfectplay.progress import Progress, Silent
from perfectplay.progress import size as shown_size
from perfectplay.rules.capabilities import guides, own_solver
from perfectplay.rules.game import Game, alternate, declares, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.rules.value import Kind, Number
from perfectplay.searching.principal_variation import best_play
from perfectplay.searching.result import Counts, SearchResult
from perfectplay.searching.search_facts import Nature, NotByTurns, fits_turns, nature
from perfectplay.searching.windows import Driver, Searcher
from perfectplay.solving.budget import available_memory

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

__all__ = ["Counts", "SearchResult", "position_of", "search", "searches"]

SIZE = 2**27
"""Bytes of the table of positions searched before."""
PLAIN_ENTRY = 500
"""Bytes that an entry of an interpreted search takes, about."""


def search(  # noqa: PLR0913 - options
    game: Game,
    position: Any = None,
    *,
    window: tuple[Number, Number] = (-math.inf, math.inf),
    nodes: int | None = None,
    seconds: float | None = None,
    size: int = SIZE,
    slots: int | None = None,
    table: Solution | str | Path | None = None,
    threads: int = 1,
    exact: bool = False,
    plain: bool = False,
    progress: Progress | None = None,
) -> SearchResult:
    """The value of a position (the start, if none is given) to the player to move, or bounds on it
    if the search was stopped after so many `nodes` or `seconds`.

    `window`: the search may end as soon as the value is known to lie at or outside of it. `size`
    is that of the table of positions searched before, in bytes, or `slots` in entries; `table` a
    solved table of the same rules, whose positions are not searched. Fractions of more than 64
    bits are rounded outwards in compiled searches, unless `exact` asks for all digits."""
    return next(
        searches(
            game,
            [position],
            window=window,
            nodes=nodes,
            seconds=seconds,
            size=size,
            slots=slots,
            table=table,
            threads=threads,
            exact=exact,
            plain=plain,
            progress=progress,
        )
    )


def searches(
    game: Game,
    positions: Iterable[Any],
    *,
    window: tuple[Number, Number] = (-math.inf, math.inf),
    nodes: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    exact: bool = False,
    progress: Progress | None = None,
    **made: Any,
) -> Iterator[SearchResult]:
    """Search several positions, one after the other, each with the options of `search`; where a
    search goes by turns, what was found out about one serves the next."""
    size, plain = made.get("size", SIZE), made.get("plain", False) or not game.native
    _refuse(threads=threads, nodes=nodes, seconds=seconds, size=size, window=window)
    if size > available_memory():
        raise UsageError(
            f"a table of {shown_size(size)} does not fit: {shown_size(available_memory())} of "
            "memory can be had",
            "use a smaller one (--size, in MB): no value depends on it",
        )
    maker = _Maker(game, made.get("table"), size, made.get("slots"), plain=plain)
    own = own_solver(game, plain=made.get("plain", False)) if maker.table is None else None
    for position in positions:
        root = next(first_positions(game)) if position is None else position
        if own is not None:
            yield own.search(root, seconds, progress or Silent())
            continue
        watcher, began = progress or Silent(), time.perf_counter()
        limits = nodes, seconds, threads
        asked = _Asked(game, root, window)
        stopped, searcher, taken = asked.answer(maker, limits, watcher)
        if exact and stopped == "rounding" and not plain:
            left = None if seconds is None else max(seconds - (time.perf_counter() - began), 0.01)
            yield search(
                game, position, window=window, nodes=nodes, seconds=left, size=size,
                table=maker.table, plain=True, progress=progress,
            )  # fmt: skip
        else:
            yield _result(game, root, searcher, asked.nature, stopped, asked.flipped, taken)


class _Asked:
    """A question about one position."""

    def __init__(self, game: Game, root: Any, window: tuple[Number, Number]) -> None:
        self.game, self.nature = game, nature(game, root)
        self.representative = game.representative(root)
        self.flipped = _flipped(game, root, self.representative)
        player = max(game.to_move(root), 0) ^ self.flipped
        self._window = _stored(window, self.nature, player, minimise=bool(game.minimise))

    def answer(
        self, maker: _Maker, limits: tuple[int | None, float | None, int], progress: Progress
    ) -> tuple[str, Searcher, float]:
        """Why the search ended before its end, the search, and how long it took."""
        searcher = maker.searcher(self.representative, self.nature)
        began = time.perf_counter()
        progress.start("search")
        alone, whole = self.game.players == 1, self.nature.whole
        try:
            driver = Driver(
                searcher, whole=whole, alone=alone, window=self._window, progress=progress
            )
            stopped = driver.run(*limits)
        except NotByTurns:
            progress.finish()
            maker.by_turns = False
            return self.answer(maker, limits, progress)
        progress.finish()
        return stopped, searcher, time.perf_counter() - began


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


def _refuse(
    *, threads: int, nodes: int | None, seconds: float | None, size: int, window: Any
) -> None:
    if threads < 1 or size < 0 or (nodes is not None and nodes < 1):
        raise UsageError("threads, nodes and size are positive numbers")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"no search takes {seconds} seconds", "give a positive number of seconds")
    if len(window) != 2 or not window[0] < window[1]:
        raise UsageError(
            f"{window} is no window", "a window is a pair (low, high) with low < high"
        )


class _Maker:
    """Makes searches of one game, all with the same options."""

    def __init__(
        self, game: Game, table: Any, size: int, slots: int | None, *, plain: bool
    ) -> None:
        self.game, self.table, self._plain = game, table, plain
        self._size, self._slots = size, slots
        self.by_turns = table is None and not plain
        self._last: Any = None

    def searcher(self, p: Any, found: Nature) -> Searcher:
        """A search of position `p`, a representative."""
        from perfectplay.searching import endgame_tables

        game, slots = self.game, self._slots if self._slots is not None else -self._size
        if self.by_turns and fits_turns(game, p, found):
            from perfectplay.searching.turns.search import TurnSearch

            with suppress(NotByTurns):
                if self._last is None or not self._last.again(p):
                    self._last = TurnSearch(game, p, found, slots)
                searcher: Searcher = self._last
                return searcher
        solution = None if self.table is None else endgame_tables.solution_of(self.table, game)
        if self._plain:
            from perfectplay.searching.plain import PlainSearch

            ends = None if solution is None else endgame_tables.finder(solution, found)
            return PlainSearch(game, p, found, self._slots or self._size // PLAIN_ENTRY, ends)
        from perfectplay.searching.native import NativeSearch

        entries = None if solution is None else endgame_tables.entries(solution, found)
        return NativeSearch(game, p, found, slots, entries)


def _flipped(game: Game, p: Any, r: Any) -> int:
    """Whether the players are exchanged between a position and its representative."""
    if alternate(game) or game.players < 2 or not declares(game, "turn"):
        return 0
    return int((game.turn(p) - game.turn(r)) % 2)


def _stored(
    window: tuple[Number, Number], found: Nature, player: int, *, minimise: bool
) -> tuple[Number, Number]:
    """A window in shown units as one in stored units."""
    low, high = window
    if found.pairs:
        low, high = 2 * low - (found.sum or 0), 2 * high - (found.sum or 0)
    return (-high, -low) if minimise or player == 1 else (low, high)


def _result(
    game: Game, root: Any, searcher: Searcher, found: Nature, stopped: str, flipped: int,
    seconds: float,
) -> SearchResult:  # fmt: skip
    player = max(game.to_move(root), 0)
    ends = [
        found.shown(x, player ^ flipped, minimise=bool(game.minimise)) for x in searcher.bounds
    ]
    low, high = min(ends), max(ends)
    move, line = best_play(game, root, searcher)
    names = (
        ["the player to move"]
        if alternate(game)
        else [game.player_name(i) for i in range(game.players)]
    )
    return SearchResult(
        game=rules_path(game),
        parameters=parameters(game),
        position=game.text(root),
        name=names[player],
        kind=_kind(game, found, low, high, root),
        lower=_tidy(low),
        upper=_tidy(high),
        move=move,
        move_text=None if move is None else game.move_text(root, move),
        line=line,
        stopped=stopped,
        counts=searcher.counts,
        seconds=seconds,
    )


def _tidy(number: Number) -> Number:
    if isinstance(number, Fraction) and number.denominator == 1:
        return int(number)
    return number


def _kind(game: Game, found: Nature, low: Number, high: Number, root: Any) -> Kind:
    if not found.whole:
        return "chance"
    if game.players == 1:
        return "total"
    guided = guides(game)
    told = guided.bounds(root) if guided else None
    unit = found.bounded or (told is not None and tuple(told[:2]) == (-1, 1))
    plain = unit and not found.pairs and not declares(game, "reward")
    return "outcome" if plain and low >= -1 and high <= 1 else "score"
