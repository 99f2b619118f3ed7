"""The door to compiled code: `kernel` compiles functions of arrays; rule_kernels.py has kernels
that call a game's rules.

A `Kernel` is an ordinary Numba dispatcher with Numba's own cache, made when it is first called:
importing a module of kernels does not import Numba.

Numba's cache does not notice an edit in another file that a cached function calls. So each kernel
is compiled from a copy of its source file in a folder named after every source it depends on: its
own module with all modules of this package which that module imports, and, for rules, a digest of
all that they can reach. Numba keeps compiled code beside that copy. An edit leads to another
folder, never to stale code; old folders may be deleted at any time.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakSet

from perfectplay.compiled.address_space import refuse_narrow
from perfectplay.compiled.cache import cache_folder

_IMPORT = re.compile(rb"^from (perfectplay(?:\.\w+)*) import (\([^)]*\)|[\w, ]+)", re.MULTILINE)
_OVERLOADS = re.compile(rb'^overloaded_in\("([\w.]+)"\)', re.MULTILINE)
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_DOOR = "perfectplay.compiled.dispatchers"
_TYPES = "perfectplay.compiled.rule_types"
"""How rules lie in memory and are called: code that calls them depends on it."""
_BROKEN = (OSError, EOFError, pickle.UnpicklingError, ImportError, AttributeError)
"""What a cache raises that cannot be written, is damaged, or names a class that has moved."""

_kernels: WeakSet[Kernel] = WeakSet()
_uncached: list[str] = []
"""Why the cache cannot be written."""

overloads: dict[str, None] = {}
"""Modules that say what stubs do; they are imported before anything is compiled."""


# -- Sources. -------------------------------------------------------------------------------------


def _imports(*names: str) -> tuple[str, ...]:
    """The modules of this package that some modules import, themselves included, transitively."""
    found: dict[str, None] = dict.fromkeys(names)
    queue = [*names]
    while queue:
        for other in _named(queue.pop()):
            if other not in found:
                found[other] = None
                queue.append(other)
    return tuple(sorted(found))


@cache
def _named(name: str) -> tuple[str, ...]:
    """The modules of this package that a module imports when it is loaded, which is where kernels
    find what they call, and those that implement its stubs."""
    source = source_of(name) or b""
    found: dict[str, None] = {each[1].decode(): None for each in _OVERLOADS.finditer(source)}
    for line in _IMPORT.finditer(source):
        module = line[1].decode()
        names = re.findall(r"\w+", line[2].decode())
        for other in (module, *(f"{module}.{n}" for n in names)):
            if source_of(other) is not None:
                found[other] = None
    return tuple(found)


@cache
def source_of(name: str) -> bytes | None:
    """The source of a module; None if there is no such module."""
    package, *rest = name.split(".")
    stem = os.path.join(_PACKAGE, *rest)
    files = [f"{stem}.py", os.path.join(stem, "__init__.py")]
    if package != "perfectplay":  # a kernel of somebody else's, whose module is running
        files = [getattr(sys.modules.get(name), "__file__", None) or ""]
    for file in files:
        try:
            with open(file, "rb") as source:
                return source.read()
        except OSError:
            continue
    return None


@cache
def module_digest(*names: str) -> str:
    """Twelve hex digits that change when one of these modules, or one they import, is edited."""
    body = b"\0".join(source_of(each) or b"" for each in _imports(*names))
    return hashlib.sha256(body).hexdigest()[:12]


# -- Kernels. -------------------------------------------------------------------------------------


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a function of arrays and numbers. Never pass it a function; releases the GIL."""
    return Kernel(function)


def inlined(function: Callable[..., Any]) -> Kernel:
    """A part of one kernel, with a name of its own: it is compiled as if it stood there. Not for
    parts that take arrays: Numba counts references to those at every call, which costs more than
    most rules."""
    part = Kernel(function)
    part.targetoptions = {"inline": "always"}  # Numba looks for it here
    return part


def overloaded_in(name: str) -> None:
    """Say that functions of the calling module are stubs and that module `name` implements them
    for Numba. Call it with a literal, on a line of its own: edits of that module are noticed by
    reading the source."""
    overloads[name] = None


class Kernel:
    """A function that is compiled for the types of the arguments it is called with; where it calls
    `rules`, with this digest, indices are checked. `cached`: whether Numba may keep its code."""

    targetoptions: dict[str, Any] = {}  # noqa: RUF012 - none, for all kernels

    def __init__(
        self, function: Callable[..., Any], *, rules: str = "", cached: bool = True
    ) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.rules = rules
        self.cached = cached
        _kernels.add(self)

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns."""
        cached = self.cached  # asked before, since another thread may meet the same error
        try:
            return self.dispatcher(*arguments)
        except _BROKEN as error:  # raised before the function runs
            if not cached:
                raise
            _go_without_cache(error)
            return self.dispatcher(*arguments)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the function."""
        if _DOOR not in sys.modules:
            refuse_narrow()
        from perfectplay.compiled.dispatchers import dispatcher

        return dispatcher(self)

    @property
    def folder(self) -> Path:
        """Where this kernel is kept."""
        home = self.py_func.__module__
        digest = module_digest(home, _DOOR, *([_TYPES] if self.rules else []))
        suffix = f"-{hashlib.sha256(self.rules.encode()).hexdigest()[:16]}" if self.rules else ""
        return cache_folder() / f"{home}-{digest}{suffix}"


def _go_without_cache(error: Exception) -> None:
    """Let this process compile everything it has not run yet. Damaged files are removed, so that
    the next one can write them anew."""
    full = isinstance(error, OSError)
    if full:
        tell_uncached(error)
    for each in list(_kernels):
        if vars(each).pop("dispatcher", None) is not None and not full:
            shutil.rmtree(each.folder, ignore_errors=True)
        each.cached = False


def tell_uncached(error: BaseException) -> None:
    """Remember why compiled code cannot be kept."""
    _uncached.append(f"{cache_folder()}: {getattr(error, 'strerror', None) or error}")


def uncached_because() -> str:
    """Why compiled code cannot be kept by this process; nothing if it can."""
    return _uncached[0] if _uncached else ""


def compile_errors() -> tuple[type[Exception], ...]:
    """The exceptions of the compiler; none if it was not imported."""
    door = sys.modules.get(_DOOR)
    return door.ERRORS if door is not None else ()
