"""The outside world: files, environment variables and chance, where functions of rules use them.

What a function reads when it is called is no constant that a digest could cover, unless it is
plain which file or variable it reads: a literal, or made from literals, constants of the module,
`__file__` and attributes of the game. Then its contents count. Everything else is a reason why
digests cannot be compared."""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.reach.source_text import contents, tree_of
from perfectplay.compiled.reach.ways_out import (
    ASKS,
    CHANGING,
    CHANGING_MODULES,
    HOMES,
    LINES,
    MODULES,
    OF_CLASSES,
    OPENERS,
    PATH_METHODS,
    PATHS,
    READS,
    WATCHED,
)

if TYPE_CHECKING:
    from perfectplay.compiled.reach.reachable import Reachable

_UNKNOWN = object()


def suspicious(names: frozenset[str], scope: dict[str, Any]) -> bool:
    """Whether a function with these names and globals may read something from outside."""
    if not WATCHED.isdisjoint(names):
        return True
    ours = str(scope.get("__name__")).startswith("perfectplay.")
    return not ours and (_reads(names) or any(_leads_out(scope[n]) for n in names & scope.keys()))


def _leads_out(value: Any) -> bool:
    """Whether a global is a way out, or names a file: whatever it is given to may read that."""
    if isinstance(value, str):
        return os.sep in value and os.path.isfile(value)
    return isinstance(value, PurePath) or lies_outside(value)


def look(function: FunctionType, names: frozenset[str], imported: set[str], to: Reachable) -> None:
    """Feed what a function reads from outside to the hash, or note that it cannot be told. Only a
    function that names something suspicious, or imports it, is worth parsing."""
    scope = function.__globals__
    if (
        names & _DIRECT
        or _reads(names)
        or any(map(_watched, imported))
        or any(_telling(scope[name]) for name in names & scope.keys())
        or any(_telling(contents(cell)) for cell in function.__closure__ or ())
    ):
        Look(function, to).all(names)


def _reads(names: frozenset[str]) -> bool:
    return any(name.startswith(("read", "load")) for name in names)


_DIRECT = READS | LINES | OF_CLASSES | {"open", "input", "__import__", "import_module"}
_DIRECT |= {"hash", "id"}


def _telling(value: Any) -> bool:
    """Whether a global is a sign that a function reads from outside, and worth parsing it."""
    return _watched(value.__name__) if isinstance(value, ModuleType) else _leads_out(value)


def lies_outside(value: Any) -> bool:
    """Whether a value is the environment, or a function that reads files or the like."""
    if not isinstance(value, _FUNCTIONS):
        return value is os.environ or (value is _BYTES and value is not None)
    own = getattr(value, "__self__", None)
    return isinstance(own, random.Random) or _listed(_full_name(value))


_FUNCTIONS, _BYTES = (FunctionType, BuiltinFunctionType, MethodType), getattr(os, "environb", None)


def _watched(module: str) -> bool:
    return module in MODULES or not CHANGING_MODULES.isdisjoint(_tops(module))


_READING = re.compile(r"(pandas|polars|pyarrow|imageio|scipy\.io)\..*\.?(read|load|im)[a-z_]*$")


def _listed(name: str) -> bool:
    return bool(name) and (name in OPENERS | CHANGING | _SEEDED or name in ("os.getenv", "os"))


_SEEDED = frozenset({"random.Random", "numpy.random.default_rng", "numpy.random.RandomState"})


