"""Methods for positions on cycles, one beside the other: the same values, other ways to them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from perfectplay import UsageError, load, solve
from perfectplay.cli.main import run

COINS = """from dataclasses import dataclass
from perfectplay import CHANCE, OVER, Game

@dataclass(frozen=True)
class Coins(Game):
    players: int = 3
    def start(self): return (0, "toss")
    def to_move(self, p): return {"toss": CHANCE, "tails": p[0], "won": OVER}[p[1]]
    def chances(self, p):
        yield 1, (p[0], "won")
        yield 1, (p[0], "tails")
    def moves(self, p): yield "pass"
    def play(self, p, m): return ((p[0] + 1) % self.players, "toss")
    def payoff(self, p): return tuple(int(i == p[0]) for i in range(self.players))
"""


@pytest.fixture
def coins(tmp_path: Path) -> str:
    file = tmp_path / "coins.py"
    file.write_text(COINS)
    return str(file)


def test_figure_1_of_the_paper_by_both_algorithms(coins: str) -> None:
    """Glenn, Fang and Kruskal (2009): Algorithm 2 gains a factor of 8 in every round; Newton's
    method, Algorithm 3, needs one round, since the equations are linear."""
    naive = solve(load(coins), method="naive")
    newton = solve(load(coins), method="newton")
    for solution in (naive, newton):
        found = [float(value) for value in solution.values((0, "toss"))]
        assert found == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=1e-15)
    residuals = naive.report["residuals"]
    ratios = [b / a for a, b in itertools.pairwise(residuals[1:8])]
    assert ratios == pytest.approx([1 / 8] * len(ratios))
    assert len(ratios) == 6
    assert naive.report["rounds"] == {str(len(residuals)): 1}
    assert newton.report["rounds"] == {"1": 1}
    assert naive.report["methods"] == {"acyclic": 3, "value iteration": 6}


def test_all_methods_agree_on_pig() -> None:
    found = {}
    for method in ("auto", "naive", "newton", "strategy"):
        solution = solve(load("pig", ["goal=8"]), plain=True, method=method)
        found[method] = solution
        value = solution.value(solution.start)
        assert value.lower <= value.upper <= value.lower + 1e-12
    ranges = [found[name].value(found[name].start) for name in found]
    assert max(each.lower for each in ranges) <= min(each.upper for each in ranges)
    rounds = {name: _rounds(each) for name, each in found.items()}
    assert rounds["auto"] == 0
    assert rounds["naive"] > 3 * rounds["newton"] > 0
    assert rounds["strategy"] > 0
    assert "value iteration" in found["naive"].report["methods"]
    assert "value iteration" not in found["newton"].report["methods"]


def _rounds(solution) -> int:
    return sum(int(count) * n for count, n in solution.report["rounds"].items())


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("nim", {"method": "naive"}, "children counting"),
        ("pig", {"method": "newton", "exact": True}, "in fractions nothing converges"),
        ("pig", {"method": "simplex"}, "no method is called 'simplex'"),
    ],
)
def test_methods_that_do_not_serve_are_refused(game, options, words) -> None:
    given = ["goal=5"] if game == "pig" else ["heaps=1,2"]
    with pytest.raises(UsageError, match=words):
        solve(load(game, given), plain=True, **options)


def test_strategy_iteration_is_for_opposed_interests(coins: str) -> None:
    with pytest.raises(UsageError, match="--method strategy is not for this game") as error:
        solve(load(coins), method="strategy")
    assert "naive, newton" in error.value.hint


def test_a_table_remembers_its_method_and_is_not_taken_for_another(coins, tmp_path) -> None:
    folder = tmp_path / "table"
    naive = solve(load(coins), folder, method="naive")
    again = solve(load(coins), folder, method="naive")
    assert again.report["solved_before"]
    assert again.report["residuals"] == naive.report["residuals"]
    other = solve(load(coins), folder, fresh=True)
    assert other.report["methods"] == {"acyclic": 3, "policy iteration": 6}
    assert not other.report["rounds"]


def test_rounds_are_printed(coins, capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PERFECTPLAY_TABLES", str(tmp_path / "tables"))
    assert run(["solve", coins, "--method", "naive"]) == 0
    shown = capsys.readouterr().out
    assert "19 in 1 cyclic component" in shown
    assert "0.125 of the last" in shown
    assert run(["solve", coins, "--method", "naive", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == "naive"
    assert len(found["residuals"]) == 19


@pytest.mark.slow
@pytest.mark.parametrize("given", ["short=2,sides=2,columns=1", "short=1,sides=3,columns=2"])
def test_table_1_by_both_algorithms(given: str) -> None:
    """Rows (3,2,2,1) and (3,3,1,2) of the paper's Table 1: the same values, other steps."""
    game = load("cant-stop", ["players=3", *given.split(",")])
    naive, newton = solve(game, method="naive"), solve(game, method="newton")
    a, b = ([float(v) for v in each.values(each.start)] for each in (naive, newton))
    assert a == pytest.approx(b, abs=1e-12)
    assert _rounds(naive) > 5 * _rounds(newton)
