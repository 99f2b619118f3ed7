#!/usr/bin/env python3
"""Writes the tables of docs/json.md from the types in src/perfectplay/schemas.

A table stands between `<!-- fields: NAME -->` and `<!-- end of fields -->`, and lists the fields
of the TypedDict NAME: what kind of JSON each is, and the text below it in the source. All else on
the page is written by hand. With `--check` nothing is written: the exit code is 1 if a table is
out of date, if one is missing, or if there is none of that name. Run it by
`.venv/bin/python script/json_docs.py`.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import types
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

TOP = Path(__file__).resolve().parent.parent
PAGE = TOP / "docs" / "json.md"
ROOM = TOP / "src" / "perfectplay" / "schemas"
TABLE = re.compile(r"(<!-- fields: (\w+) -->\n).*?(<!-- end of fields -->)", re.S)
WORDS = {str: "text", int: "integer", float: "number", bool: "true or false", type(None): "null"}
INFINITE = frozenset({"infinite", "-infinite"})


def declared() -> dict[str, type]:
    """All types of the room, by name, in the order of their modules."""
    found: dict[str, type] = {}
    for file in sorted(ROOM.glob("[a-z]*.py")):
        module = importlib.import_module(f"perfectplay.schemas.{file.stem}")
        own = [each for each in vars(module).values() if hasattr(each, "__required_keys__")]
        found |= {each.__name__: each for each in own if each.__module__ == module.__name__}
    return found


def texts() -> dict[str, dict[str, str]]:
    """The text below each field, by type; a type has those of its base, too."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(ROOM.glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = [found.get(ast.unparse(base), {}) for base in node.bases]
                found[node.name] = {k: v for base in bases for k, v in base.items()} | _own(node)
    return found


def bases() -> set[str]:
    """Types that only serve to declare others."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in ROOM.glob("*.py")]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    return {ast.unparse(base) for node in classes for base in node.bases}


def _own(node: ast.ClassDef) -> dict[str, str]:
    pairs = zip(node.body, node.body[1:], strict=False)
    return {
        field.target.id: " ".join(str(below.value.value).split())
        for field, below in pairs
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
    }


def kind(hint: Any) -> str:
    """What kind of JSON a type is, in words."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return f"{kind(inner[0])}; may be absent"
    if origin in (Union, types.UnionType):
        parts = [each for each in inner if set(get_args(each)) != INFINITE]
        return " or ".join(dict.fromkeys(map(kind, parts)))
    if origin is Literal:
        return "text"
    if origin is list:
        return f"list of {_many(kind(inner[0]))}"
    if origin is dict or hasattr(hint, "__required_keys__"):
        return "value" if getattr(hint, "__name__", "") == "ValueJson" else "object"
    return WORDS.get(hint, "any")


def _many(word: str) -> str:
    if word.startswith("list"):
        return word.replace("list", "lists", 1)
    return "anything" if word == "any" else f"{word}s"


def table(name: str, cls: type, words: dict[str, str]) -> str:
    """The table of a type."""
    rows = ["| field | JSON | holds |", "| --- | --- | --- |"]
    for field, hint in get_type_hints(cls, include_extras=True).items():
        if not words.get(field):
            raise SystemExit(f"{name}.{field} has no text below it")
        shown = words[field].replace("|", "\\|")
        rows.append(f"| `{field}` | {kind(hint)} | {shown} |")
    return "\n".join(rows) + "\n"


def renewed(page: str) -> str:
    """The page with all its tables as they should be."""
    hidden, words = bases(), texts()
    known = {name: cls for name, cls in declared().items() if name not in hidden}
    named = [name for _, name, _ in TABLE.findall(page)]
    for name in {*known} ^ {*named}:
        raise SystemExit(f"docs/json.md: {name} is a type without a table, or a table of no type")
    if len(set(named)) < len(named):
        raise SystemExit("docs/json.md: a type has two tables")
    return TABLE.sub(lambda m: f"{m[1]}{table(m[2], known[m[2]], words[m[2]])}{m[3]}", page)


def main() -> None:
    """Write the page anew, or say that it is out of date."""
    old = PAGE.read_text(encoding="utf-8")
    new = renewed(old)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(new, encoding="utf-8")
    elif new != old:
        raise SystemExit("docs/json.md is out of date: run script/json_docs.py")


if __name__ == "__main__":
    sys.path.insert(0, str(TOP / "src"))
    main()
