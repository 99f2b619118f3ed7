"""Verification: right tables pass, every wrong value is named, and endless play proves nothing."""

from __future__ import annotations

import dataclasses
import importlib
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay import solve
from perfectplay.errors import VerificationError
from perfectplay.positions.expand_plain import PlainExpander
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.load import load
from perfectplay.solvers.store import NONE
from perfectplay.solving.choose import extra
from perfectplay.strata.graph import Facts
from perfectplay.table.reader import split
from perfectplay.table.writer import MemoryTable, TableWriter
from perfectplay.verification import row_check
from perfectplay.verification.verify import Verification, verify_table

INF = math.inf
MODULE = importlib.import_module("perfectplay.verification.verify")


class Explicit(Game):
    """A game given node by node: name -> (OVER, payoff), (player, [(child, reward), …]) or
    (CHANCE, [(child, weight), …]). The first node is the start."""

    def __init__(self, nodes: dict[str, Any], strata: dict[str, int] | None = None, **facts: Any):
        self.nodes = nodes
        self.strata = strata or {}
        for name, value in facts.items():
            setattr(self, name, value)

    def start(self) -> str:
        return next(iter(self.nodes))

    def to_move(self, p: str) -> int:
        return self.nodes[p][0]

    def moves(self, p: str) -> Any:
        return range(len(self.nodes[p][1]))

    def play(self, p: str, m: int) -> str:
        return self.nodes[p][1][m][0]

    def reward(self, p: str, m: int) -> Any:
        return self.nodes[p][1][m][1]

    def chances(self, p: str) -> Any:
        return [(weight, q) for q, weight in self.nodes[p][1]]

    def payoff(self, p: str) -> Any:
        return self.nodes[p][1]

    def stratum(self, p: str) -> int:
        return self.strata.get(p, 0)

    def text(self, p: str) -> str:
        return p

    def parse(self, s: str) -> str:
        return s


class Alternate(Explicit):
    """The same in alternate play: everything is seen by the player to move."""

    to_move = Game.to_move

    def moves(self, p: str) -> Any:
        return range(0 if self.nodes[p][0] == OVER else len(self.nodes[p][1]))


def facts_of(game: Game, **given: Any) -> dict[str, Any]:
    endless = game.endless if game.endless is not None else -INF if game.minimise else 0.0
    base = {
        "players": game.players,
        "scalar": True,
        "chance": False,
        "rewards": False,
        "outcome": False,
        "endless": float(-endless if game.minimise and game.endless is not None else endless),
        "minimise": game.minimise,
    }
    return dataclasses.asdict(Facts(**{**base, **given}))


def table_of(
    game: Explicit, values: dict[str, tuple[Any, ...]], names: str, **given: Any
) -> MemoryTable:
    """A hand-made table: a value per node for each of the named columns."""
    order = sorted(values, key=lambda p: (game.stratum(p), p))
    kinds = {"outcome": np.int8, "depth": np.int16, "score": np.int64}
    columns: dict[str, Any] = {}
    for i, name in enumerate(names.split()):
        column = [values[p][i] for p in order]
        exact = name.startswith("exact")
        columns[name] = (
            list(map(str, column)) if exact else np.array(column, kinds.get(name, float))
        )
    numbers = sorted({game.stratum(p) for p in order})
    strata = [(s, sum(game.stratum(p) == s for p in order)) for s in numbers]
    extra = {"residual": given.pop("residual", 0.0)}
    header = {
        "game": "toy",
        "parameters": {},
        "rules": "",
        "plain": True,
        "exact": False,
        "ties": "first",
        "facts": facts_of(game, **given),
    }
    return MemoryTable(header, 0, strata, order, columns, extra)


def accepted(game: Explicit, values: Any, names: str, **given: Any) -> Verification:
    return verify_table(table_of(game, values, names, **given), PlainExpander(game))


def refused(game: Explicit, values: Any, names: str, at: str, **given: Any) -> str:
    """The message of the refusal, which must name one of the positions in `at`."""
    with pytest.raises(VerificationError) as caught:
        accepted(game, values, names, **given)
    assert caught.value.message.split(":")[0] in at.split(), caught.value.message
    assert caught.value.hint
    return caught.value.message


