"""Charts: every cell shows what Solution.best and Solution.value say; bad charts; pictures."""

from __future__ import annotations

import builtins
import json
import xml.etree.ElementTree as Xml
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from perfectplay import Chart, Charted, Game, RulesError, Solution, UsageError, load, solve
from perfectplay.cli import main
from perfectplay.drawing.raster import refuse, save
from perfectplay.games.heaps.nim import Subtraction

SMALL: dict[str, dict[str, Any]] = {
    "pig": {"goal": 16},
    "piglet": {"goal": 6},
    "pig-mania": {"goal": 20},
    "hog": {"goal": 12, "most": 4},
    "flip": {"markers": 5, "quota": 1},
    "flip-flop": {"markers": 4},
    "nim": {"heaps": (4, 5)},
    "memory": {"pairs": 5},
    "risk": {"attackers": 4, "defenders": 4},
    "egg-dropping": {"eggs": 3, "floors": 12},
    "secretary": {"candidates": 9, "rank": True},
    "weakest-link": {"questions": 4, "cap": 200},
    "millionaire": {"lifelines": 2, "percent": 60},
    "darts": {"score": 8, "board": (1, 2), "sigma": 50},
}


@pytest.fixture(scope="module", params=SMALL)
def solution(request: pytest.FixtureRequest) -> Solution:
    return solve(load(request.param, SMALL[request.param]))


def test_flip_turns_down_as_few_markers_as_possible_while_many_are_up() -> None:
    plot = solve(load("flip")).chart(at={"markers up, 1 to": [12, 5]})
    moves = {cell.at: cell.move for cell in plot.cells.values()}
    assert [moves[roll, 12] for roll in range(2, 13)] == [str(roll) for roll in range(2, 13)]
    assert [moves[roll, 5] for roll in (6, 7, 8)] == ["1 5", "3 4", "3 5"]


def test_cells_are_what_the_solution_says(solution: Solution) -> None:
    chart = solution.game.chart()
    for show in ("", "move", "value"):
        plot = solution.chart(show=show)
        for at, cell in plot.cells.items():
            assert at == cell.at
            p = solution.position(cell.position)
            assert cell.value == solution.value(p)
            best = solution.moves(p)
            assert cell.move == (solution.game.move_text(p, solution.best(p)) if best else "")
            if plot.shows != "first":
                place = {**plot.fixed, **dict(zip(plot.axes, at, strict=True))}
                assert p == chart.position(*(place[name] for name in chart.axes))
        Xml.fromstring(plot.svg)
        json.dumps(plot.as_json())


@pytest.mark.parametrize(("name", "given"), [("pig", {"goal": 60}), ("piglet", {"goal": 8})])
def test_thresholds_are_the_first_totals_to_hold_at(name: str, given: dict[str, Any]) -> None:
    solution = solve(load(name, given))
    game, others = solution.game, [0, 3, 6]
    plot = solution.chart(at={"own score": range(game.goal), "other score": others})
    assert plot.shows == "first"
    seen = 0
    for own in range(game.goal):
        for other in others:
            holds = []
            for total in range(1, game.goal - own):
                p = game.parse(f"{own}-{other}, player 1, total {total}")
                try:
                    best = solution.best(p)
                except UsageError:
                    continue
                if game.move_text(p, best) == "hold":
                    holds.append(total)
            cell = plot.cells.get((own, other))
            assert (cell.first if cell else None) == min(holds, default=None)
            seen += bool(holds)
    assert seen > 15


def test_axes_can_be_fixed_and_chosen() -> None:
    solution = solve(load("pig", {"goal": 12}))
    slice_ = solution.chart(at={"other score": 4}, show="move")
    assert [*slice_.axes] == ["own score", "turn total"]
    assert slice_.fixed == {"other score": 4}
    assert not slice_.lines
    line = solution.chart(at={"other score": 4})
    assert line.lines
    assert [*line.axes] == ["own score"]
    some = solution.chart(at={"other score": (0, 4), "own score": range(0, 12, 2)}, lines=True)
    assert {at for at, _ in some.cells.items()} <= {
        (x, y) for x in range(0, 12, 2) for y in (0, 4)
    }
    assert some.cells[0, 4].first == line.cells[0,].first
    for bad in ({"score": 1}, {"own score": 12}, {"own score": "x"}, {"own score": [1, 99]},
                {"own score": 0, "other score": 0, "turn total": 3}):  # fmt: skip
        with pytest.raises(UsageError):
            solution.chart(at=bad)
    with pytest.raises(UsageError, match="too many"):
        solution.chart(lines=True)
    with pytest.raises(UsageError, match="cannot show"):
        solution.chart(show="moves")


@dataclass(frozen=True)
class Heap(Charted, Subtraction):
    """Take counters; every heap is a cell."""

    def chart(self) -> Chart:
        return Chart({"heap": range(251)}, lambda p: p)


def test_long_axes_are_thinned() -> None:
    solution = solve(Heap(heap=250))
    assert len(solution.chart().cells) == 84
    assert len(solution.chart(at={"heap": range(251)}).cells) == 251


