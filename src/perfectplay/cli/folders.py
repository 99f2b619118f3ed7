"""Where tables are kept, and how a command's arguments lead to one."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from perfectplay.errors import TableError, UsageError
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.game import Game
from perfectplay.rules.load import SPIEL, find, load
from perfectplay.rules.parameters import changed

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.answer.solve import SolvingLimits

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_LONGEST = 100
"""Bytes of what a folder is named after, at most; disks take names of 255."""


def tables_folder() -> Path:
    """The folder of all tables: PERFECTPLAY_TABLES, or `tables` in the current folder."""
    return Path(os.environ.get("PERFECTPLAY_TABLES") or "tables")


def table_folder(spec: str, game: Game, *ways: str) -> Path:
    """The default folder of a game's table: its name, the parameters that are not default, and
    the ways in which it is solved, such as "exact"."""
    if spec.startswith(SPIEL):
        return tables_folder() / "-".join([_named(spec.replace(":", "-")), *map(_named, ways)])
    name = _file_name(spec, game) if ":" in spec or spec.endswith(".py") else spec.lower()
    differs = "".join(f"-{name}={text}" for name, text in changed(game).items())
    return tables_folder() / "-".join([_named(name + differs), *map(_named, ways)])


def _named(text: str) -> str:
    """A text as a part of a folder's name: short enough for every disk, and unlike all others."""
    whole = re.sub(r"[^\w.,=+-]", "_", text)
    encoded = whole.encode(errors="replace")
    if len(encoded) <= _LONGEST:
        return whole
    short = encoded[:_LONGEST].decode(errors="ignore")
    return f"{short}-{hashlib.sha256(encoded).hexdigest()[:8]}"


def _file_name(spec: str, game: Game) -> str:
    """The name of a game in a file: that of the class, after that of the file if it differs."""
    stem, name = Path(spec.partition(":")[0]).stem, type(game).__name__
    return name if stem.replace("_", "").lower() == name.lower() else f"{stem}-{name}"


def ways_of(*, exact: bool, plain: bool, ties: str, method: str = "auto") -> list[str]:
    """The ways of solving that are not the usual ones, as they name a table's folder."""
    named = {"exact": exact, "plain": plain, f"ties={ties.replace(':', '')}": ties != "first"}
    named[f"method={method}"] = method != "auto"
    return [way for way, chosen in named.items() if chosen]


def command(verb: str, spec: str, game: Game) -> str:
    """A command line for a game as it is."""
    words = ["perfectplay", verb, spec]
    for name, text in changed(game).items():
        words += ["-p", f"{name}={text}"]
    return shlex.join(words)


def is_table(name: str) -> bool:
    """Whether `name` is a folder with a table in it, finished or not."""
    folder = Path(name)
    return any((folder / file).exists() for file in ("manifest.json", "unfinished.json"))


def open_solution(
    name: str,
    given: Sequence[str] = (),
    rules: str | None = None,
    table: Path | None = None,
    *,
    check: bool = True,
) -> Solution:
    """The solution that a command asks for: a table's folder, or a game with its parameters.
    `check`: some rows of a table are derived again."""
    from perfectplay.answer.solution import Solution

    if is_table(name):
        if given:
            raise UsageError(
                f"{name} is a table, which has its own parameters",
                "leave out -p, or name the game",
            )
        return Solution.open(name, _rules_for(name, rules), check=check)
    if table is None and not Path(name).is_dir():
        game = load(name, given)
        if own_solver(game) and not is_table(str(solved_folder(table_folder(name, game)))):
            return at_once(game)
    folder, game = find_table(name, given, table)
    return Solution.open(folder, game, check=check)


def at_once(game: Any, **limits: Unpack[SolvingLimits]) -> Solution:
    """The solution of a game with structures, in memory. If its start rests on guesses that are
    not proved, and other rules settle it without, it is theirs, from a table."""
    from perfectplay.answer.solve import solve
    from perfectplay.cli import render

    with render.watching() as progress:
        found = solve(game, progress=progress, **limits)
        other = game.own_solver().settled_by(found)
        if other is None:
            return found
        name, rules = other
        render.note(
            f"{found.table.walks.name}: assumed to win, which may matter; solved as {name}"
        )
        return solve(rules, table_folder(name, rules), progress=progress, **limits)


def find_table(
    name: str, given: Sequence[str] = (), table: Path | None = None
) -> tuple[Path, Game]:
    """The folder of a game's table, which must be there, and the game."""
    if Path(name).is_dir() and table is None and "/" in name:
        raise TableError(
            f"{name} holds no table", "perfectplay solve GAME --table FOLDER makes one"
        )
    game = load(name, given)
    folder = table or solved_folder(table_folder(name, game))
    if not is_table(str(folder)):
        raise TableError(
            f"{name} is not solved yet: there is no table in {folder}",
            f"solve it first: {command('solve', name, game)}",
        )
    return folder, game


def solved_folder(usual: Path) -> Path:
    """The folder of a game that has a table: the exact one first, then the usual one, then others
    that were solved in some other way."""
    exact, others = (
        Path(f"{usual}-exact"),
        sorted(usual.parent.glob(f"{glob.escape(usual.name)}-*")),
    )
    marks = tuple(f"{usual.name}-{way}" for way in ("exact", "plain", "ties="))
    found = [exact, usual, *(path for path in others if path.name.startswith(marks))]
    return next((folder for folder in found if is_table(str(folder))), usual)


def _rules_for(folder: str, rules: str | None) -> Game | None:
    """The game in `rules` with the parameters that the table in `folder` was made with."""
    if rules is None:
        return None
    from perfectplay.answer.table_rules import rules_of
    from perfectplay.table.reader import Table

    return rules_of(Table.open(folder).header, folder, find(rules))


def memory_bytes(text: str | None, option: str = "--memory") -> int | None:
    """A number of bytes from "2G", "500M" or "1.5 GB"."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(?:I?B)?\s*", text.upper())
    if match is None or float(match[1]) <= 0:
        raise UsageError(
            f"{option} {text}: expected a size", "for instance 2G, 500M or 1500000000"
        )
    return int(float(match[1]) * _UNITS[match[2]])
