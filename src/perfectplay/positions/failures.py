"""Failures: what an exception in the rules means, with the method, the position and the line.

Nothing is caught position by position, which would cost time. A traceback still holds what every
method was called with; and where it does not lead to the rules, as when `moves` returns None,
positions are examined once more, one method at a time (examine.py)."""

from __future__ import annotations

import dis
import functools
import inspect
import linecache
import os
import sysconfig
from dataclasses import FrozenInstanceError
from types import CodeType, FrameType, GeneratorType
from typing import Any

from perfectplay.errors import RulesError
from perfectplay.rules.game import Game, declares

OURS = ("perfectplay.rules.", "perfectplay.positions.", "perfectplay.verification.")
"""Modules whose methods of games are defaults or go between: no author wrote them."""
LONGEST = 200
"""Characters of a position that a message shows."""
DEEP = 50
"""Calls of the rules inside each other from which on they are to blame for a RecursionError."""

WIDE = (
    "compiled integers have 64 bits and wrap around; // and % of negative numbers, shifts by 64 "
    "and more, and module variables that change are the usual causes"
)
"""Why compiled and interpreted rules may differ."""

_UNCALLED = {
    "start": "()", "starts": "()", "play": "(p, m)", "reward": "(p, m)", "move_text": "(p, m)",
    "parse": "(s)", "player_name": "(i)", "choices": "(p, player)",
}  # fmt: skip


def signature(method: str) -> str:
    """How a method of the rules is called: "moves(p)"."""
    return method + _UNCALLED.get(method, "(p)")


class RulesFaultError(RulesError):
    """What is wrong with one method of the rules, where that is known."""

    def __init__(self, game: Game, method: str, what: str, hint: str = "", *, law: str) -> None:
        named = what if law == "raises" else f"{signature(method)} {what}"
        super().__init__(f"{type(game).__name__}: {named}", hint)
        self.method, self.what, self.law = method, what, law
        self.given: tuple[Any, ...] = ()
        """What the method was called with when it raised an exception."""


class UnlocatedError(RulesError):
    """Rules that gave something wrong, before it is known where."""


def shown(game: Game, p: Any) -> str:
    """A position for messages: as it is, and as the rules write it if they have a way to."""
    plain = repr(p)
    plain = plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"
    if not declares(game, "text"):
        return plain
    try:
        text = game.text(p)
    except Exception:
        return plain
    return plain if text == plain else f"{plain} ({text})"


def raised(game: Game, method: str, error: BaseException, *given: Any) -> RulesFaultError:
    """The fault of a `method` of the rules that raised an exception when it was called so."""
    name = type(error).__name__
    if isinstance(error, NotImplementedError) and f"must define {method}" in str(error):
        return RulesFaultError(game, method, str(error), law="raises")
    at = f" at {_shown_given(game, method, given)}" if given else ""
    line = _line(error)
    says = f": {error}" if str(error) else ""
    what = f"{name}{at}{line} in `{method}`{says}"
    fault = RulesFaultError(game, method, what, _hint(method, error), law="raises")
    fault.given = given
    return fault


def _shown_given(game: Game, method: str, given: tuple[Any, ...]) -> str:
    first = repr(given[0]) if method in ("parse", "player_name") else shown(game, given[0])
    second = "player" if method == "choices" else "move"
    return first + (f", {second} {given[1]!r}" if len(given) > 1 else "")


def _line(error: BaseException) -> str:
    """Which line of the author's raised it: the innermost one, below no library."""
    own = [frame for frame in _frames(error) if written_here(frame[0].f_code.co_filename)]
    if not own:
        return ""
    return line_text(*own[-1])


def line_text(frame: FrameType, number: int) -> str:
    """A line of the source that runs in a frame, for messages: ", line 14 of rules.py (…)"."""
    file = frame.f_code.co_filename
    quoted = linecache.getline(file, number, frame.f_globals).strip()
    return f", line {number} of {os.path.basename(file)}" + (f" ({quoted})" if quoted else "")