def every_change_is_refused(
    game: Explicit, values: dict[str, Any], names: str, changes: Any, **given: Any
) -> int:
    """Accept `values`, refuse them with any one number changed; how many changes there were."""
    accepted(game, values, names, **given)
    count = 0
    for p, row in values.items():
        for i, name in enumerate(names.split()):
            for new in changes(name, row[i]):
                wrong = {**values, p: (*row[:i], new, *row[i + 1 :])}
                with pytest.raises(VerificationError):
                    accepted(game, wrong, names, **given)
                count += 1
    return count


# -- Outcomes. ------------------------------------------------------------------------------------

# a and b may circle for ever; from c player 0 wins in 3, d loses for the mover in 2.
LOOP = Explicit(
    {
        "a": (0, [("b", 0), ("d", 0)]),
        "b": (1, [("a", 0), ("w", 0)]),
        "c": (0, [("d", 0), ("a", 0)]),
        "d": (1, [("e", 0), ("f", 0)]),
        "e": (0, [("w", 0), ("c", 0)]),
        "f": (0, [("w", 0), ("t", 0)]),
        "g": (1, [("a2", 0), ("t", 0)]),
        "a2": (0, [("g", 0), ("l", 0)]),
        "w": (OVER, 1),
        "l": (OVER, -1),
        "t": (OVER, 0),
    }
)
LOOP_VALUES = {
    "a": (1, 3), "b": (1, 4), "c": (1, 3), "d": (1, 2), "e": (1, 1), "f": (1, 1),
    "g": (0, -1), "a2": (0, -1), "w": (1, 0), "l": (-1, 0), "t": (0, 0),
}  # fmt: skip


def change_outcome(name: str, old: int) -> list[int]:
    if name == "outcome":
        return [x for x in (-1, 0, 1) if x != old]
    return [x for x in (-2, -1, 0, 1, 2, 3, 4, 5, 6, 300) if x != old]


def test_outcomes_pass_and_every_change_is_refused() -> None:
    found = accepted(LOOP, LOOP_VALUES, "outcome depth", outcome=True)
    assert found.rows == 11
    assert found.ok
    assert "outcome and depth" in found.kind
    count = every_change_is_refused(
        LOOP, LOOP_VALUES, "outcome depth", change_outcome, outcome=True
    )
    assert count == 11 * 11
    wrong = {**LOOP_VALUES, "e": (1, 3)}
    message = refused(LOOP, wrong, "outcome depth", "d e", outcome=True)
    assert "stored outcome 1, depth" in message


def test_a_circle_that_claims_to_be_a_win_is_refused() -> None:
    game = Explicit({"a": (0, [("b", 0)]), "b": (1, [("a", 0)])})
    accepted(game, {"a": (0, -1), "b": (0, -1)}, "outcome depth", outcome=True)
    for da in range(-1, 5):
        for db in range(-1, 5):
            refused(game, {"a": (1, da), "b": (1, db)}, "outcome depth", "a b", outcome=True)


def test_endless_play_may_be_a_win() -> None:
    # Player 1 prefers the draw t to endless play, where he can have it.
    nodes = {
        "a": (0, [("b", 0)]),
        "b": (1, [("a", 0), ("t", 0)]),
        "c": (0, [("d", 0), ("t", 0)]),
        "d": (1, [("c", 0)]),
        "t": (OVER, 0),
    }
    game = Explicit(nodes, endless=1)
    right = {"a": (0, -1), "b": (0, -1), "c": (1, -1), "d": (1, -1), "t": (0, 0)}
    every_change_is_refused(game, right, "outcome depth", change_outcome, outcome=True)
    wrong = {**right, "a": (1, -1), "b": (1, -1)}
    refused(game, wrong, "outcome depth", "a b", outcome=True)
    draw = {**right, "c": (0, -1), "d": (0, -1)}
    refused(game, draw, "outcome depth", "c d", outcome=True)
    # If endless play is a loss for player 0, he goes to t.
    game = Explicit(nodes, endless=-1)
    right = {"a": (-1, -1), "b": (-1, -1), "c": (0, -1), "d": (0, -1), "t": (0, 0)}
    every_change_is_refused(game, right, "outcome depth", change_outcome, outcome=True)
    refused(game, {**right, "c": (-1, -1), "d": (-1, -1)}, "outcome depth", "c d", outcome=True)


