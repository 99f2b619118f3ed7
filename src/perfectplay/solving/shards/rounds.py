"""Win, draw and loss of a stratum in which moves stay, shard by shard, one depth after the other.

First every shard writes down where its moves lead (task `moves`); then, depth by depth, those that
have rows left settle what the depth before makes clear (task `settle`). No worker holds more than
its shard and one byte for each row of the stratum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.solvers.work import Work
from perfectplay.solving.shards.dispatcher import Dispatcher
from perfectplay.solving.shards.round_kernels import NEVER, OPEN
from perfectplay.solving.shards.shard_files import Slice, get, slices
from perfectplay.strata.graph import Facts

ROWS = 1 << 22
"""Rows from which on a stratum is solved in rounds: fewer are solved by one worker at once."""


def serves(facts: Facts, rows: int) -> bool:
    """Whether a stratum in which moves stay is solved in rounds."""
    return facts.outcome and facts.endless == 0 and rows >= ROWS


def in_rounds(
    tasks: Dispatcher, stratum: int, keys: list[Slice], remove: Callable[[str], None]
) -> tuple[dict[str, Array], Work]:
    """The values of a stratum; files of rounds that are over are removed."""
    folder, rows = tasks.shop.folder, sum(each.rows for each in keys)
    open_ = [shard for shard, each in enumerate(keys) if each.rows]
    begun = tasks.do("moves", [{"stratum": stratum, "shard": c} for c in open_], rows=rows)
    known = {c: slices(each["moves"]) for c, each in zip(open_, begun, strict=True)}
    status = {c: slices(each["status"]) for c, each in zip(open_, begun, strict=True)}
    depth = 1
    while open_:
        every = [
            {
                "stratum": stratum, "shard": c, "round": depth, "moves": known[c],
                "values": [each[0] for each in status.values()],
                "before": sum(status[b][0].rows for b in status if b < c), "depth": status[c][1],
            }
            for c in open_
        ]  # fmt: skip
        results = tasks.do("settle", every, rows=rows)
        for c, each in zip(open_, results, strict=True):
            if each["settled"]:
                remove(status[c][0].file)
                status[c] = slices(each["status"])
        ahead = min(each["ahead"] for each in results)
        if any(each["settled"] for each in results):
            depth += 1
        elif ahead < NEVER:
            depth = ahead
        else:
            break
        open_ = [c for c, each in zip(open_, results, strict=True) if each["left"]]
    value = np.concatenate([get(folder, each[0]) for each in status.values()])
    plies = np.concatenate([get(folder, each[1]) for each in status.values()])
    value[value == OPEN] = 0
    if plies.max(initial=0) < np.iinfo(np.int16).max:
        plies = plies.astype(np.int16)
    for c in known:
        remove(known[c][0].file)
        remove(status[c][0].file)
    return {"outcome": value, "depth": plies}, Work({"retrograde": rows})
