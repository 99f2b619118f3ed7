"""Words: what Numba makes of the functions that lock.py and visit.py leave open: locks, and what
depends on the types of a game's positions, payoffs and moves. Imported only to compile."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from perfectplay.compiled.rule_types import key_loader, row_writer
from perfectplay.rules.game import Game
from perfectplay.searching.lock import try_lock, unlock
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
    if rules.rules_class.bounds is Game.bounds:
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
    if rules.rules_class.guess is Game.guess:
        return lambda rules, p: 0.0
    return lambda rules, p: float(rules.guess(p))


@overload(unnamed_of)
def _unnamed_of(rules, p):  # type: ignore[no-untyped-def]
    if rules.rules_class.shape_of is Game.shape_of:
        return lambda rules, p: 0
    return lambda rules, p: rules.unnamed(p)


@overload(hinted)
def _hinted(rules, p, m):  # type: ignore[no-untyped-def]
    if rules.rules_class.hint is Game.hint:
        return lambda rules, p, m: 0
    return lambda rules, p, m: int(rules.hint(p, m))


# -- Locks. ---------------------------------------------------------------------------------------


@overload(try_lock)
def _try_lock_overload(array, row):  # type: ignore[no-untyped-def]
    return lambda array, row: _try_lock(array, row)  # noqa: PLW0108 - Numba wants a function


@overload(unlock)
def _unlock_overload(array, row):  # type: ignore[no-untyped-def]
    return lambda array, row: _unlock(array, row)  # noqa: PLW0108


def _word(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """The address of array[row, 0]."""
    made = context.make_array(kind)(context, builder, array)
    stride = builder.extract_value(made.strides, 0)
    start = builder.bitcast(made.data, ir.IntType(8).as_pointer())
    place = builder.gep(start, [builder.mul(stride, row)])
    return builder.bitcast(place, ir.IntType(64).as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def _try_lock(typing_context: Any, array: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature.args[0], *arguments)
        free, taken = ir.Constant(ir.IntType(64), 0), ir.Constant(ir.IntType(64), 1)
        found = builder.cmpxchg(word, free, taken, "acquire", "monotonic")
        return builder.extract_value(found, 1)

    return types.boolean(array, types.intp), emit


@intrinsic  # type: ignore[untyped-decorator]
def _unlock(typing_context: Any, array: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature.args[0], *arguments)
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), word, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp), emit
