"""Best moves reach what values promise, also where moves that cost nothing go round in cycles."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import naive
import pytest
from explicit_games import Alternating, held_to, random_nodes, rows_of
from test_verify import Explicit

from perfectplay import Solution, evaluate, solve
from perfectplay.cli.terminal import Match
from perfectplay.rules.game import OVER, Game, alternate
from perfectplay.solvers.store import NONE


def played_out(solution: Solution, p: Any) -> tuple[Any, bool]:
    """What player 0 of `p` gets if both make the best move everywhere, and whether play ends."""
    game = solution.game
    earned, side, seen = 0, 1, set()
    while solution.to_move(p) != OVER and (p, side) not in seen:
        seen.add((p, side))
        mover = solution.to_move(p)
        move = solution.best(p)
        earned += (-side if mover == 1 else side) * game.reward(p, move)
        p = game.play(p, move)
        side = -side if alternate(game) else side
    ended = solution.to_move(p) == OVER
    last = solution.values(p)[0].lower if ended else solution.facts.endless
    if not ended and solution.facts.minimise:
        last = -last
    return earned + side * last, ended


def check_policy(solution: Solution, twin: Any, endless: int) -> None:
    """Whoever keeps to the best moves gets the value, whatever the other does."""
    game, facts = solution.game, solution.facts
    rows = rows_of(game, minimise=facts.minimise)
    names = list(game.nodes)
    known = {row["key"] for row in solution.to_arrow().to_pylist()}
    right = twin(rows, [], endless)
    best = {i: solution.best(p) for i, p in enumerate(names) if p in known and rows[i].edges}
    for mover in range(1 if alternate(game) else facts.players):
        held = {i: m for i, m in best.items() if rows[i].kind == mover}
        found = twin(held_to(rows, held), [], endless)
        for i, p in enumerate(names):
            if p in known:
                assert found[i] == right[i], (p, found[i], right[i], game.nodes, held)


# -- One player. ----------------------------------------------------------------------------------


@pytest.mark.parametrize("minimise", [True, False])
@pytest.mark.parametrize("endless", [None, -2, 1])
def test_one_player_gets_what_is_promised(minimise: bool, endless: int | None) -> None:
    rng = random.Random(minimise + 2 * (endless or 0))
    cycles = 0
    for _ in range(40):
        nodes = random_nodes(rng, players=1, payoffs=[0, 1, 2, 3], earn=[0, 0, 1], free=0.3)
        if minimise:
            nodes = {
                p: (k, r if k == OVER else [(q, -x) for q, x in r]) for p, (k, r) in nodes.items()
            }
        game = Explicit(nodes, players=1, minimise=minimise, endless=endless)
        solution = solve(game)
        stored = solution.facts.endless
        twin_endless = NONE if endless is None and minimise else int(stored)
        check_policy(solution, naive.puzzle, twin_endless)
        for row in solution.to_arrow().to_pylist():
            value = solution.value(row["key"])
            if row["score"] == NONE:
                continue
            got, ended = played_out(solution, row["key"])
            assert got == value.exact
            cycles += not ended
            line = solution.line(row["key"])
            assert line.ending == ("over" if ended else "repeats")
    assert (cycles > 0) == (endless is not None or not minimise)


def test_two_coins_are_taken_and_the_cave_is_left() -> None:
    # The cave has two rooms with a coin each; going from one to the other is free.
    nodes: dict[str, Any] = {}
    for coins in ("00", "01", "10", "11"):
        for room in (0, 1):
            taken = coins[:room] + "0" + coins[room + 1 :]
            edges = [(f"{coins} {1 - room}", 0)]
            edges += [(f"{taken} {room}", 1)] if taken != coins else []
            edges += [("out", 0)] if room == 0 else []
            nodes[f"{coins} {room}"] = (0, edges)
    nodes = {"11 0": nodes.pop("11 0"), **nodes, "out": (OVER, 0)}
    solution = solve(Explicit(nodes, players=1))
    line = solution.line("11 0")
    assert (solution.value("11 0").exact, line.ending, line.steps[-1].position) == (
        2,
        "over",
        "out",
    )
    assert played_out(solution, "11 0") == (2, True)


WALLS = """\
########
#      #
# $ #  #
#   $ .#
#  .   #
########
"""


@dataclass(frozen=True)
class Sokoban(Game):
    """Push boxes to goals, in as few pushes as possible: steps are free."""

    players = 1
    minimise = True

    def start(self) -> Any:
        return self._squares(" ")[0], tuple(self._squares("$"))

    def _squares(self, what: str) -> list[int]:
        text = WALLS.replace("\n", "")
        return [square for square, c in enumerate(text) if c == what]

    def moves(self, p: Any) -> Any:
        man, boxes = p
        if list(boxes) == self._squares("."):
            return
        blocked = {*self._squares("#"), *boxes}
        for step in (-8, -1, 1, 8):
            to = man + step
            if to not in blocked or (to in boxes and to + step not in blocked):
                yield step

    def play(self, p: Any, m: int) -> Any:
        man, boxes = p
        return man + m, tuple(sorted(box + m if box == man + m else box for box in boxes))

    def reward(self, p: Any, m: int) -> int:
        return int(p[0] + m in p[1])


def test_sokoban_counting_pushes_is_played_to_the_end() -> None:
    solution = solve(Sokoban())
    game = solution.game
    solvable = 0
    for row in solution.to_arrow().to_pylist():
        p = game.parse(row["key"])
        if row["score"] == NONE:
            continue
        solvable += 1
        if solvable % 23 == 0:
            assert played_out(solution, p) == (solution.value(p).exact, True)
    assert solvable > 1000
    start = solution.start
    said: list[str] = []
    Match(solution, None, say=said.append).play(start)
    assert said[-1] == f"player 1: {solution.value(start)}"
    assert solution.line(start, 1000).ending == "over"
    told = evaluate(game, lambda _, p: solution.best(p)).seats[0]
    assert told.value == told.perfect == solution.value(start)


# -- Two players. ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Explicit, Alternating])
@pytest.mark.parametrize("payoffs", [[-3, -1, 0, 2], [-1, 0, 1]])
def test_two_players_get_what_is_promised(kind: type[Explicit], payoffs: list[int]) -> None:
    rng = random.Random(len(payoffs))
    ends = 0
    for _ in range(50):
        endless = 0 if kind is Alternating else rng.choice((-1, 0, 1, 2))
        earn = rng.choice(([0], [-2, 0, 1]))
        nodes = random_nodes(rng, players=2, payoffs=payoffs, earn=earn)
        game = kind(nodes, endless=endless)
        solution = solve(game)
        check_policy(solution, naive.scores, endless)
        for row in solution.to_arrow().to_pylist():
            got, ended = played_out(solution, row["key"])
            value = solution.values(row["key"])[0]
            assert got == value.lower
            ends += ended and value.lower != endless
            assert ended or value.lower != endless or solution.line(row["key"]).ending != "more"
    assert ends > 40


class TwoFaced(Explicit):
    """Nodes with two faces, which are the same by symmetry: a move may turn them over. On the
    second face moves come in the opposite order and, if `renames`, the players are exchanged."""

    turns: Any
    renames: bool

    def start(self) -> Any:
        return next(iter(self.nodes)), 0

    def to_move(self, p: Any) -> int:
        kind = self.nodes[p[0]][0]
        return 1 - kind if kind >= 0 and self.renames and p[1] else kind

    def moves(self, p: Any) -> Any:
        every = range(len(self.nodes[p[0]][1]))
        return reversed(every) if p[1] else every

    def play(self, p: Any, m: int) -> Any:
        return self.nodes[p[0]][1][m][0], p[1] ^ self.turns[p[0]][m]

    def reward(self, p: Any, m: int) -> int:
        return self.nodes[p[0]][1][m][1]

    def payoff(self, p: Any) -> int:
        return -self.nodes[p[0]][1] if self.renames and p[1] else self.nodes[p[0]][1]

    def representative(self, p: Any) -> Any:
        return p[0], 0

    def turn(self, p: Any) -> int:
        return int(self.renames and p[1])

    def stratum(self, p: Any) -> int:
        return 0

    def text(self, p: Any) -> str:
        return f"{p[0]} {p[1]}"

    def parse(self, s: str) -> Any:
        name, face = s.split()
        return name, int(face)


@pytest.mark.parametrize(("players", "renames"), [(1, False), (2, False), (2, True)])
def test_progress_is_made_on_positions_that_are_not_representatives(
    players: int, renames: bool
) -> None:
    rng = random.Random(players + renames)
    for _ in range(40):
        nodes = random_nodes(rng, players=players, payoffs=[-3, 0, 2, 5], earn=[0, 0, 1])
        turns = {p: [rng.randrange(2) for _ in r] for p, (k, r) in nodes.items() if k != OVER}
        solution = solve(TwoFaced(nodes, players=players, turns=turns, renames=renames))
        for row in solution.to_arrow().to_pylist():
            for face in (0, 1):
                p = row["key"].split()[0], face
                assert played_out(solution, p)[0] == solution.values(p)[0].lower


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    rng = random.Random(5)
    for _ in range(40):
        nodes = random_nodes(rng, players=2, payoffs=[-3, 0, 2], earn=[0])
        solution = solve(Explicit(nodes))
        keys = [
            row["key"] for row in solution.to_arrow().to_pylist() if nodes[row["key"]][0] != OVER
        ]
        whole = {p: solution.best(p) for p in keys}
        alone = {p: Solution(solution.game, solution.table, solution.report).best(p) for p in keys}
        rng.shuffle(keys)
        other = Solution(solution.game, solution.table, solution.report)
        assert {p: other.best(p) for p in keys} == whole == alone


@pytest.mark.parametrize("payoffs", [[-3, -1, 0, 2], [-1, 0, 1]])
def test_nobody_does_better_against_best_moves(payoffs: list[int]) -> None:
    rng = random.Random(1)
    for _ in range(20):
        nodes = random_nodes(rng, players=2, payoffs=payoffs, earn=[0])
        game = Explicit(nodes, endless=rng.choice((-1, 0, 1)))
        solution = solve(game)
        for seat in evaluate(game, lambda _, p, s=solution: s.best(p), "optimum").seats:
            assert seat.value.lower == seat.perfect.lower
        for seat in evaluate(game, lambda g, p: next(iter(g.moves(p))), "optimum").seats:
            assert seat.value.lower <= seat.perfect.lower


def test_a_draw_is_forced_where_endless_play_loses() -> None:
    nodes = {"a": (0, [("b", 0), ("x", 0)]), "b": (1, [("a", 0)]), "x": (OVER, 0)}
    game = Explicit(nodes, endless=-1)
    solution = solve(game)
    assert str(solution.line("a")) == "1"
    first = evaluate(game, lambda g, p: next(iter(g.moves(p))), "optimum")
    assert [str(seat.value) for seat in first.seats] == ["loss", "draw"]
