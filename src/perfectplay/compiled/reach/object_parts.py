"""Parts of objects: what an object is to the rules that hold it.

An object of a class of the rules is its class and all that it holds, in its dictionary, its slots,
and as a list, number or the like. One of a library is what pickle would keep of it. What pickle
cannot keep is not guessed: generators, open files and random numbers are reasons to refuse."""

from __future__ import annotations

import array
import collections
import contextvars
import copyreg
import enum
import functools
import gc
import inspect
import io
import logging
import random
import re
import struct
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from perfectplay.compiled.reach.outside_world import lies_outside
from perfectplay.compiled.reach.source_text import bytecode
from perfectplay.compiled.reach.ways_out import ASKS, READS
from perfectplay.rules.folder_import import RulesFolder

if TYPE_CHECKING:
    from perfectplay.compiled.reach.reachable import Reachable

_DESCRIPTORS = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType,
)  # fmt: skip
_LOCKS = (type(threading.Lock()), type(threading.RLock()))


def write(thing: Any, to: Reachable) -> None:
    """Feed an object that is no function, class, module or plain value to the hash."""
    if lies_outside(thing):
        to.opaque(thing, "a way to the world outside, such as files and the environment")
        return
    for kind, writer in _WRITERS:
        if issubclass(type(thing), kind):  # whatever `__class__` says
            writer(thing, to)
            return
    inner = _compiled_from(thing)
    if inner is not None:
        to.write("compiled")
        to.object(inner)
    elif to.ours_class(type(thing)):
        _own(thing, to)
    elif type(thing).__module__.partition(".")[0] == "numpy":
        _numpy(thing, to)
    elif type(thing).__module__.startswith("numba.typed."):
        _typed(thing, to)
    else:
        _foreign(thing, to)


def _compiled_from(thing: Any) -> types.FunctionType | None:
    """The function that Numba compiled, if `thing` is what it made."""
    if isinstance(inspect.getattr_static(type(thing), "__getattr__", None), types.FunctionType):
        return None
    inner = getattr(thing, "py_func", None)
    return inner if isinstance(inner, types.FunctionType) else None


# -- Kinds that have their own way. ---------------------------------------------------------------


def _method(thing: Any, to: Reachable) -> None:
    """A function bound to an object, written in Python or not."""
    to.write("method", thing.__name__)
    if isinstance(thing.__self__, RulesFolder):
        return  # importlib.import_module, as files see it
    if isinstance(thing.__self__, PurePath) and thing.__name__ in READS | ASKS:
        to.opaque(thing, "a way to a file")
        return
    if isinstance(thing, types.MethodType):
        to.object(thing.__func__)
    if isinstance(thing.__self__, types.ModuleType):
        to.extension(thing.__self__)
    else:
        to.object(thing.__self__)


def _wrapper(thing: Any, to: Reachable) -> None:
    to.write(type(thing).__name__)
    to.object(thing.__func__)


def _property(thing: Any, to: Reachable) -> None:
    to.write("property")
    to.object((thing.fget, thing.fset, thing.fdel))


def _partial(thing: Any, to: Reachable) -> None:
    to.write(type(thing).__name__)
    to.object((thing.func, thing.args, thing.keywords))


def _cached(thing: Any, to: Reachable) -> None:
    to.write("cached")
    to.object(getattr(thing, "__wrapped__", None) or thing.func)


def _dispatched(thing: Any, to: Reachable) -> None:
    to.write("singledispatchmethod")
    to.object((thing.func, thing.dispatcher))


def _member(thing: Any, to: Reachable) -> None:
    to.object(type(thing))
    to.write("enum", str(thing.name), *([] if thing.name else [repr(thing.value)]))


def _slot(thing: Any, to: Reachable) -> None:
    to.write("descriptor", thing.__objclass__.__qualname__, thing.__name__)


def _proxy(thing: Any, to: Reachable) -> None:
    to.write("proxy")
    to.container(dict(thing))


def _set(thing: Any, to: Reachable) -> None:
    if type(thing) in (set, frozenset):
        to.write(type(thing).__name__)
        to.unordered(thing)
    else:
        _by_class(thing, to)


def _buffer(thing: Any, to: Reachable) -> None:
    to.write(type(thing).__name__, getattr(thing, "typecode", ""), str(len(thing)))
    to.write_bytes(thing.tobytes() if hasattr(thing, "tobytes") else thing)


