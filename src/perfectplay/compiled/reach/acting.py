"""Acting statements: what a module of the rules does when it is imported, beside giving names.

Such as setting the precision of decimal numbers. The text of a statement counts, and what it may
give to a library: a number, a table, a class that is registered somewhere."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.reach.source_text import all_statements, statements
from perfectplay.rules.game import Game

if TYPE_CHECKING:
    from perfectplay.compiled.reach.reachable import Reachable


def statements_of(scope: dict[str, Any], to: Reachable) -> None:
    """Feed the acting statements of a module to the hash, and those of modules it imports."""
    file, name = scope.get("__file__"), str(scope.get("__name__"))
    if not isinstance(file, str) or name == "__main__" or file in to.acted:
        return
    to.acted.add(file)
    if name.partition(".")[0] == "perfectplay":
        return
    text, names = statements(file, scope)
    if text:
        to.write(text)
    if any(hasattr(scope[each], "cache_info") for each in names & scope.keys()):
        to.write(all_statements(file, scope))  # what it was asked then, it may answer for good
    with to.forgiving():
        for each in sorted(names & scope.keys()):
            if each[:2] != "__":  # of the module itself, such as its name
                _given_away(each, scope[each], to)
    held = [scope[each] for each in sorted(scope) if isinstance(scope[each], ModuleType)]
    for module in held:
        if to.ours(module.__name__, vars(module).get("__file__")):
            statements_of(vars(module), to)


def _given_away(name: str, thing: Any, to: Reachable) -> None:
    """What a statement names: a library may hold it where nothing else shows it."""
    if isinstance(thing, FunctionType):
        to.patch(name, thing)
    elif isinstance(thing, type):
        if to.ours_class(thing) and not issubclass(thing, Game):
            to.named(name, thing)
    elif not isinstance(thing, ModuleType):
        to.named(name, thing)
