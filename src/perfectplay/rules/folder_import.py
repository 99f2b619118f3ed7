"""Modules of rules in files: every folder has its own, whatever their names.

Rules in a file may import what lies beside them, as a script does. But `helper` in one folder is
not `helper` in another, and a helper that was edited is another one, too. So modules of a folder
are not imported as `helper`, which would leave one for all, but by the folder, under names that
nothing else has. Their `import` statements lead there because Python looks `__import__` up in the
`__builtins__` of the module that executes them, which is the folder's own: also statements inside
of methods, which are executed later. Python's import machinery and `sys.path` stay as they are."""

import builtins
import importlib
import importlib.util
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

_LOCK = threading.RLock()
_NUMBERS: dict[Path, int] = {}
_LATEST: dict[Path, "RulesFolder"] = {}
"""By folder: its number in this process, and its modules as they were imported last."""


def module_of(file: Path) -> ModuleType:
    """The module in a file, executed anew if it, or one beside it that was imported, has changed
    since the last time."""
    with _LOCK:
        folder = _LATEST.get(file.parent)
        if folder is None or folder.outdated():
            if folder is not None:
                folder.forget()
            number = _NUMBERS.setdefault(file.parent, len(_NUMBERS) + 1)
            folder = _LATEST[file.parent] = RulesFolder(file.parent, number)
        return folder.main(file)


def folder_of(scope: Mapping[str, Any]) -> "RulesFolder | None":
    """The folder that imports for the module with these globals, if it came from a file."""
    own = scope.get("__builtins__")
    found = getattr(own.get("__import__"), "__self__", None) if isinstance(own, dict) else None
    return found if isinstance(found, RulesFolder) else None


def from_file(module: str) -> bool:
    """Whether a module of this name was made from a file of rules."""
    return re.match(r"_rules\d*_", module) is not None


