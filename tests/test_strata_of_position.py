"""Recurrent and transitive moves, against a twin that follows every way from every position."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest

from perfectplay import load
from perfectplay.answer.faces.strata import strata, strata_below
from perfectplay.rules.game import CHANCE, OVER, Game, first_positions


@dataclass(frozen=True)
class Web(Game):
    """Any graph: each position has its children; some are left to chance."""

    edges: tuple[tuple[int, ...], ...]
    chance: frozenset[int] = frozenset()

    def start(self) -> int:
        return 0

    def to_move(self, p: int) -> int:
        return OVER if not self.edges[p] else CHANCE if p in self.chance else p % 2

    def moves(self, p: int) -> tuple[int, ...]:
        return self.edges[p]

    def play(self, p: int, m: int) -> int:
        return m

    def chances(self, p: int) -> Any:
        return ((1, q) for q in self.edges[p])


class Levelled(Web):
    """The same, with strata of three positions each."""

    def stratum(self, p: int) -> int:
        return -(p // 3)


def web(seed: int, *, levels: bool) -> Web:
    draw = random.Random(seed)
    count = draw.randint(3, 12)
    edges = []
    for p in range(count):
        ahead = range(p // 3 * 3, count) if levels else range(count)
        edges.append(tuple(draw.choice(ahead) for _ in range(draw.choice((0, 1, 1, 2, 3)))))
    chance = frozenset(p for p in range(count) if draw.random() < 0.3)
    return (Levelled if levels else Web)(tuple(edges), chance)


def children(game: Game, p: Any) -> list[Any]:
    mover = game.to_move(p)
    if mover == OVER:
        return []
    if mover == CHANCE:
        return [q for _, q in game.chances(p)]
    return [game.play(p, m) for m in game.moves(p)]


def reachable(game: Game, p: Any) -> set[Any]:
    """All positions that play can reach from `p`, itself included, told apart as they are."""
    found: set[Any] = set()
    left = [p]
    while left:
        q = left.pop()
        if q not in found:
            found.add(q)
            left += children(game, q)
    return found


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_moves_are_recurrent_where_play_can_come_back(seed: int, levels: bool) -> None:
    game = web(seed, levels=levels)
    for p in range(len(game.edges)):
        found = strata(game, p)
        assert found.complete
        assert found.number == (-(p // 3) if levels else None)
        same = {q for q in reachable(game, p) if p in reachable(game, q)}
        assert set(found.members) == same
        assert set(found.exits) == {c for q in same for c in children(game, q)} - same
        kinds = {move.child: move.recurrent for move in found.moves}
        assert kinds == {str(q): p in reachable(game, q) for q in children(game, p)}


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_transitive_moves_lead_to_strata_that_share_nothing(seed: int, levels: bool) -> None:
    game = web(seed, levels=levels)
    found = strata(game, 0)
    below = [set(each.members) for each in strata_below(game, found)]
    same = [{q for q in reachable(game, p) if p in reachable(game, q)} for p in found.exits]
    assert all(each in same for each in below)
    assert set().union(*below) == set().union(*same)
    assert sum(map(len, below)) == len(set().union(*below))


@pytest.mark.parametrize("seed", range(60))
def test_a_limit_leaves_moves_open_but_decides_none_wrongly(seed: int) -> None:
    game = web(seed, levels=False)
    for limit in range(6):
        found = strata(game, 0, limit)
        assert found.looked <= max(limit, 1)
        whole = strata(game, 0)
        for some, sure in zip(found.moves, whole.moves, strict=True):
            assert some.recurrent in (None, sure.recurrent)
        assert set(found.members) <= set(whole.members)
        assert set(found.exits) <= set(whole.exits)
        if found.complete:
            assert set(found.members) == set(whole.members)


def test_symmetric_positions_lead_back_to_the_position_itself() -> None:
    """Representatives are compared; the twin knows nothing of symmetry."""
    game = load("mu-torere", ["points=6"])
    draw, p, kinds = random.Random(3), next(first_positions(game)), set()
    back: dict[Any, set[Any]] = {}
    for _ in range(25):
        options = children(game, p)
        if not options:
            break
        for q in options:
            back.setdefault(q, reachable(game, q))
        found = strata(game, p)
        assert [move.recurrent for move in found.moves] == [p in back[q] for q in options]
        kinds |= {move.word for move in found.moves}
        p = draw.choice(options)
    assert kinds == {"recurrent", "transitive"}


def test_king_moves_are_recurrent_and_pawn_moves_transitive() -> None:
    """Bellman's own example: pawn endings, and kings that do not capture."""
    game = load("chess", ["fen=8/8/8/8/8/k7/7P/K7 w - - 0 1"])
    found = strata(game, next(first_positions(game)), limit=2_000)
    words = {move.text: move.word for move in found.moves}
    assert words["h4"] == words["h3"] == "transitive"
    assert words["Kb1"] == "recurrent"
    assert found.as_json()["moves"][0].keys() == {"move", "position", "stratum", "kind"}
