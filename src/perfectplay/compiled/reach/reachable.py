"""Reachable: all that a piece of rules can reach, fed to a hash.

Objects are taken apart, each once, in an order that does not depend on where they live: functions
into their text, defaults, closures, attributes and the globals that they name; classes into their
members (class_parts.py); objects into their class and what they hold (object_parts.py). What
cannot be taken apart, or is not the same every time, is a reason not to compare two digests.

source_text.py makes a text of each function, libraries.py says what is none of the rules',
outside_world.py looks for files and the like that functions read."""

from __future__ import annotations

import builtins
import hashlib
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from perfectplay.compiled.reach import acting, class_parts, object_parts, outside_world
from perfectplay.compiled.reach.libraries import INSTALLED, OURS, found_file, kind_of, stamp
from perfectplay.compiled.reach.source_text import (
    contents,
    described,
    imports_in,
    words,
)
from perfectplay.rules.folder_import import folder_of
from perfectplay.rules.game import Game

_PLAIN = frozenset({type(None), bool, int, float, complex, bytes, range, type(...)})
_DYNAMIC = frozenset(
    {"getattr", "vars", "globals", "eval", "exec", "__dict__", "modules", "attrgetter",
     "methodcaller", "compile", "__getattribute__", "getattr_static", "getmembers", "dir",
     "hasattr"}
)  # fmt: skip
"""Names by which a function may reach what it does not name."""
_WHOLE = frozenset(
    {"vars", "globals", "eval", "exec", "modules", "compile", "__subclasses__", "f_globals",
     "__globals__"}
)  # fmt: skip
_OF_MODULES = frozenset({"__name__", "__spec__", "__loader__", "__package__", "__builtins__"})
"""Attributes of modules that are no rule; a function that names one means another thing's."""

_FINDERS = ("perfectplay.rules.load", "perfectplay.rules.folder_import")
"""Modules that find rules: what they find is followed, not how."""


