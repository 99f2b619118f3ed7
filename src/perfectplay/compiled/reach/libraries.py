"""Libraries: which modules belong to the rules, and stamps of packages that were installed.

Modules of the standard library count by name: a table does not go stale with a version of Python.
So do NumPy, Numba and SciPy, whose versions do not change values. Any other installed package
counts by what is in its files; what it imports in turn is not followed."""

import functools
import hashlib
import importlib.util
import os
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any

OURS, STANDARD, INSTALLED = "ours", "standard", "installed"

_STANDARD = tuple(sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib"))
_INSTALLED = tuple(sysconfig.get_paths()[name] + os.sep for name in ("purelib", "platlib"))
_FOLDERS = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
BY_NAME = frozenset({"numpy", "numba", "scipy", "llvmlite"})
MOST_BYTES = 20_000_000
"""Of a larger package only the module counts that is used, and how large the others are."""


def kind_of(module: str, file: str | None = None) -> str:
    """OURS for modules that belong to some rules, else STANDARD or INSTALLED. `file` is where the
    module comes from, if that is known."""
    top = module.partition(".")[0]
    if top in ("perfectplay", "__main__"):
        return OURS
    if file is None:
        file = file_of(module) or file_of(top)
    if file is None:
        return STANDARD if top in sys.stdlib_module_names or _built_in(top) else OURS
    return _kind_of_file(file)


def _built_in(top: str) -> bool:
    """Whether a module is part of the interpreter, or of a library that made it without a file."""
    return top in sys.builtin_module_names or top.startswith("namedtuple_")


@functools.cache
def _kind_of_file(file: str) -> str:
    if file.startswith("<frozen"):
        return STANDARD
    if file.startswith(_INSTALLED) or any(each in file for each in _FOLDERS):
        return INSTALLED
    return STANDARD if file.startswith(_STANDARD) else OURS


def file_of(module: str) -> str | None:
    """The file of a module that is imported."""
    found = sys.modules.get(module)
    file: Any = getattr(found, "__file__", None)
    if file is None and (path := getattr(found, "__path__", None)):
        return next(iter(path), None)
    return file if isinstance(file, str) else None


def found_file(top: str) -> str | None:
    """The file of a module, which need not be imported."""
    if top in sys.modules:
        return file_of(top)
    with suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(top)
        if spec is not None and spec.has_location:
            return spec.origin
    return None


def stamp(module: str) -> str:
    """A text that changes with the files of the installed package that has this module."""
    top = module.partition(".")[0]
    if top in BY_NAME:
        return top
    home, own = found_file(top), file_of(module)
    return f"{top} {_files_stamp(home or own or '', own or '')}"


@functools.cache
def _files_stamp(home: str, own: str) -> str:
    whole = hashlib.sha256()
    package = Path(home).parent if Path(home).stem == "__init__" else Path(home)
    files = [package] if package.is_file() else sorted(package.rglob("*"))
    files = [each for each in files if each.suffix in (".py", ".so", ".pyd", ".json", ".txt")]
    sizes = {each: each.stat().st_size for each in files}
    large = sum(sizes.values()) > MOST_BYTES
    for file, size in sizes.items():
        whole.update(f"{file.relative_to(package.parent)} {size}\0".encode())
        if not large or str(file) == own:
            whole.update(file.read_bytes())
    return whole.hexdigest()
