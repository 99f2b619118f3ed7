"""What an export says of a position is what `probe` says, in every format and for every kind."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import perfectplay
from perfectplay import Solution, UsageError, export, load, solve
from perfectplay.cli import main
from perfectplay.rules.value import OUTCOMES, Value, nearest_float

HOP = Path(__file__).with_name("hop.py")
GAMES = {
    "noughts-and-crosses": {},
    "nim": {"heaps": (1, 2, 3)},
    "connect": {"width": 3, "height": 3},
    "mu-torere": {},  # draws by endless play
    "dots-and-boxes": {"rows": 1, "columns": 2},
    "sliding": {"width": 3, "height": 2},
    "piglet": {"goal": 3},
    "pig": {"goal": 8},
    "snakes-and-ladders": {},
    "egg-dropping": {"floors": 6},
    "rock-paper-scissors": {},
    "cant-stop": {"sides": 2},  # by turns
    "awari": {"pits": 2, "seeds": 3},  # scores on cycles
}
WAYS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *((name, given, {}) for name, given in GAMES.items()),
    ("piglet", {"goal": 3}, {"exact": True}),
    ("flip", {"markers": 4}, {"exact": True}),
    ("einstein", {"stones": 1}, {"exact": True}),  # a roll comes first
    ("goofspiel", {"cards": 3}, {}),
    ("quixo", {"width": 3}, {"plain": False}),  # by number
    (str(HOP), {}, {}),  # a file of one's own
    ("piglet", {"goal": 2, "players": 3}, {}),
    ("piglet", {"goal": 2, "players": 3}, {"exact": True}),
    ("noughts-and-crosses", {}, {"plain": True}),
]


def solved(name: str, given: dict[str, Any], ways: dict[str, Any]) -> Solution:
    known = {**given}
    ways = {"plain": True, **ways} if name not in ("pig", "connect") else ways
    return solve(load(name, known), **ways)


def shown(value: Value) -> Any:
    return float(value) if value.exactness != "exact" else nearest_float(value.lower)


def rows_of(solution: Solution) -> list[Any]:
    """At most 200 positions of a solution, spread over all."""
    every = list(solution.positions())
    return every[:: max(1, len(every) // 200)]


@pytest.mark.parametrize(("name", "given", "ways"), WAYS)
def test_duckdb_reads_what_probe_says(
    name: str, given: dict[str, Any], ways: dict[str, Any], tmp_path: Path
) -> None:
    solution = solved(name, given, ways)
    file = tmp_path / "all.parquet"
    assert export(solution, file).rows == solution.table.positions
    found = duckdb.sql(f"select * from '{file}'").df().set_index("position").to_dict("index")
    assert len(found) == solution.table.positions
    for p in rows_of(solution):
        said = solution.analyse(p)
        row = found[said.position]
        value, expected = row["value"], shown(said.value)
        assert value == expected or (expected is None and abs(value) == float("inf"))
        assert row["to_move"] == said.name
        assert row["stratum"] == solution.game.stratum(p)
        if "lower" in row:
            assert row["lower"] <= value <= row["upper"]
            assert said.value.exactness != "bounds" or row["lower"] == said.value.lower
        if said.value.kind == "outcome":
            assert row["outcome"] == OUTCOMES[said.value.outcome]
            assert pd.isna(row["depth"]) == (said.value.depth is None)
            assert pd.isna(row["depth"]) or row["depth"] == said.value.depth
        for i, each in enumerate(said.values if not solution.facts.scalar else ()):
            assert row[f"value_{i + 1}"] == shown(each)
        if "exact" in row:
            assert said.value.as_json()["exact"] == row["exact"]
        if "best_move" in row:
            assert (row["best_move"] if said.moves else None) == (
                said.moves[0].text if said.moves else None
            )
            assert said.moves or pd.isna(row["best_move"])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "small"
    solve(load("noughts-and-crosses"), folder)
    return folder


def test_every_format_holds_the_same_rows(small: Path, tmp_path: Path) -> None:
    solution = Solution.open(small)
    for suffix in ("parquet", "arrow", "csv", "duckdb"):
        export(solution, tmp_path / f"all.{suffix}")
    whole = pq.read_table(tmp_path / "all.parquet").to_pylist()
    assert len(whole) == 5478
    with pa.memory_map(str(tmp_path / "all.arrow")) as source:
        assert pa.ipc.open_file(source).read_all().to_pylist() == whole
    with (tmp_path / "all.csv").open(encoding="utf-8") as file:
        for text, row in zip(csv.DictReader(file), whole, strict=True):
            assert text == {k: "" if v is None else str(v) for k, v in row.items()}
    with duckdb.connect(str(tmp_path / "all.duckdb"), read_only=True) as base:
        assert base.sql("from positions").to_arrow_table().to_pylist() == whole
        told = base.sql("select column_name, comment from duckdb_columns()").fetchall()
    assert dict(told)["depth"] == "plies to the end under best play; null where play is endless"
    assert pl.read_parquet(tmp_path / "all.parquet").to_dicts() == whole
    assert len(pd.read_parquet(tmp_path / "all.parquet")) == 5478


def test_columns_say_what_they_mean(small: Path, tmp_path: Path) -> None:
    found = export(Solution.open(small), tmp_path / "a.parquet", columns=["key", "value", "depth"])
    schema = pq.read_schema(tmp_path / "a.parquet")
    assert schema.names == ["key_0", "value", "depth"] == [*found.columns]
    for field in schema:
        assert field.metadata[b"description"].decode() == found.columns[field.name]
    assert schema.metadata[b"signature"].decode() == Solution.open(small).table.signature
    assert schema.metadata[b"generator"].decode() == f"perfectplay {perfectplay.__version__}"


def test_values_and_keys_alone_are_those_of_the_table(small: Path, tmp_path: Path) -> None:
    solution = Solution.open(small)
    export(solution, tmp_path / "a.parquet", columns=["key", "value", "depth", "stratum"])
    mine, stored = pq.read_table(tmp_path / "a.parquet"), solution.to_arrow()
    assert mine["key_0"].to_pylist() == stored["key_0"].to_pylist()
    assert mine["value"].to_pylist() == stored["outcome"].to_pylist()  # in alternate play


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a.txt", "nothing is written with the suffix"),
        ("a", "nothing is written with the suffix"),
        ("there.csv", "is there already; nothing was written"),
        ("nowhere/a.csv", "there is no folder"),
    ],
)
def test_bad_files_are_refused(small: Path, tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "there.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        export(Solution.open(small), tmp_path / name)
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["there.csv"]


def test_bad_columns_are_refused(small: Path, tmp_path: Path) -> None:
    for columns in (["worth"], [], ["value", "value"]):
        with pytest.raises(UsageError):
            export(Solution.open(small), tmp_path / "a.csv", columns=columns)
    assert not list(tmp_path.iterdir())


def test_a_stopped_export_leaves_nothing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perfectplay.interop.exporting.rows import ExportedRows

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    for suffix in ("parquet", "arrow", "csv", "duckdb"):
        with monkeypatch.context() as patch:
            patch.setattr(ExportedRows, "_columns", stop)
            with pytest.raises(KeyboardInterrupt):
                export(Solution.open(small), tmp_path / f"a.{suffix}")
        assert not list(tmp_path.iterdir())


def test_games_with_a_solver_of_their_own_have_no_table(tmp_path: Path) -> None:
    solution = solve(load("pawn-endings", {"fen": "8/8/8/1k6/1p6/1P6/1K6/8_w"}))
    with pytest.raises(UsageError, match="a solver of its own"):
        export(solution, tmp_path / "a.parquet")


def test_the_command_writes_and_says_so(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.csv"
    assert main.run(["export", str(small), "--to", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == 5478
    assert said["size"] == file.stat().st_size
    assert main.run(["export", str(small), "--to", str(file)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main.run(["export", str(small), "--to", str(tmp_path / "b.csv"), "--columns",
                     "position, value"]) == 0  # fmt: skip
    assert (tmp_path / "b.csv").read_text().startswith('"position","value"\n')
