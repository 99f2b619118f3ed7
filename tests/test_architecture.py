"""The arrows of the imports, one door per heavy library, and the size of files and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import perfectplay
from perfectplay.rules.game import Game

SRC = Path(perfectplay.__file__).parent
FILES = sorted(SRC.rglob("*.py"))

ROOMS = (
    "errors", "progress", "drawing", "schemas", "rules", "compiled", "positions", "strata",
    "solvers", "table", "solving", "answer", "searching", "sums", "verification",
    "games", "testing", "web", "interop", "cli",
)  # fmt: skip
"""Entries of the package root: a room may import only from rooms before it."""

EXEMPT = {
    ("perfectplay.rules.load", "perfectplay.interop.spiel"),  # rules that run elsewhere
    ("perfectplay.rules.load", "perfectplay.games"),  # the list of names, which imports no game
    # A method of what is solved opens the widget; nothing of answer/ is built on it.
    ("perfectplay.answer.solution", "perfectplay.web.notebook.explore"),
}

DOORS = {
    "numba": {"compiled", "searching/intrinsics.py", "searching/alphabeta/intrinsics.py"},
    "llvmlite": {"compiled", "searching/intrinsics.py"},
    "pyarrow": {"table", "interop/exporting"},
    "psutil": {"compiled/machine.py"},
    "filelock": {"strata/sealed_files.py"},
    "platformdirs": {"compiled/cache.py"},
    "resource": {"compiled/machine.py"},
    "fcntl": set(),
    "dask": {"solving/shards/dask_crew.py"},
    "distributed": {"solving/shards/dask_crew.py"},
    "duckdb": {"interop/exporting"},
    "pyspiel": {"interop"},
    "pettingzoo": {"interop"},
    "gymnasium": {"interop"},
    "umbi": {"interop"},
    "chess": {"interop", "games/chess/syzygy.py"},
    "fastapi": {"web"},
    "starlette": {"web"},
    "pydantic": {"web"},
    "typing_extensions": {"schemas"},
    "uvicorn": {"web"},
    "jinja2": {"web"},
    "markupsafe": {"web"},
    "anywidget": {"web/notebook"},
    "traitlets": {"web/notebook"},
    "typer": {"cli"},
    "rich": {"cli"},
    "flint": {"solvers"},
    "matplotlib": {"drawing/raster.py"},
    "scipy": {"solvers", "strata/components.py", "verification/progress_proof.py"},
}
"""Heavy libraries, and the only folders or files, by their paths, that may import them."""

LONGEST_FILE = 400
LONGEST_FUNCTION = 80
MOST_PARAMETERS = 10


MOST_FILES = 20


def module(file: Path) -> str:
    """The full name of the module in a file of the package."""
    parts = file.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(file): file for file in FILES}


def room(name: str) -> str:
    """The entry of the package root that a module belongs to."""
    return name.split(".")[1]


@cache
def imports(file: Path) -> list[tuple[str, int]]:
    return list(_imports(file))


def _imports(file: Path) -> Iterator[tuple[str, int]]:
    """All modules that a file imports when it runs, wherever the import stands, with its line."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}, line {node.lineno}: imports name the whole path"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else str(node.module), node.lineno


def imported(name: str) -> Iterator[tuple[str, int]]:
    """The modules of the package that a module imports, and where."""
    for other, line in imports(MODULES[name]):
        if other.partition(".")[0] == "perfectplay" and other != "perfectplay":
            yield other, line


def test_every_module_is_in_a_room() -> None:
    assert {room(name) for name in MODULES if name != "perfectplay"} == set(ROOMS)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_backwards(name: str) -> None:
    if name == "perfectplay":
        return
    for other, line in imported(name):
        if (name, other) not in EXEMPT:
            assert ROOMS.index(room(other)) <= ROOMS.index(room(name)), f"{line}: {other}"


