"""Nim values of an impartial game in normal play, children before parents.

    value(p) = mex { value(q) : a move leads from p to q },  mex S = the least number not in S

(Sprague 1935, Grundy 1939). Needs a graph without cycles; gives the value of every row.
"""

import numpy as np

from perfectplay.compiled.arrays import Array, Ids, Ints
from perfectplay.compiled.kernels import kernel
from perfectplay.errors import UsageError
from perfectplay.solvers.store import NimValues
from perfectplay.solvers.work import Options, Work
from perfectplay.strata.components import components
from perfectplay.strata.graph import Facts, Graph


def solve(graph: Graph, facts: Facts, store: NimValues, options: Options) -> Work:
    """Solve a stratum of an impartial game; UsageError if play can run in cycles."""
    degree = int(np.diff(graph.first).max(initial=0))
    if degree >= np.iinfo(store.value.dtype).max:
        store.value = store.value.astype(np.uint32)
    mark = np.zeros(degree + 2, np.int64)
    _mex(graph.low, _order(graph), graph.first, graph.child, store.value, mark)
    return Work({"mex": graph.size})


def _order(graph: Graph) -> Array:
    """The rows of a stratum, children before parents."""
    if not graph.inside:
        return np.arange(graph.size, dtype=np.int32)
    found = components(graph)
    if found.cyclic.any():
        raise UsageError(
            "play may run in cycles, where the mex rule says nothing",
            "nim values are for games that end after finitely many moves; solve says who wins",
        )
    return found.rows


@kernel
def _mex(low: int, rows: Array, first: Ints, child: Ids, value: Array, mark: Array) -> None:
    """Values of the rows, in this order. `mark[v]` is i + 1 if the i-th has a child of value v;
    no value is larger than the number of children."""
    for i in range(len(rows)):
        row = rows[i]
        most = first[row + 1] - first[row]
        for e in range(first[row], first[row + 1]):
            v = value[child[e]]
            if v <= most:
                mark[v] = i + 1
        v = 0
        while mark[v] == i + 1:
            v += 1
        value[low + row] = v
