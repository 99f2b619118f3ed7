"""Errors of the system in a user's terms: no memory, a full disk, a file that is not there; and
Ctrl-C: what is kept, and how to go on."""

import errno
import functools
import os
from collections.abc import Callable
from typing import Any

from perfectplay.errors import PerfectPlayError, TooLargeError, UsageError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_MEMORY = ("cannot map", "map segment", "annot allocate memory", "can't start new thread")
"""What libraries that cannot be loaded, and threads that cannot be started, say of it."""


_ANEW = "nothing is kept; the same command begins anew"
_SILENT = ("explore", "games", "play")
"""Commands of which nobody expects that something is kept."""


class Interrupted(Exception):  # noqa: N818 - not an error
    """Ctrl-C, with what is kept: typer would make a bare exit code of a KeyboardInterrupt."""


def interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which on Ctrl-C says what is kept, and how to go on."""

    @functools.wraps(command)
    def run(*args: Any, **given: Any) -> None:
        try:
            command(*args, **given)
        except KeyboardInterrupt as stop:
            usual = "" if command.__name__ in _SILENT else _ANEW
            raise Interrupted(str(stop) or usual) from None

    return run


def in_words(error: BaseException) -> PerfectPlayError | None:
    """What an error of the system means to a user; None if it is none."""
    if isinstance(error, PerfectPlayError):
        return error
    if isinstance(error, MemoryError) or _lacks_memory(error):
        return TooLargeError(
            f"out of memory: {error}".rstrip(": "),
            "allow more memory (`ulimit -v` shows the limit), or choose smaller parameters; "
            "`perfectplay plan` says what is needed",
        )
    if not isinstance(error, OSError) or error.errno is None:
        return None
    file = error.filename if isinstance(error.filename, str | bytes) else None
    if error.errno in _FULL:
        place = os.fsdecode(file) if file else "standard output, or a file"
        return TooLargeError(
            f"cannot write to {place}: {error.strerror}", "make room and run it again"
        )
    if file is None:
        return None
    return UsageError(f"{_shortened(os.fsdecode(file))}: {error.strerror}")


def _lacks_memory(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    kinds = ImportError, OSError, RuntimeError
    return isinstance(error, kinds) and any(words in str(error) for words in _NO_MEMORY)


def _shortened(name: str, most: int = 120) -> str:
    return name if len(name) <= most else f"{name[:most]}…"
