"""Kernels: loaded without the compiler they do what they did when it made them, and they are never
loaded where they should not be."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import perfectplay
from perfectplay.compiled import kernels as compile_module
from perfectplay.compiled import source_text
from perfectplay.compiled.arrays import distinct
from perfectplay.compiled.kernels import Kernel, kernel
from perfectplay.compiled.rule_fields import global_names

KERNELS = """
import sys
import numpy as np
from perfectplay.compiled.kernels import kernel

@kernel
def times(x, y):
    return x * y  # edited below

@kernel
def table(rows, row):
    out = np.empty((len(rows), 2))
    for i in range(len(rows)):
        out[i, 0] = times(rows[i], 2)
        out[i, 1] = row[1]
    return out, len(rows)

@kernel
def wrong(rows):
    if len(rows) > 2:
        raise ValueError("too many rows")

found, count = table(np.arange(3), (1, 5))
print(found.tolist(), found.dtype, type(found).__name__, count)
try:
    wrong(np.arange(3))
except ValueError as error:
    print(error)
print(table(np.arange(6)[::2], (1, 5))[0].tolist())
frozen = np.arange(2)
frozen.flags.writeable = False
print(table(frozen, (2**63, 7))[0].tolist())
print("numba" in sys.modules)
"""
ANSWER = [
    "[[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]] float64 ndarray 3",
    "too many rows",
    "[[0.0, 5.0], [4.0, 5.0], [8.0, 5.0]]",
    "[[0.0, 7.0], [2.0, 7.0]]",
]


def test_kernels_are_loaded_only_as_they_were_compiled(tmp_path: Path) -> None:
    """Without the compiler, unless a source, a file or the compiler's settings have changed."""

    def run(source: str = KERNELS, **settings: str) -> list[str]:
        (tmp_path / "own.py").write_text(source)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        where = {"PERFECTPLAY_CACHE": str(tmp_path / "cache"), **settings}
        command = [sys.executable, "-B", "-c", "import own"]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=clean | where, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert run() == [*ANSWER, "True"]  # compiled
    assert run() == [*ANSWER, "False"]  # loaded
    assert run(NUMBA_BOUNDSCHECK="1") == [*ANSWER, "True"]  # other settings, other code
    for file in (tmp_path / "cache").rglob("*.kernel"):
        whole = bytearray(file.read_bytes())
        whole[len(whole) // 2] ^= 1
        file.write_bytes(whole)
    assert run() == [*ANSWER, "True"]  # damaged files are written anew
    assert run() == [*ANSWER, "False"]
    edited = run(KERNELS.replace("return x * y", "return x * y + 1"))
    assert edited[0] == "[[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]] float64 ndarray 3"


def test_small_games_of_every_kind_are_solved_and_verified_without_the_compiler() -> None:
    warm = "from perfectplay.cli.warm import warm; warm(0); warm(1)"
    script = f"import sys; {warm}; print('numba' in sys.modules)"
    command = [sys.executable, "-c", script]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    for _ in range(2):  # the first time something may have to be compiled
        done = subprocess.run(command, capture_output=True, text=True, env=clean, check=True)
    assert done.stdout.strip() == "False"


def test_kernels_take_nothing_but_arrays_and_numbers() -> None:
    @kernel
    def first(numbers: Any) -> Any:
        return numbers[0]

    for wrong in ([1, 2], {1: 2}, "text", first):
        with pytest.raises(TypeError, match="arrays, numbers and tuples"):
            first(wrong)


@pytest.mark.parametrize("seed", range(20))
def test_components_without_scipy_are_the_same(seed: int) -> None:
    from perfectplay.verification.progress_proof import _few_components, _many_components

    chance = np.random.default_rng(seed)
    n = int(chance.integers(1, 30))
    tail, head = chance.integers(0, n, (2, int(chance.integers(0, 60))))
    few, many = _few_components(n, tail, head), _many_components(n, tail, head)
    assert ((few[:, None] == few) == (many[:, None] == many)).all()


@pytest.mark.parametrize("seed", range(10))
def test_distinct_is_unique(seed: int) -> None:
    chance = np.random.default_rng(seed)
    numbers = chance.integers(-5, 5, int(chance.integers(0, 20))).astype(np.int8)
    assert distinct(numbers).tolist() == np.unique(numbers).tolist()
    assert distinct(numbers).dtype == numbers.dtype


# -- Bodies of functions. -------------------------------------------------------------------------

FUNCTIONS = """
def plain(p):
    'Words.'
    return p + 1, 1.0, {2, 3}

def nested(p):
    return [lambda q: q * p for _ in range(3)]
"""


def functions(path: Path, source: str) -> dict[str, Callable[..., Any]]:
    path.write_text(source)
    scope: dict[str, Any] = {}
    exec(compile(source, str(path), "exec", dont_inherit=True), scope)
    return {name: each for name, each in scope.items() if isinstance(each, FunctionType)}


def test_a_body_is_the_same_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "functions.py"
    found = functions(path, FUNCTIONS)

    def texts() -> list[str]:
        source_text._index.cache_clear()
        return [source_text.body(each) for each in found.values()]  # type: ignore[arg-type]

    fresh = texts()
    kept = list((tmp_path / "cache").rglob("sources/*"))
    assert len(kept) == 1
    assert texts() == fresh
    assert not any(text.startswith("bytecode") for text in fresh)
    kept[0].write_bytes(b"damaged")
    assert texts() == fresh
    edited = functions(path, FUNCTIONS.replace("p + 1", "p + 2"))
    assert source_text.body(edited["plain"]) != fresh[0]  # type: ignore[arg-type]
    assert source_text.body(edited["nested"]) == fresh[1]  # type: ignore[arg-type]
    stale = texts()  # the file is no longer that of the running code
    assert stale[0].startswith("bytecode")
    assert stale[1] == fresh[1]


def test_kernels_are_compiled_again_when_what_they_call_was_edited() -> None:
    """Folders are named after all modules that a kernel's functions come from, and not after
    modules that have nothing to do with it."""
    kernels = 0
    for found in pkgutil.walk_packages(perfectplay.__path__, "perfectplay."):
        if ".games." in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for thing in vars(module).values():
            if not isinstance(thing, Kernel) or thing.py_func.__module__ != found.name:
                continue
            kernels += 1
            known = compile_module._imports(found.name, *compile_module._COMPILER)
            assert "perfectplay.verification.quantities" not in known
            for name in global_names(thing.py_func.__code__):
                home = getattr(vars(module).get(name), "__module__", None)
                if isinstance(home, str) and home.startswith("perfectplay."):
                    assert home in known, (found.name, thing.__name__, name)
    assert kernels > 100
