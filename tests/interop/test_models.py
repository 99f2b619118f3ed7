"""Model checkers and Gambit read what we write, and come to our values."""

from __future__ import annotations

import importlib
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pygambit
import pytest
from umbi import ats as umb

from perfectplay import (
    NoSolverError,
    PerfectPlayError,
    Solution,
    TooLargeError,
    load,
    nash,
    solve,
)
from perfectplay.cli import main
from perfectplay.interop.game_graph import GameGraph
from perfectplay.interop.model import model_of
from perfectplay.interop.nfg import read_nfg, write_matrix
from perfectplay.interop.prism import properties
from perfectplay.interop.write import write_game
from perfectplay.solvers.matrix.nash import NamedMatrix

ALONE: list[tuple[str, dict[str, Any]]] = [
    ("snakes-and-ladders", {}),
    ("piglet", {"players": 1, "goal": 3}),
    ("piglet", {"players": 1, "goal": 6}),
    ("pig", {"players": 1, "goal": 5}),
    ("pig", {"players": 1, "goal": 7, "sides": 4}),
    ("secretary", {"candidates": 10}),
    ("secretary", {"candidates": 20}),
    ("hog", {"players": 1, "goal": 10}),
    ("flip", {"markers": 4}),
    ("clock-patience", {"ranks": 3}),
    ("mastermind", {"pegs": 2, "colours": 2}),
    ("hanoi", {"discs": 3}),  # a puzzle, beside ten with chance
]
AGAINST: list[tuple[str, dict[str, Any]]] = [
    ("pig", {"goal": 5}),
    ("piglet", {"goal": 4}),
    ("noughts-and-crosses", {}),
    ("nim", {"heaps": (1, 2, 3)}),
    ("red-green-balls", {}),
]


def solved(name: str, given: dict[str, Any]) -> Solution:
    return solve(load(name, given), plain=True, exact=True)


def exact_value(name: str, given: dict[str, Any]) -> Fraction:
    solution = solved(name, given)
    return value_of(solution, solution.start)


def value_of(solution: Solution, p: Any, mover: int = 0) -> Fraction:
    found = solution.values(p)[mover].exact
    assert found is not None
    return Fraction(found)


