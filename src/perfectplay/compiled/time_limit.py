"""Time limits that leave compiling out: it happens once, and could take all the time there is."""

import functools
import math
import sys
import time
from collections.abc import Callable

COMPILING = "numba:compiler_lock"
"""What Numba calls the time from when it looks for compiled code until there is some."""


class _Stopwatch:
    """Seconds between a start and its end, those inside one another counted once."""

    def __init__(self) -> None:
        self._depth, self._began, self._total = 0, 0.0, 0.0

    def start(self) -> None:
        if self._depth == 0:
            self._began = time.monotonic()
        self._depth += 1

    def end(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._total += time.monotonic() - self._began

    @property
    def seconds(self) -> float:
        return self._total + (time.monotonic() - self._began if self._depth else 0.0)


@functools.cache
def _compiler() -> _Stopwatch:
    """What measures how long this process compiles, from now on. Imports Numba."""
    from numba.core.event import Event, Listener, register

    watch = _Stopwatch()

    class Compiling(Listener):  # type: ignore[misc]
        """Starts and stops the watch."""

        def on_start(self, event: Event) -> None:
            watch.start()

        def on_end(self, event: Event) -> None:
            watch.end()

    register(COMPILING, Compiling())
    return watch


def compile_seconds() -> float:
    """Seconds that this process has spent compiling kernels, or loading compiled ones, since this
    was first asked; 0 as long as nothing has imported Numba."""
    return _compiler().seconds if "numba" in sys.modules else 0.0


def working_time() -> float:
    """Seconds on a clock that stands still while kernels are compiled or loaded."""
    return time.monotonic() - compile_seconds()


class TimeLimit:
    """So many seconds from now on, compiling left out; None: without end. `native`: rules will be
    compiled, so that Numba is imported first."""

    def __init__(
        self,
        seconds: float | None,
        *,
        native: bool = True,
        clock: Callable[[], float] = working_time,
    ) -> None:
        if native:
            _compiler()
        self._clock, self._compiled = clock, compile_seconds()
        self._began = clock()
        self.seconds = math.inf if seconds is None else seconds

    @property
    def spent(self) -> float:
        """Seconds that have passed."""
        return self._clock() - self._began

    @property
    def left(self) -> float:
        """Seconds that are left; negative if it is over."""
        return self.seconds - self.spent

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0

    @property
    def compiled(self) -> float:
        """Seconds that were spent compiling meanwhile."""
        return compile_seconds() - self._compiled

    def share(self, part: float) -> "TimeLimit":
        """A limit that is over when this part of what is left is."""
        seconds = None if math.isinf(self.seconds) else max(0.0, part * self.left)
        return TimeLimit(seconds, native=False, clock=self._clock)
