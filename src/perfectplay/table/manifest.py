"""The shape of a manifest: what must be there, of which type, and how the counts must agree.

The checksum of a manifest shows that nobody has damaged it, not that perfectplay wrote it. So
nothing of it is used before it has this shape, and it never says where to look: parts have the
names that perfectplay gives them, in the folder of the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from perfectplay.errors import TableError
from perfectplay.strata.sealed_files import SOLVE_AGAIN, unsealed

_SIGNATURE = re.compile(r"[0-9a-f]{12}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NUMBER = re.compile(r"[1-9][0-9]*")


# -- Leaves. --------------------------------------------------------------------------------------


def _whole(x: Any) -> bool:
    return type(x) is int and -(2**63) <= x < 2**63


def _count(x: Any) -> bool:
    return _whole(x) and x >= 0


def _positive(x: Any) -> bool:
    return _whole(x) and x > 0


def _real(x: Any) -> bool:
    return _whole(x) or (type(x) is float and not isnan(x))


def _size(x: Any) -> bool:
    return _real(x) and x >= 0


def _finite(x: Any) -> bool:
    return _size(x) and isfinite(x)


def _size_or_none(x: Any) -> bool:
    return x is None or _size(x)


def _flag(x: Any) -> bool:
    return type(x) is bool


def _text(x: Any) -> bool:
    return type(x) is str


def _object(x: Any) -> bool:
    return type(x) is dict


def _list(x: Any) -> bool:
    return type(x) is list


def _like(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda x: type(x) is str and pattern.fullmatch(x) is not None


def _by_name(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda x: type(x) is dict and all(map(of, x.values()))


NUMBERED = -1
"""In place of words per key: rows are numbers of positions, and there are no keys."""


# -- Shapes. --------------------------------------------------------------------------------------
# {"name": shape}, with "name?" if it may be missing; [shape of each]; (shape, shape); or a
# function that says whether a leaf is right.

FACTS = {
    "players": _positive,
    "scalar": _flag,
    "chance": _flag,
    "rewards": _flag,
    "outcome": _flag,
    "endless": _real,
    "minimise": _flag,
    "scale": _positive,
    "offset": _whole,
    "simultaneous?": _flag,
    "wins?": _flag,
}
HEADER = {
    "game": _text,
    "parameters": _object,
    "rules": _text,
    "plain": _flag,
    "exact": _flag,
    "ties": _text,
    "method?": _text,
    "facts": FACTS,
    "numbers?": lambda x: x == "whole",
}
EXTRA = {
    "methods": _by_name(_count),
    "strata": _count,
    "notes": [_text],
    "residual": _finite,
    "policy_gap": _size,
    "policy_error?": _size_or_none,
    "equilibrium_gap?": _size_or_none,
    "denominators?": _by_name(_like(_NUMBER)),
    "holes?": _positive,
    "rounds?": _by_name(_positive),
    "residuals?": [_finite],
}
PART_SHAPE = {
    "file": _text,
    "first": _count,
    "rows": _positive,
    "strata": [(_whole, _positive)],
    "groups": [(_count, _positive, _like(_DIGEST), _positive, _list)],
    "footer": (_count, _positive, _like(_DIGEST)),
    "hash": _like(_DIGEST),
    "chain": _like(_DIGEST),
    "work": _list,
}
BEGUN_SHAPE = {"header": HEADER, "width": lambda x: _whole(x) and x >= NUMBERED}
MANIFEST_SHAPE = {
    **BEGUN_SHAPE,
    "extra": EXTRA,
    "rows": _count,
    "signature": _like(_SIGNATURE),
    "parts": [PART_SHAPE],
}


def _wrong(data: Any, shape: Any, path: str) -> Iterator[str]:
    """The places at which `data` does not have this shape."""
    if isinstance(shape, dict):
        if type(data) is not dict:
            yield path
            return
        named = {name.rstrip("?"): each for name, each in shape.items()}
        yield from (f"{path}.{name}" for name in data if name not in named)
        for name, each in named.items():
            if name in data:
                yield from _wrong(data[name], each, f"{path}.{name}")
            elif f"{name}?" not in shape:
                yield f"{path}.{name}"
    elif isinstance(shape, list | tuple):
        fits = type(data) is list and (isinstance(shape, list) or len(data) == len(shape))
        if not fits:
            yield path
            return
        shapes = shape * len(data) if isinstance(shape, list) else shape
        for i, (item, each) in enumerate(zip(data, shapes, strict=True)):
            yield from _wrong(item, each, f"{path}[{i}]")
    elif not shape(data):
        yield path


def _disagreeing(part: dict[str, Any], number: int, low: int, width: int) -> Iterator[str]:
    """What contradicts itself in part `number`, whose first id should be `low`."""
    groups = part["groups"]
    if part["file"] != part_name(number):
        yield "file"
    if part["first"] != low:
        yield "first"
    if part["rows"] != sum(rows for _, rows in part["strata"]):
        yield "strata"
    if part["rows"] != sum(group[3] for group in groups):
        yield "groups"
    if not all(_is_key(group[4], width) for group in groups):
        yield "groups"
    ends = [4, *(group[0] + group[1] for group in groups)]
    if [*(group[0] for group in groups), part["footer"][0]] != ends:
        yield "groups"


def _is_key(first: list[Any], width: int) -> bool:
    """Whether a list is a stratum and a key: `width` words, a text for 0, or a number."""
    words = first[1:]
    if not first or not _whole(first[0]):
        return False
    return len(words) == max(width, 1) and all(map(_whole if width else _text, words))


def _contradictions(manifest: dict[str, Any]) -> Iterator[str]:
    """The places at which a manifest of the right shape contradicts itself."""
    low, width = 0, manifest["width"]
    for i, part in enumerate(manifest["parts"]):
        yield from (f"parts[{i}].{name}" for name in _disagreeing(part, i, low, width))
        low += part["rows"]
    if manifest["rows"] != low:
        yield "rows"
    numbers = [number for part in manifest["parts"] for number, _ in part["strata"]]
    firsts = [group[4] for part in manifest["parts"] for group in part["groups"]]
    if any(a >= b for a, b in pairwise(numbers)) or any(a >= b for a, b in pairwise(firsts)):
        yield "parts"
    denominators = manifest["extra"].get("denominators", {})
    whole = manifest["header"].get("numbers") == "whole"
    if set(denominators) != (set(map(str, numbers)) if whole else set()):
        yield "extra.denominators"


def part_name(number: int) -> str:
    """The name of a part's file."""
    return f"part-{number:06}.parquet"