@pytest.mark.parametrize(("name", "given"), ALONE)
def test_storm_finds_our_values_exactly(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    storm = pytest.importorskip("stormpy", reason="Storm is not installed here")
    options = importlib.import_module("stormpy.developer.storage").UmbImportOptions()
    options.value_type = type(options.value_type).RATIONAL
    game = load(name, given)
    model, file = model_of(game), tmp_path / "game.umb"
    write_game(game, file)
    built = storm.build_model_from_umb(str(file), options=options)
    assert built.nr_states == len(model.owners)
    found = [storm.model_checking(built, storm.parse_properties(e)[0]) for e in model.properties]
    solution, graph = solved(name, given), GameGraph(game)
    assert built.initial_states == [model.start]
    for i in random.Random(1).sample(range(len(graph.nodes)), min(250, len(graph.nodes))):
        answers = [Fraction(str(each.get_value(i + model.start))) for each in found]
        value = value_of(solution, graph.nodes[i].position)
        assert set(model.values(answers)) == {value}, graph.nodes[i].text


@pytest.mark.parametrize(("name", "given"), ALONE[:3])
def test_storm_reads_the_language_of_prism(
    name: str, given: dict[str, Any], tmp_path: Path
) -> None:
    storm = pytest.importorskip("stormpy", reason="Storm is not installed here")
    file, model = tmp_path / "game.prism", model_of(load(name, given))
    write_game(load(name, given), file)
    program = storm.parse_prism_program(str(file))
    rational = list(storm.build_model)[1][0]
    answers = []
    for each in model.properties:
        asked = storm.parse_properties(each, program)
        built = storm.build_model[rational](program, asked)
        found = storm.model_checking(built, asked[0])
        answers.append(Fraction(str(found.get_value(built.initial_states[0]))))
    assert set(model.values(answers)) == {exact_value(name, given)}


def iterated(model: Any, target: int, best: list[Any]) -> list[float]:
    """How likely `target` is reached, by value iteration; `best` is what each player wants."""
    worth = [float(state == target) for state in range(model.num_states)]
    for _ in range(3000):
        old = worth
        worth = list(old)
        for state in range(2, model.num_states):
            options = [
                sum(float(b.prob) * old[b.target] for b in choice.branches)
                for choice in model.get_state_choices(state)
            ]
            worth[state] = best[model.get_player_of_state(state)](options)
        if max(abs(a - b) for a, b in zip(old, worth, strict=True)) < 1e-13:
            break
    return worth


@pytest.mark.parametrize(("name", "given"), AGAINST)
def test_umbi_reads_back_two_players(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    """Read by umbi and solved by value iteration, at up to 1,000 states."""
    game, file = load(name, given), tmp_path / "game.umb"
    written = write_game(game, file)
    assert written.properties[0].startswith("<<p1>>")
    model, back = model_of(game), umb.read(file)
    assert back.num_states == len(model.owners)
    assert back.initial_states == [2]
    won, lost = iterated(back, 0, [max, min]), iterated(back, 1, [min, max])
    solution, graph = solve(game, plain=True), GameGraph(game)
    chosen = random.Random(1).sample(range(len(graph.nodes)), min(1000, len(graph.nodes)))
    for i in chosen:
        node = graph.nodes[i]
        low, high = model.values([won[i + 2], lost[i + 2]])
        value = float(solution.values(node.position)[node.mover])
        assert low - 1e-9 <= value <= high + 1e-9
        assert model.cyclic or high - low < 1e-9


def test_storm_reads_two_players(tmp_path: Path) -> None:
    """Storm takes the archive for a game; by stormpy it does not solve it."""
    storm = pytest.importorskip("stormpy", reason="Storm is not installed here")
    game, file = load("piglet", {"goal": 3}), tmp_path / "game.umb"
    write_game(game, file)
    built = storm.build_model_from_umb(str(file))
    assert str(built.model_type).endswith("SMG")
    assert built.nr_states == len(model_of(game).owners)


def test_prism_games_are_written_for_two(tmp_path: Path) -> None:
    """No PRISM-games here: the text is read back by words."""
    game = load("piglet", {"goal": 2})
    write_game(game, tmp_path / "a.prism")
    text = (tmp_path / "a.prism").read_text(encoding="utf-8")
    assert "\nsmg\n" in text
    assert '// <<p1>> Pmax=? [F "won"]' in text
    model = model_of(game)
    commands = [line for line in text.splitlines() if line.startswith("  [")]
    assert len(commands) == sum(map(len, model.choices))
    for state, choices in enumerate(model.choices):
        own = [line for line in commands if f" s={state} -> " in line]
        targets = [[f"(s'={to})" in line for _, to in c.branches] for c, line in
                   zip(choices, own, strict=True)]  # fmt: skip
        assert all(map(all, targets))
    assert properties(model) == ['<<p1>> Pmax=? [F "won"]', '<<p1>> Pmin=? [F "lost"]']


# -- Gambit. --------------------------------------------------------------------------------------

TREES: list[tuple[str, dict[str, Any]]] = [
    ("nim", {"heaps": (1, 2)}),
    ("nim", {"heaps": (2, 2)}),
    ("dots-and-boxes", {"rows": 1, "columns": 1}),
    ("flip-for-two", {"markers": 2}),
    ("subtraction", {"heap": 5}),
]


@pytest.mark.parametrize(("name", "given"), TREES)
def test_gambit_reads_trees(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    """Read by pygambit, and solved as a linear program there."""
    game = load(name, given)
    write_game(game, tmp_path / "game.efg")
    tree = pygambit.read_efg(tmp_path / "game.efg")
    solution = solve(game, plain=True, exact=True)
    # by strategies: on trees that program may stop at a profile which is no equilibrium
    found = pygambit.nash.lp_solve(tree, rational=True, use_strategic=True)
    worth = found.equilibrium.payoffs
    values = [Fraction(each.lower) for each in solution.values(solution.start)]
    assert [Fraction(str(worth[player])) for player in tree.players] == values


@pytest.mark.parametrize(
    ("name", "given"), [("nim", {"heaps": (2, 2)}), ("subtraction", {"heap": 6})]
)
def test_no_pair_of_plans_beats_our_value(
    name: str, given: dict[str, Any], tmp_path: Path
) -> None:
    """All pairs of plans that pygambit finds in a tree, 360 and 3,456 payoffs: a plan of player 1
    secures our value against all plans, and one of player 2 concedes no more."""
    game = load(name, given)
    write_game(game, tmp_path / "game.efg")
    first, second = pygambit.read_efg(tmp_path / "game.efg").to_arrays()
    cells = [[Fraction(str(x)) for x in row] for row in first]
    assert [[-Fraction(str(x)) for x in row] for row in second] == cells
    value = exact_value(name, given)
    assert max(map(min, cells)) == value == min(map(max, zip(*cells, strict=True)))


def test_gambit_reads_every_cell(tmp_path: Path) -> None:
    chance = random.Random(5)
    cells = [[Fraction(chance.randrange(-99, 100), chance.randrange(1, 9)) for _ in range(32)]
             for _ in range(32)]  # fmt: skip
    names = [f"r{i}" for i in range(32)], [f"c{j}" for j in range(32)]
    write_matrix(NamedMatrix(cells, *names), tmp_path / "m.nfg")
    first, second = pygambit.read_nfg(tmp_path / "m.nfg").to_arrays()
    assert [[Fraction(str(x)) for x in row] for row in first] == cells
    assert [[-Fraction(str(x)) for x in row] for row in second] == cells


def test_gambit_and_nash_agree_on_ten_matrices(tmp_path: Path) -> None:
    chance = random.Random(4)
    for number in range(10):
        size = chance.randrange(2, 5), chance.randrange(2, 5)
        cells = [[Fraction(chance.randrange(-9, 10), chance.randrange(1, 4)) for _ in range(
            size[1])] for _ in range(size[0])]  # fmt: skip
        names = [f"r{i}" for i in range(size[0])], [f"c{j}" for j in range(size[1])]
        file = tmp_path / f"{number}.nfg"
        write_matrix(NamedMatrix(cells, *names), file)
        assert read_nfg(file).cells == cells
        theirs = pygambit.nash.lp_solve(pygambit.read_nfg(file), rational=True).equilibrium
        assert Fraction(str(theirs.payoffs["row player"])) == nash(cells).value


@pytest.mark.parametrize(("name", "given"), TREES[:1])
def test_gambit_reads_tables_of_strategies(
    name: str, given: dict[str, Any], tmp_path: Path
) -> None:
    game = load(name, given)
    write_game(game, tmp_path / "game.nfg")
    matrix = read_nfg(tmp_path / "game.nfg")
    table = pygambit.read_nfg(tmp_path / "game.nfg")
    sizes = [len(list(table.get_strategies(player))) for player in table.players]
    assert sizes == [len(matrix.rows), len(matrix.columns)]
    solution = solve(game, plain=True)
    assert nash(matrix.cells).value == float(solution.value(solution.start))


# -- What cannot be written. ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "suffix", "error"),
    [
        ("piglet", {"players": 3}, "prism", NoSolverError),
        ("dots-and-boxes", {"rows": 1, "columns": 1}, "umb", NoSolverError),  # points by moves
        ("piglet", {"goal": 2}, "efg", NoSolverError),  # cycles
        ("noughts-and-crosses", {}, "nfg", TooLargeError),
        ("goofspiel", {}, "prism", PerfectPlayError),
    ],
)
def test_games_without_a_model_are_refused(
    name: str, given: dict[str, Any], suffix: str, error: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(error):
        write_game(load(name, given), tmp_path / f"game.{suffix}")
    assert not list(tmp_path.iterdir())


def test_the_commands_write_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matrix = tmp_path / "m.csv"
    matrix.write_text("1,-1\n-1,1\n", encoding="utf-8")
    assert main.run(["export", str(matrix), "--to", str(tmp_path / "m.nfg")]) == 0
    assert main.run(["nash", str(tmp_path / "m.nfg"), "--json"]) == 0
    assert main.run(["export", "piglet", "-p", "goal=2", "--to", str(tmp_path / "p.umb")]) == 0
    assert "ask" in capsys.readouterr().out
    assert main.run(["export", "piglet", "--to", str(tmp_path / "p.umb")]) == 2
    (tmp_path / "bad.nfg").write_text("NFG 2", encoding="utf-8")
    assert main.run(["nash", str(tmp_path / "bad.nfg")]) == 2
