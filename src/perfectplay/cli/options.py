"""Arguments and options that several commands share, and how a shell completes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from perfectplay.errors import PerfectPlayError


def game_names(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of games that begin so, each with its summary."""
    from perfectplay.games import GAMES

    for name, entry in GAMES.items():
        if name.startswith(incomplete):
            yield name, entry.summary


def parameter_names(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Names of parameters of the game given before that begin so."""
    from perfectplay.rules.load import find
    from perfectplay.rules.parameters import fields_of

    # A parser that stumbles over a last "-p" without a value leaves its words unread.
    words = [str(ctx.params.get("game") or ""), *ctx.args, *_words()]
    game = next((word for word in words if word and not word.startswith("-")), "")
    try:
        names = [*fields_of(find(game))]
    except PerfectPlayError:
        return
    yield from (f"{name}=" for name in names if name.startswith(incomplete))


def _words() -> list[str]:
    """The words after the command, from what the shell says has been typed."""
    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return typed.split()[2:]


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A name, or path/to/file.py:Class.",
        autocompletion=game_names,
    ),
]
GameOrTable = Annotated[
    str,
    typer.Argument(
        metavar="GAME|FOLDER",
        help="A name, path/to/file.py:Class, or a table's folder.",
        autocompletion=game_names,
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="A parameter of the rules; may be repeated.",
        autocompletion=parameter_names,
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        "--game", metavar="FILE.py:CLASS", help="Where the rules of a table are, if it has moved."
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option("--table", metavar="FOLDER", help="Where the table is. Default: tables/GAME."),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="How much memory may be used: 2G, 500M."),
]
Disk = Annotated[
    str | None,
    typer.Option(
        "--disk",
        metavar="SIZE",
        help="How much disk working files may take if memory is short. Default: nine tenths of "
        "what is free.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
