"""Loader: compiled kernels read from files, and run without the compiler.

To import Numba takes a third of a second, and its own cache ten milliseconds for every kernel. So
whatever it has compiled is written down once more, as little as a run needs: the object code, and
what the code refers to. LLVM links that in half a millisecond. Of Numba only the libraries written
in C are loaded, which compiled code calls.

A file says for which arguments it was compiled, by which versions, and for which processor; it is
used only if all of that is the same, if its bytes are as they were written, and if every symbol
that the code refers to is at hand. Otherwise the compiler is asked, as if there were no file; also
wherever Numba is configured by its environment, since that may change what it compiles."""

from __future__ import annotations

import builtins
import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pickle
import platform
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.compiled.cache import put
from perfectplay.errors import PerfectPlayError

MAGIC = b"perfectplay kernel 1\n"
ITSELF = ".numba.unresolved$"
"""What stands before the name of a function that calls itself: a place for its address."""
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
_C_LIBRARY = frozenset({"memcpy", "memmove", "memset", "memcmp"})
_RUNTIME = ("_helperlib", "_dynfunc", "core.runtime._nrt_python")
_LOADING = threading.RLock()


class NotLoadedError(PerfectPlayError):
    """A kernel cannot be had without the compiler; never seen by users."""


# -- Files. ---------------------------------------------------------------------------------------


@functools.cache
def versions() -> str:
    """Words that change with whatever compiled code depends on, besides its source."""
    words = [sys.version, np.__version__, platform.machine()]
    for package in ("numba", "llvmlite"):
        words.append((_package(package) / "_version.py").read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _package(name: str) -> Path:
    """The folder of a package, which is not imported."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise NotLoadedError(f"there is no package {name}")
    return Path(spec.submodule_search_locations[0])


@functools.cache
def usable() -> bool:
    """Whether kernels may be loaded here: on Linux, with Numba as it comes."""
    return (
        sys.platform == "linux"
        and not any(each.startswith("NUMBA_") for each in os.environ.keys() - _HARMLESS)
        and not os.path.exists(".numba_config.yaml")
    )


def save(file: Path, arguments: str, entry: str, homes: dict[str, list[str]], code: bytes) -> None:
    """Write a kernel down, if the loader will be able to read it. `entry` is the symbol of the
    function that takes Python objects; `homes` are symbols of environments, the function's own
    first, with the types of arrays that each makes."""
    defined, missing = _symbols(code)
    symbols = sorted(missing)
    runtime = _runtime()
    for name in symbols:
        if name.removeprefix(ITSELF) not in defined:
            runtime.address(name)
    head = {
        "arguments": arguments,
        "versions": versions(),
        "processor": runtime.processor,
        "entry": entry,
        "homes": homes,
        "symbols": symbols,
    }
    body = json.dumps(head).encode() + b"\n" + code
    put(file, MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)


def load(file: Path, arguments: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled `function` in a file, for arguments of these types; NotLoadedError if it is
    not there, or not for these arguments, versions and processor."""
    try:
        magic, stamp, body = file.read_bytes().split(b"\n", 2)
    except (OSError, ValueError):
        raise NotLoadedError("no such kernel") from None
    if magic + b"\n" != MAGIC or hashlib.sha256(body).hexdigest().encode() != stamp:
        raise NotLoadedError("the file is damaged")
    line, code = body.split(b"\n", 1)
    head = json.loads(line)
    if head["arguments"] != arguments or head["versions"] != versions():
        raise NotLoadedError("compiled for something else")
    with _LOADING:
        runtime = _runtime()
        if head["processor"] != runtime.processor:
            raise NotLoadedError("compiled for another processor")
        return runtime.function(function, head, code)


def _symbols(code: bytes) -> tuple[set[str], set[str]]:
    """The symbols that an object file (ELF, 64 bits) defines, and those that it only refers to."""
    if code[:6] != b"\x7fELF\x02\x01":
        raise NotLoadedError("no object file of a known kind")
    (table,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, table + i * size) for i in range(count)]
    found: tuple[set[str], set[str]] = set(), set()
    for section in sections:
        if section[1] != 2:  # not a table of symbols
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, where = struct.unpack_from("<IBBH", code, at)
            if name:
                text = code[names + name : code.index(b"\0", names + name)].decode()
                found[where == 0].add(text)
    return found


# -- Running. -------------------------------------------------------------------------------------


