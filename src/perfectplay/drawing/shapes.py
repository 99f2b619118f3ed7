"""SVG read back: the shapes of a picture with the places they take, and a picture made harmless.

Pictures come from rules, so a page must not show them as they are: `harmless` writes a picture
anew from a white list of elements and attributes. `marks` takes a picture apart so that two can be
compared, and `shape` says where a mark lies: of a board of 64 squares, few change with a move."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import lru_cache
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
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_VALUE = re.compile(r"[\w\s.,:;%#+()'/-]*")
_CALLS = re.compile(r"([\w-]+)\s*\(")
_HARMLESS_CALLS = frozenset(
    {"translate", "scale", "rotate", "matrix", "skewX", "skewY", "rgb", "rgba", "hsl", "hsla"}
)
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")

_NAME = re.compile(r"\w+")
_TRANSFORM = re.compile(r'transform="([^"]*)"')
_GIVEN = re.compile(r'([\w:-]+)="([^"]*)"')

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Attributes = dict[str, str]


Mark = tuple[str, str]
"""The transformations that hold where an element can be seen, and the element as it is written
behind its <: texts, since a page compares thousands of marks."""


class Shape(NamedTuple):
    """A mark that was read."""

    tag: str
    box: Box


class SafePicture(NamedTuple):
    """A picture that was read."""

    root: ET.Element
    box: Box
    """What the picture shows, in its own units."""


def read(svg: str) -> SafePicture:
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
    return SafePicture(root, _view(root))


def harmless(drawing: SafePicture) -> str:
    """The inside of a picture, written anew: known elements with known attributes."""
    return "".join(map(_written, drawing.root))


def rewritten(svg: str) -> str:
    """A whole picture made harmless."""
    root = read(svg).root
    shown = _written(root).removesuffix(_escaped(root.tail or ""))
    return shown.replace("<svg", f'<svg xmlns="{NAMESPACE}"', 1)


def marks(svg: str) -> frozenset[Mark]:
    """All that can be seen in a picture."""
    found: list[Mark] = []
    outer: list[str] = []
    here = ""
    for token in svg.split("<")[1:]:
        name = _opened(token)
        if name in _DRAWN:
            found.append((here, token))
        elif name == "g":
            outer.append(here)
            here += _transformed(token)
        elif name == "/g" and outer:
            here = outer.pop()
    return frozenset(found)


@lru_cache(maxsize=16384)
def _opened(token: str) -> str:
    """What a token begins: the name of an element, or /g at the end of a group; empty for what
    does not matter."""
    if token.startswith("/g>"):
        return "/g"
    name = _NAME.match(token)
    alone = name is not None and name[0] == "g" and token.rstrip().endswith("/>")
    return "" if name is None or alone else name[0]


@lru_cache(maxsize=65536)
def shape(mark: Mark) -> Shape | None:
    """Where a mark lies; None if that cannot be said."""
    outer, token = mark
    head, _, words = token.partition(">")
    name = _NAME.match(token)
    given = dict(_GIVEN.findall(head))
    tag = name[0] if name else ""
    box = _BOXES.get(tag, _points)(given, words)
    return None if box is None else Shape(tag, _moved(box, _joined(outer + _transformed(token))))


# -- Writing. -------------------------------------------------------------------------------------


def _tag(element: ET.Element) -> str:
    name = element.tag if isinstance(element.tag, str) else ""
    return name.removeprefix(f"{{{NAMESPACE}}}")


def _escaped(words: str) -> str:
    if not words:
        return words
    for mark, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        words = words.replace(mark, name)
    return words


@lru_cache(maxsize=16384)
def _attribute(name: str, value: str) -> str:
    """An attribute as it is written; nothing if it is not on the list."""
    calls = _CALLS.findall(value)
    allowed = (
        name in _ATTRIBUTES
        and _VALUE.fullmatch(value) is not None
        and all(call in _HARMLESS_CALLS for call in calls)
    )
    return f' {name}="{_escaped(value)}"' if allowed else ""


def _written(element: ET.Element) -> str:
    given = tuple(element.attrib.items())
    before, after = _around(_tag(element), given, element.text or "", element.tail or "")
    return f"{before}{''.join(map(_written, element))}{after}" if before else after


@lru_cache(maxsize=65536)
def _around(
    tag: str, attributes: tuple[tuple[str, str], ...], text: str, tail: str
) -> tuple[str, str]:
    """What is written before the elements inside another one, and after them; nothing before if
    it is not on the list. The same few elements come again and again in the pictures of a game."""
    if tag not in _ELEMENTS:
        return "", _escaped(tail)
    given = "".join(_attribute(name, value) for name, value in attributes)
    if (_SPACE, "preserve") in attributes:
        given += ' xml:space="preserve"'
    return f"<{tag}{given}>{_escaped(text)}", f"</{tag}>{_escaped(tail)}"


# -- Boxes. ---------------------------------------------------------------------------------------


def _view(root: ET.Element) -> Box:
    numbers = _numbers(root.get("viewBox", ""))
    if len(numbers) != 4:
        given = dict(root.attrib)
        numbers = [0.0, 0.0, _length(given, "width", 300), _length(given, "height", 150)]
    x, y, width, height = numbers
    return x, y, x + width, y + height


def _numbers(text: str) -> list[float]:
    return [float(word) for word in _NUMBER.findall(text)]


def _length(given: Attributes, name: str, default: float = 0.0) -> float:
    found = _numbers(given.get(name, ""))
    return found[0] if found else default


@lru_cache(maxsize=4096)
def _transformed(token: str) -> str:
    """The transformations of an element, as they are written."""
    given = _TRANSFORM.search(token)
    return f"{given[1]} " if given else ""


@lru_cache(maxsize=4096)
def _joined(transformations: str) -> Matrix:
    """Transformations as one, the outer ones first."""
    all_in_one = _SAME
    for name, inside in re.findall(r"(\w+)\s*\(([^)]*)\)", transformations):
        all_in_one = _product(all_in_one, _matrix(name, _numbers(inside)))
    return all_in_one


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
    return _SAME


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


def _rect(given: Attributes, words: str) -> Box:
    del words
    x, y = _length(given, "x"), _length(given, "y")
    return x, y, x + _length(given, "width"), y + _length(given, "height")


def _round(given: Attributes, words: str) -> Box:
    del words
    x, y = _length(given, "cx"), _length(given, "cy")
    across = _length(given, "r") or _length(given, "rx")
    down = _length(given, "r") or _length(given, "ry")
    return x - across, y - down, x + across, y + down


def _line(given: Attributes, words: str) -> Box:
    del words
    a, b, c, d = (_length(given, name) for name in ("x1", "y1", "x2", "y2"))
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _text(given: Attributes, words: str) -> Box:
    size = _length(given, "font-size", 16)
    wide = 0.56 * size * len(words.strip())
    shift = {"middle": wide / 2, "end": wide}.get(given.get("text-anchor", ""), 0.0)
    x, y = _length(given, "x") - shift, _length(given, "y")
    return x, y - 0.8 * size, x + wide, y + 0.2 * size


def _points(given: Attributes, words: str) -> Box | None:
    """The box of a polygon, or of a path that is drawn with absolute coordinates, roughly."""
    del words
    numbers = _numbers(given.get("points") or given.get("d") or "")
    if len(numbers) < 4:
        return None
    xs, ys = numbers[::2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)


_BOXES: dict[str, Callable[[Attributes, str], Box | None]] = {
    "rect": _rect, "circle": _round, "ellipse": _round, "line": _line, "text": _text,
}  # fmt: skip
