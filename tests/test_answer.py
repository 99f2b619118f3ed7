"""Answers, from small tables that a naive recursion fills."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from perfectplay.answer.solution import Solution
from perfectplay.compiled.digest import rules_digest
from perfectplay.errors import TableError, UsageError
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.load import rules_path
from perfectplay.rules.value import Outcome
from perfectplay.solvers.store import NONE
from perfectplay.solving.choose import extra
from perfectplay.strata.graph import Facts
from perfectplay.table.reader import MemoryTable
from perfectplay.table.writer import TableWriter

FACTS = {"chance": False, "rewards": False, "outcome": False, "endless": 0.0, "scalar": True}


def solution(game, facts, rows, width=0, **header):
    """A solution whose table has the given rows: representative -> {column: value}."""
    keys = sorted(rows, key=game.text if not width else lambda p: p)
    names = next(iter(rows.values()))
    columns = {name: [rows[p][name] for p in keys] for name in names}
    columns = {n: c if isinstance(c[0], str) else np.array(c) for n, c in columns.items()}
    stored = np.array(keys).reshape(-1, width) if width else [game.text(p) for p in keys]
    table = MemoryTable(
        {"facts": asdict(facts), **header}, width, [(0, len(keys))], stored, columns, {}
    )
    return Solution(game, table, {})


# -- Alternate play, outcomes. --------------------------------------------------------------------


@dataclass(frozen=True)
class Subtraction(Game):
    heap: int = 9
    most: int = 3

    def start(self):
        return self.heap

    def moves(self, p):
        yield from range(1, min(self.most, p) + 1)

    def play(self, p, m):
        return p - m


@cache
def outcome(p):
    """(outcome, depth) of a heap for the player to move, from the definition."""
    if p == 0:
        return -1, 0
    below = [outcome(p - m) for m in range(1, min(3, p) + 1)]
    wins = [depth for won, depth in below if won < 0]
    if wins:
        return 1, 1 + min(wins)
    return -1, 1 + max(depth for _, depth in below)


@pytest.fixture
def heaps():
    facts = Facts(players=2, **{**FACTS, "outcome": True})
    rows = {p: dict(zip(("outcome", "depth"), outcome(p), strict=True)) for p in range(10)}
    return solution(Subtraction(), facts, rows, width=1)


def test_values_are_those_of_the_player_to_move(heaps):
    for p in range(10):
        won, depth = outcome(p)
        assert heaps.value(p).outcome == Outcome(won)
        assert heaps.value(p).depth == depth
        assert [v.outcome for v in heaps.values(p)] == [won, -won]


def test_moves_come_best_first_with_depth_and_loss(heaps):
    first, *others = heaps.moves(9)
    assert (first.move, first.best, first.loss, first.change) == (1, True, 0.0, "")
    assert str(first.value) == str(heaps.value(9)) == "win in 5 plies"
    assert first.child == "8"
    assert [m.move for m in others] == [2, 3]
    assert all(m.loss == 2.0 and m.change == "win -> loss" and not m.best for m in others)


def test_lost_positions_hold_out_longest(heaps):
    moves = heaps.moves(8)
    assert [str(m.value) for m in moves] == ["loss in 4 plies"] * 3
    assert all(m.best for m in moves)
    assert [m.move for m in moves] == [1, 2, 3]  # equally good: in the order of the rules
    assert heaps.best(5) == 1


def test_a_slower_win_is_worse(heaps):
    game = Subtraction(9, 9)
    won = {p: {"outcome": 1, "depth": 1} for p in range(10)}
    won[0] = {"outcome": -1, "depth": 0}
    won[1] = {"outcome": -1, "depth": 4}
    slow = solution(game, heaps.facts, won, width=1)
    best, second = slow.moves(2)[:2]
    assert (best.move, second.move) == (2, 1)
    assert (second.loss, second.change, second.best) == (0.0, "4 plies later", False)


def test_lines_follow_best_moves_to_the_end(heaps):
    line = heaps.line(9)
    assert line.ending == "over"
    assert len(line) == 5
    assert [step.by for step in line] == [0, 1, 0, 1, 0]
    assert line.steps[0].position == "8"
    assert line.steps[-1].position == "0"
    assert heaps.line(9, limit=2).ending == "more"
    assert str(heaps.line(9, limit=2)) == "1 1 …"
    assert heaps.line(0).steps == ()


def test_analysis_is_json(heaps):
    found = json.loads(json.dumps(heaps.analyse(9).as_json(), allow_nan=False))
    assert found["position"] == "9"
    assert found["to_move"] == 0
    assert found["value"] == {
        "kind": "outcome", "exactness": "exact", "outcome": "win", "exact": "1", "decimal": 1.0,
        "depth": 5,
    }  # fmt: skip
    assert [m["move"] for m in found["moves"]] == ["1", "2", "3"]
    assert found["moves"][0]["best"] is True
    assert found["line"]["ending"] == "over"
    assert found["chances"] == []
    over = heaps.analyse(0).as_json()
    assert (over["to_move"], over["moves"]) == ("over", [])
    assert "<table>" in heaps.analyse(9)._repr_mimebundle_()["text/html"]


def test_positions_that_cannot_arise(heaps):
    for p in (10, -1, (1, 2), "junk", None):
        for ask in (heaps.value, heaps.values, heaps.moves, heaps.analyse):
            with pytest.raises(UsageError, match="not a position that can arise") as caught:
                ask(p)
            assert "'9'" in caught.value.hint
    with pytest.raises(UsageError, match="'x' is not a position") as caught:
        heaps.position("x")
    assert "looks like '9'" in caught.value.hint
    assert "0x" not in caught.value.message
    assert heaps.position("4") == 4
    with pytest.raises(UsageError, match="nobody is to move"):
        heaps.best(0)


# -- Draws and circles. ---------------------------------------------------------------------------


class Circle(Game):
    """Walk round 0, 1, 2 for ever, or step off to 9, a draw."""

    def start(self):
        return 0

    def moves(self, p):
        if p != 9:
            yield "stay"
            yield "on"
            yield "off"

    def play(self, p, m):
        return {"stay": p, "on": (p + 1) % 3, "off": 9}[m]

    def payoff(self, p):
        return 0


def test_endless_play_is_told_as_a_repetition():
    facts = Facts(players=2, **{**FACTS, "outcome": True})
    rows = {p: {"outcome": 0, "depth": -1} for p in range(3)} | {9: {"outcome": 0, "depth": 0}}
    found = solution(Circle(), facts, rows)
    assert [m.move for m in found.moves(0)] == ["on", "off", "stay"]
    assert all(m.best for m in found.moves(0))
    line = found.line(0)
    assert ([step.move for step in line], line.ending) == (["on", "on", "off"], "over")
    rows[0] = rows[1] = rows[2] = {"outcome": 0, "depth": 1}
    assert solution(Circle(), facts, rows).best(0) == "off"  # a line as long as its value says


# -- Absolute play with chance, players renamed by symmetry. --------------------------------------


@dataclass(frozen=True)
class Race(Game):
    """Walk 2, or toss a coin for 1 or 3; `goal` wins. Positions are (turn, toss, a, b)."""

    goal: int = 7

    def start(self):
        return (0, 0, 0, 0)

    def to_move(self, p):
        turn, toss, a, b = p
        return OVER if max(a, b) >= self.goal else CHANCE if toss else turn

    def moves(self, p):
        yield from ("walk", "toss")

    def play(self, p, m):
        return self._step(p, 2) if m == "walk" else (p[0], 1, p[2], p[3])

    def chances(self, p):
        yield 2, self._step(p, 1)
        yield 1, self._step(p, 3)
        yield 1, self._step(p, 3)

    def _step(self, p, n):
        turn, _, a, b = p
        return (1, 0, a + n, b) if turn == 0 else (0, 0, a, b + n)

    def payoff(self, p):
        return 1 if p[2] >= self.goal else -1

    def representative(self, p):
        turn, toss, a, b = p
        return p if turn == 0 else (0, toss, b, a)

    def turn(self, p):
        return p[0]


RACE = Race()


@cache
def worth(p):
    """What `p` is worth to player 0, from the definition, without symmetry."""
    player = RACE.to_move(p)
    if player == OVER:
        return Fraction(RACE.payoff(p))
    if player == CHANCE:
        return sum(Fraction(w, 4) * worth(q) for w, q in RACE.chances(p))
    best = max if player == 0 else min
    return best(worth(RACE.play(p, m)) for m in RACE.moves(p))


def all_positions(game):
    seen = {game.start(): None}
    queue = [game.start()]
    while queue:
        p = queue.pop()
        player = game.to_move(p)
        below = []
        if player == CHANCE:
            below = [q for _, q in game.chances(p)]
        elif player != OVER:
            below = [game.play(p, m) for m in game.moves(p)]
        for q in below:
            if q not in seen:
                seen[q] = None
                queue.append(q)
    return list(seen)


def race(kind):
    facts = Facts(players=2, **{**FACTS, "chance": True})
    rows = {}
    for p in {RACE.representative(p) for p in all_positions(RACE)}:
        exact = worth(p)
        near = float(exact)
        bounds = {"lower": near - 1e-13, "upper": near + 1e-13}
        rows[p] = {"exact_0": str(exact)} if kind == "exact" else bounds
    return solution(RACE, facts, rows)


def test_renamed_players_get_their_own_values():
    found = race("exact")
    for p in all_positions(RACE):
        assert [v.exact for v in found.values(p)] == [worth(p), -worth(p)]
        player = max(RACE.to_move(p), 0)
        assert found.value(p).exact == (worth(p) if player == 0 else -worth(p))


@pytest.mark.parametrize("kind", ["exact", "bounds"])
def test_every_best_move_is_best_by_definition(kind):
    found = race(kind)
    for p in all_positions(RACE):
        player = RACE.to_move(p)
        moves = found.moves(p)
        if player < 0:
            assert moves == ()
            continue
        sign = 1 if player == 0 else -1
        true = {m: sign * worth(RACE.play(p, m)) for m in RACE.moves(p)}
        top = max(true.values())
        assert {m.move for m in moves if m.best} == {m for m in true if true[m] == top}
        assert true[moves[0].move] == top
        for m in moves:
            assert m.loss == pytest.approx(float(top - true[m.move]), abs=1e-12)
            assert m.value.lower <= true[m.move] <= m.value.upper


def test_chance_positions_tell_what_may_happen():
    found = race("exact")
    p = (1, 1, 2, 2)
    analysis = found.analyse(p)
    assert (analysis.player, analysis.name) == (CHANCE, "chance")
    assert [c.probability for c in analysis.chances] == [Fraction(1, 2), Fraction(1, 2)]
    mean = sum(c.probability * c.values[0].exact for c in analysis.chances)
    assert mean == analysis.value.exact == worth(p)
    assert analysis.as_json()["to_move"] == "chance"
    assert analysis.as_json()["chances"][0]["probability"] == "1/2"
    assert analysis.line.steps[0].by == CHANCE
    assert analysis.line.steps[0].move == "chance 1/2"
    assert analysis.line.steps[0].position == "(0, 0, 2, 3)"  # the first of equally probable ones


# -- One player, rewards, least cost. -------------------------------------------------------------


class Stairs(Game):
    """Go from 0 to 5 by steps of 1 (cost 2) or 2 (cost 3); 7 is a trap that never ends."""

    players = 1
    minimise = True

    def start(self):
        return 0

    def moves(self, p):
        if p == 7:
            yield 0
        elif p < 5:
            yield 1
            if p < 4:
                yield 2
            yield 7

    def play(self, p, m):
        return 7 if m in (0, 7) else p + m

    def reward(self, p, m):
        return {0: 0, 7: 1, 1: 2, 2: 3}[m]

    def payoff(self, p):
        return 0


@cache
def cost(p):
    return 0 if p == 5 else min(STAIRS.reward(p, m) + cost(p + m) for m in (1, 2) if p + m <= 5)


STAIRS = Stairs()


def test_a_minimiser_gets_least_cost_first():
    facts = Facts(players=1, **{**FACTS, "rewards": True, "endless": float("-inf")}, minimise=True)
    rows = {p: {"score": -cost(p)} for p in range(6)} | {7: {"score": NONE}}
    found = solution(STAIRS, facts, rows, width=1)
    assert [found.value(p).exact for p in range(6)] == [8, 6, 5, 3, 2, 0]
    moves = found.moves(3)
    assert [(m.move, m.value.exact, m.reward, m.loss) for m in moves] == [
        (2, 3, 3, 0.0),
        (1, 4, 2, 1.0),
        (7, float("inf"), 1, float("inf")),
    ]
    assert json.dumps(found.analyse(3).as_json(), allow_nan=False)
    line = found.line(0)
    assert sum(STAIRS.reward(0, int(step.move)) for step in line) == 8
    assert line.steps[-1].position == "5"
    assert found.line(7).ending == "repeats"


# -- Rewards between two players; several players. ------------------------------------------------


class Grab(Game):
    """Take 1 or 2 of what is left and keep it; the other loses as much."""

    def start(self):
        return 4

    def moves(self, p):
        yield from range(1, min(2, p) + 1)

    def play(self, p, m):
        return p - m

    def reward(self, p, m):
        return m

    def payoff(self, p):
        return 0


def test_rewards_in_alternate_play():
    @cache
    def score(p):
        return max((m - score(p - m) for m in range(1, min(2, p) + 1)), default=0)

    facts = Facts(players=2, **{**FACTS, "rewards": True})
    found = solution(Grab(), facts, {p: {"score": score(p)} for p in range(5)}, width=1)
    for p in range(1, 5):
        moves = found.moves(p)
        assert moves[0].value == found.value(p)
        assert {m.move: m.value.exact for m in moves} == {
            m: m - score(p - m) for m in range(1, min(2, p) + 1)
        }
        assert all(m.values[0].exact == -m.values[1].exact for m in moves)


class Gift(Game):
    """Player 1 gives a point to player 2 or 3; he does not care to whom."""

    players = 3

    def start(self):
        return 0

    def to_move(self, p):
        return OVER if p else 0

    def moves(self, p):
        yield 1
        yield 2

    def play(self, p, m):
        return m

    def payoff(self, p):
        return (0, 1, 0) if p == 1 else (0, 0, 1)


@pytest.mark.parametrize(
    ("ties", "best"), [("first", 1), ("last", 2), ("for:3", 2), ("against:3", 1), ("average", 1)]
)
def test_ties_go_as_they_were_solved(ties, best):
    facts = Facts(players=3, **{**FACTS, "scalar": False})
    vectors = {0: Gift().payoff(best), 1: (0, 1, 0), 2: (0, 0, 1)}
    rows = {p: {f"value_{i}": float(v[i]) for i in range(3)} for p, v in vectors.items()}
    found = solution(Gift(), facts, rows, ties=ties)
    assert found.best(0) == best
    assert all(m.best for m in found.moves(0))
    assert [float(v) for v in found.values(2)] == [0.0, 0.0, 1.0]


# -- Tables on disk. ------------------------------------------------------------------------------


def stored(folder, rules, changes=None):
    facts = Facts(players=2, **{**FACTS, "outcome": True})
    header = {
        "game": rules_path(rules),
        "rules": rules_digest(rules),
        "parameters": {"heap": rules.heap, "most": rules.most},
        "plain": False,
        "exact": False,
        "ties": "first",
        "facts": asdict(facts),
        **(changes or {}),
    }
    columns = {
        "outcome": np.array([outcome(p)[0] for p in range(10)], np.int8),
        "depth": np.array([outcome(p)[1] for p in range(10)], np.int16),
    }
    with TableWriter(folder, header, 1) as writer:
        writer.add(0, np.arange(10).reshape(-1, 1), columns)
        writer.finish(extra([], []))


def test_a_table_is_opened_with_its_rules(tmp_path):
    game = Subtraction()
    stored(tmp_path / "t", game)
    found = Solution.open(tmp_path / "t", game)
    assert [found.value(p).outcome for p in range(10)] == [outcome(p)[0] for p in range(10)]
    assert found.to_arrow().num_rows == 10
    assert "win in 5 plies" in repr(found)


def test_a_table_of_other_rules_is_refused(tmp_path):
    game = Subtraction()
    stored(tmp_path / "a", game)
    with pytest.raises(TableError, match="other parameters: heap=9"):
        Solution.open(tmp_path / "a", Subtraction(heap=8))
    stored(tmp_path / "b", game, {"rules": "0" * 16})
    with pytest.raises(TableError, match="other rules") as caught:
        Solution.open(tmp_path / "b", game)
    assert "--fresh" in caught.value.hint
    stored(tmp_path / "c", game, {"game": "gone.py:Subtraction"})
    with pytest.raises(TableError, match="no game of this package") as caught:
        Solution.open(tmp_path / "c")
    assert "--game" in caught.value.hint
    with pytest.raises(TableError, match="no table"):
        Solution.open(tmp_path / "d")
    stored(tmp_path / "e", game, {"parameters": {}})
    with pytest.raises(TableError, match="other parameters: no heap"):
        Solution.open(tmp_path / "e", game)
    stored(tmp_path / "f", game, {"game": "pig", "parameters": {"goal": 100}})
    with pytest.raises(TableError, match="is a table of pig, not of "):
        Solution.open(tmp_path / "f", game)
