"""What searches by turns need of the engine, compiled ahead: every kernel is called once, with
nothing to do."""

import numpy as np

from perfectplay.searching import search_stack
from perfectplay.searching.turns import levels, turn_stack, unlabelled_bounds
from perfectplay.searching.turns.search import new_rows, new_scratch, new_table
from perfectplay.strata.unlabelled_edges import Calls


def warm() -> None:
    """Compile what all games share that have positions of one word."""
    none, few, key = (np.zeros(n, np.int64) for n in (0, 2, 1))
    graph = turn_stack.PatternGraph(few, np.zeros(0, np.int8), few, np.zeros(0, np.int32), none)
    anchors, scale = new_table(4, 1), levels.FixedPoint(2.0, (0, 2), 1, 2)
    shared = levels.Shared(anchors, unlabelled_bounds.NO_TABLE, scale)
    rows, control = new_rows(1, 1, 1), np.zeros(search_stack.CONTROL, np.int64)
    levels.evaluate_exits(rows, few, shared, control, new_scratch(1, 1), 0)
    levels.walk(rows, anchors, graph, control, 2.0, 0)
    levels.pattern_of(key[:, None], key - 1, key[:, None])
    slot = int(turn_stack.place(anchors, key[:, None], 0))
    turn_stack.find(anchors, slot, key[:, None], 0)
    table = np.full((2, 4), unlabelled_bounds.EMPTY)
    unlabelled_bounds.find_unlabelled(table, 0, 0)
    unlabelled_bounds.fill(table, key[:0, None], np.zeros((0, 3)))
    small, pieces = np.zeros((2, 1), np.int32), np.zeros((2, 1, 1), np.int32)
    calls = Calls(small, small.astype(np.int8), pieces, pieces)
    unlabelled_bounds.mark(graph, calls, 1, np.zeros((0, 1)), np.zeros((0, 0)))
    no_bytes = np.zeros(0, np.uint8)
    expanded = unlabelled_bounds.Expanded(
        graph.kind, np.zeros(0), key, np.zeros((0, 2), np.uint8), no_bytes, no_bytes,
        np.zeros((0, 3)),
    )  # fmt: skip
    distinct = unlabelled_bounds.Distinct(few, none, np.zeros(0))
    unlabelled_bounds.evaluate(expanded, graph, calls, distinct, np.zeros((0, 3)))
