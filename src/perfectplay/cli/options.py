"""Arguments and options that several commands share, and how a shell completes them.

A command with many options takes some of them as one dataclass (`grouped`); one whose texts may
begin with a dash, as -1/2 does, is a `TextsCommand`."""

import dataclasses
import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.games import GAMES
from perfectplay.rules.load import find
from perfectplay.rules.parameters import fields_of


def game_names(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of games that begin so, each with its summary."""

    for name, entry in GAMES.items():
        if name.startswith(incomplete):
            yield name, entry.summary


def parameter_names(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Names of parameters of the game given before that begin so."""

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


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command, whose arguments that are dataclasses become options, one for each field."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for each in inspect.signature(command).parameters.values():
        kind = hints[each.name]
        if not dataclasses.is_dataclass(kind):
            parameters.append(each.replace(annotation=kind))
            continue
        groups[each.name] = kind  # type: ignore[assignment]
        types = get_type_hints(kind, include_extras=True)
        parameters += [
            each.replace(name=field.name, default=field.default, annotation=types[field.name])
            for field in dataclasses.fields(kind)
        ]

    def run(**given: Any) -> None:
        for name, kind in groups.items():
            fields = [field.name for field in dataclasses.fields(kind)]
            given[name] = kind(**{field: given.pop(field) for field in fields})
        command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


_NO_TEXT = re.compile(r"-h|--[a-z].*", re.DOTALL)
"""Words that are taken for options: help, and all that begins with two dashes and a letter."""


class TextsCommand(TyperCommand):
    """A command that takes any word with one dash for a text, unless it is -h alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words that are left when options are read."""
        words = list(self._sorted(args))
        texts = [word for is_text, word in words if is_text]
        options = [word for is_text, word in words if not is_text]
        return super().parse_args(ctx, [*options, "--", *texts])

    def _sorted(self, args: list[str]) -> Iterator[tuple[bool, str]]:
        """Each word, and whether it is a text."""
        valued = {
            name
            for param in self.params
            if not getattr(param, "is_flag", True)
            for name in param.opts
        }
        rest = iter(args)
        for word in rest:
            if word == "--":
                yield from ((True, each) for each in rest)
                return
            yield _NO_TEXT.fullmatch(word) is None, word
            if word in valued:
                yield from ((False, each) for each in [next(rest, None)] if each is not None)


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
LARGEST = 1 << 20
"""Bytes of a file with the value of a parameter, at most."""


def from_files(given: list[str] | None) -> list[str] | None:
    """Parameters, with what files say in place of NAME=@FILE."""
    return None if given is None else [_from_file(each) for each in given]


def _from_file(text: str) -> str:
    name, _, value = text.partition("=")
    if not value.startswith("@"):
        return text
    file = Path(value[1:])
    try:
        if file.stat().st_size > LARGEST:
            raise ValueError("it is larger than a megabyte")
        return f"{name}={file.read_text(encoding='utf-8')}"
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"{file} cannot be read: {why}", f"{name}=@FILE takes the value of {name} from a file"
        ) from None


Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="A parameter of the rules; may be repeated. NAME=@FILE: what a file says.",
        autocompletion=parameter_names,
        callback=from_files,
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="FILE.py:CLASS",
        help="The rules of a table in FOLDER, if they are not a game of this package.",
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


def asked_for(game: str, parameters: list[str] | None) -> str:
    """A game and its parameters as words of a command."""
    return shlex.join([game, *(word for each in parameters or [] for word in ("-p", each))])
