"""Tables of every kind, by their signatures: a change of the code must change no value.

A signature names every key and every value of a table. Those in signatures.csv were recorded
before the package was divided into rooms; those of games with cycles and floats were recorded anew
when rows came to be solved in another order, after it had been found that every interval overlaps
with the one before, and that numbers of three players, which have none, differ by 2e-17 at most.
`options` are those of `solve`; `memory` is so small that the game is solved out of core."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perfectplay import load, sided, solve
from perfectplay.cli.folders import memory_bytes
from perfectplay.verification.published.quantities import split_parameters

RECORDED = Path(__file__).parent / "signatures.csv"


def recorded() -> Iterator[Any]:
    with RECORDED.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            marks = [pytest.mark.xdist_group(row["game"])]
            if row.pop("slow"):
                marks.append(pytest.mark.slow)
            yield pytest.param(row, marks=marks, id=" ".join(list(row.values())[:3]).strip())


@pytest.mark.parametrize("row", list(recorded()))
def test_table_has_its_recorded_signature(row: dict[str, str], tmp_path: Path) -> None:
    game = load(row["game"], split_parameters(row["parameters"]))
    options: dict[str, Any] = {}
    for word in row["options"].split():
        name, _, value = word.partition("=")
        if name == "sides":
            game = sided(game, value)
        else:
            options[name] = memory_bytes(value) if name == "memory" else value or True
    found = solve(game, tmp_path / "table", **options)
    assert found.report["positions"] == int(row["positions"])
    assert (found.report["working_files"] > 0) == ("memory" in options)
    assert found.table.signature == row["signature"]
