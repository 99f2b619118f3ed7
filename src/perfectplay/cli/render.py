"""What people see: analyses and reports as tables, progress as bars or lines.

Data goes to stdout, everything else to stderr. Rich is imported only where something is shown.

Texts of rules and of tables are somebody else's: characters by which they could steer a terminal
are shown as escapes. All output goes through `visible`, `emit` or `complain`.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from threading import TIMEOUT_MAX, Event, Thread
from typing import TYPE_CHECKING, Any

from perfectplay.progress import size
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.schemas.plain import finite

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task

    from perfectplay.answer.analysis import Analysis
    from perfectplay.rules.value import Value

_WIDE = 10_000
"""Columns of an output that is no terminal: nothing is cut off."""
METHODS = {"retrograde": "retrograde, counting children"}
"""Methods whose names do not say enough."""
ROUNDS_SHOWN = 12
"""Of the rounds of a method so many are printed; `--json` has more."""


_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but for tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which change the direction of writing
    "\u2028\u2029\ud800-\udfff]"  # other ends of lines, halves of characters
)


def visible(text: str, *, lines: bool = False) -> str:
    """The text with every character that steers a terminal as an escape, such as \\x1b; newlines
    and tabs as well, unless it may have several `lines`."""
    shown = _STEERING.sub(_escape, text)
    return shown if lines else shown.replace("\n", "\\n").replace("\t", "\\t")


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def console(*, stderr: bool = False) -> Console:
    """A console that takes text as it is and cuts nothing off unless it is a terminal."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDE
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=width)


def say(text: str = "", style: str = "") -> None:
    """A line for people on stdout."""
    console().print(visible(text, lines=True), style=style or None, soft_wrap=True)


def note(text: str) -> None:
    """A line for people on stderr."""
    sys.stderr.write(visible(text, lines=True) + "\n")
    sys.stderr.flush()


def complain(message: str, hint: str = "") -> None:
    """An error on stderr, and what to do next."""
    error = console(stderr=True)
    error.print("error:", style="bold red", end=" ")
    error.print(_indented(message), soft_wrap=True)
    if hint:
        error.print("hint:", style="bold cyan", end=" ")
        error.print(_indented(hint), soft_wrap=True)


def _indented(text: str) -> str:
    """Further lines are indented: no text of rules looks like a message of its own."""
    return visible(text, lines=True).replace("\n", "\n  ")


