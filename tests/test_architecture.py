"""The arrows of the imports, one door per heavy library, and the size of files and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import perfectplay

SRC = Path(perfectplay.__file__).parent
FILES = sorted(SRC.rglob("*.py"))

ORDER = """
    errors value boards chart game
    cache bodies prefetch loader nested compiling compile partizan games
    digest parameters load sides
    refusal members expand_kernel native graph batch expand expand_native
    index keyset deal turns turns_reduce turns_native turns_check layer explore layers seats facts
    strata store solvers nash gauge methods
    manifest parts lookup source table keys pages progress project units memory shelf
    analysis worth pictures plot inside placements answer
    audit proof stalling prover verify_turns verify_whole verify
    structures guesses structures_check structures_search names finding ways
    shapes_kernel shapes shapes_ways windows windowed
    solve tied grundy sweep followed evaluation evaluate plan_turns plan plan_structures
    plan_shapes search check_position check bench warm reproduce play
""".split()  # noqa: SIM905
"""A module may import only what stands before it. Folders count as one module."""

EXEMPT = {
    ("expand", "expand_native"),  # the chooser loads the compiled way only if it is wanted
    ("expand", "turns"),
    ("expand", "turns_native"),
    ("turns", "turns_native"),
    ("turns", "turns_reduce"),
    ("structures", "guesses"),  # only where values rest on guesses
    ("verify", "structures_check"),  # only of games that have structures
    ("answer", "tied"),  # solves the game again, by another rule for ties
    ("compile", "members"),  # only where an argument is a game
}

DOORS = {
    "numba": {"compiling.py", "native.py", "nested.py", "words.py"},
    "llvmlite": {"compiling.py", "loader.py", "words.py"},
    "pyarrow": {"parts.py", "lookup.py"},
    "typer": {"play"},
    "rich": {"play"},
    "flint": {"solvers"},
    "matplotlib": {"raster.py"},
    "scipy": {"solvers", "strata.py", "stalling.py"},
}
"""Heavy libraries, and the only files or folders that may import them."""

LONGEST_FILE = 400
LONGEST_FUNCTION = 80


def place(file: Path) -> str:
    """The name in ORDER of a file of the package."""
    return file.relative_to(SRC).parts[0].removesuffix(".py")


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
            if node.module == "perfectplay":
                yield from ((f"perfectplay.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield str(node.module), node.lineno


def test_every_module_has_a_place() -> None:
    here = {place(file) for file in FILES} - {"__init__"}
    assert here == set(ORDER), "give new modules a place in ORDER, and take away old ones"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SRC)))
def test_imports_point_backwards(file: Path) -> None:
    here = place(file)
    if here == "__init__":
        return
    for name, line in imports(file):
        package, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if package != "perfectplay" or other == here or (here, other) in EXEMPT:
            continue
        assert ORDER.index(other) < ORDER.index(here), f"{file.name}, line {line}: {name}"


def test_importing_the_package_is_light() -> None:
    for name, line in imports(SRC / "__init__.py"):
        if name.startswith("perfectplay."):
            assert name.split(".")[1] in ("errors", "game", "value"), line


@pytest.mark.parametrize("library", DOORS)
def test_one_door_per_library(library: str) -> None:
    for file in FILES:
        where = {file.relative_to(SRC).parts[0], file.name}
        for name, line in imports(file):
            if name.partition(".")[0] == library:
                assert where & DOORS[library], f"{file.relative_to(SRC)}, line {line}: {name}"


def test_reading_order_names_modules_in_order() -> None:
    """The order in the docstring of the package is that of the imports."""
    text = perfectplay.__doc__ or ""
    lines = [line.split() for line in text.splitlines() if line.startswith("    ")]
    names = [words[0].rstrip(",").removesuffix(".py").rstrip("/") for words in lines if words]
    read = [name for name in names if name in ORDER]
    assert len(read) > 10
    for name in ("game", "load", "expand", "explore", "solvers", "table", "answer", "solve"):
        assert name in read, f"{name} is missing in the reading order"
    flow = ["game", "load", "expand", "explore", "solvers", "table", "answer", "solve", "play"]
    assert [name for name in read if name in flow] == flow


def test_public_names_are_sorted_and_exist() -> None:
    names = perfectplay.__all__
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))
    for name in names:
        found = getattr(perfectplay, name)
        assert not isinstance(found, type(ast)), f"{name} is a module"
    defined = {name for name in vars(perfectplay) if name[0].isupper() or name in names}
    assert defined <= {*names, "TYPE_CHECKING", "Any"}


def test_public_functions_stay_functions() -> None:
    """A submodule of the same name must not take their place."""
    from perfectplay import check, load, plan, solve, verify
    from perfectplay.solve import solve as same

    assert perfectplay.solve is solve is same
    assert all(callable(each) for each in (check, load, plan, solve, verify))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SRC)))
def test_files_and_functions_are_short(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name}, line {node.lineno}: {length} lines"
