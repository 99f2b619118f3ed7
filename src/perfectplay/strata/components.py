"""The strongly connected components of a stratum, in solving order.

A component is a set of positions that can all reach each other; inside it play may run in cycles.
Components are numbered so that every edge leads to the same or a lower number: solved in that
order, all values outside a component are known when its turn comes. (Tarjan 1972, with an explicit
stack.)"""

from dataclasses import dataclass

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Ids, Int32s, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.strata.graph import Graph


@dataclass(frozen=True)
class Components:
    """The strongly connected components of the edges inside one stratum."""

    number: Array
    """int32[n]: the component of each row."""
    rows: Array
    """int32[n]: all rows, component after component; within a component in no special order."""
    start: Array
    """int64[k + 1]: component c is rows[start[c]:start[c + 1]]."""
    cyclic: Array
    """bool[k]: the component has an edge inside (a cycle); else it is a single acyclic row."""

    @property
    def count(self) -> int:
        """How many components there are."""
        return len(self.start) - 1


def components(graph: Graph) -> Components:
    """Split a stratum into strongly connected components, children before parents."""
    number, count = _tarjan(graph.first, graph.child, graph.low)
    rows = np.argsort(number, kind="stable").astype(np.int32)
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(number, minlength=count), out=start[1:])
    return Components(
        number, rows, start, _cyclic(graph.first, graph.child, graph.low, number, count)
    )


@kernel
def _tarjan(first: Ints, child: Ids, low: int) -> tuple[Int32s, int]:
    """Component numbers by Tarjan's algorithm; a component is closed after all it leads to."""
    n = len(first) - 1
    number = np.full(n, -1, np.int32)
    seen = np.zeros(n, np.int32)  # order of discovery, 1-based; 0 = not seen
    link = np.zeros(n, np.int32)  # earliest open row reachable
    edge = np.zeros(n, np.int64)  # next edge to follow
    open_rows = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    clock = opened = count = 0
    for root in range(n):
        depth, new = -1, np.int64(-1 if seen[root] else root)
        while depth >= 0 or new >= 0:
            # 1. A row that is seen for the first time is open, and prolongs the path.
            if new >= 0:
                clock += 1
                seen[new] = link[new] = clock
                edge[new] = first[new]
                open_rows[opened] = new
                opened += 1
                depth += 1
                path[depth] = new
                new = np.int64(-1)
            # 2. Follow the next edge of the last row of the path.
            row = path[depth]
            if edge[row] < first[row + 1]:
                to = np.int64(child[edge[row]]) - low
                edge[row] += 1
                if to >= 0 and not seen[to]:
                    new = to
                elif to >= 0 and number[to] < 0:
                    link[row] = min(link[row], seen[to])
                continue
            # 3. It has no more: all rows opened after one that reaches no earlier open row are
            #    its component.
            depth -= 1
            if depth >= 0:
                link[path[depth]] = min(link[path[depth]], link[row])
            if link[row] == seen[row]:
                member = row + 1
                while member != row:
                    opened -= 1
                    member = open_rows[opened]
                    number[member] = count
                count += 1
    return number, count


@kernel
def _cyclic(first: Ints, child: Ids, low: int, number: Int32s, count: int) -> Bools:
    """Which components have an edge inside."""
    out = np.zeros(count, np.bool_)
    for row in range(len(first) - 1):
        for e in range(first[row], first[row + 1]):
            to = np.int64(child[e]) - low
            if to >= 0 and number[to] == number[row]:
                out[number[row]] = True
    return out
