"""What workers do: tasks that lead from files to files.

    explore  runs of keys -> the new keys of a shard; runs for the strata that they lead to; facts
    close    keys of a shard, found in several rounds -> all of them, in the order of their hashes
    solve    keys of a shard, values of lower strata -> its values
    moves, settle: the same in rounds, where moves stay in a large stratum (round_tasks.py)

A task gets JSON and returns JSON, in which arrays are slices of files (shard_files.py). It depends
on nothing else, so that it can be done by any worker, and done again. What a worker keeps of a run
between two tasks (`Workshop`) only saves time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.explore import BATCH, CHILDREN, ExpandedBatch, expanded
from perfectplay.solvers.exact.denominators import Denominators
from perfectplay.solving.shards.round_tasks import moves, settle
from perfectplay.solving.shards.row_solver import joined, order_matters, part_size
from perfectplay.solving.shards.shard_edges import strata_of
from perfectplay.solving.shards.shard_files import Json, get, put
from perfectplay.solving.shards.shard_keys import grouped
from perfectplay.solving.shards.workshop import Workshop
from perfectplay.strata.facts import FactFinder

MANY = 1 << 18
"""Positions after which a task leaves what else it finds in its own stratum to the next round."""


# -- Exploring. -----------------------------------------------------------------------------------


def explore(shop: Workshop, given: Json) -> Json:
    """Take the keys of a shard out of runs, but for those that are `known`; expand them."""
    stratum, shard, bits = given["stratum"], given["shard"], given["bits"]
    known = [_range(shop, each, shard, bits) for each in given["known"]]
    come = [_range(shop, each, shard, bits) for each in given["runs"]]
    walk = _Walk(shop, stratum, shard, bits, sum(map(len, (*known, *come))))
    for keys in known:
        walk.mine.insert(keys)
    fresh = [keys[walk.mine.insert(keys)] for keys in come]
    expanded_keys = walk.expand(fresh)
    name = f"{stratum}.{given['round']}.{shard}"
    own = walk.mine
    if known or stratum in walk.runs:  # the set holds others, too
        own = shop.keys.growing(bits, len(expanded_keys))
        own.insert(expanded_keys)
    (found,) = put(shop.folder, f"{name}.keys", [own.ordered()[0]])
    targets = sorted(walk.runs)
    runs = put(shop.folder, f"{name}.runs", (walk.runs[t].ordered()[0] for t in targets))
    book = shop.rules.turn_patterns
    return {
        "keys": found,
        "runs": dict(zip(map(str, targets), runs, strict=True)),
        "below": sorted(walk.below),
        "edges": walk.edges,
        "facts": walk.facts.noted(),
        "gauge": walk.gauge.noted_part() if walk.gauge is not None else None,
        "roots": shop.keys.of(book.roots()).tolist() if book is not None and shop.native else [],
    }


class _Walk:
    """The expansion of one shard."""

    def __init__(self, shop: Workshop, stratum: int, shard: int, bits: int, expected: int) -> None:
        self.shop, self.stratum, self.shard, self.bits = shop, stratum, shard, bits
        self.mine = shop.keys.growing(bits, expected)
        self._expected = expected
        self.runs: dict[int, Any] = {}
        self.below: set[int] = set()
        self.edges = self.rows = 0
        book = shop.rules.turn_patterns
        self.facts = FactFinder(shop.rules.game, book)
        self.gauge = Denominators(book) if shop.options.exact else None

    def expand(self, pending: list[Array]) -> Array:
        """Expand keys, and those of the same shard that turn up; all that were expanded."""
        done = [self.shop.keys.none()]
        while pending:
            if self.rows > MANY:
                for keys in pending:
                    self._run(self.stratum).insert(keys)
                break
            fresh: list[Array] = []
            for keys in pending:
                at = 0
                while at < len(keys):
                    part = keys[at : at + self._batch_size()]
                    at += len(part)
                    fresh += self._part(part)
                done.append(keys)
            pending = [keys for keys in fresh if len(keys)]
        return np.concatenate(done)

    def _batch_size(self) -> int:
        children = self.edges / self.rows if self.rows else 16.0
        return int(max(64, min(BATCH, CHILDREN / max(children, 1.0))))

    def _run(self, stratum: int) -> Any:
        if stratum not in self.runs:
            # Children in one lower stratum are often as many as their parents.
            room = self._expected if not self.runs else 0
            self.runs[stratum] = self.shop.keys.growing(0, room)
        return self.runs[stratum]

    def _part(self, part: Array) -> list[Array]:
        """New keys of the same shard that some keys lead to; the others go to runs."""
        found = expanded(self.shop.rules, self.shop.keys.positions(part))
        self.rows += len(part)
        self.edges += found.edges
        children, strata = self.shop.keys.of(found.batch.child), strata_of(found)
        keys, _, groups = found.groups or grouped(children, strata)
        fresh = []
        for number, begin, end in groups:
            if number > self.stratum:
                raise self._rises(children[int(strata.argmax())], number)
            self.below.add(number)
            hand = keys[begin:end]
            if number == self.stratum and self.bits:
                here = self.shop.keys.shard_of(hand, self.bits) == self.shard
                self._run(number).insert(hand[~here])
                hand = hand[here]
            if number == self.stratum:
                fresh.append(hand[self.mine.insert(hand)])
            else:
                self._run(number).insert(hand)
        self._note(found, stays=self.stratum in self.below)
        return fresh

    def _note(self, found: ExpandedBatch, *, stays: bool) -> None:
        layer = found.as_stratum(self.stratum, None, np.empty(found.edges, np.uint32))
        self.facts.look(layer)
        if self.gauge is not None and not stays:
            self.gauge.part(layer)

    def _rises(self, key: Any, high: int) -> RulesError:
        return RulesError(
            f"{type(self.shop.rules.game).__name__}: stratum(p) rises from {self.stratum} to "
            f"{high} on a move to {self.shop.keys.shown(key)}",
            "stratum(p) must never rise: count what can only shrink, such as pieces left",
        )


def close(shop: Workshop, given: Json) -> Json:
    """All keys of a shard, which were found in several rounds."""
    shard, bits = given["shard"], given["bits"]
    mine = shop.keys.growing(bits)
    for each in given["known"]:
        mine.insert(_range(shop, each, shard, bits))
    (keys,) = put(shop.folder, f"{given['stratum']}.{shard}.keys", [mine.ordered()[0]])
    return {"keys": keys}


def _range(shop: Workshop, given: Any, shard: int, bits: int) -> Array:
    """The keys of a shard in a run, which is in the order of hashes."""
    keys = get(shop.folder, given)
    if not bits:
        return keys
    begin, end = shop.keys.shard_range(keys, shard, bits)
    return keys[begin:end]


# -- Solving. -------------------------------------------------------------------------------------


def solve(shop: Workshop, given: Json) -> Json:
    """The values of a shard; of a whole stratum, if moves stay in it."""
    stratum, shard = given["stratum"], given["shard"]
    known = shop.known
    layer = shop.strata.keys(stratum)
    solver = shop.solver
    if layer["inside"]:
        keys = np.concatenate([get(shop.folder, each) for each in layer["keys"]])
        order = shop.keys.by_key(keys) if order_matters(solver.facts) else None
        parts, rows = [keys if order is None else keys[order]], len(keys)
    else:
        keys = get(shop.folder, layer["keys"][shard])
        size, rows, order = part_size(known["per_row"]), len(keys), None
        parts = [keys[at : at + size] for at in range(0, rows, size)]
    alone = replace(shop.options, workers=1)
    solved = joined((solver.solve(part, stratum, alone) for part in parts), rows).rows
    columns = dict(solved.columns)
    if solved.top is not None:
        columns["top"] = solved.top
    if order is not None:
        for name, column in columns.items():
            columns[name] = np.empty_like(column)
            columns[name][order] = column
    name = f"{stratum}.{shard}.values"
    where = put(shop.folder, name, columns.values())
    return {
        "columns": dict(zip(columns, where, strict=True)),
        "work": vars(solved.work),
        "denominator": str(solved.denominator),
        "total": str(solved.total),
    }


TASKS: dict[str, Callable[[Workshop, Json], Json]] = {
    "explore": explore,
    "close": close,
    "solve": solve,
    "moves": moves,
    "settle": settle,
}
