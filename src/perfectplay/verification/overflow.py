"""Overflow: the line of the rules in which a number grows beyond 64 bits.

Compiled integers wrap around there without a word; interpreted ones go on, and can be watched."""

import sys
from types import FrameType
from typing import Any

from perfectplay.errors import PerfectPlayError
from perfectplay.positions.failures import line_text, written_here
from perfectplay.rules.game import Game
from perfectplay.verification.repeat import answers

LOW, HIGH = -(2**63), 2**63 - 1


class _Watch:
    """Looks at the variables of the rules, line by line, until one is too wide."""

    def __init__(self) -> None:
        self.found = ""
        self._line: dict[int, int] = {}

    def __call__(self, frame: FrameType, event: str, value: Any) -> Any:
        if self.found or not written_here(frame.f_code.co_filename):
            return None
        last = self._line.get(id(frame), frame.f_lineno)  # what its variables were set in
        self._line[id(frame)] = frame.f_lineno
        seen = dict(frame.f_locals)
        if event == "return":
            seen["what is returned"] = value
        for name, each in seen.items():
            wide = next((x for x in _words(each) if not LOW <= x <= HIGH), None)
            if wide is not None:
                at = frame.f_lineno if name == "what is returned" else last
                self.found = f"{name} is {wide}{line_text(frame, at)}"
                return None
        return self


def _words(value: Any) -> list[int]:
    words = value if isinstance(value, tuple) else (value,)
    return [x for x in words if isinstance(x, int)]


def overflow(game: Game, p: Any) -> str:
    """Where a number of the interpreted rules does not fit in 64 bits at `p`, in a few words; ""
    if no variable is seen to."""
    watch, before = _Watch(), sys.gettrace()
    sys.settrace(watch)
    try:
        answers(game, p)
    except PerfectPlayError:
        pass  # a position that does not fit is one of the ways to get here
    finally:
        sys.settrace(before)
    return watch.found
