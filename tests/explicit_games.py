"""Random small games given node by node, as rows for the naive twins, and best play in them."""

from __future__ import annotations

import random
from typing import Any

import naive
from test_verify import Alternate, Explicit

from perfectplay.rules.game import OVER, Game, alternate


class Alternating(Alternate):
    """A game in alternate play that can be solved: nothing is left to chance."""

    chances = Game.chances


def random_nodes(
    rng: random.Random, *, players: int, payoffs: list[Any], earn: list[int], free: float = 0.0
) -> dict[str, Any]:
    """Nodes in blocks of a few: moves inside a block earn nothing, unless one player pays for
    some of them; moves to a later block earn something."""
    width = rng.randint(1, 4)
    names = [f"p{i}" for i in range(rng.randint(2, 8))]
    block = {p: i // width for i, p in enumerate(names)} | {"x": 99, "y": 99, "z": 99}
    nodes: dict[str, Any] = {}
    for p in names:
        ahead = [q for q in block if block[q] >= block[p]]
        children = [rng.choice(ahead) for _ in range(rng.randint(1, 4))]
        edges = []
        for q in children:
            inside = -rng.randint(0, 2) if rng.random() < free else 0
            edges.append((q, rng.choice(earn) if block[q] > block[p] else inside))
        nodes[p] = (rng.randrange(players), edges)
    return nodes | {q: (OVER, rng.choice(payoffs)) for q in "xyz"}


def rows_of(game: Explicit, *, minimise: bool = False, scale: int = 1) -> list[naive.Row]:
    """The nodes as rows of a naive twin: worth to player 0, in stored units."""
    names = list(game.nodes)
    swap = int(alternate(game))
    sign = -1 if minimise else 1
    rows = []
    for kind, rest in game.nodes.values():
        if kind == OVER:
            paid = rest[0] - rest[1] if isinstance(rest, tuple) else rest
            rows.append(naive.Row(OVER, sign * paid, ()))
            continue
        mover = 0 if swap else kind
        edges = [
            naive.Edge(names.index(q), swap, 1, (-sign if mover else sign) * scale * earned)
            for q, earned in rest
        ]
        rows.append(naive.Row(mover, 0, tuple(edges)))
    return rows


def held_to(rows: list[naive.Row], choice: dict[int, int]) -> list[naive.Row]:
    """The rows in which some have no other edge than the chosen one."""
    return [
        row._replace(edges=(row.edges[choice[i]],)) if i in choice else row
        for i, row in enumerate(rows)
    ]
