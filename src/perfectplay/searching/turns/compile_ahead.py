"""What searches by turns need of the engine, compiled ahead: every kernel is called once, with
nothing to do."""

from __future__ import annotations

import numpy as np

from perfectplay.searching import search_stack
from perfectplay.searching.turns import levels, transposition_table, unlabelled_bounds
from perfectplay.searching.turns.search import new_rows, new_table, new_words


def warm() -> None:
    """Compile what all games share that have positions of one word."""
    none, few, keys = (np.zeros(n, np.int64) for n in (0, 2, 1))
    inside = few, np.zeros(0, np.int8), few, np.zeros(0, np.int32), none
    exits = few, np.zeros(0, np.int32), np.zeros(0, np.int32), keys[:, None]
    patterns = (*inside, *exits, keys[:, None], keys - 1)
    made, table, control = (
        new_rows(1, 1, 1),
        new_table(4, 1),
        np.zeros(search_stack.CONTROL, np.int64),
    )
    scale, words = (2.0, 0, 2, 1, 2), new_words(1, 1)
    levels.learn(made, table, unlabelled_bounds.NONE, few, control, scale, words, 0)
    levels.go_on(made, table, patterns, control, 2.0, 0)
    levels.pattern_of(keys[:, None], keys - 1, keys[:, None])
    slot = int(transposition_table.place(table, keys[:, None], 0))
    transposition_table.find(table, slot, keys[:, None], 0)
    shapes = np.full((2, 4), unlabelled_bounds.EMPTY)
    unlabelled_bounds.look(shapes, 0, 0)
    unlabelled_bounds.fill(shapes, keys[:0, None], np.zeros((0, 3)))
    small, bare = np.zeros((2, 1), np.int32), np.zeros((2, 1, 1), np.int32)
    calls = small, small.astype(np.int8), bare, bare
    unlabelled_bounds.mark(inside, calls, 1, np.zeros((0, 1)), np.zeros((0, 0)))
    heads = np.zeros(0, np.int8), np.zeros(0), few[:1], np.zeros((0, 2), np.uint8)
    bytes_ = np.zeros(0, np.uint8)
    ways = few, np.zeros((0, 2), np.int64), np.zeros(0), *calls
    unlabelled_bounds.forget(
        heads, (bytes_, bytes_, np.zeros((0, 3))), inside, ways, np.zeros((0, 3))
    )
