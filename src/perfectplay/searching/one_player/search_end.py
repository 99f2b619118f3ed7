"""What a search for one player comes to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class SearchEnd:
    """What a search came to."""

    lower: int = 0
    """No line costs less; DEAD: there is none."""
    path: list[Any] | None = None
    """Positions of a line that costs no more; None if none was found."""
    cost: int = 0
    """What the line costs, where it need not be the least."""
    nodes: int = 0
    stopped: str = ""
    """Why it ended before: nodes, seconds, interrupted, memory; unfit: costs less than nothing."""
    method: str = ""


Halt = Callable[[int], str]
"""Why a search is to stop after so many nodes; nothing if it is not."""
