"""From a name or a file, and parameters as text, to a `Game`.

A game is given as

    pig                          a name from perfectplay.games, or an entry point elsewhere
    rules.py:Hop                 a class in a file (rules.py alone, if it holds one game)
    package.module:Class         a class in a module that can be imported
    spiel:pig(winscore=20)       a game of OpenSpiel, with its parameters in brackets

and its parameters as `name=value`, read by the types of the fields of the class.
"""

import difflib
import importlib
import inspect
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from perfectplay.errors import PerfectPlayError, RulesError, UsageError
from perfectplay.rules import folder_import
from perfectplay.rules.folder_import import from_file, module_of
from perfectplay.rules.game import Game
from perfectplay.rules.parameters import describe_parameters, did_you_mean, read_parameters

__all__ = ["find", "find_function", "installed", "load", "make", "rules_path"]

GROUP = "perfectplay.games"
"""Entry points of this group are games of other packages."""
SPIEL = "spiel:"
"""How games of OpenSpiel begin."""
_OWN = (__file__, folder_import.__file__)


def load(spec: str, parameters: Mapping[str, Any] | Iterable[str] = ()) -> Game:
    """The game that `spec` names; parameters are {"name": value} or ["name=value", …]."""
    if spec.startswith(SPIEL):
        named = spec.removeprefix(SPIEL)
        if isinstance(parameters, Mapping):
            return make(find(spec), {"game": named, **parameters})
        return make(find(spec), [f"game={named}", *parameters])
    return make(find(spec), parameters)


# -- Finding the class. ---------------------------------------------------------------------------


def find(spec: str) -> type[Game]:
    """The class of rules that `spec` names."""
    if spec.startswith(SPIEL):
        from perfectplay.interop.spiel import OpenSpiel

        return OpenSpiel
    where, colon, name = spec.rpartition(":")
    if spec.endswith(".py"):
        return _only_game(_file_module(Path(spec)), spec)
    if where.endswith(".py"):
        return _game_class(_file_module(Path(where)), name, where)
    if colon and where:
        return _game_class(_named_module(where), name, where)
    return _listed(spec)


def find_function(spec: str) -> Callable[..., Any]:
    """The function that `spec` names: file.py:function, or package.module:function."""
    where, _, name = spec.rpartition(":")
    if not where or not name:
        raise UsageError(f"{spec} names no function", "say which: path/to/file.py:function")
    module = _file_module(Path(where)) if where.endswith(".py") else _named_module(where)
    found = getattr(module, name, None)
    if callable(found) and not isinstance(found, type):
        return found  # type: ignore[no-any-return]
    others = [each for each in vars(module) if inspect.isfunction(getattr(module, each))]
    close = difflib.get_close_matches(name, others, n=3, cutoff=0.5) or others[:8]
    raise UsageError(f"{where} has no function called {name!r}", did_you_mean(close).strip())


def _listed(name: str) -> type[Game]:
    """A game of perfectplay.games by its name; capitals and underscores do not matter."""
    from perfectplay.games import GAMES

    key = _key(name)
    known = {_key(each): game.path for each, game in GAMES.items()}
    if key not in known:
        known |= {_key(each): path for each, path in installed().items()}
    if key in known:
        where, _, cls = known[key].partition(":")
        return _game_class(_named_module(where), cls, where)
    file = Path(f"{name}.py")
    if file.is_file():
        raise UsageError(f"there is no game called {name!r}", f"did you mean the file {file}?")
    if name and Path(name).is_dir():
        raise UsageError(f"{name} is a folder, not a game", "give a name, or a file: rules.py:Hop")
    close = difflib.get_close_matches(key, known, n=3, cutoff=0.5)
    hint = did_you_mean(close)
    raise UsageError(
        f"there is no game called {name!r}", f"{hint}`perfectplay games` lists all names"
    )


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "-")


def installed() -> dict[str, str]:
    """The games of other packages, "package.module:Class" by name; none of them is imported."""
    from importlib.metadata import entry_points

    return {each.name: each.value for each in entry_points(group=GROUP)}


def _named_module(name: str) -> types.ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise UsageError(
                f"there is no module called {name!r}",
                "games in files are given as path/to/file.py:Class",
            ) from None
        raise _import_error(error, name) from None
    except PerfectPlayError:
        raise
    except Exception as error:
        raise _import_error(error, name) from None


def _file_module(path: Path) -> types.ModuleType:
    """The module in a file, imported anew if the file, or a helper, has changed since."""
    if not path.is_file():
        near = [str(each) for each in path.parent.glob("*.py")] if path.parent.is_dir() else []
        close = difflib.get_close_matches(str(path), near, n=3)
        raise UsageError(f"there is no file {path}", did_you_mean(close).strip())
    try:
        return module_of(path.resolve())
    except (Exception, SystemExit) as error:
        raise _import_error(error, str(path)) from None


