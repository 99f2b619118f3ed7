"""Bodies: a function as text, which changes when its source does, but not with comments.

Source is read as a syntax tree, since bytecode differs between versions of Python. The tree is
trusted only if it compiles to the very code that is running: a file edited after it was imported,
or a class without a file, is represented by its bytecode instead.

To parse and compile the files of a game takes a tenth of a second. So what was found in a file is
kept in the cache, under a hash of all its text: trees, and stamps of the code that they compile
to. A file that was edited has another hash."""

import ast
import dis
import functools
import hashlib
import json
import linecache
import os
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, cast

from perfectplay.compiled.cache import cache_folder, put

FORMAT = 2
_PARSING = threading.Lock()
Index = dict[str, tuple[str, list[str], list[str]]]
"""The functions of a file by first line and name: their trees as text, stamps of their code, and
the names in them."""


def body(function: FunctionType) -> str:
    """A function as text: its syntax tree, or its bytecode if no source fits the running code."""
    return described(function)[0]


def described(function: FunctionType) -> tuple[str, frozenset[str]]:
    """A function as text, and all names in it: of variables, attributes and modules, and texts
    that may be names."""
    code = function.__code__
    own = stamp(code)
    for source in _sources(function):
        found = _index(source, code.co_filename).get(_name(code))
        if found is not None and own in found[1]:
            return found[0], frozenset(found[2])
    return bytecode(code), frozenset(names_in(code))


def tree_of(function: FunctionType) -> ast.AST | None:
    """The syntax tree of a function; None if no source fits the running code, or if several
    functions begin in one line."""
    code = function.__code__
    own = stamp(code)
    for source in _sources(function):
        found = _index(source, code.co_filename).get(_name(code))
        if found is not None and own in found[1]:
            nodes = _nodes(_parsed(source))[_name(code)]
            return nodes[0] if len(nodes) == 1 else None
    return None


_LOOSE = "statements"


def statements(file: str, scope: dict[str, Any]) -> tuple[str, frozenset[str]]:
    """The statements of a module that act when it is imported, beside giving names to things, as
    text, and the names in them."""
    found = _index("".join(linecache.getlines(file, scope)), file).get(_LOOSE)
    return (found[0], frozenset(found[2])) if found is not None else ("", frozenset())


def all_statements(file: str, scope: dict[str, Any]) -> str:
    """All that a module does when it is imported, as text."""
    with suppress(SyntaxError, ValueError):
        return _trees([_parsed("".join(linecache.getlines(file, scope)))])
    return ""


def _acts(node: ast.stmt) -> bool:
    """Whether a statement of a module may change what its variables do not show."""
    if isinstance(node, ast.Assign):
        plain = (ast.Name, ast.Tuple, ast.List)
        return not all(isinstance(each, plain) for each in node.targets)
    if isinstance(node, ast.If):
        return not ast.unparse(node.test).startswith(("__name__", "TYPE_CHECKING", "typing."))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func) != "print"
    names = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign)
    return not isinstance(node, (*names, ast.Import, ast.ImportFrom, ast.Expr))


def _sources(function: FunctionType) -> Iterator[str]:
    """The text of the file of a function, as it is remembered, and as it is now."""
    file = function.__code__.co_filename
    yield "".join(linecache.getlines(file, function.__globals__))
    linecache.checkcache(file)
    yield "".join(linecache.getlines(file, function.__globals__))


@functools.lru_cache(maxsize=32)
def _index(source: str, filename: str) -> Index:
    """What is known of a file with this text, kept in the cache if it is a file."""
    if not os.path.isfile(filename):
        return _indexed(source, filename)
    file = _file(source)
    with suppress(OSError, ValueError, zlib.error):
        found: Index = json.loads(zlib.decompress(file.read_bytes()))
        return found
    made = _indexed(source, filename)
    with suppress(OSError):
        put(file, zlib.compress(json.dumps(made).encode(), 1))
    return made


def _file(source: str) -> Path:
    """Where what is known of a source is kept: it depends on the text, and on what reads it."""
    reader = f"{FORMAT} {sys.version} {sys.flags.optimize} {_own_source()}"
    whole = f"{reader}\0{source}".encode(errors="surrogatepass")
    return cache_folder() / "sources" / hashlib.sha256(whole).hexdigest()


