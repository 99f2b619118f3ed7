"""Threads that share compiled work, which runs without Python's lock.

Whoever asks for work says how many workers there may be (`threads`); pools inside have no more
threads than that. With one worker nothing runs beside anything else.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from typing import Any

from perfectplay.compiled.machine import cores

SWITCH = 3e-4
"""Seconds a thread may keep Python to itself while others wait."""

_workers: ContextVar[int | None] = ContextVar("workers", default=None)


@contextmanager
def threads(workers: int) -> Iterator[None]:
    """Inside the block, pools have no more threads than there are workers; and those that come out
    of compiled code wait for Python no longer than they must."""
    reuse_freed_memory()
    usual, token = sys.getswitchinterval(), _workers.set(workers)
    sys.setswitchinterval(min(usual, SWITCH))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
        _workers.reset(token)


class Pool:
    """Some threads; with none, work is done at once by whoever gives it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool = ThreadPoolExecutor(size) if size else None

    @classmethod
    def shared(cls) -> Pool:
        """As many threads as there are workers, for work that its giver waits for."""
        workers = _workers.get() or cores()
        return cls(workers if workers > 1 else 0)

    @classmethod
    def beside(cls, most: int = 1) -> Pool:
        """At most so many threads, for work that goes on beside that of its giver."""
        return cls(min(most, (_workers.get() or cores()) - 1))

    def submit(self, task: Callable[..., Any], *given: Any) -> Future[Any]:
        """Begin some work."""
        if self._pool is not None:
            return self._pool.submit(copy_context().run, task, *given)
        done: Future[Any] = Future()
        try:
            done.set_result(task(*given))
        except Exception as error:
            done.set_exception(error)
        return done

    def map(self, task: Callable[..., Any], *given: Iterable[Any]) -> Iterator[Any]:
        """The results of a task, in the order in which work was given."""
        begun = [self.submit(task, *each) for each in zip(*given, strict=False)]
        return (each.result() for each in begun)

    def in_order(
        self, task: Callable[..., Any], parts: Iterable[Any], *rest: Any
    ) -> Iterator[Any]:
        """What a task says of parts, in their order; no more are begun than can be done soon."""
        waiting: list[Future[Any]] = []
        try:
            for part in parts:
                waiting.append(self.submit(task, part, *rest))
                if len(waiting) > 2 * self.size:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            for each in waiting:
                each.cancel()

    def shutdown(self, *, cancel: bool = False) -> None:
        """Wait until the threads are done; `cancel` what they have not begun."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=cancel)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown(cancel=error[0] is not None)


def give_back_memory() -> None:
    """Let the C library give what is freed back to the system, before other work begins."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@cache
def reuse_freed_memory() -> None:
    """Let the C library keep what is freed in pieces of up to 32 MB and use it again: to ask the
    system for memory batch by batch costs a tenth of the time of a large solve."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # only the GNU library has it
        trim_threshold, mmap_threshold = -1, -3
        mallopt(mmap_threshold, 1 << 25)
        mallopt(trim_threshold, 1 << 28)
