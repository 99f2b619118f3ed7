"""The list of games, by families, with what is found in their names and summaries."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from perfectplay.games.catalogue import FAMILIES, OTHERS, family
from perfectplay.web import render, words
from perfectplay.web.collection import Collection, Exhibit, shown_parameters

FEWEST_SEARCHED = 12
"""With fewer games the list needs no families and no search."""
ORDER = (OTHERS, *FAMILIES.values())
"""What a user brings comes first."""


@dataclass(frozen=True)
class ListedExhibit:
    """A game in the list."""

    name: str
    address: str
    summary: str
    parameters: tuple[str, ...]
    figures: int
    """How many published figures there are."""


@dataclass(frozen=True)
class Family:
    """Games of one kind."""

    name: str
    anchor: str
    games: tuple[ListedExhibit, ...]


def families(collection: Collection, find: str = "") -> tuple[Family, ...]:
    """The games of a collection by families, those that have every word of `find` in their name,
    summary or family; few games are not divided."""
    found: dict[str, list[ListedExhibit]] = {}
    few = len(collection.exhibits) < FEWEST_SEARCHED
    for exhibit in collection.exhibits.values():
        kind = OTHERS if few else family(exhibit.spec)
        said = f"{exhibit.key} {exhibit.summary} {kind}".lower()
        if all(word in said for word in find.lower().split()):
            found.setdefault(kind, []).append(_listed(exhibit))
    return tuple(
        Family(name, name.lower().replace(" ", "-"), tuple(found[name]))
        for name in ORDER
        if name in found
    )


def _listed(exhibit: Exhibit) -> ListedExhibit:
    return ListedExhibit(
        name=exhibit.key,
        address=quote(exhibit.key, safe=""),
        summary=exhibit.summary,
        parameters=words.settings(shown_parameters(exhibit)),
        figures=len(render.published(exhibit.spec)),
    )
