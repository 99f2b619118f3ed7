"""Pattern databases (Culberson and Schaeffer 1998): for every position with some things forgotten,
the least cost to a goal, which bounds the cost of all positions that look like that.

Where rules number blurred positions (`blur_index`), a database is an array, built breadth first
from the goals (flood.py) and kept on disk (database_files.py). Else the abstraction is solved as a
game of its own (blurred.py), from what the searched position looks like on, and its positions are
kept in a hash table."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from perfectplay.answer.solve import solve
from perfectplay.compiled.arrays import Array, Bytes, Ints
from perfectplay.compiled.digest import compiled_digest
from perfectplay.errors import RulesError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Progress
from perfectplay.rules.game import Game, declares, parameters
from perfectplay.rules.search_capabilities import Abstractions, abstractions
from perfectplay.searching.native import compiled
from perfectplay.searching.one_player.estimate import EMPTY, LARGEST, UNREACHED, Databases
from perfectplay.searching.patterns import database_files, flood
from perfectplay.searching.patterns.blurred import Blurred
from perfectplay.searching.patterns.halves import FreeHalves, Halves
from perfectplay.solvers.store import NONE

BEGINNING = frozenset({"start", "starts", "start_numbers", "starts_of", "__post_init__"})
NOTHING: Bytes = np.zeros(0, np.uint8)
MOST_COSTS = 2**31
"""Bytes that building one database may take."""
MOST_RESTS = 32
"""Second numbers that there may be with `blur_steps`."""


def no_databases(width: int) -> Databases:
    """What kernels are given where rules have no abstractions."""
    none = np.zeros(0, np.int64)
    return Databases(np.zeros(0, np.uint8), none, none, np.zeros((0, width), np.int64))


def databases_of(
    expander: NativeExpander, root: Any, progress: Progress, workers: int = 1
) -> Databases:
    """All databases of a puzzle, for searches from `root`."""
    game: Any = expander.game
    rules = abstractions(game)
    if rules is None:
        return no_databases(expander.width)
    groups = [group_of(rules, k) for k in range(rules.blurs)]
    serving = [int(rules.blur_like(k)) for k in range(rules.blurs)]
    if declares(game, "blur_index"):
        costs = [
            _numbered(expander, k, groups[k], progress, workers) if serving[k] == k else NOTHING
            for k in range(rules.blurs)
        ]
        keys: Ints = np.zeros((0, expander.width), np.int64)
    else:
        pairs = [_hashed(expander, root, k, groups[k]) for k in range(rules.blurs)]
        costs = [cost for _, cost in pairs]
        keys = np.concatenate([key for key, _ in pairs])
        serving = [*range(rules.blurs)]
    first = np.cumsum([0, *map(len, costs)]) * (2 if declares(game, "blur_at") else 1)
    for k, other in enumerate(serving):
        first[k] = first[other]
    all_costs = [each for each in costs if len(each)]
    whole = all_costs[0] if len(all_costs) == 1 else np.concatenate(costs)
    return Databases(whole, first, np.array(groups, np.int64), keys)


def group_of(rules: Abstractions, k: int) -> int:
    """The group of abstraction `k`; -1 if it stands for itself. Members of a group must have
    neighbouring numbers."""
    found = [number for number, group in enumerate(rules.added) if k in group]
    for group in rules.added:
        if sorted(group) != list(range(min(group), min(group) + len(group))) or len(found) > 1:
            raise RulesError(
                f"{type(rules).__name__}: added is {rules.added!r}",
                "each group has neighbouring numbers; no abstraction is in two",
            )
    return found[0] if found else -1


# -- Numbered. ------------------------------------------------------------------------------------


def _numbered(
    expander: NativeExpander, k: int, group: int, progress: Progress, workers: int
) -> Bytes:
    """The database of an abstraction whose positions have numbers, from disk if it is there."""
    game: Any = expander.game
    size, rests = (int(x) for x in game.blur_sizes(k))
    halves, steps = declares(game, "blur_at"), declares(game, "blur_steps")
    if not 0 < size * (1 if steps else rests) <= (2 * MOST_COSTS if halves else MOST_COSTS) or (
        halves and rests > (MOST_RESTS if steps else 1)
    ):
        raise RulesError(
            f"{type(game).__name__}: abstraction {k} has {size:,} x {rests:,} positions",
            f"blur_sizes(k) may say up to {MOST_COSTS:,} in all, with blur_at twice as many: "
            f"forget more; with blur_at, the second is 1, or up to {MOST_RESTS} with blur_steps",
        )
    identity = database_files.digest(compiled_digest(game), _read_parameters(game), k, group)
    found = database_files.read(identity)
    if found is None or len(found) != ((size + 1) // 2 if halves else size):
        progress.start(f"database {k + 1} of {game.blurs}")
        if halves:
            made = FreeHalves if steps else Halves
            found = made(expander, k, group, (size, rests), identity, workers).built(progress)
        else:
            found = _flooded(expander, k, group, (size, rests), progress)
        database_files.write(identity, found)
    return found


def _flooded(
    expander: NativeExpander, k: int, group: int, sizes: tuple[int, int], progress: Progress
) -> Bytes:
    game: Any = expander.game
    size, rests = sizes
    kernels = compiled(game, flood.FUNCTIONS)
    cost: Bytes = np.full(size * rests, UNREACHED, np.uint8)
    now = expander.keys([game.blur(goal, k) for goal in game.goals()])
    many = expander.called(
        kernels["begin"], game, expander.sample, now, k, cost, rests, near=(now, None)
    )
    spare, at = now, 0
    while many:
        level = np.array([at, many, rests], np.int64)
        progress.advance(many)
        spare, now, many = expander.called(
            kernels["flood"], game, expander.sample, now, level, k, group, cost, near=(spare, None)
        )
        at += 1
    return np.asarray(flood.least(cost, rests))


def _read_parameters(game: Game) -> dict[str, Any]:
    """The parameters that anything but the beginning of play depends on."""
    names: set[str] = set()
    queue = ["moves", "play", "reward", "to_move", "blur", "goals", "counts_in", "blur_index"]
    queue += ["blur_at", "blur_sizes", "blur_steps", "blur_least"]
    while queue:
        name = queue.pop()
        if name in names or name in BEGINNING:
            continue
        names.add(name)
        queue += _names(inspect.getattr_static(type(game), name, None))
    return {name: value for name, value in parameters(game).items() if name in names}


def _names(member: Any) -> Iterable[str]:
    """The names in the code of a method or property."""
    function: Any = getattr(member, "fget", None) or getattr(member, "func", None) or member
    queue, found = [getattr(function, "__code__", None)], set[str]()
    while queue:
        code = queue.pop()
        if code is not None:
            found |= set(code.co_names)
            queue += [each for each in code.co_consts if hasattr(each, "co_names")]
    return found


# -- Hashed. --------------------------------------------------------------------------------------


def solved_blurs(game: Any, root: Any, k: int, group: int, *, plain: bool) -> Any:
    """Abstraction `k`, solved from what `root` looks like on."""
    return solve(Blurred(game, k, group, game.blur(root, k)), plain=plain, workers=1)


def _hashed(expander: NativeExpander, root: Any, k: int, group: int) -> tuple[Ints, Bytes]:
    """The database of an abstraction as a hash table: its keys, and their costs."""
    table = solved_blurs(expander.game, root, k, group, plain=False).to_arrow()
    names = [name for name in table.column_names if name.startswith("key_")]
    keys = np.stack([table.column(name).to_numpy() for name in names], axis=1).astype(np.int64)
    values = _bytes(table.column("score").to_numpy())
    room = 1 << (2 * len(keys)).bit_length()
    found, cost = np.zeros((room, keys.shape[1]), np.int64), np.full(room, EMPTY, np.uint8)
    flood.enter(keys, values, found, cost)
    return found, cost


def _bytes(scores: Array) -> Bytes:
    """Stored scores, which are minus the costs, as costs of a database."""
    never = scores == NONE
    found = np.where(never, UNREACHED, np.minimum(-scores.astype(np.int64), LARGEST))
    return found.astype(np.uint8)
