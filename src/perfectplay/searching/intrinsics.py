"""What Numba makes of the stubs in stubs.py. Imported only to compile."""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from perfectplay.compiled.intrinsics import (
    address_of,
    byte_at,
    fetch_byte,
    uncounted,
    word_at,
)
from perfectplay.compiled.intrinsics_numba import key_loader, made, row_writer
from perfectplay.rules.game import declares
from perfectplay.searching.one_player import stubs as alone
from perfectplay.searching.one_player.arena import MIX
from perfectplay.searching.one_player.estimate import (
    EMPTY,
    LARGE,
    UNREACHED,
    UNREACHED_HALF,
    Databases,
    HalfBytes,
)
from perfectplay.searching.search_stack import HEAD
from perfectplay.searching.stubs import (
    finite,
    guessed,
    hinted,
    limits,
    numbers_of,
    parts,
    position,
    unlabelled_key,
    write,
)

NEVER = 2.0**62
"""Bounds of so much are taken as infinite."""


def implements(stub: Any) -> Any:
    """Register what a stub does. Not `strict`: that compares annotations, which a lambda lacks."""
    return overload(stub, strict=False)


@implements(position)
def _position(keys: Any, i: Any, sample: Any) -> Any:
    return key_loader(sample, HEAD)


@implements(write)
def _write(out: Any, i: Any, value: Any) -> Any:
    return row_writer(value, HEAD)


@implements(numbers_of)
def _numbers_of(payoff: Any) -> Any:
    if isinstance(payoff, types.Integer | types.Boolean):
        return lambda payoff: (int(payoff), 0, 1)
    if payoff.count == 1:
        return lambda payoff: (int(payoff[0]), 0, 1)
    return lambda payoff: (int(payoff[0]), int(payoff[1]), 2)


@implements(limits)
def _limits(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "bounds"):
        return lambda rules, p: (0, 0, 0)

    def stated(rules: Any, p: Any) -> Any:
        found = rules.bounds(p)
        if not finite(found[0]) or not finite(found[1]):
            return 0, 0, 0  # infinite bounds serve searches for one player only
        return int(found[0]), int(found[1]), parts(found)

    return stated


@implements(finite)
def _finite(bound: Any) -> Any:
    if isinstance(bound, types.Integer):
        return lambda bound: True
    return lambda bound: abs(bound) < NEVER


@implements(parts)
def _parts(found: Any) -> Any:
    return (lambda found: 1) if found.count == 2 else (lambda found: int(found[2]))


@implements(guessed)
def _guessed(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "guess"):
        return lambda rules, p: 0.0
    return lambda rules, p: float(rules.guess(p))


@implements(unlabelled_key)
def _unlabelled_key(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "unlabel"):
        return lambda rules, p: 0
    return lambda rules, p: rules.unlabelled_key(p)


@implements(hinted)
def _hinted(rules: Any, p: Any, m: Any) -> Any:
    if not declares(rules.rules_class, "hint"):
        return lambda rules, p, m: 0
    return lambda rules, p, m: int(rules.hint(p, m))


# -- Searches for one player. ---------------------------------------------------------------------