def test_alternate_play_is_seen_by_the_player_to_move() -> None:
    nodes = {"a": (0, [("b", 0), ("c", 0)]), "b": (0, [("c", 0)]), "c": (OVER, -1)}
    game = Alternate(nodes, {"a": 2, "b": 1, "c": 0})
    right = {"a": (1, 1), "b": (1, 1), "c": (-1, 0)}
    every_change_is_refused(game, right, "outcome depth", change_outcome, outcome=True)


# -- Closure. -------------------------------------------------------------------------------------


def test_missing_rows_and_rising_strata_are_refused() -> None:
    for gone in LOOP_VALUES:
        values = {p: row for p, row in LOOP_VALUES.items() if p != gone}
        reached = any(
            kind != OVER and any(q == gone for q, _ in rest)
            for p, (kind, rest) in LOOP.nodes.items()
            if p != gone
        )
        if reached or gone == LOOP.start():
            with pytest.raises(VerificationError, match=r"not stored|not in the table"):
                accepted(LOOP, values, "outcome depth", outcome=True)
        else:
            accepted(LOOP, values, "outcome depth", outcome=True)
    rising = Explicit({"a": (0, [("w", 0)]), "w": (OVER, 1)}, {"a": 1, "w": 2})
    with pytest.raises(VerificationError, match="higher"):
        accepted(rising, {"a": (1, 1), "w": (1, 0)}, "outcome depth", outcome=True)


def test_double_and_unsorted_rows_are_refused() -> None:
    table = table_of(LOOP, LOOP_VALUES, "outcome depth", outcome=True)
    for order in ([0, 0, *range(1, 11)], [1, 0, *range(2, 11)]):
        keys = [table._keys[i] for i in order]
        columns = {name: column[order] for name, column in table._values.items()}
        bad = MemoryTable(table.header, 0, [(0, len(order))], keys, columns, {})
        with pytest.raises(VerificationError, match="sorted"):
            verify_table(bad, PlainExpander(LOOP))


def test_facts_of_other_rules_are_refused() -> None:
    table = table_of(LOOP, LOOP_VALUES, "outcome depth", outcome=True)
    table.header["facts"]["endless"] = 1.0
    with pytest.raises(VerificationError, match="facts"):
        verify_table(table, PlainExpander(LOOP))


# -- Scores. --------------------------------------------------------------------------------------


def change_number(name: str, old: Any) -> list[Any]:
    return [old - 7, old - 1, old + 1, old + 4]


SCORES = Explicit(
    {
        "a": (0, [("b", 2), ("x", 0)]),
        "b": (1, [("a2", 3), ("y", 1)]),
        "a2": (0, [("b2", 0), ("x", 1)]),
        "b2": (1, [("a2", 0), ("y", 0)]),
        "x": (OVER, -2),
        "y": (OVER, 5),
    },
    {"a": 2, "b": 2, "a2": 1, "b2": 1},
)
SCORE_VALUES = {"a": (-1,), "b": (-3,), "a2": (0,), "b2": (0,), "x": (-2,), "y": (5,)}


def test_scores_pass_and_every_change_is_refused() -> None:
    every_change_is_refused(SCORES, SCORE_VALUES, "score", change_number, rewards=True)
    message = refused(SCORES, {**SCORE_VALUES, "b": (-4,)}, "score", "a", rewards=True)
    assert "stored score -1, but from its successors follows -2" in message


def test_a_score_that_goes_round_is_refused() -> None:
    # a and b circle; player 0 may leave with -2, player 1 with 5: endless play, 0, suits both.
    for v in range(-5, 8):
        values = {**SCORE_VALUES, "a2": (v,), "b2": (v,), "b": (v - 3,), "a": (v - 1,)}
        if v == 0:
            accepted(SCORES, values, "score", rewards=True)
        else:
            refused(SCORES, values, "score", "a2 b2", rewards=True)


