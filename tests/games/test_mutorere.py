"""Mu Torere on any star against a twin on tuples of letters."""

from __future__ import annotations

import pytest

from perfectplay import solve
from perfectplay.games.boards.mutorere import MuTorere

Place = tuple[str, str, int]
"""Points and centre as letters, small ones for starred markers, whose turn it is, restricted plies
left."""


def follow(game: MuTorere, place: Place) -> list[Place]:
    marks, mover, left = place
    n, other = game.points, "XO"[mover == "X"]
    found = []
    for man, to in ((i, j) for i in range(n + 1) for j in range(n + 1)):
        if marks[man].upper() != mover or marks[to] != ".":
            continue
        if man < n and to < n and (man - to) % n not in (1, n - 1):
            continue
        near = {marks[(man + 1) % n], marks[(man - 1) % n]}
        if game.starred:
            if left and marks[man] == mover:
                continue
        elif man < n and to == n and (game.ascher or left) and other not in near:
            continue
        after = list(marks)
        after[man], after[to] = ".", marks[man]
        found.append(("".join(after), other, max(0, left - 1)))
    if left == 1:
        found = [(after.upper(), *rest) for after, *rest in found]
    return found


def outcomes(game: MuTorere) -> dict[Place, tuple[int, int]]:
    """Outcome and depth of every position: decided ones first, round by round."""
    each = game.markers or game.points // 2
    marks = "X" * each + "O" * each
    if game.starred and game.restricted:
        marks = "".join(c.lower() if i % each in (0, each - 1) else c for i, c in enumerate(marks))
    start = (marks.ljust(game.points + 1, "."), "X", 0 if game.ascher else game.restricted)
    graph: dict[Place, list[Place]] = {}
    waiting = [start]
    while waiting:
        place = waiting.pop()
        if place not in graph:
            graph[place] = follow(game, place)
            waiting += graph[place]
    decided: dict[Place, tuple[int, int]] = {}
    for depth in range(len(graph)):
        new = {}
        for place, after in graph.items():
            if place not in decided:
                results = [decided[q][0] if q in decided else 0 for q in after]
                if -1 in results:
                    new[place] = (1, depth)
                elif all(result == 1 for result in results):
                    new[place] = (-1, depth)
        if not new and depth > 1:
            break
        decided |= new
    return {place: decided.get(place, (0, 0)) for place in graph}


@pytest.mark.parametrize(
    "game",
    [
        MuTorere(),
        MuTorere(6, ascher=True),
        MuTorere(7, 2, markers=3),
        MuTorere(7, markers=2, ascher=True, symmetry=True),
        MuTorere(5, 0, markers=2, symmetry=True),
        MuTorere(3, 1, markers=1),
        MuTorere(10, 3),
        MuTorere(4, 0),
        MuTorere(starred=True),
        MuTorere(8, 2, starred=True, symmetry=True),
        MuTorere(8, 9, starred=True),
        MuTorere(7, 3, markers=3, starred=True),
        MuTorere(7, markers=1, starred=True, symmetry=True),
        MuTorere(6, 0, starred=True),
    ],
    ids=repr,
)
def test_every_position(game: MuTorere) -> None:
    solution = solve(game)
    expected = outcomes(game)
    if not game.symmetry:
        assert solution.report["positions"] == len(expected)
    for (marks, mover, left), (outcome, depth) in expected.items():
        held = f" restricted {left}" if left else ""
        p = game.parse(f"{marks[:-1]} centre {marks[-1]} to move {mover}{held}")
        value = solution.value(p)
        assert (value.outcome, value.depth or 0) == (outcome, depth), (marks, mover)
