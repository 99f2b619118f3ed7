"""Thermographs: what a value is worth to each player when every move costs t.

The left wall at price t is the best of right walls of Left's options, less t; the right wall the
least of left walls of Right's options, plus t; where the two meet, at the temperature, they go
straight up from there, at the mean. Prices begin at -1, where whole numbers are frozen already
(Siegel, Combinatorial Game Theory, chapter II.5). Walls are exact: corners as fractions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from perfectplay.drawing import svg
from perfectplay.drawing.rich import Display, Rich
from perfectplay.sums.canonical_form import Short, lefts_of, rights_of
from perfectplay.sums.measures import remembered

Corner = tuple[Fraction, Fraction]
"""Price and worth."""
Wall = tuple[Corner, ...]
"""Corners from price -1 on; straight between them, and upright from the last one on."""
Line = tuple[list[Corner], int]
"""Corners, and how worth changes with the price from the last one on."""

COLDEST = Fraction(-1)
WIDE = 320
HIGH = 220


@dataclass(frozen=True)
class Thermograph(Rich):
    """Both walls of a value; the mast stands on `mean` from `temperature` on."""

    left: Wall
    right: Wall

    @property
    def mean(self) -> Fraction:
        """The place of the mast."""
        return self.left[-1][1]

    @property
    def temperature(self) -> Fraction:
        """Where the mast begins."""
        return max(self.left[-1][0], self.right[-1][0])

    def at(self, price: Fraction | int) -> tuple[Fraction, Fraction]:
        """What the value is worth to Left and to Right, each moving first, if moves cost this."""
        return _at((list(self.left), 0), Fraction(price)), _at(
            (list(self.right), 0), Fraction(price)
        )

    def picture(self, title: str = "") -> str:
        """The thermograph as an SVG drawing: prices go up, and worth to Left grows leftward; axes
        with a few figures, both walls, the mast with an arrow."""
        corners = [*self.left, *self.right]
        top = max(self.temperature + 1, Fraction(1))
        low = min(t for t, _ in corners) if self.temperature < 0 else Fraction(0)
        shown = [v for t, v in corners if t >= low] + list(self.at(low))
        most, least = max(shown), min(shown)
        if most == least:
            most, least = most + 1, least - 1

        def spot(t: Fraction, v: Fraction) -> tuple[float, float]:
            x = 20 + (WIDE - 40) * float((most - v) / (most - least))
            return x, 30 + (HIGH - 60) * float((top - t) / (top - low))

        parts = [svg.line(0, spot(low, least)[1], WIDE, spot(low, least)[1], svg.LINE, 1)]
        for wall, at_low, colour in zip(
            (self.left, self.right), self.at(low), svg.COLOURS, strict=False
        ):
            path = [(low, at_low), *[corner for corner in wall if corner[0] > low]]
            spots = [spot(t, v) for t, v in [*path, (self.temperature, self.mean)]]
            parts += [svg.line(*a, *b, colour, 2.5) for a, b in pairwise(spots)]
        mast, end = spot(max(self.temperature, low), self.mean), spot(top, self.mean)
        parts += [svg.line(*mast, *end, svg.INK, 2.5)]
        parts += [svg.line(*end, end[0] + side, end[1] + 8, svg.INK, 2.5) for side in (-5, 5)]
        bottom = spot(low, least)[1] + 14
        parts += [
            svg.text(spot(low, v)[0], bottom, v, 12) for v in sorted({*self.at(low), self.mean})
        ]
        parts += [
            svg.note(WIDE + 2, spot(t, least)[1], f"t = {t}", 12, svg.FAINT)
            for t in sorted({low, max(self.temperature, low)})
        ]
        parts.append(svg.text(WIDE / 2, 8, title if len(title) <= 60 else "", 14))
        return svg.svg(WIDE + 60, HIGH, parts)

    def display(self) -> Display:
        """The walls, drawn."""
        return Display(str(self), svg=self.picture())

    def __str__(self) -> str:
        walls = [
            f"{name} wall " + ", ".join(f"{v} at {t}" for t, v in wall)
            for name, wall in (("left", self.left), ("right", self.right))
        ]
        return f"mean {self.mean}, temperature {self.temperature}; " + "; ".join(walls)


@remembered
def thermograph(g: Short) -> Thermograph:
    """The thermograph of g."""
    if g.is_integer:
        mast = ((COLDEST, g.number),)
        return Thermograph(mast, mast)
    left = _envelope([thermograph(h).right for h in lefts_of(g)], max, -1)
    right = _envelope([thermograph(h).left for h in rights_of(g)], min, 1)
    return _met(left, right)


def _at(line: Line, price: Fraction) -> Fraction:
    """What a line is worth at a price."""
    corners, slope = line
    last = corners[-1]
    if price >= last[0]:
        return last[1] + slope * (price - last[0])
    for (t, v), (u, w) in pairwise(corners):
        if t <= price <= u:
            return v + (w - v) * (price - t) / (u - t)
    return corners[0][1]


def _envelope(walls: list[Wall], better: Callable[..., Fraction], tax: int) -> Line:
    """The best of several walls at each price, with the price added `tax` times."""
    best: Line | None = None
    for wall in walls:
        line: Line = ([(t, v + tax * t) for t, v in wall], tax)
        best = line if best is None else _best_of(best, line, better)
    if best is None:
        raise AssertionError("a value that is no whole number has options for both")
    return best


def _prices(a: Line, b: Line) -> list[Fraction]:
    """All prices where one of two lines has a corner or where they cross."""
    prices = sorted({t for t, _ in a[0]} | {t for t, _ in b[0]})
    crossings = []
    for low, high in pairwise(prices):
        here, there = _at(a, low) - _at(b, low), _at(a, high) - _at(b, high)
        if here * there < 0:
            crossings.append(low + (high - low) * here / (here - there))
    top, closing = prices[-1], b[1] - a[1]
    gap = _at(a, top) - _at(b, top)
    if closing and gap / closing > 0:
        crossings.append(top + gap / closing)
    return sorted({*prices, *crossings})


def _best_of(a: Line, b: Line, better: Callable[..., Fraction]) -> Line:
    """The better of two lines at each price."""
    corners = [(t, better(_at(a, t), _at(b, t))) for t in _prices(a, b)]
    beyond = corners[-1][0] + 1
    slope = better(_at(a, beyond), _at(b, beyond)) - corners[-1][1]
    return _straight(corners), int(slope)


def _straight(corners: list[Corner]) -> list[Corner]:
    """The corners without those where the line does not turn."""
    kept: list[Corner] = []
    for t, v in corners:
        if len(kept) > 1:
            (t1, v1), (t2, v2) = kept[-2:]
            if (v2 - v1) * (t - t2) == (v - v2) * (t2 - t1):
                kept.pop()
        kept.append((t, v))
    return kept


def _met(left: Line, right: Line) -> Thermograph:
    """Both walls up to where they meet first."""
    prices = _prices(left, right)
    end = next(t for t in prices if _at(left, t) <= _at(right, t))
    walls = []
    for line in (left, right):
        corners = [(t, v) for t, v in line[0] if t < end]
        corners = _straight([*corners, (end, _at(line, end))])
        while len(corners) > 1 and corners[-1][1] == corners[-2][1]:
            corners.pop()
        walls.append(tuple(corners))
    # A wall that is upright below the temperature would hide it: keep the corner in one of them.
    if max(walls[0][-1][0], walls[1][-1][0]) < end:
        walls[0] = (*walls[0], (end, walls[0][-1][1]))
    return Thermograph(*walls)