def test_constant_sum_payoffs_are_stored_as_differences() -> None:
    game = Explicit(
        {
            "a": (0, [("b", 0), ("x", 0)]),
            "b": (1, [("x", (1, -1)), ("y", (0, 0))]),
            "x": (OVER, (3, 4)),
            "y": (OVER, (6, 1)),
        },
        {"a": 2, "b": 1},
    )
    right = {"a": (1,), "b": (1,), "x": (-1,), "y": (5,)}
    given = {"scale": 2, "offset": 7, "endless": -7.0}
    game.endless = 0
    every_change_is_refused(game, right, "score", change_number, rewards=True, **given)
    game.nodes["y"] = (OVER, (6, 2))
    with pytest.raises(VerificationError, match="add up"):
        accepted(game, right, "score", rewards=True, **given)


def test_least_cost_with_free_moves_must_lead_to_an_end() -> None:
    game = Explicit(
        {
            "a": (0, [("b", 1), ("c", 0)]),
            "b": (0, [("a", 1), ("z", 5)]),
            "c": (0, [("a", 0), ("z", 9)]),
            "n": (0, [("m", 1)]),
            "m": (0, [("n", 0)]),
            "s": (0, [("m", 0), ("a", 0)]),
            "z": (OVER, 0),
        },
        players=1,
        minimise=True,
    )
    right = {
        "a": (-6,), "b": (-5,), "c": (-6,), "n": (NONE,), "m": (NONE,), "s": (-6,), "z": (0,),
    }  # fmt: skip
    every_change_is_refused(game, right, "score", change_number, rewards=True)
    every_change_is_refused(
        game, right, "score", lambda n, old: [-old if old else 3], rewards=True
    )
    some = {**right, "n": (-8,), "m": (-8,)}
    refused(game, some, "score", "n m s", rewards=True)
    # All equations hold here, but nothing ends: a and c go round for free.
    circle = Explicit({"a": (0, [("c", 0)]), "c": (0, [("a", 0)])}, players=1, minimise=True)
    accepted(circle, {"a": (NONE,), "c": (NONE,)}, "score", rewards=True)
    refused(circle, {"a": (-4,), "c": (-4,)}, "score", "a c", rewards=True)


def test_one_player_may_go_round_for_ever_if_that_is_better() -> None:
    game = Explicit(
        {
            "a": (0, [("b", -1), ("z", 0)]),
            "b": (0, [("c", 0), ("d", 0)]),
            "c": (0, [("b", 0)]),
            "d": (0, [("d", -1)]),
            "z": (OVER, -3),
        },
        players=1,
    )
    right = {"a": (-1,), "b": (0,), "c": (0,), "d": (NONE,), "z": (-3,)}
    every_change_is_refused(game, right, "score", change_number, rewards=True)
    refused(game, {**right, "d": (-5,)}, "score", "d", rewards=True)


# -- Chance: bounds and fractions. ----------------------------------------------------------------

# Player 0 may stay (a, b circle through chance) or leave for 1/3; player 1 may leave from c for 1.
STAY = {
    "a": (0, [("h", 0), ("x", 0)]),
    "h": (CHANCE, [("a", 1), ("b", 1)]),
    "b": (1, [("a", 0), ("w", 0)]),
    "x": (CHANCE, [("w", 1), ("l", 2)]),
    "w": (OVER, 1),
    "l": (OVER, 0),
}
STRATA = {"a": 1, "h": 1, "b": 1}


def test_an_end_component_proves_nothing() -> None:
    game = Explicit(STAY, STRATA)
    third = Fraction(1, 3)
    values = dict.fromkeys(("a", "h", "b", "x"), (third,)) | {"w": (1,), "l": (0,)}
    accepted(game, values, "exact_0", chance=True)
    # Equations hold for any value between 1/3 and 1 around the circle, but only 1/3 is forced.
    for v in (Fraction(1, 2), Fraction(1), Fraction(1, 3) + Fraction(1, 10**30)):
        wrong = {**values, "a": (v,), "h": (v,), "b": (v,)}
        refused(game, wrong, "exact_0", "a h b", chance=True)
    for v in (Fraction(1, 4), Fraction(0)):
        wrong = {**values, "a": (v,), "h": (v,), "b": (v,)}
        refused(game, wrong, "exact_0", "a h b", chance=True)


