"""The strata of a whole game: how large they are, what leads where, and how each was solved.

Rules that declare `stratum` have those. Without it, the strata are Bellman's own: the sets of
positions that can reach each other, the strongly connected components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.drawing.layers import Layered, layered_picture
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TooLargeError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, declares
from perfectplay.solvers.work import Options, Work
from perfectplay.solving.budget import Budget
from perfectplay.solving.route import route
from perfectplay.solving.run import Run
from perfectplay.strata.components import Components, components
from perfectplay.strata.turn_structure import TurnStructure, turn_structure

if TYPE_CHECKING:
    from perfectplay.compiled.arrays import Array
    from perfectplay.positions.found_stratum import FoundStratum
    from perfectplay.schemas.strata import GameStrataJson, StratumJson
    from perfectplay.strata.graph import Graph

MOST_DRAWN = 60
"""Strata of a picture, at most."""
ACYCLIC = ("acyclic", "backward pass", "ends")
"""Methods for positions that lie on no cycle, which nothing else is solved by."""
LEADS = 6
"""Strata below that are named in a line."""


@dataclass(frozen=True)
class Stratum:
    """One stratum of a game."""

    number: int
    """As the rules declare it; without that, in the order in which strata are solved."""
    positions: int
    cyclic: int
    """How many of them lie on cycles."""
    components: int
    """Sets of positions that can reach each other."""
    largest: int
    """Positions of the largest of these."""
    inside: int
    """Moves and events that stay in the stratum."""
    below: Mapping[int, int]
    """How many lead to each lower stratum."""
    methods: Mapping[str, int]
    """How many positions each method solved."""
    example: str
    """One of its positions."""

    def as_json(self) -> StratumJson:
        """The stratum as JSON-ready data."""
        return {
            "stratum": self.number,
            "positions": self.positions,
            "cyclic": self.cyclic,
            "components": self.components,
            "largest": self.largest,
            "inside": self.inside,
            "below": [{"stratum": number, "edges": n} for number, n in self.below.items()],
            "methods": dict(self.methods),
            "example": self.example,
        }


@dataclass(frozen=True)
class GameStrata(Rich):
    """All strata of a game, lowest first."""

    game: str
    declared: bool
    """Whether the rules declare strata; else these are the strongly connected components."""
    strata: tuple[Stratum, ...]
    turns: TurnStructure
    """How many cyclic components run by turns, with one anchor a player."""

    def __len__(self) -> int:
        return len(self.strata)

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return sum(each.positions for each in self.strata)

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands above the columns of `table`."""
        return ("stratum", "positions", "on cycles", "leads to", "solved by")

    def table(self) -> list[tuple[str, ...]]:
        """A line for each stratum, lowest first."""
        return [
            (
                str(each.number),
                f"{each.positions:,}",
                f"{each.cyclic:,}" if each.cyclic else "none",
                _leads(each),
                ", ".join(each.methods),
            )
            for each in self.strata
        ]

    def summary(self) -> str:
        """How many strata there are, in words."""
        kind = "declared" if self.declared else "strongly connected components"
        cyclic = sum(each.cyclic for each in self.strata)
        strata = "1 stratum" if len(self.strata) == 1 else f"{len(self.strata):,} strata"
        return (
            f"{self.game}: {self.positions:,} positions in {strata} ({kind}), "
            f"{cyclic:,} positions on cycles{self._by_turns()}"
        )

    def _by_turns(self) -> str:
        """Properties P1 and P2 of Glenn, Fang and Kruskal, in words."""
        turns = self.turns
        if not turns.cyclic:
            return ""

        def how_many(count: int) -> str:
            if count in (0, turns.cyclic):
                return "yes" if count else "no"
            return f"{count:,} of {turns.cyclic:,} components"

        return (
            f"\nturn-based: {how_many(turns.turn_based)}; "
            f"one anchor a player: {how_many(turns.one_anchor)}"
        )

    def __str__(self) -> str:
        """The highest strata, a line for each, below the summary."""
        rows = self.table()[::-1]
        return Display(self.summary(), self.heads, rows).text()

    def display(self) -> Display:
        """The strata as a table, drawn if they are few."""
        picture = self.svg() if len(self.strata) <= MOST_DRAWN else ""
        return Display(self.summary(), self.heads, self.table(), svg=picture)

    def svg(self) -> str:
        """The strata as a graph: an arrow leads to each stratum that moves lead to."""
        if len(self.strata) > MOST_DRAWN:
            raise TooLargeError(
                f"{len(self.strata):,} strata are too many for a picture",
                f"at most {MOST_DRAWN}: choose smaller parameters",
            )
        shown = [
            Layered(
                str(each.number),
                f"{each.positions:,}" + (" (cycles)" if each.cyclic else ""),
                [str(number) for number in each.below],
                marked=each.cyclic > 0,
            )
            for each in self.strata
        ]
        return layered_picture(self.summary().splitlines()[0], shown)

    def as_json(self) -> GameStrataJson:
        """The strata as JSON-ready data."""
        return {
            "game": self.game,
            "declared": self.declared,
            "positions": self.positions,
            "cyclic_components": self.turns.cyclic,
            "turn_based": self.turns.turn_based,
            "one_anchor": self.turns.one_anchor,
            "strata": [each.as_json() for each in self.strata],
        }


