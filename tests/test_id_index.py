"""The index of found positions, compared with a dictionary on random keys."""

import random

import numpy as np
import pytest

from perfectplay.positions.id_index import NativeIndex, PlainIndex
from perfectplay.positions.key_set import find, placed

SMALL, WIDE = (0, 50), (-(2**62), 2**62)


def numbered(index, batches, width):
    """The numbers an index gives to batches of keys, and those a dictionary gives."""
    known, ours, right = {}, [], []
    next_number = 7  # numbers go on from stratum to stratum
    for keys in batches:
        rows = [tuple(map(int, key)) for key in keys]
        given, next_number = index.insert(keys if width else rows, next_number)
        ours += given.tolist()
        right += [known.setdefault(row, 7 + len(known)) for row in rows]
    assert next_number == 7 + len(known)
    return ours, right, list(known)


def random_batches(seed, ranges, width):
    """Batches of keys with many repetitions; each batch has a range of its own."""
    rng = random.Random(seed)
    pools = [[[rng.randrange(*r) for _ in range(width)] for _ in range(2000)] for r in ranges]
    sizes = [rng.choice([0, 1, 63, 64, 65, 3000]) for _ in pools]
    return [
        np.array([rng.choice(pool) for _ in range(size)], np.int64).reshape(size, width)
        for pool, size in zip(pools, sizes, strict=True)
    ]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "ranges",
    [
        [SMALL] * 6,
        [(0, 2**32)] * 8,
        [(0, 2**32), (2**32 - 3, 2**32 + 3), SMALL, WIDE],
        [(-3, 3)] * 5,
        [WIDE] * 8,
    ],
    ids=["small", "32 bits", "growing", "negative", "wide"],
)
@pytest.mark.parametrize("width", [1, 3])
def test_a_native_index_numbers_keys_as_a_dictionary_does(seed, ranges, width):
    index = NativeIndex(width, expected=random.Random(seed).choice([0, 5000]))
    ours, right, known = numbered(index, random_batches(seed, ranges, width), width)
    assert ours == right
    assert [tuple(key) for key in index.positions(0, index.count).tolist()] == known
    assert index.numbers().tolist() == list(range(7, 7 + len(known)))


def test_a_plain_index_numbers_positions_as_a_dictionary_does():
    index = PlainIndex(0)
    ours, right, known = numbered(index, random_batches(1, [SMALL, WIDE, SMALL], 2), 0)
    assert ours == right
    assert index.positions(0, index.count) == known


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [0, 1, 3, 64, 3000])
@pytest.mark.parametrize("width", [1, 2])
def test_keys_in_any_order_are_found(seed, size, width):
    rng = np.random.default_rng(seed)
    keys = np.unique(rng.integers(-(2**62), 2**62, (size, width)), axis=0)
    rng.shuffle(keys)
    begin, place = placed(keys)
    rows = np.empty(2 * len(keys), np.uint32)
    wanted = rng.permutation(np.repeat(np.arange(len(keys)), 2))
    assert find(keys[wanted], keys, begin, rows, place) == -1
    assert rows.tolist() == wanted.tolist()
    strange = np.vstack([keys[:2], np.full((1, width), 7), keys[2:]])
    assert find(strange, keys, begin, rows, place) == min(2, len(keys))
