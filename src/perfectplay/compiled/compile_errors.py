"""Compile errors: what is wrong with rules that cannot be compiled, and in which of their lines.

`refuse_uncompilable` looks at the bytecode first and names what compiled rules cannot use;
`compile_error` reads what Numba says of the rest.
"""

import builtins
import dis
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FunctionType, ModuleType
from typing import Any

from perfectplay.errors import RulesError
from perfectplay.rules.game import DEFAULTS, Game

EDGES = frozenset(
    {"text", "parse", "picture", "places", "chart", "move_text", "player_name", "start", "starts"}
)
"""Methods that are never compiled."""

COMPILED = (
    "to_move", "moves", "play", "chances", "payoff", "reward", "stratum", "representative",
    "turn", "anchor", "pattern", "carried", "hint", "bounds", "starts_of", "unlabel", "relabel",
    "called",
)  # fmt: skip
"""Methods that are compiled, with whatever they call."""

HINT = (
    "native rules may use integers, booleans, tuples, lists of integers, NumPy arrays of module "
    "level, loops, yield and calls of such functions; or solve with --plain (native = False), "
    "which takes any Python but is much slower"
)

_CODES = {
    "BUILD_MAP": "a dict",
    "BUILD_CONST_KEY_MAP": "a dict",
    "MAP_ADD": "a dict",
    "BUILD_SET": "a set",
    "SET_ADD": "a set",
    "GET_YIELD_FROM_ITER": "`yield from` (write a loop with yield)",
    "IMPORT_NAME": "an import",
}
_NAMES = {
    "dict": "a dict",
    "set": "a set",
    "frozenset": "a set",
    "print": "print",
    "open": "a file",
}


KNOWN_MODULES = frozenset({"builtins", "cmath", "math", "numba", "numpy", "operator", "random"})
"""Modules whose functions Numba implements itself."""


def own_module(value: Any) -> bool:
    """Whether a value is a module whose functions are compiled like those of the rules."""
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] not in KNOWN_MODULES


def refuse_uncompilable(game: Game) -> None:
    """RulesError if the rules use what compiled code cannot, or may not, use."""
    for method, function in _rules(type(game)):
        for line, what in _uses(function):
            raise RulesError(
                f"{type(game).__name__}: the rules do not compile in {method}(), line {line}"
                f"{_quoted(function, line)}: compiled rules cannot use {what}",
                HINT,
            )


def _rules(cls: type[Game]) -> Iterator[tuple[str, FunctionType]]:
    """The methods that are compiled, and the methods and functions that they call."""
    queue = [(name, inspect.getattr_static(cls, name, None)) for name in COMPILED]
    seen: set[FunctionType] = set()
    while queue:
        called, function = queue.pop(0)
        if not isinstance(function, FunctionType) or function in seen:
            continue
        seen.add(function)
        if function.__module__ in DEFAULTS:
            continue
        yield called, function
        names = sorted({name for code in _nested(function.__code__) for name in code.co_names})
        modules = [each for name in names if own_module(each := function.__globals__.get(name))]
        for name in names:
            queue.append((name, inspect.getattr_static(cls, name, None)))
            queue.append((name, function.__globals__.get(name)))
            queue += [(name, vars(module).get(name)) for module in modules]


def _uses(function: FunctionType) -> Iterator[tuple[int, str]]:
    """Lines of a function with something that cannot be compiled."""
    unfit = _parameter(function)
    if unfit:
        yield function.__code__.co_firstlineno, unfit
    for code in _nested(function.__code__):
        if code.co_name == "<genexpr>":
            yield code.co_firstlineno, "a generator expression (write a loop, or name the entries)"
        line = code.co_firstlineno
        for step in dis.get_instructions(code):
            line = (step.positions and step.positions.lineno) or line
            what = _CODES.get(step.opname)
            if step.opname == "LOAD_GLOBAL":
                name = str(step.argval)
                what = _NAMES.get(name)
                if name not in function.__globals__ and not hasattr(builtins, name):
                    what = f"the name {name!r}, which is not defined"
            if what:
                yield line, what


def _parameter(function: FunctionType) -> str:
    """A parameter that compiled functions cannot have, if there is one."""
    code, signature = function.__code__, inspect.signature(function)
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return "**arguments (name them)"
    bare = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    if bare and code.co_flags & inspect.CO_VARARGS:
        return f"the parameter {bare[0]!r} after *arguments (write it before them)"
    kept = function.__kwdefaults__ or {}
    given = [bool(function.__defaults__), *(name in kept for name in bare)]
    if any(a and not b for a, b in pairwise(given)):
        return f"keyword-only parameters without a default after one with a default ({bare[0]})"
    return ""


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _quoted(function: FunctionType, line: int) -> str:
    """The line of source in brackets, where it can be had."""
    try:
        source, start = inspect.getsourcelines(function)
        return f" ({source[line - start].strip()})"
    except (OSError, IndexError):
        return ""


def compile_error(game: Game, error: Exception) -> RulesError:
    """What is wrong with rules that Numba refuses."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    where = _last_user_line(text, game)
    return RulesError(
        f"{type(game).__name__}: the rules do not compile{where}: {_reason(text)}", HINT
    )


def _last_user_line(text: str, game: Game) -> str:
    file = inspect.getsourcefile(type(game)) or "?"
    places = re.findall(r'File "([^"]+)", line (\d+)', text)
    places += re.findall(r"Raised from (\S+) \((\d+)\)", text)
    lines = [int(line) for path, line in places if _same(path, file)]
    if not lines:
        return ""
    line = lines[-1]
    for method, function in inspect.getmembers(type(game), inspect.isfunction):
        if inspect.getsourcefile(function) != file:  # inherited from another file
            continue
        try:
            source, start = inspect.getsourcelines(function)
        except OSError:
            continue
        if start <= line < start + len(source):
            return f" in {method}(), line {line} ({source[line - start].strip()})"
    return f", line {line}"


def _same(path: str, file: str) -> bool:
    """Whether a path as Numba writes it, which may begin with dots, is that of `file`."""
    return file.endswith(re.sub(r"^(\.\./)+", "/", path)) or path.endswith(file)


_PATTERNS = (
    r"Unknown attribute '[^']+' of type [^\n@(]+",
    r"Untyped global name '[^']+'[^\n]*",
    r"Use of unsupported[^\n]+",
    r"Cannot unify [^\n]+",
    r"Invalid use of [^\n]+",
    r"The use of [^\n]+",
    r"[A-Za-z]\w*Error: (?!Failed in)[^\n]+",
)


def _reason(text: str) -> str:
    """The most telling sentence of a Numba error."""
    calls = re.findall(r">>> ([^\n]+)", text)
    calls = [call for call in calls if "@" not in call.split("(", 2)[1][:80]]
    if calls and calls[-1].startswith(("put_numbers(", "save_key(")):
        kind = calls[-1].rsplit(", ", 1)[1].rstrip(")") if "uple" not in calls[-1] else calls[-1]
        what = "payoff or reward" if calls[-1].startswith("put_numbers(") else "a position"
        return f"{what} is of type {kind}, not an integer or a flat tuple of integers"
    for pattern in _PATTERNS:
        found: Any = re.search(pattern, text)
        if found:
            return str(found.group(0)).strip()
    if calls:
        return f"compiled code has no way to do {calls[-1]}"
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].strip() if lines else "unknown reason"
