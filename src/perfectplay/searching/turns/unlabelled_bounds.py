"""Bounds and heuristic values from a smaller game, that of unlabelled positions.

If pieces have labels that chance calls (positions/unlabelled.py), positions that differ in labels
alone have the same unlabelled position. Let the player on turn relabel their pieces before every
turn: that is worth at least as much to them as the labels they really have. If the opponent does
it, at most as much. So, over all labellings of an unlabelled position,

    least value of a turn, by `low` of children <= value <= most value of a turn, by their `high`

and the average over all labellings is a good guess. There are far fewer unlabelled positions than
positions: they are found and valued before a search begins.

Numbers are floats, moved outwards by more than they can err."""

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from perfectplay.compiled.arrays import Array, Bytes, Floats, Ints, Kinds
from perfectplay.compiled.intrinsics import load_key
from perfectplay.compiled.kernels import kernel
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.positions.labels import MOST, Labellings
from perfectplay.positions.turns.native import NativeTurns
from perfectplay.positions.unlabelled import BATCH, HELD, Unlabelled, has_labels
from perfectplay.rules.capabilities import labels
from perfectplay.rules.game import OVER
from perfectplay.searching.search_stack import slot_of
from perfectplay.searching.stubs import unlabelled_key
from perfectplay.searching.turns.turn_stack import PatternGraph
from perfectplay.strata.unlabelled_edges import Calls, calls_of

FEW = 2**24
"""Unlabelled positions that are valued before a search, at most."""
MOST_TIME = 0.5
"""The part of the time for a search that they may take."""
OUTWARDS = 1e-12
"""How far bounds are moved at each position: floats err by a thousandth of that."""
UNLABELLED_KEY, UNLABELLED_LOW, UNLABELLED_HIGH, UNLABELLED_GUESS = 0, 1, 2, 3
"""Columns of the table."""
UNLABELLED_FINE = 2.0**44
"""Bounds and guesses are stored as integers: so many are 1."""
EMPTY = -(2**63)
"""The guess in a slot that holds nothing."""
NO_TABLE = np.zeros((0, 4), np.int64)
APART = 64.0
"""How much more each piece is worth than the one before, where labellings are compared."""


class Distinct(NamedTuple):
    """Labellings that differ in what they make of the values of pieces; those of so many pieces
    are number first[pieces] … first[pieces + 1] - 1."""

    first: Ints
    labelling: Ints
    share: Floats
    """The part of all labellings of so many pieces that are like this one."""


class Expanded(NamedTuple):
    """Some unlabelled positions, and where they lead."""

    kind: Kinds
    payoff: Floats
    first: Ints
    pieces: Bytes
    """uint8[n, 2]: how many pieces both players have, the player on turn first."""
    piece: Bytes
    swap: Bytes
    child: Floats
    """float64[edges, 3]: what is known of where an edge leads."""


class TooManyPositionsError(Exception):
    """There are more unlabelled positions than are worth it, or than there is time for."""


def unlabelled_table(
    rules: NativeTurns, root: Any, *, pairs: bool, limit: TimeLimit | None = None
) -> Ints:
    """A table of unlabelled positions (int64[slots, 4], see `find_unlabelled`) for a search from
    `root` on; empty if the game has no labels, too many unlabelled positions, or they would take
    more than half of the time that is left."""
    game: Any = rules.game
    if not has_labels(rules) or labels(game) > MOST or rules.width != 1:
        return NO_TABLE
    if game.turn(root) != 0 or game.to_move(root) == OVER:
        return NO_TABLE
    unlabelled = Unlabelled(rules)
    if (game.most_positions or 0) > FEW * int(unlabelled.labellings.counts.max()) ** 2:
        return NO_TABLE
    share = TimeLimit(None) if limit is None else limit.share(MOST_TIME)

    def watch(_rows: int, held: int) -> None:
        if held > 2 * HELD * FEW or share.over:
            raise TooManyPositionsError

    try:
        if not unlabelled.find(rules.keys([game.unlabel(root)[0]]), watch):
            return NO_TABLE
        calls = calls_of(unlabelled)
        if calls is None:
            return NO_TABLE
        _compare(unlabelled, calls)
        return _table(unlabelled, _values(unlabelled, calls, watch, pairs=pairs))
    except TooManyPositionsError:
        return NO_TABLE


def bounds_in(table: Ints, game: Any, position: Any) -> tuple[Fraction, Fraction] | None:
    """Bounds on a position, if the table knows it, and so all that can follow; otherwise None."""
    if not len(table):
        return None
    key = np.array([[game.unlabelled_key(position)]], np.int64)
    at = find_unlabelled(table, slot_of(key, 0, 0, len(table)), int(key[0, 0]))
    if at < 0:
        return None
    low, high = (int(table[at, column]) for column in (UNLABELLED_LOW, UNLABELLED_HIGH))
    return Fraction(low, int(UNLABELLED_FINE)), Fraction(high, int(UNLABELLED_FINE))


