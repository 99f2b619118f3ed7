"""Workers of a Dask cluster: processes on this machine, or whatever a scheduler has.

Of Dask, tasks, their results and the death of workers are used, and nothing else: arrays go
through files. Each task is a function of this package and JSON; each result is JSON."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfectplay import errors
from perfectplay.errors import PerfectPlayError, TableError, UsageError
from perfectplay.solving.shards.shard_files import Json
from perfectplay.solving.shards.tasks import TASKS
from perfectplay.solving.shards.workshop import workshop

REPEATED = 3
"""How often a task is repeated because its worker died; Dask's own default, too."""
SILENT = "30s"
"""A worker on this machine that says nothing for so long is replaced."""
WAIT = 30
"""Seconds in which a scheduler must answer."""


def do(folder: str, token: str, name: str, given: Json) -> Json:
    """A task, done by a worker of its own: {"done": result}, or {"raised": what a user must
    know}."""
    from perfectplay.compiled.threads import threads

    try:
        with threads(1):
            return {"done": TASKS[name](workshop(Path(folder), token), given)}
    except PerfectPlayError as error:
        return {"raised": [type(error).__name__, error.message, error.hint]}


class DaskTask:
    """A task that a Dask worker does."""

    def __init__(self, future: Any, named: str) -> None:
        self._future, self._named = future, named

    def result(self) -> Json:
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        try:
            answer: Json = self._future.result()
        except KilledWorker as error:
            raise TableError(
                f"{self._named}: {error.allowed_failures + 1} workers died of it",
                "look into its log; if memory was short, give each worker more and run the same "
                "command: it goes on from there",
            ) from None
        except (CancelledError, TimeoutError):
            raise lost() from None
        if "raised" in answer:
            kind, message, hint = answer["raised"]
            raise getattr(errors, kind)(message, hint)
        return answer["done"]  # type: ignore[no-any-return]

    def add_done_callback(self, done: Any) -> None:
        self._future.add_done_callback(lambda future: done(self))

    def cancel(self) -> None:
        with contextlib.suppress(Exception):
            self._future.cancel()


class DaskCrew:
    """The workers of a scheduler. `client` is Dask's."""

    def __init__(self, client: Any, folder: Path, token: str, memory: int | None) -> None:
        self._client, self._folder, self._token = client, folder, token
        self._run = secrets.token_hex(4)
        self.memory = memory
        self._count = 0

    def submit(self, name: str, given: Json) -> DaskTask:
        named = " ".join(
            f"{what} {given[what]}" for what in ("stratum", "shard") if given.get(what) is not None
        )
        self._count += 1
        if self._client.status != "running":
            raise lost()
        future = self._client.submit(
            do,
            str(self._folder),
            self._token,
            name,
            given,
            key=f"{name}-{self._run}-{self._count}",
            pure=False,
        )
        return DaskTask(future, f"{name} of {named}")

    def close(self) -> None:
        return


def lost() -> TableError:
    """The scheduler is gone."""
    return TableError(
        "the scheduler of the cluster is gone, or does not answer",
        "start it again: the same command goes on from what was finished",
    )


@contextlib.contextmanager
def local(processes: int, folder: Path, token: str, memory: int) -> Iterator[DaskCrew]:
    """So many processes on this machine, which may use so much memory together."""
    dask, distributed = _dask()
    settings = {
        "distributed.scheduler.allowed-failures": REPEATED,
        "distributed.scheduler.worker-ttl": SILENT,
        "distributed.admin.log-format": "%(message)s",
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
    }
    with (
        _quiet(),
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            local_directory=str(folder),
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield DaskCrew(client, folder, token, memory // processes)


@contextlib.contextmanager
def remote(address: str, folder: Path, token: str) -> Iterator[DaskCrew]:
    """The workers of the scheduler at an address."""
    _, distributed = _dask()
    try:
        client = distributed.Client(address, timeout=WAIT)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {address}: {error}",
            "start one with `dask scheduler`, and workers with `dask worker ADDRESS`",
        ) from None
    with _quiet(), client:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [each["memory_limit"] for each in workers if each.get("memory_limit")]
        yield DaskCrew(client, folder, token, min(limits, default=None))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Workers that die are replaced; what Dask says of it is not for users of games."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _dask() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError:
        raise UsageError(
            "--on needs Dask, which is not installed",
            "pip install 'perfectplay[cluster]'",
        ) from None
    return dask, distributed