_LIBRARIES = tuple(
    os.path.realpath(path) + os.sep
    for name, path in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
_GAMES = os.path.join(_PACKAGE, "games") + os.sep


def written_here(file: str) -> bool:
    """Whether an author wrote this file: neither Python's, nor a library, nor the engine."""
    if file == "<string>" or file.startswith("<frozen"):  # methods that dataclasses make
        return False
    path = os.path.realpath(file)
    if path.startswith(_GAMES):
        return True
    return not path.startswith((_PACKAGE, *_LIBRARIES))


def _hint(method: str, error: BaseException) -> str:
    """What an author may have meant otherwise."""
    says = str(error)
    if isinstance(error, RecursionError):
        return f"`{method}`, or what it calls, calls itself without ever coming to an end"
    if isinstance(error, FrozenInstanceError):
        return (
            "rules keep nothing in self: whatever changes during play belongs in the position, "
            "and `play` returns a new one"
        )
    if isinstance(error, TypeError) and "unhashable" in says:
        return "positions must be hashable: make lists into tuples, sets into frozensets"
    if isinstance(error, TypeError) and "item assignment" in says:
        return "a position is never changed: q = list(p), change q, and return tuple(q)"
    if isinstance(error, TypeError) and "positional argument" in says:
        return f"the rules are asked for {signature(method)}: are these its parameters, with self?"
    if isinstance(error, RuntimeError) and "StopIteration" in says:
        return "next(…) found nothing: give it a second argument for that case"
    return f"ask again in Python: game.{signature(method)}"


# -- From a traceback. ----------------------------------------------------------------------------


def _frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """The frames that an exception went through, outermost first, each with its line. Generators
    that end by an exception are in what that was the cause of."""
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    inner = error.__cause__
    return found + _frames(inner) if isinstance(inner, StopIteration) else found


def from_traceback(error: BaseException) -> RulesFaultError | None:
    """The fault of the rules that raised an exception; None if no method of a game was running."""
    frames = [frame for frame, _ in _frames(error)]
    running = [(i, *found) for i, found in enumerate(map(_running, frames)) if found is not None]
    written = [
        each
        for each in running
        if not str(frames[each[0]].f_globals.get("__name__")).startswith(OURS)
    ]
    if not running:
        return None
    at, game, method = (written or running)[0]
    if isinstance(error, RecursionError) and len(frames) - at < DEEP:
        return None  # the engine's own calls are to blame
    return raised(game, method, error, *_given(frames, at))


def game_in(error: BaseException) -> Game | None:
    """The game that some function was at work on when an exception was raised."""
    for frame, _ in _frames(error):
        for name in ("game", "rules"):
            found = frame.f_locals.get(name)
            found = found or getattr(frame.f_locals.get("self"), "game", None)
            if isinstance(found, Game):
                return found
    return None


def sound(p: Any) -> bool:
    """Whether `p` can be a position, as far as can be said without the rules."""
    return p is not None and not isinstance(p, GeneratorType) and hashable(p)


def hashable(p: Any) -> bool:
    """Whether `p` can be a position as far as hashing goes."""
    try:
        hash(p)
    except TypeError:
        return False
    return True


def _running(frame: FrameType) -> tuple[Game, str] | None:
    """The game whose method runs in a frame, and the method."""
    code = frame.f_code
    self = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    if not isinstance(self, Game):
        return None
    cls: Any = type(self)
    method = _methods(cls).get(code)
    return None if method is None else (self, method)


@functools.lru_cache(64)
def _methods(cls: type[Any]) -> dict[CodeType, str]:
    """The names of the methods and properties of a class, by their code."""
    found: dict[CodeType, str] = {}
    for base in reversed(cls.__mro__):
        for name, way in vars(base).items():
            inner = getattr(way, "fget", None) or getattr(way, "func", None) or way
            code = getattr(inspect.unwrap(inner), "__code__", None) if callable(inner) else None
            if isinstance(code, CodeType):
                found[code] = name
    return found


def _given(frames: list[FrameType], at: int) -> tuple[Any, ...]:
    """What the method in a frame was called with, self apart. A parameter that it has set anew is
    looked for where it was called from."""
    frame = frames[at]
    code = frame.f_code
    found = []
    for name in code.co_varnames[1 : code.co_argcount]:
        if name in _stored(code):
            outer = frames[at - 1].f_locals if at else {}
            known = [outer[each] for each in (name, "p", "q", "position") if each in outer]
            found += known[:1] or [frame.f_locals.get(name)]
        else:
            found.append(frame.f_locals.get(name))
    return tuple(found)


@functools.cache
def _stored(code: CodeType) -> frozenset[str]:
    """The variables that a function sets."""
    names: set[str] = set()
    for step in dis.get_instructions(code):
        if "STORE_FAST" in step.opname or step.opname == "DELETE_FAST":
            names.update(step.argval if isinstance(step.argval, tuple) else (str(step.argval),))
    return frozenset(names)
