"""A solved game as data for one page: every position that can arise, with its picture, its values
and its moves, as `probe` gives them. What occurs often is stored once and named by a number.

    words       texts of moves and probabilities
    values      [in a few characters, how sure, in full, the number for bars and graphs]
    costs       [what a move gives away, the class of its colour]
    parts, frames, before, after    of pictures: see picture_parts.py
    boxes       [x, y, width, height] of places to click
    positions   [text, to move, values, frame, parts, moves, clicks, note]

Positions come in the order in which moves reach them; the first ones of the rules come first. Of a
position, `values` has the number of a value for each player; `moves` has, best first, [number in
the order of the rules, words, position after it, value, cost], or where chance acts [words,
position after it]; `clicks` has, for each box that can be clicked, [box, move] or [box, clicks].
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.faces.places import Place, Places, places
from perfectplay.answer.solution import Solution
from perfectplay.drawing.shapes import read
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, Game, alternate, first_positions
from perfectplay.rules.value import Value
from perfectplay.table.recent import Recent
from perfectplay.web import words
from perfectplay.web.offline.picture_parts import PictureParts, shared

FORMAT = 1
MOST = 100_000
"""Positions of the largest game that is put into one page."""
MOST_ENTRIES = 40_000_000
"""Numbers in all rows together: more are no page that a browser could open."""
LONGEST_VALUE = 1_000
"""Characters of a value in full; longer ones are given in a few characters only."""
MOST_DRAWN = 256 << 20
"""Characters of pictures that are kept, about."""
CLICKS_PER_MOVE, FEWEST_CLICKS = 12, 60
"""So many clicks are written out for a position, about."""
SMALLER = "choose smaller parameters with -p, or leave out --out: the explorer has no such limit"
REPORTED = 100
"""Progress is reported every so many positions."""


class TooManyForPageError(TooLargeError):
    """A game has more positions than one page can hold."""


@explained
def reachable(game: Game, most: int | None = None) -> dict[Any, int]:
    """All positions that can arise, numbered in the order in which moves reach them;
    TooManyForPageError if there are more than `most`, or than a page can hold; UsageError if both
    players choose at once."""
    if simultaneous(game) is not None:
        raise UsageError(
            f"{type(game).__name__} has simultaneous moves: a page without a server shows none",
            "leave out --out",
        )
    most = MOST if most is None else most
    found: dict[Any, int] = {}
    order: list[Any] = []

    def see(p: Any) -> None:
        if p not in found:
            found[p] = len(found)
            order.append(p)
            if len(found) > most:
                raise TooManyForPageError(f"there are more than {most:,} positions")

    for p in first_positions(game):
        see(p)
    for p in order:
        for q in _followers(game, p):
            see(q)
    return found


def _followers(game: Game, p: Any) -> Iterator[Any]:
    """The positions that may come next."""
    player = game.to_move(p)
    if player == CHANCE:
        yield from (q for _, q in game.chances(p))
    elif player != OVER:
        yield from (game.play(p, m) for m in game.moves(p))


@explained
def page_table(
    solution: Solution, positions: dict[Any, int] | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """The data of a solved game; `positions` are those of `reachable`, if they are known."""
    game = solution.game
    progress = progress or Silent()
    if positions is None:
        positions = reachable(game)
    table = _PageTable(solution, positions)
    progress.start("draw", len(positions))
    for number, p in enumerate(positions, 1):
        table.add(p)
        if not number % REPORTED:
            progress.advance(REPORTED)
    return {
        "format": FORMAT,
        "starts": sum(1 for _ in first_positions(game)),
        "players": [game.player_name(i) for i in range(game.players)],
        "alternate": alternate(game),
        "outcome": bool(solution.facts.outcome),
        "minimise": bool(solution.facts.minimise),
        "unit": words.unit(solution.facts),
        **table.as_json(),
    }


class _PageTable:
    """Takes positions one by one."""

    def __init__(self, solution: Solution, numbers: dict[Any, int]) -> None:
        self.solution, self.game, self.numbers = solution, solution.game, numbers
        self.pictures = PictureParts()
        self.words: dict[str, int] = {}
        self.values: dict[tuple[str, str, str, float | str], int] = {}
        self.costs: dict[tuple[str, str], int] = {}
        self.boxes: dict[tuple[float, ...], int] = {}
        self.rows: list[list[Any]] = []
        self.drawn: list[tuple[int, ...]] = []
        self.entries = 0
        self.known: set[str] = set()
        self.error = 0.0
        self._seen: dict[tuple[Any, ...], int] = {}
        self._drawn: Recent[str] = Recent(MOST_DRAWN)

    def add(self, p: Any) -> None:
        """The row of the next position."""
        game, solution = self.game, self.solution
        mover = solution.to_move(p)
        found = places(game, p, self._picture) if mover >= 0 else None
        drawing = found.drawing if found else read(self._picture(p))
        frame, parts = self.pictures.add(drawing)
        values = [self._value(value) for value in solution.values(p)]
        moves = self._events(p) if mover == CHANCE else self._moves(p)
        clicks = self._clicks(found, len(moves)) if found else []
        note = solution.table.note(p) if hasattr(solution.table, "note") else ""
        self.drawn.append(parts)
        self.rows.append([game.text(p), mover, values, frame, [], moves, clicks, note])
        self.entries += len(parts) + 5 * len(moves) + 8
        if self.entries > MOST_ENTRIES:
            raise TooLargeError(
                f"{len(self.rows):,} of {len(self.numbers):,} positions have more parts than one "
                "page can hold",
                SMALLER,
            )

    def as_json(self) -> dict[str, Any]:
        """All that was taken."""
        before, after = shared(self.drawn)
        for row, parts in zip(self.rows, self.drawn, strict=True):
            row[4] = parts[len(before) : len(parts) - len(after)]
        return {
            "sure": self._sure(),
            "words": list(self.words),
            "values": list(self.values),
            "costs": list(self.costs),
            "frames": self.pictures.frames,
            "parts": self.pictures.parts,
            "before": before,
            "after": after,
            "boxes": list(self.boxes),
            "positions": self.rows,
        }

    def _sure(self) -> str:
        """How well all values are known, in words."""
        if self.known == {"exact"}:
            return "all values are exact"
        if "residual" in self.known:
            return "the equations hold, up to rounding"
        return f"all values are proved to ±{self.error:.1g}"

    def _picture(self, p: Any) -> str:
        """The picture of a position: first it is compared with others, later it is shown."""
        kept = self._drawn.get(p)
        if kept is not None:
            return kept
        drawn = self.game.picture(p)
        return self._drawn.put(p, drawn, len(drawn))

    def _word(self, text: str) -> int:
        return self.words.setdefault(text, len(self.words))

    def _value(self, value: Value) -> int:
        key = value.kind, value.lower, value.upper, value.exactness, value.depth
        number = self._seen.get(key)
        if number is None:
            number = self._seen[key] = self._new_value(value)
        return number

    def _new_value(self, value: Value) -> int:
        self.known.add(value.exactness)
        self.error = max(self.error, value.error if value.exactness == "bounds" else 0.0)
        brief, full = words.number(value), str(value)
        if len(full) > LONGEST_VALUE:
            full = brief
        shown = brief, words.sure(value), full, _middle(value)
        return self.values.setdefault(shown, len(self.values))

    def _moves(self, p: Any) -> list[list[int]]:
        game = self.game
        found = self.solution.moves(p)
        return [
            [
                each.number,
                self._word(each.text),
                self.numbers[game.play(p, each.move)],
                self._value(each.value),
                self._cost(each, found[0].value),
            ]
            for each in found
        ]

    def _cost(self, move: MoveAnalysis, top: Value) -> int:
        shown = words.cost(move, top), words.tone(move)
        return self.costs.setdefault(shown, len(self.costs))

    def _events(self, p: Any) -> list[list[int]]:
        events = self.solution.events(p)
        return [[self._word(str(chance)), self.numbers[q]] for q, chance in events.items()]

    def _clicks(self, found: Places, moves: int) -> list[list[Any]]:
        """The tree of clicks, written out level by level: where far more clicks than moves are
        possible, those that would need many are left to the list of moves."""
        tree: list[list[Any]] = []
        left = max(FEWEST_CLICKS, CLICKS_PER_MOVE * moves)
        waiting = [(found.clicks, tree)]
        for here, into in waiting:
            for place in found.drawn(here):
                more = here.further.get(place)
                into.append([self._box(found, place), [] if more else here.moves[place]])
                if more and left > 0:
                    waiting.append((more.clicks(), into[-1][1]))
            left -= len(into)
            self.entries += 2 * len(into)
        return _pruned(tree)

    def _box(self, found: Places, place: Place) -> int:
        left, top, right, bottom = (round(each, 2) for each in found.boxes[place])
        corner = left, top, round(right - left, 2), round(bottom - top, 2)
        return self.boxes.setdefault(corner, len(self.boxes))


def _pruned(tree: list[list[Any]]) -> list[list[Any]]:
    """A tree of clicks without those that lead to no move."""
    cut = ([box, _pruned(then) if isinstance(then, list) else then] for box, then in tree)
    return [each for each in cut if each[1] != []]


def _middle(value: Value) -> float | str:
    """The number of a value for bars and graphs, six digits of it."""
    try:
        middle = float(value)
    except OverflowError:
        middle = math.inf if value.lower > 0 else -math.inf
    if math.isfinite(middle):
        return float(f"{middle:.6g}")
    return "Infinity" if middle > 0 else "-Infinity"