def test_bounds_on_an_end_component_must_be_forced() -> None:
    game = Explicit(STAY, STRATA)
    below, above = math.nextafter(1 / 3, 0), math.nextafter(1 / 3, 1)
    values = dict.fromkeys(("a", "h", "b", "x"), (below, above)) | {"w": (1, 1), "l": (0, 0)}
    accepted(game, values, "lower upper", chance=True)
    for v in (0.4, 0.5, 1.0):
        wrong = {**values, "a": (v, 1.0), "h": (v, 1.0), "b": (v, 1.0)}
        refused(game, wrong, "lower upper", "a h b", chance=True)
    wide = {**values, "a": (0.2, 0.95), "h": (0.1, 0.95), "b": (0.1, 0.95)}
    accepted(game, wide, "lower upper", chance=True)
    low = {**values, "a": (-1.0, 0.2), "h": (-1.0, 0.2), "b": (-1.0, 0.2)}
    refused(game, low, "lower upper", "a h b", chance=True)


def test_bounds_are_compared_without_rounding() -> None:
    game = Explicit(
        {"a": (CHANCE, [("w", 1), ("l", 2)]), "w": (OVER, 1), "l": (OVER, 0)}, {"a": 1}
    )
    near = float(Fraction(1, 3))  # the nearest float lies below a third
    ends = {"w": (1, 1), "l": (0, 0)}
    above = math.nextafter(near, 1)
    accepted(game, {"a": (near, above), **ends}, "lower upper", chance=True)
    refused(game, {"a": (near, near), **ends}, "lower upper", "a", chance=True)
    refused(game, {"a": (above, above), **ends}, "lower upper", "a", chance=True)
    refused(game, {"a": (above, near), **ends}, "lower upper", "a", chance=True)
    refused(game, {"a": (math.nan, 1), **ends}, "lower upper", "a", chance=True)


def test_expected_cost_needs_a_sure_end() -> None:
    # Roll until a six: 6 rolls. From s one may also wait for ever; from d nothing ends surely.
    game = Explicit(
        {
            "s": (0, [("r", 1), ("s", 0)]),
            "r": (CHANCE, [("s", 5), ("z", 1)]),
            "d": (0, [("q", 1)]),
            "q": (CHANCE, [("e", 1), ("z", 1)]),
            "e": (0, [("e", 1)]),
            "z": (OVER, 0),
        },
        players=1,
        minimise=True,
    )
    exact = {"s": (-6,), "r": (-5,), "d": (-INF,), "q": (-INF,), "e": (-INF,), "z": (0,)}
    given = {"chance": True, "rewards": True}
    accepted(game, exact, "exact_0", **given)
    for v in (-INF, -7, -5, 0):
        wrong = {**exact, "s": (v,), "r": (v + 1,)}
        refused(game, wrong, "exact_0", "s r", **given)
    refused(game, {**exact, "e": (-3,)}, "exact_0", "e q", **given)
    bounds = {
        "s": (-6.5, -6.0), "r": (-5.5, -5.0), "d": (-INF, -INF), "q": (-INF, -INF),
        "e": (-INF, -INF), "z": (0, 0),
    }  # fmt: skip
    accepted(game, bounds, "lower upper", **given)
    wide = {**bounds, "e": (-INF, -9.0), "q": (-INF, -4.5), "d": (-INF, -5.5)}
    accepted(game, wide, "lower upper", **given)
    refused(game, {**bounds, "s": (-5.9, -5.0)}, "lower upper", "s r", **given)
    refused(game, {**bounds, "s": (-6.5, -6.1)}, "lower upper", "s r", **given)
    wrong = {**bounds, "s": (-INF, -INF), "r": (-INF, -INF)}
    refused(game, wrong, "lower upper", "s r", **given)


