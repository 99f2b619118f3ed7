"""The digest of a game: sixteen hex digits that change when its rules may have changed.

It covers all that the rules can reach: methods of the class and its bases, functions and classes
they name, recursively, and values of constants. It does not cover comments, docstrings,
annotations, parameters (tables record those), nor what only shows positions (`text` and such).

source_text.py makes a text of each function."""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from perfectplay.compiled.source_text import body
from perfectplay.rules.capabilities import CAPABILITIES
from perfectplay.rules.game import Game, parameters

LABELS = frozenset(
    {"unlabel", "relabel", "called", "unlabelled_key", "labels", "labels_reversible"}
)
GUIDES = LABELS | {"hint", "guess", "bounds", "own_solver"}
"""Methods that no value, and so no table, depends on."""
EDGES = GUIDES | {"text", "parse", "move_text", "picture", "chart", "player_name"}
"""Methods that guide or show. (In plain games `text` is a position's key, so it counts.)"""
RULES = (
    frozenset(name for each in (Game, *CAPABILITIES) for name in vars(each) if name[0] != "_")
    - EDGES
)

_LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))


def rules_digest(game: Game) -> str:
    """Sixteen hex digits over everything that the rules of `game` can reach."""
    edges = EDGES if game.native else EDGES - {"text", "parse"}
    writer = _Writer(type(game).__module__).rules(type(game), edges)
    made_from = getattr(game, "rules", None)
    if isinstance(made_from, Game):
        writer.write(rules_digest(made_from))
    return writer.hexdigest()[:16]


def compiled_digest(game: Game) -> str:
    """The same, with what guides a search: all that compiled code can reach."""
    return _Writer(type(game).__module__).rules(type(game), EDGES - GUIDES).hexdigest()[:16]


class _Writer:
    """Feeds objects to a hash, each once, in an order that does not depend on where they live."""

    def __init__(self, home: str) -> None:
        self._hash = hashlib.sha256()
        self._home = home.partition(".")[0]
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is used twice
        self._path: set[int] = set()

    def hexdigest(self) -> str:
        return self._hash.hexdigest()

    def write(self, *words: str) -> None:
        for word in words:
            self._hash.update(word.encode(errors="surrogatepass"))
            self._hash.update(b"\0")

    def rules(self, cls: type, edges: frozenset[str]) -> _Writer:
        """The class of a game: every attribute that is not only for show."""
        bases = [c for c in cls.__mro__ if c not in (Game, *CAPABILITIES, object)]
        self._alive.append(cls)
        for number, base in enumerate(bases):
            self._seen[id(base)] = len(self._seen)
            if not self._ours(base.__module__):
                self.write("library", base.__module__, base.__qualname__)
            elif number:
                self._alive.append(base)
        bases = [c for c in bases if self._ours(c.__module__)]
        kept = _kept(bases, edges)
        for base in bases:
            self.write("class")
            for name, member in sorted(_members(base)):
                if name in kept:
                    self.write(name)
                    self.object(member)
        return self

    def object(self, thing: Any) -> None:  # noqa: C901 - a flat list of cases
        """Anything a rule may name."""
        kind = type(thing)
        if thing is None or kind in (bool, int, float, complex, str, bytes, range):
            self.write(kind.__name__, repr(thing))
            return
        if id(thing) in self._seen:
            self.write("seen", str(self._seen[id(thing)]))
            return
        if isinstance(thing, tuple | list | dict):
            self._container(thing)
            return
        self._seen[id(thing)] = len(self._seen)
        self._alive.append(thing)
        if isinstance(thing, FunctionType):
            self._function(thing)
        elif isinstance(thing, staticmethod | classmethod | MethodType):
            self.write(kind.__name__)
            self.object(thing.__func__)
            if isinstance(thing, MethodType):
                self.object(thing.__self__)
        elif isinstance(thing, property):
            self.write("property")
            self.object(thing.fget)
        elif isinstance(thing, ModuleType):
            self.write("module", thing.__name__)
        elif isinstance(thing, BuiltinFunctionType):
            self.write("builtin", thing.__qualname__)
        elif isinstance(thing, type):
            self._class(thing)
        elif isinstance(thing, set | frozenset):
            self.write("set", *sorted(map(repr, thing)))
        elif isinstance(thing, enum.Enum):
            self.write("enum", thing.name)
            self.object(thing.value)
        elif kind.__module__ == "numpy":
            self._array(thing)
        else:
            self._instance(thing)

    def _container(self, things: Any) -> None:
        """A sequence or dictionary, by what is in it and not by which object it is."""
        if id(things) in self._path:
            self.write("cycle")
            return
        self._path.add(id(things))
        self.write(type(things).__name__, str(len(things)))
        for each in things.items() if isinstance(things, dict) else things:
            self.object(each)
        self._path.discard(id(things))

    def _function(self, function: FunctionType) -> None:
        if not self._ours(function.__module__):
            self.write("library", str(function.__module__), function.__qualname__)
            return
        self.write("function", body(function))
        self.object(function.__defaults__)
        self.object(function.__kwdefaults__)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if name != "__class__" and (held := _contents(cell)) is not cell:
                self.write(name)
                self.object(held)
        names = sorted(set(_names(function.__code__)))
        for name in names:
            if name in function.__globals__:
                self.write(name)
                self._global(function.__globals__[name], names)

    def _global(self, thing: Any, names: list[str]) -> None:
        """A global; of a module, whatever in it is named too."""
        if isinstance(thing, ModuleType) and self._ours(thing.__name__):
            for name in names:
                if name in vars(thing):
                    self.write(name)
                    self._global(vars(thing)[name], [n for n in names if n != name])
        else:
            self.object(thing)

    def _class(self, cls: type) -> None:
        if cls is Game or not self._ours(cls.__module__):
            self.write("library", cls.__module__, cls.__qualname__)
        elif issubclass(cls, Game):
            self.write("game")
            self.rules(cls, EDGES - {"text", "parse"})
        else:
            self.write("class")
            for base in cls.__bases__:
                self.object(base)
            for name, member in sorted(_members(cls)):
                self.write(name)
                self.object(member)

    def _array(self, array: Any) -> None:
        if isinstance(array, type) or not hasattr(array, "tobytes"):
            self.write("numpy", repr(array))
        elif array.dtype.hasobject:
            self.object(array.tolist())
        else:
            self.write("array", str(array.dtype), str(array.shape))
            self._hash.update(array.tobytes())

    def _instance(self, thing: Any) -> None:
        """An object of some class: a wrapped function by what it wraps, else by its contents."""
        cls = type(thing)
        inner = getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)
        if isinstance(thing, functools.cached_property):
            inner = thing.func
        if isinstance(inner, FunctionType):
            self.write("wrapped", cls.__name__)
            self.object(inner)
        elif isinstance(thing, functools.partial):
            self.write("partial")
            self.object((thing.func, thing.args, thing.keywords))
        elif isinstance(thing, Game):
            self.object(cls)
            self.object(parameters(thing))
        elif self._ours(cls.__module__) and hasattr(thing, "__dict__"):
            self.object(cls)
            self.object(vars(thing))
        else:
            shown = repr(thing)
            self.write(cls.__module__, cls.__qualname__, "" if " at 0x" in shown else shown)

    def _ours(self, module: str | None) -> bool:
        """Whether a module belongs to the rules, and is not a library like NumPy."""
        top = str(module).partition(".")[0]
        return top in (self._home, "perfectplay", "__main__") or not _library(top)


