"""The door to compiled code: `kernel` for functions of arrays, `rules_kernel` for functions that
call a game's rules.

A `Kernel` is compiled for the types of its arguments when it is first called with them, once for
all processes: loader.py reads what an earlier one compiled, compiling.py asks Numba for the rest.

Numba's cache does not notice an edit in another file that a cached function calls. So every cache
folder here is named after the sources it depends on: a kernel's, after its module and all modules
of this package which that module imports; a game's, by a digest of its rules besides."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled import loader
from perfectplay.compiled.cache import cache_folder
from perfectplay.compiled.source_text import stamp
from perfectplay.rules.game import Game

_IMPORT = re.compile(rb"^from (perfectplay(?:\.\w+)*) import (\([^)]*\)|[\w, ]+)", re.MULTILINE)
_TRANSLATOR = re.compile(rb'^translated_by\("([\w.]+)"\)', re.MULTILINE)
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_COMPILER = ("perfectplay.compiled.compiling", "perfectplay.compiled.loader")
_TRANSLATORS: dict[str, None] = {}
_FLAGS = 0x503
_LAYOUTS = (0x500, 0x501, 0x502, 0x501)
"""Bits of an array's flags that make a different type, by how it is contiguous: how (if both ways,
by rows), aligned, writeable."""
_NUMBERS = {bool, float, complex, type(None)}
_COMPILING = threading.RLock()
_OUTERMOST: list[Kernel] = []
"""The kernel that is being compiled, if any."""


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
    """The modules of this package that a module imports when it is loaded, where alone kernels
    find what they call, and those that translate its words."""
    source = _source(name) or b""
    found: dict[str, None] = {each[1].decode(): None for each in _TRANSLATOR.finditer(source)}
    for line in _IMPORT.finditer(source):
        module = line[1].decode()
        names = re.findall(r"\w+", line[2].decode())
        for other in (module, *(f"{module}.{n}" for n in names)):
            if _source(other) is not None:
                found[other] = None
    return tuple(found)


@cache
def _source(name: str) -> bytes | None:
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
    """Twelve hex digits that change when one of these modules, or one they import, is edited, or
    another version of the compiler is installed."""
    body = b"\0".join(_source(each) or b"" for each in _imports(*names))
    return hashlib.sha256(body + loader.versions().encode()).hexdigest()[:12]


# -- Kernels. -------------------------------------------------------------------------------------


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a function of arrays and numbers. Never pass it a function; releases the GIL."""
    return Kernel(function)


@cache
def rules_kernel(function: Callable[..., Any], digest: str) -> Kernel:
    """Compile a function that takes a game, whose rules have this digest, and calls its rules.

    Indices in rules are checked. Each game has a cache folder of its own: to find one game in a
    folder of many, Numba would have to read what it knows of all."""
    return Kernel(function, digest)


def inlined(function: Callable[..., Any]) -> Kernel:
    """A part of one kernel, with a name of its own: it is compiled as if it stood there. Not for
    parts that take arrays: those are counted at every call, which costs more than most rules."""
    part = Kernel(function)
    part.targetoptions = {"inline": "always"}  # where Numba looks for it
    return part


def translated_by(name: str) -> None:
    """Say that some functions of the calling module are left open, and that module `name` tells
    Numba what they are: it is imported before anything is compiled. Called with a plain text, on
    a line of its own, so that edits of the other module are noticed."""
    _TRANSLATORS[name] = None


