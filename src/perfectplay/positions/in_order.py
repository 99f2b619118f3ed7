"""Work that threads share, with its results in the order in which it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


def some_at_a_time(
    pool: ThreadPoolExecutor, task: Callable[..., Any], parts: Iterator[Any], *rest: Any
) -> Iterator[Any]:
    """What a task says of parts, in their order; no more are begun than workers can take soon."""
    waiting: list[Future[Any]] = []
    try:
        for part in parts:
            waiting.append(pool.submit(task, part, *rest))
            if len(waiting) > 2 * pool._max_workers:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
    finally:
        for each in waiting:
            each.cancel()
