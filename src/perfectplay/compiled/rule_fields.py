"""Members: what compiled rules carry of a game, and the name of their compiled type.

Two games are compiled alike if their types have the same name. It names the class, a digest of
all that the rules can reach, and the types of the attributes that compiled code reads: dataclass
fields and plain class attributes. Tuples are read when the code runs; strings and arrays are fixed
when it is compiled. So are numbers of games that say that they are large; those of others are
read, and all their sizes share the code. Arrays of more than a megabyte that the rules keep are
read where they lie, so that compiled code can be kept without them."""

import hashlib
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from perfectplay.compiled.compile_errors import EDGES
from perfectplay.compiled.digest import compiled_digest
from perfectplay.rules.capabilities import most_inside
from perfectplay.rules.game import Game

Kind = str | tuple[Any, int]
"""bool, int64, float64 or the name of the type of another game; the shape of a large array; or the
kind of all elements of a tuple, and how many there are."""

LARGEST = 10**6
"""Bytes of an array that compiled code contains. Numba refers to larger ones by their address,
which holds for one process."""


FIXED = 2_000_000
"""Of games with so many positions, perhaps, numbers are fixed when they are compiled, too: other
parameters must then be compiled anew, but code that knows how often it goes round is faster."""


RULES_TYPE = "_rules_type"
"""Where a game keeps its compiled type, which takes time to find."""


def type_name(rules: Game) -> str:
    """The name of the compiled type of a game: it differs if compiled code would."""
    fields, constants = members(rules)
    shape = ", ".join(f"{name}:{kind}" for name, kind in fields)
    fixed = hashlib.sha256(repr(sorted((k, _stamp(v)) for k, v in constants.items())).encode())
    return (
        f"{type(rules).__qualname__}@{compiled_digest(rules)}({shape})"
        f"{fixed.hexdigest()[:8] if constants else ''}"
    )


_FIXED = "_fixed_numbers"


def fixed(rules: Game) -> Game:
    """The same rules, for a long run: their numbers, and tuples of them, are fixed when they are
    compiled."""
    twin: Game = object.__new__(type(rules))
    for name, value in vars(rules).items():
        if name != RULES_TYPE:
            object.__setattr__(twin, name, value)
    object.__setattr__(twin, _FIXED, True)
    return twin


def members(rules: Game) -> tuple[tuple[tuple[str, Kind], ...], dict[str, Any]]:
    """The attributes compiled code may read: numbers and tuples by kind, others as constants."""
    fields: list[tuple[str, Kind]] = []
    constants: dict[str, Any] = {}
    long = getattr(rules, _FIXED, False)
    large = long or max(rules.most_positions or 0, most_inside(rules) or 0) >= FIXED
    data, own = _data_names(type(rules)), vars(rules)
    for name in sorted(data | {name for name in own if name in _names_used(type(rules))}):
        if name.startswith("_") or callable(getattr(type(rules), name, None)):
            continue
        value = getattr(rules, name)
        if kept_large(rules, name):
            fields.append((name, f"array {value.dtype.str} {value.shape}"))
        elif isinstance(value, str | np.ndarray) or (
            large and isinstance(value, int | np.integer)
        ):
            constants[name] = value
        elif (kind := _kind(value)) is not None:
            if long and isinstance(kind, tuple):
                constants[name] = value
                continue
            fields.append((name, kind))
    return tuple(fields), constants


def kept_large(rules: Game, name: str) -> bool:
    """Whether an attribute is a large array that lives as long as the rules: compiled code is
    handed its address."""
    value = vars(rules).get(name)
    if not isinstance(value, np.ndarray):
        return False
    return value.nbytes > LARGEST and bool(value.flags.c_contiguous)


def _kind(value: Any) -> Kind | None:
    """The kind of an attribute, if compiled code can read it."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int | np.integer):
        return "int64"
    if isinstance(value, float):
        return "float64"
    if isinstance(value, Game):  # rules made from other rules
        return type_name(value)
    return _tuple_kind(value) if isinstance(value, tuple) else None


def _tuple_kind(value: tuple[Any, ...]) -> Kind | None:
    """The kind of a tuple of integers (or of equally long tuples of them), if it is one."""
    if not value:
        return None
    if all(isinstance(x, int | np.integer) for x in value):
        return "int64", len(value)
    if all(isinstance(x, tuple) for x in value):
        inner = {_tuple_kind(x) for x in value}
        if len(inner) == 1 and None not in inner:
            return inner.pop(), len(value)
    return None


_used: dict[type[Game], frozenset[str]] = {}


def _names_used(cls: type[Game]) -> frozenset[str]:
    """The names that methods of the rules use: compiled code carries no other attributes."""
    if cls not in _used:
        _used[cls] = _named(cls)
    return _used[cls]


_data: dict[type[Game], frozenset[str]] = {}


def _data_names(cls: type[Game]) -> frozenset[str]:
    """Those of these names that the class has, other than methods."""
    if cls not in _data:
        names = _names_used(cls) & frozenset(dir(cls))
        _data[cls] = frozenset(name for name in names if not callable(getattr(cls, name, None)))
    return _data[cls]


def _named(cls: type[Game]) -> frozenset[str]:
    return frozenset({"players", "blurs", "spared"}).union(
        *(global_names(method.__code__) for _, method in methods(cls))
    )


def methods(cls: type[Game]) -> Iterator[tuple[str, FunctionType]]:
    """The methods of rules that compiled code may call, by name."""
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("__") and name not in EDGES:
            yield name, method


def _stamp(value: Any) -> str:
    """A text that differs when the constant does."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)


def positional(function: FunctionType) -> FunctionType:
    """The same function with its keyword-only parameters as ordinary ones, since compiled code has
    no others; their values come after all others in either case."""
    code, kept = function.__code__, function.__kwdefaults__ or {}
    count, many = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[count : count + many]
    code = code.replace(co_argcount=count + many, co_kwonlyargcount=0)
    defaults = (*(function.__defaults__ or ()), *(kept[name] for name in names if name in kept))
    copy = FunctionType(
        code, function.__globals__, function.__name__, defaults or None, function.__closure__
    )
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def global_names(code: CodeType) -> set[str]:
    """All names a code object and the ones nested in it may look up globally."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= global_names(constant)
    return names
