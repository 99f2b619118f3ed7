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
from numba.extending import (
    NativeValue,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

from perfectplay.compiled.compile_errors import own_module
from perfectplay.compiled.rule_fields import (
    RULES_TYPE,
    Kind,
    global_names,
    kept_large,
    members,
    methods,
    positional,
    type_name,
)
from perfectplay.rules.digits import nth_mixed
from perfectplay.rules.game import Game, replaced

_INSIDE = {"boundscheck": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that only compiled code calls."""
ADDRESS = "_address"
"""What the name of a large array ends with, where its address is asked for."""
_classes: dict[str, type[Game]] = {}  # type name -> rules class
_with_constants: set[str] = set()
"""Names of types whose code contains constants of the rules."""
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

    def __reduce__(self) -> Any:
        return rules_type, (self.name, self.fields)


def rules_type(name: str, fields: tuple[tuple[str, Any], ...]) -> RulesType:
    """The type called `name`, the same class of types every time."""
    if name not in _kinds:
        kind = _kinds[name] = type("RulesType", (RulesType,), {})
        register_model(kind)(_RulesModel)
        unbox(kind)(_unbox_rules)
        for field, each in fields:
            make_attribute_wrapper(kind, field, field + ADDRESS * (each is types.voidptr))
    return _kinds[name](name, fields)


@overload(replaced)
def _replaced(p, i, value):  # type: ignore[no-untyped-def]
    if not isinstance(p, types.UniTuple):
        return None
    words = ", ".join(f"value if at == {k} else p[{k}]" for k in range(p.count))
    scope: dict[str, Any] = {}
    exec(
        f"def put(p, i, value):\n    at = i if i >= 0 else i + {p.count}\n    return ({words},)",
        scope,
    )
    return scope["put"]


@overload(nth_mixed)
def _nth_mixed(i, limits):  # type: ignore[no-untyped-def]
    if not isinstance(limits, types.UniTuple):
        return None
    lines = [f"    i, d{k} = divmod(i, limits[{k}])" for k in reversed(range(limits.count))]
    words = ", ".join(f"d{k}" for k in range(limits.count))
    scope: dict[str, Any] = {}
    exec("\n".join(["def nth(i, limits):", *lines, f"    return ({words},)"]), scope)
    return scope["nth"]


@typeof_impl.register(Game)  # type: ignore[untyped-decorator]
def _typeof_rules(rules: Game, context: Any) -> RulesType:
    known = getattr(rules, RULES_TYPE, None)
    if known is not None:
        return known  # type: ignore[no-any-return]
    fields, constants = members(rules)
    name, cls = type_name(rules), type(rules)
    kind = rules_type(
        name, tuple((each, _kind_of(getattr(rules, each), kind)) for each, kind in fields)
    )
    if name not in _classes:
        _classes[name] = cls
        _overload_methods(cls, type(kind))
        _with_constants.update({name} if constants else ())
        for each, value in constants.items():
            _overload_constant(type(kind), each, value)
        for each, _ in fields:
            if kept_large(rules, each):
                _overload_large(type(kind), each, getattr(rules, each))
    with contextlib.suppress(AttributeError):  # a class with slots goes without
        object.__setattr__(rules, RULES_TYPE, kind)
    return kind


def compiled_alike(known: Game, other: Game) -> bool:
    """Whether code compiled for the first game serves the second: it has the same class and kinds
    of attributes, and none that are fixed when rules are compiled. If so, the second is taken as
    one of the same type, which saves finding that out anew."""
    if type(known) is not type(other):
        return False
    fields, constants = members(other)
    kind = _typeof_rules(known, None)
    kinds = tuple((each, _kind_of(getattr(other, each), its)) for each, its in fields)
    if constants or kind.name in _with_constants or kinds != kind.fields:
        return False
    object.__setattr__(other, RULES_TYPE, kind)
    return True


def _kind_of(value: Any, kind: Kind) -> Any:
    """The Numba type of an attribute."""
    if isinstance(value, Game):  # rules made from other rules
        return _typeof_rules(value, None)
    if isinstance(value, np.ndarray):
        return types.voidptr
    if isinstance(kind, tuple):
        return types.UniTuple(_kind_of(None, kind[0]), kind[1])
    return types.boolean if kind == "bool" else getattr(types, kind)


class _RulesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, rules_type: RulesType) -> None:
        super().__init__(manager, rules_type, list(rules_type.fields))


def _overload_constant(kind: type[RulesType], name: str, value: Any) -> None:
    """Strings and arrays of the rules, and numbers of large games, are fixed when compiled."""

    def constant(rules):  # type: ignore[no-untyped-def]
        return lambda rules: value

    overload_attribute(kind, name, jit_options=_INSIDE)(constant)


def _overload_large(kind: type[RulesType], name: str, value: Any) -> None:
    """Large arrays are where they lie."""
    shape, dtype = value.shape, value.dtype
    scope = {"carray": numba.carray, "shape": shape, "dtype": dtype}
    exec(f"def large(rules): return carray(rules.{name}{ADDRESS}, shape, dtype)", scope)
    overload_attribute(kind, name, jit_options=_INSIDE)(lambda rules: scope["large"])


def _unbox_rules(rules_type: RulesType, obj: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(rules_type)(c.context, c.builder)
    for name, kind in rules_type.fields:
        field = c.pyapi.object_getattr_string(obj, name)
        if kind is types.voidptr:
            setattr(struct, name, _address(field, c))
        else:
            setattr(struct, name, c.unbox(kind, field).value)
        c.pyapi.decref(field)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(struct._getvalue(), is_error=failed)


def _address(array: Any, c: Any) -> Any:
    """Where the elements of an array begin, which the rules keep."""
    places = c.pyapi.object_getattr_string(array, "ctypes")
    address = c.pyapi.object_getattr_string(places, "data")
    found = c.pyapi.long_as_voidptr(address)
    for each in (places, address):
        c.pyapi.decref(each)
    return found


def _overload_methods(cls: type[Game], kind: type[RulesType]) -> None:
    for name, method in methods(cls):
        signature = _bare_signature(positional(method))
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
_called: dict[type, dict[Any, Any]] = {}
"""By class: the functions its methods call, compiled once for all of them."""


def _implementation(kind: RulesType, name: str) -> Any:
    """The method of the rules behind `kind`, with the functions it calls made compilable."""
    cls = kind.rules_class
    method = inspect.getattr_static(cls, name, None)
    if not isinstance(method, python_types.FunctionType):
        return None
    if (cls, name) not in _compilable:
        _compilable[cls, name] = _with_compiled_globals(method, _called.setdefault(cls, {}))
    return _compilable[cls, name]


def _with_compiled_globals(function: Any, seen: dict[Any, Any]) -> Any:
    """A copy of `function` in which plain functions, global, from outer functions or from modules
    that it names, are compiled ones."""
    names = global_names(function.__code__)
    many = frozenset(names)

    def compiled(value: Any) -> Any:
        if own_module(value):
            if (value, many) not in seen:
                seen[value, many] = value  # modules that import each other
                seen[value, many] = _compiled_module(value, names, compiled)
            return seen[value, many]
        if not isinstance(value, python_types.FunctionType) or value in (replaced, nth_mixed):
            return value
        if value not in seen:
            seen[value] = value  # recursion: left as it is, Numba reports it
            seen[value] = numba.njit(_with_compiled_globals(value, seen), **_INSIDE)
        return seen[value]

    function = positional(function)
    scope = dict(function.__globals__)
    for name in names & scope.keys():
        scope[name] = compiled(scope[name])
    cells = tuple(
        python_types.CellType(compiled(cell.cell_contents)) for cell in function.__closure__ or ()
    )
    copy = python_types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, cells or None
    )
    copy.__module__ = function.__module__
    copy.__qualname__ = function.__qualname__
    return copy


def _compiled_module(module: Any, names: set[str], compiled: Any) -> Any:
    """A copy of a module in which functions of these names, also in modules inside, are compiled;
    the module itself if there are none."""
    held = {name: vars(module)[name] for name in names & vars(module).keys()}
    made = {
        name: compiled(value)
        for name, value in held.items()
        if isinstance(value, python_types.FunctionType) or own_module(value)
    }
    if all(made[name] is held[name] for name in made):
        return module
    copy = python_types.ModuleType(module.__name__)
    vars(copy).update({**vars(module), **made})
    return copy
