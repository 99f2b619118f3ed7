"""Counts of lines: against recursion over moves, and figures of the literature."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import naive
import pytest
from explicit_games import Alternating, random_nodes, rows_of
from test_verify import Explicit

from perfectplay import Game, LineCounts, NoSolverError, UsageError, count_lines, load
from perfectplay.games.puzzles.peg_solitaire import PegSolitaire
from perfectplay.rules.game import OVER


class Absolute(Explicit):
    """A game with players by number, in which nothing is left to chance."""

    chances = Game.chances


Rows = list[naive.Row]


def ways_out(rows: Rows, i: int, edges: dict[int, list[naive.Edge]]) -> Counter[int] | None:
    """How many lines of these edges go from a row to ends, by their payoff to player 0; None for
    as many as you like."""
    ending = {j for j in range(len(rows)) if rows[j].kind == OVER}
    for _ in rows:
        ending |= {j for j in edges if any(e.to in ending for e in edges[j])}

    def walk(at: int, path: tuple[int, ...]) -> Counter[int] | None:
        if at not in ending:
            return Counter()
        if at in path:
            return None
        if rows[at].kind == OVER:
            return Counter({rows[at].payoff: 1})
        found = Counter[int]()
        for edge in edges[at]:
            below = walk(edge.to, (*path, at))
            if below is None:
                return None
            for payoff, many in below.items():
                found[-payoff if edge.swap else payoff] += many
        return found

    return walk(i, ())


def best_edges(rows: Rows, game: Game, *, outcome: bool) -> dict[int, list[naive.Edge]]:
    """The best edges of each row, by a slow twin of the solver."""
    if outcome:
        known = naive.outcomes(rows, [])
        worth = [value for value, _ in known]

        def best(i: int, e: naive.Edge) -> bool:
            same = worth[i] == (-worth[e.to] if e.swap else worth[e.to])
            return same and (worth[i] == 0 or known[e.to][1] == known[i][1] - 1)
    else:
        worth = naive.puzzle(rows, []) if game.minimise else naive.scores(rows, [])

        def best(i: int, e: naive.Edge) -> bool:
            there = -worth[e.to] if e.swap else worth[e.to]
            return naive.NONE not in (worth[i], there) and worth[i] == e.reward + there

    return {
        i: [e for e in row.edges if best(i, e)] for i, row in enumerate(rows) if row.kind != OVER
    }


def compare(game: Any, *, outcome: bool) -> LineCounts:
    """Compare counts from every node with the twin; those from the start."""
    rows = rows_of(game, minimise=bool(game.minimise))
    every = {i: list(row.edges) for i, row in enumerate(rows) if row.kind != OVER}
    best = best_edges(rows, game, outcome=outcome)
    names = list(game.nodes)
    for p in [names[0], max(reachable(game))]:
        found, i = count_lines(game, position=p), names.index(p)
        ends = ways_out(rows, i, every)
        sign = -1 if game.minimise else 1
        told = None if ends is None else {sign * k: v for k, v in ends.items()}
        assert (None if found.lines is None else dict(found.ends)) == told, (game.nodes, p)
        lines = ways_out(rows, i, best)
        assert found.best == (None if lines is None else sum(lines.values())), (game.nodes, p)
    return count_lines(game, best=False)


def reachable(game: Any) -> set[str]:
    found, left = {game.start()}, [game.start()]
    while left:
        p = left.pop()
        for q in [game.play(p, m) for m in game.moves(p)] if game.to_move(p) != OVER else []:
            if q not in found:
                found.add(q)
                left.append(q)
    return found


@pytest.mark.parametrize("kind", ["puzzle", "scores", "outcomes", "alternate"])
def test_counts_are_those_of_recursion(kind: str) -> None:
    draw, told = random.Random(7), []
    for _ in range(40):
        outcome = kind in ("outcomes", "alternate")
        players = 1 if kind == "puzzle" else 2
        payoffs = [-1, 0, 1] if outcome else [0, 1, 2, 3]
        nodes = random_nodes(
            draw, players=1 if kind == "alternate" else players, payoffs=payoffs,
            earn=[0] if outcome else [0, 1], free=0.5 if kind == "puzzle" else 0.0,
        )  # fmt: skip
        if kind == "puzzle":  # what a move costs is no reward
            nodes = {p: (k, [(q, abs(r)) for q, r in v] if k != OVER else v)
                     for p, (k, v) in nodes.items()}  # fmt: skip
        facts = {"players": players, "minimise": kind == "puzzle"}
        cls = Alternating if kind == "alternate" else Absolute
        told.append(compare(cls(nodes, **facts), outcome=outcome))
    assert sum(each.lines is None for each in told) > 1
    assert len({each.lines for each in told}) > 3


class Plain(PegSolitaire):
    """The same rules, which are not compiled."""

    native = False


def by_recursion(game: PegSolitaire, p: int) -> Counter[int]:
    """How many jump sequences end with so many pegs, without symmetries."""
    moves = [m for m in game.moves(p) if m]
    if not moves:
        return Counter({p.bit_count(): 1})
    return sum((by_recursion(game, game.play(p, m)) for m in moves), Counter[int]())


@pytest.mark.parametrize("board", ["triangle4", "plus", "3x4", "oooo/ooo/.oo"])
def test_symmetric_positions_count_each(board: str) -> None:
    for symmetry in (True, False):
        game = Plain(board, finish="fewest", cost="jumps", symmetry=symmetry)
        found = count_lines(game)
        assert dict(found.ends) == by_recursion(game, game.start())
        assert found.best == found.ends[0][1]


def test_counts_of_the_literature() -> None:
    found = count_lines(load("noughts-and-crosses"))
    assert found.lines == 255_168
    assert dict(found.ends) == {1: 131_184, 0: 46_080, -1: 77_904}
    symmetric = count_lines(load("noughts-and-crosses", ["symmetry=true"]))
    assert (symmetric.ends, symmetric.best) == (found.ends, found.best)
    corner = ["board=triangle5", "vacant=a1", "finish=any", "cost=jumps"]
    assert count_lines(load("peg-solitaire", corner)).lines == 29_760


def test_counts_grow_beyond_words() -> None:
    names = [f"n{i}" for i in range(300)]
    nodes: dict[str, Any] = {p: (0, [(q, 0)] * 3) for p, q in pairwise(names)}
    strata = {p: 300 - i for i, p in enumerate(names)}
    for some in (strata, None):
        game = Absolute(nodes | {names[-1]: (OVER, 1)}, some, players=1)
        found = count_lines(game)
        assert found.lines == found.best == 3**299
        assert found.as_json()["lines"] == str(3**299)


def test_what_has_no_lines_to_count_is_refused() -> None:
    for name in ("pig", "goofspiel", "clock-patience"):
        with pytest.raises(NoSolverError):
            count_lines(load(name))
    with pytest.raises(UsageError, match="cannot arise"):
        count_lines(Plain("plus"), position=2**9 - 1)


@pytest.mark.slow
def test_the_central_game_of_peg_solitaire() -> None:
    found = count_lines(load("peg-solitaire", ["cost=jumps"]))
    assert found.positions == 23_475_688
    assert found.lines == found.best == 40_861_647_040_079_968
    until = count_lines(load("peg-solitaire", ["cost=jumps", "finish=fewest"]), best=False)
    assert until.lines == 577_116_156_815_309_849_672
