"""deep: recursion without a limit that a user would notice."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from perfectplay.errors import TooLargeError

Result = TypeVar("Result")
DEEPEST = 1_000_000


def deep(ask: Callable[..., Result], *about: Any) -> Result:
    """What `ask` says, with as deep a recursion as it takes. What it found out before it ran out
    of depth is remembered, so that asking again is no loss."""
    try:
        return ask(*about)
    except RecursionError:
        usual = sys.getrecursionlimit()
    if usual >= DEEPEST:
        raise TooLargeError("a value nests too deeply", f"at most {DEEPEST:,} levels") from None
    sys.setrecursionlimit(DEEPEST)
    try:
        return deep(ask, *about)
    finally:
        sys.setrecursionlimit(usual)
