"""Faults that are nobody's mistake in the rules: full disks, little memory, long names, Ctrl-C."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest

from perfectplay import Game, RulesError, TableError, TooLargeError, load, nash, search, solve
from perfectplay.cli import main
from perfectplay.cli.folders import table_folder
from perfectplay.cli.system_errors import in_words
from perfectplay.compiled import address_space, dispatchers, kernels, machine
from perfectplay.compiled.compile_errors import refuse_uncompilable
from perfectplay.progress import Silent
from perfectplay.solving import budget
from perfectplay.strata.disk_strata import DiskStrata
from perfectplay.table import writer

COMMAND = [sys.executable, "-c", "from perfectplay.cli.main import main; main()"]
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@dataclass(frozen=True)
class Steps(Game):
    """Go down to nothing; the last step costs `price`."""

    heap: int = 4
    price: Any = 1
    text_of_rules: str = ""

    def start(self) -> int:
        return self.heap

    def moves(self, p: int) -> Any:
        if p:
            yield 1

    def play(self, p: int, m: int) -> int:
        return p - m

    def stratum(self, p: int) -> int:
        return p

    def payoff(self, p: int) -> Any:
        return self.price


def run(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """A real command."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    return subprocess.run([*COMMAND, *arguments], text=True, check=False, **pipes)


def within(megabytes: int) -> Any:
    """Limits the address space of a process that is about to begin."""
    most = megabytes * 2**20
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))


# -- A cache that cannot be written. --------------------------------------------------------------


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Kernels of a test are the only ones, and have a cache of their own."""
    monkeypatch.setenv("PERFECTPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "_kernels", WeakSet())
    monkeypatch.setattr(kernels, "_uncached", [])


def doubled(n: int) -> int:
    return 2 * n


def refuse(*_: Any, **__: Any) -> None:
    raise FULL


@pytest.mark.usefixtures("_alone")
def test_without_room_for_the_cache_kernels_run_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dispatchers.tempfile, "TemporaryFile", refuse)
    assert kernels.kernel(doubled)(21) == 42
    assert str(tmp_path) in kernels.uncached_because()
    assert main.run(["games", "pig"]) == 0
    assert "compiled code is not kept" in capsys.readouterr().err


@pytest.mark.usefixtures("_alone")
def test_a_disk_that_is_full_when_numba_writes_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from numba.core.caching import IndexDataCacheFile

    monkeypatch.setattr(IndexDataCacheFile, "save", refuse)
    one, other = kernels.kernel(doubled), kernels.kernel(doubled)
    assert (one(4), other(5)) == (8, 10)
    assert "No space left" in kernels.uncached_because()


@pytest.mark.usefixtures("_alone")
def test_two_threads_may_find_the_cache_full_at_once() -> None:
    kernel = kernels.kernel(doubled)

    def full(*_: Any) -> None:
        kernel.cached = False  # another thread was faster
        kernel.__dict__.pop("dispatcher")
        raise FULL

    kernel.__dict__["dispatcher"] = full
    assert kernel(3) == 6


# -- Working files and tables on a full disk. -----------------------------------------------------


def test_working_files_on_a_full_disk_end_in_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def short(*_: Any) -> None:
        raise OSError("131751 requested and 52192 written")  # all that NumPy says

    monkeypatch.setattr(budget, "HELD", 0)
    monkeypatch.setattr(budget, "EVERY", 1)
    monkeypatch.setattr(np, "save", short)
    with pytest.raises(TableError, match="No space left") as raised:
        solve(Steps(), tmp_path / "table")
    assert "make room" in raised.value.hint
    monkeypatch.undo()
    assert solve(Steps(), tmp_path / "table").table.rows == 5


def test_files_of_strata_on_a_full_disk_end_in_the_same_error(tmp_path: Path) -> None:
    class Short(np.ndarray):  # type: ignore[type-arg]
        def tofile(self, *_: Any, **__: Any) -> None:
            raise OSError("3 requested and 1 written")

    strata = DiskStrata(tmp_path, 1, 1000, 1000)
    with pytest.raises(TableError, match="No space left"):
        strata.add(0, np.zeros((3, 1), np.int64).view(Short))


def test_strata_that_were_found_are_kept_when_there_is_too_little_room(tmp_path: Path) -> None:
    strata = DiskStrata(tmp_path / "strata", 1, 1000, 100)
    strata.begin({"game": "x"}, fresh=False)
    strata.add(0, np.zeros((3, 1), np.int64))
    with pytest.raises(TooLargeError) as early:
        strata.add(1, np.zeros((300, 1), np.int64))
    strata.journal({})
    with pytest.raises(TooLargeError) as late:
        strata.add(2, np.zeros((300, 1), np.int64))
    assert (early.value.resumable, late.value.resumable) == (False, True)


def limited_files() -> None:
    """As on a full disk: no file of the process grows beyond 200 KB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


