"""Native rules: a Numba type for every class of rules, so that compiled code can call its methods.

A game's dataclass fields and plain class attributes become members of a struct, its methods become
overloads (generators included), and module-level functions its methods call are compiled with
them. Two details matter:

* the type's name carries a digest of everything the rules can reach, because Numba's cache does
  not   notice that a rule was edited and would go on with the old one;
* the type pickles by name and fields alone, so that a cached signature can be read in a process
  that   never imported the class (rules defined in a script or a notebook).
"""

from __future__ import annotations

import contextlib
import hashlib
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

from perfectplay.digest import compiled_digest
from perfectplay.game import Game, replaced
from perfectplay.refusal import EDGES

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
    fields, constants = _members(rules)
    shape = ", ".join(f"{name}:{kind}" for name, kind in fields)
    fixed = hashlib.sha256(repr(sorted((k, _stamp(v)) for k, v in constants.items())).encode())
    cls = type(rules)
    name = (
        f"{cls.__qualname__}@{compiled_digest(rules)}({shape})"
        f"{fixed.hexdigest()[:8] if constants else ''}"
    )
    if name not in _classes:
        _classes[name] = cls
        _constants[name] = constants
        _overload_methods(cls, type(rules_type(name, fields)))
    kind = rules_type(name, fields)
    with contextlib.suppress(AttributeError):  # a class with slots goes without
        object.__setattr__(rules, "_numba_type_", kind)  # Numba asks for it before it asks here
    return kind


def _members(rules: Game) -> tuple[tuple[tuple[str, Any], ...], dict[str, Any]]:
    """The attributes compiled code may read: numbers and tuples by value, others as constants."""
    fields: list[tuple[str, Any]] = []
    constants: dict[str, Any] = {}
    for name in sorted(_names_used(type(rules)) & (set(dir(type(rules))) | set(vars(rules)))):
        if name.startswith(("__", "_numba_")) or callable(getattr(type(rules), name, None)):
            continue
        value = getattr(rules, name)
        if isinstance(value, bool | np.bool_):
            fields.append((name, types.boolean))
        elif isinstance(value, int | np.integer):
            fields.append((name, types.int64))
        elif isinstance(value, float):
            fields.append((name, types.float64))
        elif isinstance(value, str | np.ndarray):
            constants[name] = value
        elif isinstance(value, tuple) and (kind := _tuple_type(value)) is not None:
            fields.append((name, kind))
        elif isinstance(value, Game):  # rules made from other rules
            fields.append((name, _typeof_rules(value, None)))
    return tuple(fields), constants


def _names_used(cls: type[Game]) -> set[str]:
    """The names that methods of the rules use: compiled code carries no other attributes."""
    found = {"players"}
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("__") and name not in EDGES:
            found |= _global_names(method.__code__)
    return found


def _tuple_type(value: tuple[Any, ...]) -> Any:
    """The Numba type of a tuple of integers (or of equally long tuples of them), if it is one."""
    if not value:
        return None
    if all(isinstance(x, int | np.integer) for x in value):
        return types.UniTuple(types.int64, len(value))
    if all(isinstance(x, tuple) for x in value):
        inner = {_tuple_type(x) for x in value}
        if len(inner) == 1 and None not in inner:
            return types.UniTuple(inner.pop(), len(value))
    return None


def _stamp(value: Any) -> str:
    """A text that differs when the constant does."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)


class _RulesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, rules_type: RulesType) -> None:
        super().__init__(manager, rules_type, list(rules_type.fields))


@infer_getattr
class _RulesAttributes(AttributeTemplate):  # type: ignore[misc]
    key = RulesType

    def generic_resolve(self, rules_type: RulesType, name: str) -> Any:
        kind = dict(rules_type.fields).get(name)
        if kind is None and name in rules_type.constants:
            value = rules_type.constants[name]
            if isinstance(value, str):
                return types.literal(value)
            return numba.typeof(value).copy(readonly=True)
        return kind


@lower_getattr_generic(RulesType)  # type: ignore[untyped-decorator]
def _get_field(context: Any, builder: Any, rules_type: RulesType, value: Any, name: str) -> Any:
    kinds = dict(rules_type.fields)
    if name not in kinds:
        constant = rules_type.constants[name]
        if isinstance(constant, str):
            return context.get_dummy_value()
        kind = numba.typeof(constant).copy(readonly=True)
        return context.get_constant_generic(builder, kind, constant)
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
        overload_method(kind, name, jit_options={"boundscheck": True})(scope["overload"])


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
    names = _global_names(function.__code__)
    scope = dict(function.__globals__)
    for name in names:
        other = scope.get(name)
        if isinstance(other, python_types.FunctionType) and other is not replaced:
            if other not in seen:
                seen[other] = None  # recursion: left as it is, Numba reports it
                seen[other] = numba.njit(_with_compiled_globals(other, seen), boundscheck=True)
            if seen[other] is not None:
                scope[name] = seen[other]
    copy = python_types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    copy.__qualname__ = function.__qualname__
    return copy


def _global_names(code: python_types.CodeType) -> set[str]:
    """All names a code object and the ones nested in it may look up globally."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _global_names(constant)
    return names
