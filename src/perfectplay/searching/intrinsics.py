"""What Numba makes of the stubs in stubs.py. Imported only to compile."""

from typing import Any

from numba.core import types
from numba.extending import overload

from perfectplay.compiled.intrinsics_numba import key_loader, row_writer
from perfectplay.rules.game import declares
from perfectplay.searching.search_stack import HEAD
from perfectplay.searching.stubs import (
    guessed,
    hinted,
    limits,
    numbers_of,
    parts,
    position,
    unlabelled_key,
    write,
)


def implements(stub: Any) -> Any:
    """Register what a stub does. Not `strict`: that compares annotations, which a lambda lacks."""
    return overload(stub, strict=False)


@implements(position)
def _position(keys: Any, i: Any, sample: Any) -> Any:
    return key_loader(sample, HEAD)


@implements(write)
def _write(out: Any, i: Any, value: Any) -> Any:
    return row_writer(value, HEAD)


@implements(numbers_of)
def _numbers_of(payoff: Any) -> Any:
    if isinstance(payoff, types.Integer | types.Boolean):
        return lambda payoff: (int(payoff), 0, 1)
    if payoff.count == 1:
        return lambda payoff: (int(payoff[0]), 0, 1)
    return lambda payoff: (int(payoff[0]), int(payoff[1]), 2)


@implements(limits)
def _limits(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "bounds"):
        return lambda rules, p: (0, 0, 0)

    def stated(rules: Any, p: Any) -> Any:
        found = rules.bounds(p)
        return int(found[0]), int(found[1]), parts(found)

    return stated


@implements(parts)
def _parts(found: Any) -> Any:
    return (lambda found: 1) if found.count == 2 else (lambda found: int(found[2]))


@implements(guessed)
def _guessed(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "guess"):
        return lambda rules, p: 0.0
    return lambda rules, p: float(rules.guess(p))


@implements(unlabelled_key)
def _unlabelled_key(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "unlabel"):
        return lambda rules, p: 0
    return lambda rules, p: rules.unlabelled_key(p)


@implements(hinted)
def _hinted(rules: Any, p: Any, m: Any) -> Any:
    if not declares(rules.rules_class, "hint"):
        return lambda rules, p, m: 0
    return lambda rules, p, m: int(rules.hint(p, m))