def _pattern(thing: Any, to: Reachable) -> None:
    to.write("pattern", repr(thing.pattern), str(thing.flags))


def _path(thing: Any, to: Reachable) -> None:
    to.write("path", to.text(str(thing)))


def _weak(thing: Any, to: Reachable) -> None:
    to.write("weak")
    to.object(thing())


def _variable(thing: Any, to: Reachable) -> None:
    to.write("variable", thing.name)
    with suppress(LookupError):
        to.object(thing.get())


def _local(thing: Any, to: Reachable) -> None:
    to.write("local")
    to.all_named(vars(thing))


def _struct(thing: Any, to: Reachable) -> None:
    to.write("struct", str(thing.format))


def _code(thing: Any, to: Reachable) -> None:
    to.write("code", bytecode(thing))


def _comparison(thing: Any, to: Reachable) -> None:
    """What `cmp_to_key` made."""
    to.write("comparison")
    to.object(gc.get_referents(thing))


def _type_variable(thing: Any, to: Reachable) -> None:
    to.write(type(thing).__name__, thing.__name__)
    for name in ("__bound__", "__constraints__", "__default__"):
        to.object(getattr(thing, name, None))


def _by_type(thing: Any, to: Reachable) -> None:
    """Locks and loggers: no rule depends on what they hold."""
    to.write(type(thing).__qualname__)


def _refused(what: str) -> Callable[[Any, Reachable], None]:
    def refuse(thing: Any, to: Reachable) -> None:
        to.opaque(thing, what)

    return refuse


def _by_class(thing: Any, to: Reachable) -> None:
    """Of a class that derives from a built-in one, perhaps."""
    (_own if to.ours_class(type(thing)) else _foreign)(thing, to)


_WRITERS: list[tuple[Any, Callable[[Any, Any], None]]] = [
    ((types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType), _method),
    ((staticmethod, classmethod), _wrapper),
    ((property, types.DynamicClassAttribute), _property),
    ((functools.partial, functools.partialmethod), _partial),
    ((functools.cached_property, type(functools.cache(repr))), _cached),
    (functools.singledispatchmethod, _dispatched),
    (enum.Enum, _member),
    (_DESCRIPTORS, _slot),
    (types.MappingProxyType, _proxy),
    ((set, frozenset), _set),
    ((bytearray, memoryview, array.array), _buffer),
    (re.Pattern, _pattern),
    (PurePath, _path),
    (weakref.ref, _weak),
    (contextvars.ContextVar, _variable),
    (threading.local, _local),
    (struct.Struct, _struct),
    (types.CodeType, _code),
    (type(functools.cmp_to_key(max)), _comparison),
    ((TypeVar, ParamSpec), _type_variable),
    ((*_LOCKS, logging.Logger), _by_type),
    (types.GeneratorType, _refused("a generator, whose contents cannot be seen")),
    (io.IOBase, _refused("an open file")),
    (random.Random, _refused("a source of random numbers")),
]


# -- Objects of the rules' own classes. -----------------------------------------------------------


def _own(thing: Any, to: Reachable) -> None:
    to.write("object")
    to.object(type(thing))
    _built_in_part(thing, to)
    to.all_named(state(thing))


def state(thing: Any) -> dict[str, Any]:
    """What an object holds by name, without what `cached_property` keeps there."""
    try:
        held = dict(object.__getattribute__(thing, "__dict__"))  # not as its class shows it
    except AttributeError:
        held = {}
    for cls in type(thing).__mro__:
        for name, member in vars(cls).items():
            if isinstance(member, types.MemberDescriptorType):
                with suppress(AttributeError):
                    held[name] = member.__get__(thing)
            elif isinstance(member, functools.cached_property):
                held.pop(name, None)
    return held


_SEQUENCES: tuple[Any, ...] = (tuple, list, collections.deque)


