"""Progress in a pipe, and Ctrl-C in real processes: what is kept, and how to go on."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from perfectplay.cli import main, render

RULES = textwrap.dedent('''
    """A heap of counters."""
    from dataclasses import dataclass

    from perfectplay import Game


    @dataclass(frozen=True)
    class Heap(Game):
        """Take 1, 2 or 3 counters; who cannot take loses."""

        heap: int = 8

        def start(self):
            return self.heap

        def moves(self, p):
            return range(1, min(p, 3) + 1)

        def play(self, p, m):
            return p - m

        def stratum(self, p):
            return p // 100
''')
BEGUN = textwrap.dedent("""
    import signal

    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    from perfectplay.cli import render
    from perfectplay.cli.main import main
    from perfectplay.table import writer

    render.EVERY = 0.02
    writer.PART_ROWS = 2000
    main()
""")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    return tmp_path


def stopped(place: Path, awaited: str, *arguments: str) -> tuple[int, str, list[str]]:
    """Exit code, stdout and lines of stderr of a command that gets Ctrl-C when its progress says
    what is awaited."""
    begun = subprocess.Popen(
        [sys.executable, "-c", BEGUN, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place,
    )  # fmt: skip
    assert begun.stderr is not None
    killer = threading.Timer(120, begun.kill)
    killer.start()
    lines = []
    try:
        for line in begun.stderr:
            lines.append(line.rstrip("\n"))
            if re.match(awaited, line):
                begun.send_signal(signal.SIGINT)
                break
        out, rest = begun.communicate()
    finally:
        killer.cancel()
        begun.kill()
        begun.wait()
    lines += rest.splitlines()
    assert "Traceback" not in "\n".join(lines)
    return begun.returncode, out, lines


def test_solve_says_what_is_kept_and_goes_on_from_there(place: Path) -> None:
    command = ["solve", "rules.py", "-p", "heap=20000", "--table", "heap"]
    several_parts = r"solve: ([6-9]|1\d),\d{3} of 20,001 positions, .* left"  # of 2,000 rows each
    code, out, lines = stopped(place, several_parts, *command)
    assert (code, out) == (130, "")
    assert re.fullmatch(
        r"stopped: \d+ parts? of the table in heap; the same command goes on from there", lines[-1]
    )
    parts = len([*(place / "heap").glob("part-*.json")])
    assert parts > 0
    again = subprocess.run(
        [sys.executable, "-c", BEGUN, *command],
        capture_output=True, text=True, check=True, cwd=place,
    )  # fmt: skip
    assert "20,001 in 201 strata" in again.stdout


def test_verify_says_that_the_table_is_as_it_was(place: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", BEGUN, "solve", "rules.py", "-p", "heap=20000", "--table", "heap"],
        capture_output=True, text=True, check=True, cwd=place,
    )  # fmt: skip
    assert any(re.match("(expand|solve): ", line) for line in made.stderr.splitlines())
    assert ": " not in made.stdout  # progress never goes to stdout
    rules = ["--game", "rules.py:Heap"]
    code, out, lines = stopped(place, r"verify: [\d,]+ of 20,001", "verify", "heap", *rules)
    assert (code, out) == (130, "")
    seen = re.fullmatch(
        r"stopped: no fault in ([\d,]+) of 20,001 positions, and the table is as it was; .*",
        lines[-1],
    )
    assert seen
    assert 0 < int(seen[1].replace(",", "")) < 20_001


def test_search_shows_bounds_that_hold(place: Path) -> None:
    code, out, lines = stopped(place, r"search: [\d,]+ ", "search", "connect", "--plain")
    assert code == 130
    assert "not exact" in out
    assert "interrupted" in out
    assert lines[-1].startswith("stopped: the bounds above hold")


def test_sweep_names_the_command_for_the_rest(place: Path) -> None:
    code, out, lines = stopped(
        place, r"(expand|solve): \d\d,\d+", "sweep", "rules.py", "--over", "heap=5,6,500000,7"
    )
    assert code == 130
    assert len(out.splitlines()) == 3  # a head and two rows
    assert lines[-1] == (
        "stopped: 2 of 4 settings are solved, as shown; for the rest: "
        "perfectplay sweep rules.py --over heap=500000,7"
    )


@pytest.mark.parametrize(
    ("at_work", "command", "words"),
    [
        ("perfectplay.answer.solve.solve", ["solve", "rules.py"], "nothing is kept; the same"),
        ("perfectplay.solving.plan.plan", ["plan", "nim"], "nothing is kept; the same"),
        ("perfectplay.verification.check.check", ["check", "nim"], "nothing is kept; the same"),
        ("perfectplay.answer.evaluate.evaluate", ["evaluate", "nim", "random"], "nothing is kept"),
        ("perfectplay.solvers.matrix.nash.nash", ["nash", "m.csv"], "nothing is kept; the same"),
        ("perfectplay.verification.published.reproduce.reproduce", ["reproduce", "nim"], "0 of "),
        ("perfectplay.searching.search.searches", ["search", "nim"], "nothing is kept; the same"),
    ],
)
def test_commands_say_what_is_kept(
    at_work: str,
    command: list[str],
    words: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(place)
    Path("m.csv").write_text("1,0\n0,1\n", encoding="utf-8")
    monkeypatch.setattr(at_work, interrupted)
    assert main.run(command) == main.STOPPED
    heard = capsys.readouterr()
    assert heard.out == ""
    assert f"stopped: {words}" in heard.err


# -- Lines of progress. ---------------------------------------------------------------------------


def test_a_line_tells_stage_count_rate_and_time_left() -> None:
    lines = render.ProgressLines()
    lines.stage = "compile"
    assert lines.line(3.0) == "compile, 3.0 seconds so far"
    lines.stage, lines.done = "expand", 1_000
    assert lines.line(4.0) == "expand: 1,000 positions, 250/s, 4.0 seconds so far"
    lines.stage, lines.done, lines.total = "solve", 1_000, 4_000
    assert lines.line(4.0) == (
        "solve: 1,000 of 4,000 positions, 250/s, 4.0 seconds so far, about 12.0 seconds left"
    )


def test_lines_come_also_where_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    monkeypatch.setattr(render, "EVERY", 0.01)
    with render.watching() as progress:
        assert isinstance(progress, render.ProgressLines)
        progress.start("compile")
        for _ in range(500):
            time.sleep(0.01)
            if heard.getvalue().count("\n") >= 2:
                break
    assert heard.getvalue().startswith("compile, ")
    time.sleep(0.05)
    count = heard.getvalue().count("\n")
    time.sleep(0.05)
    assert heard.getvalue().count("\n") == count  # none after the end


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with render.watching() as progress:
        progress.start("solve", 10)
        progress.advance(10)
    assert capsys.readouterr().err == ""


def test_a_sweep_of_quick_settings_counts_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(render, "EVERY", 1e-9)
    monkeypatch.setattr(render.ProgressLines, "_tell", lambda *_: None)
    assert main.run(["sweep", "piglet", "--over", "goal=1,2"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["sweep: 1 setting", "sweep: 2 settings"]
