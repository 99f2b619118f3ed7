"""Small games as files of Gambit: trees (.efg) and tables of strategies (.nfg)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from perfectplay.errors import NoSolverError, TooLargeError
from perfectplay.interop.game_graph import GameGraph, GraphNode
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, first_positions

MOST_NODES = 100_000
"""Of a tree: it holds a position as often as play leads there."""
MOST_CELLS = 100_000
"""Of a table of strategies."""


def write_efg(game: Game, file: Path) -> None:
    """Write the tree of all plays; only for games that end, and small ones."""
    graph = GameGraph(game, MOST_NODES)
    if graph.cyclic:
        raise NoSolverError(
            f"{type(game).__name__}: play may come back to where it was, and a tree has no cycles",
            "Gambit knows finite trees only; .prism and .umb hold games with cycles",
        )
    count = _tree_size(graph)
    if count > MOST_NODES:
        raise TooLargeError(
            f"{type(game).__name__}: its tree has {count:,} nodes, at most {MOST_NODES:,} are "
            "written",
            "choose smaller parameters",
        )
    names = " ".join(_quoted(game.player_name(i)) for i in range(game.players))
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.write(f'EFG 2 R {_quoted(str(game))} {{ {names} }}\n""\n\n')
        out.writelines(f"{line}\n" for line in _tree(graph))


def _tree_size(graph: GameGraph) -> int:
    """Nodes of the tree: those of every position count as often as play leads there."""
    sizes: dict[int, int] = {}
    waiting = [0]
    while waiting:
        below = [edge.target for edge in graph.nodes[waiting[-1]].edges]
        missing = [each for each in below if each not in sizes]
        if missing:
            waiting += missing
        else:
            sizes[waiting.pop()] = 1 + sum(sizes[each] for each in below)
    return sizes[0]


def _tree(graph: GameGraph) -> Iterator[str]:
    """The nodes in prefix order."""
    sets, ends, chances = itertools.count(1), itertools.count(1), itertools.count(1)
    waiting = [(0, (0,) * graph.game.players)]
    seen: Counter[int] = Counter()
    while waiting:
        number, sums = waiting.pop()
        node = graph.nodes[number]
        seen[number] += 1  # labels must differ
        label = _quoted(f"{node.text} #{number}.{seen[number]}")
        if node.owner == OVER:
            paid = ", ".join(str(a + b) for a, b in zip(sums, node.payoff, strict=True))
            yield f't {label} {next(ends)} "" {{ {paid} }}'
            continue
        words = [_quoted(each) for each in _different(node)]
        if node.owner == CHANCE:
            likely = zip(words, node.edges, strict=True)
            listed = " ".join(f"{word} {edge.probability}" for word, edge in likely)
            yield f'c {label} {next(chances)} "" {{ {listed} }} 0'
        else:
            own = node.owner + 1
            yield f'p {label} {own} {next(sets)} "" {{ {" ".join(words)} }} 0'
        for edge in reversed(node.edges):
            gains = tuple(a + b for a, b in zip(sums, edge.gains, strict=True))
            waiting.append((edge.target, gains))


def _different(node: GraphNode) -> list[str]:
    """The words of the moves at a node, with numbers where two are the same."""
    words = [edge.words for edge in node.edges]
    return [f"{w} ({i})" if words.count(w) > 1 else w for i, w in enumerate(words)]


def _quoted(text: str) -> str:
    inner = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


# -- Tables of strategies. ------------------------------------------------------------------------


def write_nfg(game: Game, file: Path) -> None:
    """Write what each pair of plans brings: of a game in which both choose once, at once, or of a
    small one in which they choose in turn."""
    if simultaneous(game) is not None:
        plans, cells = _choices_at_once(game)
    else:
        plans, cells = _plans(game)
    write_cells(file, str(game), [game.player_name(i) for i in range(len(plans))], plans, cells)


def write_cells(
    file: Path,
    title: str,
    players: Sequence[str],
    plans: Sequence[Sequence[str]],
    cells: Iterator[Sequence[Any]],
) -> None:
    """Write a table: payoffs in the order of Gambit, the first player's plan running fastest."""
    names = " ".join(map(_quoted, players))
    listed = " ".join("{ " + " ".join(map(_quoted, each)) + " }" for each in plans)
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.write(f'NFG 1 R {_quoted(title)} {{ {names} }}\n\n{{ {listed} }}\n""\n\n')
        out.writelines(" ".join(map(str, cell)) + "\n" for cell in cells)


