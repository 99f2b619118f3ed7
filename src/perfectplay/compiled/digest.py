"""The digest of a game: sixteen hex digits that change when its rules may have changed.

It covers all that the rules can reach: methods of the class and its bases, functions and classes
they name, recursively, and values of constants. It does not cover comments, docstrings,
annotations, parameters (tables record those), nor what only shows positions (`text` and such).
Rules that use what cannot be covered have a digest that is equal to no other.

reachable.py follows what rules name; source_text.py makes a text of each function."""

from __future__ import annotations

import dataclasses
import inspect
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from perfectplay.compiled.reach import class_parts, libraries, object_parts
from perfectplay.compiled.reach.reachable import Reachable
from perfectplay.compiled.reach.source_text import contents, names_in
from perfectplay.errors import TableError
from perfectplay.rules.capabilities import CAPABILITIES
from perfectplay.rules.game import Game, parameters

LABELS = frozenset(
    {"unlabel", "relabel", "called", "unlabelled_key", "labels", "labels_reversible"}
)
ABSTRACT = frozenset(
    {
        "blurs", "added", "blur", "goals", "counts_in", "blur_sizes", "blur_index", "also", "twin",
        "blur_at", "blur_least", "blur_like", "blur_steps", "spared", "forced", "follows",
    }
)  # fmt: skip
GUIDES = LABELS | ABSTRACT | {"hint", "guess", "guess_as", "guess_kinds", "bounds"}
"""Methods that no value, and so no table, depends on, but compiled code may call."""
SHOWN = frozenset({"text", "parse", "move_text", "picture", "places", "chart", "player_name"})
EDGES = GUIDES | SHOWN | {"own_solver", "deal_parameter", "known_endings"}
"""Methods that guide, show or solve. (In plain games `text` is a position's key, so it counts.)"""
RULES = (
    frozenset(name for each in (Game, *CAPABILITIES) for name in vars(each) if name[0] != "_")
    - EDGES
)

UNKNOWN = "?"
"""How digests begin that are equal to no other: something that the rules use was not followed."""


def rules_digest(game: Game) -> str:
    """Sixteen hex digits over everything that the rules of `game` can reach. If some of it cannot
    be followed, a text that no other digest is equal to, not even the next one of this game."""
    whole = _reached(game, _edges(game))
    if whole.reasons:
        return UNKNOWN + secrets.token_hex(8)
    return whole.hexdigest()[:16]


def not_followed(game: Game) -> list[str]:
    """What the rules use that no digest covers, in words; nothing if their digest is sound."""
    return list(_reached(game, _edges(game)).reasons)


def refuse_other_rules(game: Game, header: dict[str, Any], folder: str | Path) -> None:
    """TableError unless the table with this header was made with the rules of `game`."""
    if rules_digest(game) == header["rules"]:
        return
    if missed := not_followed(game):
        raise TableError(
            f"nothing shows that {folder} was made with these rules: {missed[0]}",
            "make that a parameter of the rules, or a constant that is there once they are "
            "imported; a table of rules that use it serves only the process that made it",
        )
    raise TableError(
        f"{folder} was made with other rules than {type(game).__name__} has now",
        f"the table is that of {header['game']}; if these rules were edited since, solve the "
        "game again with --fresh, else into another folder (--table)",
    )


def compiled_digest(game: Game) -> str:
    """The same, with what guides a search: all that compiled code can reach, which is nothing
    outside. What could not be followed holds for this process."""
    whole = _reached(game, EDGES - GUIDES)
    if not all(whole.reasons.values()):
        whole.write(_PROCESS)
    return whole.hexdigest()[:16]


_PROCESS = secrets.token_hex(8)


def _edges(game: Game) -> frozenset[str]:
    return EDGES if game.native else EDGES - {"text", "parse"}


def _reached(game: Game, edges: frozenset[str]) -> Reachable:
    known = len(sys.modules)
    whole = _followed(game, edges)
    if len(sys.modules) == known:
        return whole
    return _followed(game, edges)  # as in a process that has imported what methods import


