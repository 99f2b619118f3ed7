"""Remembered: figures that were recomputed before, so that slow rows can be run in pieces.

A small file holds what came out. It is kept for one state of the package only: any edit of its
sources, rules or engine, makes the figures in it worthless, and they are forgotten."""

from __future__ import annotations

import json
from dataclasses import asdict
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import perfectplay
from perfectplay.verification.published.quantity import Quantity

Key = tuple[str, str, str, str]
"""Game, parameters, position, quantity."""


class Remembered:
    """Answers by question; in a file, if there is one."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self.found: dict[Key, Quantity] = {}
        if file is not None:
            self.sources = _sources()
            self._read(file)

    def _read(self, file: Path) -> None:
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            if kept["sources"] == self.sources:
                found = kept["found"]
                self.found = {(a, b, c, d): _quantity(given) for (a, b, c, d), given in found}
        except (OSError, ValueError, KeyError, TypeError):
            return  # nothing is remembered

    def put(self, key: Key, quantity: Quantity) -> None:
        """Remember an answer, also if this process ends at once."""
        self.found[key] = quantity
        if self.file is None:
            return
        kept = [[list(key), _json(found)] for key, found in self.found.items()]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        written = self.file.with_suffix(".new")
        shown = json.dumps({"sources": self.sources, "found": kept}, indent=1)
        written.write_text(shown + "\n", encoding="utf-8")
        written.replace(self.file)


def _json(quantity: Quantity) -> dict[str, str | None]:
    given = asdict(quantity)
    return {name: None if value is None else str(value) for name, value in given.items()}


def _quantity(given: dict[str, str | None]) -> Quantity:
    lower, upper = (None if (g := given[n]) is None else Fraction(g) for n in ("lower", "upper"))
    return Quantity(str(given["text"]), lower, upper, str(given["exactness"]))


def _sources() -> str:
    """A digest of all modules of the package."""
    folder = Path(perfectplay.__file__).parent
    digest = sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