class _Runtime:
    """What compiled code needs around it: LLVM's linker, and Numba's libraries in C."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        self._llvm = llvm
        self._helpers, self._functions, self._memory = map(_library, _RUNTIME)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        triple = llvm.get_process_triple()
        self._target = llvm.Target.from_triple(triple)
        features = llvm.get_host_cpu_features().flatten()
        self.processor = f"{triple} {llvm.get_host_cpu_name()} {features}"
        self._known = self._numba_symbols()
        # Code must stay where it is. The first engine makes the symbols of this process known.
        self._engines: list[Any] = [self._engine()]

    def _engine(self) -> Any:
        machine = self._target.create_target_machine(jit=True)
        return self._llvm.create_mcjit_compiler(self._llvm.parse_assembly(""), machine)

    def _numba_symbols(self) -> dict[str, int]:
        """The symbols that Numba gives to LLVM, with their addresses."""
        known = {"_Py_NoneStruct": id(None)}
        for name, address in self._helpers.c_helpers.items():
            known[f"numba_{name}"] = known[name] = address  # C functions go by their own name too
        for name, address in self._functions.c_helpers.items():
            known[f"numba_{name}"] = address
        for name, address in self._memory.c_helpers.items():
            known[name if name.startswith("_") else f"NRT_{name}"] = address
        for thing in vars(builtins).values():
            if isinstance(thing, type) and issubclass(thing, BaseException):
                known[f"PyExc_{thing.__name__}"] = id(thing)
        known["numba_unpickle"] = ctypes.cast(_UNPICKLE, ctypes.c_void_p).value or 0
        return known

    def address(self, name: str) -> int:
        """The address of a symbol that compiled code refers to."""
        address = self._known.get(name, 0)
        if not address and (name.startswith(("Py", "_Py")) or name in _C_LIBRARY):
            address = self._llvm.address_of_symbol(name) or 0
        if not address:
            raise NotLoadedError(f"nothing is known of {name}")
        return address

    def function(
        self, function: Callable[..., Any], head: dict[str, Any], code: bytes
    ) -> Callable[..., Any]:
        """Link the code of a kernel; what calls it with Python objects. Every kernel has an engine
        of its own: two may use the same name for different things."""
        calls: dict[str, ctypes.c_void_p] = {}
        for name in head["symbols"]:
            if name.startswith(ITSELF):
                calls[name] = ctypes.c_void_p(0)
            known = ctypes.addressof(calls[name]) if name in calls else self.address(name)
            self._llvm.add_symbol(name, known)
        engine = self._engine()
        engine.add_object_file(self._llvm.ObjectFileRef.from_data(code))
        entry = engine.get_function_address(head["entry"])
        if not entry:
            raise NotLoadedError(f"{head['entry']} is not in its file")
        for name, place in calls.items():
            place.value = engine.get_function_address(name.removeprefix(ITSELF))
        self._engines.append((engine, calls))
        module = sys.modules[function.__module__]
        homes = []
        for name, kinds in head["homes"].items():
            home = self._functions.Environment(vars(module))
            home.consts.extend(map(np.dtype, kinds))
            at = engine.get_global_value_address(name)
            if at:
                ctypes.c_void_p.from_address(at).value = id(home)
            homes.append(home)
        made: Callable[..., Any] = self._functions.make_function(
            module, function.__name__, function.__doc__ or "", entry, homes[0], (homes,)
        )
        return made


@functools.cache
def _runtime() -> _Runtime:
    try:
        return _Runtime()
    except PerfectPlayError:
        raise
    except Exception as error:  # another version of a library: the compiler does without
        raise NotLoadedError(f"{type(error).__name__}: {error}") from None


def _library(name: str) -> Any:
    """A library of Numba written in C, under its own name; Numba itself is not imported, and finds
    it there if it is imported later."""
    full = f"numba.{name}"
    if full in sys.modules:
        return sys.modules[full]
    stem = _package("numba").joinpath(*name.split("."))
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        file = Path(f"{stem}{suffix}")
        spec = importlib.util.spec_from_file_location(full, file) if file.exists() else None
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[full] = module
            return module
    raise NotLoadedError(f"there is no library {full}")


def _unpickled(place: int, length: int, stamp: int) -> Any:
    """Objects that a kernel carries in itself: the class of its arrays, or an exception. Numba's
    own function would import all of Numba."""
    return pickle.loads(ctypes.string_at(place, length))


_UNPICKLE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
    _unpickled
)