def _leads(stratum: Stratum) -> str:
    named = sorted(stratum.below, reverse=True)
    words = ["itself"] if stratum.inside else []
    words += [str(number) for number in named[:LEADS]]
    return ", ".join(words) + (f", … {len(named) - LEADS} more" if len(named) > LEADS else "")


@explained
def game_strata(
    game: Game, *, memory: int | None = None, progress: Progress | None = None
) -> GameStrata:
    """Solve a game in memory, position by position, and say what its strata are."""
    run = Run(
        game,
        Options(workers=cores()),
        route(game, stored=False, steps=True),
        budget=Budget(memory),
        progress=progress or Silent(),
    )
    seen = _Seen(run, declared=declares(game, "stratum"))
    run.look = seen.look
    with threads(run.options.workers):
        table = run.table()
    return GameStrata(str(table.header["game"]), seen.declared, tuple(seen.strata), seen.turns)


class _Seen:
    """Takes note of every stratum that is solved, lowest first."""

    def __init__(self, run: Run, *, declared: bool) -> None:
        self.run, self.declared = run, declared
        self.strata: list[Stratum] = []
        self.turns = TurnStructure()
        self._lows: list[int] = []

    def look(self, found: FoundStratum, moves: Graph, work: Work) -> None:
        """Note one stratum; without declared ones, all of its components."""
        parts = components(moves)
        self.turns += turn_structure(moves, self.run.game.players)
        if self.declared:
            self.strata.append(self._whole(found, moves, parts, work))
            self._lows.append(moves.low)
        else:
            self.strata += self._components(found, moves, parts, work)

    def _text(self, found: FoundStratum, row: int) -> str:
        return str(self.run.game.text(self.run.found.position(found.positions[row])))

    def _whole(self, found: FoundStratum, moves: Graph, parts: Components, work: Work) -> Stratum:
        sizes = np.diff(parts.start)
        outside = moves.child[moves.child < moves.low]
        places = np.searchsorted(self._lows, outside, "right") - 1
        counts = np.bincount(places, minlength=len(self._lows))
        below = {self.strata[i].number: int(count) for i, count in enumerate(counts) if count}
        return Stratum(
            int(found.stratum),
            moves.size,
            int(sizes[parts.cyclic].sum()),
            parts.count,
            int(sizes.max(initial=0)),
            moves.edges - len(outside),
            below,
            dict(sorted(work.methods.items())),
            self._text(found, 0),
        )

    def _components(
        self, found: FoundStratum, moves: Graph, parts: Components, work: Work
    ) -> Sequence[Stratum]:
        """The components as strata."""
        sizes = np.diff(parts.start)
        rows = np.repeat(np.arange(moves.size), np.diff(moves.first))
        here, there = parts.number[rows], parts.number[moves.child - moves.low]
        inside = np.bincount(here[here == there], minlength=parts.count)
        below = _pairs(here, there, parts.count)
        methods = _by_cycle(work.methods)
        return [
            Stratum(
                c,
                int(sizes[c]),
                int(sizes[c]) if parts.cyclic[c] else 0,
                1,
                int(sizes[c]),
                int(inside[c]),
                below[c],
                {methods[bool(parts.cyclic[c])]: int(sizes[c])},
                self._text(found, int(parts.rows[parts.start[c]])),
            )
            for c in range(parts.count)
        ]


def _pairs(here: Array, there: Array, count: int) -> list[dict[int, int]]:
    """For each component, how many edges lead to each other one."""
    out: list[dict[int, int]] = [{} for _ in range(count)]
    apart = here != there
    codes, counts = np.unique(
        here[apart].astype(np.int64) * count + there[apart], return_counts=True
    )
    for code, number in zip(codes.tolist(), counts.tolist(), strict=True):
        out[code // count][code % count] = number
    return out


def _by_cycle(methods: Mapping[str, int]) -> dict[bool, str]:
    """Which methods solved positions on cycles, and which the others."""
    others = [name for name in methods if name in ACYCLIC] or list(methods)
    cyclic = [name for name in methods if name not in ACYCLIC] or list(methods)
    return {True: ", ".join(cyclic), False: ", ".join(others)}
