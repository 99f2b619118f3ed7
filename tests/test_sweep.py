"""Sweeps: every row is what solving that setting gives; bad input; pictures."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as Xml
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import perfectplay
from perfectplay import Game, UsageError, load, solve, sweep
from perfectplay.cli import main
from perfectplay.rules.parameters import split_values


@dataclass(frozen=True)
class Take(Game):
    """Take one of some numbers of counters."""

    heap: int = 5
    numbers: tuple[int, ...] = (1, 2)
    share: float = 0.0
    kind: str = "a"

    def start(self):
        return self.heap

    def moves(self, p):
        yield from (take for take in self.numbers if take <= p)

    def play(self, p, m):
        return p - m


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2..5", ["2", "3", "4", "5"]),
        ("0..10..5", ["0", "5", "10"]),
        ("0..1..0.25", ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        ("5..3..-1", ["5", "4", "3"]),
        ("1,4..6, 9", ["1", "4", "5", "6", "9"]),
        ("-2..0", ["-2", "-1", "0"]),
        ("true,false", ["true", "false"]),
        ("", []),
    ],
)
def test_values_are_read(text: str, values: list[str]) -> None:
    assert split_values(text) == values


@pytest.mark.parametrize("text", ["5..3", "1..", "..4", "a..b", "1..2..0", "1..2..3..4", "0..nan",
                                  "0..inf", "0..1e9"])  # fmt: skip
def test_ranges_that_are_none(text: str) -> None:
    with pytest.raises(UsageError):
        split_values(text)


@pytest.mark.parametrize("exact", [False, True])
def test_rows_are_what_solving_gives(exact: bool) -> None:
    found = sweep("piglet", {"goal": "2..5"}, players=2, exact=exact)
    assert [row.parameters for row in found] == [{"goal": goal} for goal in range(2, 6)]
    for row in found:
        solution = solve(load("piglet", row.parameters), exact=exact)
        assert row.value == solution.value(solution.start)
        assert row.values == solution.values(solution.start)
        assert row.positions == solution.table.rows
    assert not found.stopped
    assert found.fixed == {"players": 2}


def test_two_parameters_are_a_grid() -> None:
    found = sweep(Take, {"heap": range(1, 4), "numbers": "1,2;1,3;2"})
    assert len(found) == 9
    assert found.over == {"heap": [1, 2, 3], "numbers": [(1, 2), (1, 3), (2,)]}
    for row in found:
        solution = solve(Take(**row.parameters))
        assert row.value == solution.value(solution.start)
    assert str(found).splitlines()[1].split() == ["1", "1,2", "win", "in", "1", "ply", "2",
                                                  f"{found.rows[0].seconds:.2f}"]  # fmt: skip


def test_values_have_the_type_of_the_parameter() -> None:
    assert sweep(Take, {"share": "0..1..0.5"}).over == {"share": [0.0, 0.5, 1.0]}
    assert sweep(Take, {"kind": "a,b"}).over == {"kind": ["a", "b"]}
    assert sweep(Take, {"heap": np.arange(1, 3)}).over == {"heap": [1, 2]}
    assert sweep(Take, {"heap": [3, 3, 3]}).over == {"heap": [3]}


@pytest.mark.parametrize(
    ("over", "fixed", "words"),
    [
        ({}, {}, "one or two"),
        ({"heap": [1], "share": [0.0], "kind": "a"}, {}, "one or two"),
        ({"heaps": "1..3"}, {}, "no parameter called 'heaps'"),
        ({"heap": "1,x"}, {}, "expected an integer"),
        ({"heap": "1..3..0.5"}, {}, "expected an integer"),
        ({"heap": []}, {}, "no values"),
        ({"heap": 3}, {}, "not a sequence"),
        ({"heap": "1..3"}, {"heap": 2}, "given and varied"),
        ({"heap": "1..3"}, {"tops": 2}, "no parameter called 'tops'"),
        ({"heap": range(200), "share": [i / 100 for i in range(100)]}, {}, "too many"),
    ],
)
def test_bad_input(over: dict, fixed: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sweep(Take, over, **fixed)


def test_refused_settings_get_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    found = sweep("flip", {"markers": [0, 2, 13]})
    assert [row.value is None for row in found] == [True, False, True]
    assert found.rows[0].note.startswith("refused: no row of 0 markers")
    assert main.run(["sweep", "flip", "--over", "markers=0,2"]) == 0
    assert "refused: no row of 0 markers" in capsys.readouterr().out
    assert main.run(["sweep", "flip", "--over", "markers=0"]) == UsageError.exit_code


def test_too_large_settings_get_a_row() -> None:
    found = sweep("mnk", {"width": [2, 5]}, height=4, memory=1_000_000)
    assert [row.value is None for row in found] == [False, True]
    assert found.rows[1].note.startswith("too large")


def test_an_interrupt_keeps_what_was_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def impatient(game: Game, *args: object, **options: object) -> object:
        asked.append(game)
        if len(asked) % 3 == 0:
            raise KeyboardInterrupt
        return solve(game, *args, **options)  # type: ignore[arg-type]

    module = sys.modules["perfectplay.answer.sweep"]
    monkeypatch.setattr(module, "solve", impatient)
    found = sweep("nim", {"heaps": "1;2;3;4"})
    assert found.stopped
    assert len(found) == 2
    assert main.run(["sweep", "nim", "--over", "heaps=1;2;3;4"]) == main.STOPPED
    heard = capsys.readouterr()
    assert len(heard.out.splitlines()) == 3
    assert "stopped" in heard.err


@pytest.mark.parametrize(
    "found",
    [
        sweep("piglet", {"goal": "1..4"}),
        sweep("piglet", {"goal": "1..3", "players": "1..3"}),
        sweep("piglet", {"goal": "2,3"}, players=3),
        sweep("nim", {"heaps": "1;2,2;1,2,3"}),
        sweep("nim", {"heaps": "1;2,2", "misere": "true,false"}),
        sweep("flip", {"markers": [0]}),
    ],
    ids=["line", "map", "players", "names", "outcomes", "nothing"],
)
def test_pictures_are_svg(found: perfectplay.Sweep, tmp_path: Path) -> None:
    Xml.fromstring(found.svg)
    assert "<table>" in found._repr_mimebundle_()["text/html"]
    assert found.save(tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg")


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                      capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    words = ["sweep", "piglet", "--over", "goal=2..3", "--exact", "--plot", "a.svg", "--json"]
    assert main.run(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["value"]["exact"] for row in answer["rows"]] == ["4/7", "6/11"]
    assert [*tmp_path.iterdir()] == [tmp_path / "a.svg"]  # no tables left behind
    one = ["--over", "goal=2"]
    bad_words = [["--over", "goal"], [*one, "--over", "goal=3"], [*one, "--plot", "a.gif"]]
    for bad in [*bad_words, [*one, "--plot", "no/a.svg"], [*one, "--memory", "lots"], []]:
        assert main.run(["sweep", "piglet", *bad]) == UsageError.exit_code, bad
        assert "error:" in capsys.readouterr().err