class Look:
    """One function that may read from outside."""

    def __init__(self, function: FunctionType, to: Reachable) -> None:
        self.function = function
        self.to = to
        self.tree = tree_of(function)
        self.locals = _assigned(self.tree) if self.tree is not None else {}

    def all(self, names: frozenset[str]) -> None:
        """Look at every expression of the function."""
        if self.tree is None:
            self._unseen(names)
            return
        calls = {id(n.func): n for n in ast.walk(self.tree) if isinstance(n, ast.Call)}
        parents = {id(c): n for n in ast.walk(self.tree) for c in ast.iter_child_nodes(n)}
        for given in [each for call in calls.values() for each in call.args]:
            path = self.value(given)
            own = str(path) == self.function.__code__.co_filename
            if isinstance(path, str | PurePath) and os.path.isfile(path) and not own:
                self._file(given, path)
        for node in _expressions(self.tree):
            call, value = calls.get(id(node)), self.value(node)
            if isinstance(node, ast.Attribute) and node.attr in LINES:
                self._refuse(node, f"asks for {node.attr}, which comments change")
            if isinstance(node, ast.Attribute) and call is not None:
                self._method(node, call, paths="Path" in names or "pathlib" in names)
            if value is os.environ or (value is _BYTES and value is not None):
                self._variable(node, _key(parents.get(id(node)), node, parents))
            elif value is os.getenv:
                self._variable(node, call.args[0] if call and call.args else None)
            elif value is getattr and call is not None:
                self._asked_for(call, calls.get(id(call)))
            elif value is not _UNKNOWN:
                self._used(node, value, call)

    def _unseen(self, names: frozenset[str]) -> None:
        """A function without source: refused if it names what reads from outside."""
        scope = self.function.__globals__
        found = names & (READS | {"environ", "getenv", "open", "urandom", "import_module"})
        found |= {name for name in names if scope.get(name, _UNKNOWN) is random}
        if found:
            self._refuse(None, f"uses {min(found)}, and its source is not at hand")

    def _refuse(self, node: ast.AST | None, what: str) -> None:
        code = self.function.__code__
        line = code.co_firstlineno if node is None else getattr(node, "lineno", 0)
        file = os.path.basename(code.co_filename)
        self.to.refuse(f"{code.co_name}() in {file}, line {line}, {what}", outside=True)

    # -- What an expression uses. -----------------------------------------------------------------

    def _method(self, node: ast.Attribute, call: ast.Call, *, paths: bool) -> None:
        """A call of a method that may be one of a path."""
        if node.attr not in READS and node.attr not in ASKS:
            return
        base = self.value(node.value)
        likely = node.attr in READS or (paths and not isinstance(node.value, ast.Name))
        if isinstance(base, PurePath) or (base is _UNKNOWN and likely):
            self._file(node, base)

    def _variable(self, node: ast.AST, key: ast.AST | None) -> None:
        name = self.value(key) if key is not None else _UNKNOWN
        if isinstance(name, str):
            self.to.write("environment", name, repr(os.environ.get(name)))
        else:
            self._refuse(node, "reads an environment variable that only shows when it runs")

    def _asked_for(self, call: ast.Call, then: ast.Call | None) -> None:
        """`getattr` of a module that reads from outside, and the call of what it gives."""
        module, name = (self.value(each) for each in [*call.args, None, None][:2])
        if not isinstance(module, ModuleType) or not _watched(module.__name__):
            return
        found = getattr(module, name, None) if isinstance(name, str) else _UNKNOWN
        if found is _UNKNOWN:
            what = f"uses something of {module.__name__} whose name only shows when it runs"
            self._refuse(call, what)
        elif found is os.getenv:
            self._variable(call, then.args[0] if then and then.args else None)
        elif found is os.environ:
            self._variable(call, None)
        else:
            self._used(call, found, then)

    def _used(self, node: ast.AST, value: Any, call: ast.Call | None) -> None:
        """A function or module of a library that reads, or changes, perhaps."""
        name = _full_name(value)
        first = call.args[0] if call is not None and call.args else None
        if name in OPENERS or _READING.match(name):
            self._file(node, self.value(first) if first is not None else _UNKNOWN)
        elif name == "builtins.hash" and self.function.__name__ == "__hash__":
            pass  # where hashes of texts, which differ from process to process, do no harm
        elif name in CHANGING or not CHANGING_MODULES.isdisjoint(_tops(name)):
            self._refuse(node, f"uses {name}, which is not the same every time")
        elif name in ("importlib.import_module", "builtins.__import__"):
            self._import(node, self.value(first) if first is not None else _UNKNOWN)
        elif name in _SEEDED:
            if call is not None and not call.args and not call.keywords:
                self._refuse(node, "draws random numbers without a seed")
        elif isinstance(getattr(value, "__self__", None), random.Random) or (
            type(getattr(value, "__self__", None)).__name__ == "RandomState"
        ):
            self._refuse(node, "draws random numbers")

    def _import(self, node: ast.AST, name: Any) -> None:
        if isinstance(name, str):
            self.to.imported(self.function, name, 0, ())
        else:
            self._refuse(node, "imports a module whose name only shows when it runs")

    def _file(self, node: ast.AST, path: Any) -> None:
        """The contents of a file or folder, if it is known which."""
        if not isinstance(path, str | PurePath):
            self._refuse(node, "reads a file whose name only shows when it runs")
            return
        self.to.write("file", self.to.text(str(path)))
        try:
            if Path(path).is_dir():
                self.to.write(*sorted(each.name for each in Path(path).iterdir()))
            else:
                self.to.write(hashlib.sha256(Path(path).read_bytes()).hexdigest())
        except OSError as error:
            self.to.write(type(error).__name__)

    # -- What an expression is, as far as that can be seen. ---------------------------------------

    def value(self, node: ast.AST | None, depth: int = 0) -> Any:
        """The value of an expression that is made from constants; `_UNKNOWN` else."""
        if depth > 20:
            return _UNKNOWN
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node.id, depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(self.value(node.value, depth + 1), node)
        parts = [self.value(each, depth + 1) for each in _operands(node)]
        if not parts or any(part is _UNKNOWN for part in parts):
            return _UNKNOWN
        try:
            return _computed(node, parts)
        except Exception:
            return _UNKNOWN

    def _name(self, name: str, depth: int) -> Any:
        if name in self.locals:
            given = self.locals[name]
            if isinstance(given, tuple):
                return _library_value(*given)
            return self.value(given, depth + 1) if given is not None else _UNKNOWN
        function = self.function
        code = function.__code__
        if name in code.co_freevars:
            cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
            return contents(cells[name])
        if name in code.co_varnames:
            own = code.co_argcount > 0 and name == code.co_varnames[0]
            return self.to.game if own and self._of_game() else _UNKNOWN
        scope = function.__globals__
        return scope[name] if name in scope else getattr(builtins, name, _UNKNOWN)

    def _of_game(self) -> bool:
        """Whether the function is a method of the game that is asked about."""
        home = self.function.__code__.co_qualname.rpartition(".")[0]
        return any(cls.__qualname__ == home for cls in type(self.to.game).__mro__)

    def _attribute(self, base: Any, node: ast.Attribute) -> Any:
        if isinstance(base, ModuleType | type):
            return getattr(base, node.attr, _UNKNOWN)
        if base is self.to.game and base is not None:
            held = vars(base).get(node.attr, getattr(type(base), node.attr, _UNKNOWN))
            return held if isinstance(held, str | PurePath | int) else _UNKNOWN
        if isinstance(base, PurePath) and not node.attr.startswith("_"):
            return getattr(base, node.attr, _UNKNOWN)
        return _UNKNOWN


