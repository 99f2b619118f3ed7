"""Which columns an export has, of which type, and what each means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from perfectplay import __version__
from perfectplay.errors import UsageError
from perfectplay.rules.game import alternate
from perfectplay.rules.parameters import value_text
from perfectplay.table.parquet import key_names

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

KEY = "key"
"""Asks for the columns in which a table keeps its keys."""


def meanings(solution: Solution) -> dict[str, str]:
    """All columns that an export of this solution may have, in order, and what each means."""
    facts, game = solution.facts, solution.game
    mover = "the player to move" if alternate(game) else "to_move, or to player 1 if nobody moves"
    unit = "1 for a win, 0 for a draw, -1 for a loss" if facts.outcome else "in units of payoffs"
    if facts.minimise:
        unit = "what the player pays at least"
    found = {
        "position": "the position, as the rules write it",
        "to_move": "who moves; nobody where play has ended",
        "value": f"what the position is worth to {mover}: {unit}",
    }
    if solution.table.header["exact"] and not (facts.outcome or "score" in _stored(solution)):
        found["exact"] = "the same, exactly: a fraction as text"
    if facts.scalar or solution.table.header["exact"]:
        found["lower"] = "the value is proved to be no less"
        found["upper"] = "the value is proved to be no more"
    if facts.outcome:
        found["outcome"] = f"win, draw or loss of {mover.replace('to player', 'player')}"
        found["depth"] = "plies to the end under best play; null where play is endless"
    if not facts.scalar:
        for i in range(facts.players):
            found[f"value_{i + 1}"] = f"what the position is worth to {game.player_name(i)}"
    if not facts.simultaneous:
        found["best_move"] = "a best move, which makes progress; null where nobody moves"
    found["stratum"] = "positions of lower strata are solved first; no move raises it"
    words = key_names(solution.table.key_width)
    return found | dict.fromkeys(words, "the key of the position in the table")


def chosen(solution: Solution, asked: Sequence[str] | None) -> list[str]:
    """The columns to write: those asked for, or all but the keys."""
    known = meanings(solution)
    keys = key_names(solution.table.key_width)
    if asked is None:
        return [name for name in known if name not in keys]
    names = [each for name in asked for each in (keys if name == KEY else [name])]
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no column {name!r}", f"columns are {', '.join([*known, KEY])}"
            )
    if len(set(names)) < len(names) or not names:
        raise UsageError("name each column once", f"columns are {', '.join([*known, KEY])}")
    return names


def schema(solution: Solution, names: Iterable[str]) -> Any:
    """The Arrow schema of these columns, which says what they mean."""
    import pyarrow as pa

    facts, told = solution.facts, meanings(solution)
    number = pa.float64()
    if facts.outcome or ("score" in _stored(solution) and facts.players > 1):
        number = pa.int8() if facts.outcome else pa.int64()
    words = pa.dictionary(pa.int32(), pa.string())
    kinds = {
        "position": pa.string(), "to_move": words, "value": number, "lower": number,
        "upper": number, "exact": pa.string(), "outcome": words, "depth": pa.int32(),
        "best_move": words, "stratum": pa.int64(), "key": pa.string(),
    }  # fmt: skip
    fields = [
        pa.field(
            name,
            kinds.get(name) or (pa.int64() if name.startswith("key_") else pa.float64()),
            nullable=name in ("best_move", "depth", "value", "exact"),
            metadata={"description": told[name]},
        )
        for name in names
    ]
    return pa.schema(fields, metadata=origin(solution))


def origin(solution: Solution) -> dict[str, str]:
    """Where the values come from."""
    header = solution.table.header
    given = ", ".join(f"{name}={value_text(x)}" for name, x in header["parameters"].items())
    return {
        "title": f"every position of {header['game']}{f' ({given})' if given else ''}",
        "generator": f"perfectplay {__version__}",
        "signature": str(solution.table.signature),
        "rules": str(header["rules"]),
    }


def _stored(solution: Solution) -> list[str]:
    """What kind of numbers a table without chance holds."""
    facts = solution.facts
    return [] if facts.outcome or facts.chance or not facts.scalar else ["score"]
