"""Native rules: a Numba type for every class of rules, so that compiled code can call its methods.

A game's dataclass fields and plain class attributes become members of a struct, its methods become
overloads (generators included), and module-level functions its methods call are compiled with
them. Two details matter:

* the type's name (rule_fields.py) carries a digest of everything the rules can reach, because
  Numba's cache does not notice that a rule was edited and would go on with the old one;
* the type pickles by name and fields alone, so that a cached signature can be read in a process
  that never imported the class (rules defined in a script or a notebook).

Imported only when rules must be compiled: to run what was compiled before takes no Numba.
"""

from __future__ import annotations

import contextlib
import inspect
import types as python_types
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    overload,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

from perfectplay.compiled.compile_errors import EDGES
from perfectplay.compiled.rule_fields import Kind, global_names, members, type_name
from perfectplay.compiled.rule_words import events, load_key, put_numbers, save_key
from perfectplay.rules.game import Game, replaced

_INSIDE = {"boundscheck": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that only compiled code calls."""
_classes: dict[str, type[Game]] = {}  # type name -> rules class
_constants: dict[
    str, dict[str, Any]
] = {}  # type name -> strings and arrays, fixed at compile time
_kinds: dict[str, type[RulesType]] = {}  # type name -> class of the type


class RulesType(types.Type):  # type: ignore[misc]
    """The Numba type of one class of rules, known by its name.

    Each has a subclass of its own, so that two games may use the same method name with different
    parameters."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields  # ((name, Numba type), ...)
        super().__init__(name=name)

    @property
    def rules_class(self) -> type[Game]:
        """The Python class behind the type."""
        return _classes[self.name]

    @property
    def constants(self) -> dict[str, Any]:
        """Strings and arrays of the rules, fixed when they are compiled."""
        return _constants[self.name]

    def __reduce__(self) -> Any:
        return rules_type, (self.name, self.fields)


def rules_type(name: str, fields: tuple[tuple[str, Any], ...]) -> RulesType:
    """The type called `name`, the same class of types every time."""
    if name not in _kinds:
        kind = type("RulesType", (RulesType,), {})
        register_model(kind)(_RulesModel)
        unbox(kind)(_unbox_rules)
        _kinds[name] = kind
    return _kinds[name](name, fields)


@overload(replaced)
def _replaced(p, i, value):  # type: ignore[no-untyped-def]
    if isinstance(p, types.UniTuple):
        return lambda p, i, value: tuple_setitem(p, i if i >= 0 else i + len(p), value)
    return None


@typeof_impl.register(Game)  # type: ignore[untyped-decorator]
def _typeof_rules(rules: Game, context: Any) -> RulesType:
    fields, constants = members(rules)
    name, cls = type_name(rules), type(rules)
    kinds = tuple((each, _kind_of(getattr(rules, each), kind)) for each, kind in fields)
    if name not in _classes:
        _classes[name] = cls
        _constants[name] = constants
        _overload_methods(cls, type(rules_type(name, kinds)))
    kind = rules_type(name, kinds)
    with contextlib.suppress(AttributeError):  # a class with slots goes without
        object.__setattr__(rules, "_numba_type_", kind)  # Numba asks for it before it asks here
    return kind


def _kind_of(value: Any, kind: Kind) -> Any:
    """The Numba type of an attribute."""
    if isinstance(value, Game):  # rules made from other rules
        return _typeof_rules(value, None)
    if isinstance(kind, tuple):
        return types.UniTuple(_kind_of(None, kind[0]), kind[1])
    return types.boolean if kind == "bool" else getattr(types, kind)


class _RulesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, rules_type: RulesType) -> None:
        super().__init__(manager, rules_type, list(rules_type.fields))


@infer_getattr
class _RulesAttributes(AttributeTemplate):  # type: ignore[misc]
    key = RulesType

    def generic_resolve(self, rules_type: RulesType, name: str) -> Any:
        kind = dict(rules_type.fields).get(name)
        if kind is None and name in rules_type.constants:
            return _constant_kind(rules_type.constants[name])
        return kind


def _constant_kind(value: Any) -> Any:
    """The Numba type of what is fixed when rules are compiled."""
    if isinstance(value, str):
        return types.literal(value)
    if isinstance(value, np.ndarray):
        return numba.typeof(value).copy(readonly=True)
    return types.boolean if isinstance(value, bool | np.bool_) else types.int64