def _expressions(tree: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """All names and attributes that are read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node


def _key(parent: ast.AST | None, node: ast.AST, parents: dict[int, ast.AST]) -> ast.AST | None:
    """What `environ` is asked for: environ[key], environ.get(key), key in environ."""
    if isinstance(parent, ast.Subscript):
        return parent.slice
    if isinstance(parent, ast.Compare) and parent.comparators == [node]:
        return parent.left
    call = parents.get(id(parent))
    if isinstance(parent, ast.Attribute) and isinstance(call, ast.Call) and call.args:
        return call.args[0] if parent.attr in ("get", "pop", "setdefault") else None
    return None


def _assigned(tree: ast.AST) -> dict[str, Any]:
    """The variables of a function: the one expression that gives each, the module that an import
    gives, or None if there are several or none is plain."""
    found: dict[str, Any] = {}

    def give(name: str, value: Any) -> None:
        found[name] = None if name in found else value

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                whole = each.name if each.asname else each.name.partition(".")[0]
                give(each.asname or whole, (whole, ""))
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for each in node.names:
                give(each.asname or each.name, (node.module, each.name))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            if isinstance(node.targets[0], ast.Name):
                give(node.targets[0].id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            give(node.target.id, node.value)
    plain = {id(n.targets[0]) for n in ast.walk(tree) if isinstance(n, ast.Assign)}
    plain |= {id(n.target) for n in ast.walk(tree) if isinstance(n, ast.AnnAssign)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and id(node) not in plain
        ):
            found[node.id] = None
    return found


def _library_value(module: str, name: str) -> Any:
    """What an import inside of a function gives, if it is one of the modules that matter."""
    if not _watched(module):
        return getattr(sys.modules.get(module), name, _UNKNOWN) if name else _UNKNOWN
    found = importlib.import_module(module)
    return getattr(found, name, _UNKNOWN) if name else found


def _tops(name: str) -> tuple[str, str]:
    return name.partition(".")[0], ".".join(name.split(".")[:2])


def _full_name(value: Any) -> str:
    """The name of a function, class or module of a library; nothing for anything else."""
    if isinstance(value, ModuleType):
        return value.__name__
    home, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(name, str):
        return "sys." + _SYSTEM[id(value)] if id(value) in _SYSTEM else ""
    own = getattr(value, "__self__", None)
    if isinstance(own, type):
        home, name = own.__module__, f"{own.__qualname__}.{name.rpartition('.')[2]}"
    home = HOMES.get(str(home), str(home))
    return f"{home}.{name}".replace("importlib.RulesFolder.", "importlib.")


_SYSTEM = {id(value): name for name in ("argv", "stdin", "path") for value in [getattr(sys, name)]}


def _operands(node: ast.AST | None) -> list[ast.AST]:
    """The expressions that an expression is made from, if it may be looked into."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        return [node.left, node.right]
    if isinstance(node, ast.JoinedStr):
        return [e.value if isinstance(e, ast.FormattedValue) else e for e in node.values]
    if isinstance(node, ast.Call) and not node.keywords:
        return [node.func, *node.args]
    if isinstance(node, ast.Subscript):
        return [node.value, node.slice]
    return []


def _computed(node: ast.AST | None, parts: list[Any]) -> Any:
    """An expression whose parts are known; nothing is called but what makes paths and texts."""
    if isinstance(node, ast.Call):
        made, own = parts[0], getattr(parts[0], "__self__", None)
        pure = isinstance(made, type) and issubclass(made, PurePath)
        method = isinstance(own, PurePath) and made.__name__ in PATH_METHODS
        return made(*parts[1:]) if pure or method or _full_name(made) in PATHS else _UNKNOWN
    if not all(isinstance(part, _COMPUTED) for part in parts):
        return _UNKNOWN
    if isinstance(node, ast.BinOp):
        return parts[0] + parts[1] if isinstance(node.op, ast.Add) else parts[0] / parts[1]
    if isinstance(node, ast.Subscript):
        return parts[0][parts[1]]
    return "".join(map(str, parts))


_COMPUTED = (str, int, PurePath, tuple, list, dict, type(Path().parents))
