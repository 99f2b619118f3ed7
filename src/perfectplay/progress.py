"""Progress: how long work reports to a face how far it is; `Silent` ignores it. The face may raise
at any report: then the work ends, and leaves what it has finished for the next run."""

import math
import time
from typing import Protocol

from perfectplay.errors import TimeUpError, UsageError

EVERY = 0.1
"""Seconds between two reports of work that is in the midst of something."""


class Progress(Protocol):
    """What a face offers to long work. Stages follow each other: expand, solve, write, verify …
    What it raises ends the work."""

    def start(self, stage: str, total: int | None = None) -> None:
        """A stage begins; `total` is the number of positions in it, if known."""

    def advance(self, positions: int) -> None:
        """So many more positions are done in the present stage."""

    def finish(self) -> None:
        """The last stage has ended."""


class Silent:
    """Progress that nobody watches."""

    def start(self, stage: str, total: int | None = None) -> None:
        return

    def advance(self, positions: int) -> None:
        return

    def finish(self) -> None:
        return


class Heed:
    """Called by work in the midst of something, as often as it likes: now and then it reports that
    nothing new is done, so that a face can end the work."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._next = 0.0

    def __call__(self, done: int = 0) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY
            self._progress.advance(0)


class Deadline:
    """Progress that ends the work with TimeUpError, some seconds after it was made."""

    def __init__(self, shown: Progress, seconds: float) -> None:
        if not 0 < seconds < math.inf:
            raise UsageError(f"{seconds:g} seconds are no time limit", "allow more than 0 seconds")
        self._shown, self._seconds = shown, seconds
        self._end = time.monotonic() + seconds

    def start(self, stage: str, total: int | None = None) -> None:
        self._heed()
        self._shown.start(stage, total)

    def advance(self, positions: int) -> None:
        self._shown.advance(positions)
        self._heed()

    def finish(self) -> None:
        self._shown.finish()

    def _heed(self) -> None:
        if time.monotonic() > self._end:
            raise TimeUpError(f"not finished in {self._seconds:g} seconds")


def size(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "RB", "QB"):
        if count < 1000 or unit == "QB":
            return (
                f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
            )
        count /= 1000
    return ""
