"""Kernels as Numba dispatchers. Imported only when a kernel is called for the first time."""

import tempfile
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.extending import typeof_impl

from perfectplay.compiled.cache import put
from perfectplay.compiled.kernels import Kernel, overloads, source_of, tell_uncached

ERRORS = (NumbaError, UnsupportedBytecodeError)


def dispatcher(kernel: Kernel) -> Any:
    """The dispatcher of a kernel, with Numba's cache in the kernel's folder where possible."""
    for name in list(overloads):
        import_module(name)
    if kernel.rules:
        import_module("perfectplay.compiled.rule_types")
    options: dict[str, Any] = {
        "nogil": True, "boundscheck": bool(kernel.rules), **kernel.targetoptions
    }  # fmt: skip
    file = _copied(kernel) if kernel.cached else None
    if file is None:
        return numba.njit(**options)(kernel.py_func)
    return numba.njit(cache=True, **options)(_placed(kernel.py_func, file))


def _copied(kernel: Kernel) -> Path | None:
    """A copy of the kernel's source file in its folder; None if there can be none."""
    source = source_of(kernel.py_func.__module__)
    if source is None:
        return None
    file = kernel.folder / f"{kernel.py_func.__module__.rpartition('.')[2]}.py"
    try:
        if not file.exists():
            put(file, source)
        kept = file.parent / "__pycache__"
        kept.mkdir(exist_ok=True)
        tempfile.TemporaryFile(dir=kept).close()  # or Numba would choose another folder
    except OSError as error:  # no disk, no permission: compile in every process
        tell_uncached(error)
        return None
    return file


def _placed(function: Any, file: Path) -> Any:
    """The same function, as if it stood in `file`: Numba caches beside the file of a function."""
    code = function.__code__.replace(co_filename=str(file))
    copy = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


@typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]
def _typeof_kernel(kernel: Kernel, context: Any) -> Any:
    """Kernels may call kernels, and themselves."""
    return types.Dispatcher(kernel.dispatcher)
