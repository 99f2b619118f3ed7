"""Typed moves: which move of a list a person means, by its text, its place or a number in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

LISTED = 60
"""Moves that are listed before each turn; ? lists all."""
_NUMBER = re.compile(r"(?<![\w.+-])\d+(?![\w.])")
"""A number that is a word of its own."""


class NamedMove(Protocol):
    """A move or a choice, of which the text is all that matters."""

    @property
    def text(self) -> str:
        """As the rules write it."""


Move = TypeVar("Move", bound=NamedMove)


def numbered(listed: Sequence[NamedMove]) -> bool:
    """Whether a bare number means a place in the list: not if moves are numbers, or if the number
    of one (pit 2) is the place of another."""
    if any(move.text.lstrip("+-").isdecimal() for move in listed):
        return False
    places = {str(i): move for i, move in enumerate(listed, 1)}
    return all(places.get(n, move) is move for n, move in _by_number(listed).items())


def named(listed: Sequence[NamedMove]) -> str:
    """The list as text, for a person who is to choose from it."""
    shown, counted = listed[:LISTED], numbered(listed)
    names = [f"{i}: {move.text}" if counted else move.text for i, move in enumerate(shown, 1)]
    if len(listed) > LISTED:
        names.append(f"… and {len(listed) - LISTED:,} more (? shows all)")
    if counted:
        return ", ".join(names)
    places = "#1" if len(listed) == 1 else f"#1 to #{len(listed)}"
    return f"{', '.join(names)} (or {places}, in this order)"


def chosen(typed: str, listed: Sequence[Move]) -> Move | None:
    """The move that was typed: its own text comes first, then its place in the list, then a number
    that it alone has."""
    for move in listed:
        if typed == move.text:
            return move
    place = typed.removeprefix("#")
    counts = typed != place or numbered(listed)
    places = {str(i): move for i, move in enumerate(listed, 1)}
    if counts and place in places:
        return places[place]
    same = [move for move in listed if move.text.lower() == typed.lower()]
    return same[0] if len(same) == 1 else _by_number(listed).get(typed)


def _by_number(listed: Sequence[Move]) -> dict[str, Move]:
    """Moves with one number in their text, as `pit 2` has, by that number if no other has it."""
    numbers = [_NUMBER.findall(move.text) for move in listed]
    counted = Counter(found[0] for found in numbers if len(found) == 1)
    return {
        found[0]: move
        for found, move in zip(numbers, listed, strict=True)
        if len(found) == 1 and counted[found[0]] == 1
    }
