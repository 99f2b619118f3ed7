"""Parameters of rules: the fields of a class of rules, read from text or JSON by their types."""

import ast
import dataclasses
import difflib
import json
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from perfectplay.errors import RulesError, UsageError
from perfectplay.rules.game import Game, parameters

MOST_VALUES = 10_000
"""Values of a range, at most."""


def read_parameters(
    cls: type[Game], parameters: Mapping[str, Any] | Iterable[str]
) -> dict[str, Any]:
    """Arguments for `cls` from {"name": value} or ["name=value", …]."""
    pairs = parameters.items() if isinstance(parameters, Mapping) else map(_pair, parameters)
    given = dict(pairs)
    known = fields_of(cls)
    for name in given:
        _refuse_unknown(cls, name)
    missing = [name for name, field in known.items() if name not in given and required(field)]
    if missing:
        raise UsageError(
            f"{cls.__name__} needs a value for {', '.join(missing)}", describe_parameters(cls)
        )
    kinds = _types(cls)
    return {name: _read(cls, name, value, kinds.get(name, str)) for name, value in given.items()}


def read_parameter(cls: type[Game], name: str, value: Any) -> Any:
    """The value of one parameter by its type, others aside."""
    _refuse_unknown(cls, name)
    return _read(cls, name, value, _types(cls).get(name, str))


def kind_of(cls: type[Game], name: str) -> Any:
    """The type of a parameter."""
    return _types(cls).get(name, str)


def is_tuple(cls: type[Game], name: str) -> bool:
    """Whether a parameter holds several values, which are written with commas."""
    kind = _types(cls).get(name, str)
    return kind is tuple or typing.get_origin(kind) is tuple


def _refuse_unknown(cls: type[Game], name: str) -> None:
    known = fields_of(cls)
    if name not in known:
        close = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
        raise UsageError(
            f"{cls.__name__} has no parameter called {name!r}",
            did_you_mean(close) + describe_parameters(cls),
        )


def did_you_mean(names: Iterable[str]) -> str:
    """A question that offers `names`, with a blank after it; nothing if there are none."""
    shown = " or ".join(names)
    return f"did you mean {shown}? " if shown else ""


def fields_of(cls: type[Game]) -> dict[str, dataclasses.Field[Any]]:
    """The parameters of a class of rules, by name."""
    if not dataclasses.is_dataclass(cls):
        return {}
    return {field.name: field for field in dataclasses.fields(cls) if field.init}


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a parameter, or None if it has none."""
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None


def required(field: dataclasses.Field[Any]) -> bool:
    """Whether a parameter has no default."""
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def describe_parameters(cls: type[Game]) -> str:
    """The parameters of a class of rules with types and defaults, in one line."""
    kinds = _types(cls)
    shown = []
    for name, field in fields_of(cls).items():
        kind = _kind_name(kinds.get(name, str))
        default = "" if required(field) else f" = {value_text(default_of(field))}"
        shown.append(f"{name}: {kind}{default}")
    return f"parameters: {', '.join(shown)}" if shown else "it has no parameters"


def changed(game: Game) -> dict[str, str]:
    """The parameters of a game that differ from their defaults, as text."""
    fields = fields_of(type(game))
    return {
        name: value_text(value)
        for name, value in parameters(game).items()
        if required(fields[name]) or value != default_of(fields[name])
    }


def stored_parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game, as JSON would give them back."""
    return {name: _plain(value) for name, value in parameters(game).items()}


def refuse_unstorable(game: Game) -> None:
    """RulesError if a parameter is something that JSON does not give back as it was, such as a
    member of an enum: no table can say with which parameters it was made."""
    for name, value in stored_parameters(game).items():
        try:
            same = json.loads(json.dumps(value, allow_nan=False)) == value
        except (TypeError, ValueError, RecursionError):
            same = False
        if not same:
            shown = _shown(parameters(game)[name])
            raise RulesError(
                f"the parameter {name} is {shown}, which a table cannot store",
                "let it be a number, a text, True, False, None or a tuple of these, from which "
                "the rules make the rest; `solve` without a folder takes it as it is",
            )


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:60]}…"


