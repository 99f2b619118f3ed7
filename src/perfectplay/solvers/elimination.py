"""Linear systems A x = b by elimination, with the same bytes on every processor.

A = I - M, where M has no negative entries and no row of it adds up to more than 1: M x is what
play comes to after one move. Such a matrix needs no row exchanges, so unknowns may be eliminated
in any order. We take one whose row and column are short, so that few new entries come up
(Markowitz 1957). The order depends on the places of the entries alone, and so does the order of
all sums. Libraries of linear algebra choose their kernels by the processor, and their last bits
differ between processors."""

import heapq
from typing import NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bools, Floats, Ints
from perfectplay.compiled.kernels import kernel

NONE = -1
"""The end of a list of entries."""


class MatrixEntries(NamedTuple):
    """The entries of a matrix, each in the list of its row and in the list of its column."""

    row: Ints
    column: Ints
    number: Floats
    next_in_row: Ints
    next_in_column: Ints


class EntryLists(NamedTuple):
    """Where the lists of rows and columns begin, and how many entries of unknowns that are left
    they have."""

    of_row: Ints
    of_column: Ints
    row_length: Ints
    column_length: Ints


def solve_system(rows: Array, columns: Array, data: Array, right: Array) -> Array | None:
    """x with A x = right (one column for each right-hand side), or None if there is no single one.
    MatrixEntries of A that are named twice are added up."""
    flat = right.reshape(len(right), -1)
    cells = np.asarray(rows, np.int64), np.asarray(columns, np.int64), np.asarray(data, np.float64)
    x, found = _solve(*cells, np.ascontiguousarray(flat, np.float64))
    return x.reshape(right.shape) if found and np.isfinite(x).all() else None


@kernel
def _solve(rows: Ints, columns: Ints, data: Floats, right: Floats) -> tuple[Floats, bool]:
    entries, lists = linked(rows, columns, data, len(right))
    order, pivots, entries = eliminate(entries, lists, len(rows))
    if len(order) < len(right):
        return right, False
    x = right.copy()
    substitute(entries, lists, order, pivots, x)
    # One step of refinement: what A x misses is solved for, too.
    missing = right.copy()
    for e in range(len(rows)):
        for side in range(right.shape[1]):
            missing[rows[e], side] -= data[e] * x[columns[e], side]
    substitute(entries, lists, order, pivots, missing)
    for k in range(len(right)):
        for side in range(right.shape[1]):
            x[k, side] += missing[k, side]
    return x, True


