"""Boards for GamesmanUni: positions and moves as the strings of its AutoGUI.

A position is `1_` or `2_`, for the player to move, and one character per place: `-` for an empty
one, `.` for a text, which follow after `~`, as in `2_X..`: `2_.--~X`. Where the places are is said
once, by `layout`. A move is a button: `A_-_4_-` at place 4, `M_2_5_-` an arrow from place 2 to
place 5; any other text becomes an entry of a list.

Only texts that are one rectangular board are drawn so; no images are needed. The formats are those
of "Using AutoGUI" in the documentation of GamesCrafters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from perfectplay.drawing.boards import rows_of

EMPTY = frozenset("._-· ")
BUTTON = re.compile(r"[A-Z]+_")
_MARK = re.compile(r"[A-Za-z0-9]+")
Cells = tuple[str, ...]


class UniBoard:
    """The board of a variant, if its first position is one."""

    def __init__(self, words: str) -> None:
        rows = rows_of(words)
        self.shape = (len(rows), len(rows[0])) if _drawable(rows) else (0, 0)

    @property
    def drawn(self) -> bool:
        """Whether there is a board."""
        return self.shape != (0, 0)

    def layout(self) -> dict[str, Any] | None:
        """Where places are: the data of the board's theme; None if there is no board."""
        if not self.drawn:
            return None
        high, wide = self.shape
        centers = [[column + 0.5, row + 0.5] for row in range(high) for column in range(wide)]
        theme = {
            "space": [wide, high],
            "centers": centers,
            "charImages": {},
            "circleButtonRadius": 0.2,
            "arrowWidth": 0.1,
            "entitiesOverArrows": False,
            "textEntityFontSize": 0.6,
        }
        return {"defaultTheme": "text", "themes": {"text": theme}}

    def cells(self, words: str) -> Cells:
        """What stands on the places of a position, empty texts where nothing does; () if it is
        not drawn."""
        rows = rows_of(words) if self.drawn else []
        if not _drawable(rows) or (len(rows), len(rows[0])) != self.shape:
            return ()
        return tuple("" if mark in EMPTY else mark for row in rows for mark in row)

    def position(self, turn: int, words: str) -> str:
        """A position for drawing; empty if it is not drawn."""
        cells = self.cells(words)
        if not cells:
            return ""
        board = "".join("." if mark else "-" for mark in cells)
        return f"{turn + 1}_{board}" + "".join(f"~{mark}" for mark in cells if mark)

    def moves(self, before: str, after: Sequence[tuple[str, str]]) -> list[str]:
        """The buttons of all moves from a position, each given as its text and the position after
        it. Where a button would stand for two moves, both are listed instead."""
        here = self.cells(before)
        made = [_button(here, self.cells(words)) for _, words in after]
        times = Counter(made)
        return [
            button if button and times[button] == 1 else listed(text)
            for button, (text, _) in zip(made, after, strict=True)
        ]


def listed(text: str) -> str:
    """The text of a move that has no button; it must not look like one."""
    return f"move {text}" if BUTTON.match(text) else text


def _drawable(rows: list[list[str]]) -> bool:
    return bool(rows) and all(
        mark in EMPTY or _MARK.fullmatch(mark) for row in rows for mark in row
    )


def _button(here: Cells, there: Cells) -> str:
    """A move that fills one place, or takes what stands on one to another; else nothing."""
    if not here or not there:
        return ""
    changed = [i for i, pair in enumerate(zip(here, there, strict=True)) if len(set(pair)) == 2]
    if len(changed) == 1 and not here[changed[0]]:
        return f"A_-_{changed[0]}_-"
    if len(changed) == 2:
        for origin, goal in (changed, changed[::-1]):
            if here[origin] and not there[origin] and there[goal] == here[origin]:
                return f"M_{origin}_{goal}_-"
    return ""
