"""Keys as shards hold them: int64 words of compiled rules, or the texts of interpreted positions.

Both come in arrays, in the order of 64-bit hashes, so that a shard is a range of rows. A position
of interpreted rules can be any object; what goes to another process is its text, and `parse` must
make the same position of it."""

from __future__ import annotations

from bisect import bisect_left
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander
from perfectplay.positions.key_order import Group, group_by_stratum
from perfectplay.positions.key_set import KeySet, begins, find, placed, shard_of, shard_range

HASH = 64
"""Bits of a hash."""


class GrowingKeys(Protocol):
    """A set of keys that grows."""

    def insert(self, keys: Array) -> Array:
        """Take keys; the rows of those that were not known, each key once."""

    def ordered(self) -> tuple[Array, Any]:
        """All keys in the order of their hashes; what else there is to say."""


class KeyRows(NamedTuple):
    """Where keys are among those of a shard."""

    keys: Array
    index: Any
    """What finds them: where buckets begin and, if keys do not lie in the order of their hashes,
    their places; of texts, the row of each."""
    skip: int
    """So many bits are the same at the beginning of all hashes."""


class NativeKeys:
    """Keys of compiled rules, int64[n, width]."""

    def __init__(self, rules: Expander) -> None:
        self._rules = rules

    def none(self) -> Array:
        """No keys."""
        return np.empty((0, self._rules.width), np.int64)

    def growing(self, bits: int, expected: int = 0) -> GrowingKeys:
        """An empty set for a shard whose hashes begin with so many bits, with room for some."""
        return KeySet(self._rules.width, bits, expected)

    def of(self, positions: Any) -> Array:
        """The keys of positions, or of children."""
        return self._rules.keys(positions)  # type: ignore[no-any-return]

    def positions(self, keys: Array) -> Any:
        """What the rules expand."""
        return np.ascontiguousarray(keys)

    def shard_of(self, keys: Array, bits: int) -> Array:
        """The shard of each key: the first bits of its hash."""
        return shard_of(keys, bits)

    def shard_range(self, keys: Array, shard: int, bits: int) -> tuple[int, int]:
        """The rows of a shard, of keys in the order of their hashes."""
        return shard_range(keys, shard, bits)

    def rows(self, keys: Array, skip: int, *, hashed: bool) -> KeyRows:
        """What finds keys among these, which are in the order of their hashes, or in another."""
        return KeyRows(keys, (begins(keys, skip), None) if hashed else placed(keys), skip)

    def find(self, wanted: Array, among: KeyRows) -> tuple[Array, int]:
        """(uint32[n]: the row of each wanted key, the first that is not there or -1)."""
        out = np.empty(len(wanted), np.uint32)
        begin, place = among.index
        return out, find(wanted, among.keys, begin, out, place, among.skip)

    def by_key(self, keys: Array) -> Array:
        """The order that sorts keys as a table does."""
        return np.lexsort(keys.T[::-1])

    def shown(self, key: Any) -> str:
        """A key for people."""
        return self._rules.game.text(self._rules.position(key))


class TextSet:
    """Texts found, as a set that grows."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def insert(self, keys: Array) -> Array:
        """Take keys; the rows of those that were not known, each key once."""
        fresh = []
        for row, text in enumerate(keys.tolist()):
            if text not in self._known:
                self._known.add(text)
                fresh.append(row)
        return np.array(fresh, np.uint32)

    def ordered(self) -> tuple[Array, None]:
        """All keys in the order of their hashes."""
        return _texts(sorted(self._known, key=lambda text: (_hash(text), text))), None


class TextKeys:
    """Texts of interpreted positions, in UTF-8: bytes[n]."""

    def __init__(self, rules: Expander) -> None:
        self._game = rules.game

    def none(self) -> Array:
        """No keys."""
        return _texts([])

    def growing(self, bits: int, expected: int = 0) -> GrowingKeys:
        """An empty set; what hashes begin with makes no difference."""
        return TextSet()

    def of(self, positions: Any) -> Array:
        """The texts of positions, each of which must lead back to its position."""
        out = []
        for p in positions:
            text = self._game.text(p)
            if self._game.parse(text) != p:
                raise RulesError(
                    f"{type(self._game).__name__}: parse(text(p)) is another position than p, "
                    f"where text(p) is {text!r}",
                    "positions go to other workers as text: let parse be the inverse of text, or "
                    "solve the game without --on",
                )
            out.append(text.encode())
        return _texts(out)

    def positions(self, keys: Array) -> Any:
        """What the rules expand."""
        return [self._game.parse(text.decode()) for text in keys.tolist()]

    def shard_of(self, keys: Array, bits: int) -> Array:
        """The shard of each key: the first bits of its hash."""
        return np.array([_hash(text) >> (HASH - bits) for text in keys.tolist()], np.uint32)

    def shard_range(self, keys: Array, shard: int, bits: int) -> tuple[int, int]:
        """The rows of a shard, of keys in the order of their hashes."""
        hashes = [_hash(text) for text in keys.tolist()]
        cut = HASH - bits
        return bisect_left(hashes, shard << cut), bisect_left(hashes, (shard + 1) << cut)

    def rows(self, keys: Array, skip: int, *, hashed: bool) -> KeyRows:
        """What finds keys among these."""
        return KeyRows(keys, {text: row for row, text in enumerate(keys.tolist())}, skip)

    def find(self, wanted: Array, among: KeyRows) -> tuple[Array, int]:
        """(uint32[n]: the row of each wanted key, the first that is not there or -1)."""
        rows = [among.index.get(text, -1) for text in wanted.tolist()]
        missing = rows.index(-1) if -1 in rows else -1
        return np.array(rows, np.int64).astype(np.uint32), missing

    def by_key(self, keys: Array) -> Array:
        """The order that sorts keys as a table does."""
        return np.argsort(keys, kind="stable")

    def shown(self, key: Any) -> str:
        """A key for people."""
        return bytes(key).decode()


def keys_of(rules: Expander) -> NativeKeys | TextKeys:
    """The keys of the positions of these rules."""
    return NativeKeys(rules) if rules.width else TextKeys(rules)


def grouped(keys: Array, numbers: Array) -> tuple[Array, Array, list[Group]]:
    """`group_by_stratum` for keys of both kinds."""
    if keys.ndim > 1:
        return group_by_stratum(keys, numbers)
    order, at, groups = group_by_stratum(np.arange(len(keys))[:, None], numbers)
    return keys[order[:, 0]], at, groups


def _texts(texts: list[bytes]) -> Array:
    return np.array(texts, f"S{max(map(len, texts), default=1) or 1}")


def _hash(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
