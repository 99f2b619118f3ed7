"""OpenSpiel's games have the values of ours; states that cannot be told apart are refused."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from perfectplay import (
    Game,
    RulesError,
    Solution,
    TableError,
    UsageError,
    check,
    export,
    load,
    solve,
    verify,
)
from perfectplay.cli import main
from perfectplay.interop.spiel_out import perfect_bot, to_open_spiel
from perfectplay.interop.spiel_states import SpielStates

SAME: list[tuple[str, str, dict[str, Any]]] = [
    ("tic_tac_toe", "noughts-and-crosses", {}),
    ("nim(pile_sizes=1;2;4)", "nim", {"heaps": (1, 2, 4), "misere": True}),
    ("connect_four(rows=3,columns=3)", "connect", {"width": 3, "height": 3}),
    ("clobber(rows=3,columns=3)", "clobber", {"rows": 3, "columns": 3}),
]


@pytest.mark.parametrize(("theirs", "ours", "given"), SAME)
def test_games_equal_ours(theirs: str, ours: str, given: dict[str, Any]) -> None:
    there = solve(load(f"spiel:{theirs}"))
    here = solve(load(ours, given), plain=True)
    assert there.value(there.start) == here.value(here.start)


def test_pig_has_the_value_of_ours_to_the_last_digits() -> None:
    there = solve(load("spiel:pig(players=2,winscore=10)"))
    here = solve(load("pig", {"goal": 10}), plain=True)
    theirs, ours = there.value(there.start), here.value(here.start)
    assert abs(float(theirs) - (2 * float(ours) - 1)) < 1e-13


@pytest.mark.slow
def test_pig_to_20_and_connect_four() -> None:
    pig = solve(load("spiel:pig(players=2,winscore=20)"))
    assert abs(float(pig.value(pig.start)) - 0.231117099610086) < 1e-13
    four = solve(load("spiel:connect_four(rows=4,columns=4)"))
    assert four.table.rows == 161_029  # OEIS A212693
    assert four.value(four.start).outcome == 0


def test_strings_that_forget_the_mover_are_refused() -> None:
    with pytest.raises(RulesError, match="in one player 0 is to move, in the other player 1"):
        solve(load("spiel:breakthrough(rows=4,columns=3)"))


class _Forgetful:
    """Two coins, of which a state shows only how many are left."""

    def __init__(self, *, told: bool) -> None:
        self.told = told

    def new_initial_state(self) -> _Coins:
        return _Coins("", told=self.told)


class _Coins:
    def __init__(self, taken: str, *, told: bool) -> None:
        self.taken, self.told = taken, told

    def __str__(self) -> str:
        return "".join(sorted(self.taken)) if self.told else str(len(self.taken))

    def is_terminal(self) -> bool:
        return len(self.taken) == 3

    def is_chance_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return len(self.taken) % 2

    def legal_actions(self) -> list[int]:
        return [0, 1]

    def returns(self) -> list[float]:
        return [float(self.taken.count("0")), -float(self.taken.count("0"))]

    def child(self, action: int) -> _Coins:
        return _Coins(f"{self.taken}{action}", told=self.told)


def test_states_that_go_on_differently_are_refused() -> None:
    SpielStates(_Forgetful(told=True), "coins", rewards=False).walk()
    with pytest.raises(RulesError, match="one brings"):
        SpielStates(_Forgetful(told=False), "coins", rewards=False).walk()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("kuhn_poker", "do not see everything"),
        ("goofspiel", "at once"),
        ("tic_tac_to", "no game 'tic_tac_to'"),
        ("pig(players=2,winscor=20)", "cannot load"),
    ],
)
def test_games_that_are_none_of_ours_are_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load(f"spiel:{name}")
    assert main.run(["solve", f"spiel:{name}"]) == 2


def test_payoffs_that_are_no_integers_are_refused() -> None:
    game = load("spiel:catch")
    assert solve(game).value(game.start()) == 1
    with pytest.raises((UsageError, RulesError)):
        solve(load("spiel:pathfinding"))


def test_tables_serve_other_processes(tmp_path: Path) -> None:
    game, folder = load("spiel:tic_tac_toe"), tmp_path / "table"
    solve(game, folder)
    found = Solution.open(folder, game)
    p = found.position("x..\\n...\\n...")
    assert found.moves(p)[0].text == "o(1,1)"
    assert verify(folder, game).ok
    assert export(found, tmp_path / "all.csv").rows == 5478
    with pytest.raises(TableError, match="no game of this package"):
        Solution.open(folder)
    with pytest.raises(UsageError, match="not among the"):
        found.position("nonsense")
    assert check(load("spiel:nim(pile_sizes=1;2;3)")).ok


# -- Ours as theirs. ------------------------------------------------------------------------------

OURS: list[tuple[str, dict[str, Any]]] = [
    ("noughts-and-crosses", {}),
    ("piglet", {"goal": 3}),
    ("piglet", {"goal": 2, "players": 3}),
    ("nim", {"heaps": (1, 2, 3)}),
    ("dots-and-boxes", {"rows": 1, "columns": 2}),
    ("connect", {"width": 3, "height": 3}),
    ("sliding", {"width": 2, "height": 2}),
]


@pytest.mark.parametrize(("name", "given"), OURS)
def test_ours_pass_the_tests_of_open_spiel(name: str, given: dict[str, Any]) -> None:
    pyspiel.random_sim_test(to_open_spiel(load(name, given)), 5, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "given"), OURS[:4])
def test_random_plays_pay_what_the_rules_say(name: str, given: dict[str, Any]) -> None:
    """Played by the rules beside it, without numbers of moves."""
    game: Game = load(name, given)
    theirs, chance = to_open_spiel(game), random.Random(1)
    for _ in range(20):
        state, p, ply = theirs.new_initial_state(), game.start(), 0
        while not state.is_terminal():
            action = chance.choice(state.legal_actions())
            if state.is_chance_node():
                p = [child for _, child in game.chances(p)][action]
            else:
                m = state.legal_moves()[action]
                assert m in list(game.moves(p))
                p = game.play(p, m)
            state.apply_action(action)
            ply += 1
            assert state.position == p
        given_at_end = game.payoff(p)
        if isinstance(given_at_end, tuple):
            assert state.returns() == [*given_at_end]
        else:
            sign = -1 if ply % 2 else 1  # alternate play
            assert state.returns() == [sign * given_at_end, -sign * given_at_end]


def test_the_bot_never_loses_and_wins_where_it_can() -> None:
    chance = random.Random(2)
    solution = solve(load("spiel:nim(pile_sizes=1;2;4)"))
    game, bot = pyspiel.load_game("nim(pile_sizes=1;2;4)"), perfect_bot(solution)
    mover = 0 if solution.value(solution.start).outcome > 0 else 1
    ours = solve(load("noughts-and-crosses"), plain=True)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            mine = state.current_player() == mover
            state.apply_action(bot.step(state) if mine else chance.choice(state.legal_actions()))
        assert state.returns()[mover] == 1
        state = to_open_spiel(ours.game).new_initial_state()
        while not state.is_terminal():
            mine = state.current_player() == 1
            state.apply_action(
                perfect_bot(ours).step(state) if mine else chance.choice(state.legal_actions())
            )
        assert state.returns()[1] >= 0
    with pytest.raises(UsageError, match="to_open_spiel"):
        perfect_bot(ours).step(game.new_initial_state())


def test_processes_that_gave_a_game_end_well() -> None:
    code = (
        "from perfectplay import load; from perfectplay.interop.spiel_out import to_open_spiel; "
        "to_open_spiel(load('nim', {'heaps': (1, 2)}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
