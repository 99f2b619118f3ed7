"""Matrix games in Gambit's .nfg: read for `nash`, and written from a matrix of numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from perfectplay.errors import UsageError
from perfectplay.interop.trees import write_cells
from perfectplay.rules.value import fraction_text
from perfectplay.solvers.matrix.nash import NamedMatrix, exact_cells

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}",]+)|,')
_SHAPE = "a table of payoffs of two players: NFG 1 R, names, plans, then numbers"


def read_nfg(file: Path) -> NamedMatrix:
    """The matrix of a game of two players whose payoffs add up to 0 everywhere, of player 1."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{file} cannot be read: {why}", f"expected {_SHAPE}") from None
    try:
        plans, numbers = _parsed(text)
    except (IndexError, ValueError) as error:
        raise UsageError(f"{file} is not understood: {error}", f"expected {_SHAPE}") from None
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    uneven = [pair for pair in pairs if sum(pair)]
    if uneven:
        one, other = map(fraction_text, uneven[0])
        raise UsageError(
            f"{file}: payoffs {one} and {other} do not add up to 0",
            "only games with opposed interests have one value",
        )
    rows, columns = plans
    cells = [[pairs[i + len(rows) * j][0] for j in range(len(columns))] for i in range(len(rows))]
    return NamedMatrix(exact_cells(cells), rows, columns)


def _parsed(text: str) -> tuple[list[list[str]], list[Fraction]]:
    """The plans of both players, and the payoffs."""
    tokens = [found.groups() for found in _TOKEN.finditer(text) if found[0] != ","]
    words = [inner if quoted is None else None for quoted, _, inner in tokens[:3]]
    if words not in (["NFG", "1", "R"], ["NFG", "1", "D"]):
        raise ValueError("it does not begin with NFG 1 R")
    braces = [i for i, (_, brace, _) in enumerate(tokens) if brace]
    players = [quoted for quoted, _, _ in tokens[braces[0] + 1 : braces[1]]]
    if len(players) != 2:
        raise ValueError(f"it has {len(players)} players")
    plans: list[list[str]] = []
    at, depth = braces[2] + 1, 1
    while depth:
        quoted, brace, number = tokens[at]
        depth += {"{": 1, "}": -1}.get(brace or "", 0)
        if brace == "{":
            plans.append([])
        elif quoted is not None:
            plans[-1].append(quoted)
        elif number is not None:  # plans are only counted
            plans += [[str(i + 1) for i in range(int(number))]]
        at += 1
    rest = tokens[at:]
    if rest and rest[0][0] is not None:
        rest = rest[1:]  # a comment
    numbers = [Fraction(str(number)) for _, _, number in rest]
    if len(plans) != 2 or len(numbers) != 2 * len(plans[0]) * len(plans[1]):
        raise ValueError(f"{len(numbers)} payoffs for {[*map(len, plans)]} plans")
    return plans, numbers


def write_matrix(matrix: NamedMatrix, file: Path) -> None:
    """Write what the row player gets, and loses the column player."""
    cells = (
        (fraction_text(row[j]), fraction_text(-row[j]))
        for j in range(len(matrix.columns))
        for row in matrix.cells
    )
    names = [[*matrix.rows], [*matrix.columns]]
    write_cells(file, file.stem, ["row player", "column player"], names, cells)
