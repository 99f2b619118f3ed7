"""Endings on the command line: the way of solving is that of Python, and bad input is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from perfectplay import solve
from perfectplay.cli import main
from perfectplay.games.chess.pawn_endings import PawnEndings

FEN = "8/8/8/1k6/1p6/1P6/1K6/8_w"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs a command in a folder of its own: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)

    def command(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main.run(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.mark.slow
def test_python_and_the_command_line_solve_the_same_way(run, tmp_path: Path) -> None:
    told = json.loads(run("solve", "pawn-endings", "-p", f"fen={FEN}", "--json")[1])
    ours = solve(PawnEndings(FEN.replace("_", " ")))
    assert (told["positions"], told["strata"]) == (ours.report["positions"], ours.report["strata"])
    assert told["methods"] == ours.report["methods"]
    assert told["value"] == ours.value(ours.start).as_json()
    assert not list(tmp_path.iterdir())  # nothing is kept
    code, out, _ = run("verify", "pawn-endings", "-p", f"fen={FEN}")
    assert code == 0
    assert f"{ours.report['positions']:,} positions verified" in out


def test_a_table_of_all_positions_is_made_where_a_folder_is_named(run) -> None:
    code, out, _ = run("solve", "pawn-endings", "-p", f"fen={FEN}", "--table", "all")
    assert (code, Path("all/manifest.json").exists()) == (0, True)
    code, out, _ = run("verify", "all")
    assert (code, "positions verified" in out) == (0, True)