class RulesFolder:
    """The modules of one folder, by the names that files there call them."""

    def __init__(self, path: Path, number: int) -> None:
        self.path = path
        self._prefix = f"_rules{number if number > 1 else ''}_"
        self._modules: dict[str, ModuleType] = {}
        self._sources: dict[Path, bytes] = {}
        self._known: dict[str, bool] = {}
        self._builtins = {**vars(builtins), "__import__": self.import_}
        self._importlib = _Importlib(self)
        self._installed = bool({"site-packages", "dist-packages"} & set(path.parts))

    @property
    def sources(self) -> Mapping[Path, bytes]:
        """The files that were imported, as they were then."""
        return self._sources

    def main(self, file: Path) -> ModuleType:
        """The module in a file of this folder."""
        found = self._modules.get(file.stem)
        if found is not None and found.__file__ == str(file):
            return found
        return self._execute(file.stem, file)

    def outdated(self) -> bool:
        """Whether a file has changed since it was imported."""
        try:
            return any(file.read_bytes() != source for file, source in self._sources.items())
        except OSError:
            return True

    def forget(self) -> None:
        """Make room for modules of the same names."""
        for name, module in self._modules.items():
            if sys.modules.get(self._prefix + name) is module:
                del sys.modules[self._prefix + name]

    # -- What `import` does in these modules. -----------------------------------------------------

    def import_(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What Python's own `__import__` returns, but modules of this folder come first."""
        full = name if level == 0 else self._absolute(name, globals or {}, level)
        top = full.partition(".")[0]
        if not full or not self.has(top):
            found = builtins.__import__(name, globals, locals, fromlist or (), level)
            return self._importlib if found is importlib else found
        leaf = self.module(full)
        for each in fromlist or ():
            self._part(leaf, full, each)
        return leaf if fromlist else self._modules[top]

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """What `importlib.import_module` returns, but modules of this folder come first."""
        full = importlib.util.resolve_name(name, package).removeprefix(self._prefix)
        return self.module(full) if self.has(full) else importlib.import_module(name, package)

    def _absolute(self, name: str, scope: Mapping[str, Any], level: int) -> str:
        """The name of a module that is imported relative to another one of this folder."""
        package = str(scope.get("__package__") or "")
        if not package.startswith(self._prefix) or package.count(".") + 1 < level:
            return ""
        whole = importlib.util.resolve_name("." * level + name, package)
        return whole.removeprefix(self._prefix)

    def _part(self, module: ModuleType, full: str, name: str) -> None:
        """Import the module that `from package import name` may mean."""
        if name == "*":
            for each in getattr(module, "__all__", ()):
                self._part(module, full, each)
        elif hasattr(module, "__path__") and not hasattr(module, name):
            file = _file(Path(next(iter(module.__path__))), name)
            if file is not None:
                self.module(f"{full}.{name}")

    # -- Modules. ---------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether files of this folder that import a module mean one beside them."""
        top = name.partition(".")[0]
        if top not in self._known:
            self._known[top] = top in self._modules or self._finds(top)
        return self._known[top]

    def _finds(self, top: str) -> bool:
        if top == "perfectplay" or top in sys.builtin_module_names or self._installed:
            return False
        file = _file(self.path, top)
        if file is None or file.is_file():
            return file is not None
        return importlib.util.find_spec(top) is None  # a folder without __init__.py comes last

    def module(self, full: str) -> ModuleType:
        """The module of this folder with that name, executed if it was not yet."""
        found = self._modules.get(full)
        if found is not None:
            return found
        with _LOCK:
            above, _, name = full.rpartition(".")
            places = [str(self.path)] if not above else getattr(self.module(above), "__path__", ())
            if full in self._modules:
                return self._modules[full]
            file = next((each for place in places if (each := _file(Path(place), name))), None)
            if file is None:
                raise ModuleNotFoundError(f"No module named {full!r}", name=full)
            module = self._execute(full, file)
            if above:
                setattr(self._modules[above], name, module)
            return module

    def _execute(self, full: str, file: Path) -> ModuleType:
        package = file.stem == "__init__" or not file.is_file()
        source = file.read_bytes() if file.is_file() else b""
        where = [str(file.parent if file.is_file() else file)] if package else None
        name = self._prefix + full
        spec = importlib.util.spec_from_file_location(
            name, file if file.suffix else file / "__init__.py", submodule_search_locations=where
        )
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        vars(module)["__builtins__"] = self._builtins
        self._modules[full] = sys.modules[name] = module
        if file.is_file():
            self._sources[file] = source
        try:
            with self._beside():
                exec(compile(source, str(file), "exec", dont_inherit=True), vars(module))
        except BaseException:
            self._modules.pop(full, None)
            sys.modules.pop(name, None)
            raise
        return sys.modules.get(name, module)

    @contextmanager
    def _beside(self) -> Iterator[None]:
        """While files are executed, the folder is first on `sys.path`, as for a script: for what
        is imported by other means. Such modules are the folder's own, too, and leave no trace."""
        before = set(sys.modules)
        sys.path.insert(0, str(self.path))
        try:
            yield
        finally:
            if str(self.path) in sys.path:
                sys.path.remove(str(self.path))
            new = set(sys.modules) - before
            for name in [each for each in new if self._lies_here(each.partition(".")[0])]:
                self._modules[name] = sys.modules.pop(name)
                self._known[name] = True

    def _lies_here(self, top: str) -> bool:
        """Whether a module that was imported by other means is a file or package beside."""
        file = Path(getattr(sys.modules.get(top), "__file__", None) or "")
        home = file.parent.parent if file.stem == "__init__" else file.parent
        return home == self.path and not self._installed and not from_file(top)


class _Importlib(ModuleType):
    """`importlib` as modules of a folder see it."""

    def __init__(self, folder: RulesFolder) -> None:
        super().__init__("importlib")
        self.import_module = folder.import_module

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib, name)


def _file(folder: Path, name: str) -> Path | None:
    """The file of a module in a folder: that of a package first; the folder of a package without
    a file of its own last."""
    for file in (folder / name / "__init__.py", folder / f"{name}.py"):
        if file.is_file():
            return file
    return folder / name if name and (folder / name).is_dir() else None
