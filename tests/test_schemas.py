"""What commands print is what the types say, and docs/json.md is made from the types."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from json_types import differences, same_type

from perfectplay import evaluate, load
from perfectplay.cli import main
from perfectplay.cli.benchmark import Bench, Measurement, Time
from perfectplay.schemas import answers, reports, runs, study, sums
from perfectplay.schemas.plain import finite
from perfectplay.solving.plan_unlabelled import UnlabelledPlan

TOP = Path(__file__).parents[1]
SCRIPT = TOP / "script" / "json_docs.py"
SMALL = ["piglet", "-p", "goal=2"]

COMMANDS: list[tuple[list[str], type]] = [
    (["solve", *SMALL], runs.SolveJson),
    (["solve", *SMALL, "--exact"], runs.SolveJson),
    (["solve", "piglet", "-p", "goal=2", "-p", "players=3"], runs.SolveJson),
    (["solve", "pawn-endings", "-p", "fen=8/8/8/1k6/1p6/1P6/1K6/8_w"], runs.SolveJson),
    (["probe", *SMALL], answers.PositionJson),
    (["probe", *SMALL, "0-0, player 1, total 1, rolling"], answers.PositionJson),
    (["probe", "nim", "-p", "heaps=1,2"], answers.PositionJson),
    (["probe", "hanoi", "-p", "discs=2"], answers.PositionJson),
    (["explain", *SMALL], answers.EquationJson),
    (["explain", "nim", "0 0", "-p", "heaps=1,2"], answers.EquationJson),
    (["search", "nim", "-p", "heaps=1,2"], runs.SearchJson),
    (["search", "connect", "--nodes", "10"], runs.SearchJson),
    (["search", "nim", "1 2", "0 1", "-p", "heaps=1,2"], runs.SearchesJson),
    (["search", "freecell", "--each", "1:2"], runs.SearchEachJson),
    (["plan", *SMALL, "--seconds", "0.2"], runs.PlanJson),
    (["plan", *SMALL, "--seconds", "0.2", "--on", "processes:2"], runs.SharedPlanJson),
    (["plan", "pawn-endings", "-p", "fen=8/8/8/1k6/1p6/1P6/1K6/8_w", "--seconds", "0.2"],
     runs.StructurePlanJson),
    (["check", *SMALL], reports.CheckJson),
    (["verify", *SMALL], reports.VerifyJson),
    (["export", *SMALL, "--to", "small.csv"], reports.ExportJson),
    (["export", "piglet", "-p", "goal=3", "--to", "small.prism"], reports.ModelJson),
    (["certificate", *SMALL, "--verify"], reports.CertificateJson),
    (["games"], reports.GamesJson),
    (["games", "pig"], reports.GameJson),
    (["reproduce", "nim"], reports.ReproduceJson),
    (["sweep", "piglet", "--over", "goal=1,2"], answers.SweepJson),
    (["chart", *SMALL], answers.ChartJson),
    (["chart", *SMALL, "--show", "value"], answers.ChartJson),
    (["evaluate", "piglet", "random", "-p", "goal=2"], answers.EvaluationJson),
    (["study", "piglet", "-p", "goal=2"], study.StudyJson),
    (["study", "hanoi", "-p", "discs=1,2", "--exact"], study.StudiesJson),
    (["count", "kayles", "-p", "heaps=3"], runs.LineCountsJson),
    (["count", "hanoi", "-p", "discs=1", "--all"], runs.LineCountsJson),
    (["value", "hackenbush", "GB", "+", "nim", "2"], sums.SumJson),
    (["heaps", "kayles", "--position", "3,5"], sums.HeapsJson),
    (["heaps", "0.007", "--to", "3"], sums.HeapsJson),
    (["heaps", "kayles", "--misere", "--to", "5", "--position", "3"], sums.HeapsJson),
    (["grundy", "nim"], sums.GrundyJson),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tables are made, with the solved games that commands ask about."""
    return tmp_path_factory.mktemp("schemas")


def printed(command: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert main.run([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("command", "hint"), COMMANDS, ids=[" ".join(each) for each, _ in COMMANDS]
)
def test_commands_print_what_their_types_say(
    command: list[str],
    hint: type,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PERFECTPLAY_TABLES", str(folder))
    monkeypatch.chdir(folder)
    if command[0] in ("probe", "explain", "verify", "export", "certificate", "chart", "evaluate"):
        given = [each for each in command if "=" in each]
        words = [word for each in given for word in ("-p", each)]
        assert main.run(["solve", command[1], *words]) == 0
    same_type(printed(command, capsys), hint)


def test_nash_prints_what_its_type_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("1,0\n0,1\n", encoding="utf-8")
    same_type(printed(["nash", str(matrix), "--all"], capsys), sums.NashJson)
    same_type(printed(["nash", str(matrix)], capsys), sums.NashJson)


def test_benchmarks_are_what_their_type_says() -> None:
    row = Measurement("name", "what", 1, Time(1.0, 2.0), "twin", Time(2.0, 2.0))
    alone = Measurement("name", "what", 1, Time(1.0, 2.0))
    same_type(Bench((row, alone)).as_json(), reports.BenchJson)


def test_plans_by_shapes_are_what_their_type_says() -> None:
    found = UnlabelledPlan(
        game="einstein", parameters={"die": (1, 1)}, complete=False, unlabelled=3, positions=9,
        most=None, strata=2, largest_stratum=5, tried=4, rate=1.5, width=1, budget=100, room=100,
    ).as_json()  # fmt: skip
    same_type(finite(found), runs.UnlabelledPlanJson)


def test_mistakes_of_policies_are_what_their_type_says() -> None:
    found = evaluate(load("piglet", ["goal=2"]), "random").as_json()
    assert found["mistakes"]
    same_type(found, answers.EvaluationJson)


def test_differences_are_found() -> None:
    good: dict[str, Any] = {"name": "axis", "values": [1, "a"]}
    assert not list(differences(good, answers.AxisJson))
    for bad in ({}, {**good, "more": 1}, {**good, "name": 3}, {**good, "values": 1}, [good]):
        assert list(differences(bad, answers.AxisJson)), bad
    step = {"by": "chance", "move": "m", "position": "p"}
    assert not list(differences(step, answers.StepJson))
    assert list(differences({**step, "by": "nobody"}, answers.StepJson))
    assert list(differences({**step, "by": True}, answers.StepJson))


# -- The page. ------------------------------------------------------------------------------------


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("json_docs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    subprocess.run([sys.executable, str(SCRIPT), "--check"], check=True)


def test_a_stale_table_a_missing_one_and_one_of_nothing_are_noticed() -> None:
    page = (TOP / "docs" / "json.md").read_text(encoding="utf-8")
    renewed = script().renewed
    stale = page.replace("| `kind` | text |", "| `kind` | number |", 1)
    assert renewed(stale) == page
    for wrong in ("NobodyJson", "MoveJson"):
        with pytest.raises(SystemExit):
            renewed(page.replace("<!-- fields: ValueJson -->", f"<!-- fields: {wrong} -->"))


def test_every_field_says_what_it_holds() -> None:
    module = script()
    texts = module.texts()
    for name, hint in module.declared().items():
        assert {*hint.__annotations__} == {*texts[name]}, name
        assert all(texts[name].values()), name
