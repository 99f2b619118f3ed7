"""The strata around a position, by the names that Bellman (1965) gives them.

    S_0           the stratum of the position
    S_1, S_2, …   those that transitive moves lead to from S_0
    S_1,1, …      those that transitive moves lead to from S_1, and that have no name yet

All of them are found forward from the position (strata.py), so that a game need not be solved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfectplay.answer.faces.strata import LIMIT, PositionStrata, strata
from perfectplay.drawing.layers import Layered, layered_picture
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import unread
from perfectplay.positions.explained import explained
from perfectplay.rules.game import Game, first_positions

if TYPE_CHECKING:
    from perfectplay.schemas.strata import PositionStrataJson

MOST_BELOW = 40
"""Strata that are named on each level."""
LOOKED = 20_000
"""Positions that are looked at on the second level, about."""
MOST_DRAWN = 60
"""Strata of a picture; of more only the first level is drawn."""
LEADS = 8
"""Strata that are named in a line."""


@dataclass(frozen=True)
class NamedStratum:
    """A stratum with its name, and the names of those below it."""

    name: str
    found: PositionStrata
    leads_to: tuple[str, ...] = ()
    more: int = 0
    """Exits to strata that got no name."""
    below: tuple[NamedStratum, ...] = ()
    """Those that are named after this one."""

    def __iter__(self) -> Iterator[NamedStratum]:
        """This one, and all that are named after it."""
        yield self
        for each in self.below:
            yield from each

    def as_json(self) -> PositionStrataJson:
        """The stratum as JSON-ready data."""
        return {
            **self.found.as_json(),
            "name": self.name,
            "leads_to": list(self.leads_to),
            "more": self.more,
            "below": [each.as_json() for each in self.below],
        }

    def words(self) -> str:
        """How large it is, and where it leads."""
        size = self.size()
        leads = ", ".join(self.leads_to[:LEADS])
        rest = len(self.leads_to) - LEADS
        leads += f", … {rest} more" if rest > 0 else ""
        ways = [leads] if leads else []
        ways += [f"{self.more:,} positions of other strata"] if self.more else []
        ends = f", leads to {' and '.join(ways)}" if ways else ""
        return f"{self.name}: {size}, such as {self.found.position}{ends}"

    def size(self) -> str:
        """How many positions it has."""
        count = len(self.found.members)
        if not self.found.complete:
            return f"{count:,} positions or more"
        return f"{count:,} position{'s' * (count != 1)}"


@dataclass(frozen=True)
class SurroundingStrata(Rich):
    """The stratum of a position, S_0, and those that transitive moves lead to."""

    first: NamedStratum
    """S_0."""

    @property
    def here(self) -> PositionStrata:
        """What is known of S_0."""
        return self.first.found

    @property
    def below(self) -> tuple[NamedStratum, ...]:
        """S_1, S_2, …"""
        return self.first.below

    def as_json(self) -> PositionStrataJson:
        """The strata as JSON-ready data."""
        return self.first.as_json()

    def __str__(self) -> str:
        return self.display().text()

    def display(self) -> Display:
        """The moves, and the strata below."""
        here = self.here
        declared = "" if here.number is None else f" (stratum {here.number})"
        title = f"{here.position}: S_0{declared} has {self.first.size()}"
        rows = [(move.text, move.word, move.child) for move in here.moves]
        note = "\n".join(each.words() for each in self.first if each is not self.first)
        heads = ("move", "can it be undone", "position after")
        return Display(title, heads, rows, note=note, svg=self.svg())

    def svg(self) -> str:
        """The strata as a graph: an arrow leads to each stratum that moves lead to."""
        every = {each.name: each for each in self.first}
        if len(every) > MOST_DRAWN:
            every = {each.name: each for each in (self.first, *self.below)}
        boxes: dict[str, Layered] = {}

        def add(name: str) -> None:
            each = every[name]
            leads = [other for other in each.leads_to if other in every]
            for other in leads:
                if other not in boxes:
                    add(other)
            size = each.size().replace(" positions", "").replace(" position", "")
            boxes[name] = Layered(name, size, leads, marked=len(each.found.members) > 1)

        add(self.first.name)
        return layered_picture(self.here.position, list(boxes.values()))


@dataclass
class _Naming:
    """Gives names to strata as they are met."""

    game: Game
    names: dict[Any, str] = field(default_factory=dict)
    """By member."""

    def named(self, name: str, found: PositionStrata) -> NamedStratum:
        """A stratum that gets a name."""
        self.names.update(dict.fromkeys(found.members, name))
        return NamedStratum(name, found)

    def descend(self, above: NamedStratum, stem: str, most: int, looks: int) -> NamedStratum:
        """The same stratum with those below it, of which the first `most` that are new are named,
        as long as no more than `looks` positions have been looked at."""
        leads: dict[str, None] = {}
        below: list[NamedStratum] = []
        more = 0
        for q in above.found.exits:
            if q not in self.names and len(below) < most and looks > 0:
                found = strata(self.game, q, LIMIT)
                looks -= found.looked
                below.append(self.named(f"{stem}{len(below) + 1}", found))
            name = self.names.get(q)
            if name is None:
                more += 1
            else:
                leads[name] = None
        return NamedStratum(above.name, above.found, tuple(leads), more, tuple(below))


@explained
def strata_around(game: Game, text: str) -> SurroundingStrata:
    """The strata around the position that `text` writes; UsageError if there is none."""
    try:
        p = game.parse(text)
    except Exception as error:
        raise unread(text, error, game.text(next(first_positions(game)))) from None
    naming = _Naming(game)
    first = naming.descend(
        naming.named("S_0", strata(game, p)), "S_", MOST_BELOW, LIMIT * MOST_BELOW
    )
    left, looks = MOST_BELOW, LOOKED
    below = []
    for each in first.below:
        found = naming.descend(each, f"{each.name},", left, looks)
        left -= len(found.below)
        looks -= sum(lower.found.looked for lower in found.below)
        lowest = (naming.descend(lower, "", 0, 0) for lower in found.below)
        below.append(
            NamedStratum(found.name, found.found, found.leads_to, found.more, tuple(lowest))
        )
    return SurroundingStrata(
        NamedStratum(first.name, first.found, first.leads_to, first.more, tuple(below))
    )