@pytest.mark.slow
def test_a_run_that_met_a_full_disk_goes_on_when_there_is_room(tmp_path: Path) -> None:
    words = ["solve", "einstein", "-p", "rows=4", "--exact", "--json"]
    small = [*words, "--memory", "16M", "--disk", "1G", "--table", str(tmp_path / "one")]
    done = run(*small, preexec_fn=limited_files)
    assert done.returncode == TableError.exit_code
    assert "make room and run again" in done.stderr
    again, other = run(*small), run(*words, "--table", str(tmp_path / "two"))
    assert json.loads(again.stdout)["signature"] == json.loads(other.stdout)["signature"]


# -- Little memory. -------------------------------------------------------------------------------


def test_the_compiler_is_not_loaded_where_it_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    used = address_space.address_space_left
    assert used() is None or used() > 0
    monkeypatch.setattr(machine.resource, "getrlimit", lambda _: (700 * 2**20, -1))
    monkeypatch.delitem(sys.modules, "perfectplay.compiled.dispatchers")
    with pytest.raises(TooLargeError, match="address space"):
        kernels.kernel(doubled)(1)
    assert budget.available_memory() < 700 * 2**20


@pytest.mark.parametrize("megabytes", [400, 900])
def test_little_address_space_is_an_error_with_exit_code_5(megabytes: int, tmp_path: Path) -> None:
    done = run("solve", "pig", "--fresh", preexec_fn=within(megabytes), cwd=tmp_path)
    assert done.returncode == TooLargeError.exit_code
    assert "address space" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [400, 500, 700, 900])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("solve pig", 5),
        ("solve connect -p width=4 -p height=4", 5),
        ("games", 0),
        ("--help", 0),
        ("value game 1/2", 0),
    ],
)
def test_each_command_in_little_address_space(
    megabytes: int, words: str, code: int, tmp_path: Path
) -> None:
    done = run(*words.split(), preexec_fn=within(megabytes), cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 5, "out of memory"),
        (np.exceptions.AxisError("no"), None, ""),
        (ImportError("libarrow.so: failed to map segment from shared object"), 5, "map segment"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 5, "out of memory"),
        (RuntimeError("can't start new thread"), 5, "thread"),
        (RuntimeError("something else"), None, ""),
        (FULL, 5, "No space left"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300), 2, "x…: File name too lo"),
        (PermissionError(errno.EACCES, "Permission denied", "a/b"), 2, "a/b: Permission denied"),
        (OSError("no errno"), None, ""),
    ],
)
def test_errors_of_the_system_are_put_into_words(
    error: Exception, code: int | None, words: str
) -> None:
    known = in_words(error)
    assert (known and known.exit_code) == code
    assert known is None or words in known.message


# -- Names and numbers. ---------------------------------------------------------------------------


def test_names_of_folders_fit_on_every_disk_and_differ() -> None:
    sides = "sides=" + "+".join(map(str, range(200)))
    first, other = (
        table_folder("steps", Steps(text_of_rules="ü" * 300 + end), "exact", sides)
        for end in ("a", "b")
    )
    assert first != other
    assert len(f"{first.name}.working-000000".encode()) < 255
    assert table_folder("pig", load("pig", {"sides": 8}), "exact").name == "pig-sides=8-exact"


def test_a_folder_with_too_long_a_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["solve", "pig", "--table", "x" * 300],
        ["probe", "x" * 300],
        ["play", "y" * 999],
    ):
        assert main.run(words) == 2
        assert "File name too long" in capsys.readouterr().err


