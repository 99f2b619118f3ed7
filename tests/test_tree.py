"""Game trees: values follow from those below, whoever moves; transpositions are followed once."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from perfectplay import TooLargeError, UsageError, load, solve
from perfectplay.answer.faces.tree import DEEPEST, MOST, GameTree, TreeNode, game_tree
from perfectplay.cli import main
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS

TREES = [
    ("nim", ["heaps=1,2,2"], False, None),
    ("nim", ["heaps=2,3", "misere=true"], False, None),
    ("piglet", ["goal=2"], True, None),
    ("piglet", ["goal=3"], False, 9),
    ("pig", ["goal=4", "players=3", "sides=3"], False, 5),
    ("kalah", ["pits=2", "seeds=2"], False, None),
    ("awari", ["pits=2", "seeds=4"], False, 4),
    ("hanoi", ["discs=2"], False, None),
    ("cant-stop", ["sides=2", "short=2", "columns=1"], True, 6),
    ("noughts-and-crosses", [], False, 2),
    ("mu-torere", ["points=6"], False, 6),
    ("goofspiel", ["cards=3", "order=up", "ties=carry"], True, None),
    ("rock-paper-scissors", ["goal=2"], True, 2),
]


def tree_of(name: str, given: list[str], exact: bool, depth: int | None) -> GameTree:
    solution = solve(load(name, given), exact=exact, plain=True)
    return game_tree(solution, solution.start, depth)


def backed_up(tree: GameTree, node: TreeNode, player: int) -> list[float]:
    """What the edges of a node are worth to a player, each times its probability."""
    return [
        edge.probability * (edge.earned[player] + _number(edge.node, player))
        for edge in node.edges
    ]


def _number(node: TreeNode, player: int):
    value = node.values[player]
    return float(value) if value.exact is None else value.exact


@pytest.mark.parametrize(("name", "given", "exact", "depth"), TREES, ids=str)
def test_values_satisfy_the_recurrence(
    name: str, given: list[str], exact: bool, depth: int | None
) -> None:
    tree = tree_of(name, given, exact, depth)
    for node in tree:
        if node.rule not in ("max", "min", "sum"):
            assert not node.edges
            continue
        if node.rule == "sum":
            assert node.mover in (CHANCE, SIMULTANEOUS)
            assert sum(edge.probability for edge in node.edges) == 1
            players = range(len(node.values))
        else:
            players = [tree.player if tree.scalar else node.mover]
        for player in players:
            found = {"max": max, "min": min, "sum": sum}[node.rule](backed_up(tree, node, player))
            assert math.isclose(found, _number(node, player), abs_tol=1e-11), node.position
            if node.values[player].exact is not None:
                assert found == node.values[player].exact, node.position
            if node.rule != "sum":
                worth = backed_up(tree, node, player)
                best = [w for w, edge in zip(worth, node.edges, strict=True) if edge.best]
                assert best
                assert all(math.isclose(w, found, abs_tol=1e-9) for w in best)


@pytest.mark.parametrize(("name", "given", "exact", "depth"), TREES, ids=str)
def test_positions_are_followed_once_and_references_lead_to_them(
    name: str, given: list[str], exact: bool, depth: int | None
) -> None:
    solution = solve(load(name, given), exact=exact, plain=True)
    tree = game_tree(solution, solution.start, depth)
    followed = [node for node in tree if node.edges]
    frames = [
        (
            solution.game.representative(solution.position(node.position)),
            node.mover,
            tuple(map(str, node.values)),
        )
        for node in followed
    ]
    assert len(set(frames)) == len(frames)
    numbered = {node.number: node for node in followed if node.number is not None}
    references = [node for node in tree if node.rule == "same"]
    assert {node.number for node in references} == set(numbered)
    for node in references:
        there = numbered[node.number]
        assert there.values == node.values
        assert there.mover == node.mover


def test_the_tree_of_the_survey() -> None:
    """Smith's Figure 2: from {1,2,2} to {2,2}, {1,1,2} and {1,2}, of which the first wins."""
    tree = tree_of("nim", ["heaps=1,2,2"], exact=False, depth=None)
    below = [(edge.moves, edge.node.position, edge.best) for edge in tree.root.edges]
    assert below == [
        (("1->0",), "0 2 2", True),
        (("2->1", "2->1"), "1 1 2", False),
        (("2->0", "2->0"), "1 0 2", False),
    ]
    assert [int(edge.node.values[0].lower) for edge in tree.root.edges] == [1, -1, -1]
    lines = str(tree).splitlines()
    assert lines[1:3] == ["1 2 2   max  win in 5 plies", "├─* 1->0: 0 2 2   min  win in 4 plies"]
    assert "│   │   ├─* 2->1: [2] 0 1 1   min  win in 2 plies" in lines
    assert "│   │   │   └─* 1->0 (2 ways): 0 0 1   as [3]  win in 1 ply" in lines


