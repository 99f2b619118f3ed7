"""What Hackenbush positions are worth: pictures of coloured edges that stand on the ground.

Left takes a blue edge, Right a red one, either a green one (some say black). Edges that no longer
hang together with the ground vanish. A player who cannot move loses.

The value is found by folding the picture, from what hangs highest down to the ground:

* What hangs at one node alone may be replaced by anything of the same value (the *colon
  principle*), so a node carries a value instead of a tree or a graph. An edge with a value on
  top is the ordinal sum of the two; for blue and red edges with numbers there is a formula.
* Nodes of a green picture that lie on a cycle may be made one (the *fusion principle*), so its
  edges there count only as even or odd.
* Other cycles are opened by taking each edge in turn: the value is the simplest that fits, by
  the rule of simplicity or in canonical form.

Sources: Conway, On Numbers and Games, chapter 15; Berlekamp, Conway, Guy, Winning Ways, chapters 2
and 7. Finding the value of a blue-red picture is NP-hard; the third step may take long.
"""

from collections.abc import Iterable, Mapping

from perfectplay.errors import TooLargeError
from perfectplay.sums.canonical_form import (
    ZERO,
    Short,
    added,
    canonical,
    lefts_of,
    plain_value,
    rights_of,
    value,
)
from perfectplay.sums.depth import deep
from perfectplay.sums.products import ordinal_sum

BLUE, RED, GREEN = "B", "R", "G"
EDGES = {BLUE: value(1), RED: value(-1), GREEN: plain_value((0, 0, 0, 1))}
"""What one edge is worth."""
GROUND = 0
LARGEST = 400_000
"""So many cycles with what stands on them are looked at, before a picture is called too large."""

Edge = tuple[int, int, str]
"""Two nodes and a colour; node 0 is the ground."""
Loads = Mapping[int, Short]
"""What nodes carry."""
Blocks = list[tuple[tuple[Edge, ...], int]]
"""Parts of a picture, each with the node it stands on."""


def picture_value(edges: Iterable[Edge]) -> Short:
    """The value of a picture."""
    return Folder().value(edges)


def on_edge(colour: str, top: Short) -> Short:
    """The value of one edge on the ground with `top` on it: the ordinal sum of the two."""
    return deep(ordinal_sum, EDGES[colour], top)


class Folder:
    """Values of pictures; what was found about cycles is remembered from one to the next."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], Short] = {}
        self.cut: dict[tuple[int, tuple[Edge, ...]], Blocks] = {}

    def value(self, edges: Iterable[Edge]) -> Short:
        """The value of a picture."""
        return deep(self.folded, GROUND, tuple(edges), {})

    def folded(self, root: int, edges: tuple[Edge, ...], loads: Loads) -> Short:
        """The value of edges that stand on node `root`, where other nodes carry loads."""
        carried = dict(loads)
        cut = self.cut.get((root, edges))
        if cut is None:
            cut = self.cut[root, edges] = blocks(root, edges)
        for block, base in cut:
            here = carried.get(base, ZERO)
            carried[base] = added(here, self.block(base, block, carried))
        return carried.get(root, ZERO)

    def block(self, root: int, edges: tuple[Edge, ...], loads: Loads) -> Short:
        """The value of one edge, or of edges on cycles through one another, on node `root`."""
        if len(edges) == 1:
            low, high, colour = edges[0]
            if low == high:
                return on_edge(colour, ZERO)
            return on_edge(colour, loads.get(high if low == root else low, ZERO))
        nodes = sorted({node for edge in edges for node in edge[:2]} - {root})
        carried = {node: loads[node] for node in nodes if node in loads}
        colours = {colour for *_, colour in edges}
        if len(colours) == 1:
            simple = _one_colour(colours.pop(), len(edges), carried.values())
            if simple is not None:
                return simple
        key = (root, edges, *((node, load.id) for node, load in carried.items()))
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= LARGEST:
                raise TooLargeError(
                    f"more than {LARGEST:,} cases of opening the cycles of this picture",
                    "pictures without cycles, or with green edges only, may have any size",
                )
            found = self.known[key] = self.opened(root, edges, carried)
        return found

    def opened(self, root: int, edges: tuple[Edge, ...], loads: Loads) -> Short:
        """The value of cycles from all that can be taken: an edge, or something of a load."""
        left: list[Short] = []
        right: list[Short] = []
        for i, edge in enumerate(edges):
            if edge in edges[:i]:
                continue
            after = self.folded(root, edges[:i] + edges[i + 1 :], loads)
            left += [after] * (edge[2] != RED)
            right += [after] * (edge[2] != BLUE)
        for node, load in loads.items():
            for side, options in ((left, lefts_of(load)), (right, rights_of(load))):
                side += [self.block(root, edges, {**loads, node: each}) for each in options]
        return canonical(left, right)


def _one_colour(colour: str, edges: int, loads: Iterable[Short]) -> Short | None:
    """The value of a block of one colour, if the loads are of that colour too."""
    if colour == GREEN:
        nim = edges % 2
        for load in loads:
            if not load.is_nimber:
                return None
            nim ^= load.nim
        return plain_value((0, 0, 0, nim))
    sign = 1 if colour == BLUE else -1
    total = edges * sign
    for load in loads:
        if not load.is_integer or load.number * sign < 0:
            return None
        total += int(load.number)
    return value(total)


# -- Blocks. --------------------------------------------------------------------------------------


def edges_at(edges: tuple[Edge, ...]) -> dict[int, list[int]]:
    """The numbers of the edges at each node."""
    at: dict[int, list[int]] = {}
    for i, (low, high, _) in enumerate(edges):
        for node in {low, high}:
            at.setdefault(node, []).append(i)
    return at


def blocks(root: int, edges: tuple[Edge, ...]) -> Blocks:
    """The blocks of what hangs together with `root`, each with its node nearest to the root, those
    farther away first. A block is a single edge, or edges any two of which lie on a cycle that
    passes no node twice. What does not hang together with the root is left out.

    This is the search of Hopcroft and Tarjan (1973), without recursion: `low` is the number of
    the earliest node that a node or one above it reaches by an edge which is not its own.
    """
    at = edges_at(edges)
    found: Blocks = []
    number, low = {root: 0}, {root: 0}
    seen: set[int] = set()
    kept: list[int] = []  # edges that no block has yet
    path = [(root, iter(at.get(root, ())), 0)]
    while path:
        node, rest, mark = path[-1]
        for i in rest:
            if i in seen:
                continue
            seen.add(i)
            a, b, _ = edges[i]
            other = b if a == node else a
            if other == node:
                found.append(((edges[i],), node))
            elif other in number:
                kept.append(i)
                low[node] = min(low[node], number[other])
            else:
                number[other] = low[other] = len(number)
                path.append((other, iter(at[other]), len(kept)))
                kept.append(i)
                break
        else:
            path.pop()
            if path:
                below = path[-1][0]
                low[below] = min(low[below], low[node])
                if low[node] >= number[below]:
                    found.append((tuple(edges[i] for i in sorted(kept[mark:])), below))
                    del kept[mark:]
    return found
