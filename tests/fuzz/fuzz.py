"""Runs many random cases, counts them, and names every one that fails with the command that runs
it again. See docs/reliability.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / name) for name in ("src", "tests", "tests/fuzz")]

from case_worker import CaseResult, CaseWorker  # noqa: E402

DONE = TOP / ".fuzz-done"
MODULES = {"games": "game_cases", "inputs": "input_cases", "kills": "kill_cases"}
COUNTS = {"games": 20_000, "inputs": 10_000, "kills": 100}
LIMITS = {"games": 20.0, "inputs": 20.0, "kills": 600.0}
EVERY = 10.0
"""Seconds between two lines of progress."""
CHUNKS = {"games": 20, "inputs": 20, "kills": 1}
"""Cases that a worker takes at a time."""


def main(arguments: list[str]) -> int:
    """The exit code: 1 if any case failed."""
    given = _parser().parse_args(arguments)
    if given.case:
        cases: list[int] = given.case
    else:
        first = _remembered(given.what, given.seed) if given.resume else 0
        cases = list(range(first, given.count or COUNTS[given.what]))
    if not cases:
        _say(f"{given.what}: all {given.count or COUNTS[given.what]:,} cases were run before")
        return 0
    until = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    count = Tally(given.what, given.seed, len(cases))
    for result in results(given.what, given.seed, cases, given.workers, until):
        count.take(result)
        if not given.case:
            _remember(given.what, given.seed, result.number + 1)
    count.finish()
    return 1 if count.failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="script/fuzz", description=__doc__)
    parser.add_argument("what", choices=list(MODULES))
    parser.add_argument("--count", type=int, help="cases; default: 20000, 10000 or 100")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases")
    parser.add_argument("--case", type=int, action="append", help="only this case")
    parser.add_argument("--resume", action="store_true", help="go on where the last run stopped")
    parser.add_argument("--minutes", type=float, help="begin no case after so many minutes")
    parser.add_argument("--workers", type=int, default=1, help="processes; default: 1")
    return parser


def results(
    what: str, seed: int, cases: list[int], workers: int = 1, until: float = float("inf")
) -> Iterator[CaseResult]:
    """The results of cases in their order, until time is up."""
    size = CHUNKS[what]
    chunks = [cases[i : i + size] for i in range(0, len(cases), size)]
    with ExitStack() as crew, ThreadPoolExecutor(workers) as pool:
        folders = [Path(crew.enter_context(tempfile.TemporaryDirectory())) for _ in range(workers)]
        made = [CaseWorker(MODULES[what], seed, each, LIMITS[what]) for each in folders]
        for each in made:
            crew.enter_context(each)
        for i in range(0, len(chunks), workers):
            batch = zip(made, chunks[i : i + workers], strict=False)
            for part in pool.map(lambda given: _chunk(*given, until), batch):
                yield from part
            if time.monotonic() > until:
                return


def _chunk(worker: CaseWorker, cases: list[int], until: float) -> list[CaseResult]:
    return [worker.run(number) for number in cases if time.monotonic() <= until]


class Tally:
    """Counts cases by kind, and prints those that fail."""

    def __init__(self, what: str, seed: int, total: int) -> None:
        self._what, self._seed, self._total = what, seed, total
        self._kinds: Counter[str] = Counter()
        self._began = self._shown = time.monotonic()
        self.failures = 0

    @property
    def cases(self) -> int:
        """How many cases were run."""
        return self._kinds.total()

    def take(self, result: CaseResult) -> None:
        """Count one case."""
        self._kinds[result.kind] += 1
        if result.wrong:
            self.failures += 1
            again = f"script/fuzz {self._what} --case {result.number}"
            again += f" --seed {self._seed}" if self._seed else ""
            wrong = " ".join(result.wrong.split())
            _print(f"FAILED ({result.kind}) {wrong[:500]} | {again}")
        if time.monotonic() - self._shown > EVERY:
            self._shown = time.monotonic()
            _say(self._line())

    def _line(self) -> str:
        took = time.monotonic() - self._began
        return (
            f"{self._what}: {self.cases:,} of {self._total:,} cases, "
            f"{self.cases / max(took, 1e-9):.1f} a second, {self.failures} failed"
        )

    def finish(self) -> None:
        """Print what was done."""
        _print(self._line())
        for kind, number in sorted(self._kinds.items()):
            _print(f"  {number:>7,}  {kind}")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _read() -> dict[str, Any]:
    try:
        found = json.loads(DONE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _remembered(what: str, seed: int) -> int:
    return int(_read().get(f"{what} {seed}", 0))


def _remember(what: str, seed: int, following: int) -> None:
    if following % CHUNKS[what]:  # a few cases more after a break do no harm
        return
    scratch = DONE.with_name(DONE.name + ".new")
    scratch.write_text(json.dumps({**_read(), f"{what} {seed}": following}), encoding="utf-8")
    scratch.replace(DONE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
