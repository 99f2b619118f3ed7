"""Signatures: what is signed of the values of a table, stratum by stratum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from perfectplay.solvers.store import narrowed
from perfectplay.table.part_rows import Columns
from perfectplay.table.streamed import Streamed


def chained(chain: str, stratum: int, keys: Any, columns: Columns, denominator: str = "") -> str:
    """The signature of all values so far (`chain`) followed by those of one more stratum, whose
    common denominator is `denominator` if they are whole numbers."""
    if "depth" in columns:  # stored as narrow as it fits, which must not matter
        columns = {**columns, "depth": columns["depth"].astype(np.int32)}
    columns = narrowed(columns)  # other strata of the part may need more words
    kinds = [[name, str(getattr(column, "dtype", "text"))] for name, column in columns.items()]
    head = json.dumps([chain, stratum, len(keys), kinds, *([denominator] if denominator else [])])
    whole = hashlib.sha256(head.encode())
    for column in (keys, *columns.values()) if not isinstance(keys, range) else columns.values():
        for data in _bytes(column):
            whole.update(data)
    return whole.hexdigest()


def _bytes(column: Any) -> Iterator[Any]:
    """What a column is, as little-endian bytes; texts as their lengths and their UTF-8 bytes."""
    if isinstance(column, Streamed):
        for block in column.blocks():
            yield from _bytes(block)
    elif isinstance(column, np.ndarray):
        little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
        yield little
    else:
        texts = [text.encode() for text in column]
        yield np.array([len(text) for text in texts], "<i8").tobytes()
        yield b"".join(texts)


def signature_of(chain: str) -> str:
    """Twelve hex digits that name the values of a table."""
    return chain[:12] if chain else hashlib.sha256(b"").hexdigest()[:12]


def ascending(keys: Any) -> bool:
    """Whether the keys of a stratum are sorted and differ."""
    if isinstance(keys, range):
        return True
    if not isinstance(keys, np.ndarray):
        return all(a < b for a, b in pairwise(keys))
    less = np.zeros(max(len(keys) - 1, 0), np.bool_)
    for word in reversed(range(keys.shape[1])):
        a, b = keys[:-1, word], keys[1:, word]
        less = (a < b) | ((a == b) & less) if word < keys.shape[1] - 1 else a < b
    return bool(less.all())
