"""Points of a drawing, for rules that say where moves are made on it."""

from perfectplay.drawing.svg import MARGIN


def inside(x: float, y: float) -> tuple[float, float]:
    """A point among the parts of a drawing, in units of the whole: `svg.svg` adds a margin."""
    return x + MARGIN, y + MARGIN
