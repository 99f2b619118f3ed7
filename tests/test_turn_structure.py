"""Properties P1 and P2 of Glenn, Fang and Kruskal: known games, and a twin that tries all."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from test_mixed_policies import Drawn

from perfectplay import CHANCE, OVER, Game, load
from perfectplay.answer.faces.game_strata import game_strata
from perfectplay.cli.main import run


@pytest.mark.parametrize(
    ("name", "given", "turn_based", "one_anchor"),
    [
        ("coins", [], True, True),
        ("piglet", ["goal=3"], True, True),
        ("pig", ["goal=8"], True, True),
        ("pig", ["goal=4", "players=3"], True, True),
        ("hog", ["goal=5", "most=2"], True, True),
        ("cant-stop", ["players=2", "sides=2", "short=2", "columns=1"], True, True),
        ("mu-torere", [], True, False),
        ("hanoi", ["discs=2"], False, False),
    ],
)
def test_properties_of_known_games(
    name: str, given: list[str], turn_based: bool, one_anchor: bool
) -> None:
    """The paper names Can't Stop, Pig, Pig Mania and Hog. In Mu Torere players take turns, but a
    turn may end at many positions; a puzzle has one player, who goes round alone."""
    turns = game_strata(load(name, given)).turns
    assert turns.cyclic > 0
    assert turns.turn_based == (turns.cyclic if turn_based else 0)
    assert turns.one_anchor == (turns.cyclic if one_anchor else 0)


def twin(game: Game) -> tuple[int, int, int]:
    """(cyclic components, with P1, with P1 and P2), whoever the rolls belong to."""
    after = {p: _after(game, p) for p in range(-1, 20)}
    reach = {p: _reached(after, p) for p in after}
    parts = {frozenset(q for q in reach[p] if p in reach[q]) for p in _reached(after, 0) | {0}}
    cyclic = [part for part in parts if part]
    counts = [len(cyclic), 0, 0]
    for part in cyclic:
        rolls = [p for p in part if game.to_move(p) == CHANCE]
        first = both = False
        for owners in itertools.product(range(2), repeat=len(rolls)):
            owner = {p: game.to_move(p) for p in part} | dict(zip(rolls, owners, strict=True))
            alone = {p: [q for q in after[p] if q in part and owner[q] == owner[p]] for p in part}
            p1 = all(p not in _reached(alone, p) for p in part)
            exits: dict[int, set[int]] = {0: set(), 1: set()}
            for p in part:
                exits[owner[p]] |= {q for q in after[p] if q in part and owner[q] != owner[p]}
            first |= p1
            both |= p1 and all(len(ends) <= 1 for ends in exits.values())
        counts[1] += first
        counts[2] += both
    return counts[0], counts[1], counts[2]


def _after(game: Game, p: int) -> list[Any]:
    if p < 0 or game.to_move(p) == OVER:
        return []
    if game.to_move(p) == CHANCE:
        return [q for _, q in game.chances(p)]
    return [game.play(p, m) for m in game.moves(p)]


def _reached(after: dict[int, list[int]], p: int) -> set[int]:
    found: set[int] = set()
    queue = list(after[p])
    for q in queue:
        if q not in found:
            found.add(q)
            queue += after[q]
    return found


def test_what_is_found_holds_in_games_drawn_by_lot() -> None:
    """Whoever rolls belong to is found by a rule; the twin tries everybody."""
    seen = [0, 0, 0, 0]
    for seed in range(120):
        game = Drawn("chance", seed, size=6)
        turns = game_strata(game).turns
        cyclic, first, both = twin(game)
        assert turns.cyclic == cyclic
        assert turns.turn_based <= first
        assert turns.one_anchor <= both
        seen = [a + b for a, b in zip(seen, (first, turns.turn_based, both, turns.one_anchor),
                                      strict=True)]  # fmt: skip
    assert seen[1] >= 20
    assert seen[3] >= 10


def test_the_command_reports_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["strata", "coins"]) == 0
    assert "turn-based: yes; one anchor a player: yes" in capsys.readouterr().out
    assert run(["strata", "nim", "-p", "heaps=1,2"]) == 0
    assert "turn-based" not in capsys.readouterr().out
