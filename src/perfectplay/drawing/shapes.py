"""SVG read back: the shapes of a picture with the places they take, and a picture made harmless.

Pictures come from rules, so a page must not show them as they are: `harmless` writes a picture
anew from a white list of elements and attributes. `shapes` says what is drawn where, so that two
pictures can be compared."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import NamedTuple

from perfectplay.errors import RulesError

NAMESPACE = "http://www.w3.org/2000/svg"
LONGEST = 2_000_000
"""Characters of the largest picture that is read."""

_DRAWN = frozenset({"rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text"})
_ELEMENTS = _DRAWN | {"svg", "g", "tspan", "title", "desc"}
_ATTRIBUTES = frozenset(
    [
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
        "dx",
        "dy",
        "width",
        "height",
        "viewBox",
        "points",
        "d",
        "transform",
        "fill",
        "fill-opacity",
        "fill-rule",
        "stroke",
        "stroke-width",
        "stroke-opacity",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-dasharray",
        "opacity",
        "font-size",
        "font-family",
        "font-weight",
        "font-style",
        "text-anchor",
        "dominant-baseline",
        "letter-spacing",
        "preserveAspectRatio",
    ]
)
_VALUE = re.compile(r"[\w\s.,:;%#+()'/-]*")
_CALLS = re.compile(r"([\w-]+)\s*\(")
_HARMLESS_CALLS = frozenset(
    {"translate", "scale", "rotate", "matrix", "skewX", "skewY", "rgb", "rgba", "hsl", "hsla"}
)
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Shape(NamedTuple):
    """One element of a picture that can be seen."""

    tag: str
    look: tuple[tuple[str, str], ...]
    """Its attributes, sorted."""
    words: str
    box: Box


class Drawing(NamedTuple):
    """A picture that was read."""

    root: ET.Element
    box: Box
    """What the picture shows, in its own units."""


def read(svg: str) -> Drawing:
    """The picture in `svg`; RulesError if it is none, or would make a parser work for ever."""
    if len(svg) > LONGEST:
        raise RulesError(f"a picture of {len(svg):,} characters is too large to be shown")
    if "<!" in svg.replace("<!--", ""):
        raise RulesError("a picture must be plain SVG, without declarations (<!…>)")
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise RulesError(f"`picture` gives no SVG: {error}") from None
    if _tag(root) != "svg":
        raise RulesError(f"`picture` gives <{_tag(root)}>, not <svg>")
    return Drawing(root, _view(root))


def harmless(drawing: Drawing) -> str:
    """The inside of a picture, written anew: known elements with known attributes."""
    return "".join(map(_written, drawing.root))


def shapes(drawing: Drawing) -> list[Shape]:
    """All that can be seen in a picture, in the order in which it is drawn."""
    return list(_seen(drawing.root, (1, 0, 0, 1, 0, 0)))


# -- Writing. -------------------------------------------------------------------------------------


def _tag(element: ET.Element) -> str:
    name = element.tag if isinstance(element.tag, str) else ""
    return name.removeprefix(f"{{{NAMESPACE}}}")


def _escaped(words: str) -> str:
    for mark, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        words = words.replace(mark, name)
    return words


def _allowed(name: str, value: str) -> bool:
    calls = _CALLS.findall(value)
    return (
        name in _ATTRIBUTES
        and _VALUE.fullmatch(value) is not None
        and all(call in _HARMLESS_CALLS for call in calls)
    )


def _written(element: ET.Element) -> str:
    tag = _tag(element)
    tail = _escaped(element.tail or "")
    if tag not in _ELEMENTS:
        return tail
    given = "".join(
        f' {name}="{_escaped(value)}"'
        for name, value in element.attrib.items()
        if _allowed(name, value)
    )
    inside = _escaped(element.text or "") + "".join(map(_written, element))
    return f"<{tag}{given}>{inside}</{tag}>{tail}"


# -- Boxes. ---------------------------------------------------------------------------------------


def _view(root: ET.Element) -> Box:
    numbers = _numbers(root.get("viewBox", ""))
    if len(numbers) != 4:
        numbers = [0.0, 0.0, _length(root, "width", 300), _length(root, "height", 150)]
    x, y, width, height = numbers
    return x, y, x + width, y + height


def _numbers(text: str) -> list[float]:
    return [float(word) for word in _NUMBER.findall(text)]


def _length(element: ET.Element, name: str, default: float = 0.0) -> float:
    found = _numbers(element.get(name, ""))
    return found[0] if found else default


def _seen(element: ET.Element, outer: Matrix) -> Iterator[Shape]:
    here = _joined(outer, element.get("transform", ""))
    tag = _tag(element)
    if tag in _DRAWN:
        box = _box(tag, element)
        if box is not None:
            look = tuple(sorted(element.attrib.items()))
            words = "".join(element.itertext()).strip()
            yield Shape(tag, look, words, _moved(box, here))
        return
    if tag in _ELEMENTS:
        for child in element:
            yield from _seen(child, here)


def _joined(outer: Matrix, transform: str) -> Matrix:
    """The transformation `outer` after those that `transform` lists."""
    for name, inside in re.findall(r"(\w+)\s*\(([^)]*)\)", transform):
        outer = _product(outer, _matrix(name, _numbers(inside)))
    return outer


def _matrix(name: str, n: list[float]) -> Matrix:
    if name == "translate" and n:
        return 1, 0, 0, 1, n[0], n[1] if len(n) > 1 else 0
    if name == "scale" and n:
        return n[0], 0, 0, n[1] if len(n) > 1 else n[0], 0, 0
    if name == "rotate" and n:
        turn = math.radians(n[0])
        x, y = (n[1], n[2]) if len(n) > 2 else (0.0, 0.0)
        c, s = math.cos(turn), math.sin(turn)
        return c, s, -s, c, x - c * x + s * y, y - s * x - c * y
    if name == "matrix" and len(n) == 6:
        return n[0], n[1], n[2], n[3], n[4], n[5]
    return 1, 0, 0, 1, 0, 0


def _product(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[2] * b[1],
        a[1] * b[0] + a[3] * b[1],
        a[0] * b[2] + a[2] * b[3],
        a[1] * b[2] + a[3] * b[3],
        a[0] * b[4] + a[2] * b[5] + a[4],
        a[1] * b[4] + a[3] * b[5] + a[5],
    )


def _moved(box: Box, by: Matrix) -> Box:
    corners = [
        (by[0] * x + by[2] * y + by[4], by[1] * x + by[3] * y + by[5])
        for x in (box[0], box[2])
        for y in (box[1], box[3])
    ]
    xs, ys = zip(*corners, strict=True)
    return round(min(xs), 2), round(min(ys), 2), round(max(xs), 2), round(max(ys), 2)


def _box(tag: str, element: ET.Element) -> Box | None:
    made = _BOXES.get(tag, _points)
    return made(element)


def _rect(e: ET.Element) -> Box:
    x, y = _length(e, "x"), _length(e, "y")
    return x, y, x + _length(e, "width"), y + _length(e, "height")


def _round(e: ET.Element) -> Box:
    x, y = _length(e, "cx"), _length(e, "cy")
    across = _length(e, "r") or _length(e, "rx")
    down = _length(e, "r") or _length(e, "ry")
    return x - across, y - down, x + across, y + down


def _line(e: ET.Element) -> Box:
    a, b, c, d = (_length(e, name) for name in ("x1", "y1", "x2", "y2"))
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _words(e: ET.Element) -> Box:
    size = _length(e, "font-size", 16)
    wide = 0.56 * size * len("".join(e.itertext()).strip())
    shift = {"middle": wide / 2, "end": wide}.get(e.get("text-anchor", ""), 0.0)
    x, y = _length(e, "x") - shift, _length(e, "y")
    return x, y - 0.8 * size, x + wide, y + 0.2 * size


def _points(e: ET.Element) -> Box | None:
    numbers = _numbers(e.get("points") or e.get("d") or "")
    if len(numbers) < 4:
        return None
    xs, ys = numbers[::2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)


_BOXES: dict[str, Callable[[ET.Element], Box | None]] = {
    "rect": _rect, "circle": _round, "ellipse": _round, "line": _line, "text": _words,
}  # fmt: skip
