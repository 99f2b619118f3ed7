"""Whether a position that a search leaves open had better be solved, with the whole game."""

from perfectplay.errors import PerfectPlayError
from perfectplay.rules.game import Game
from perfectplay.solving.forecast import Forecast
from perfectplay.solving.plan import plan

SOON = 600.0
"""Seconds of solving that are worth a hint, at most."""
LOOK, PART = 1.0, 0.08
"""Seconds that a plan may take, and the part of the time for a search: the two together keep to
that time within a tenth."""


def solve_instead(game: Game, seconds: float | None) -> Forecast | None:
    """The forecast for solving `game`, if that is known to fit and to take a few minutes at most;
    otherwise None. `seconds` is the time that a search had."""
    look = LOOK if seconds is None else min(LOOK, PART * seconds)
    try:
        found = plan(game, seconds=look)
    except PerfectPlayError:
        return None
    return found if found.fits and found.seconds <= SOON else None