@kernel
def linked(rows: Ints, columns: Ints, data: Floats, size: int) -> tuple[MatrixEntries, EntryLists]:
    """The entries in lists, those of one place added up."""
    room = 2 * len(rows) + 16
    entries = MatrixEntries(
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )
    lists = EntryLists(
        np.full(size, NONE, np.int64),
        np.full(size, NONE, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
    )
    place = np.full(size, NONE, np.int64)
    for e in range(len(rows)):
        entries.row[e] = rows[e]
        entries.column[e] = columns[e]
        entries.number[e] = data[e]
        entries.next_in_row[e] = lists.of_row[rows[e]]
        lists.of_row[rows[e]] = e
    for i in range(size):
        e = lists.of_row[i]
        lists.of_row[i] = NONE
        while e != NONE:
            after = entries.next_in_row[e]
            j = entries.column[e]
            if place[j] != NONE:
                entries.number[place[j]] += entries.number[e]
            else:
                place[j] = e
                enlist(entries, lists, e, i, j)
            e = after
        e = lists.of_row[i]
        while e != NONE:
            place[entries.column[e]] = NONE
            e = entries.next_in_row[e]
    return entries, lists


@kernel
def enlist(entries: MatrixEntries, lists: EntryLists, e: int, i: int, j: int) -> None:
    """Put entry e at the head of the lists of row i and column j."""
    entries.row[e] = i
    entries.column[e] = j
    entries.next_in_row[e] = lists.of_row[i]
    entries.next_in_column[e] = lists.of_column[j]
    lists.of_row[i] = e
    lists.of_column[j] = e
    lists.row_length[i] += 1
    lists.column_length[j] += 1


@kernel
def eliminate(
    entries: MatrixEntries, lists: EntryLists, filled: int
) -> tuple[Ints, Floats, MatrixEntries]:
    """The order in which unknowns were eliminated, their pivots, and the entries: what is above
    the diagonal in this order, and below it by how much rows were subtracted. The order is cut
    short where a pivot is 0."""
    size = len(lists.of_row)
    order = np.empty(size, np.int64)
    pivots = np.zeros(size)
    done = np.zeros(size, np.bool_)
    place = np.full(size, NONE, np.int64)
    queue = [cost(lists, k) * size + k for k in range(size)]
    heapq.heapify(queue)
    step = 0
    while step < size:
        # 1. The unknown of least cost; what the queue says of others may be out of date.
        code = heapq.heappop(queue)
        k = code % size
        if done[k] or code // size != cost(lists, k):
            continue
        # 2. Its row without the unknowns that are gone, and its pivot.
        shorten_row(entries, lists, k, done)
        e = lists.of_row[k]
        while e != NONE:
            if entries.column[e] == k:
                pivots[k] = entries.number[e]
            e = entries.next_in_row[e]
        if pivots[k] == 0.0:
            break
        # 3. Subtract it from every row that has the unknown.
        e = lists.of_column[k]
        while e != NONE:
            i = entries.row[e]
            if i != k and not done[i]:
                entries.number[e] /= pivots[k]
                room = filled + lists.row_length[k]
                if room > len(entries.row):
                    entries = with_room(entries, filled, 2 * room)
                filled = subtract(entries, lists, k, e, (done, place), filled)
            e = entries.next_in_column[e]
        # 4. Rows and columns that it was in have one entry less.
        order[step] = k
        done[k] = True
        step += 1
        requeue(entries, lists, k, done, queue)
    return order[:step], pivots, entries


@kernel
def requeue(
    entries: MatrixEntries, lists: EntryLists, k: int, done: Bools, queue: list[int]
) -> None:
    """Count k out of its column and its row, and queue the unknowns there with their new costs."""
    size = len(done)
    e = lists.of_column[k]
    while e != NONE:
        i = entries.row[e]
        if not done[i]:
            lists.row_length[i] -= 1
            heapq.heappush(queue, cost(lists, i) * size + i)
        e = entries.next_in_column[e]
    e = lists.of_row[k]
    while e != NONE:
        j = entries.column[e]
        if j != k:
            lists.column_length[j] -= 1
            heapq.heappush(queue, cost(lists, j) * size + j)
        e = entries.next_in_row[e]


@kernel
def cost(lists: EntryLists, k: int) -> int:
    """How many entries change if k is eliminated, at most."""
    return int(max(0, lists.row_length[k] - 1) * max(0, lists.column_length[k] - 1))


@kernel
def shorten_row(entries: MatrixEntries, lists: EntryLists, i: int, done: Bools) -> None:
    """Take unknowns that are gone out of the list of a row. They stay in those of their
    columns."""
    before = NONE
    e = lists.of_row[i]
    while e != NONE:
        after = entries.next_in_row[e]
        if not done[entries.column[e]]:
            before = e
        elif before == NONE:
            lists.of_row[i] = after
        else:
            entries.next_in_row[before] = after
        e = after


@kernel
def subtract(
    entries: MatrixEntries,
    lists: EntryLists,
    k: int,
    e: int,
    marks: tuple[Bools, Ints],
    filled: int,
) -> int:
    """Subtract row k as often as entry e says from the row of e; how many entries there are
    then. `marks`: the unknowns that are gone, and an array of NONE to work with."""
    done, place = marks
    i, share = entries.row[e], entries.number[e]
    shorten_row(entries, lists, i, done)
    f = lists.of_row[i]
    while f != NONE:
        place[entries.column[f]] = f
        f = entries.next_in_row[f]
    f = lists.of_row[k]
    while f != NONE:
        j = entries.column[f]
        if j != k:
            if place[j] == NONE:
                place[j] = filled
                entries.number[filled] = 0.0
                enlist(entries, lists, filled, i, j)
                filled += 1
            entries.number[place[j]] -= share * entries.number[f]
        f = entries.next_in_row[f]
    f = lists.of_row[i]
    while f != NONE:
        place[entries.column[f]] = NONE
        f = entries.next_in_row[f]
    return filled


@kernel
def with_room(entries: MatrixEntries, filled: int, room: int) -> MatrixEntries:
    """The same entries, with room for as many."""
    wider = MatrixEntries(
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )
    for e in range(filled):
        wider.row[e] = entries.row[e]
        wider.column[e] = entries.column[e]
        wider.number[e] = entries.number[e]
        wider.next_in_row[e] = entries.next_in_row[e]
        wider.next_in_column[e] = entries.next_in_column[e]
    return wider


@kernel
def substitute(
    entries: MatrixEntries, lists: EntryLists, order: Ints, pivots: Floats, x: Floats
) -> None:
    """Turn right-hand sides into solutions: forwards with what was subtracted, then backwards."""
    when = np.empty(len(order), np.int64)
    for step in range(len(order)):
        when[order[step]] = step
    for k in order:
        e = lists.of_column[k]
        while e != NONE:
            if when[entries.row[e]] > when[k]:
                for side in range(x.shape[1]):
                    x[entries.row[e], side] -= entries.number[e] * x[k, side]
            e = entries.next_in_column[e]
    for step in range(len(order) - 1, -1, -1):
        k = order[step]
        e = lists.of_row[k]
        while e != NONE:
            if when[entries.column[e]] > step:
                for side in range(x.shape[1]):
                    x[k, side] -= entries.number[e] * x[entries.column[e], side]
            e = entries.next_in_row[e]
        for side in range(x.shape[1]):
            x[k, side] /= pivots[k]