class Kernel:
    """A function that is compiled for the types of the arguments it is called with."""

    targetoptions: dict[str, str] = {}  # noqa: RUF012 - none, for all kernels

    def __init__(self, function: Callable[..., Any], rules: str = "") -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._rules = rules
        self._found: dict[Any, Callable[..., Any]] = {}
        self._ready: dict[Any, Callable[..., Any]] = {}  # the same, by what is found out at once

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns."""
        key = tuple(
            [
                (a.dtype, a.ndim, a.flags.num & _FLAGS) if type(a) is np.ndarray else _kind(a)
                for a in arguments
            ]
        )
        ready = self._ready.get(key)
        if ready is None:
            ready = self._ready[key] = self._find(arguments)
        return ready(*arguments)

    def _find(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The function for arguments of these types: loaded, or compiled and kept."""
        key = tuple(map(_kind, arguments))
        with _COMPILING:
            if key not in self._found:
                self._found[key] = self._loaded(repr(key)) or self._compiled(repr(key), arguments)
            return self._found[key]

    @functools.cached_property
    def folder(self) -> Path:
        """Where this kernel is kept."""
        home = self.py_func.__module__
        digest = module_digest(home, *_COMPILER)
        suffix = f"-{hashlib.sha256(self._rules.encode()).hexdigest()[:16]}" if self._rules else ""
        return cache_folder() / f"{home}-{digest}{suffix}"

    def _file(self, kinds: str) -> Path:
        whole = hashlib.sha256(f"{kinds}\0{self._rules}\0{self._own}".encode()).hexdigest()
        return self.folder / f"{self.py_func.__qualname__}-{whole[:16]}.kernel"

    @functools.cached_property
    def _own(self) -> str | None:
        """What the function itself is; None if it takes things along that cannot be compared."""
        held = [cell.cell_contents for cell in self.py_func.__closure__ or ()]
        if not all(isinstance(each, int | float | str) for each in held):
            return None
        return f"{stamp(self.py_func.__code__)} {held!r}"

    @property
    def _kept(self) -> bool:
        return loader.usable() and self._own is not None

    def _loaded(self, kinds: str) -> Callable[..., Any] | None:
        if not self._kept:
            return None
        try:
            return loader.load(self._file(kinds), kinds, self.py_func)
        except loader.NotLoadedError:
            return None

    def _compiled(self, kinds: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        from perfectplay.compiled import compiling

        for name in list(_TRANSLATORS):
            import_module(name)
        _OUTERMOST.append(self)
        try:
            made = compiling.compiled(self.dispatcher, arguments)
        finally:
            _OUTERMOST.pop()
        if self._kept:
            compiling.keep(self.dispatcher, arguments, self._file(kinds), kinds)
        return made

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What Numba knows of this kernel."""
        from perfectplay.compiled import compiling

        checked = True if self._rules else None
        return compiling.dispatcher(self.py_func, self.folder, boundscheck=checked)

    @property
    def _numba_type_(self) -> Any:
        """Kernels may call kernels, and themselves: Numba asks what they are. What belongs to the
        engine, but is called by many games, is compiled by itself and kept for all of them."""
        from perfectplay.compiled import compiling

        own = self.dispatcher
        shared = bool(_OUTERMOST and _OUTERMOST[0]._rules and not self._rules)
        whole = shared or getattr(own, "is_compiling", False)
        return compiling.type_of(own if whole else self._inner)

    @functools.cached_property
    def _inner(self) -> Any:
        """What Numba knows of this kernel as a part of other kernels."""
        from perfectplay.compiled import compiling

        return compiling.inner(self.py_func, boundscheck=True if self._rules else None)


def _kind(argument: Any) -> Any:
    """The type of an argument, as far as it matters for compiled code."""
    kind = type(argument)
    if kind is np.ndarray:
        flags = argument.flags.num
        return argument.dtype, argument.ndim, flags & _LAYOUTS[flags & 3]
    if kind is int:
        return kind if -(2**63) <= argument < 2**63 else "large"
    if kind is tuple:
        return tuple(map(_kind, argument))
    if kind in _NUMBERS or isinstance(argument, np.generic):
        return kind
    if isinstance(argument, Game):
        return _rules_kind(argument)
    if isinstance(argument, np.ndarray):
        return _kind(argument.view(np.ndarray))
    raise TypeError(f"kernels take arrays, numbers and tuples of them, not {kind.__name__}")


def _rules_kind(rules: Game) -> str:
    """The name of the compiled type of a game; it is kept with the game, since it takes time."""
    known = getattr(rules, "_numba_name_", None)
    if known is None:
        from perfectplay.compiled.rule_fields import type_name

        known = f"{type_name(rules)} in {type(rules).__module__}"  # compiled code names the module
        with suppress(AttributeError):  # a class with slots goes without
            object.__setattr__(rules, "_numba_name_", known)
    return str(known)


def compile_errors() -> tuple[type[Exception], ...]:
    """The exceptions of the compiler; none if it was not imported."""
    compiling = sys.modules.get("perfectplay.compiled.compiling")
    return compiling.ERRORS if compiling is not None else ()
