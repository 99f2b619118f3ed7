"""The command that computes the value of a sum of positions of any games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.options import Json
from perfectplay.errors import UsageError

if TYPE_CHECKING:
    from perfectplay.sums.sum import Sum

MANY = 2000
"""Parts, and counters in heaps, whose moves are tried without being asked."""
LISTED = 100
"""Parts that are listed, at most."""


def value(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="KIND TEXT...",
            help="A kind of game and a position, or several, with + between: hackenbush BBRRB, "
            "game '^ + *2', nim 3,5,7, kayles 7,9, domineering 3x3, or file.py:Class.",
        ),
    ],
    *,
    moves: Annotated[
        bool, typer.Option("--moves", help="All moves of both players, with what they lead to.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the position: FILE.svg or FILE.png."),
    ] = None,
    json: Json = False,
) -> None:
    """Tell what a position is worth in every sum, who wins, and by which moves.

    Example: perfectplay value hackenbush "BBR + RB" + nim 3,5
    """
    from perfectplay.drawing.raster import refuse, save
    from perfectplay.sums.reading import read_sum

    refuse(picture)
    found = read_sum(what)
    if picture:
        drawing = found.svg()
        if not drawing:
            raise UsageError(
                "there is no drawing of this", "--picture draws one part: hackenbush or a board"
            )
        save(drawing, picture)
        render.note(f"drawn: {picture}")
    if json:
        render.emit(found.as_json())
        return
    rows = [*found.facts().items()]
    hard = sum(getattr(part, "size", 1) for part in found.parts) > MANY
    if moves or found.nimbers or not hard:
        rows += found.advice()
    render.columns(rows)
    if 1 < len(found.parts) <= LISTED:
        render.say()
        render.columns(((part.text, str(part.value)) for part in found.parts), ("part", "value"))
    if moves:
        render.say()
        render.columns(_move_rows(found), ("", "player", "move", "part after"))


def _move_rows(found: Sum) -> Iterator[tuple[str, ...]]:
    """All moves: those that win with a star, or, if none does, the best with a plus."""
    for player, name in enumerate(found.players):
        choices = found.choices(player)
        lost = not any(choice.wins for choice in choices)
        for choice in choices:
            mark = "*" if choice.wins else "+" if choice.best and lost else ""
            yield mark, name, found.named(choice), choice.value