def test_a_tree_stops_at_its_depth() -> None:
    tree = tree_of("nim", ["heaps=1,2,2"], exact=False, depth=1)
    assert [edge.node.rule for edge in tree.root.edges] == ["cut"] * 3
    assert "…  win in 4 plies" in str(tree)
    alone = tree_of("nim", ["heaps=1,2,2"], exact=False, depth=0)
    assert (alone.root.rule, len(list(alone))) == ("cut", 1)


def test_large_trees_are_refused_with_a_depth_that_fits() -> None:
    solution = solve(load("noughts-and-crosses"), plain=True)
    with pytest.raises(TooLargeError, match=f"more than {MOST} positions") as caught:
        game_tree(solution, solution.start)
    assert caught.value.hint == "--depth 2 shows 82"
    assert len(list(game_tree(solution, solution.start, 2))) == 82
    with pytest.raises(UsageError, match="depth -1"):
        game_tree(solution, solution.start, -1)


def test_a_position_with_too_many_moves_has_no_tree() -> None:
    solution = solve(load("subtraction", ["heap=500", "most=500"]), plain=True)
    with pytest.raises(TooLargeError) as caught:
        game_tree(solution, solution.start, 1)
    assert "without a tree" in caught.value.hint


def test_an_ended_position_is_a_tree_of_one() -> None:
    solution = solve(load("nim", ["heaps=1"]), plain=True)
    tree = game_tree(solution, solution.position("0"))
    assert (tree.root.rule, tree.root.mover, tree.root.edges) == ("end", OVER, ())


def test_the_picture_has_every_position_and_marks_best_moves() -> None:
    tree = tree_of("nim", ["heaps=1,2,2"], exact=False, depth=None)
    words = [each.text for each in Xml.fromstring(tree.svg).iter() if each.tag.endswith("text")]
    assert sum("win" in str(word) or "loss" in str(word) for word in words) == len(list(tree))
    starred = sum(str(word).startswith("* ") for word in words)
    assert starred == sum(edge.best for node in tree for edge in node.edges)
    json.dumps(tree.as_json())


def test_boards_are_drawn_as_rows() -> None:
    solution = solve(load("noughts-and-crosses"), plain=True)
    tree = game_tree(solution, solution.position("XOX/OOX/X.."))
    assert tree.branches.lines == ("X O X", "O O X", "X . .")
    assert tree.branches.title == "XOX/OOX/X.."


def test_the_command_draws_and_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)
    assert main.run(["solve", "nim", "-p", "heaps=1,2,2", "--plain", "--table", "small"]) == 0
    capsys.readouterr()
    assert main.run(["explain", "small", "--tree", "--out", "tree.svg"]) == 0
    heard = capsys.readouterr()
    assert "├─* 1->0: 0 2 2   min  win in 4 plies" in heard.out
    assert heard.err.strip() == "drawn: tree.svg"
    assert Path("tree.svg").read_text(encoding="utf-8").startswith("<svg")
    assert main.run(["explain", "small", "0 1 1", "--tree", "--depth", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tree"]["edges"][0]["node"]["position"] == "0 0 1"
    assert main.run(["explain", "small", "--depth", "1"]) == UsageError.exit_code
    assert "--tree" in capsys.readouterr().err
    assert main.run(["explain", "small", "--tree", "--out", "tree.gif"]) == UsageError.exit_code


def test_fields_of_json_are_documented() -> None:
    page = (Path(__file__).parent.parent / "docs" / "json.md").read_text(encoding="utf-8")
    section = page.partition("With `--tree`:")[2]
    tree = tree_of("nim", ["heaps=1"], exact=False, depth=None).as_json()
    for name in {*tree, *tree["tree"], *tree["tree"]["edges"][0]}:
        assert f"`{name}`" in section, name


def test_long_paths_are_drawn_and_longer_ones_refused() -> None:
    solution = solve(load("subtraction", [f"heap={DEEPEST + 1}", "most=1"]), plain=True)
    with pytest.raises(TooLargeError, match="moves deeper than 100") as caught:
        game_tree(solution, solution.start)
    assert caught.value.hint == "--depth 100 shows 101"
    for tree in (
        game_tree(solution, solution.start, DEEPEST),
        game_tree(solution, solution.position(str(DEEPEST))),
    ):
        assert len(str(tree).splitlines()) == DEEPEST + 2
        assert tree.svg.count("<rect") == DEEPEST + 2
        json.dumps(tree.as_json())