def _choices_at_once(game: Game) -> tuple[list[list[str]], Iterator[Sequence[int]]]:
    both: Any = simultaneous(game)
    p = next(first_positions(game))
    if game.to_move(p) != SIMULTANEOUS:
        raise NoSolverError(f"{type(game).__name__} does not begin with a choice of both players")
    rows, columns = list(both.choices(p, 0)), list(both.choices(p, 1))
    for a, b in itertools.product(rows, columns):
        if game.to_move(game.play(p, (a, b))) != OVER:
            raise NoSolverError(
                f"{type(game).__name__} goes on after the first choices",
                "only games that end with them have a table of strategies",
            )
    cells = (_both(game, p, (a, b)) for b in columns for a in rows)
    return [[*map(str, rows)], [*map(str, columns)]], cells


def _both(game: Game, p: Any, pair: Any) -> tuple[int, ...]:
    """What a pair of choices brings both players."""
    found = [0, 0]
    for given in (game.reward(p, pair), game.payoff(game.play(p, pair))):
        gains = given if isinstance(given, tuple) else (int(given), -int(given))
        found = [a + int(b) for a, b in zip(found, gains, strict=True)]
    return tuple(found)


def _plans(game: Game) -> tuple[list[list[str]], Iterator[Sequence[Any]]]:
    """The plans of players who choose in turn: a move for each position of theirs."""
    graph = GameGraph(game, MOST_CELLS)
    if graph.cyclic:
        raise NoSolverError(
            f"{type(game).__name__}: play may come back to where it was",
            "only games that end have a table of strategies",
        )
    own = [
        [i for i, node in enumerate(graph.nodes) if node.owner == player]
        for player in range(game.players)
    ]
    if math.prod(len(graph.nodes[i].edges) for each in own for i in each) > MOST_CELLS:
        raise TooLargeError(
            f"{type(game).__name__}: its table of strategies has more than {MOST_CELLS:,} cells",
            "write a tree instead: .efg",
        )
    plans = [
        [dict(zip(each, picked, strict=True)) for picked in itertools.product(
            *(range(len(graph.nodes[i].edges)) for i in each))]
        for each in own
    ]  # fmt: skip
    names = [
        ["; ".join(_different(graph.nodes[i])[k] for i, k in plan.items()) or "-" for plan in each]
        for each in plans
    ]
    order = itertools.product(*reversed(plans))
    cells = (_worth(graph, {k: v for plan in pair for k, v in plan.items()}) for pair in order)
    return names, cells


def _worth(graph: GameGraph, plan: dict[int, int]) -> list[Any]:
    """What every player gets on the average if all follow these plans."""
    known: dict[int, list[Any]] = {}
    waiting = [0]
    while waiting:
        node = graph.nodes[waiting[-1]]
        edges = [node.edges[plan[waiting[-1]]]] if node.owner >= 0 else list(node.edges)
        missing = [edge.target for edge in edges if edge.target not in known]
        if missing:
            waiting += missing
            continue
        worth: list[Any] = list(node.payoff) or [0] * graph.game.players
        for edge in edges:
            after = zip(worth, edge.gains, known[edge.target], strict=True)
            worth = [old + edge.probability * (gain + new) for old, gain, new in after]
        known[waiting.pop()] = worth
    return known[0]
