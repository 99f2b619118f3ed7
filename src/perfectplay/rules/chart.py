"""Chart: how the positions of a game lie in a plane, for pictures of its strategy.

A game that has such coordinates says so in `chart`; nothing else in the rules depends on it:

    def chart(self):
        return Chart(
            {"own score": range(self.goal), "turn total": range(1, self.goal)},
            lambda own, total: (own, total),
        )
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Show = Literal["move", "value"]


@dataclass(frozen=True)
class Chart:
    """Axes, and which position lies where on them."""

    axes: Mapping[str, Sequence[Any]]
    """Names of axes with the values on them. The first axis lies across, the second goes up; of
    further axes the first value is drawn, unless others are asked for."""
    position: Callable[..., Any]
    """The position with given coordinates, one argument per axis; None, or something that can
    never arise, where there is none."""
    title: str = ""
    """Default: the name of the game."""
    show: Show = "move"
    """What a cell shows: the best move, or what the position is worth to the player to move."""
    until: str = ""
    """Where the choice turns on the last axis, the text of a move: a cell shows the first value on
    that axis where this move is best, and the axis itself is not drawn."""
