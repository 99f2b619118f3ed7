"""The strata of whole games, against a slow twin and the rules themselves."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from perfectplay import OVER, Game, TooLargeError, load
from perfectplay.answer.faces.game_strata import game_strata
from perfectplay.cli.main import run
from perfectplay.rules.game import CHANCE


@dataclass(frozen=True)
class Ring(Game):
    """Rings of three positions; from each one can walk round, or leave for the next ring."""

    rings: int = 3
    given: bool = False

    def start(self):
        return (self.rings, 0)

    def to_move(self, p):
        return OVER if p[0] == 0 else 0

    def moves(self, p):
        yield "round"
        if p[1] == 1:
            yield "out"

    def play(self, p, m):
        return (p[0], (p[1] + 1) % 3) if m == "round" else (p[0] - 1, 0)

    def payoff(self, p):
        return 1


@dataclass(frozen=True)
class DeclaredRing(Ring):
    """The same, with its strata declared."""

    def stratum(self, p):
        return p[0]


def test_undeclared_strata_are_the_strongly_connected_components() -> None:
    found = game_strata(Ring())
    assert not found.declared
    assert [each.positions for each in found.strata] == [1, 3, 3, 3]
    assert [each.cyclic for each in found.strata] == [0, 3, 3, 3]
    assert [each.below for each in found.strata] == [{}, {0: 1}, {1: 1}, {2: 1}]
    assert [each.inside for each in found.strata] == [0, 3, 3, 3]


def test_declared_strata_have_their_numbers() -> None:
    found = game_strata(DeclaredRing())
    assert found.declared
    assert [each.number for each in found.strata] == [0, 1, 2, 3]
    assert [each.below for each in found.strata] == [{}, {0: 1}, {1: 1}, {2: 1}]
    assert [each.components for each in found.strata] == [1, 1, 1, 1]
    assert found.strata[3].example == "(3, 0)"


@pytest.mark.parametrize("spec", ["piglet -p goal=3", "mu-torere", "nim -p heaps=1,2,3"])
def test_sizes_and_edges_are_those_of_the_rules(spec: str) -> None:
    name, *given = spec.split(" -p ")
    game = load(name, given)
    seen, edges = _walked(game)
    sizes = Counter(game.stratum(p) for p in seen)
    found = game_strata(game)
    assert {each.number: each.positions for each in found.strata} == sizes
    counted = {(each.number, below): n for each in found.strata for below, n in each.below.items()}
    counted |= {(e.number, e.number): e.inside for e in found.strata if e.inside}
    assert counted == edges
    assert all(sum(each.methods.values()) == each.positions for each in found.strata)


def _walked(game: Any) -> tuple[set[Any], Counter[tuple[int, int]]]:
    """All representatives, and the moves between strata, one by one."""
    from perfectplay.rules.game import first_positions

    queue = [game.representative(p) for p in first_positions(game)]
    seen, edges = set(queue), Counter()
    while queue:
        p = queue.pop()
        mover = game.to_move(p)
        if mover == CHANCE:
            children = [q for _, q in game.chances(p)]
        else:
            children = [] if mover == OVER else [game.play(p, m) for m in game.moves(p)]
        for q in map(game.representative, children):
            edges[game.stratum(p), game.stratum(q)] += 1
            if q not in seen:
                seen.add(q)
                queue.append(q)
    return seen, edges


def test_a_picture_has_a_box_for_each_stratum_and_is_refused_for_many() -> None:
    drawn = game_strata(DeclaredRing()).svg()
    assert drawn.count("<rect") == 1 + 4  # the panel, and the boxes
    assert drawn.count("<line") == 3
    with pytest.raises(TooLargeError, match="101 strata are too many for a picture"):
        game_strata(DeclaredRing(rings=100)).svg()


def test_command(tmp_path, capsys) -> None:
    out = tmp_path / "strata.svg"
    assert run(["strata", "piglet", "-p", "goal=3", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("piglet: ")
    assert "leads to" in shown
    assert out.read_text().startswith("<svg")
    assert run(["strata", "nim", "-p", "heaps=1,2", "1 2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {move["kind"] for move in found["moves"]} == {"transitive"}
    assert [each["position"] for each in found["below"]] == ["1 1", "1 0", "2 0"]
    assert run(["strata", "nim", "nothing"]) == 2
    out.unlink()
    assert run(["strata", "nim", "-p", "heaps=1,2", "1 2", "--out", str(out)]) == 0
    assert "S_2,1" in out.read_text()
    assert "S_2: 1 position, such as 1 0, leads to S_2,1" in capsys.readouterr().out