@lower_getattr_generic(RulesType)  # type: ignore[untyped-decorator]
def _get_field(context: Any, builder: Any, rules_type: RulesType, value: Any, name: str) -> Any:
    kinds = dict(rules_type.fields)
    if name not in kinds:
        constant = rules_type.constants[name]
        if isinstance(constant, str):
            return context.get_dummy_value()
        return context.get_constant_generic(builder, _constant_kind(constant), constant)
    struct = cgutils.create_struct_proxy(rules_type)(context, builder, value=value)
    return impl_ret_borrowed(context, builder, kinds[name], getattr(struct, name))


def _unbox_rules(rules_type: RulesType, obj: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(rules_type)(c.context, c.builder)
    for name, kind in rules_type.fields:
        field = c.pyapi.object_getattr_string(obj, name)
        setattr(struct, name, c.unbox(kind, field).value)
        c.pyapi.decref(field)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(struct._getvalue(), is_error=failed)


def _overload_methods(cls: type[Game], kind: type[RulesType]) -> None:
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if name.startswith("__") or name in EDGES:
            continue
        signature = _bare_signature(method)
        scope: dict[str, Any] = {"find": lambda rules, name=name: _implementation(rules, name)}
        own = next(iter(inspect.signature(method).parameters), "self")
        exec(f"def overload{signature}: return find({own})", scope)
        scope["overload"].__name__ = scope["overload"].__qualname__ = name  # for messages
        overload_method(kind, name, jit_options=_INSIDE)(scope["overload"])


def _bare_signature(method: Any) -> str:
    """The parameters of a method with their defaults but without annotations."""
    signature = inspect.signature(method)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


_compilable: dict[tuple[type, str], Any] = {}


def _implementation(kind: RulesType, name: str) -> Any:
    """The method of the rules behind `kind`, with the functions it calls made compilable."""
    cls = kind.rules_class
    method = inspect.getattr_static(cls, name, None)
    if not isinstance(method, python_types.FunctionType):
        return None
    if (cls, name) not in _compilable:
        _compilable[cls, name] = _with_compiled_globals(method, {})
    return _compilable[cls, name]


def _with_compiled_globals(function: Any, seen: dict[Any, Any]) -> Any:
    """A copy of `function` whose global plain functions are replaced by compiled ones."""
    names = global_names(function.__code__)
    scope = dict(function.__globals__)
    for name in names:
        other = scope.get(name)
        if isinstance(other, python_types.FunctionType) and other is not replaced:
            if other not in seen:
                seen[other] = None  # recursion: left as it is, Numba reports it
                seen[other] = numba.njit(_with_compiled_globals(other, seen), **_INSIDE)
            if seen[other] is not None:
                scope[name] = seen[other]
    copy = python_types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    copy.__qualname__ = function.__qualname__
    return copy


# -- What rule_words.py leaves open. --------------------------------------------------------------


def key_loader(sample: Any, at: int = 0) -> Any:
    """Code that reads a position like `sample` from a row, word `at` and what follows."""
    if isinstance(sample, types.Integer):
        return lambda keys, i, sample: keys[i, at]
    words = ", ".join(f"keys[i, {at + k}]" for k in range(sample.count))
    return _made(f"def load(keys, i, sample): return ({words},)", "load")


def row_writer(value: Any, at: int = 0) -> Any:
    """Code that writes a number, or all entries of a tuple, to a row, to word `at` and what
    follows, and returns how many there are; None if there is none for such values."""
    if isinstance(value, types.Integer | types.Boolean):
        lines, count = f"out[i, {at}] = value", 1
    elif isinstance(value, types.BaseTuple) and all(
        isinstance(t, types.Integer | types.Boolean) for t in value
    ):
        lines, count = (
            "; ".join(f"out[i, {at + k}] = value[{k}]" for k in range(value.count)),
            value.count,
        )
    else:
        return None
    return _made(f"def write(out, i, value):\n    {lines}\n    return {count}", "write")


def _made(source: str, name: str) -> Any:
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope[name]


@overload(load_key)
def _load_overload(keys, i, sample):  # type: ignore[no-untyped-def]
    return key_loader(sample)


@overload(save_key)
@overload(put_numbers)
def _write_overload(out, i, value):  # type: ignore[no-untyped-def]
    return row_writer(value)


@overload(events)
def _events_overload(rules, p):  # type: ignore[no-untyped-def]
    if rules.rules_class.chances is not Game.chances:
        return lambda rules, p: rules.chances(p)

    def none(rules, p):  # type: ignore[no-untyped-def]
        for m in rules.moves(p):
            yield 0, rules.play(p, m)  # refused as a weight of 0: these rules have no chances

    return none
