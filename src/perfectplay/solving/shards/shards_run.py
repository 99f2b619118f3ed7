"""rules -> table with the tasks of shards/tasks.py, done by threads, processes or a cluster."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.digest import UNKNOWN
from perfectplay.compiled.machine import cores
from perfectplay.errors import (
    RulesError,
    TooLargeError,
    UsageError,
    VerificationError,
)
from perfectplay.rules.parameters import stored_parameters
from perfectplay.solving.budget import disk_room
from perfectplay.solving.shards.crew import Crew, ThreadCrew, workers_of
from perfectplay.solving.shards.dispatcher import Dispatcher
from perfectplay.solving.shards.journal import JOURNAL, Journal
from perfectplay.solving.shards.rule_sources import spec_for_workers
from perfectplay.solving.shards.sharded_strata import ShardedStrata
from perfectplay.solving.shards.workshop import JOB, Workshop, versions
from perfectplay.strata.disk_strata import bytes_in
from perfectplay.strata.sealed_files import LOCK, Lock, disk, write_atomic

if TYPE_CHECKING:
    from perfectplay.solving.run import Run
    from perfectplay.table.reader import MemoryTable, Table


def by_shards(run: Run) -> Table | MemoryTable:
    """The table of a run whose strata are cut in shards."""
    assert run.folder is not None
    assert run.on is not None
    workers_of(run.on)  # refused before anything is written
    folder = run.shards_folder.absolute()
    with disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = Lock(folder)
    try:
        identity = run.identity()
        if run.fresh:
            (folder / JOURNAL).unlink(missing_ok=True)
        with closing(Journal(folder, identity)) as journal:
            if not journal.resumed:
                _clear(folder)
            with run.stage("compile"):
                job = _job(run, folder)
                write_atomic(folder / JOB, json.dumps(job).encode())
                shop = Workshop(folder, job, run.rules)
            with _crew(run, shop, job["token"]) as crew:
                room = disk_room(run.folder, run.disk) + (bytes_in(folder) if not run.disk else 0)
                tasks = Dispatcher(shop, crew, journal, run.progress)
                strata = ShardedStrata(tasks, crew.memory or run.budget.most, room)
                return _filled(run, strata)
    finally:
        lock.release()


def _filled(run: Run, strata: ShardedStrata) -> Table | MemoryTable:
    try:
        with run.stage("expand"):
            run.progress.start("expand")
            strata.explore(exact=run.options.exact)
        table = run.filled(strata)
        run.working = strata.most_used
        strata.close()
        return table
    except TooLargeError as error:
        if error.resumable:
            error.hint += "; what was found is kept, and the same command goes on with it"
        else:
            strata.close()
        raise
    except (RulesError, VerificationError, UsageError):
        strata.close()
        raise


def _clear(folder: Path) -> None:
    """Remove what another work has left here."""
    with disk(folder):
        for path in folder.iterdir():
            if path.name not in (LOCK, JOURNAL) and path.is_file():
                path.unlink()


def _job(run: Run, folder: Path) -> dict[str, Any]:
    """What workers must know of a run before they begin."""
    kind, _ = workers_of(run.on or "")
    here = kind == "threads"
    if not here and run.digest.startswith(UNKNOWN):
        raise UsageError(
            "other processes cannot be sure to have the same rules: they use what no digest "
            "covers (`perfectplay check` says what)",
            "solve the game with --on threads, or without --on",
        )
    return {
        "token": secrets.token_hex(8),
        "rules": "" if here else spec_for_workers(run.game, folder),
        "parameters": stored_parameters(run.game),
        "digest": run.digest,
        "plain": run.plain,
        "exact": run.options.exact,
        "ties": run.options.ties,
        "method": run.options.method,
        "versions": versions(),
    }


@contextmanager
def _crew(run: Run, shop: Workshop, token: str) -> Iterator[Crew]:
    """Who does the tasks."""
    kind, many = workers_of(run.on or "")
    if kind == "threads":
        crew = ThreadCrew(shop, int(many) or cores())
        try:
            yield crew
        finally:
            crew.close()
        return
    from perfectplay.solving.shards.dask_crew import local, remote

    if kind == "processes":
        with local(int(many), shop.folder, token, run.budget.most) as workers:
            yield workers
    else:
        with remote(str(many), shop.folder, token) as workers:
            yield workers
