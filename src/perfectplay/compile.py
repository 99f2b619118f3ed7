"""The only door to Numba: `kernel` for functions of arrays, `Rules` types for compiled games.

Numba's cache does not notice an edit in another file that a cached function calls. So every cache
folder here is named after the sources it depends on: a kernel's, after its module and all modules
of this package which that module imports; a game's, by a digest of its rules in the name of its
type (`native.py`)."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
import numba.np.linalg
from llvmlite import ir
from numba.core import caching, config, types
from numba.core.runtime import rtsys
from numba.extending import intrinsic

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

_IMPORT = re.compile(
    rb"^[ \t]*from (perfectplay(?:\.\w+)*) import (\([\w, \n]+\)|[\w, ]+)", re.MULTILINE
)


def cache_folder() -> Path:
    """Where compiled code is kept: PERFECTPLAY_CACHE, or the user's cache folder."""
    home = os.environ.get("PERFECTPLAY_CACHE")
    if home:
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "perfectplay"


@cache
def _imports(name: str) -> tuple[str, ...]:
    """The modules of this package that module `name` imports, itself included, transitively."""
    found: dict[str, None] = {name: None}
    queue = [name]
    while queue:
        for line in _IMPORT.finditer(_source(queue.pop())):
            module = line[1].decode()
            for other in (
                module,
                *(f"{module}.{n.strip().decode()}" for n in line[2].strip(b"()").split(b",")),
            ):
                if other not in found and _exists(other):
                    found[other] = None
                    queue.append(other)
    return tuple(sorted(found))


@cache
def _exists(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


@cache
def _source(name: str) -> bytes:
    path = getattr(sys.modules.get(name), "__file__", None)
    if path is None:
        spec = importlib.util.find_spec(name) if name not in sys.modules else None
        path = spec.origin if spec else None
    return Path(path).read_bytes() if path and path.endswith(".py") else b""


@cache
def module_digest(name: str) -> str:
    """Twelve hex digits that change when module `name` or one it imports is edited."""
    body = b"\0".join(_source(each) for each in _imports(name))
    return hashlib.sha256(body + numba.__version__.encode()).hexdigest()[:12]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of arrays and numbers. Never pass it a function; releases the GIL."""
    return cast(Callable[..., Any], _compiled(function, "", boundscheck=None))


@cache
def rules_kernel(function: Callable[..., Any], digest: str) -> Callable[..., Any]:
    """Compile a function that takes a game, whose rules have this digest (with the name of their
    module, which compiled code refers to), and calls its rules.

    Indices in rules are checked. Each game has a cache folder of its own: to find one game in a
    folder of many, Numba would have to read what it knows of all."""
    return cast(Callable[..., Any], _compiled(function, f"-{digest}", boundscheck=True))


def _compiled(function: Callable[..., Any], suffix: str, *, boundscheck: bool | None) -> Any:
    module = function.__module__
    config.CACHE_DIR = str(cache_folder() / f"{module}-{module_digest(module)}{suffix}")
    return numba.njit(cache=True, nogil=True, boundscheck=boundscheck)(function)


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """For kernels: ask for the memory of `array[row]`, soon to be read and written, and go on.

    `row` is not checked, nor may it be negative."""

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
