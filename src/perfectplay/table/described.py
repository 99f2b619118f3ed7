"""What the columns of a table mean: beside the columns in every part, and in a README."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from perfectplay.rules.load import listed_name
from perfectplay.rules.parameters import value_text

README = "README.md"
MARK = "# A table of perfectplay\n"
"""The first line of a README that may be written anew."""

_MEANINGS = {
    "stratum": "no move raises it; positions of lower strata are solved first",
    r"key_\d+": "an integer of the position, as the rules pack it",
    "key": "the position as text",
    "outcome": "1, 0 or -1: win, draw or loss of player 0 of the stored position",
    "depth": "plies to the end under best play; -1: endless",
    "score": "what player 0 of the stored position gets, in stored units",
    "lower": "what player 0 gets is proved to be no less, in stored units",
    "upper": "what player 0 gets is proved to be no more, in stored units",
    "move": "number, in the order of the rules, of a best move that makes progress; -1: none",
    r"value_\d+": "what this player gets, the players counted from 0",
    r"exact_\d+": "a fraction as text, in stored units",
    r"top_\d+": "a word of an integer, the lowest first, in two's complement; the denominator "
    "of a stratum is in extra.denominators of the manifest",
    "nim": "the nim value",
}


def meaning(column: str) -> str:
    """What a column of a table means."""
    for pattern, words in _MEANINGS.items():
        if re.fullmatch(pattern, column):
            return words
    return ""


def readme(manifest: dict[str, Any], columns: Iterable[str]) -> bytes:
    """A page for somebody who finds the folder of a table and has no other manual."""
    header, facts = manifest["header"], manifest["header"]["facts"]
    given = [f"{name}={value_text(x)}" for name, x in header["parameters"].items()]
    rows = "\n".join(f"| `{name}` | {meaning(name)} |" for name in columns)
    return f"""{MARK}
Every position of {listed_name(header["game"])}{f" ({', '.join(given)})" if given else ""} that can
arise, with its value: {manifest["rows"]:,} rows in `part-*.parquet`, sorted by stratum and key.
Signature {manifest["signature"]}, rules {header["rules"]}.

| column | holds |
| --- | --- |
{rows}

{_units(facts)}

For texts of positions, values as people see them and best moves, write another file:

    perfectplay export FOLDER --to positions.parquet
""".encode()


def _units(facts: dict[str, Any]) -> str:
    """How stored numbers lead to those that people see."""
    if not facts["scalar"]:
        return "Values are in units of payoffs."
    if facts["minimise"]:
        return "Stored units: what the player pays, negated."
    if facts["scale"] == 1 and not facts["offset"]:
        return "Stored units: those of payoffs, where the other of two players gets the negative."
    return (
        f"Stored units: player 0 gets ({facts['offset']} + stored) / {facts['scale']}, player 1 "
        f"({facts['offset']} - stored) / {facts['scale']}."
    )
