"""What Numba makes of the stubs in intrinsics.py. Imported only to compile."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from perfectplay.compiled.intrinsics import (
    address_of,
    anchored,
    byte_at,
    events,
    fetch_byte,
    load_key,
    parents,
    prefetch,
    put_numbers,
    save_key,
    try_lock,
    uncounted,
    unlock,
    word_at,
)
from perfectplay.rules.game import declares
from perfectplay.rules.number_capabilities import BackwardMoves

# -- Keys. ----------------------------------------------------------------------------------------


def key_loader(sample: Any, at: int = 0) -> Any:
    """Code that reads a position like `sample` from a row, word `at` and what follows."""
    if isinstance(sample, types.Integer):
        return lambda keys, i, sample: keys[i, at]
    words = ", ".join(f"keys[i, {at + k}]" for k in range(sample.count))
    return made(f"def load(keys, i, sample): return ({words},)", "load")


def row_writer(value: Any, at: int = 0) -> Any:
    """Code that writes a number, or all entries of a tuple, to a row, to word `at` and what
    follows, and returns how many there are; None if there is none for such values."""
    if isinstance(value, types.Integer | types.Boolean):
        lines, count = f"out[i, {at}] = value", 1
    elif isinstance(value, types.BaseTuple) and all(
        isinstance(t, types.Integer | types.Boolean) for t in value
    ):
        lines, count = (
            "; ".join(f"out[i, {at + k}] = value[{k}]" for k in range(value.count)),
            value.count,
        )
    else:
        return None
    return made(f"def write(out, i, value):\n    {lines}\n    return {count}", "write")


def made(source: str, name: str) -> Any:
    """The function called `name` that a source defines."""
    scope: dict[str, Any] = {"np": np}
    exec(source, scope)
    return scope[name]


@overload(load_key)
def _load_overload(keys, i, sample):  # type: ignore[no-untyped-def]
    return key_loader(sample)


@overload(save_key)
@overload(put_numbers)
def _write_overload(out, i, value):  # type: ignore[no-untyped-def]
    return row_writer(value)


@overload(anchored)
def _anchored_overload(rules, p):  # type: ignore[no-untyped-def]
    if declares(rules.rules_class, "anchor"):
        return lambda rules, p: rules.anchor(p)
    return lambda rules, p: False


@overload(events)
def _events_overload(rules, p):  # type: ignore[no-untyped-def]
    if declares(rules.rules_class, "chances"):
        return lambda rules, p: rules.chances(p)
    # rules without chances: one event of weight 0, which is refused, and little to compile
    return lambda rules, p: ((0, p),)


@overload(parents)
def _parents_overload(rules, p):  # type: ignore[no-untyped-def]
    if issubclass(rules.rules_class, BackwardMoves):
        return lambda rules, p: rules.unmoves(p)

    def none(rules, p):  # type: ignore[no-untyped-def]
        for _ in range(0):
            yield p

    return none


# -- Memory. --------------------------------------------------------------------------------------


@overload(prefetch)
def _prefetch_overload(array, row):  # type: ignore[no-untyped-def]
    return lambda array, row: _prefetch(array, row)  # noqa: PLW0108 - Numba wants a function


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(made.strides, 0)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        start = builder.bitcast(made.data, byte)
        place = builder.gep(start, [builder.mul(stride, arguments[1])])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [place, word(1), word(3), word(1)])  # to write, keep, data
        return context.get_dummy_value()

    return types.void(array, row), emit


@overload(uncounted)
def _uncounted_overload(arrays):  # type: ignore[no-untyped-def]
    return lambda arrays: _uncounted(arrays)  # noqa: PLW0108


@intrinsic  # type: ignore[untyped-decorator]
def _uncounted(typing_context: Any, arrays: Any) -> Any:
    def bare(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        made = context.make_array(kind)(context, builder, value)
        made.meminfo = made.meminfo.type(None)
        return made._getvalue()

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (found,) = arguments
        if isinstance(arrays, types.Array):
            return bare(context, builder, arrays, found)
        for i, kind in enumerate(arrays):
            if isinstance(kind, types.Array):
                array = bare(context, builder, kind, builder.extract_value(found, i))
                found = builder.insert_value(found, array, i)
        return found

    return arrays(arrays), emit


@overload(address_of)
def _address_of_overload(array):  # type: ignore[no-untyped-def]
    return lambda array: array.ctypes.data


def _reads(stub: Any, bits: int) -> None:
    """Implement a stub that reads an entry of so many bits at an address."""

    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing_context: Any, address: Any, i: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            start = builder.inttoptr(arguments[0], ir.IntType(bits).as_pointer())
            found = builder.load(builder.gep(start, [arguments[1]]))
            return found if bits == 64 else builder.zext(found, ir.IntType(64))

        return types.int64(types.int64, types.int64), emit

    overload(stub)(lambda address, i: lambda address, i: read(np.int64(address), np.int64(i)))


_reads(byte_at, 8)
_reads(word_at, 64)


@overload(fetch_byte)
def _fetch_byte_overload(address, i):  # type: ignore[no-untyped-def]
    return lambda address, i: _fetch_byte(np.int64(address), np.int64(i))


@intrinsic  # type: ignore[untyped-decorator]
def _fetch_byte(typing_context: Any, address: Any, i: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.gep(builder.inttoptr(arguments[0], byte), [arguments[1]])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [place, word(0), word(3), word(1)])  # to read, keep, data
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), emit


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