class Reachable:
    """Feeds objects to a hash, and notes what cannot be followed."""

    def __init__(
        self, home: str, folder: str, game_class: Callable[[Reachable, type], None], game: Any
    ) -> None:
        self._hash = hashlib.sha256()
        self._home = home.partition(".")[0]
        self._folder = folder
        self._game_class = game_class
        self.game = game
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is used twice
        self._path: set[int] = set()
        self._modules: list[ModuleType] = []
        self._stamped: set[str] = set()
        self._asked: set[type] = set()
        self.acted: set[str] = set()
        self._trail: list[str] = []
        self._forgiving = 0
        self.reasons: dict[str, bool] = {}
        """What was not followed, and whether it lies in the world outside."""

    # -- Words. -----------------------------------------------------------------------------------

    def hexdigest(self) -> str:
        """The hash so far."""
        return self._hash.hexdigest()

    def write(self, *words: str) -> None:
        """Feed words to the hash."""
        for word in words:
            self._hash.update(word.encode(errors="surrogatepass"))
            self._hash.update(b"\0")

    def write_bytes(self, data: Any) -> None:
        """Feed a buffer to the hash."""
        self._hash.update(data)

    def refuse(self, what: str, *, outside: bool = False) -> None:
        """Note why digests of these rules cannot be compared."""
        if not self._forgiving:
            self.reasons.setdefault(what, outside)

    def opaque(self, thing: Any, what: str) -> None:
        """Note that an object cannot be taken apart."""
        self.write("opaque", what)
        where = ".".join(self._trail[-2:]) or "a value"
        self.refuse(f"{where} is {what}")

    def text(self, word: str) -> str:
        """A text, the same wherever the folder of the rules lies."""
        if self._folder and word.startswith(self._folder):
            return f"<folder>{word[len(self._folder) :]}"
        return word

    @contextmanager
    def forgiving(self) -> Iterator[None]:
        """What cannot be followed inside does not count, unless something else names it, too."""
        known = len(self._alive)
        self._forgiving += 1
        try:
            yield
        finally:
            self._forgiving -= 1
            self._forget(known)

    # -- Objects. ---------------------------------------------------------------------------------

    def named(self, name: str, thing: Any) -> None:
        """Something that has a name."""
        self.write(name)
        self._trail.append(name)
        self.object(thing)
        self._trail.pop()

    def all_named(self, things: Mapping[str, Any]) -> None:
        """Things that have names, in the order of their names."""
        for name in sorted(map(str, things)):
            if name in things:
                self.named(name, things[name])

    def object(self, thing: Any) -> None:
        """Anything a rule may name."""
        kind = type(thing)
        if kind in _PLAIN:
            self.write(kind.__name__, repr(thing))
        elif kind is str:
            self.write("str", repr(self.text(thing)))
        elif kind in (tuple, list, dict):
            self.container(thing)
        elif id(thing) in self._seen:
            self.write("seen", str(self._seen[id(thing)]))
            if isinstance(thing, type):
                self._asked.add(thing)
        else:
            self.remember(thing)
            self._taken_apart(thing)

    def remember(self, thing: Any) -> None:
        """From now on, `thing` is written as one that was seen."""
        self._seen[id(thing)] = len(self._seen)
        self._alive.append(thing)

    def seen(self, thing: Any) -> bool:
        """Whether `thing` was written before."""
        return id(thing) in self._seen

    def asked(self, classes: Iterable[type]) -> bool:
        """Whether something names one of these classes again."""
        return not self._asked.isdisjoint(classes)

    def _taken_apart(self, thing: Any) -> None:
        if isinstance(thing, FunctionType):
            self._function(thing)
        elif isinstance(thing, ModuleType):
            self._module(thing, None)
        elif isinstance(thing, type):
            self._class(thing)
        else:
            object_parts.write(thing, self)

    def container(self, things: Any) -> None:
        """A sequence or dictionary, by what is in it and not by which object it is."""
        if id(things) in self._path:
            self.write("cycle")
            return
        self._path.add(id(things))
        self.write(type(things).__name__, str(len(things)))
        if isinstance(things, dict):
            for key, each in dict.items(things):
                self.object(key)
                self._trail.append(str(key) if isinstance(key, str | int) else "…")
                self.object(each)
                self._trail.pop()
        else:
            for each in list.__iter__(things) if isinstance(things, list) else things:
                self.object(each)
        self._path.discard(id(things))

    def unordered(self, things: Iterable[Any]) -> None:
        """The elements of a set: the order in which they come does not count."""
        parts = []
        for kind in sorted({type(each) for each in things}, key=lambda kind: kind.__qualname__):
            self.object(kind)  # once, not with every element
        for each in things:
            parts.append(self._apart(each))
        self.write("set", str(len(parts)), *sorted(parts))

    def _apart(self, thing: Any) -> str:
        """The hash of one object alone; what it reaches is not seen after that."""
        if type(thing) in _PLAIN:
            return repr(thing)
        whole, self._hash, known = self._hash, hashlib.sha256(), len(self._alive)
        self.object(thing)
        digest, self._hash = self._hash.hexdigest(), whole
        self._forget(known)
        return digest

    def _forget(self, known: int) -> None:
        """Of the objects that were seen, only the first so many count as seen."""
        for each in self._alive[known:]:
            del self._seen[id(each)]
        del self._alive[known:]

    # -- Functions. -------------------------------------------------------------------------------

    def ours(self, module: str | None, file: str | None = None) -> bool:
        """Whether a module belongs to the rules, and is not a library like NumPy."""
        name = str(module)
        if name.startswith(_FINDERS):
            return False
        return name.partition(".")[0] == self._home or kind_of(name, file) == OURS

    def library(self, module: str, name: str, file: str | None = None) -> None:
        """Something of a library: by name, and by the files of an installed package."""
        top = module.partition(".")[0]
        self.write("library", top, name)
        if top not in self._stamped:
            self._stamped.add(top)
            if kind_of(module, file) == INSTALLED:
                self.write(stamp(module))

    def extension(self, module: ModuleType) -> None:
        """A compiled module, of which functions show nothing: by its file."""
        file = getattr(module, "__file__", None)
        if file is None or not self.ours(module.__name__, file):
            self.library(module.__name__, module.__name__, file)
        elif file not in self._stamped:
            self._stamped.add(file)
            with suppress(OSError):
                self.write(hashlib.sha256(Path(file).read_bytes()).hexdigest())

    def _function(self, function: FunctionType) -> None:
        scope = function.__globals__
        if not self.ours(scope.get("__name__"), scope.get("__file__")):
            object_parts.library_function(function, self)
            return
        text, names = described(function)
        self.write("function", text)
        self.object(function.__defaults__)
        self.object(function.__kwdefaults__)
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name != "__class__" and (held := contents(cell)) is not cell:
                self.named(name, held)
        if vars(function):
            self.all_named(vars(function))
        acting.statements_of(scope, self)
        if names & _WHOLE:
            self._module_of(function)
            class_parts.subclasses([scope[name] for name in sorted(names & scope.keys())], self)
        self.write(*words(function, names, type(self.game)))
        for name in sorted(names - _OF_MODULES):
            if name in scope:
                self.write(name)
                self._trail.append(name)
                self._global(scope[name], names)
                self._trail.pop()
        for name in sorted(names & vars(builtins).keys() - scope.keys()):
            self.patch(name, vars(builtins)[name])
        imports = [*imports_in(code)]
        for name, level, fromlist in imports:
            self.imported(function, name, level, fromlist)
        if outside_world.suspicious(names, scope):
            outside_world.look(function, names, {each[0] for each in imports}, self)

    def patch(self, name: str, thing: Any) -> None:
        """A function of the rules, perhaps, that was put in the place of a library's."""
        if isinstance(thing, FunctionType):
            home = str(thing.__globals__.get("__name__"))
            if home.partition(".")[0] != "perfectplay" and self.ours(home):
                self.named(name, thing)

    def patches(self, cls: type) -> None:
        """What rules put into a class that is not theirs."""
        for name, member in vars(cls).items():
            self.patch(name, member)

    def _global(self, thing: Any, names: frozenset[str]) -> None:
        """A global; of a module, whatever in it is named too."""
        if isinstance(thing, ModuleType):
            self._module(thing, None if names & _DYNAMIC else names)
        elif not outside_world.lies_outside(thing):  # else outside_world.look says what it does
            self.object(thing)

    # -- Modules. ---------------------------------------------------------------------------------

    def _module(self, module: ModuleType, names: frozenset[str] | None) -> None:
        """A module: what a function that names these names can reach in it; all of it, if they
        are not known."""
        scope = vars(module)
        if not self.ours(module.__name__, scope.get("__file__")):
            self.library(module.__name__, module.__name__)
            for name in sorted((names or frozenset()) & scope.keys()):
                self.patch(name, scope[name])
            return
        if type(module) is not ModuleType:
            self.object(type(module))
        if names is None:
            self._whole(module)
            return
        for name in sorted(names & scope.keys()):
            self.write(name)
            self._trail.append(name)
            self._global(scope[name], names - {name})
            self._trail.pop()
        if "__getattr__" in scope and names - scope.keys():
            self.named("__getattr__", scope["__getattr__"])

    def _module_of(self, function: FunctionType) -> None:
        """The whole module that a function is from; none of a notebook's or script's other
        variables is a reason to refuse."""
        module = sys.modules.get(str(function.__globals__.get("__name__")))
        if module is not None and vars(module) is function.__globals__:
            self._whole(module)

    def _whole(self, module: ModuleType) -> None:
        if module in self._modules:
            return
        self._modules.append(module)
        scope = {k: v for k, v in vars(module).items() if k[:2] != "__" or k == "__getattr__"}
        engine = module.__name__.partition(".")[0] == "perfectplay" != self._home
        self.write("module")
        if engine:
            self.write(module.__name__)
        elif module.__name__ == "__main__":
            with self.forgiving():
                self.all_named(scope)
        else:
            self.all_named(scope)

    def imported(
        self, function: FunctionType, name: str, level: int, fromlist: tuple[str, ...]
    ) -> None:
        """A module that a function imports when it is called."""
        scope, top = function.__globals__, name.partition(".")[0]
        folder, file = folder_of(scope), found_file(top)
        own = level > 0 or (folder is not None and folder.has(top))
        if not own and not (file is not None and self.ours(top, file)):
            self.library(name, name, file)
            return
        importer = folder.import_ if folder is not None else builtins.__import__
        try:
            found = importer(name, scope, None, fromlist or ("__name__",), level)
        except Exception as error:  # what is caught there, perhaps, but not to be followed
            self.write("missing", name)
            if not isinstance(error, ImportError):
                self.refuse(f"{name} cannot be imported: {type(error).__name__}: {error}")
            return
        names = described(function)[1] | set(fromlist)
        self._global(found, names)
        if not fromlist and "." in name:
            self._global(sys.modules.get(found.__name__.partition(".")[0]), names)

    # -- Classes. ---------------------------------------------------------------------------------

    def _class(self, cls: type) -> None:
        if cls is Game or not self.ours_class(cls):
            self.library(cls.__module__, cls.__qualname__)
            self.patches(cls)
        elif issubclass(cls, Game):
            self.write("game")
            self._game_class(self, cls)
        else:
            self.write("class", cls.__name__)
            if type(cls) is not type:
                self.object(type(cls))
            for base in cls.__bases__:
                self.object(base)
            class_parts.class_members(cls, self)

    def ours_class(self, cls: type) -> bool:
        """Whether a class belongs to the rules, as one does that `types` has made."""
        if cls.__module__ == "types" and cls.__name__ not in vars(types):
            return True
        return cls.__module__ != "builtins" and self.ours(cls.__module__)