@implements(alone.least_cost)
def _least_cost(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "bounds"):
        return lambda rules, p: 0

    def stated(rules: Any, p: Any) -> Any:
        found = rules.bounds(p)
        if found[0] >= 2**30:
            return 2**30
        return max(0, -(-int(found[0]) // parts(found)))

    return stated


@implements(alone.blurs_of)
def _blurs_of(rules: Any) -> Any:
    has = declares(rules.rules_class, "blurs")
    return (lambda rules: rules.blurs) if has else (lambda rules: 0)


@implements(alone.in_place)
def _in_place(rules: Any, databases: Any) -> Any:
    if declares(rules.rules_class, "blur_at"):
        return lambda rules, databases: HalfBytes(
            address_of(databases.cost), address_of(databases.first), address_of(databases.group),
            2 * len(databases.cost),
        )  # fmt: skip
    return lambda rules, databases: Databases(
        uncounted(databases.cost), uncounted(databases.first), uncounted(databases.group),
        uncounted(databases.keys),
    )  # fmt: skip


@implements(alone.looks_ahead)
def _looks_ahead(rules: Any, databases: Any) -> Any:
    if declares(rules.rules_class, "blur_at") and not declares(rules.rules_class, "twin"):
        return lambda rules, databases: databases.most > LARGE
    return lambda rules, databases: False


@implements(alone.ask_ahead)
def _ask_ahead(rules: Any, p: Any, m: Any, databases: Any) -> Any:
    if not declares(rules.rules_class, "blur_at"):
        return lambda rules, p, m, databases: None

    def asked(rules: Any, p: Any, m: Any, databases: Any) -> Any:
        at = rules.blur_index(rules.play(p, m), 0)[0]
        fetch_byte(databases.cost, (word_at(databases.first, 0) + at) >> 1)

    return asked


@implements(alone.group_at)
def _group_at(databases: Any, k: Any) -> Any:
    if getattr(databases, "instance_class", None) is HalfBytes:
        return lambda databases, k: word_at(databases.group, k)
    return lambda databases, k: databases.group[k]


@implements(alone.looked_up)
def _looked_up(rules: Any, p: Any, k: Any, databases: Any) -> Any:
    if not declares(rules.rules_class, "blur"):
        return lambda rules, p, k, databases: 0
    if declares(rules.rules_class, "blur_at"):

        def half(rules: Any, p: Any, k: Any, databases: Any) -> Any:
            at = word_at(databases.first, k) + rules.blur_index(p, k)[0]
            if at < 0 or at >= databases.most:
                raise IndexError("blur_index")
            cost = byte_at(databases.cost, at >> 1) >> (4 * (at & 1)) & 15
            least, step = alone.least_blurred(rules, p, k)
            return UNREACHED if cost == UNREACHED_HALF else least + step * cost

        return half
    if declares(rules.rules_class, "blur_index"):

        def numbered(rules: Any, p: Any, k: Any, databases: Any) -> Any:
            at = databases.first[k] + rules.blur_index(p, k)[0]
            if at < 0 or at >= len(databases.cost):
                raise IndexError("blur_index")
            return databases.cost[at]

        return numbered

    def probed(rules: Any, p: Any, k: Any, databases: Any) -> Any:
        low, size = databases.first[k], databases.first[k + 1] - databases.first[k]
        key = rules.blur(p, k)
        slot = alone.hash_of(key) & (size - 1)
        while databases.cost[low + slot] != EMPTY:
            if alone.same_key(databases.keys, low + slot, key):
                return databases.cost[low + slot]
            slot = (slot + 1) & (size - 1)
        return np.uint8(0)  # not met from where the database begins: nothing is known

    return probed


@implements(alone.spared_by)
def _spared_by(rules: Any) -> Any:
    has = declares(rules.rules_class, "spared")
    return (lambda rules: rules.spared) if has else (lambda rules: 0)


@implements(alone.others)
def _others(rules: Any, p: Any) -> Any:
    if declares(rules.rules_class, "also"):
        return lambda rules, p: rules.also(p)

    def none(rules: Any, p: Any) -> Any:
        for _ in range(0):
            yield p

    return none


@implements(alone.has_twins)
def _has_twins(rules: Any) -> Any:
    has = declares(rules.rules_class, "twin")
    return (lambda rules: True) if has else (lambda rules: False)


@implements(alone.is_steady)
def _is_steady(rules: Any) -> Any:
    steady = declares(rules.rules_class, "blur_steps") and declares(rules.rules_class, "counts_in")
    return (lambda rules: True) if steady else (lambda rules: False)


@implements(alone.counting)
def _counting(rules: Any, p: Any, m: Any) -> Any:
    if declares(rules.rules_class, "counts_in"):
        return lambda rules, p, m: rules.counts_in(p, m, 0)
    return lambda rules, p, m: -1


@implements(alone.twin_of)
def _twin_of(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "twin"):
        return lambda rules, p: p

    def first(rules: Any, p: Any) -> Any:
        q = p
        for other in rules.also(p):
            q = other
        return q

    return first


@implements(alone.twin_child)
def _twin_child(rules: Any, p: Any, m: Any, q: Any) -> Any:
    if not declares(rules.rules_class, "twin"):
        return lambda rules, p, m, q: q
    return lambda rules, p, m, q: rules.play(q, rules.twin(p, m))


@implements(alone.twin_move)
def _twin_move(rules: Any, p: Any, m: Any) -> Any:
    if not declares(rules.rules_class, "twin"):
        return lambda rules, p, m: m
    return lambda rules, p, m: rules.twin(p, m)


@implements(alone.need_follow)
def _need_follow(rules: Any, last: Any, m: Any) -> Any:
    cls = rules.rules_class
    if not isinstance(m, types.Integer) or not declares(cls, "follows") or declares(cls, "forced"):
        return lambda rules, last, m: True
    return lambda rules, last, m: rules.follows(last, m)


@implements(alone.move_number)
def _move_number(m: Any) -> Any:
    return (lambda m: m) if isinstance(m, types.Integer) else (lambda m: 0)


@implements(alone.blurred_at)
def _blurred_at(rules: Any, i: Any, k: Any) -> Any:
    return lambda rules, i, k: rules.blur_at(i, k)


@implements(alone.steps_from)
def _steps_from(rules: Any, i: Any, rests: Any, k: Any) -> Any:
    return lambda rules, i, rests, k: rules.blur_steps(i, rests, k)


@implements(alone.least_blurred)
def _least_blurred(rules: Any, p: Any, k: Any) -> Any:
    if declares(rules.rules_class, "blur_least"):
        return lambda rules, p, k: rules.blur_least(p, k)
    return lambda rules, p, k: (0, 1)


@implements(alone.settle)
def _settle(rules: Any, p: Any) -> Any:
    if not declares(rules.rules_class, "forced"):
        return lambda rules, p: (p, 0)

    def settled(rules: Any, p: Any) -> Any:
        cost, more = 0, True
        while more:
            more = False
            for m in rules.forced(p):
                cost += rules.reward(p, m)
                p = rules.play(p, m)
                more = True
                break
        return p, cost

    return settled


@implements(alone.cost_in)
def _cost_in(rules: Any, p: Any, m: Any, k: Any, group: Any) -> Any:
    if not declares(rules.rules_class, "counts_in"):
        return lambda rules, p, m, k, group: rules.reward(p, m)

    def counted(rules: Any, p: Any, m: Any, k: Any, group: Any) -> Any:
        if group >= 0 and rules.counts_in(p, m, group) != k:
            return 0
        return rules.reward(p, m)

    return counted


@implements(alone.index_of)
def _index_of(rules: Any, p: Any, k: Any) -> Any:
    return lambda rules, p, k: rules.blur_index(p, k)


@implements(alone.number_of)
def _number_of(payoff: Any) -> Any:
    if hasattr(payoff, "count"):
        return lambda payoff: int(payoff[0])
    return lambda payoff: int(payoff)  # noqa: PLW0108 - Numba wants a function


@implements(alone.same_key)
def _same_key(keys: Any, i: Any, p: Any) -> Any:
    width = getattr(p, "count", 0)
    equal = " and ".join(f"keys[i, {k}] == p[{k}]" for k in range(width))
    return made(f"def same(keys, i, p): return {equal or 'keys[i, 0] == p'}", "same")


@implements(alone.hash_of)
def _hash_of(p: Any) -> Any:
    words = [f"p[{k}]" for k in range(p.count)] if hasattr(p, "count") else ["p"]
    lines = "".join(
        f"    mixed = (mixed ^ np.int64({word})) * {MIX}\n"
        "    mixed ^= (mixed >> 29) & 0x7FFFFFFFF\n"
        for word in words
    )
    return made(f"def hashed(p):\n    mixed = np.int64(0)\n{lines}    return mixed\n", "hashed")


@implements(alone.guess_by)
def _guess_by(rules: Any, p: Any, kind: Any) -> Any:
    if declares(rules.rules_class, "guess_as"):
        return lambda rules, p, kind: rules.guess_as(p, kind)
    if declares(rules.rules_class, "guess"):
        return lambda rules, p, kind: int(rules.guess(p))
    return lambda rules, p, kind: alone.least_cost(rules, p)
