"""Compiling: the only module, besides rule_types.py, that imports Numba; and only when something
must be compiled (kernels.py asks)."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import numba.np.linalg
import numpy as np
from llvmlite import ir
from numba.core import caching, config, types
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.runtime import rtsys
from numba.extending import intrinsic, overload

from perfectplay.compiled import nested
from perfectplay.compiled.loader import save
from perfectplay.compiled.prefetch import prefetch

ERRORS = (NumbaError, UnsupportedBytecodeError)

# Numba imports scipy.linalg at every start, a quarter of a second, only to see whether it is
# there.
setattr(numba.np.linalg, "ensure_blas", lambda: None)


def _load_overload(self: Any, signature: Any, context: Any) -> Any:
    """`Cache.load_overload` without the fifth of a second that makes ready for compiling: what is
    compiled already needs but the runtime, and the compiler does the rest by itself."""
    rtsys.initialize(context)
    with self._guard_against_spurious_io_errors():
        return self._load_overload(signature, context)


if hasattr(caching.Cache, "_load_overload"):
    setattr(caching.Cache, "load_overload", _load_overload)


nested.install()


def dispatcher(function: Callable[..., Any], folder: Path, *, boundscheck: bool | None) -> Any:
    """What Numba makes of a function, with a cache in `folder`."""
    config.CACHE_DIR = str(folder)
    return numba.njit(cache=True, nogil=True, boundscheck=boundscheck)(function)


def inner(function: Callable[..., Any], *, boundscheck: bool | None) -> Any:
    """What Numba makes of a function that other kernels contain: it is compiled with each."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(boundscheck=boundscheck, **options)(function)


def type_of(made: Any) -> Any:
    """The type of a kernel for other kernels that call it."""
    return types.Dispatcher(made)


def compiled(made: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The function compiled for arguments of these types."""
    if not hasattr(made, "overloads"):  # NUMBA_DISABLE_JIT
        return made  # type: ignore[no-any-return]
    collecting = gc.isenabled()
    gc.disable()  # the compiler makes many objects, few of them garbage
    try:
        return made._compile_for_args(*arguments)  # type: ignore[no-any-return]
    finally:
        if collecting:
            gc.enable()


def keep(made: Any, arguments: tuple[Any, ...], file: Path, kinds: str) -> None:
    """Write what was compiled for these arguments to a file for loader.py, if it is of a kind that
    can be loaded without Numba; else nothing is written."""
    with suppress(Exception):  # another version of Numba, a full disk: the next run compiles
        signature = tuple(made.typeof_pyval(each) for each in arguments)
        found = made.overloads[signature]
        if made._cache_hits[signature]:  # then Numba has not kept the code: once more, without
            again = numba.njit(nogil=True, boundscheck=made.targetoptions["boundscheck"])(
                made.py_func
            )
            again.compile(signature)
            found = again.overloads[signature]
        own = found.fndesc.env_name
        homes = {own: found.environment}
        homes |= {home.env_name: home for home in found._find_referenced_environments()}
        if found.objectmode or found.lifted or found.reload_init:
            return
        if not all(isinstance(c, np.dtype) for home in homes.values() for c in home.consts):
            return
        arrays = {name: [c.str for c in home.consts] for name, home in homes.items()}
        code = found.library.serialize_using_object_code()[2][0]
        save(file, kinds, found.fndesc.llvm_cpython_wrapper_name, arrays, code)


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
