"""Methods for positions on cycles, one beside the other: the same values, other ways to them."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import pytest

from perfectplay import CHANCE, OVER, UsageError, load, solve
from perfectplay.cli.main import run

COINS = "coins"


def test_figure_1_of_the_paper_by_both_algorithms() -> None:
    """Glenn, Fang and Kruskal (2009): Algorithm 2 gains a factor of 8 in every round; Newton's
    method, Algorithm 3, needs one round, since the equations are linear."""
    naive = solve(load(COINS), method="naive")
    newton = solve(load(COINS), method="newton")
    for solution in (naive, newton):
        found = [float(value) for value in solution.values(solution.start)]
        assert found == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=1e-15)
    residuals = naive.report["residuals"]
    ratios = [b / a for a, b in itertools.pairwise(residuals[1:8])]
    assert ratios == pytest.approx([1 / 8] * len(ratios))
    assert len(ratios) == 6
    assert naive.report["rounds"] == {str(len(residuals)): 1}
    assert newton.report["rounds"] == {"1": 1}
    assert naive.report["methods"] == {"acyclic": 3, "value iteration": 6}


def test_iterates_of_figure_1_follow_from_the_rules() -> None:
    """Algorithm 2 by hand: the edge from v_3 to u_1 is cut, v_3 guessed as (1, 0, 0), and what
    comes out at u_1 is the next guess. The paper prints 9/32 for the last number of the second
    iterate; it is 9/64."""
    game = load(COINS)

    def worth(p: int, guess: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        if game.to_move(p) == OVER:
            return tuple(map(Fraction, game.payoff(p)))
        if game.to_move(p) == CHANCE:
            events = list(game.chances(p))
            total = sum(weight for weight, _ in events)
            below = [(Fraction(weight, total), worth(q, guess)) for weight, q in events]
            return tuple(sum(share * x[i] for share, x in below) for i in range(3))
        (move,) = game.moves(p)
        after = game.play(p, move)
        return guess if after == game.start() else worth(after, guess)

    guess: tuple[Fraction, ...] = (Fraction(1), Fraction(0), Fraction(0))
    for k in range(1, 6):
        guess = worth(game.start(), guess)
        power = 8**k
        assert guess == (Fraction(4 * power + 3, 7 * power), Fraction(2 * (power - 1), 7 * power),
                         Fraction(power - 1, 7 * power))  # fmt: skip
        if k == 2:
            assert guess == (Fraction(37, 64), Fraction(9, 32), Fraction(9, 64))


def test_default_methods_report_their_rounds_too() -> None:
    default = solve(load("piglet", ["goal=4"]))
    assert sum(default.report["rounds"].values()) > 0
    assert default.report["residuals"]
    newton = solve(load("piglet", ["goal=4"]), method="newton")
    assert default.report["rounds"] == newton.report["rounds"]
    several = solve(load("piglet", ["goal=3", "players=3"]))
    assert sum(several.report["rounds"].values()) > 0
    assert solve(load("nim", ["heaps=1,2"])).report["rounds"] == {}


@pytest.mark.slow
def test_rounds_are_counted_by_turns_too() -> None:
    """By turns a component is the same as position by position, and so are its rounds."""
    rules = ["players=3", "sides=2", "short=2", "columns=1"]
    by_turns = solve(load("cant-stop", rules), workers=1)
    assert by_turns.report["methods"] == {"ends": 1, "newton by turns": 340}
    assert by_turns.report["rounds"] == {"1": 107}
    assert by_turns.report["residuals"] == pytest.approx([0], abs=1e-15)
    assert solve(load("cant-stop", rules), method="newton").report["rounds"] == {"1": 107}
    shared = solve(load("cant-stop", rules), workers=2)
    assert shared.report["rounds"] == by_turns.report["rounds"]
    assert shared.report["residuals"] == by_turns.report["residuals"]


def test_rounds_of_proved_bounds_by_turns_are_counted() -> None:
    for rules in (["sides=2", "short=2", "columns=1"], ["sides=2", "short=3", "columns=1"]):
        one, two = (
            solve(load("cant-stop", ["players=2", *rules]), workers=workers) for workers in (1, 2)
        )
        cyclic = sum(one.report["rounds"].values())
        assert 0 < cyclic < one.report["methods"]["newton by turns, proved"]
        assert "0" not in one.report["rounds"]
        residuals = one.report["residuals"]
        assert len(residuals) == max(map(int, one.report["rounds"]))
        assert residuals[0] > 0.1
        assert residuals[-1] < 1e-15
        assert (two.report["rounds"], two.report["residuals"]) == (one.report["rounds"], residuals)


@pytest.mark.parametrize(
    ("game", "given"),
    [
        (COINS, []),  # several players
        ("piglet", ["goal=4"]),  # two players
        ("cant-stop", ["players=3", "sides=2", "short=2", "columns=1"]),  # several, by turns
    ],
)
def test_rounds_are_counted_in_fractions(game: str, given: list[str]) -> None:
    """Floats find the policies: in fractions one is evaluated in each component and is right."""
    floats, exact = (solve(load(game, given), exact=exact) for exact in (False, True))
    assert exact.report["residuals"] == [0]
    cyclic = sum(floats.report["rounds"].values())
    assert exact.report["rounds"] == {"1": cyclic}


def test_in_fractions_a_wrong_policy_takes_more_rounds(monkeypatch) -> None:
    monkeypatch.setattr("perfectplay.solvers.exact.rationals.guessed", lambda *_: None)
    solution = solve(load("piglet", ["goal=6"]), exact=True)
    rounds, residuals = solution.report["rounds"], solution.report["residuals"]
    assert max(map(int, rounds)) == len(residuals) > 1
    assert residuals[-1] == 0
    assert max(residuals) > 0.01


def test_rounds_of_mixed_strategies_are_counted() -> None:
    """Rock, paper and scissors are best mixed evenly from the first; in Glico they are not."""
    for exact in (False, True):
        even = solve(load("rock-paper-scissors", ["goal=2"]), exact=exact)
        assert even.report["rounds"] == {"1": 4}
    glico = load("rock-paper-scissors", ["goal=6", "rock=3", "paper=6", "scissors=6"])
    report = solve(glico).report
    assert sum(report["rounds"].values()) == report["methods"]["mixed strategy iteration"]
    residuals = report["residuals"]
    assert len(residuals) == max(map(int, report["rounds"])) > 10
    assert residuals[-1] < 1e-12
    ratios = [b / a for a, b in itertools.pairwise(residuals[5:15])]
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-3)
    assert ratios[0] == pytest.approx(0.328, abs=1e-3)


def test_convergence_is_drawn(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PERFECTPLAY_TABLES", str(tmp_path / "tables"))
    file = tmp_path / "naive.svg"
    assert run(["solve", COINS, "--method", "naive", "--convergence", str(file)]) == 0
    drawn = file.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "value iteration" in drawn
    assert drawn.count("<circle") == 19
    assert run(["solve", "nim", "-p", "heaps=1,2", "--convergence", str(file)]) == 2
    assert "no rounds to draw" in capsys.readouterr().err


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
    assert rounds["auto"] == rounds["newton"]
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


def test_strategy_iteration_is_for_opposed_interests() -> None:
    with pytest.raises(UsageError, match="--method strategy is not for this game") as error:
        solve(load(COINS), method="strategy")
    assert "naive, newton" in error.value.hint


def test_a_table_remembers_its_method_and_is_not_taken_for_another(tmp_path) -> None:
    folder = tmp_path / "table"
    naive = solve(load(COINS), folder, method="naive")
    again = solve(load(COINS), folder, method="naive")
    assert again.report["solved_before"]
    assert again.report["residuals"] == naive.report["residuals"]
    other = solve(load(COINS), folder, fresh=True)
    assert other.report["methods"] == {"acyclic": 3, "policy iteration": 6}
    assert other.report["rounds"] == {"1": 1}


def test_rounds_are_printed(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PERFECTPLAY_TABLES", str(tmp_path / "tables"))
    assert run(["solve", COINS, "--method", "naive"]) == 0
    shown = capsys.readouterr().out
    assert "19 in 1 cyclic component" in shown
    assert "0.125 of the last" in shown
    assert run(["solve", COINS, "--method", "naive", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == "naive"
    assert len(found["residuals"]) == 19
    assert run(["solve", COINS]) == 0
    shown = capsys.readouterr().out
    assert "rounds             1 in 1 cyclic component; " in shown
    assert "round 1" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("given", ["short=2,sides=2,columns=1", "short=1,sides=3,columns=2"])
def test_table_1_by_both_algorithms(given: str) -> None:
    """Rows (3,2,2,1) and (3,3,1,2) of the paper's Table 1: the same values, other steps."""
    game = load("cant-stop", ["players=3", *given.split(",")])
    naive, newton = solve(game, method="naive"), solve(game, method="newton")
    a, b = ([float(v) for v in each.values(each.start)] for each in (naive, newton))
    assert a == pytest.approx(b, abs=1e-12)
    assert _rounds(naive) > 5 * _rounds(newton)
    by_turns = solve(game)
    assert _rounds(by_turns) == _rounds(newton)
    c = [float(v) for v in by_turns.values(by_turns.start)]
    assert b == pytest.approx(c, abs=1e-12)