def _built_in_part(thing: Any, to: Reachable) -> None:
    """What an object is as a number, text, list, … or as one of a library's class."""
    base: Any = next((kind for kind in _SEQUENCES if isinstance(thing, kind)), None)
    if base is not None:
        to.container([*base.__iter__(thing)])
    elif isinstance(thing, dict):
        to.container(dict(dict.items(thing)))
    elif isinstance(thing, set | frozenset):
        base = set if isinstance(thing, set) else frozenset  # not as a subclass sees it
        to.unordered([*base.__iter__(thing)])
    elif isinstance(thing, int | float | complex | str | bytes):
        kind: Any = next(k for k in (int, float, complex, str, bytes) if isinstance(thing, k))
        to.write(kind.__repr__(thing))
    elif hasattr(type(thing), "dtype") and hasattr(type(thing), "tobytes"):
        _array(thing, to)
    else:
        bases = [cls for cls in type(thing).__mro__ if not to.ours_class(cls)]
        if any(not cls.__flags__ & _HEAP_TYPE for cls in bases if cls is not object):
            _reduced(thing, to)
    if isinstance(thing, collections.defaultdict | collections.deque):
        to.object(getattr(thing, "default_factory", None) or getattr(thing, "maxlen", None))


_HEAP_TYPE = 1 << 9
"""Of classes that are written in Python, mostly: they keep nothing where it cannot be seen."""


# -- Objects of libraries. ------------------------------------------------------------------------


def _foreign(thing: Any, to: Reachable) -> None:
    to.object(type(thing))
    if isinstance(thing, Iterator):
        to.opaque(thing, "an iterator, whose contents cannot be seen")
    else:
        _reduced(thing, to)


def _reduced(thing: Any, to: Reachable) -> None:
    """An object by what pickle would keep of it."""
    cls = type(thing)
    try:
        reduce = copyreg.dispatch_table.get(cls)
        parts = reduce(thing) if reduce is not None else thing.__reduce_ex__(4)
    except Exception:
        to.opaque(thing, f"of the class {cls.__qualname__}, which does not show what it holds")
        return
    if isinstance(parts, str):
        to.write(parts)
        return
    made, arguments, held, items, pairs = (*parts, None, None, None, None)[:5]
    if isinstance(made, types.FunctionType | type | functools.partial) and made is not cls:
        to.object(made)
    to.object(tuple(each for each in arguments or () if each is not cls))
    if isinstance(held, dict) and all(isinstance(name, str) for name in held):
        to.all_named(held)
    else:
        to.object(held)
    to.object([*items] if items is not None else None)
    to.object([*pairs] if pairs is not None else None)


def _numpy(thing: Any, to: Reachable) -> None:
    """An array or number, a function made from Python's, or anything else of NumPy."""
    to.write("numpy", type(thing).__name__)
    if hasattr(thing, "pyfunc"):
        to.object((thing.pyfunc, thing.otypes, thing.signature, sorted(map(str, thing.excluded))))
    elif type(thing).__name__ == "ufunc":
        to.write(thing.__name__)
        to.object([each for each in gc.get_referents(thing) if callable(each)])
    elif hasattr(thing, "bit_generator") or type(thing).__name__ == "RandomState":
        to.opaque(thing, "a source of random numbers")
    elif hasattr(thing, "dtype") and hasattr(thing, "tobytes"):
        _array(thing, to)
    elif hasattr(thing, "itemsize"):
        to.write(str(getattr(thing, "descr", thing)))
    else:
        _foreign(thing, to)


def _typed(thing: Any, to: Reachable) -> None:
    """A list or dict of Numba, by what is in it: what else it holds changes as it is used."""
    to.write("typed", type(thing).__name__)
    to.container(dict(thing) if hasattr(thing, "items") else [*thing])


def _array(thing: Any, to: Reachable) -> None:
    dtype = thing.dtype
    to.write(str(dtype.descr if dtype.names else dtype), str(thing.shape))
    if not thing.flags.c_contiguous:
        to.write("strides", str(thing.strides))
    if dtype.hasobject:
        to.object(thing.tolist())
    else:
        to.write_bytes(thing.tobytes())
    if hasattr(thing, "mask"):
        to.object(thing.mask if hasattr(thing.mask, "dtype") else bool(thing.mask))


def library_function(function: types.FunctionType, to: Reachable) -> None:
    """A function of a library: by name, with the functions that it was made from, as decorators
    and `singledispatch` do."""
    home = str(function.__globals__.get("__name__"))
    to.library(home, function.__code__.co_qualname)
    if lies_outside(function):
        to.opaque(function, "a way to the world outside, such as files and the environment")
    registry = getattr(function, "registry", None)
    if home == "functools" and isinstance(registry, types.MappingProxyType):
        to.container(dict(registry))
        return
    for cell in function.__closure__ or ():
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        if isinstance(held, types.FunctionType | type | types.MethodType | int | float | str):
            to.object(held)
