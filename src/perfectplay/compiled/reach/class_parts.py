"""Parts of classes: what an author wrote in a class, without what Python and libraries add."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.reach.object_parts import state

if TYPE_CHECKING:
    from perfectplay.compiled.reach.reachable import Reachable

_NOISE = frozenset(
    {"__doc__", "__module__", "__qualname__", "__annotations__", "__annotate__", "__weakref__",
     "__annotate_func__", "__annotations_cache__", "__dict__", "__firstlineno__",
     "__static_attributes__", "__type_params__", "__parameters__", "__orig_bases__",
     "__abstractmethods__", "__dataclass_fields__", "__dataclass_params__", "__protocol_attrs__",
     "__non_callable_proto_members__", "_abc_impl", "_is_protocol",
     "_is_runtime_protocol", "__classdictcell__", "_rules_type"}
)  # fmt: skip
"""What Python keeps in a class that no author wrote, or that is no rule."""


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """What an author wrote in a class: nothing that Python, `dataclass` or the like made."""
    for name, member in vars(cls).items():
        if name not in _NOISE and not _made(cls, name, member):
            yield name, member


def _made(cls: type, name: str, member: Any) -> bool:
    """Whether some library made a member of a class from what else is in the class."""
    if isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType):
        return member.__objclass__ is cls  # __slots__ names it
    function = member.__func__ if isinstance(member, staticmethod | classmethod) else member
    if made_by_dataclass(function):
        return True
    if "_fields" in vars(cls) and issubclass(cls, tuple):
        home = getattr(function, "__globals__", {}).get("__name__", "")
        made = home in ("collections", "typing") or home.startswith("namedtuple_")
        return made or type(member).__name__ == "_tuplegetter"
    return False


def made_by_dataclass(function: Any) -> bool:
    """Whether `dataclass` made a method."""
    if not isinstance(function, types.FunctionType):
        return False
    if function.__globals__.get("__name__") == "dataclasses":
        return True  # `__replace__`, since Python 3.13
    inner = getattr(function, "__wrapped__", function)
    code = getattr(inner, "__code__", function.__code__)
    return code.co_qualname.startswith("__create_fn__")


def class_members(cls: type, to: Reachable) -> None:
    """All members of a class that is no game."""
    if "__dataclass_fields__" in vars(cls):
        params = vars(cls)["__dataclass_params__"]
        to.write(
            *(f"{name}={getattr(params, name)}" for name in ("eq", "order", "frozen", "repr"))
        )
        for name, field in vars(cls)["__dataclass_fields__"].items():
            facts = field.init, field.compare, field.hash, field.repr, bool(field.kw_only)
            to.write("field", name, repr(facts))
            to.object(dict(field.metadata))
            defaults(field, to)
    if issubclass(cls, enum.Enum):
        _enum(cls, to)
    else:
        to.all_named(dict(members(cls)))


def subclasses(bases: list[Any], to: Reachable) -> None:
    """The classes that classes among `bases` know as derived from them, wherever they are."""
    for base in bases:
        if isinstance(base, type) and to.ours_class(base):
            known: list[type] = type.__subclasses__(base)
            for each in known:
                to.named(each.__qualname__, each)
            subclasses(known, to)


def defaults(field: Any, to: Reachable) -> None:
    """What a field of a dataclass is if it is not given."""
    if field.default is not dataclasses.MISSING:
        to.object(field.default)
    if field.default_factory is not dataclasses.MISSING:
        to.write("made by")
        to.object(field.default_factory)


_OF_ENUMS = ("name", "_name_", "_value_", "__objclass__", "_sort_order_")


def _enum(cls: type[enum.Enum], to: Reachable) -> None:
    """The members of an enumeration in their order, and what the author wrote beside them."""
    if issubclass(cls, enum.Flag):
        to.write(str(vars(cls).get("_boundary_")))
    for name, member in cls.__members__.items():
        to.write("member", name)
        to.object(member.value)
        to.all_named({k: v for k, v in state(member).items() if k not in _OF_ENUMS})
    for name, thing in sorted(members(cls), key=lambda each: each[0]):
        function = thing.__func__ if isinstance(thing, staticmethod | classmethod) else thing
        home = type(thing).__module__
        if isinstance(function, types.FunctionType):
            home = str(function.__globals__.get("__name__"))
        of_enums = name[0] == name[-1] == "_" and home in ("enum", "builtins", "types")
        if name not in cls.__members__ and not of_enums:
            to.named(name, thing)