def _compare(unlabelled: Unlabelled, calls: Calls) -> None:
    """Compare a position of every stratum with what is said of it without its labels: where each
    piece leads, and which pattern its turn has."""
    rules, names = unlabelled.rules, unlabelled.labellings
    dice = np.random.default_rng(1)
    for here in unlabelled.strata.values():
        s = int(dice.integers(len(here.keys)))
        exits = unlabelled.exits(here.keys[s : s + 1])
        a, b = (int(x) for x in here.pieces[s])
        if exits is None or exits.kind[0] == OVER:
            continue
        i, k = (int(dice.integers(names.counts[each])) for each in (a, b))
        mine, other = int(names.table[a, i]), int(names.table[b, k])
        p = unlabelled.game.relabel(rules.position(here.keys[s]), mine, other)
        said = rules.expand(rules.keys([p]))
        led = [
            (unlabelled.game.unlabel(rules.position(each))[0], int(x))
            for each, x in zip(
                said.child, np.broadcast_to(said.swap, len(said.child)), strict=True
            )
        ]
        end = int(exits.first[-1])
        known = zip(exits.child[:end], exits.swap[:end], strict=True)
        same = sorted(led) == sorted((rules.position(each), int(x)) for each, x in known)
        if not same or said.pattern[0] != calls.pattern[a, i]:
            raise unlabelled.contradiction(here.keys[s])


def _values(
    unlabelled: Unlabelled, calls: Calls, watch: Callable[[int, int], None], *, pairs: bool
) -> dict[int, Array]:
    """float64[n, 3] of each stratum, from the lowest up: at least, at most, about."""
    p = unlabelled.rules.turn_patterns.patterns()
    graph = PatternGraph(p.start, p.kind, p.first, p.to, p.weight)
    distinct = _distinct(graph, calls, unlabelled.labellings)
    known: dict[int, Array] = {}
    for stratum in sorted(unlabelled.strata):
        keys = unlabelled.strata[stratum].keys
        out = np.empty((len(keys), 3))
        for low in range(0, len(keys), BATCH):
            expanded = _expanded(unlabelled, keys[low : low + BATCH], known, pairs=pairs)
            evaluate(expanded, graph, calls, distinct, out[low : low + BATCH])
            watch(0, 0)
        known[stratum] = out
    return known


def _expanded(
    unlabelled: Unlabelled, keys: Array, known: dict[int, Array], *, pairs: bool
) -> Expanded:
    """Some unlabelled positions, with what is known of where they lead."""
    exits = unlabelled.exits(keys)
    assert exits is not None
    end = int(exits.first[-1])
    child = np.empty((end, 3))
    for stratum in np.unique(exits.stratum[:end]).tolist():
        edges = np.flatnonzero(exits.stratum[:end] == stratum)
        child[edges] = known[stratum][unlabelled.place(stratum, exits.child[edges])]
    paid = exits.payoff[:, 0].astype(np.float64)
    if pairs and exits.payoff.shape[1] > 1:
        paid -= exits.payoff[:, 1]
    return Expanded(exits.kind, paid, exits.first, exits.pieces, exits.moved, exits.swap, child)


def _distinct(graph: PatternGraph, calls: Calls, labellings: Labellings) -> Distinct:
    """The labellings that differ, found by trial: pieces of which each is worth far more than the
    one before, in all orders, distinguish all averages of maxima."""
    first, found, share = [0], [], []
    for pieces, count in enumerate(labellings.counts.tolist()):
        if pieces and calls.pattern[pieces, 0] >= 0:
            trials = APART ** np.array(list(permutations(range(pieces))), np.float64)
            marks = np.empty((count, len(trials)))
            mark(graph, calls, pieces, trials, marks)
            _, which, many = np.unique(
                marks.round(3), axis=0, return_index=True, return_counts=True
            )
            found += which.tolist()
            share += (many / count).tolist()
        first.append(len(found))
    return Distinct(np.array(first), np.array(found, np.int64), np.array(share))


@kernel
def mark(graph: PatternGraph, calls: Calls, pieces: int, trials: Floats, marks: Floats) -> None:
    """Fill marks[i, k] with the value of a turn with labelling i, by the values trials[k] of
    pieces."""
    for i in range(len(marks)):
        for k in range(len(trials)):
            marks[i, k] = _turn(graph, calls, pieces, i, trials[k])