def test_what_cannot_surely_be_ended_may_come_out_round_by_round() -> None:
    # From dead there is no end, so b risks it, so a does; only then is it clear that y does too.
    nodes: dict[str, Any] = {
        "y": (CHANCE, [("a", 1), ("end", 1)]),
        "a": (CHANCE, [("b", 1), ("end", 1)]),
        "b": (CHANCE, [("a", 1), ("dead", 1)]),
        "dead": (0, [("dead", 0)]),
        "x": (0, [("y", 0), ("end", 2)]),
        "end": (OVER, 3),
    }
    game = Explicit(nodes, players=1, minimise=True)
    never = dict.fromkeys(("y", "a", "b", "dead"), (-INF,))
    right = {**never, "x": (-5,), "end": (-3,)}
    accepted(game, right, "exact_0", chance=True, rewards=True)
    refused(game, {**right, "x": (-INF,)}, "exact_0", "x", chance=True, rewards=True)
    solution = solve(game)
    assert float(solution.value("y")) == INF
    verify_table(solution.table, PlainExpander(game))


def test_each_changed_fraction_is_refused() -> None:
    game = Explicit(
        {
            "a": (0, [("h", 1), ("k", 0)]),
            "h": (CHANCE, [("b", 2), ("x", 1)]),
            "b": (1, [("h", 0), ("k", 2)]),
            "k": (CHANCE, [("x", 1), ("y", 3)]),
            "x": (OVER, 4),
            "y": (OVER, -2),
        },
        {"a": 2, "h": 1, "b": 1},
    )
    half = Fraction(-1, 2)
    b = half - 2
    h = (2 * b + 4) / 3
    right = {"a": (max(h + 1, half),), "h": (h,), "b": (b,), "k": (half,), "x": (4,), "y": (-2,)}
    given = {"chance": True, "rewards": True}
    every_change_is_refused(
        game, right, "exact_0", lambda n, old: [old + Fraction(1, 10**20), old - 1], **given
    )
    bounds = {p: (float(v) - 1e-9, float(v) + 1e-9) for p, (v,) in right.items()}
    bounds |= {p: (float(v), float(v)) for p, (v,) in right.items() if p in "kxy"}
    bounds["b"] = (float(b), float(b))
    bounds["a"] = (bounds["a"][0] - 1e-9, bounds["a"][1] + 1e-9)
    accepted(game, bounds, "lower upper", **given)
    for p, (lower, upper) in bounds.items():
        refused(game, {**bounds, p: (lower, lower - 1e-3)}, "lower upper", p, **given)
        refused(
            game, {**bounds, p: (lower + 0.1, upper + 0.1)}, "lower upper", "a h b k x y", **given
        )
        refused(
            game, {**bounds, p: (lower - 0.1, upper - 0.1)}, "lower upper", "a h b k x y", **given
        )


def test_sums_without_rounding_agree_with_rationals() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        count = rng.randrange(1, 7)
        weight = [rng.choice([1, 2, 3, 7, 2**40 + 1]) for _ in range(count)]
        worth = [rng.choice([0.0, 1.0, -1.0, rng.random(), -rng.random() * 1e-9]) for _ in weight]
        earned = [rng.choice([0, 0, 1, -3]) for _ in weight]
        exact = [Fraction(x) + r for x, r in zip(worth, earned, strict=True)]
        mean = sum(w * x for w, x in zip(weight, exact, strict=True)) / sum(weight)
        mine = rng.choice([float(mean), math.nextafter(float(mean), INF), 0.0, 1e-300, 5e-324])
        got = row_check._at_least(
            np.array([0, count]),
            np.array(weight),
            np.array(earned),
            np.array(worth),
            np.array([mine]),
        )
        if count == 1 and not any(earned):
            assert got[0] == (worth[0] >= mine)
        assert bool(got[0]) == (mean >= Fraction(mine))


# -- Several players. -----------------------------------------------------------------------------


