"""The game tree below a position, as a page shows it: to the end where it is small, else as many
moves deep as can be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from perfectplay.answer.faces.tree import GameTree, LargeTreeError, game_tree
from perfectplay.answer.solution import Solution
from perfectplay.drawing.shapes import rewritten

MOST = 80
"""Positions of a tree that a page draws to its end; `explain --tree` draws larger ones."""
MOST_CUT = 40
"""Positions of a tree that is cut, unless even one move leads to more."""


@dataclass(frozen=True)
class DrawnTree:
    """A tree that was drawn, or why there is none."""

    picture: Markup
    text: str
    """The same in words."""
    head: str
    """Whose values are shown."""
    depth: int | None
    """Moves that are shown; None: to the end."""
    refused: str = ""


def drawn_tree(solution: Solution, p: Any) -> DrawnTree:
    """The tree below a position that is deep and still small."""
    try:
        return _drawn(game_tree(solution, p, None, MOST), None)
    except LargeTreeError as error:
        if not error.fits:
            return DrawnTree(Markup(""), "", "", None, error.message)
        depth = error.fits
    try:
        game_tree(solution, p, depth, MOST_CUT)
    except LargeTreeError as error:
        depth = max(error.fits, 1)
    return _drawn(game_tree(solution, p, depth, MOST), depth)


def _drawn(tree: GameTree, depth: int | None) -> DrawnTree:
    return DrawnTree(Markup(rewritten(tree.svg)), str(tree), tree.head, depth)