def emit(data: Any) -> None:
    """One JSON object on stdout; JSON itself leaves some characters that steer terminals. What it
    has no form for, such as a member of an enum that is a parameter, is written as text."""
    text = json.dumps(finite(data), ensure_ascii=False, allow_nan=False, default=str)
    sys.stdout.write(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def columns(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> None:
    """Rows of text below each other, aligned."""
    from rich.cells import cell_len

    cells = [[visible(text) for text in row] for row in ([heads, *rows] if heads else rows)]
    wide = [max(map(cell_len, column)) for column in zip_longest(*cells, fillvalue="")]
    for number, row in enumerate(cells):
        padded = (text + " " * (wide[i] - cell_len(text)) for i, text in enumerate(row))
        say("  ".join(padded).rstrip(), style="dim" if heads and number == 0 else "")


# -- Analyses. ------------------------------------------------------------------------------------


def analysis_facts(found: Analysis, names: Sequence[str]) -> None:
    """The position, who is to move, and what it is worth."""
    rows = [("position", found.position)]
    if found.player == OVER:
        rows.append(("play", "has ended"))
    else:
        rows.append(("to move", found.name))
    if found.player >= 0:
        rows.append(("value", str(found.value)))
    if found.player < 0 or len(found.values) > 2:
        rows += [(f"to {names[i]}", str(value)) for i, value in enumerate(found.values)]
    if found.note:
        name, _, words = found.note.partition(": ")
        rows.append((name, words))
    columns(rows)


def analysis_moves(found: Analysis, names: Sequence[str]) -> None:
    """The moves, best first, or what chance may do."""
    if found.player == CHANCE:
        shown = range(1 if len(found.values) == 2 else len(found.values))
        columns(
            (
                (str(c.probability), c.child, *(str(c.values[i]) for i in shown))
                for c in found.chances
            ),
            ("chance", "position after", *(f"value to {names[i]}" for i in shown)),
        )
    elif found.choices:
        from perfectplay.answer.analysis import share_text

        for own, name in zip(found.choices, names, strict=True):
            columns(
                ((share_text(c.probability), c.text, str(c.value)) for c in own),
                ("probability", f"choice of {name}", "value"),
            )
    elif found.moves:
        reward = any(move.reward for move in found.moves)
        columns(
            (
                (
                    "*" if move.best else "",
                    move.text,
                    str(move.value),
                    lost(move.loss, move.change, best=move.best),
                    *([str(move.reward or "")] if reward else []),
                    move.child,
                )
                for move in found.moves
            ),
            ("", "move", "value", "loses", *(["earns"] if reward else []), "position after"),
        )
    else:
        say("no moves: play has ended")


def lost(loss: float, change: str, *, best: bool) -> str:
    """What a move gives away, for people."""
    if best:
        return ""
    return change or ("everything" if math.isinf(loss) else f"{loss:.6g}")


def analysis_line(found: Analysis) -> None:
    """The main line, one step per row."""
    if len(found.line):
        columns(((step.move, step.position) for step in found.line), ("line", "position after"))
    ended = "" if len(found.line) else "no line: play has ended"
    ends = {"over": ended, "repeats": "… and so on: the line repeats", "more": "…"}
    if ends[found.line.ending]:
        say(ends[found.line.ending])


# -- Reports. -------------------------------------------------------------------------------------


def solved(report: dict[str, Any], values: dict[str, Value]) -> None:
    """What solving found, and how long it took."""
    rows = [("game", titled(report))]
    rows += [(f"value to {name}" if name else "value", str(v)) for name, v in values.items()]
    rows.append(("positions", f"{report['positions']:,} in {counted(report['strata'], 'strat')}"))
    methods = ", ".join(
        f"{METHODS.get(name, name)} ({count:,})" for name, count in report["methods"].items()
    )
    seconds = report["seconds"]
    shown = ", ".join(f"{stage} {took:.2f} s" for stage, took in seconds.items() if took >= 0.005)
    rows += [("solved by", methods)] if methods else []
    if report["solved_before"]:
        rows += [("time", "none: the table was there")]
    else:
        rows += [("time", f"{sum(seconds.values()):.2f} s" + (f" ({shown})" if shown else ""))]
        private, peak = report["private_memory"], report["peak_memory"]
        rows += [("memory", f"{size(private or peak)} at most")]
        if report["working_files"]:
            rows += [("working files", f"{report['working_files'] / 1e6:,.0f} MB at most")]
    rows += _rounds(report)
    if report["residual"]:
        rows += [("residual", f"{report['residual']:.1g}")]
        error = report.get("policy_error")
        rows += [("policy", f"brings these values ± {error:.1g}, proved")] if error else []
        gap = report.get("equilibrium_gap")
        rows += [("leaving it", f"for good gains at most {gap:.1g}, proved")] if gap else []
    rows += [("table", str(report["table"]))] if report.get("table") else []
    rows += [("signature", report["signature"])] if report["signature"] else []
    rows += [("note", text) for text in report.get("notes", [])]
    columns(rows)


def _rounds(report: dict[str, Any]) -> list[tuple[str, str]]:
    """How many rounds the components took; each round, if a method was asked for by name."""
    rounds = {int(count): number for count, number in report.get("rounds", {}).items()}
    if not rounds:
        return []
    total, most = sum(count * number for count, number in rounds.items()), max(rounds)
    components = sum(rounds.values())
    text = f"{total:,} in {components:,} cyclic component{'s' * (components > 1)}"
    text += f", at most {most:,} in one" if components > 1 else ""
    cpu = "" if report["solved_before"] else f"; {report['cpu']:.2f} s of processors"
    rows = [("rounds", text + cpu)]
    residuals = report["residuals"] if report["method"] != "auto" else []
    for number, residual in enumerate(residuals[:ROUNDS_SHOWN]):
        before = residuals[number - 1] if number else 0.0
        ratio = f", {residual / before:.4g} of the last" if before and residual else ""
        rows.append((f"round {number + 1}", f"{residual:.3g}{ratio}"))
    return rows


def report(found: Any, *, json: bool) -> None:
    """A finding that knows how to show itself, as JSON or for people."""
    if json:
        emit(found.as_json())
    else:
        say(str(found))


def titled(report: dict[str, Any]) -> str:
    """The game of a report with its parameters."""
    from perfectplay.rules.parameters import value_text

    given = ", ".join(f"{name}={value_text(v)}" for name, v in report["parameters"].items())
    return f"{report['game']} ({given})" if given else str(report["game"])


def counted(number: int, stem: str) -> str:
    """ "1 stratum", "12 strata"."""
    return f"{number:,} {stem}{'um' if number == 1 else 'a'}"


# -- Progress. ------------------------------------------------------------------------------------


EVERY = 5.0
"""Seconds between lines of progress where there is no terminal; shorter work says nothing."""


@contextmanager
def watching() -> Iterator[Watched]:
    """Progress on stderr: as bars if that is a terminal, else as a line every few seconds."""
    shown = Bars() if sys.stderr.isatty() else ProgressLines()
    try:
        yield shown
    finally:
        shown.finish()


class Watched:
    """Progress that knows how far it is."""

    stage = ""
    total: int | None = None
    done = 0

    def start(self, stage: str, total: int | None = None) -> None:
        """A stage begins; the one before it has ended."""
        self.stage, self.total, self.done = stage, total, 0

    def advance(self, positions: int) -> None:
        """So many more positions are done in the present stage."""
        self.done += positions

    def finish(self) -> None:
        """The last stage has ended."""


class ProgressLines(Watched):
    """A line every few seconds, for logs and pipes: stage, what is done, rate and time left. A
    thread writes them, so that they come also where a stage reports nothing for long."""

    def __init__(self) -> None:
        self._began = 0.0
        self._ended: Event | None = None

    def start(self, stage: str, total: int | None = None) -> None:
        """A stage begins; the first one starts the clock."""
        super().start(stage, total)
        self._began = time.monotonic()
        if self._ended is None:
            self._ended = Event()
            Thread(target=self._tell, args=(self._ended, EVERY), daemon=True).start()

    def finish(self) -> None:
        """No more lines."""
        if self._ended is not None:
            self._ended.set()
            self._ended = None

    def _tell(self, ended: Event, every: float) -> None:
        while not ended.wait(min(every, TIMEOUT_MAX)):
            with suppress(OSError, ValueError):  # nobody listens
                note(self.line(time.monotonic() - self._began))

    def line(self, seconds: float) -> str:
        """How far the present stage is after so many seconds."""
        from perfectplay.solving.forecast import duration

        done, total = self.done, self.total
        parts = [f"{self.stage}: {done:,}"] if done else [self.stage]
        if done and total:
            parts[0] += f" of {total:,}"
        if done:
            parts[0] += " positions"
            parts.append(f"{done / seconds:,.0f}/s")
        parts.append(f"{duration(seconds)} so far")
        if done and total and done <= total:
            parts.append(f"about {duration(seconds * (total - done) / done)} left")
        return ", ".join(parts)


class Bars(Watched):
    """One bar per stage, with rate and time left."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Left

        rate = TextColumn("{task.fields[rate]}", style="dim")
        stage = TextColumn("{task.description:9}")
        parts = (stage, BarColumn(), rate, TimeElapsedColumn(), TextColumn("left"), Left())
        self._bars = Progress(*parts, console=console(stderr=True), transient=True)
        self._task: Task | None = None
        self._started = False

    def start(self, stage: str, total: int | None = None) -> None:
        """A stage begins; the one before it has ended."""
        super().start(stage, total)
        if not self._started:
            self._bars.start()
            self._started = True
        self._close()
        number = self._bars.add_task(stage, total=total, rate="")
        self._task = next(task for task in self._bars.tasks if task.id == number)

    def advance(self, positions: int) -> None:
        """So many more positions are done in the present stage."""
        super().advance(positions)
        task = self._task
        if task is None:
            return
        speed = task.speed or 0
        done = f"{int(task.completed) + positions:,}"
        rate = f"{done} positions, {speed:,.0f}/s" if speed else f"{done} positions"
        self._bars.update(task.id, advance=positions, rate=rate)

    def _close(self) -> None:
        if self._task is not None:
            self._bars.update(self._task.id, total=self._task.completed or 1)
            self._bars.stop_task(self._task.id)
            self._task = None

    def finish(self) -> None:
        """The last stage has ended."""
        self._close()
        if self._started:
            self._bars.stop()
            self._started = False
