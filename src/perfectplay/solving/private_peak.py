"""The most private memory of a run: what it holds itself, without files that are mapped.

The system keeps the peak of all resident memory, in which mapped files count, though it drops them
when memory is wanted. Of private memory it knows the present amount alone. So it is looked at when
a stage ends, and now and then by a thread, if work may run beside other work."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from perfectplay.compiled.machine import private_memory

SECONDS = 0.05
"""Between two looks, at least."""


class PrivatePeak:
    """The most private memory seen so far, in bytes; 0 where the system does not say."""

    def __init__(self) -> None:
        self.most = 0
        self._next = 0.0

    def look(self) -> None:
        """Look once, unless that was done just now."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + SECONDS
            self.most = max(self.most, private_memory())

    @contextmanager
    def watching(self, *, beside: bool) -> Iterator[None]:
        """Look before and after the block, and `beside` it from time to time."""
        done = Event()

        def looks() -> None:
            while not done.wait(SECONDS):
                self.look()

        thread = Thread(target=looks, name="private memory", daemon=True)
        self.look()
        if beside:
            thread.start()
        try:
            yield
        finally:
            done.set()
            if beside:
                thread.join()
            self._next = 0.0
            self.look()
