"""Explained: around what runs the rules, so that their exceptions become errors that say where."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from perfectplay.errors import PerfectPlayError
from perfectplay.positions.examine import faults
from perfectplay.positions.failures import (
    RulesFaultError,
    UnlocatedError,
    from_traceback,
    game_in,
    sound,
)
from perfectplay.rules.game import Game

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])

SHAPELESS = (TypeError, ValueError, AttributeError, OverflowError, RuntimeError)
"""What the engine raises over an answer of the wrong form."""


def explanation(
    error: Exception, game: Game | None = None, positions: Iterable[Any] = ()
) -> PerfectPlayError | None:
    """The fault of the rules that an exception comes from: the one that its traceback shows, else
    the first that a second look at some positions finds; None if it comes from elsewhere."""
    fault = None if isinstance(error, UnlocatedError) else from_traceback(error)
    if fault is not None and all(map(sound, fault.given)):
        return fault
    game = game or game_in(error)
    if game is None or not (fault or isinstance(error, (UnlocatedError, *SHAPELESS))):
        return fault
    unlocated = error if isinstance(error, UnlocatedError) else None
    return next(faults(game, filter(sound, positions)), None) or fault or unlocated


@contextmanager
def failing(game: Game, positions: Iterable[Any] = ()) -> Iterator[None]:
    """Turns an exception that the rules raise into a RulesError that says where. Where that cannot
    be seen, these positions, or the first ones of the game, are examined again."""
    try:
        yield
    except Exception as error:
        _raise(error, game, positions)


def explained(function: Wrapped) -> Wrapped:
    """The function, in which an exception of the rules becomes a RulesError that names the method,
    the position and the line."""

    @functools.wraps(function)
    def run(*given: Any, **options: Any) -> Any:
        try:
            return function(*given, **options)
        except Exception as error:
            _raise(error)

    @functools.wraps(function)
    def steps(*given: Any, **options: Any) -> Iterator[Any]:
        try:
            yield from function(*given, **options)
        except Exception as error:
            _raise(error)

    return cast("Wrapped", steps if inspect.isgeneratorfunction(function) else run)


def _raise(error: Exception, game: Game | None = None, positions: Iterable[Any] = ()) -> None:
    """Raise what explains an exception, or the exception itself."""
    known = isinstance(error, PerfectPlayError) and not isinstance(error, UnlocatedError)
    fault = (
        None if known or isinstance(error, MemoryError) else explanation(error, game, positions)
    )
    if fault is None or fault is error:
        raise error
    raise fault from (error if isinstance(fault, RulesFaultError) else None)


def explained_methods(cls: Wrapped) -> Wrapped:
    """The class, with all of its public methods and properties `explained`."""
    for name, each in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(each, property) and each.fget is not None:
            setattr(cls, name, property(explained(each.fget), doc=each.__doc__))
        elif callable(each) and not isinstance(each, type | staticmethod):
            setattr(cls, name, explained(each))
    return cls
