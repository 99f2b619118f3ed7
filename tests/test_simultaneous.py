"""Simultaneous moves: values equal those of twins that share nothing with the engine, bounds on
cycles hold, mixed strategies are optimal, and verify and check find what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_simultaneous import Drawn, matrix_value, positions, step
from scipy.optimize import linprog

from perfectplay import (
    CHANCE,
    OVER,
    SIMULTANEOUS,
    Game,
    NoSolverError,
    RulesError,
    SimultaneousMoves,
    Solution,
    UsageError,
    VerificationError,
    check,
    evaluate,
    load,
    search,
    solve,
    verify,
)
from perfectplay.answer.faces.explain import explain
from perfectplay.answer.faces.strata import strata
from perfectplay.cli import main
from perfectplay.cli.terminal import Match
from perfectplay.games.simultaneous.duel import Duel
from perfectplay.games.simultaneous.goofspiel import Goofspiel
from perfectplay.games.simultaneous.rock_paper_scissors import HANDS, RockPaperScissors
from perfectplay.table.reader import MemoryTable
from perfectplay.testing import agrees
from perfectplay.web.offline.page_table import reachable

# -- Goofspiel against a linear program. ----------------------------------------------------------


def program(cells: list[list[float]]) -> float:
    """The value of a matrix game by a linear program."""
    matrix = np.array(cells)
    rows, columns = matrix.shape
    found = linprog(
        [0.0] * rows + [-1.0],
        np.hstack([-matrix.T, np.ones((columns, 1))]),
        np.zeros(columns),
        [[1.0] * rows + [0.0]],
        [1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert found.status == 0
    return float(-found.fun)


def twin(carry: bool) -> Any:
    """Goofspiel by the difference in points, in plain recursion: hands and prizes as frozensets,
    the prize shown (None: to be drawn), what is carried."""

    @cache
    def worth(mine: Any, theirs: Any, prizes: Any, shown: int | None, carried: int) -> float:
        if shown is None:
            if not prizes:
                return 0.0
            drawn = [worth(mine, theirs, prizes - {each}, each, carried) for each in prizes]
            return sum(drawn) / len(drawn)
        stake = shown + carried
        cells = []
        for a in sorted(mine):
            row = []
            for b in sorted(theirs):
                left = stake if a == b and carry and prizes else 0
                after = worth(mine - {a}, theirs - {b}, prizes, None, left)
                row.append(after + stake * ((a > b) - (a < b)))
            cells.append(row)
        return program(cells)

    return worth


@pytest.mark.parametrize("ties", ["discard", "carry"])
@pytest.mark.parametrize("cards", [3, 4,
                                   pytest.param(5, marks=pytest.mark.slow)])  # fmt: skip
def test_goofspiel_equals_a_linear_program_at_every_position(cards: int, ties: str) -> None:
    solution = solve(Goofspiel(cards, ties=ties))
    worth = twin(ties == "carry")
    seen, queue = {solution.start}, [solution.start]
    for p in queue:
        mine, theirs, prizes, shown, carried, _ = p
        expected = worth(
            frozenset(mine), frozenset(theirs), frozenset(prizes), shown or None, carried
        )
        value = solution.values(p)[0]
        assert value.lower - 1e-7 <= expected <= value.upper + 1e-7, solution.game.text(p)
        assert value.upper - value.lower < 1e-11
        for q in following(solution.game, p):
            if q not in seen:
                seen.add(q)
                queue.append(q)
    assert len(queue) == solution.report["positions"]


def following(game: Any, p: Any) -> list[Any]:
    if game.to_move(p) == CHANCE:
        return [q for _, q in game.chances(p)]
    if game.to_move(p) == OVER:
        return []
    return [game.play(p, (a, b)) for a in game.choices(p, 0) for b in game.choices(p, 1)]


@pytest.mark.parametrize("order", ["random", "up", "down"])
@pytest.mark.parametrize("aim", ["points", "win"])
def test_goofspiel_agrees_with_minimax_in_fractions(order: str, aim: str) -> None:
    for ties in ("discard", "carry"):
        assert agrees(Goofspiel(3, order, ties, aim)) >= 20


def test_goofspiel_is_fair_and_exact_values_lie_within_bounds() -> None:
    game = Goofspiel(4, ties="carry")
    near, exact = solve(game), solve(game, exact=True)
    assert exact.value(exact.start).lower == 0
    for row in near.table.runs():
        for key in row.keys:
            p = game.parse(key)
            assert near.values(p)[0].lower <= exact.values(p)[0].lower <= near.values(p)[0].upper


# -- A race with cycles. --------------------------------------------------------------------------


def chance_to_win(needs: int, other: int) -> Fraction:
    """Of two players who win every point with probability 1/2."""
    rounds = needs + other - 1
    return Fraction(sum(comb(rounds, k) for k in range(needs, rounds + 1)), 2**rounds)


def test_race_of_rock_paper_scissors_has_a_certified_interval() -> None:
    game = RockPaperScissors(5)
    near, exact = solve(game), solve(game, exact=True)
    assert near.report["notes"] == []
    assert "mixed strategy iteration" in near.report["methods"]
    for a in range(5):
        for b in range(5):
            expected = chance_to_win(5 - a, 5 - b)
            value = near.values((a, b))[0]
            assert Fraction(value.lower) <= expected <= Fraction(value.upper)
            assert value.upper - value.lower < 1e-12
            assert exact.values((a, b))[0].lower == expected
    assert verify(near.table, game).ok
    assert verify(exact.table, game).ok


def test_glico_satisfies_its_equations() -> None:
    """With different points values are irrational: each must solve its own matrix game."""
    game = RockPaperScissors(9, 3, 6, 6)
    solution = solve(game)
    for a in (0, 3, 6):
        for b in (0, 3, 6):
            value = solution.values((a, b))[0]
            after = {pair: game.play((a, b), pair) for pair in product(HANDS, HANDS)}
            cells = [[float(solution.values(after[m, n])[0]) for n in HANDS] for m in HANDS]
            assert program(cells) == pytest.approx(float(value), abs=1e-9)
            assert value.upper - value.lower < 1e-12
            other = solution.values((b, a))[1]
            assert float(other) == pytest.approx(float(value), abs=1e-12)
    with pytest.raises(NoSolverError, match="irrational"):
        solve(game, exact=True)


@dataclass(frozen=True)
class Tug(SimultaneousMoves, Game):
    """Rock, paper, scissors for a rope: a won round pulls it by one, with rock by two. `folded`:
    the player who is behind is always player 1."""

    half: int = 3
    folded: bool = False

    def start(self) -> int:
        return 0

    def to_move(self, p: int) -> int:
        return OVER if abs(p) == self.half else SIMULTANEOUS

    def choices(self, p: int, player: int) -> Iterable[str]:
        return HANDS

    def play(self, p: int, m: tuple[str, str]) -> int:
        won = (0, 1, -1)[(HANDS.index(m[0]) - HANDS.index(m[1])) % 3]
        pull = 2 if won and m[won < 0] == "rock" else 1
        return max(-self.half, min(self.half, p + won * pull))

    def payoff(self, p: int) -> int:
        return 1 if p > 0 else -1

    def representative(self, p: int) -> int:
        return abs(p) if self.folded else p

    def turn(self, p: int) -> int:
        return int(p < 0)


def test_players_may_be_renamed_along_cycles() -> None:
    whole, folded = solve(Tug()), solve(Tug(folded=True))
    assert (folded.report["positions"], whole.report["positions"]) == (4, 7)
    for rope in range(-3, 4):
        a, b = whole.values(rope), folded.values(rope)
        assert float(a[0]) == pytest.approx(float(b[0]), abs=1e-12)
        assert max(a[0].lower, b[0].lower) <= min(a[0].upper, b[0].upper)
        assert a[0].upper - a[0].lower < 1e-12
    assert float(whole.values(0)[0]) == pytest.approx(0, abs=1e-12)
    assert float(whole.values(1)[0]) > 0.1
    for solution in (whole, folded):
        assert verify(solution.table, solution.game).ok
        assert check(solution.game).ok


# -- Random games against brute force. ------------------------------------------------------------

BLOCKS = [0, *(pytest.param(block, marks=pytest.mark.slow) for block in range(1, 5))]


@pytest.mark.parametrize("block", BLOCKS)
def test_random_games_without_cycles_equal_brute_force(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        game = Drawn(seed)
        expected: dict[Any, Fraction] = {}
        for p in sorted(positions(game), reverse=True):
            expected[p] = step(game, p, expected)
        near, exact = solve(game), solve(game, exact=True)
        for p, value in expected.items():
            assert exact.values(p)[0].lower == value
            assert near.values(p)[0].lower <= value <= near.values(p)[0].upper
            assert near.values(p)[0].upper - near.values(p)[0].lower < 1e-12
        assert verify(near.table, game).ok
        assert verify(exact.table, game).ok


@pytest.mark.parametrize("block", BLOCKS)
def test_bounds_of_random_games_that_stop_hold_the_value(block: int) -> None:
    """Where every round ends play with probability 1/4, the equation applied again and again
    brings any numbers below, and any above the values, as near to them as one likes."""
    for seed in range(1000 + 25 * block, 1000 + 25 * block + 25):
        game = Drawn(seed, back=True)
        every = positions(game)
        low, high = ({p: Fraction(side * 40) for p in every} for side in (-1, 1))
        for _ in range(60):
            for p in every:  # each sees what was found for those before it, and is only nearer
                low[p] = rounded(step(game, p, low), -1)
                high[p] = rounded(step(game, p, high), 1)
        solution = solve(game)
        assert solution.report["notes"] == []
        for p in every:
            value = solution.values(p)[0]
            assert high[p] - low[p] < Fraction(1, 10**5)
            assert low[p] <= Fraction(value.upper)
            assert Fraction(value.lower) <= high[p]
            assert value.upper - value.lower < 1e-9
        assert verify(solution.table, game).ok


def rounded(number: Fraction, way: int) -> Fraction:
    """To 30 binary places, down or up: fractions would grow for ever."""
    scaled = number * 2**30
    return Fraction(-(-scaled.numerator // scaled.denominator) if way > 0
                    else scaled.numerator // scaled.denominator, 2**30)  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS)
def test_bounds_of_random_games_that_may_go_on_for_ever_hold_the_value(block: int) -> None:
    """Where endless play is the worst that can happen to player 0, what they can force within some
    rounds is below the value and comes near to it (Everett 1957)."""
    narrow = 0
    for seed in range(2000 + 25 * block, 2000 + 25 * block + 25):
        game = Drawn(seed, back=True, stops=False, least=0, earns=False)
        every = positions(game)
        forced = dict.fromkeys(every, Fraction(0))
        for _ in range(60):
            for p in every:
                forced[p] = rounded(step(game, p, forced), -1)
        solution = solve(game)
        for p in every:
            value = solution.values(p)[0]
            assert forced[p] <= Fraction(value.upper)
            assert Fraction(value.lower) <= forced[p] + Fraction(1, 10)
            assert value.upper - value.lower < 1e-5
        narrow += not solution.report["notes"]
        assert verify(solution.table, game).ok
    assert narrow >= 20


# -- Proofs. --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Waiting(SimultaneousMoves, Game):
    """Both may wait for ever, or try: then player 0 wins `prize`, unless both try at once."""

    prize: int = 1
    endless: int | None = 0

    def start(self) -> str:
        return "again"

    def to_move(self, p: str) -> int:
        return SIMULTANEOUS if p == "again" else OVER

    def choices(self, p: str, player: int) -> Iterable[str]:
        return ("wait", "try")

    def play(self, p: str, m: tuple[str, str]) -> str:
        if m == ("wait", "wait"):
            return "again"
        return "lost" if m == ("try", "try") else "won"

    def payoff(self, p: str) -> int:
        return self.prize if p == "won" else 0

    def text(self, p: str) -> str:
        return p

    def parse(self, s: str) -> str:
        if s not in ("again", "won", "lost"):
            raise ValueError(s)
        return s


def test_a_player_who_has_only_better_and_better_strategies_gets_honest_bounds() -> None:
    """Who tries with a small probability each time wins almost surely against one who waits or
    tries: the value is the whole prize, but no strategy brings it (Everett 1957)."""
    game = Waiting()
    solution = solve(game)
    value = solution.values("again")[0]
    assert 1 - 1e-6 < value.lower < 1 == value.upper
    assert "more than 1e-12 apart" in " ".join(solution.report["notes"])
    assert verify(solution.table, game).ok


def changed(solution: Solution, text: str, **values: Any) -> MemoryTable:
    """The table with other numbers in one row."""
    table, keys, columns = solution.table, [], {}
    for rows in table.runs():
        keys += list(rows.keys)
        for name, column in rows.columns.items():
            columns.setdefault(name, []).extend(column)
    for name, value in values.items():
        columns[name][keys.index(text)] = value
    whole = {
        name: column if name == "exact_0" else np.array(column) for name, column in columns.items()
    }
    return MemoryTable(table.header, 0, table.strata, keys, whole, table.extra)


@pytest.mark.parametrize("by", [1e-9, -1e-9])
def test_verify_refuses_bounds_that_no_mixed_strategy_guarantees(by: float) -> None:
    game = Goofspiel(3)
    text = "1 2 3 / 1 2 3 / 1 2 for 3"
    solution = solve(game)
    now = solution.values(game.parse(text))[0]
    table = changed(solution, text, lower=now.lower + by, upper=now.upper + by)
    with pytest.raises(VerificationError, match="1 2 3 / 1 2 3 / 1 2 for 3: stored lower"):
        verify(table, game)


def test_verify_refuses_a_wrong_fraction() -> None:
    game = Duel(5, 2, 1)
    table = changed(solve(game, exact=True), "step 1, bullets 2-1", exact_0="1/3")
    with pytest.raises(VerificationError, match="follows 9/25"):
        verify(table, game)


def test_verify_refuses_what_rests_on_waiting_for_ever() -> None:
    """If player 0 may only wait or lose, 1 satisfies the equation as well as -1 does, endless play
    being worth -1: nothing forces it."""

    @dataclass(frozen=True)
    class Patience(Waiting):
        endless: int | None = -1

        def play(self, p: str, m: tuple[str, str]) -> str:
            return "again" if m[0] == "wait" else "lost"

        def payoff(self, p: str) -> int:
            return -1

    game = Patience()
    solution = solve(game)
    assert solution.values("again")[0].upper == -1
    table = changed(solution, "again", lower=1.0, upper=1.0)
    with pytest.raises(VerificationError, match="nothing forces it"):
        verify(table, game)


def test_endless_play_has_its_worth() -> None:
    """Player 0 would lose by trying, and waits for ever: that is worth what `endless` says."""

    @dataclass(frozen=True)
    class Shy(Waiting):
        def play(self, p: str, m: tuple[str, str]) -> str:
            return "again" if m[0] == "wait" else "lost"

        def payoff(self, p: str) -> int:
            return -5

    for endless in (-3, 0, 2):
        for exact in (False, True):
            game = Shy(endless=endless)
            solution = solve(game, exact=exact)
            value = solution.values("again")[0]
            assert value.lower == value.upper == endless
            assert verify(solution.table, game).ok


# -- Answers. -------------------------------------------------------------------------------------


def test_choices_have_the_probabilities_of_an_optimal_mixed_strategy() -> None:
    """In the duel of two bullets against one, fractions; in the last round of a race, a third."""
    solution = solve(RockPaperScissors(1), exact=True)
    mine, theirs = solution.choices((0, 0))
    assert [choice.probability for choice in (*mine, *theirs)] == [Fraction(1, 3)] * 6
    assert [choice.text for choice in mine] == list(HANDS)
    assert {choice.value.lower for choice in (*mine, *theirs)} == {Fraction(1, 2)}
    assert solution.moves((0, 0)) == ()
    assert solution.choices((1, 0)) == ()


@pytest.mark.parametrize("exact", [False, True])
def test_no_choice_is_worth_more_than_the_position(exact: bool) -> None:
    solution = solve(Goofspiel(4, ties="carry"), exact=exact)
    mixed = 0
    for rows in solution.table.runs():
        for key in rows.keys:
            p = solution.game.parse(key)
            for player, own in enumerate(solution.choices(p)):
                value = float(solution.values(p)[player])
                assert sum(choice.probability for choice in own) == pytest.approx(1)
                assert all(float(choice.value) <= value + 1e-9 for choice in own)
                used = [choice for choice in own if choice.probability]
                assert all(float(choice.value) >= value - 1e-9 for choice in used)
                mixed += len(used) > 1
    assert mixed > 50


def test_both_shoot_as_soon_as_they_hit_as_often_as_not() -> None:
    solution = solve(Duel(7), exact=True)
    assert solution.value(solution.start).lower == 0
    shots = {}
    for at in range(1, 8):
        shares = {c.text: c.probability for c in solution.choices((at, 1, 1, 0))[0]}
        shots[at] = shares["shoot"]
    assert shots == {1: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 1, 7: 1}


def test_line_and_equation_of_a_position_at_which_both_choose() -> None:
    solution = solve(Goofspiel(3, "down"), exact=True)
    line = solution.line(solution.start)
    assert line.ending == "over"
    assert [each.by for each in line] == [SIMULTANEOUS] * 3
    assert line.as_json()["steps"][0]["by"] == "both"
    p = solution.game.parse("1 3 / 1 2 / 1 for 2")
    found = explain(solution, p)
    assert found.rule == "sum"
    numbers = {"__builtins__": {}}
    assert eval(found.arithmetic(), numbers) == pytest.approx(float(found.value))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    assert main.run(arguments) == 0
    return capsys.readouterr().out


def test_probe_shows_both_players_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, "solve", "rock-paper-scissors", "--exact")
    shown = run(capsys, "probe", "rock-paper-scissors", "2-1")
    assert "to move      both players" in shown
    assert shown.count("1/3") == 6
    found = json.loads(run(capsys, "probe", "rock-paper-scissors", "--json"))
    assert found["to_move"] == "both"
    assert found["choices"][1][2] == {
        "move": "scissors",
        "probability": "1/3",
        "value": {"kind": "chance", "exactness": "exact", "exact": "1/2", "decimal": 0.5},
    }
    assert "mixed strategies that guarantee it" in run(capsys, "verify", "rock-paper-scissors")


def played(person: int | None, typed: list[str], seed: int, **given: Any) -> list[str]:
    """What a match of Goofspiel says."""
    said: list[str] = []
    answers = iter(typed)
    solution = solve(Goofspiel(3))
    match = Match(
        solution, person, seed, ask=lambda prompt: next(answers), say=said.append, **given
    )
    match.play(solution.start)
    return said


def test_a_person_chooses_without_seeing_what_the_other_draws() -> None:
    typed = ["9", "?", "3", "u", "2", "1", "3"]
    said = played(0, typed, 4)
    assert said == played(0, typed, 4)
    assert any("'9' is not a legal move; legal: 1, 2, 3" in line for line in said)
    assert any("with probability" in line for line in said)
    assert "taken back" in said
    rounds = [line for line in said if line.startswith("player 1 plays")]
    assert [line.split(",")[0] for line in rounds] == [
        f"player 1 plays {card}" for card in (3, 2, 1, 3)
    ]
    assert said[-1].startswith("player 1: ")


def test_perfect_play_draws_from_its_mixed_strategy() -> None:
    drawn = {
        line.rsplit(" ", 1)[1]
        for seed in range(40)
        for line in played(None, [], seed)
        if line.startswith("player 1 plays")
    }
    assert drawn == {"1", "2", "3"}
    assert played(None, [], 7) == played(None, [], 7)


def test_a_hint_names_what_the_mixed_strategy_chooses() -> None:
    solution = solve(Goofspiel(3, "down"), exact=True)
    said: list[str] = []
    answers = iter(["h", "p", "q"])
    Match(solution, 0, 1, ask=lambda prompt: next(answers), say=said.append).play(solution.start)
    p = next(iter(solution.events(solution.start)), solution.start)
    likely = [each for each in solution.choices(p)[0] if each.probability]
    assert 0 < len(likely) < 3
    shown = [line for line in said if "with probability" in line]
    assert [line.split()[0] for line in shown] == [each.text for each in likely]
    assert solution.game.text(p) in said


def test_an_opponent_may_choose_at_random() -> None:
    perfect, careless = (
        {
            line.rsplit(" ", 1)[1]
            for seed in range(25)
            for line in played(0, ["3", "2", "1"], seed, against=against)
            if line.startswith("player 1 plays 3,")
        }
        for against in ("perfect", "random")
    )
    assert careless == {"1", "2", "3"}
    assert perfect <= careless


def test_strata_name_pairs_of_choices() -> None:
    found = strata(RockPaperScissors(2), RockPaperScissors(2).start())
    kinds = {move.text: move.recurrent for move in found.moves}
    assert len(kinds) == 9
    assert kinds["rock / rock"]
    assert not kinds["rock / paper"]


def test_notebooks_show_both_players_choices() -> None:
    solution = solve(RockPaperScissors(2), exact=True)
    shown = solution.analyse(solution.start).display()
    assert shown.heads == ("choice", "value", "probability")
    assert len(shown.rows) == 6
    assert [str(row[2]) for row in shown.rows] == ["1/3"] * 6


# -- What is refused. -----------------------------------------------------------------------------


class Broken(Waiting):
    """Rules with something wrong."""


class NoChoice(Broken):
    def choices(self, p: str, player: int) -> Iterable[str]:
        return ("wait", "try") if player == 0 else ()


class Alike(Broken):
    def move_text(self, p: str, m: str) -> str:
        return "something"


class NotOpposed(Broken):
    def payoff(self, p: str) -> Any:
        return (1, 0) if p == "won" else (0, 0)


class Generous(Broken):
    def reward(self, p: str, m: tuple[str, str]) -> Any:
        return (1, 1)


class Failing(Broken):
    def choices(self, p: str, player: int) -> Iterable[str]:
        return {0: ("wait",)}[player]


class Native(Broken):
    native = True


class Three(Broken):
    players = 3


@pytest.mark.parametrize(
    ("rules", "words", "blamed"),
    [
        (NoChoice, "yields nothing for player 1", "choices"),
        (Alike, "the same text", "move_text"),
        (NotOpposed, "adds up to 0 here and 1 there", "payoff"),
        (Generous, "gives both players 2 together", "reward"),
        (Failing, "KeyError at 'again' (again), player 1", "choices"),
        (Native, "simultaneous moves and native = True", ""),
        (Three, "simultaneous moves and 3 players", ""),
    ],
)
def test_mistakes_are_found_and_named(rules: Any, words: str, blamed: str) -> None:
    report = check(rules())
    assert words in str(report)
    assert not blamed or report.problems[0].method == blamed
    if rules is not Alike:
        with pytest.raises(RulesError):
            solve(rules())


def test_who_does_not_derive_is_told_to() -> None:
    class Alone(Game):
        def start(self) -> int:
            return 0

        def to_move(self, p: int) -> int:
            return SIMULTANEOUS

    assert "derive from SimultaneousMoves" in str(check(Alone()))


@pytest.mark.parametrize("name", ["goofspiel", "rock-paper-scissors", "duel"])
def test_games_obey_the_laws_and_have_tables_that_are_verified(name: str, tmp_path: Path) -> None:
    game = load(name, ["cards=3"] if name == "goofspiel" else [])
    report = check(game)
    assert report.ok
    assert report.complete
    solve(game, folder=tmp_path / "table")
    assert verify(tmp_path / "table").ok
    assert Solution.open(tmp_path / "table").value(game.start()) is not None


def test_search_and_evaluate_say_that_they_do_not_serve() -> None:
    with pytest.raises(NoSolverError, match="simultaneous moves"):
        search(Duel(4))
    with pytest.raises(NoSolverError, match="simultaneous moves"):
        evaluate(Duel(4), "random")


# -- Matrices that mislead floats. ----------------------------------------------------------------


@dataclass(frozen=True)
class Once(SimultaneousMoves, Game):
    """One matrix game. Cells are given as texts of rows."""

    rows: tuple[str, ...] = ("0",)

    def start(self) -> int:
        return -1

    def to_move(self, p: int) -> int:
        return SIMULTANEOUS if p == -1 else OVER

    def cells(self) -> list[list[int]]:
        return [list(map(int, row.split())) for row in self.rows]

    def choices(self, p: int, player: int) -> Iterable[int]:
        return range(len(self.cells()[0]) if player else len(self.rows))

    def play(self, p: int, m: tuple[int, int]) -> int:
        return m[0] * len(self.cells()[0]) + m[1]

    def payoff(self, p: int) -> int:
        wide = len(self.cells()[0])
        return self.cells()[p // wide][p % wide]


@pytest.mark.parametrize(
    "rows",
    [
        ("1000000000000000 0", "0 1"),
        ("1000000000000001 1000000000000000", "1000000000000000 1000000000000002"),
        ("0 1000000000000 -7", "3 -1000000000000 1", "-5 2 0"),
        ("1 1", "1 1"),
        ("4", "4", "-1"),
        ("1 0 0 0", "0 2 0 0", "0 0 3 0", "0 0 0 1000000007"),
    ],
    ids=str,
)
def test_matrices_that_mislead_floats_have_narrow_bounds(rows: tuple[str, ...]) -> None:
    game = Once(rows)
    near, exact = solve(game), solve(game, exact=True)
    value, expected = near.values(-1)[0], exact.values(-1)[0].lower
    assert expected == matrix_value([[Fraction(x) for x in row] for row in game.cells()])
    assert Fraction(value.lower) <= expected <= Fraction(value.upper)
    largest = max(abs(x) for row in game.cells() for x in row)
    assert value.upper - value.lower <= 1e-12 * max(1, largest)
    assert verify(near.table, game).ok


def test_methods_of_chance_are_refused() -> None:
    with pytest.raises(UsageError, match="mixed strategies are improved in one way"):
        solve(Duel(2), method="naive")


def test_pages_without_a_server_are_refused() -> None:
    with pytest.raises(UsageError, match="has simultaneous moves"):
        reachable(Duel(2))
