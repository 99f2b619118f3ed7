"""What endless play is worth, whatever number the rules give it, against the naive twin."""

from __future__ import annotations

import random
from typing import Any

import naive
import pytest
from explicit_games import Alternating, random_nodes, rows_of
from test_verify import Explicit, accepted

from perfectplay import search, solve
from perfectplay.errors import NoSolverError, RulesError, TableError, VerificationError
from perfectplay.positions.expand_plain import PlainExpander
from perfectplay.rules.game import OVER, Game
from perfectplay.verification.verify import verify_table

PLAIN = [-1, 0, 1]
SHARED = [(1, 0), (0, 1)]


def going_round(endless: Any) -> Explicit:
    """Player 0 stops, for 1, or goes round for ever."""
    nodes = {"a": (0, [("x", 0), ("b", 0)]), "b": (1, [("a", 0)]), "x": (OVER, 1)}
    return Explicit(nodes, endless=endless)


def test_going_round_is_better_than_winning() -> None:
    solution = solve(going_round(3))
    value = solution.value("a")
    assert (value.kind, value.exact, str(value)) == ("score", 3, "+3")
    assert solution.moves("a")[0].text == "1"
    assert str(solution.line("a")) == "1 0 (repeats)"


@pytest.mark.parametrize(("payoffs", "rewards"), [
    (PLAIN, False), (PLAIN, True), (SHARED, False), (SHARED, True),
])  # fmt: skip
def test_any_worth_of_endless_play_is_solved_and_verified(payoffs: Any, rewards: bool) -> None:
    rng = random.Random(len(payoffs) + 10 * rewards)
    lies = 0
    for _ in range(50):
        earn = [-2, 0, 1] if rewards else [0]
        endless = rng.randint(-5, 5)
        game = Explicit(random_nodes(rng, players=2, payoffs=payoffs, earn=earn), endless=endless)
        solution = solve(game)
        facts = solution.facts
        assert facts.endless == endless * facts.scale - facts.offset
        rows = rows_of(game, scale=facts.scale)
        right = naive.scores(rows, [], int(facts.endless))
        table = solution.to_arrow().to_pylist()
        found = {row["key"]: row.get("score", row.get("outcome")) for row in table}
        value = {p: v for p, v in zip(game.nodes, right, strict=True) if p in found}
        assert found == value
        verify_table(solution.table, PlainExpander(game))
        given = {
            "rewards": facts.rewards, "endless": facts.endless,
            "scale": facts.scale, "offset": facts.offset,
        }  # fmt: skip
        lies += refused_lies(rng, game, value, given)
    assert lies > 75


def refused_lies(rng: random.Random, game: Explicit, value: dict[str, int], given: Any) -> int:
    """How many wrong tables were refused, out of as many; the right one is accepted."""
    accepted(game, {p: (v,) for p, v in value.items()}, "score", **given)
    live = [p for p in value if game.nodes[p][0] != OVER]
    lies = 0
    for _ in range(4):
        moved = rng.sample(live, rng.randint(1, len(live)))
        lie = {**value, **dict.fromkeys(moved, rng.randint(-6, 6))}
        if lie != value:
            lies += 1
            with pytest.raises(VerificationError):
                accepted(game, {p: (v,) for p, v in lie.items()}, "score", **given)
    return lies


def test_an_older_table_of_wins_and_losses_is_refused() -> None:
    values = {"a": (1, 1), "b": (1, 2), "x": (1, 0)}
    with pytest.raises(VerificationError, match="facts"):
        accepted(going_round(3), values, "outcome depth", outcome=True)
    solution = solve(going_round(1))
    solution.table.header["facts"]["endless"] = 3.0
    with pytest.raises(TableError, match="endless play is worth 3"):
        type(solution)(solution.game, solution.table, solution.report)


def test_endless_play_must_be_worth_an_integer() -> None:
    with pytest.raises(RulesError, match="not an integer"):
        solve(going_round(0.5))
    shared = Explicit({**going_round(None).nodes, "x": (OVER, (0, 1))}, endless=0.5)
    assert str(solve(shared).value("b")) == "draw"  # half of what is shared out


def test_players_that_are_renamed_know_no_endless_play_but_a_draw() -> None:
    nodes = {"a": (0, [("x", 0), ("b", 0)]), "b": (0, [("a", 0)]), "x": (OVER, 1)}
    with pytest.raises(NoSolverError, match="renamed"):
        solve(Alternating(nodes, endless=3))


def test_a_search_does_not_take_going_round_for_less_than_it_is_worth() -> None:
    class Default(Explicit):
        payoff, reward = Game.payoff, Game.reward

    found = search(Default(going_round(None).nodes, endless=3), "a")
    assert found.value.upper >= 3
