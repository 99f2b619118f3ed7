"""The rules of a table: those that it names, if they are ours, or those that the user names.

A table may come from a stranger. What its manifest says is data: it may name a game of this
package, and nothing else is imported or run because of it. Rules in files, and those of other
packages, must be named by the user.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perfectplay.errors import TableError, UsageError
from perfectplay.rules.coalitions import Sided, sided
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.load import find, is_listed, listed_name, make, rules_path

_SIDED = f"{Sided.__module__}:"


def rules_of(header: dict[str, Any], folder: str | Path, given: type[Game] | None = None) -> Game:
    """The rules of the table with this header: of class `given`, or those that it names."""
    name, values = _named(header, folder)
    if given is None:
        if not is_listed(name):
            raise TableError(
                f"{folder} is a table of {name}, which is no game of this package; rules are not "
                "run because a table names them",
                "name the rules, if you trust them: --game path/to/file.py:Class, in Python "
                "Solution.open(folder, game)",
            )
        given = find(name)
    elif issubclass(given, Sided):
        raise UsageError(f"{given.__name__} is no game of its own", "name the game with sides")
    try:
        game = make(given, values)
        return sided(game, header["parameters"]["sides"]) if _has_sides(header) else game
    except UsageError as error:
        raise TableError(
            f"{folder} does not fit the rules of {given.__name__}: {error.message}",
            "name the rules it was made with, or solve the game again",
        ) from None


def _has_sides(header: dict[str, Any]) -> bool:
    return str(header["game"]).startswith(_SIDED)


def _named(header: dict[str, Any], folder: str | Path) -> tuple[str, dict[str, Any]]:
    """The name of a table's game and its parameters; of the game with sides, if it has sides."""
    if not _has_sides(header):
        return listed_name(header["game"]), header["parameters"]
    given = header["parameters"]
    try:
        values = json.loads(given["given"])
        if isinstance(values, dict) and isinstance(given["sides"], str):
            return listed_name(given["of"]), values
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        pass
    raise TableError(f"{folder} does not say of which game it is", "solve the game again")


def like(header: dict[str, Any], folder: str | Path, game: Game) -> Game:
    """The rules of a table that should be those of `game`, perhaps with other parameters."""
    same = header["game"] == rules_path(game)
    return rules_of(header, folder, type(game) if same and not _has_sides(header) else None)


def compare(game: Game, header: dict[str, Any], folder: str | Path) -> None:
    """TableError unless a table was made with these rules and parameters."""
    from perfectplay.compiled.digest import refuse_other_rules

    mine = {name: _listed(value) for name, value in parameters(game).items()}
    other = {name: _listed(value) for name, value in header["parameters"].items()}
    if mine != other and header["game"] != rules_path(game):
        theirs, asked = listed_name(header["game"]), listed_name(rules_path(game))
        raise TableError(
            f"{folder} is a table of {theirs}, not of {asked}",
            f"name {theirs}, or another table",
        )
    if mine != other:
        differ = [f"{name}={other[name]}" for name in other if other[name] != mine.get(name)]
        differ += [f"no {name}" for name in mine if name not in other]
        raise TableError(
            f"{folder} was made with other parameters: {', '.join(differ)}",
            "give these with -p, or solve with yours into another folder (--table)",
        )
    refuse_other_rules(game, header, folder)


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple | list) else value
