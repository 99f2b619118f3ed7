"""Words: what Numba makes of the functions that lock.py and visit.py leave open: locks, and what
depends on the types of a game's positions, payoffs and moves. Imported only to compile."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from perfectplay.game import Game
from perfectplay.search.lock import try_lock, unlock
from perfectplay.search.rows import HEAD
from perfectplay.search.visit import events, hinted, limits, pair, parts, position, write


@overload(position)
def _position(stack, i, sample):  # type: ignore[no-untyped-def]
    if isinstance(sample, types.Integer):
        return lambda stack, i, sample: stack[i, HEAD]
    words = ", ".join(f"stack[i, {HEAD + k}]" for k in range(sample.count))
    scope: dict[str, Any] = {}
    exec(f"def load(stack, i, sample): return ({words},)", scope)
    return scope["load"]


@overload(write)
def _write(stack, i, p):  # type: ignore[no-untyped-def]
    if isinstance(p, types.Integer | types.Boolean):

        def save(stack, i, p):  # type: ignore[no-untyped-def]
            stack[i, HEAD] = p

        return save
    lines = "".join(f"\n    stack[i, {HEAD + k}] = p[{k}]" for k in range(p.count))
    scope: dict[str, Any] = {}
    exec(f"def save(stack, i, p):{lines}", scope)
    return scope["save"]


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


@overload(hinted)
def _hinted(rules, p, m):  # type: ignore[no-untyped-def]
    if rules.rules_class.hint is Game.hint:
        return lambda rules, p, m: 0
    return lambda rules, p, m: int(rules.hint(p, m))


@overload(events)
def _events(rules, p):  # type: ignore[no-untyped-def]
    if rules.rules_class.chances is not Game.chances:
        return lambda rules, p: rules.chances(p)

    def none(rules, p):  # type: ignore[no-untyped-def]
        for m in rules.moves(p):
            yield 0, rules.play(p, m)  # refused as a weight of 0: these rules have no chances

    return none


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
