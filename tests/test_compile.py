"""Kernels: from the cache they do what they did when they were compiled, and they never come from
it where they should not."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shutil
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
from perfectplay.compiled.arrays import distinct
from perfectplay.compiled.cache import cache_folder
from perfectplay.compiled.kernels import Kernel
from perfectplay.compiled.reach import source_text
from perfectplay.compiled.rule_fields import global_names

KERNELS = """
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
print(sum(table.dispatcher.stats.cache_hits.values()))
"""
ANSWER = ["[[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]] float64 ndarray 3", "too many rows"]


def run(folder: Path, source: str, *prefix: str, **settings: str) -> list[str]:
    """What a program prints in a process of its own, with a cache of its own."""
    own = folder / "own.py"
    if not own.exists() or own.read_text() != source:  # older versions of Numba look at its time
        own.write_text(source)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    where = {"PERFECTPLAY_CACHE": str(folder / "cache"), **settings}
    command = [*prefix, sys.executable, "-B", "-c", "import own"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=clean | where, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def with_compiled_engine(folder: Path) -> Path:
    """A folder whose cache has the engine's own kernels, as far as they have been compiled here:
    what is not the point is not compiled again. Rules are."""
    ours = cache_folder()
    for source in ours.glob("perfectplay.*") if ours.is_dir() else ():
        if not re.search(r"\.games\.|\.(expand|turn)_kernel-", source.name):
            shutil.copytree(source, folder / "cache" / source.name)
    (folder / "cache").mkdir(mode=0o700, exist_ok=True)
    return folder


def test_kernels_come_from_the_cache_until_they_are_edited(tmp_path: Path) -> None:
    assert run(tmp_path, KERNELS) == [*ANSWER, "0"]
    assert run(tmp_path, KERNELS) == [*ANSWER, "1"]
    edited = run(tmp_path, KERNELS.replace("return x * y", "return x * y + 1"))
    assert edited[0] == "[[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]] float64 ndarray 3"
    assert edited[-1] == "0"


def test_kernels_do_without_a_cache_that_is_damaged_or_cannot_be_written(tmp_path: Path) -> None:
    run(tmp_path, KERNELS)
    for file in (tmp_path / "cache").rglob("*.nbi"):
        file.write_bytes(file.read_bytes()[:-20])
    assert run(tmp_path, KERNELS) == [*ANSWER, "0"]  # removed
    assert run(tmp_path, KERNELS) == [*ANSWER, "0"]  # written anew
    assert run(tmp_path, KERNELS) == [*ANSWER, "1"]
    file = tmp_path / "file"
    file.write_text("no folder")
    assert run(tmp_path, KERNELS, PERFECTPLAY_CACHE=str(file / "cache")) == [*ANSWER, "0"]


SRC = Path(perfectplay.__file__).parent
HELPERS = """
import numpy as np
LARGE = np.arange(1 << 19) * 3       # 4 MB: compiled code must not hold its address
PAIR = (LARGE + 1, LARGE)
STEP = 2

def helped(p, table=LARGE):
    return int(PAIR[1][p]) // 3 - p + STEP + int(table[p]) - int(LARGE[p])
"""
RULES = """
from dataclasses import dataclass
import numpy as np
from perfectplay import Game, solve, verify
from helpers import helped

OWN = np.arange(1 << 19) % 7
SMALL = np.array([1, 1, 2])

def made(steps):
    def further(p, take):
        return p - take * steps[p]
    return further

further = made(np.ones(1 << 19, np.int64))

class Base(Game):
    native = True
    WORTH = np.arange(1 << 19) * 0 + 1
    def moves(self, p):
        for take in range(1, helped(p) + 1):        # a helper in another module: 1 or 2
            if take <= p:
                yield take

@dataclass(frozen=True)
class Hop(Base):
    heap: int = 40
    def start(self):
        return self.heap
    def play(self, p, take):
        return further(p, take)                     # a closure over an array
    def payoff(self, p):
        return -SMALL[0] if OWN[p] == p % 7 else self.WORTH[p]  # arrays of 24 bytes and of 4 MB