def _import_error(error: BaseException, where: str) -> RulesError:
    """What went wrong in a user's file, with its line, in one sentence."""
    if isinstance(error, SyntaxError):
        file, line, what = error.filename, error.lineno, f"{type(error).__name__}: {error.msg}"
    else:
        frames = traceback.extract_tb(error.__traceback__)
        own = [
            f for f in frames if not f.filename.startswith("<frozen") and f.filename not in _OWN
        ]
        file, line = (own[-1].filename, own[-1].lineno) if own else (where, None)
        what = f"{type(error).__name__}: {error}".rstrip(": ")
    place = f"{_short(file or where)}, line {line}" if line else _short(file or where)
    hint = ""
    if isinstance(error, ModuleNotFoundError):
        hint = f"install the package that provides {error.name!r}, or put {error.name}.py beside"
    return RulesError(f"{where} cannot be imported: {place}: {what}", hint)


def _short(file: str) -> str:
    """A path as it is seen from the current folder, if it lies below."""
    try:
        return str(Path(file).resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def _games_of(module: types.ModuleType) -> dict[str, type[Game]]:
    return {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, type)
        and issubclass(each, Game)
        and each.__module__ == module.__name__
        and not name.startswith("_")
    }


def _only_game(module: types.ModuleType, spec: str) -> type[Game]:
    found = _games_of(module)
    if len(found) == 1:
        return _checked(next(iter(found.values())), spec)
    if not found:
        raise UsageError(
            f"{spec} holds no game", "a game is a class that derives from perfectplay.Game"
        )
    names = ", ".join(found)
    raise UsageError(f"{spec} holds several games: {names}", f"say which: {spec}:{min(found)}")


def _game_class(module: types.ModuleType, name: str, where: str) -> type[Game]:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and issubclass(found, Game) and found is not Game:
        return _checked(found, where)
    others = _games_of(module)
    if found is None:
        close = difflib.get_close_matches(name, others, n=3, cutoff=0.5) or list(others)[:8]
        raise UsageError(f"{where} has no class called {name!r}", did_you_mean(close).strip())
    shown = f"games there: {', '.join(others)}" if others else ""
    raise UsageError(f"{name} in {where} does not derive from perfectplay.Game", shown)


def _checked(cls: type[Game], where: str) -> type[Game]:
    """The class, if its fields can be given: annotated fields need a dataclass. A base may declare
    names that the class then gives."""
    given = getattr(cls, "__dataclass_fields__", {})
    for base in cls.__mro__[: cls.__mro__.index(Game)]:
        if not issubclass(base, Game) or "__dataclass_fields__" in vars(base):
            continue
        fields = [
            name
            for name, kind in inspect.get_annotations(base).items()
            if name not in given and name not in _FACTS and "ClassVar" not in str(kind)
            if name in vars(base) or not hasattr(cls, name)
        ]
        if fields:
            raise RulesError(
                f"{base.__name__} in {where} has fields ({', '.join(fields)}) but is no dataclass",
                f"write @dataclass(frozen=True) above `class {base.__name__}`",
            )
    return cls


_FACTS = frozenset({"players", "native", "misere", "minimise", "endless"})


# -- Making the game. -----------------------------------------------------------------------------


def make(cls: type[Game], parameters: Mapping[str, Any] | Iterable[str] = ()) -> Game:
    """A game of class `cls` with the given parameters, and defaults for the others."""
    values = read_parameters(cls, parameters)
    try:
        return cls(**values)
    except PerfectPlayError as error:
        raise UsageError(error.message, error.hint or describe_parameters(cls)) from None
    except (ValueError, AssertionError) as error:
        raise UsageError(f"{cls.__name__}: {error}", describe_parameters(cls)) from None
    except Exception as error:
        raise _import_error(error, cls.__name__) from None


# -- Naming the rules in a table. -----------------------------------------------------------------


def rules_path(game: Game) -> str:
    """How a table names the rules, such that `load` finds them again: the name of a listed game,
    whose module may move; "package.module:Class"; or "file.py:Class" for a class in a file, whose
    folder is not recorded. Rules that take another class for some parameters name the one that is
    listed (`listed_as`)."""
    cls = getattr(type(game), "listed_as", type(game))
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if cls.__module__ == "__main__" or from_file(cls.__module__):
        return f"{Path(file).name if file else cls.__module__}:{cls.__qualname__}"
    return listed_name(f"{cls.__module__}:{cls.__qualname__}")


def is_listed(name: str) -> bool:
    """Whether `name` is that of a game of this package."""
    from perfectplay.games import GAMES

    return name in GAMES


def listed_name(path: str) -> str:
    """The name of the game at a path, if it is a listed one; its module may have moved."""
    from perfectplay.games import GAMES

    where, _, cls = path.rpartition(":")
    ours = where.startswith("perfectplay.games.")
    names = [name for name, game in GAMES.items() if ours and game.path.endswith(f":{cls}")]
    return names[-1] if names else path


# -- Games that were given as objects. ------------------------------------------------------------

_given: dict[tuple[str, str], Game] = {}
"""By path and parameters. The rules of a script cannot be loaded by their names."""


def remember(game: Game, path: str, parameters: str) -> None:
    """Keep a game for rules that name it by its path and its parameters, as JSON."""
    _given[path, parameters] = game


def remembered(path: str, parameters: str) -> Game | None:
    """The game that was kept by these names, if one was."""
    return _given.get((path, parameters))
