"""Locks of one word, for tables that several threads share without Python's lock.

`try_lock` never waits: a thread that finds an entry locked goes on without it. Between `try_lock`
and `unlock` an entry belongs to one thread, so nobody ever sees one that is half written.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


def _word(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """The address of array[row, 0]."""
    made = context.make_array(kind)(context, builder, array)
    stride = builder.extract_value(made.strides, 0)
    start = builder.bitcast(made.data, ir.IntType(8).as_pointer())
    place = builder.gep(start, [builder.mul(stride, row)])
    return builder.bitcast(place, ir.IntType(64).as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def try_lock(typing_context: Any, array: Any, row: Any) -> Any:
    """Take the lock in array[row, 0], an int64; False if another thread has it."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature.args[0], *arguments)
        free, taken = ir.Constant(ir.IntType(64), 0), ir.Constant(ir.IntType(64), 1)
        found = builder.cmpxchg(word, free, taken, "acquire", "monotonic")
        return builder.extract_value(found, 1)

    return types.boolean(array, types.intp), emit


@intrinsic  # type: ignore[untyped-decorator]
def unlock(typing_context: Any, array: Any, row: Any) -> Any:
    """Give the lock in array[row, 0] back."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature.args[0], *arguments)
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), word, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp), emit