def test_a_matrix_may_have_entries_of_any_size_that_can_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    huge = 10**400 + 1
    found = nash([[huge, 0], [0, huge]])
    assert found.value == Fraction(huge, 2)
    assert str(found).endswith("= 5e+399")
    assert (found.as_json()["decimal"], found.as_json()["value"]) == (None, f"{huge}/2")
    tiny = nash([[Fraction(1, huge)]])
    assert str(tiny).endswith("= 1e-400")
    file = tmp_path / "matrix.csv"
    file.write_text(f"{huge},0\n0,1e3000\n")
    for more in ([], ["--json"], ["--all"]):
        assert main.run(["nash", str(file), *more]) == 0
    assert "e+" in capsys.readouterr().out
    rows = [[7**3000 + i * j * i + j**7 for i in range(6)] for j in range(6)]
    rows[2][3] = 11**4500  # the value has more than the 4300 digits that Python would write
    assert len(nash(rows).as_json()["average"]) > 4300


@pytest.mark.parametrize("entry", ["1e999999999", "-1e-99999", "7" * 5000, "1/" + "3" * 4500])
def test_a_matrix_with_an_absurd_entry_is_refused_at_once(
    entry: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text(f"{entry},2\n3,4\n")
    assert main.run(["nash", str(file)]) == TooLargeError.exit_code
    err = capsys.readouterr().err
    assert "row 1, column 1" in err
    assert len(err) < 300


@pytest.mark.parametrize("price", [10**30, 2**63, float("nan"), float("inf"), "7", None, 0.5])
def test_payoffs_that_are_no_integers_of_64_bits_are_refused(price: Any) -> None:
    with pytest.raises(RulesError, match="payoff"):
        solve(Steps(price=price))


def test_a_search_of_structures_keeps_to_its_size() -> None:
    game = load("pawn-endings", {"fen": "8/ppp5/8/PPP5/8/8/8/K6k w - - 0 1"})
    found = search(game, size=2**20, seconds=30)
    assert (found.lower, found.upper, found.stopped) == (-1, 1, "memory")
    assert found.counts.structures < 40
    assert search(game, size=0).stopped == "memory"


# -- Texts that begin with a dash. ----------------------------------------------------------------


def test_a_text_that_begins_with_a_dash_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["game", "-1/2"], ["--json", "game", "-1/2"], ["--", "game", "-1/2"]):
        assert main.run(["value", *words]) == 0
        assert "1/2" in capsys.readouterr().out
    assert main.run(["value", "--json", "-1/2…h…"]) == 2
    out, err = capsys.readouterr()
    assert "Usage" not in out
    assert "'-1/2…h…'" in err
    assert main.run(["value", "game", "-v", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "^"


def test_help_and_misspelt_options_are_still_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["value", "game", "1", "-h"]) == 0
    assert "Usage" in capsys.readouterr().out
    assert main.run(["value", "--jsn", "game", "1"]) == 2
    assert "No such option: --jsn" in capsys.readouterr().err


# -- Native rules. --------------------------------------------------------------------------------

HELPER = """
import steps

LIMIT = 3

def most(n, *, cap=LIMIT):
    return min(n, cap)

def least(n):
    return steps.one(n)
"""
STEPS = """
import helper

def one(n):
    return min(1, n)
"""
NATIVE = """
from dataclasses import dataclass
import helper
from perfectplay import Game

@dataclass(frozen=True)
class Taking(Game):
    heap: int = 21
    native = True

    def start(self):
        return self.heap

    def moves(self, p):
        for k in range(1, helper.most(p) + helper.least(p)):
            if k <= helper.LIMIT:
                yield k

    def play(self, p, m):
        return self.less(p, by=m)

    def less(self, p, *, by=0, also=0):
        return p - by - also

    def payoff(self, p):
        return -1
"""


def test_native_rules_call_functions_of_modules_and_name_their_arguments(tmp_path: Path) -> None:
    for name, text in (("helper", HELPER), ("steps", STEPS), ("rules", NATIVE)):
        (tmp_path / f"{name}.py").write_text(text)
    game = load(f"{tmp_path}/rules.py:Taking")
    try:
        native, plain = solve(game), solve(game, plain=True)
        values = [[each.value(p) for p in range(22)] for each in (native, plain)]
        assert values[0] == values[1]
        assert [value.outcome for value in values[0][:6]] == [-1, 1, 1, 1, -1, 1]
    finally:
        for name in ("helper", "steps"):
            sys.modules.pop(name, None)


@dataclass(frozen=True)
class Named(Steps):
    """Rules with parameters that compiled functions cannot have."""

    native = True

    def play(self, p: int, m: int) -> int:
        return self.less(p, also=m)

    def less(self, p: int, by: int = 0, *, also: int) -> int:
        return p - by - also


@dataclass(frozen=True)
class Loose(Steps):
    """The same."""

    native = True

    def play(self, p: int, m: int, **words: int) -> int:
        return p - m


@pytest.mark.parametrize(
    ("game", "words"), [(Named(), r"less\(\), line \d+.*keyword-only"), (Loose(), r"\*\*argum")]
)
def test_parameters_that_cannot_be_compiled_are_named(game: Game, words: str) -> None:
    with pytest.raises(RulesError, match=words):
        refuse_uncompilable(game)


# -- Ctrl-C. --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "module", ["gc", "perfectplay.cli.commands", "typer", "inspect", "numpy", "numba.core.types"]
)
def test_ctrl_c_while_something_is_imported_is_quiet(module: str, tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        import os, signal, sys

        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it

        class Interrupt:
            def find_spec(self, name, *rest):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)

        from perfectplay.cli.main import main
        sys.modules.pop({module!r}, None)
        sys.meta_path.insert(0, Interrupt())
        main()
    """)
    done = subprocess.run(
        [sys.executable, "-c", code, "solve", "pig", "--fresh"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == main.STOPPED
    assert done.stderr.strip().startswith("stopped")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_at_twenty_moments_of_the_start(tmp_path: Path) -> None:
    ready = "import sys; from perfectplay.cli.main import main; print(flush=True); main()"
    for i in range(20):
        begun = subprocess.Popen(
            [sys.executable, "-c", ready, "solve", "pig", "--fresh"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert begun.stdout is not None
        begun.stdout.readline()
        time.sleep(0.001 + 0.03 * i)
        begun.send_signal(signal.SIGINT)
        _, err = begun.communicate(timeout=120)
        assert (begun.returncode, "Traceback" in err) == (main.STOPPED, False), (i, err)
        assert "stopped" in err


class Impatient(Silent):
    """Presses Ctrl-C when some positions are solved."""

    def __init__(self, after: int) -> None:
        self.left, self.stage = after, ""

    def start(self, stage: str, total: int | None = None) -> None:
        self.stage = stage

    def advance(self, positions: int) -> None:
        if self.stage == "solve":
            self.left -= positions
            if self.left < 0:
                raise KeyboardInterrupt


def test_a_run_that_is_stopped_says_what_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt, match="nothing is kept"):
        solve(Steps(), progress=Impatient(1))
    monkeypatch.setattr(writer, "PART_ROWS", 1)
    with pytest.raises(KeyboardInterrupt, match=r"of the table in .*the same command goes on"):
        solve(Steps(heap=20), tmp_path / "table", progress=Impatient(9))
    whole = solve(Steps(heap=20), tmp_path / "other")
    assert solve(Steps(heap=20), tmp_path / "table").table.signature == whole.table.signature


# -- Streams. -------------------------------------------------------------------------------------


def test_output_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        done = run("games", "--json", stdout=full)
        assert (done.returncode, "No space left" in done.stderr) == (5, True)
        assert run("games", "nosuch", stderr=full).returncode == 2


def test_what_an_encoding_lacks_is_escaped() -> None:
    done = run("games", "nim", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert r"In mis\xe8re play" in done.stdout


def test_closed_streams_are_no_error() -> None:
    def close() -> None:
        for number in (0, 1, 2):
            os.close(number)

    done = run("games", stdin=None, stdout=None, stderr=None, preexec_fn=close)
    assert done.returncode == 0


def test_the_module_of_the_command_runs_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "perfectplay.cli.main", "games", "nim"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "Take from heaps" in done.stdout