@dataclass(frozen=True)
class Walk(Charted, Game):
    """One step at a time."""

    drawn: Any = None

    def start(self):
        return 3

    def moves(self, p):
        if p:
            yield "step"

    def play(self, p, m):
        return p - 1

    def chart(self):
        return self.drawn


@pytest.mark.parametrize(
    ("chart", "error"),
    [
        (None, UsageError),
        ("x", RulesError),
        (Chart({}, lambda: 0), RulesError),
        (Chart({"x": []}, lambda x: x), RulesError),
        (Chart({"x": range(3)}, lambda x, y: x), RulesError),
        (Chart({"x": range(3)}, lambda x: 1 // x), RulesError),
        (Chart({"x": range(3)}, lambda x: x + 100), RulesError),
        (Chart({"x": range(3)}, lambda x: None), RulesError),
        (Chart({"x": range(3)}, lambda x: x, show="best"), UsageError),  # type: ignore[arg-type]
    ],
)
def test_charts_that_are_none(chart: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        solve(Walk(chart)).chart()


def test_nobody_moves_and_named_axes() -> None:
    plot = solve(
        Walk(Chart({"x": ["a", "b", "c"], "y": range(2)}, lambda x, y: "abc".index(x)))
    ).chart()
    assert plot.cells["a", 0].move == ""
    assert plot.cells["b", 1].move == "step"
    assert "nobody moves" in plot.svg
    Xml.fromstring(solve(Walk(Chart({"x": ["a", "b"]}, "ab".index))).chart().svg)


def test_a_chart_is_no_part_of_the_rules() -> None:
    from perfectplay.compiled.digest import rules_digest

    class Other(Walk):
        def chart(self):
            return Chart({"x": range(9)}, lambda x: x)

    class Same(Walk):
        pass

    assert rules_digest(Other()) == rules_digest(Same())


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                      capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    game = ["chart", "piglet", "-p", "goal=5"]
    assert main.run(game) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["chart", "charts/piglet-goal=5.svg"]
    Xml.parse("charts/piglet-goal=5.svg")
    assert main.run(["solve", "piglet", "-p", "goal=5"]) == 0
    assert main.run([*game, "--at", "other score=0,2", "--lines", "--out", "a.svg"]) == 0
    assert main.run(["chart", "tables/piglet-goal=5", "--show", "value", "--out", "b.svg"]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"a.svg", "b.svg", "charts", "tables"}
    for bad in (["--at", "x"], ["--at", "x=2"], ["--show", "x"], ["--out", "x.pdf"],
                ["--out", "no/x.svg"], ["--at", "own score=9"]):  # fmt: skip
        capsys.readouterr()
        assert main.run([*game, *bad]) == UsageError.exit_code, bad
        assert "error:" in capsys.readouterr().err
    assert main.run(["chart", "connect"]) == UsageError.exit_code
    assert "has no chart" in capsys.readouterr().err


# -- PNG. -----------------------------------------------------------------------------------------


def test_png_by_matplotlib(tmp_path: Path) -> None:
    solution = solve(load("piglet", {"goal": 5}))
    for number, plot in enumerate((solution.chart(), solution.chart(at={"other score": 1}))):
        file = plot.save(tmp_path / f"{number}.png")
        assert file.read_bytes().startswith(b"\x89PNG")


def test_png_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    svg = solve(load("piglet", {"goal": 3})).chart().svg
    for attempt in (lambda file: save(svg, file), refuse):
        with pytest.raises(UsageError, match="PNG needs Matplotlib") as caught:
            attempt(tmp_path / "x.png")
        assert "perfectplay[plots]" in caught.value.hint
    assert save(svg, tmp_path / "x.svg").exists()


@pytest.mark.parametrize("lines", [False, True])
def test_cells_lead_where_they_are_told(solution: Solution, lines: bool) -> None:
    plot = solution.chart(show="value")
    if lines:
        axis = [*plot.axes][-1]
        plot = solution.chart(show="value", at={axis: next(iter(plot.cells))[-1]})
    link = 'http://"<&'
    drawn = Xml.fromstring(plot.linked(lambda cell: f"{link}{cell.position}"))
    name = "{http://www.w3.org/2000/svg}"
    found = {a.findtext(f"{name}title"): a.get("href") for a in drawn.iter(f"{name}a")}
    expected = {plot.words(cell): f"{link}{cell.position}" for cell in plot.cells.values()}
    assert found.items() <= expected.items()
    if not plot.lines:
        assert found == expected
    else:
        assert found
    assert "<a " not in plot.svg


def test_a_place_without_positions_is_the_users_mistake() -> None:
    solution = solve(load("weakest-link", SMALL["weakest-link"]))
    axis = [*solution.chart().axes][-1]
    with pytest.raises(UsageError, match=f"no position that can arise lies at {axis}="):
        solution.chart(at={axis: solution.game.chart().axes[axis][-1]})