@kernel
def _turn(graph: PatternGraph, calls: Calls, pieces: int, labelling: int, worth: Floats) -> float:
    """The value of a turn with this labelling, if moving piece k is worth worth[k]."""
    start, kind, first, to, weight = graph
    patterns, many, exits, moved = calls
    number = patterns[pieces, labelling]
    begin = start[number]
    value = np.empty(start[number + 1] - begin)
    for j in range(len(value)):
        node = begin + j
        best, total, none = 0.0, 0, True
        for t in range(many[pieces, labelling]):
            if exits[pieces, labelling, t] == j:
                best, none = worth[moved[pieces, labelling, t]], False
        for e in range(first[node], first[node + 1]):
            if kind[node] < 0:
                best += weight[e] * value[to[e]]
                total += weight[e]
            elif none or value[to[e]] > best:
                best, none = value[to[e]], False
        value[j] = best / total if kind[node] < 0 else best
    return value[-1]


@kernel
def evaluate(
    expanded: Expanded, graph: PatternGraph, calls: Calls, distinct: Distinct, out: Floats
) -> None:
    """Fill out[s] with (low, high, guess) of position s, by those of its children."""
    kinds, payoff, first, counts, piece, swap, child = expanded
    begin, distinct_labelling, share = distinct
    worth = np.empty((3, 8))
    for s in range(len(kinds)):
        if kinds[s] == OVER:
            out[s, 0] = out[s, 1] = out[s, 2] = payoff[s]
            continue
        pieces = counts[s, 0]
        # 1. The best that moving each piece is worth to the player on turn: low, high and guess.
        worth[:, :pieces] = -np.inf
        for e in range(first[s], first[s + 1]):
            for c in range(3):
                v = -child[e, 1 - c if c < 2 else 2] if swap[e] else child[e, c]
                worth[c, piece[e]] = max(worth[c, piece[e]], v)
        # 2. The least, the most and the average of all labellings.
        low, high, guess = np.inf, -np.inf, 0.0
        for i in range(begin[pieces], begin[pieces + 1]):
            labelling = distinct_labelling[i]
            low = min(low, _turn(graph, calls, pieces, labelling, worth[0]))
            high = max(high, _turn(graph, calls, pieces, labelling, worth[1]))
            guess += share[i] * _turn(graph, calls, pieces, labelling, worth[2])
        out[s, 0], out[s, 1], out[s, 2] = low - OUTWARDS, high + OUTWARDS, guess


def _table(unlabelled: Unlabelled, values: dict[int, Array]) -> Ints:
    """All values, by what identifies a position without its labels."""
    rules = unlabelled.rules
    keys_of = rules_kernel(unlabelled_keys, rules.game)
    many = sum(len(each) for each in values.values())
    table = np.zeros((2 * many + 1, 4), np.int64)
    table[:, UNLABELLED_GUESS] = EMPTY
    for stratum, known in values.items():
        keys = unlabelled.strata[stratum].keys
        out = np.empty((len(keys), 1), np.int64)
        rules.called(keys_of, rules.game, rules.sample, keys, out)
        if fill(table, out, known) >= 0:
            return NO_TABLE
    return table


def unlabelled_keys(rules: Any, sample: Any, keys: Ints, out: Ints) -> None:
    """Fill `out` with what identifies positions without their labels."""
    for i in range(len(keys)):
        out[i, 0] = unlabelled_key(rules, load_key(keys, i, sample))


@kernel
def fill(table: Ints, keys: Ints, known: Floats) -> int:
    """Put positions into the table; one that is there already, or -1."""
    for i in range(len(keys)):
        at = slot_of(keys, i, 0, len(table))
        while table[at, UNLABELLED_GUESS] != EMPTY:
            if table[at, UNLABELLED_KEY] == keys[i, 0]:
                return i
            at = at + 1 if at + 1 < len(table) else 0
        table[at, UNLABELLED_KEY] = keys[i, 0]
        table[at, UNLABELLED_LOW] = np.int64(np.floor(known[i, 0] * UNLABELLED_FINE))
        table[at, UNLABELLED_HIGH] = np.int64(np.ceil(known[i, 1] * UNLABELLED_FINE))
        table[at, UNLABELLED_GUESS] = np.int64(known[i, 2] * UNLABELLED_FINE)
    return -1


@kernel
def find_unlabelled(table: Ints, slot: int, key: int) -> int:
    """The slot of a position, looked for from `slot` on; -1 if it is not there."""
    while table[slot, UNLABELLED_GUESS] != EMPTY:
        if table[slot, UNLABELLED_KEY] == key:
            return slot
        slot = slot + 1 if slot + 1 < len(table) else 0
    return -1
