"""Checks JSON against the types that declare it, with nothing converted and nothing overlooked."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints


def differences(data: Any, hint: Any, at: str = "$") -> Iterator[str]:
    """All places at which data is not of a type: fields that are missing, unknown, or of another
    kind."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return
    if hasattr(hint, "__required_keys__"):
        yield from _object(data, hint, at)
    elif origin in (Union, types.UnionType):
        tries = [list(differences(data, each, at)) for each in inner]
        yield from min(tries, key=len)
    elif origin is NotRequired:
        yield from differences(data, inner[0], at)
    elif origin is Literal:
        yield from [f"{at}: {data!r} is none of {inner}"] if data not in inner else []
    elif not _plain(data, origin or hint):
        yield f"{at}: {data!r} is no {hint}"
    elif origin in (list, dict):
        for name, each in enumerate(data) if origin is list else data.items():
            yield from differences(each, inner[-1], f"{at}.{name}")


def _object(data: Any, hint: Any, at: str) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"{at}: {data!r} is no object"
        return
    hints = get_type_hints(hint, include_extras=True)
    needed = {name for name, each in hints.items() if get_origin(each) is not NotRequired}
    yield from (f"{at}.{name} is missing" for name in needed - data.keys())
    yield from (f"{at}.{name} is not declared" for name in data.keys() - hints.keys())
    for name in data.keys() & hints.keys():
        yield from differences(data[name], hints[name], f"{at}.{name}")


def _plain(data: Any, kind: type) -> bool:
    """Whether a number, a text or nothing is of a type; integers will do as floats."""
    if isinstance(data, bool) or kind is bool:
        return isinstance(data, bool) and kind is bool
    return isinstance(data, (int, float) if kind is float else kind)


def same_type(data: Any, hint: Any) -> None:
    """Fail with all that differs."""
    found = list(differences(data, hint))
    assert not found, "\n".join(found)
