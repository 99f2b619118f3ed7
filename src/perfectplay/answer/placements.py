"""Placements: first positions as a matrix game, where both players choose at once, unseen.

A game whose `starts` are the outcome of two hidden choices says so by `chosen(p)`: what player 0
and player 1 chose to come to the first position p. Solved exactly, it is a matrix: `nash` then
says how to choose."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.drawing import svg
from perfectplay.drawing.axes import Axis, Map, Paint, Scale
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import RulesError, UsageError
from perfectplay.rules.capabilities import hidden_choices
from perfectplay.rules.game import first_positions
from perfectplay.solvers.matrix.nash import MOST, Equilibrium, Mixture, nash

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.rules.game import Game

SHOWN = 24
"""Boards of a mixture that are drawn at most."""


@dataclass(frozen=True)
class Placements(Rich):
    """What first positions are worth to player 0, by what both players chose."""

    game: Any
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Fraction, ...], ...]
    starts: tuple[tuple[Any, ...], ...]
    """The first positions, as the cells lie."""

    def equilibrium(self, *, all: bool = False, most: int = MOST) -> Equilibrium:
        """How to choose if neither sees what the other does, and what that is worth."""
        return nash(self.cells, all=all, most=most)

    def picture(self) -> str:
        """The matrix as a map in colours, an SVG drawing."""
        numbers = [float(cell) for row in self.cells for cell in row]
        name = f"worth to {self.game.player_name(0)}"
        scale = Scale(name, min(numbers), max(numbers))
        last = len(self.rows) - 1
        small = len(self.rows) <= 12 and len(self.columns) <= 12
        cells = {
            (j, last - i): Paint(
                scale.colour(float(cell)),
                f"{float(cell):.2f}".removeprefix("0") if small else "",
                f"{self.rows[i]}, {self.columns[j]}: {cell} = {float(cell):.6g}",
            )
            for i, row in enumerate(self.cells)
            for j, cell in enumerate(row)
        }
        return Map(
            f"{type(self.game).__name__}: {name}, by what both choose",
            Axis(self.game.player_name(1), self.columns),
            Axis(self.game.player_name(0), self.rows[::-1]),
            cells,
            scale=scale,
        ).svg()

    def display(self) -> Display:
        """The matrix, drawn."""
        size = f"{len(self.rows)} x {len(self.columns)} placements"
        return Display(f"{type(self.game).__name__}: {size}", svg=self.picture())

    def boards(self, mixture: Mixture, player: int) -> str:
        """The choices of a mixture as boards, each below its probability, as an SVG drawing."""
        parts: list[str] = []
        x = high = 0.0
        for i, share in enumerate(mixture):
            if share and len(parts) < 2 * SHOWN:
                p = self.starts[i][0] if player == 0 else self.starts[0][i]
                shown = self.game.chosen_picture(p, player)
                across, down = _size(shown)
                parts.append(svg.text(x + across / 2, 8, share, 15))
                inner = shown.replace("<svg ", f'<svg x="{x:g}" y="22" ', 1)
                parts.append(inner)
                x, high = x + across + 12, max(high, down)
        return svg.svg(max(x - 12, 10), high + 22, parts)


def _size(picture: str) -> tuple[float, float]:
    """Width and height of a drawing."""
    found = picture.partition('viewBox="')[2].partition('"')[0].split()
    return (float(found[2]), float(found[3])) if len(found) == 4 else (120.0, 120.0)


def arrangement(
    game: Game,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """What player 0 may choose and what player 1 may, and the first positions by both; UsageError
    if the game does not begin with hidden choices."""
    name = type(game).__name__
    starts = list(first_positions(game))
    hidden = hidden_choices(game)
    found = {p: hidden.chosen(p) if hidden else None for p in starts}
    if any(pair is None for pair in found.values()):
        raise UsageError(
            f"{name} does not begin with a choice of both players",
            "its rules must derive from HiddenChoices and say what each player chose",
        )
    rows = tuple(dict.fromkeys(pair[0] for pair in found.values() if pair))
    columns = tuple(dict.fromkeys(pair[1] for pair in found.values() if pair))
    where = {pair: p for p, pair in found.items()}
    if len(where) != len(starts) or len(starts) != len(rows) * len(columns):
        raise RulesError(
            f"{name}: chosen(p) does not arrange its {len(starts)} first positions as "
            f"{len(rows)} x {len(columns)}",
            "every choice of player 0 must go with every choice of player 1, once",
        )
    return rows, columns, tuple(tuple(where[r, c] for c in columns) for r in rows)


def placements(solution: Solution) -> Placements:
    """The first positions of a solved game as a matrix; UsageError if they are none."""
    game = solution.game
    rows, columns, starts = arrangement(game)
    known: dict[Any, Fraction] = {}  # symmetric first positions are one

    def worth(p: Any) -> Fraction:
        q = game.representative(p), game.turn(p)
        if q not in known:
            value = solution.values(p)[0].exact
            if value is None:
                raise UsageError(
                    f"the values of {type(game).__name__} are known between bounds only",
                    "solve it with --exact (exact=True) first",
                )
            known[q] = Fraction(value)
        return known[q]

    cells = tuple(tuple(worth(p) for p in row) for row in starts)
    return Placements(game, rows, columns, cells, starts)