def _refuse_misshapen(data: Any, shape: Any, where: Path) -> None:
    for path in _wrong(data, shape, ""):
        raise TableError(
            f"{where} is not as perfectplay writes it: {path.lstrip('.') or 'everything'}",
            SOLVE_AGAIN,
        )


def read_manifest(file: Path) -> dict[str, Any]:
    """The manifest in a file; TableError if it has another shape or contradicts itself."""
    manifest = unsealed(file)
    _refuse_misshapen(manifest, MANIFEST_SHAPE, file)
    for path in _contradictions(manifest):
        raise TableError(f"{file} contradicts itself: {path}", SOLVE_AGAIN)
    return manifest


def read_begun(file: Path) -> dict[str, Any]:
    """Header and width of an unfinished table; TableError if the file has another shape."""
    begun = unsealed(file)
    _refuse_misshapen(begun, BEGUN_SHAPE, file)
    return begun


def read_part(file: Path, number: int, low: int, width: int) -> dict[str, Any]:
    """What a journal says of part `number`, whose first id is `low`; TableError as above."""
    part = unsealed(file)
    _refuse_misshapen(part, PART_SHAPE, file)
    for path in _disagreeing(part, number, low, width):
        raise TableError(f"{file} contradicts itself: {path}", SOLVE_AGAIN)
    return part
