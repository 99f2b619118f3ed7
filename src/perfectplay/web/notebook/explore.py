"""What `solution.explore()` does: the widget, if its packages are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfectplay.errors import UsageError

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.web.notebook.widget import ExplorerWidget


def explore(solution: Solution, p: Any = None) -> ExplorerWidget:
    """The explorer of a solved game, at position `p` or at the start."""
    try:
        from perfectplay.web.notebook.widget import ExplorerWidget
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "perfectplay":
            raise
        raise UsageError(
            f"the explorer in a notebook needs packages that are not installed ({error.name})",
            "pip install 'perfectplay[notebook]'",
        ) from None
    return ExplorerWidget(solution, p)