@functools.cache
def _own_source() -> str:
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def _indexed(source: str, filename: str) -> Index:
    """The functions of a file, parsed and compiled."""
    try:
        tree = _parsed(source)
        module = compile(cast(ast.Module, tree), filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    stamps: dict[str, list[str]] = {}
    for code in _codes(module):
        stamps.setdefault(_name(code), []).append(stamp(code))
    nodes = _nodes(tree)
    found: Index = {
        name: (_trees(nodes[name]), stamps[name], sorted(_names(_insides(nodes[name]))))
        for name in stamps
        if name in nodes
    }
    loose: list[ast.AST] = [each for each in cast(ast.Module, tree).body if _acts(each)]
    found[_LOOSE] = _trees(loose), [], sorted(_names(loose))
    return found


def _nodes(tree: ast.AST) -> dict[str, list[ast.AST]]:
    """The functions in a syntax tree by first line and name."""
    nodes: dict[str, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            nodes.setdefault(f"{line} {node.name}", []).append(node)
        elif isinstance(node, ast.Lambda):
            nodes.setdefault(f"{node.lineno} <lambda>", []).append(node)
    return nodes


def _parsed(source: str, tries: int = 5) -> ast.AST:
    """The syntax tree of a file. Early versions of Python 3.11 and 3.12 lose count (SystemError)
    when two threads parse at once; then it is tried again."""
    with _PARSING:
        try:
            return ast.parse(source)
        except SystemError:
            if tries == 1:
                raise
    return _parsed(source, tries - 1)


def _name(code: CodeType) -> str:
    return f"{code.co_firstlineno} {code.co_name}"


def stamp(code: CodeType) -> str:
    """A hash of all that makes two pieces of code equal."""
    return hashlib.sha256(repr(_parts(code)).encode(errors="surrogatepass")).hexdigest()


def _parts(thing: Any) -> Any:
    """A piece of code, or a constant in it, as data whose text identifies it."""
    if isinstance(thing, CodeType):
        names = thing.co_names, thing.co_varnames, thing.co_freevars, thing.co_cellvars
        counts = thing.co_argcount, thing.co_posonlyargcount, thing.co_kwonlyargcount
        lines = thing.co_firstlineno, thing.co_linetable, thing.co_exceptiontable
        constants = [_parts(each) for each in thing.co_consts]
        return thing.co_name, thing.co_code, thing.co_flags, names, counts, lines, constants
    if isinstance(thing, tuple):
        return "tuple", [_parts(each) for each in thing]
    if isinstance(thing, frozenset):
        return "set", sorted(repr(_parts(each)) for each in thing)
    return type(thing).__name__, repr(thing)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _trees(nodes: list[ast.AST]) -> str:
    parts: list[str] = []
    for node in nodes:
        _tree(node, parts)
    return " ".join(parts)


def _tree(node: Any, parts: list[str]) -> None:
    """A syntax tree as words, the same in every version of Python, without what does not count."""
    if isinstance(node, list):
        parts.append("[")
        for each in node:
            _tree(each, parts)
        parts.append("]")
        return
    if not isinstance(node, ast.AST):
        parts.append(repr(node))
        return
    if isinstance(node, ast.AnnAssign) and not getattr(node, "of_class", False):
        if node.value is not None:  # as without the annotation
            _tree(ast.Assign([node.target], node.value), parts)
        return
    parts.append(type(node).__name__)
    for name, held in _counting(node):
        parts.append(name)
        _tree(held, parts)


def _counting(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """The fields of a syntax tree that count: no annotations, no docstrings."""
    for name in node._fields:
        if name in ("ctx", "kind", "type_comment", "returns", "type_params"):
            continue
        held = getattr(node, name, None)
        if held is None or held == []:
            continue
        if name == "annotation" and isinstance(node, ast.arg):
            continue
        if name == "body" and isinstance(held, list):
            if _is_docstring(held[0]):
                held = held[1:]
            if isinstance(node, ast.ClassDef):  # annotations in a class make fields
                for each in held:
                    each.of_class = True
        yield name, held


def _insides(nodes: list[Any]) -> list[Any]:
    """What functions do when they are called. Decorators and defaults were executed before: what
    counts is what they made."""
    found: list[Any] = []
    for node in nodes:
        body = node.body if isinstance(node.body, list) else [node.body]
        found += body[1:] if _is_docstring(body[0]) else body
        found += [each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)]
    return found


def _names(held: list[Any]) -> set[str]:
    """All names in syntax trees, where they count."""
    found: set[str] = set()
    queue = [*held]
    while queue:
        node = queue.pop()
        if isinstance(node, list):
            queue += node
        elif isinstance(node, ast.AnnAssign) and not getattr(node, "of_class", False):
            queue += [node.target, node.value]
        elif isinstance(node, ast.AST):
            for _, part in _counting(node):
                queue.append(part)
        elif isinstance(node, str):
            found.update(part for part in (node, *node.split(".")) if part.isidentifier())
    return found


def _is_docstring(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def bytecode(code: CodeType) -> str:
    """A function whose source is not at hand."""
    constants = [bytecode(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    words = [code.co_code.hex(), *constants, *code.co_names, *code.co_varnames, *code.co_freevars]
    return "bytecode " + " ".join(words)


def names_in(code: CodeType) -> Iterator[str]:
    """All names of globals and attributes in a piece of code and the code nested in it, and texts
    that may be such names."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            yield constant


def contents(cell: Any) -> Any:
    """What a closure cell holds; the cell itself while it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell


_IMPORT = dis.opmap["IMPORT_NAME"]


def imports_in(code: CodeType) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """The import statements of a piece of code: the module, how far up it is looked for, and the
    names that are taken from it."""
    if _IMPORT in code.co_code[::2]:
        before: list[Any] = [None, None]
        for each in dis.get_instructions(code):
            if each.opcode == _IMPORT:
                yield each.argval, before[-2] or 0, tuple(before[-1] or ())
            if each.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
                before = [before[-1], each.argval]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from imports_in(constant)


# -- Words that are data. -------------------------------------------------------------------------

_DOCSTRINGS = frozenset({"__doc__", "getdoc"})
_ANNOTATIONS = frozenset({"__annotations__", "get_type_hints", "get_annotations", "signature"})


def words(function: FunctionType, names: frozenset[str], cls: type) -> list[str]:
    """Docstrings and annotations, for a function that reads some, of what it names and of the
    class of a game."""
    read = ["__annotations__"] * bool(names & _ANNOTATIONS or names >= {"fields", "type"})
    read += ["__doc__"] * bool(names & _DOCSTRINGS)
    scope, found = function.__globals__, []
    if not read:
        return []
    for thing in [function, *(scope[name] for name in sorted(names & scope.keys())), *cls.__mro__]:
        for word in read:
            with suppress(Exception):
                found.append(str(getattr(thing, word, None)))
    return found
