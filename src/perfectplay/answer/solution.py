"""Answers: a solved game that can be asked about any of its positions.

A table holds representatives only, in their own frame. `Solution` leads from a position to its row
and back: players are renamed as `Game.turn` says, in alternate play a move hands the position to
the opponent, and what a move earns is added to what it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.answer.analysis import (
    Analysis,
    ChanceAnalysis,
    ChoiceAnalysis,
    EventList,
    Line,
    MoveList,
)
from perfectplay.answer.compare_moves import JudgedMove, RankedMoves, WeighedMove, bytes_of, shown
from perfectplay.answer.stored_positions import PerfectPolicy, StoredPositions
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TableError, UsageError, unread
from perfectplay.positions.explained import explained_methods
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.rules.capabilities import by_turns
from perfectplay.rules.game import (
    CHANCE,
    OVER,
    SIMULTANEOUS,
    Game,
    alternate,
    first_positions,
)
from perfectplay.rules.value import Value
from perfectplay.solvers.store import values as stored_values
from perfectplay.strata.graph import Facts
from perfectplay.table.manifest import NUMBERED
from perfectplay.table.recent import Recent

if TYPE_CHECKING:
    from perfectplay.answer.placements import Placements
    from perfectplay.answer.plot import Plot
    from perfectplay.answer.tie_spread import TieSpread
    from perfectplay.answer.within_turn import TurnValues
    from perfectplay.progress import Progress
    from perfectplay.web.notebook.widget import ExplorerWidget

LINE = 12
"""How many moves of the main line an analysis shows."""
MOST_VALUES = 16 << 20
"""Bytes, about, of values that were looked up last and are kept."""
MOST_LEGAL = 8 << 20
"""Bytes, about, of the legal moves of positions that were asked for last."""


@explained_methods
@dataclass
class Solution(Rich):
    """A solved game. Positions are those of the rules, not their texts; see `position`."""

    game: Game
    table: Any
    """A `Table` or a `MemoryTable`."""
    report: dict[str, Any]
    """How it was solved: positions, strata, methods, seconds, memory."""

    def __post_init__(self) -> None:
        self.facts = Facts(**self.table.header["facts"])
        self._alternate = alternate(self.game)
        self._values: Recent[tuple[Value, ...]] = Recent(MOST_VALUES)
        self._first: tuple[Any, ...] = ()
        self._legal: Recent[tuple[Any, ...]] = Recent(MOST_LEGAL)
        self._numbering: Numbering | None = None
        if self.table.width == NUMBERED:
            self.table.numbering = self._numbering = Numbering(self.game)
        if self.facts.outcome and abs(self.facts.endless) > 1:
            raise TableError(
                f"the table has wins and losses only, but endless play is worth "
                f"{self.facts.endless:g}",
                "an older version made it: solve the game again with --fresh",
            )

    @staticmethod
    def open(folder: str | Path, game: Game | None = None, *, check: bool = True) -> Solution:
        """The solution in a table's folder. Its rules are `game`, or those that it names if they
        are of this package; some rows are derived again by them, unless `check` is False."""
        from perfectplay.answer.spot_check import spot_check
        from perfectplay.answer.table_rules import compare, rules_of
        from perfectplay.table.reader import Table

        table = Table.open(folder)
        if game is None:
            game = rules_of(table.header, folder)
        compare(game, table.header, folder)
        solution = Solution(game, table, dict(table.extra))
        if check:
            spot_check(solution)
        return solution

    # -- Values. ----------------------------------------------------------------------------------

    def position(self, text: str) -> Any:
        """The position that `text` writes; UsageError if there is none."""
        try:
            return self.game.parse(text)
        except Exception as error:
            raise unread(text, error, self.game.text(self.start)) from None

    @property
    def start(self) -> Any:
        """The first position."""
        if not self._first:
            self._first = (next(first_positions(self.game)),)
        return self._first[0]

    def values(self, p: Any) -> tuple[Value, ...]:
        """What `p` is worth to each player; in alternate play player 0 is the one to move."""
        key = type(p), p  # True is no 1, though they are equal
        kept = self._values.get(key)
        if kept is not None:
            return kept
        found = self._looked_up(p)
        return self._values.put(key, found, sum(map(bytes_of, found)))

    def _looked_up(self, p: Any) -> tuple[Value, ...]:
        """What the table says of `p`, or what follows from it inside a turn."""
        game = self.game
        try:
            found = self.stored(p)
        except (TableError, MemoryError):
            raise
        except Exception:  # rules need not bear what is no position at all
            found = None
        if found is None and by_turns(game) and self._insides.may_have(p):
            return self._insides.values(p)
        if found is None:
            raise UsageError(
                f"{shown(game, p)} is not a position that can arise",
                f"positions that can arise look like {game.text(self.start)!r}",
            )
        return found

    def stored(self, p: Any) -> tuple[Value, ...] | None:
        """What the table says of `p`, for each player; None if it has no row for it."""
        game = self.game
        q = game.representative(p)
        row = self.row(q)
        if row is None:
            return None
        found = stored_values(self.facts, row)
        if self._alternate:
            return found
        shift = game.turn(q) - game.turn(p)
        return tuple(found[(i + shift) % game.players] for i in range(game.players))

    @cached_property
    def _insides(self) -> TurnValues:
        from perfectplay.answer.within_turn import TurnValues

        return TurnValues(self.game, self.values, minimise=self.facts.minimise, ties=self.ties)

    def row(self, q: Any) -> dict[str, Any] | None:
        """What the table holds about a representative, as it is stored; None if it is absent."""
        key: Any = q if isinstance(q, tuple) else (q,)
        if self._numbering is not None:
            key = (self._numbering.number(q),)
        elif not self.table.width:
            key = self.game.text(q)
        stratum = self.game.stratum(q)
        found: dict[str, Any] | None = self.table.find(stratum, key)
        if found is not None and "top_0" in found:
            found["denominator"] = self.table.extra["denominators"][str(stratum)]
        return found

    def value(self, p: Any) -> Value:
        """What `p` is worth to one player, `seen_by(p)`: the player to move."""
        return self.values(p)[self.seen_by(p)]

    def seen_by(self, p: Any) -> int:
        """The player to move at `p`, also if they have no move left; player 0 where `to_move`
        names nobody, since chance acts or play is over."""
        return max(self.game.to_move(p), 0)

    def to_move(self, p: Any) -> int:
        """The player to move at `p`, or CHANCE, SIMULTANEOUS or OVER, also where a player has no
        move."""
        player = self.game.to_move(p)
        return OVER if player >= 0 and not self.legal(p) else player

    # -- All positions. ---------------------------------------------------------------------------

    def positions(self, stratum: int | None = None) -> StoredPositions:
        """The positions that the table holds, or those of one stratum, in its order: of symmetric
        positions the representative; of games that are solved by turns anchors and ends."""
        return StoredPositions(self, stratum)

    def policy(self) -> PerfectPolicy:
        """Perfect play as a mapping from positions to their best moves."""
        return PerfectPolicy(self)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.positions())

    def __len__(self) -> int:
        return int(self.table.positions)

    def __contains__(self, p: object) -> bool:
        """Whether `p` can arise, so that its value is known: it need not be stored itself."""
        try:
            self.values(p)
        except UsageError:
            return False
        return True

    # -- Moves. -----------------------------------------------------------------------------------

    def legal(self, p: Any) -> tuple[Any, ...]:
        """All legal moves at `p`, in the order of the rules, which are asked once."""
        key = type(p), p
        kept = self._legal.get(key)
        if kept is not None:
            return kept
        found = tuple(self.game.moves(p))
        return self._legal.put(key, found, 200 + 100 * len(found))

    def moves(self, p: Any) -> MoveList:
        """All legal moves at `p`, best first; none where chance acts, both players choose at once
        (see `choices`) or play has ended."""
        return self._ranking.in_words(p)

    def judged(self, p: Any, number: int) -> JudgedMove:
        """The move at `p` with this number in the order of the rules, against the best one."""
        return self._ranking.one(p, number)

    def ranked(self, p: Any) -> list[list[WeighedMove]]:
        """Groups of equally good moves at `p`, the best group first, and in that a move that makes
        progress; none where chance acts or play has ended."""
        return self._ranking.groups(p)

    def leading(self, p: Any) -> list[WeighedMove]:
        """The best moves at `p`, or the first of them alone where that is found sooner."""
        return self._ranking.leading(p)

    @cached_property
    def _ranking(self) -> RankedMoves:
        from perfectplay.answer.progress_moves import ProgressMoves

        return RankedMoves(self, partial(ProgressMoves, self))

    def best(self, p: Any) -> Any:
        """The best move at `p`; UsageError where nobody moves."""
        found = self.ranked(p)
        if not found and self.game.to_move(p) == SIMULTANEOUS:
            raise UsageError(
                f"both players choose at once at {shown(self.game, p)}",
                "`choices` says with which probabilities",
            )
        if not found:
            raise UsageError(f"nobody is to move at {shown(self.game, p)}")
        return found[0][0].move

    @property
    def ties(self) -> str:
        """What a player does with equally good moves, as it was solved."""
        return str(self.table.header.get("ties", "first"))

    def tie_spread(self, *rules: str) -> TieSpread:
        """Which values depend on what players do with equally good moves, and by how much: the
        game is solved again, in memory, with each of these rules (default: last and average)."""
        from perfectplay.answer.tie_spread import spread

        return spread(self, rules or ("last", "average"))

    def choices(self, p: Any) -> tuple[tuple[ChoiceAnalysis, ...], ...]:
        """Where both players choose at once: what each may choose, with the probabilities of an
        optimal mixture; else nothing."""
        if self.game.to_move(p) != SIMULTANEOUS:
            return ()
        from perfectplay.answer.faces.mixed_choices import choice_analyses

        return choice_analyses(self, p)

    def chances(self, p: Any) -> EventList:
        """All that may happen at `p`, in the order of the rules; none where nothing is left to
        chance."""
        return EventList(
            ChanceAnalysis(probability, self.game.text(child), self.values(child))
            for child, probability in self.events(p).items()
        )

    def events(self, p: Any) -> dict[Any, Fraction]:
        """The positions that may follow a CHANCE position, with their probabilities."""
        if self.game.to_move(p) != CHANCE:
            return {}
        weights: dict[Any, int] = {}
        for weight, child in self.game.chances(p):
            weights[child] = weights.get(child, 0) + int(weight)
        total = sum(weights.values())
        return {child: Fraction(weight, total) for child, weight in weights.items()}

    # -- Lines. -----------------------------------------------------------------------------------

    def line(self, p: Any, limit: int = 100) -> Line:
        """Best play from `p` on: best moves, and where chance acts the most probable event (of
        several, one that changes little)."""
        from perfectplay.answer.lines import principal_variation

        return principal_variation(self, p, limit)

    def analyse(self, p: Any, line: int = LINE) -> Analysis:
        """All that is known about `p`, with the first `line` moves of the main line."""
        values = self.values(p)  # refused if it cannot arise
        note = self.table.note(p) if hasattr(self.table, "note") else ""
        player = self.to_move(p)
        return Analysis(
            position=self.game.text(p),
            player=player,
            name=self.player_name(player),
            value=values[self.seen_by(p)],
            to=self.player_names()[self.seen_by(p)],
            values=values,
            moves=self.moves(p),
            chances=self.chances(p),
            line=self.line(p, line),
            note=note,
            picture=partial(self.game.picture, p),
            choices=self.choices(p),
        )

    def player_name(self, player: int) -> str:
        """What a player is called, also if it is nobody; in alternate play a position does not
        tell who is to move."""
        if player < 0:
            return {CHANCE: "chance", SIMULTANEOUS: "both players"}.get(player, "nobody")
        return self.player_names()[player]

    def player_names(self) -> list[str]:
        """What all players are called, seen from a position."""
        if alternate(self.game):
            return ["the player to move", "the opponent"]
        return [self.game.player_name(i) for i in range(self.game.players)]

    # -- Pictures. --------------------------------------------------------------------------------

    def chart(
        self,
        *,
        at: Mapping[str, Any] | None = None,
        show: str = "",
        lines: bool = False,
        progress: Progress | None = None,
    ) -> Plot:
        """The game's chart, drawn: best moves, values or thresholds by coordinates. `at` fixes an
        axis at a value, or names the values to draw; `show` is "move" or "value"."""
        from perfectplay.answer.plot import plot

        return plot(self, at=at, show=show, lines=lines, progress=progress)

    def placements(self) -> Placements:
        """The first positions as a matrix game, if they are what both players choose, unseen."""
        from perfectplay.answer.placements import placements

        return placements(self)

    def explore(self, p: Any = None) -> ExplorerWidget:
        """The explorer in a notebook: a board to click, at `p` or at the start, without a server;
        needs the extra `notebook`."""
        from perfectplay.web.notebook.explore import explore

        return explore(self, p)

    # -- Other forms. -----------------------------------------------------------------------------

    def to_arrow(self) -> Any:
        """The whole table as a pyarrow.Table: stratum, key, and values as they are stored."""
        return self.table.to_arrow()

    def to_pandas(self) -> Any:
        """The whole table as a pandas.DataFrame; needs pandas."""
        try:
            return self.table.to_pandas()
        except ImportError:
            raise UsageError("to_pandas needs pandas", "pip install pandas") from None

    def __repr__(self) -> str:
        name, value = type(self.game).__name__, self.value(self.start)
        return f"<{name} solved: {self.table.positions} positions, {value}>"

    def display(self) -> Display:
        """The game, and all that is known about its first position."""
        start = self.analyse(self.start).display()
        title = f"{self.game}: {self.table.positions:,} positions\n{start.title}"
        return replace(start, title=title)
