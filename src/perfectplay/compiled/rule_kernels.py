"""Kernels that are compiled for the rules of one game."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from perfectplay.compiled.digest import compiled_digest
from perfectplay.compiled.kernels import Kernel
from perfectplay.compiled.rule_fields import LARGEST, global_names, members, methods
from perfectplay.rules.game import Game

UNCHECKED = {"boundscheck": False, "error_model": "numpy"}
"""Options of a kernel that sees to its indices itself."""


def rules_kernel(
    function: Callable[..., Any], game: Game, options: dict[str, Any] | None = None
) -> Kernel:
    """Compile a function that takes a game like this one and calls its rules; with these options
    for Numba, where indices of its own are not checked, say."""
    digest = f"{compiled_digest(game)}-{type(game).__module__}"
    made = _kernel(function, digest, not any(map(_by_address, _arrays(game))))
    if options is not None:
        made.targetoptions = options
    return made


@cache
def _kernel(function: Callable[..., Any], digest: str, cached: bool) -> Kernel:  # noqa: FBT001
    return Kernel(function, rules=digest, cached=cached)


def _by_address(array: Any) -> bool:
    """Whether Numba refers to an array by its address, so that code is not kept."""
    return array.nbytes > LARGEST or not (array.flags.c_contiguous or array.flags.f_contiguous)


def _arrays(game: Game) -> Iterator[Any]:
    """All arrays that compiled rules can reach."""
    yield from (each for each in members(game)[1].values() if isinstance(each, np.ndarray))
    seen: set[Any] = set()
    queue: list[Any] = [method for _, method in methods(type(game))]
    while queue:
        function = queue.pop()
        if function in seen:
            continue
        seen.add(function)
        names = global_names(function.__code__)
        held = [function.__globals__[name] for name in names if name in function.__globals__]
        held += [cell.cell_contents for cell in function.__closure__ or ()]
        held += [function.__defaults__, *(function.__kwdefaults__ or {}).values()]
        held = [*_unpacked(held)]
        yield from (each for each in held if isinstance(each, np.ndarray))
        queue += [each for each in held if isinstance(each, FunctionType)]


def _unpacked(things: Iterable[Any]) -> Iterator[Any]:
    """All things, and those in tuples."""
    for each in things:
        if isinstance(each, tuple):
            yield from _unpacked(each)
        else:
            yield each
