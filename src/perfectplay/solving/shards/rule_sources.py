"""Rules for workers in other processes: by name, or copies of their sources in the run's folder.

Rules in a file are copied with what they import beside them. Rules of a script or a notebook are
copied without what a script does: definitions, imports and the constants they use, no more."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from perfectplay.errors import UsageError
from perfectplay.rules.folder_import import folder_of, from_file
from perfectplay.rules.game import Game
from perfectplay.rules.load import rules_path
from perfectplay.strata.sealed_files import disk, write_atomic

SOURCES = "rules"


def spec_for_workers(game: Game, folder: Path) -> str:
    """What `load` is given in other processes that see the folder."""
    cls = type(game)
    module = sys.modules[cls.__module__]
    if from_file(cls.__module__):
        return _copied_files(cls, module, folder)
    if cls.__module__ == "__main__":
        text = _definitions(cls, module)
        return f"{_write(folder, 'defined.py', text.encode())}:{cls.__qualname__}"
    return rules_path(game)


def _copied_files(cls: type[Game], module: ModuleType, folder: Path) -> str:
    """The file of a class, copied with what it imports beside it."""
    home = folder_of(vars(module))
    assert home is not None
    assert module.__file__ is not None
    for path, text in home.sources.items():
        _write(folder, str(path.relative_to(home.path)), text)
    main = Path(module.__file__).relative_to(home.path)
    return f"{folder / SOURCES / main}:{cls.__qualname__}"


def _write(folder: Path, name: str, text: bytes) -> Path:
    path = folder / SOURCES / name
    with disk(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text)
    return path


def _definitions(cls: type[Game], module: ModuleType) -> str:
    """What a class defined in a script or a notebook needs: statements at the top level that
    define names it uses, in their order."""
    statements = list(_statements(cls, module))
    wanted, kept = {cls.__qualname__.partition(".")[0]}, set[int]()
    grown = True
    while grown:
        grown = False
        for i, statement in reversed(list(enumerate(statements))):
            if i not in kept and _defines(statement) & wanted:
                kept.add(i)
                wanted |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
                grown = True
    return "\n\n".join(ast.unparse(statements[i]) for i in sorted(kept)) + "\n"


def _statements(cls: type[Game], module: ModuleType) -> Iterator[ast.stmt]:
    """The statements of the script, or of all cells so far."""
    try:
        cells = vars(module).get("In")
        if isinstance(cells, list) and "get_ipython" in vars(module):
            shell = vars(module)["get_ipython"]()
            texts = [shell.transform_cell(cell) for cell in cells]
        else:
            texts = [inspect.getsource(module)]
    except (OSError, TypeError):
        raise UsageError(
            f"the source of {cls.__name__} is not known, so that other processes cannot have it",
            "put the rules into a file, or solve the game with --on threads",
        ) from None
    for text in texts:
        try:
            yield from ast.parse(text).body
        except SyntaxError:
            continue  # a cell that did not run


def _defines(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning to."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in statement.names}
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return {
            n.id
            for n in ast.walk(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
    return set()
