"""Work in the background: a game is solved, or searched if it is too large, while pages show how
far it is. One job runs at a time; it can be cancelled at any report of progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from perfectplay.errors import PerfectPlayError, UsageError


class Cancelled(Exception):  # noqa: N818 - not an error
    """The person does not want to wait any longer."""


@dataclass
class Job:
    """One piece of work, and how far it is. It is also the `Progress` that the work reports to."""

    name: str
    work: Callable[[Job], Any]
    stage: str = "waiting"
    done: int = 0
    total: int | None = None
    began: float = field(default_factory=time.monotonic)
    error: str = ""
    hint: str = ""
    result: Any = None
    finished: bool = False
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Do the work; whatever comes of it is written down."""
        try:
            self.result = self.work(self)
        except Cancelled:
            self.error = "cancelled"
        except PerfectPlayError as error:
            self.error, self.hint = error.message, error.hint
        except MemoryError:
            self.error = "there is not enough memory"
        except Exception as error:  # rules may raise anything
            self.error = f"{type(error).__name__}: {error}"
        finally:
            self.finished = True

    def cancel(self) -> None:
        """Let the work stop at its next report."""
        self._stop.set()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self.began

    # -- What work reports. -----------------------------------------------------------------------

    def start(self, stage: str, total: int | None = None) -> None:
        """A stage begins."""
        self._heed()
        self.stage, self.done, self.total = stage, 0, total

    def advance(self, positions: int) -> None:
        """So many more positions are done."""
        self._heed()
        self.done += positions

    def finish(self) -> None:
        """The last stage has ended."""

    def _heed(self) -> None:
        if self._stop.is_set():
            raise Cancelled


class Jobs:
    """The jobs of a server, by name."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> Job | None:
        """The last job of this name."""
        return self._jobs.get(name)

    def begin(self, name: str, work: Callable[[Job], Any]) -> Job:
        """Start a job; UsageError while another one runs."""
        with self._lock:
            busy = next((job for job in self._jobs.values() if not job.finished), None)
            if busy is not None and busy.name == name:
                return busy
            if busy is not None:
                raise UsageError(f"busy with {busy.name}", "wait until it is done, or cancel it")
            job = self._jobs[name] = Job(name, work)
        threading.Thread(target=job.run, name=f"solve {name}", daemon=True).start()
        return job

    def stop(self) -> None:
        """Cancel whatever runs."""
        for job in self._jobs.values():
            job.cancel()
