"""Drawings of positions as SVG text: a light panel with cells, stones, dice and words on it.

Every picture brings its own panel, so it can be read on a white and on a dark page. Lengths are in
units of the viewBox; a cell of a board is usually `CELL` wide.
"""

from collections.abc import Iterable

CELL = 40
MARGIN = 14

PANEL = "#faf7f0"
FIELD = "#ffffff"
SHADE = "#e9e2d2"
INK = "#2d2a26"
LINE = "#a99f8d"
FAINT = "#8b8375"
COLOURS = ("#1f5a96", "#e08a1e", "#2e8b57", "#a33b6b", "#7a5cc0", "#c0392b", "#4a7d8c", "#8a6d3b")
"""One colour per player or kind; everybody can distinguish the first two."""

_PIPS = ((), (4,), (2, 6), (2, 4, 6), (0, 2, 6, 8), (0, 2, 4, 6, 8), (0, 2, 3, 5, 6, 8))


def escape(words: str) -> str:
    """Words as text of an SVG; the standard library's own function imports the whole web."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def link(address: str, tip: str, shape: str) -> str:
    """A shape that leads to an address; `tip` says where, in words."""
    quoted = escape(address).replace('"', "&quot;")
    return f'<a href="{quoted}"><title>{escape(tip)}</title>{shape}</a>'


def svg(width: float, height: float, parts: Iterable[str]) -> str:
    """A whole drawing: `parts` on a light panel with a margin around width x height."""
    across, down = width + 2 * MARGIN, height + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:g} {down:g}" '
        f'width="{across:g}" height="{down:g}" font-family="Helvetica, Arial, sans-serif">'
        f'<rect width="{across:g}" height="{down:g}" rx="8" fill="{PANEL}"/>'
        f'<g transform="translate({MARGIN} {MARGIN})">{"".join(parts)}</g></svg>'
    )


def text(x: float, y: float, words: object, size: float = 16, colour: str = INK) -> str:
    """Words centred on (x, y)."""
    return (
        f'<text x="{x:g}" y="{y + 0.36 * size:g}" font-size="{size:g}" fill="{colour}" '
        f'text-anchor="middle">{escape(str(words))}</text>'
    )


def note(x: float, y: float, words: object, size: float = 14, colour: str = INK) -> str:
    """Words that begin at (x, y)."""
    return (
        f'<text x="{x:g}" y="{y + 0.36 * size:g}" font-size="{size:g}" fill="{colour}">'
        f"{escape(str(words))}</text>"
    )


def box(
    x: float, y: float, width: float, height: float, fill: str = FIELD, edge: str = LINE
) -> str:
    """A rectangle with its upper left corner at (x, y)."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
        f'fill="{fill}" stroke="{edge}" stroke-width="1.2"/>'
    )


def line(x: float, y: float, to_x: float, to_y: float, colour: str = LINE, wide: float = 2) -> str:
    """A line from (x, y) to (to_x, to_y)."""
    return (
        f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{colour}" '
        f'stroke-width="{wide:g}" stroke-linecap="round"/>'
    )


def circle(
    x: float, y: float, radius: float, fill: str = FIELD, edge: str = LINE, wide: float = 1.4
) -> str:
    """A disc around (x, y), or a ring if `fill` is "none"."""
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{edge}" '
        f'stroke-width="{wide:g}"/>'
    )


def stone(x: float, y: float, radius: float, player: int) -> str:
    """A stone of `player` around (x, y). The second player's has a ring, for the colour-blind."""
    ring = circle(x, y, 0.55 * radius, "none", FIELD, 2) if player == 1 else ""
    return circle(x, y, radius, COLOURS[player], INK) + ring


def cross(x: float, y: float, radius: float, player: int = 0) -> str:
    """A cross around (x, y), as in noughts and crosses."""
    colour = COLOURS[player]
    return line(x - radius, y - radius, x + radius, y + radius, colour, 5) + line(
        x - radius, y + radius, x + radius, y - radius, colour, 5
    )


def nought(x: float, y: float, radius: float, player: int = 1) -> str:
    """A nought around (x, y), as in noughts and crosses."""
    return circle(x, y, radius, "none", COLOURS[player], 5)


def grid(columns: int, rows: int, cell: float = CELL, fill: str = FIELD) -> str:
    """An empty board of columns x rows cells, its upper left corner at (0, 0)."""
    return "".join(
        box(x * cell, y * cell, cell, cell, fill) for y in range(rows) for x in range(columns)
    )


def card(x: float, y: float, width: float, height: float, words: object, colour: str = INK) -> str:
    """A card with words on it, its upper left corner at (x, y)."""
    size = min(0.5 * height, 1.2 * width / max(2, len(str(words))))
    return box(x, y, width, height, FIELD, colour) + text(
        x + width / 2, y + height / 2, words, size, colour
    )


def die(x: float, y: float, size: float, face: int) -> str:
    """A die, its upper left corner at (x, y), showing `face` (0: nothing yet)."""
    body = (
        f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" rx="{size / 6:g}" '
        f'fill="{FIELD}" stroke="{INK}" stroke-width="1.4"/>'
    )
    if face >= len(_PIPS):
        return body + text(x + size / 2, y + size / 2, face, size / 2)
    step = size / 4
    return body + "".join(
        f'<circle cx="{x + step * (1 + spot % 3):g}" cy="{y + step * (1 + spot // 3):g}" '
        f'r="{size / 11:g}" fill="{INK}"/>'
        for spot in _PIPS[face]
    )


def plain_picture(words: str) -> str:
    """The text of a position on a panel, for games that draw nothing themselves."""
    lines = words.split("\n")
    longest = 9.2 * max(map(len, lines))
    width = max(longest, 9.2 * 8)
    left = (width - longest) / 2
    shown = (
        f'<text x="{left:g}" y="{14 + 22 * i}" font-size="15" fill="{INK}" '
        f'font-family="Menlo, Consolas, monospace" xml:space="preserve">{escape(each)}</text>'
        for i, each in enumerate(lines)
    )
    return svg(width, 22 * len(lines) - 4, shown)