found = solve(Hop())
print([int(found.value(p).outcome) for p in range(7)])
print(verify(found.table, game=Hop()).ok)
"""


@pytest.mark.parametrize(
    "prefix",
    [
        pytest.param((), id="randomised"),
        pytest.param(("setarch", "-R"), id="fixed", marks=pytest.mark.slow),
    ],
)
def test_rules_answer_alike_in_the_first_process_and_in_every_later_one(
    tmp_path: Path, prefix: tuple[str, ...]
) -> None:
    """Also rules that read large arrays (of modules, classes, closures, tuples and as defaults),
    constants, base classes and helpers in other modules; with and without randomised addresses."""
    if prefix and shutil.which(prefix[0]) is None:
        pytest.skip("setarch is not installed")
    with_compiled_engine(tmp_path)
    (tmp_path / "helpers.py").write_text(HELPERS)
    expected = ["[-1, 1, 1, -1, 1, 1, -1]", "True"]
    for _ in range(3):
        assert run(tmp_path, RULES, *prefix, PYTHONWARNINGS="error") == expected
    (tmp_path / "helpers.py").write_text(HELPERS.replace("STEP = 2", "STEP = 1"))
    for _ in range(2):
        assert run(tmp_path, RULES, *prefix) == ["[-1, 1, -1, 1, -1, 1, -1]", "True"]


PACKED = """
from dataclasses import dataclass
from perfectplay import Game, solve
from HOME import HEAP, get

@dataclass(frozen=True)
class Packed(Game):
    native = True
    def start(self):
        return 9
    def moves(self, p):
        for take in range(1, min(get(p, HEAP), 2) + 1):
            yield take
    def play(self, p, take):
        return p - take

print(solve(Packed()))
"""


def test_rules_go_on_when_a_class_that_they_use_has_moved(tmp_path: Path) -> None:
    """Compiled code names the classes of tuples by module, which may not exist any more."""
    with_compiled_engine(tmp_path)
    for home in ("before", "after"):
        (tmp_path / "before.py").unlink(missing_ok=True)
        source = (SRC / "rules" / "packing.py").read_text(encoding="utf-8")
        (tmp_path / f"{home}.py").write_text(source + "\n\nHEAP, REST = fields(8, 8)\n")
        expected = ["<Packed solved: 10 positions, loss in 6 plies>"]
        assert run(tmp_path, PACKED.replace("HOME", home)) == expected


STRANGER = """
import sys
import numba
import numba.core.caching, numba.core.codegen, numba.np.linalg
if sys.platform and WITH:
    from perfectplay import load, solve
    solve(load("nim", {"heaps": [1, 2]}))

@numba.njit(cache=True)
def theirs(n):
    return n + 1

print(theirs(1), theirs.stats.cache_path, numba.config.CACHE_DIR or "none")
print(sum(theirs.stats.cache_hits.values()))
for thing in (
    numba.core.codegen.JITCodeLibrary.finalize, numba.core.codegen.JITCPUCodegen.set_env,
    numba.core.caching.Cache.load_overload, numba.np.linalg.ensure_blas,
):
    print(thing.__module__)
"""


def test_code_of_others_compiles_and_caches_as_without_us(tmp_path: Path) -> None:
    with_us, without = STRANGER.replace("WITH", "True"), STRANGER.replace("WITH", "False")
    for folder in ("with", "without"):
        (tmp_path / folder).mkdir()
    for hits in "01":
        found = run(tmp_path / "with", with_us)
        usual = run(tmp_path / "without", without)
        assert found[0].split()[1] == str(tmp_path / "with" / "__pycache__")
        assert found[0].replace("/with/", "/without/") == usual[0]
        assert found[1:] == usual[1:]
        assert found[1] == hits


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
            known = compile_module._imports(found.name)
            assert "perfectplay.verification.published.quantities" not in known
            for name in global_names(thing.py_func.__code__):
                home = getattr(vars(module).get(name), "__module__", None)
                if isinstance(home, str) and home.startswith("perfectplay."):
                    assert home in known, (found.name, thing.__name__, name)
    assert kernels > 100


def test_code_that_calls_rules_is_not_kept_when_their_type_was_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_rules, without = Kernel(distinct, rules="0123"), Kernel(distinct)
    before = with_rules.folder, without.folder
    source = compile_module.source_of

    def edited(name: str) -> bytes | None:
        return b"# edited" if name == "perfectplay.compiled.rule_types" else source(name)

    monkeypatch.setattr(compile_module, "source_of", edited)
    compile_module.module_digest.cache_clear()
    try:
        assert with_rules.folder != before[0]
        assert without.folder == before[1]
    finally:
        compile_module.module_digest.cache_clear()
