"""Chess men as outlines, so that a board looks the same where no font has them. The shapes are
simple on purpose: a base, a body, and what tells the men apart from afar."""

from perfectplay.drawing.svg import INK

_BASE = "M 8 35 H 32 V 31 H 8 Z "
_MEN = {
    "P": _BASE + "M 13 31 C 14 25 17 23 17 20 H 15 V 17 H 17 A 5 5 0 1 1 23 17 H 25 V 20 H 23 "
    "C 23 23 26 25 27 31 Z",
    "R": _BASE + "M 11 31 L 13 16 H 10 V 7 H 14 V 11 H 18 V 7 H 22 V 11 H 26 V 7 H 30 V 16 H 27 "
    "L 29 31 Z",
    "N": _BASE
    + "M 12 31 C 12 24 19 21 18 17 C 15 20 12 22 10 20 L 9 17 C 12 14 14 10 17 8 L 18 5 "
    "L 21 8 C 28 10 30 19 28 31 Z",
    "B": _BASE
    + "M 12 31 C 14 27 16 26 15 23 C 11 19 15 12 20 8 A 2.5 2.5 0 1 1 20.1 8 C 25 12 29 "
    "19 25 23 C 24 26 26 27 28 31 Z M 17 18 H 23 M 20 15 V 21",
    "Q": _BASE
    + "M 11 31 L 13 26 L 8 12 L 14 19 L 15 9 L 19 18 L 20 7 L 21 18 L 25 9 L 26 19 L 32 "
    "12 L 27 26 L 29 31 Z",
    "K": _BASE
    + "M 12 31 L 12 27 C 5 21 9 14 15 16 C 18 17 19 19 20 22 C 21 19 22 17 25 16 C 31 14 "
    "35 21 28 27 L 28 31 Z M 20 15 V 5 M 16 9 H 24",
}


def man(x: float, y: float, size: float, letter: str) -> str:
    """A man in a square whose upper left corner is (x, y); capital letters are white."""
    fill = "#ffffff" if letter.isupper() else INK
    scale = size / 40
    return (
        f'<path transform="translate({x:g} {y:g}) scale({scale:g})" d="{_MEN[letter.upper()]}" '
        f'fill="{fill}" stroke="{INK}" stroke-width="1.6" stroke-linejoin="round"/>'
    )
