"""Pictures of many positions in little room: the distinct parts of all of them once, and for each
picture the numbers of its parts. The parts are those of the harmless picture, not of the rules'
own: what a page must not show never gets into it.

    0                            the end of the element that was opened last
    "words"                      words between elements
    ["g", {"transform": "…"}]    an element that is opened
    ["rect", {"x": "0"}, ""]     a whole element, with the words in it
"""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from html import unescape
from typing import Any

from perfectplay.drawing.shapes import SafePicture, harmless

_PART = re.compile(r"<(\w+)[^<>]*>[^<]*</\1>|</?\w+[^<>]*>|[^<]+")
"""A whole element without others in it, the beginning or the end of an element, or words."""
FAMILY = "Helvetica, Arial, sans-serif"


class PictureParts:
    """Takes pictures apart, and remembers every part once."""

    def __init__(self) -> None:
        self._parts: dict[str, int] = {}
        self._frames: dict[tuple[str, str], int] = {}

    def add(self, drawing: SafePicture) -> tuple[int, tuple[int, ...]]:
        """The numbers of a picture's frame and of its parts."""
        left, top, right, bottom = drawing.box
        view = f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
        frame = view, drawing.root.get("font-family", FAMILY)
        found = (each[0] for each in _PART.finditer(harmless(drawing)))
        parts = tuple(self._parts.setdefault(each, len(self._parts)) for each in found)
        return self._frames.setdefault(frame, len(self._frames)), parts

    @property
    def frames(self) -> list[list[str]]:
        """The view boxes and fonts of all pictures."""
        return [list(frame) for frame in self._frames]

    @property
    def parts(self) -> list[Any]:
        """All parts, by their numbers."""
        return [_part(each) for each in self._parts]


def _part(text: str) -> Any:
    if text.startswith("</"):
        return 0
    if not text.startswith("<"):
        return unescape(text)
    whole = "</" in text
    tag = text.lstrip("<").split(">")[0].split()[0]
    element = ET.fromstring(text if whole else f"{text}</{tag}>")
    return [element.tag, element.attrib, *([element.text or ""] if whole else [])]


def shared(pictures: Sequence[tuple[int, ...]]) -> tuple[list[int], list[int]]:
    """What all pictures begin with, such as an empty board, and what all end with."""
    before = _beginning(pictures)
    rest = [each[len(before) :][::-1] for each in pictures]
    return before, _beginning(rest)[::-1]


def _beginning(pictures: Sequence[tuple[int, ...]]) -> list[int]:
    """What all begin with: what the least and the greatest of them have in common."""
    ends = min(pictures, default=()), max(pictures, default=())
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False))
    return [first for first, _ in same]
