"""Keys group_by_stratum by stratum, compared with a sort of pairs."""

import random

import numpy as np
import pytest

from perfectplay.positions.key_order import SPAN, group_by_stratum


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("span", [1, 2, 40, 3 * SPAN])
def test_keys_are_dealt_by_stratum_in_their_order(seed, span):
    rng = random.Random(seed)
    size, width, low = rng.choice([0, 1, 2, 500]), rng.choice([1, 3]), rng.randrange(-9, 9)
    keys = np.array([rng.randrange(2**62) for _ in range(size * width)], np.int64)
    keys = keys.reshape(size, width)
    strata = np.array([low + rng.randrange(span) for _ in range(size)], np.int64)
    out, at, groups = group_by_stratum(keys, strata)
    order = sorted(range(size), key=lambda i: strata[i])
    assert out.tolist() == [keys[i].tolist() for i in order]
    assert [order[k] for k in at] == list(range(size))
    assert [s for s, a, b in groups for _ in range(a, b)] == sorted(strata.tolist())
    assert len({s for s, _, _ in groups}) == len(groups)
