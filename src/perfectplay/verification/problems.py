"""Problems: what is wrong with rules, and what may be; one of each method and kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfectplay.errors import PerfectPlayError
from perfectplay.positions.failures import RulesFaultError

if TYPE_CHECKING:
    from perfectplay.schemas.reports import ProblemJson

MOST = 10
"""Problems reported before the search ends."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with one method of the rules."""

    method: str
    message: str
    hint: str = ""

    def as_json(self) -> ProblemJson:
        """The problem as JSON-ready data."""
        return {"method": self.method, "message": self.message, "hint": self.hint}


class Problems:
    """Collects problems, one per method and kind."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        """What looks wrong, and need not be."""
        self.unseen: list[str] = []
        """What was not looked at."""
        self._reported: set[tuple[str, str]] = set()

    @property
    def fatal(self) -> bool:
        """Enough was found, or nothing can be visited."""
        return len(self.problems) >= MOST

    def add(self, method: str, message: str, hint: str = "", *, law: str = "") -> None:
        """Report a problem, unless the same law was broken before."""
        if (method, law or message) not in self._reported:
            self._reported.add((method, law or message))
            self.problems.append(Problem(method, message, hint))

    def blame(self, error: PerfectPlayError, method: str = "rules") -> None:
        """Report an error; one of the rules names its method."""
        if isinstance(error, RulesFaultError):
            self.add(error.method, error.what, error.hint, law=error.law)
        else:
            self.add(method, error.message, error.hint)

    def warn(self, method: str, message: str, hint: str) -> None:
        """Report what may be wrong."""
        self.warnings.append(Problem(method, message, hint))