_HIDDEN = frozenset({"_abc_impl", "_member_map_", "_member_names_", "_value2member_map_"})


@functools.cache
def _library(top: str) -> bool:
    if top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is not None and file.startswith(_LIBRARIES)


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """What an author wrote in a class: no parameters, nothing that `dataclass` made."""
    fields = getattr(cls, "__dataclass_fields__", {})
    for name, member in vars(cls).items():
        if name.startswith("__") and name.endswith("__"):
            made = (
                getattr(getattr(member, "__code__", None), "co_filename", "<string>") == "<string>"
            )
            counts = name == "__post_init__" or not made
        else:
            counts = name not in _HIDDEN and not (name in fields and fields[name].init)
        if counts:
            yield name, member


def _kept(bases: list[type], edges: frozenset[str]) -> set[str]:
    """Names of members that matter: all but edges and the helpers that only edges use."""
    uses: dict[str, set[str]] = {}
    for base in bases:
        for name, member in _members(base):
            uses.setdefault(name, set()).update(_used(member))
    shown = _closure(uses, uses.keys() & edges)
    roots = {n for n in uses if n in RULES or n.startswith("__") or n not in shown} - edges
    return _closure(uses, roots)


def _closure(uses: dict[str, set[str]], roots: set[str]) -> set[str]:
    found = set(roots)
    queue = list(roots)
    while queue:
        new = (uses[queue.pop()] & uses.keys()) - found
        found |= new
        queue.extend(new)
    return found


def _used(member: Any) -> set[str]:
    """All names in the code of a member of a class."""
    for attribute in ("__func__", "fget", "py_func", "func", "__wrapped__"):
        member = getattr(member, attribute, None) or member
    code = getattr(member, "__code__", None)
    found = set(_names(code)) if isinstance(code, CodeType) else set()
    for cell in getattr(member, "__closure__", None) or ():
        held = _contents(cell)
        if isinstance(held, FunctionType) and held is not member:
            found |= set(_names(held.__code__))
    return found


def _contents(cell: Any) -> Any:
    """What a closure cell holds; the cell itself while it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell


def _names(code: CodeType) -> Iterator[str]:
    """All names of globals and attributes in a piece of code and the code nested in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