def _plain(value: Any) -> Any:
    return [_plain(x) for x in value] if isinstance(value, tuple | list) else value


def value_text(value: Any) -> str:
    """A parameter's value as a user would type it after `name=`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ",".join(map(value_text, value))
    return str(value)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(
            f"{text!r} is not a parameter", "parameters are given as name=value: -p sides=8"
        )
    return name.strip(), value if "\n" in value else value.strip()  # rows may be indented


def _types(cls: type[Game]) -> dict[str, Any]:
    """The types of the fields; where a name in them is unknown, the type of the default."""
    try:
        return typing.get_type_hints(cls)
    except Exception:
        return {
            name: str if required(field) else type(default_of(field))
            for name, field in fields_of(cls).items()
        }


def _kind_name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind)


def _read(cls: type[Game], name: str, value: Any, kind: Any) -> Any:
    try:
        return _converted(value, kind)
    except (KeyError, ValueError, SyntaxError, TypeError):
        raise UsageError(
            f"{name}={value_text(value)}: expected {_EXPECTED.get(kind, _kind_name(kind))}",
            describe_parameters(cls),
        ) from None


_EXPECTED = {int: "an integer", float: "a number", bool: "true or false"}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _converted(value: Any, kind: Any) -> Any:
    """`value` as an object of type `kind`; text is read, lists (from JSON) become tuples."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _one_of(value, arguments)
    if origin is typing.Literal:
        return dict(zip(map(str, arguments), arguments, strict=True))[str(value)]
    if origin is tuple or kind is tuple:
        return _tuple(value, arguments)
    if not isinstance(value, str):
        if isinstance(kind, type) and not isinstance(value, kind | int if kind is float else kind):
            raise ValueError(value)
        return value
    if kind is bool:
        if value.lower() not in _TRUTH:
            raise ValueError(value)
        return _TRUTH[value.lower()]
    if kind in (int, float, str):
        return kind(value)
    return ast.literal_eval(value)


def _one_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    if type(None) in kinds and (value is None or str(value).lower() == "none"):
        return None
    for kind in kinds:
        if kind is not type(None):
            try:
                return _converted(value, kind)
            except (KeyError, ValueError, SyntaxError, TypeError):
                continue
    raise ValueError(value)


def _tuple(value: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """ "3,4,5" or "(3, 4, 5)" as a tuple; `kinds` as in tuple[int, ...] or tuple[int, int]."""
    if isinstance(value, str):
        value = [part.strip() for part in value.strip("()[] ").split(",") if part.strip()]
    if not kinds or (len(kinds) == 2 and kinds[1] is Ellipsis):
        kinds = (kinds[0] if kinds else int,) * len(value)
    if len(kinds) != len(value):
        raise ValueError(value)
    return tuple(_converted(each, kind) for each, kind in zip(value, kinds, strict=True))


# -- Several values. ------------------------------------------------------------------------------


def split_values(text: str, comma: str = ",") -> Sequence[str]:
    """The values in "2,4,8", "2..10" or "0..1..0.25" (first, last, step), as texts."""
    found: list[str] = []
    for part in text.split(comma):
        ends = [word.strip() for word in part.split("..")]
        found += (
            _range(part.strip(), ends) if len(ends) > 1 else [part.strip()] * bool(part.strip())
        )
    return found


def _range(text: str, ends: Sequence[str]) -> list[str]:
    """The numbers of a range, as texts; decimals are exact."""
    try:
        first, last, step = map(Decimal, ends if len(ends) == 3 else [*ends, "1"])
        count = int((last - first) / step) + 1
    except (ArithmeticError, ValueError):
        count, first, step = 0, Decimal(0), Decimal(1)
    if count < 1 or (last - first) / step < 0:
        raise UsageError(
            f"{text!r} is not a range of numbers", "ranges look like 2..10, or 0..100..5"
        )
    if count > MOST_VALUES:
        raise UsageError(f"{text!r} has {count:,} values", f"at most {MOST_VALUES:,}: use a step")
    return [format(first + i * step, "f") for i in range(count)]
