"""The command that solves published figures anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import tables_folder
from perfectplay.cli.options import Json

if TYPE_CHECKING:
    from perfectplay.verification.published.reproduce import Figure, Recomputed, Reproduction


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Games, or words of a source. Default: all."),
    ] = None,
    *,
    slow: Annotated[bool, typer.Option("--slow", help="Also what takes minutes.")] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Remember what comes out, in tables/reproduced.json, and compute no row again "
            "that is there.",
        ),
    ] = False,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="N", min=0, help="Begin no game after N minutes."),
    ] = None,
    json: Json = False,
) -> None:
    """Solve published figures anew: source, published figure, ours, agree or not and why.

    Example: perfectplay reproduce flip obstgarten
    """
    from perfectplay.verification.published.reproduce import chosen
    from perfectplay.verification.published.reproduce import reproduce as run

    cells = [_left(row) for row in chosen(names or []) if slow or not row.slow]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]

    told: list[Recomputed] = []

    def tell(found: Recomputed) -> None:
        told.append(found)
        if not json:
            row = found.figure
            left = (text.ljust(width) for text, width in zip(_left(row), wide, strict=True))
            known = "" if found.exactness == "exact" else f" ({found.exactness})"
            render.say("  ".join([*left, f"{found.ours}{known}", found.verdict]))

    with render.watching() as progress:
        try:
            done = run(
                names or [],
                slow=slow,
                remember=tables_folder() / "reproduced.json" if resume else None,
                minutes=minutes,
                progress=progress,
                tell=tell,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_left_over(told, len(cells), json=json, kept=resume)) from None
    if json:
        render.emit(done.as_json())
    else:
        render.say(_summary(done))
    if done.failed:
        raise typer.Exit(1)


def _left_over(told: list[Recomputed], all_of_them: int, *, json: bool, kept: bool) -> str:
    """What a run that was stopped has shown."""
    if kept:
        return f"{len(told)} of {all_of_them} figures are kept; the same command goes on"
    if json:
        return "nothing is kept; the same command begins anew"
    return (
        f"{len(told)} of {all_of_them} figures are recomputed, as shown; the same command begins "
        "anew, and names of games or sources choose what it recomputes"
    )


def _left(row: Figure) -> tuple[str, str, str]:
    """What is known before anything is solved."""
    return row.source, row.asked, row.published


def _summary(done: Reproduction) -> str:
    agree = sum(found.agrees for found in done.found)
    differ = sum(not found.agrees and not found.failed for found in done.found)
    wrong = sum(found.failed for found in done.found)
    parts = [f"{len(done.found)} figures in {done.seconds:.0f} s: {agree} agree"]
    parts += [f"{differ} differ for the reason given"] if differ else []
    parts += [f"{wrong} DIFFER"] if wrong else []
    parts += [f"{done.left} slow ones left out (--slow)"] if done.left else []
    parts += [f"{done.late} not begun, since the time was up"] if done.late else []
    return ", ".join(parts)
