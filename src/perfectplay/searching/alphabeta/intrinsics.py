"""What Numba makes of the stubs in stubs.py. Imported only to compile.

What touches the table is inlined: a call would count references to the array."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from perfectplay.compiled.intrinsics import prefetch, try_lock, unlock
from perfectplay.compiled.intrinsics_numba import key_loader, row_writer
from perfectplay.rules.game import alternate, declares
from perfectplay.searching.alphabeta import stubs
from perfectplay.searching.alphabeta.layout import BEST_BITS, MOST_WORK
from perfectplay.searching.alphabeta.walk import HEAD, TOKENS
from perfectplay.searching.stubs import numbers_of

U = np.uint64
MIX, ONE = U(0x9E3779B97F4A7C15), U(1)
LOCK, DATA, WORDS = 0, 1, 2


def implements(stub: Any, inline: str = "never") -> Any:
    """Register what a stub does. Not `strict`: that compares annotations, which a lambda lacks."""
    return overload(stub, strict=False, inline=inline)


@implements(stubs.position)
def _position(kids: Any, i: Any, sample: Any) -> Any:
    return key_loader(sample, HEAD)


@implements(stubs.write)
def _write(kids: Any, i: Any, value: Any) -> Any:
    return row_writer(value, HEAD)


# -- Rules. ---------------------------------------------------------------------------------------


@implements(stubs.candidates)
def _candidates(rules: Any, p: Any) -> Any:
    if declares(rules.rules_class, "enough"):
        return lambda rules, p: rules.enough(p)
    return lambda rules, p: rules.moves(p)


@implements(stubs.threatening)
def _threatening(rules: Any, p: Any) -> Any:
    if declares(rules.rules_class, "threat"):
        return lambda rules, p: rules.threat(p)

    def by_passing(rules: Any, p: Any) -> Any:
        for m in stubs.candidates(rules, p):
            if rules.bounds(rules.passed(rules.play(p, m)))[0] > 0:
                yield m

    return by_passing


@implements(stubs.token)
def _token(m: Any) -> Any:
    if isinstance(m, types.Integer | types.Boolean):
        return lambda m: int(m) & (TOKENS - 1)
    if not isinstance(m, types.UniTuple) or not isinstance(m.dtype, types.Integer):
        return lambda m: 0
    words = " ^ ".join(f"(m[{k}] << {3 * k % 10})" for k in range(m.count))
    scope: dict[str, Any] = {}
    exec(f"def mixed(m): return ({words}) & {TOKENS - 1}", scope)
    return scope["mixed"]


@implements(stubs.flips)
def _flips(rules: Any, kind: Any, q: Any, r: Any) -> Any:
    if alternate(rules.rules_class):
        return lambda rules, kind, q, r: 1
    if not (declares(rules.rules_class, "turn") and declares(rules.rules_class, "representative")):

        def plainly(rules: Any, kind: Any, q: Any, r: Any) -> Any:
            mover = rules.to_move(q)
            return int(mover != kind) if mover >= 0 else int(kind == 1)

        return plainly

    def renamed(rules: Any, kind: Any, q: Any, r: Any) -> Any:
        mover = rules.to_move(q)
        if mover >= 0:
            return int(mover != kind)
        return int(kind == 1) ^ ((rules.turn(q) - rules.turn(r)) & 1)

    return renamed


@implements(stubs.earned)
def _earned(rules: Any, p: Any, m: Any, kind: Any) -> Any:
    if not declares(rules.rules_class, "reward"):
        return lambda rules, p, m, kind: (0, True)

    def share(rules: Any, p: Any, m: Any, kind: Any) -> Any:
        mine, other, many = numbers_of(rules.reward(p, m))
        if many == 1:
            return mine, True
        return (mine if kind == 0 else other), mine + other == 0

    return share


@implements(stubs.too_long)
def _too_long(p: Any, bits: Any) -> Any:
    if isinstance(p, types.Integer):
        return lambda p, bits: bits < 64 and U(p) >> U(bits) != U(0)
    return lambda p, bits: False


# -- Tables. --------------------------------------------------------------------------------------


@implements(stubs.ask, "never")
def _ask(table: Any, p: Any, layout: Any) -> Any:
    if table.ndim == 1:

        def packed(table: Any, p: Any, layout: Any) -> Any:
            key = (U(p) * MIX) << U(64 - layout.key_bits)
            prefetch(table, (key >> U(64 - layout.bucket_bits)) << ONE)

        return packed
    where = _bucket(p)
    return lambda table, p, layout: prefetch(table, where(p, layout.bucket_bits))


@implements(stubs.look, "never")
def _look(table: Any, p: Any, layout: Any) -> Any:
    if table.ndim == 1:

        def packed(table: Any, p: Any, layout: Any) -> Any:
            key = (U(p) * MIX) << U(64 - layout.key_bits)
            at = (key >> U(64 - layout.bucket_bits)) << ONE
            rest = key << U(layout.bucket_bits)
            free = U(layout.bucket_bits + 64 - layout.key_bits)
            first, second = table[at] ^ rest, table[at + ONE] ^ rest
            other = second if second >> free == U(0) else U(0)
            return np.int64(first if first >> free == U(0) else other)

        return packed
    where, same = _bucket(p), _same(p)

    def wide(table: Any, p: Any, layout: Any) -> Any:
        at, found = where(p, layout.bucket_bits), 0
        if try_lock(table, at):
            if same(table, at, p):
                found = table[at, DATA]
            elif same(table, at + 1, p):
                found = table[at + 1, DATA]
            unlock(table, at)
        return found

    return wide


@implements(stubs.keep, "never")
def _keep(table: Any, p: Any, layout: Any, data: Any) -> Any:
    if table.ndim == 1:

        def packed(table: Any, p: Any, layout: Any, data: Any) -> Any:
            key = (U(p) * MIX) << U(64 - layout.key_bits)
            at = (key >> U(64 - layout.bucket_bits)) << ONE
            rest = key << U(layout.bucket_bits)
            free = U(layout.bucket_bits + 64 - layout.key_bits)
            low = U(2 * layout.value_bits + BEST_BITS)
            first = table[at]
            if (first ^ rest) >> free != U(0):
                if (first >> low) & U(MOST_WORK) > (U(data) >> low) & U(MOST_WORK):
                    at += ONE
                else:
                    table[at + ONE] = first
            table[at] = rest | U(data)

        return packed
    where, same, put = _bucket(p), _same(p), _put(p)

    def wide(table: Any, p: Any, layout: Any, data: Any) -> Any:
        at = where(p, layout.bucket_bits)
        low = 2 * layout.value_bits + BEST_BITS
        if try_lock(table, at):
            if not same(table, at, p):
                if table[at, DATA] >> low > data >> low:
                    at += 1
                else:
                    for word in range(DATA, table.shape[1]):
                        table[at + 1, word] = table[at, word]
            put(table, at, p)
            table[at, DATA] = data
            unlock(table, where(p, layout.bucket_bits))

    return wide


def _made(name: str, arguments: str, lines: str) -> Any:
    from numba import njit

    scope: dict[str, Any] = {"U": U, "I": np.int64, "MIX": MIX}
    exec(f"def {name}({arguments}):\n    {lines}", scope)
    return njit(inline="always")(scope[name])


def _words(p: Any) -> list[str]:
    return ["p"] if isinstance(p, types.Integer) else [f"p[{k}]" for k in range(p.count)]


def _bucket(p: Any) -> Any:
    """A function that gives the first row of the bucket of a position."""
    mixed = "U(0)"
    for word in _words(p):
        mixed = f"(({mixed} ^ ({mixed} >> U(29))) + U({word})) * MIX"
    lines = f"h = {mixed}\n    h ^= h >> U(32)\n    h *= MIX\n    "
    lines += "return I((h >> U(63 - bits) >> U(1)) << U(1))"
    return _made("bucket", "p, bits", lines)


def _same(p: Any) -> Any:
    """A function that says whether a row holds a position."""
    words = " and ".join(f"table[at, {WORDS + k}] == {w}" for k, w in enumerate(_words(p)))
    return _made("same", "table, at, p", f"return table[at, {DATA}] != 0 and {words}")


def _put(p: Any) -> Any:
    """A function that writes a position to a row."""
    words = "; ".join(f"table[at, {WORDS + k}] = {w}" for k, w in enumerate(_words(p)))
    return _made("put", "table, at, p", words)
