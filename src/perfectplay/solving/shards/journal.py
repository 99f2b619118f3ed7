"""What was done, on disk: results of tasks, one line of JSON each.

The process that hands out tasks does the same things in the same order in every run; what the
journal has of an earlier run is not done again. So a run that ends, however it ends, is taken up
by the same command."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from perfectplay.strata.sealed_files import same

JOURNAL = "journal.jsonl"


class Journal:
    """The results of a run's tasks by their names."""

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self._path = folder / JOURNAL
        self._known: dict[str, Any] = {}
        self.resumed = self._read(identity)
        """Whether an earlier run of the same work had left results here."""
        self._file = self._path.open("ab")
        if not self.resumed:
            self._file.truncate(0)
            self._write({"identity": identity})
            self.settle()

    def _read(self, identity: dict[str, Any]) -> bool:
        """Take up what an earlier run had done; the last line may be torn."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return False
        lines = data[: data.rfind(b"\n") + 1].splitlines()
        if not lines or not same(json.loads(lines[0]).get("identity"), identity):
            return False
        if len(data) > data.rfind(b"\n") + 1:
            os.truncate(self._path, data.rfind(b"\n") + 1)
        for line in lines[1:]:
            said = json.loads(line)
            self._known[said["task"]] = said["result"]
        return True

    def result(self, task: str) -> Any:
        """What a task had as its result, or None."""
        return self._known.get(task)

    def note(self, task: str, result: Any) -> None:
        """A task was done."""
        self._known[task] = result
        self._write({"task": task, "result": result})

    def settle(self) -> None:
        """Make sure that all that was noted is on disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def _write(self, said: dict[str, Any]) -> None:
        self._file.write(json.dumps(said).encode() + b"\n")

    def close(self) -> None:
        """Nothing more will be noted."""
        self._file.close()