def test_vectors_hold_up_to_their_residual() -> None:
    game = Explicit(
        {
            "a": (0, [("b", (0, 0, 0)), ("c", (0, 0, 0))]),
            "b": (1, [("x", (0, 1, 0)), ("y", (0, 0, 0))]),
            "c": (CHANCE, [("x", 1), ("y", 3)]),
            "x": (OVER, (3, 0, 1)),
            "y": (OVER, (1, 1, 5)),
        },
        {"a": 2, "b": 1, "c": 1},
        players=3,
    )
    right = {
        "a": (3, 1, 1), "b": (3, 1, 1), "c": (1.5, 0.75, 4), "x": (3, 0, 1), "y": (1, 1, 5),
    }  # fmt: skip
    names = "value_0 value_1 value_2"
    given = {"scalar": False, "chance": True, "rewards": True}
    other = {**right, "a": (1.5, 0.75, 4.0), "b": (1, 1, 5)}
    accepted(game, right, names, **given)
    accepted(game, other, names, **given)  # player 1 may as well choose y
    every_change_is_refused(game, right, names, lambda n, old: [old - 1e-6, old + 0.5], **given)
    near = {**right, "c": (1.5 + 1e-7, 0.75, 4)}
    refused(game, near, names, "c", **given)
    accepted(game, near, names, residual=2e-7, **given)
    game.nodes["c"] = (CHANCE, [("x", 1), ("y", 2)])
    thirds = {**right, "c": (Fraction(5, 3), Fraction(2, 3), Fraction(11, 3))}
    exact = {p: tuple(Fraction(x) for x in row) for p, row in thirds.items()}
    game.nodes["d"] = (2, [("c", (0, 0, 0)), ("x", (0, 0, 0))])
    game.strata["d"] = 2
    exact["d"] = exact["c"]
    exact_names = "exact_0 exact_1 exact_2"
    every_change_is_refused(
        game, exact, exact_names, lambda n, old: [old + Fraction(1, 10**30)], **given
    )


# -- On disk, in chunks, by sample, and for rules whose texts cannot be read. ---------------------


def test_tables_on_disk_in_many_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfectplay.verification.verify_strata.CHUNK", 2)
    monkeypatch.setattr("perfectplay.verification.table_rows.BUDGET", 1)
    monkeypatch.setattr("perfectplay.table.writer.PART_ROWS", 1)
    table = table_of(SCORES, SCORE_VALUES, "score", rewards=True)
    with TableWriter(tmp_path, table.header, 0) as writer:
        for rows in table.runs():
            writer.add(rows.strata[0][0], rows.keys, rows.columns)
        written = writer.finish(extra([], []))
    assert len(written.parts()) == 3
    assert verify_table(written, PlainExpander(SCORES)).rows == 6


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfectplay.verification.verify_strata.CHUNK", 1)
    test_scores_pass_and_every_change_is_refused()
    test_a_score_that_goes_round_is_refused()
    test_bounds_on_an_end_component_must_be_forced()


def test_a_sample_is_called_a_sample() -> None:
    table = table_of(LOOP, LOOP_VALUES, "outcome depth", outcome=True)
    found = verify_table(table, PlainExpander(LOOP), sample=5)
    assert found.rows < 11
    assert "sample" in found.kind


def test_texts_that_cannot_be_read_are_explored() -> None:
    class Mute(Explicit):
        parse = Game.parse

    game = Mute(dict(LOOP.nodes) | {"start": (0, [(p, 0) for p in LOOP.nodes])})
    game.nodes = {"start": game.nodes.pop("start"), **game.nodes}
    values = {**LOOP_VALUES, "start": (1, 1)}
    accepted(game, values, "outcome depth", outcome=True)
    refused(game, {**values, "c": (1, 5)}, "outcome depth", "c start", outcome=True)


@pytest.mark.parametrize("native", [True, False])
def test_solved_games_from_their_folder(tmp_path: Path, native: bool) -> None:
    game = load("nim", {"heaps": (1, 2, 3)})
    written = solve(game, tmp_path / "right", plain=not native, workers=1).table
    assert MODULE.verify(tmp_path / "right").rows == written.rows
    rows = [
        run for part in written.parts() for run in split(written.read(part), part, written.width)
    ]
    rows[-1].columns["depth"] = rows[-1].columns["depth"] + np.int16(2)
    with TableWriter(tmp_path / "wrong", written.header, written.width) as writer:
        for run in rows:
            writer.add(run.strata[0][0], run.keys, run.columns)
        writer.finish(written.extra)
    with pytest.raises(VerificationError, match="stored outcome"):
        MODULE.verify(tmp_path / "wrong")
