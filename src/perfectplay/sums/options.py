"""Options that do not matter: dominated ones, and reversible ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfectplay.sums.canonical_form import Short


def best(options: Iterable[Short], worse: Callable[[Short, Short], bool]) -> list[Short]:
    """The options that no other makes superfluous."""
    kept: list[Short] = []
    for g in options:
        for other in kept:
            if worse(g, other):
                break
        else:
            kept = [other for other in kept if not worse(other, g)]
            kept.append(g)
    return kept


def bypassed(
    options: list[Short],
    replies: Callable[[Short], tuple[Short, ...]],
    onward: Callable[[Short], tuple[Short, ...]],
    is_good: Callable[[Short], bool],
) -> list[Short]:
    """The options, those with a reply that is good for the other player replaced by what comes
    after it; the same list if there are none."""
    seen, kept = {g.id for g in options}, []
    waiting = options[::-1]
    while waiting:
        g = waiting.pop()
        for reply in replies(g):
            if is_good(reply):
                for h in onward(reply):
                    if h.id not in seen:
                        seen.add(h.id)
                        waiting.append(h)
                break
        else:
            kept.append(g)
    return options if len(kept) == len(options) == len(seen) else kept
