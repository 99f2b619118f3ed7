"""The tasks of strata that are solved in rounds (rounds.py).

moves   keys of a shard, values of lower strata -> where its moves lead, what is settled at once
settle  that, and the values of all shards one depth before -> its values at this depth"""

from __future__ import annotations

from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.solving.shards.round_kernels import ShardMoves, prepare, settle_depth
from perfectplay.solving.shards.row_solver import part_size
from perfectplay.solving.shards.shard_edges import Place
from perfectplay.solving.shards.shard_files import Json, get, put
from perfectplay.solving.shards.workshop import Workshop
from perfectplay.strata.facts import graph


def moves(shop: Workshop, given: Json) -> Json:
    """Where the moves of a shard lead, and what is settled before the first round."""
    stratum, shard = given["stratum"], given["shard"]
    layer = shop.strata.keys(stratum)
    begins = np.cumsum([0, *(each[3] for each in layer["keys"])])
    keys = get(shop.folder, layer["keys"][shard])
    size = part_size(shop.known["per_row"])
    parts = [
        _prepared(shop, stratum, keys[at : at + size], begins) for at in range(0, len(keys), size)
    ]
    lead = [np.concatenate(column) for column in zip(*(each for each, _ in parts), strict=True)]
    first = np.zeros(len(keys) + 1, np.int64)
    np.cumsum(lead[1], out=first[1:])
    lead[1] = first
    status = [np.concatenate(column) for column in zip(*(each for _, each in parts), strict=True)]
    return {
        "moves": put(shop.folder, f"{stratum}.{shard}.moves", lead),
        "status": put(shop.folder, f"{stratum}.{shard}.0.status", status),
    }


def _prepared(
    shop: Workshop, stratum: int, part: Array, begins: Array
) -> tuple[list[Array], list[Array]]:
    """(moves of some rows, with how many edges each has in place of where they begin; their values
    and depths)."""
    resolved = shop.edges.resolve(part, stratum, inside=False)
    here = graph(resolved.found.as_stratum(stratum, None, resolved.child), shop.facts, None, 1)
    value = np.zeros(resolved.low, np.int8)
    plies = np.zeros(resolved.low, np.int32)
    inside = np.full(resolved.low, -1, np.int64)
    at = 0
    place: Place
    for place, there in resolved.outside:
        end = at + len(there)
        if place[0] == stratum:
            inside[at:end] = begins[place[1]] + there
        else:
            columns = shop.strata.columns(place, stratum)
            value[at:end], plies[at:end] = columns["outcome"][there], columns["depth"][there]
        at = end
    n = len(part)
    mover, first = np.empty(n, np.int8), np.zeros(n + 1, np.int64)
    edge = np.empty(len(resolved.child), np.int64)
    fastest, slowest = np.empty(n, np.int32), np.empty(n, np.int32)
    status: list[Array] = [np.empty(n, np.int8), np.empty(n, np.int32)]
    rows = here.kind, here.payoff, here.first, here.child.astype(np.int64), here.swap
    lead = ShardMoves(mover, first, edge, fastest, slowest)
    end = int(prepare(rows, (value, plies, inside), lead, (status[0], status[1])))
    return [mover, np.diff(first), edge[:end], fastest, slowest], status


def settle(shop: Workshop, given: Json) -> Json:
    """Settle the rows of a shard that have a depth."""
    every = np.concatenate([get(shop.folder, each) for each in given["values"]])
    depth = get(shop.folder, given["depth"]).copy()
    value = every[given["before"] : given["before"] + len(depth)].copy()
    lead = ShardMoves(*(get(shop.folder, each) for each in given["moves"]))
    settled, left, ahead = settle_depth(lead, given["round"], every, value, depth)
    said: dict[str, Any] = {"settled": int(settled), "left": int(left), "ahead": int(ahead)}
    if settled:
        name = f"{given['stratum']}.{given['shard']}.{given['round']}.status"
        said["status"] = put(shop.folder, name, [value, depth])
    return said
