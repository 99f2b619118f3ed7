"""A few hundred random games and inputs, and two runs that are killed; script/fuzz runs more."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import draw_games
import fuzz
import game_cases
import input_cases
import input_commands
import kill_cases
import pytest
from case_worker import CaseResult, CaseWorker, answer
from draw_games import draw
from game_cases import MismatchError, run_case
from input_folder import SEARCHED, TABLES
from naive_solver import Unfolded

GAMES = 25
"""Cases of each kind of game."""
SEARCH = ["chess"]
INPUTS = 250
"""Cases of all kinds of inputs; three of them start a command."""


@pytest.mark.parametrize("kind", list(draw_games.KINDS))
def test_random_games_agree_with_brute_force(kind: str) -> None:
    first = list(draw_games.KINDS).index(kind)
    numbers = range(first, first + GAMES * len(draw_games.KINDS), len(draw_games.KINDS))
    wrong = {number: answer(game_cases, number, 0) for number in numbers}
    assert not {number: each for number, each in wrong.items() if each}


@pytest.fixture(scope="module")
def tried() -> Iterator[list[CaseResult]]:
    """Some inputs of all kinds, tried in one process. To compile rules for a search takes longer
    than all else: one game is searched."""
    alone = [number for number in range(INPUTS) if input_cases.alone(number)]
    numbers = [n for n in range(INPUTS) if n not in alone[3:] and not searches_another(n)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SEARCHED, " ".join(SEARCH))
        yield list(fuzz.results("inputs", 0, numbers))


def searches_another(number: int) -> bool:
    words = input_commands.draw_input(number).arguments
    others = {each[0] for each in TABLES.values()} - {*SEARCH}
    return "search" in words[:1] and not others.isdisjoint(words)


def test_nearly_all_inputs_are_tried() -> None:
    left_out = [number for number in range(INPUTS) if searches_another(number)]
    assert len(left_out) < INPUTS // 20
    asked = [input_commands.draw_input(n).arguments for n in range(INPUTS) if n not in left_out]
    for name in SEARCH:
        assert any("search" in words[:1] and name in words for words in asked), name


@pytest.mark.xdist_group("inputs")
@pytest.mark.parametrize("kind", list(input_commands.KINDS))
def test_random_inputs_end_with_a_documented_exit_code(kind: str, tried: list[CaseResult]) -> None:
    found = [each for each in tried if each.kind == kind]
    assert len(found) > 10
    assert not [each for each in found if each.wrong]


def test_killed_runs_end_with_the_same_bytes() -> None:
    kinds = list(kill_cases.KINDS)
    cases = [kinds.index("plain") + i * len(kinds) for i in range(2)]
    wrong = [each for each in fuzz.results("kills", 0, cases) if each.wrong]
    assert not wrong


# -- The fuzzers themselves. ----------------------------------------------------------------------


def test_a_case_is_the_same_every_time() -> None:
    for number in range(24):
        assert draw(number) == draw(number)
        assert draw(number) != draw(number, seed=1)
    for number in range(30):
        one, other = (input_commands.draw_input(number).arguments for _ in range(2))
        assert one == other


def test_all_twelve_kinds_come_plain_and_native() -> None:
    drawn = [draw(number) for number in range(12 * 20)]
    assert len(draw_games.KINDS) == 12
    assert {(game.kind, game.native) for game in drawn} == {
        (kind, native) for kind in draw_games.KINDS for native in (False, True)
    }


def test_one_command_in_twenty_stands_alone_whatever_the_kind() -> None:
    alone = [number for number in range(10_000) if input_cases.alone(number)]
    assert len(alone) == 500
    assert {input_commands.kind_of(number) for number in alone} == set(input_commands.KINDS)


def test_a_wrong_value_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Unfolded.values

    def wrong(self: Unfolded, rows: object, *, depth: bool) -> object:
        return [tuple(x + Fraction(1, 3) for x in each) for each in right(self, rows, depth=depth)]

    monkeypatch.setattr(Unfolded, "values", wrong)
    with pytest.raises(MismatchError, match="value to player 0"):
        run_case(8)


def test_a_table_that_verify_accepts_in_spite_of_a_lie_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_cases, "verify", lambda table, game: None)
    with pytest.raises(MismatchError, match="verify accepts"):
        run_case(0)


@pytest.mark.parametrize(
    ("code", "out", "err", "wrong"),
    [
        (70, "", "error: internal error: KeyError", "exit code 70"),
        (2, "", "Traceback (most recent call last)", "Traceback"),
        (0, "", "", "nothing on stdout"),
        (0, "{", "", "no JSON"),
        (4, "", "", "without a word"),
        (0, '{"a": 1}', "", ""),
        (4, "", "error: damaged", ""),
    ],
)
def test_the_end_of_a_command_is_judged(code: int, out: str, err: str, wrong: str) -> None:
    case = input_commands.InputCase(["probe", "--json", "x"])
    found = input_cases._wrong(case, code, out, err)
    assert wrong in found
    assert bool(found) == bool(wrong)


def test_hangs_and_crashes_are_failures_and_the_next_case_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trouble_cases.py").write_text(
        "import os, time\n"
        "def prepare(folder): pass\n"
        "def kind_of(number): return 'trouble'\n"
        "def run_case(number, seed):\n"
        "    if number == 1:\n"
        "        until = time.process_time() + 60\n"
        "        while time.process_time() < until: pass\n"
        "    if number == 2: os._exit(9)\n"
        "    if number == 3: raise ValueError('wrong')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with CaseWorker("trouble_cases", 0, tmp_path, limit=0.2) as worker:
        wrong = [worker.run(number).wrong for number in range(5)]
    assert wrong[0] == wrong[4] == ""
    assert "hangs" in wrong[1]
    assert "exit code 9" in wrong[2]
    assert "ValueError: wrong" in wrong[3]


def test_damage_changes_a_table(tmp_path: Path) -> None:
    from input_damage import edit, flip

    from perfectplay import load, solve
    from perfectplay.strata.sealed_files import unsealed

    solve(load("piglet", {"goal": 2}), tmp_path / "small", plain=True)
    file = tmp_path / "small" / "manifest.json"
    whole = file.read_bytes()
    edit(random.Random(1), tmp_path / "small")
    assert file.read_bytes() != whole
    assert unsealed(file)  # the seal is right
    flip(random.Random(1), file)
    assert file.read_bytes() != whole


def test_the_script_names_the_command_that_runs_a_failing_case_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "DONE", tmp_path / "done")
    found = [
        CaseResult(number, "kind", "wrong\nhere" if number == 21 else "", 0.1)
        for number in range(60)
    ]
    monkeypatch.setattr(
        fuzz, "results", lambda what, seed, cases, workers, until: (found[i] for i in cases)
    )
    assert fuzz.main(["games", "--count", "40", "--seed", "7"]) == 1
    said = capsys.readouterr().out
    assert "FAILED (kind) wrong here | script/fuzz games --case 21 --seed 7" in said
    assert "40 of 40 cases" in said
    assert fuzz.main(["games", "--count", "60", "--seed", "7", "--resume"]) == 0
    assert "20 of 20 cases" in capsys.readouterr().out
    assert fuzz.main(["games", "--count", "60", "--seed", "7", "--resume"]) == 0
    assert fuzz.main(["games", "--case", "21", "--seed", "7"]) == 1


def test_the_script_runs_one_case() -> None:
    script = Path(fuzz.__file__)
    done = subprocess.run(
        [sys.executable, str(script), "games", "--case", "0"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 cases" in done.stdout
