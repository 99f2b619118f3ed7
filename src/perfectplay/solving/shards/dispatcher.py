"""Dispatcher: hands tasks out, takes their results into the journal, and repeats what failed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from perfectplay.errors import TableError
from perfectplay.progress import Progress
from perfectplay.solving.shards.crew import Crew, Task
from perfectplay.solving.shards.journal import Journal
from perfectplay.solving.shards.shard_files import Json
from perfectplay.solving.shards.tasks import TASKS
from perfectplay.solving.shards.workshop import Workshop
from perfectplay.strata.disk_strata import working_files

SMALL = 1 << 12
"""Rows that are not worth another process."""
TRIES = 3
"""How often a task may fail because of its machine: no room on a disk, a file not seen yet."""
TICK = 0.2
"""Seconds between two looks at whether to stop."""


@dataclass
class Dispatcher:
    """The tasks of a run."""

    shop: Workshop
    crew: Crew
    journal: Journal
    progress: Progress
    repeated: int = 0
    """Tasks that were done again because of their machines."""

    def do(self, name: str, every: list[Json], *, rows: int) -> list[Json]:
        """The results of tasks, in their order, for so many rows together."""
        keys = [f"{name} {_named(given)}" for given in every]
        left = {i for i, key in enumerate(keys) if self.journal.result(key) is None}
        if len(left) == 1 and rows <= SMALL:
            (i,) = left
            with working_files(self.shop.folder):
                self.journal.note(keys[i], _json(TASKS[name](self.shop, every[i])))
        elif left:
            self._hand_out(name, {i: every[i] for i in left}, keys)
        if left:
            self.journal.settle()
        return [self.journal.result(key) for key in keys]

    def _hand_out(self, name: str, every: dict[int, Json], keys: list[str]) -> None:
        done: SimpleQueue[tuple[int, Task]] = SimpleQueue()
        tries = dict.fromkeys(every, 0)
        waiting: dict[int, Task] = {}

        def begin(i: int) -> None:
            tries[i] += 1
            waiting[i] = self.crew.submit(name, every[i])
            waiting[i].add_done_callback(lambda task: done.put((i, task)))

        try:
            for i in every:
                begin(i)
            while waiting:
                try:
                    i, task = done.get(timeout=TICK)
                except Empty:
                    self.progress.advance(0)
                    continue
                del waiting[i]
                try:
                    self.journal.note(keys[i], _json(task.result()))
                except OSError as error:
                    if tries[i] == TRIES:
                        raise _no_room(self.shop.folder, error) from error
                    self.repeated += 1
                    begin(i)
        finally:
            for task in waiting.values():
                task.cancel()


def _named(given: Json) -> str:
    return " ".join(str(given[name]) for name in ("stratum", "round", "shard") if name in given)


def _json(result: Any) -> Json:
    """A result as JSON brings it back."""
    return json.loads(json.dumps(result, default=_plain))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _no_room(folder: Path, error: OSError) -> TableError:
    return TableError(
        f"tasks cannot write to {folder}, or do not find what others wrote: {error}",
        "make room, or mend the shared folder; the same command goes on from what was finished",
    )