def _followed(game: Game, edges: frozenset[str]) -> Reachable:
    cls = type(game)
    home = libraries.file_of(cls.__module__)
    folder = os.path.dirname(os.path.abspath(home)) if home else ""
    whole = Reachable(cls.__module__, folder, _game_class, game)
    try:
        _rules(whole, cls, edges)
        _instance(whole, game)
        made_from = getattr(game, "rules", None)
        if isinstance(made_from, Game):
            inner = _reached(made_from, _edges(made_from))
            whole.write(inner.hexdigest())
            whole.reasons |= inner.reasons
    except RecursionError:
        whole.refuse(f"{cls.__name__} holds objects that are nested too deeply")
    return whole


def _game_class(whole: Reachable, cls: type) -> None:
    """Another class of rules that rules name."""
    _rules(whole, cls, EDGES - {"text", "parse"})


def _rules(whole: Reachable, cls: type, edges: frozenset[str]) -> None:
    """The class of a game: every attribute that is not only for show."""
    bases = [c for c in cls.__mro__ if c not in (Game, *CAPABILITIES, object)]
    for base in bases:
        if not whole.seen(base):
            whole.remember(base)
        if not whole.ours_class(base):
            whole.library(base.__module__, base.__qualname__)
    bases = [c for c in bases if whole.ours_class(c)]
    if type(cls) is not type:
        whole.object(type(cls))
    for base in (Game, *CAPABILITIES):
        whole.patches(base)
    kept = _kept(bases, edges)
    for base in bases:
        whole.write("class")
        for name, member in sorted(_members(base)):
            if name in kept:
                whole.named(name, member)
    _fields(whole, bases, by_class=whole.asked(bases) or _reads_own_class(bases, kept))


def _fields(whole: Reachable, bases: list[type], *, by_class: bool) -> None:
    """What a table does not record of the fields of a game."""
    for base in bases:
        for name, field in vars(base).get("__dataclass_fields__", {}).items():
            if field.metadata:
                whole.named(name, dict(field.metadata))
            if not field.init or by_class:
                whole.write(name)
                class_parts.defaults(field, whole)


def _instance(whole: Reachable, game: Game) -> None:
    """What a game holds beside its parameters, which tables record: their classes, values that
    are no numbers or texts, and all else if the class does not say which its parameters are."""
    known = parameters(game)
    for name, value in known.items():
        if not _recorded(value):
            whole.named(name, value)
    fields = getattr(type(game), "__dataclass_fields__", {})
    own = class_parts.made_by_dataclass(type(game).__init__)
    if not own or any("InitVar" in str(field.type) for field in fields.values()):
        held = object_parts.state(game)
        whole.all_named({name: value for name, value in held.items() if name not in known})


def _recorded(value: Any) -> bool:
    """Whether a table records the value of a parameter as it is."""
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        return all(map(_recorded, value))
    return value is None or type(value) in (bool, int, float, str) or isinstance(value, Game)


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """What an author wrote in a class of rules, without the defaults of its parameters."""
    own = vars(cls).get("__dataclass_fields__", {})
    given = {f.name for f in dataclasses.fields(cls) if f.init} if own else set()
    for name, member in class_parts.members(cls):
        mine = name in given and name in inspect.get_annotations(cls)
        if not (mine and own[name].default is member):
            yield name, member


def _reads_own_class(bases: list[type], kept: set[str]) -> bool:
    """Whether rules may read the default of a parameter from their class, and not only its value
    in the game."""
    for base in bases:
        for name, member in _members(base):
            if name not in kept:
                continue
            if isinstance(member, classmethod) or _used(member) & {"type", "__class__", "fields"}:
                return True
    return False


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
    """All names in the code of a member of a class, and in that of what it is made from."""
    found: set[str] = set()
    queue, seen = [member], set[int]()
    while queue:
        each = queue.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, FunctionType):
            found |= set(names_in(each.__code__))
            held = [contents(cell) for cell in each.__closure__ or ()]
            queue += [inner for inner in held if isinstance(inner, FunctionType)]
        elif not isinstance(each, type | ModuleType):
            parts = (_part(each, name) for name in _PARTS)
            queue += [part for part in parts if part is not None]
            queue += [f for f in vars(type(each)).values() if isinstance(f, FunctionType)]
    return found


_PARTS = ("__func__", "fget", "fset", "py_func", "func", "__wrapped__", "dispatcher")


def _part(thing: Any, name: str) -> Any:
    """An attribute of what wraps a function, if it has one."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None
