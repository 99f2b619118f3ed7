"""Who does tasks: threads of this process here, workers of a Dask cluster in dask_crew.py."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Protocol

from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import Pool
from perfectplay.errors import UsageError
from perfectplay.solving.shards.shard_files import Json
from perfectplay.solving.shards.tasks import TASKS
from perfectplay.solving.shards.workshop import Workshop

HINT = "processes:4, threads:4, or the address of a Dask scheduler: tcp://host:8786"


class Task(Protocol):
    """A task that was handed out."""

    def result(self) -> Json:
        """What came of it; what it raised is raised."""

    def add_done_callback(self, done: Any) -> Any:
        """Call `done` with this once it has ended."""

    def cancel(self) -> Any:
        """It is not wanted any more."""


class Crew(Protocol):
    """Does tasks, several at a time."""

    memory: int | None
    """Bytes that a worker may use, if that is known."""

    def submit(self, name: str, given: Json) -> Task:
        """Hand out a task."""

    def close(self) -> None:
        """No more tasks will come."""


class ThreadCrew:
    """Threads of this process."""

    memory: int | None = None

    def __init__(self, shop: Workshop, size: int) -> None:
        self._shop = shop
        self._pool = Pool(size if size > 1 else 0)

    def submit(self, name: str, given: Json) -> Future[Json]:
        return self._pool.submit(TASKS[name], self._shop, given)

    def close(self) -> None:
        self._pool.shutdown(cancel=True)


def workers_of(on: str) -> tuple[str, int | str]:
    """("threads" or "processes", how many) or ("tcp", address), of what --on says."""
    kind, colon, rest = on.partition(":")
    if kind in ("threads", "processes") and not colon:
        return kind, cores()
    if kind in ("threads", "processes") and rest.isdigit() and int(rest):
        return kind, int(rest)
    if kind in ("tcp", "tls", "ws", "wss", "ucx") and rest.startswith("//"):
        return "tcp", on
    raise UsageError(f"--on {on} names no workers", HINT)
