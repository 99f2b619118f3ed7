"""The stubs of visit.py for Numba: what depends on the types of a game's positions, payoffs and
moves. Imported only to compile."""

from __future__ import annotations

from numba.core import types
from numba.extending import overload

from perfectplay.compiled.intrinsics_numba import key_loader, row_writer
from perfectplay.rules.game import declares
from perfectplay.searching.search_stack import HEAD
from perfectplay.searching.visit import (
    guessed,
    hinted,
    limits,
    pair,
    parts,
    position,
    unnamed_of,
    write,
)


@overload(position)
def _position(keys, i, sample):  # type: ignore[no-untyped-def]
    return key_loader(sample, HEAD)


@overload(write)
def _write(out, i, value):  # type: ignore[no-untyped-def]
    return row_writer(value, HEAD)


@overload(pair)
def _pair(number):  # type: ignore[no-untyped-def]
    if isinstance(number, types.Integer | types.Boolean):
        return lambda number: (int(number), 0, 1)
    if number.count == 1:
        return lambda number: (int(number[0]), 0, 1)
    return lambda number: (int(number[0]), int(number[1]), 2)


@overload(limits)
def _limits(rules, p):  # type: ignore[no-untyped-def]
    if not declares(rules.rules_class, "bounds"):
        return lambda rules, p: (0, 0, 0)

    def told(rules, p):  # type: ignore[no-untyped-def]
        found = rules.bounds(p)
        return int(found[0]), int(found[1]), parts(found)

    return told


@overload(parts)
def _parts(found):  # type: ignore[no-untyped-def]
    return (lambda found: 1) if found.count == 2 else (lambda found: int(found[2]))


@overload(guessed)
def _guessed(rules, p):  # type: ignore[no-untyped-def]
    if not declares(rules.rules_class, "guess"):
        return lambda rules, p: 0.0
    return lambda rules, p: float(rules.guess(p))


@overload(unnamed_of)
def _unnamed_of(rules, p):  # type: ignore[no-untyped-def]
    if not declares(rules.rules_class, "unlabel"):
        return lambda rules, p: 0
    return lambda rules, p: rules.unlabelled_key(p)


@overload(hinted)
def _hinted(rules, p, m):  # type: ignore[no-untyped-def]
    if not declares(rules.rules_class, "hint"):
        return lambda rules, p, m: 0
    return lambda rules, p, m: int(rules.hint(p, m))