LATE = {
    "perfectplay.compiled.kernels": {"perfectplay.compiled.dispatchers"},  # only to compile
    "perfectplay.answer.solution": {
        "perfectplay.answer.tie_spread",  # solves the game again
        "perfectplay.web.notebook.explore",
    },
    "perfectplay.table.reader": {"perfectplay.table.numbered"},
    "perfectplay.games.chess.structures": {"perfectplay.games.chess.assumed_promotions"},
    "perfectplay.games.chess.pawn_endings": {"perfectplay.games.chess.pawn_walks"},
    "perfectplay.sums.canonical_form": {"perfectplay.sums.notation"},
    "perfectplay.sums.measured": {
        f"perfectplay.sums.{name}" for name in ("measures", "notation", "products", "thermograph")
    },
}
"""Methods that ask a module which is built on their own class."""


def test_imports_make_no_circles() -> None:
    """Inside a room, too, an import leads to what does not lead back, wherever it stands."""
    left = {
        name: {other for other, _ in imported(name)} - {name} - LATE.get(name, set())
        for name in MODULES
    }
    while left:
        free = {name for name, others in left.items() if not others & left.keys()}
        assert free, f"these import each other: {circle(left)}"
        left = {name: others for name, others in left.items() if name not in free}


def circle(left: dict[str, set[str]]) -> list[str]:
    """Modules that import each other, among those left."""
    path = [min(left)]
    while path[-1] not in path[:-1]:
        path.append(min(left[path[-1]] & left.keys()))
    return path[path.index(path[-1]) :]


def test_folders_are_small() -> None:
    for folder in {file.parent for file in FILES} - {SRC}:
        assert len(list(folder.glob("*.py"))) <= MOST_FILES, folder


LIGHT = {f"perfectplay.{name}" for name in ("errors", "rules.game", "rules.value")}


def test_importing_the_package_is_light() -> None:
    for name, line in imports(SRC / "__init__.py"):
        if name.startswith("perfectplay."):
            assert name in LIGHT, line


@pytest.mark.parametrize("library", DOORS)
def test_one_door_per_library(library: str) -> None:
    for file in FILES:
        path = file.relative_to(SRC).as_posix()
        for name, line in imports(file):
            if name.partition(".")[0] == library:
                open_ = any(path == door or path.startswith(door + "/") for door in DOORS[library])
                assert open_, f"{path}, line {line}: {name}"


def test_reading_order_names_the_rooms_in_order() -> None:
    lines = [line for line in (perfectplay.__doc__ or "").splitlines() if "/  " in line]
    named = [line.split("/")[0].strip() for line in lines]
    assert set(named) | {"errors", "progress", "testing"} == set(ROOMS)
    for beside in ("drawing", "schemas"):
        named.remove(beside)
    assert named == [name for name in ROOMS if name in named]


def test_public_names_are_sorted_and_exist() -> None:
    names = perfectplay.__all__
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))
    for name in names:
        found = getattr(perfectplay, name)
        assert not isinstance(found, type(ast)), f"{name} is a module"
    assert dir(perfectplay) == sorted([*names, "__version__"])


def test_no_room_has_the_name_of_a_public_function() -> None:
    assert not set(ROOMS) & set(perfectplay.__all__)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SRC)))
def test_files_and_functions_are_short(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name}, line {node.lineno}: {length} lines"
            given = node.args
            many = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
            assert many <= MOST_PARAMETERS, f"{node.name}, line {node.lineno}: {many} parameters"


def test_a_game_has_few_methods_and_facts() -> None:
    names = {name: each for name, each in vars(Game).items() if not name.startswith("_")}
    methods = [name for name, each in names.items() if callable(each)]
    assert len(methods) <= 20
    assert len(names) - len(methods) <= 6


def test_class_names_are_unique() -> None:
    """One word for one idea; private classes may have a namesake elsewhere."""
    homes: dict[str, str] = {}
    for name, file in MODULES.items():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                assert node.name not in homes, f"{node.name} in {name} and {homes[node.name]}"
                homes[node.name] = name
