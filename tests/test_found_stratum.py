"""Layers: whether a stratum is joined in memory or in files, its arrays are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from perfectplay import solve
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.pig import Pig
from perfectplay.games.dice.yahtzee import Yahtzee
from perfectplay.games.lines.connect import ConnectK
from perfectplay.games.races.einstein import Einstein
from perfectplay.positions import explore, found_stratum
from perfectplay.positions.batch import Batch
from perfectplay.positions.found_stratum import Chunks, FoundStratum
from perfectplay.rules.game import Game
from perfectplay.solving import budget

GAMES = [
    (ConnectK(4, 4, 3), {}),
    (Pig(goal=12, players=3), {}),
    (CantStop(3, 2, 2, 1), {}),
    (Einstein(rows=3, stones=2), {"exact": True}),
    (Yahtzee(boxes=("1", "2")), {}),
    (Pig(goal=6), {"plain": True}),
]


def batches(seed: int) -> list[tuple[Batch, Any, Any, Any]]:
    """Random batches, some empty or with columns of one value; counts, strata and children."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(rng.integers(1, 6)):
        n = int(rng.integers(0, 9))
        count = rng.integers(0, 4, n)
        e = int(count.sum())
        large = rng.choice([1, 100, 1000, 10**6, 10**12])
        batch = Batch(
            kind=rng.integers(-2, 2, n).astype(np.int8),
            payoff=rng.integers(0, 2, (n, rng.integers(1, 3))),
            first=np.concatenate([[0], np.cumsum(count)]),
            child=np.zeros((e, 1), np.int64),
            stratum=rng.integers(0, 3, e),
            swap=rng.integers(0, rng.integers(1, 3), e).astype(np.uint8),
            weight=found_stratum.narrow(rng.integers(1, 1 + large, e)),
            reward=found_stratum.narrow(rng.integers(0, large, (e, 1))),
            anchor=np.ones(1, np.uint8),
            pattern=rng.integers(-1, large % 2**31, n).astype(np.int32),
            node=found_stratum.narrow(rng.integers(0, 1 + large % 2**31, e).astype(np.int32)),
        )
        found.append((batch, count, batch.stratum, rng.integers(0, 99, e).astype(np.uint32)))
    return found


def joined(seed: int, folder: Any) -> FoundStratum:
    chunks = Chunks()
    for each in batches(seed):
        chunks.add(*each)
    size = sum(len(b.kind) for b in chunks.parts)
    return chunks.joined(7, np.arange(size).reshape(-1, 1), np.arange(size), folder)


@pytest.mark.parametrize("seed", range(60))
def test_files_hold_what_memory_would(seed, monkeypatch, tmp_path):
    monkeypatch.setattr(found_stratum, "LARGE", -1)
    monkeypatch.setattr(found_stratum, "PIECE", seed % 2)
    ours = joined(seed, None)
    filed = joined(seed, lambda stratum: tmp_path / str(stratum))
    assert ours.folder is None
    assert filed.folder == tmp_path / "7"
    for other in (filed, found_stratum.read(tmp_path / "7")):
        for name, array in vars(ours).items():
            if isinstance(array, np.ndarray):
                assert np.array_equal(array, getattr(other, name)), name
                assert array.dtype == getattr(other, name).dtype, name
    assert (ours.inside, ours.below) == (filed.inside, filed.below)


@pytest.mark.parametrize(("game", "how"), GAMES, ids=lambda each: str(each)[:20])
def test_solutions_do_not_depend_on_where_strata_are(game: Game, how, monkeypatch, tmp_path):
    usual = solve(game, **how).table.signature
    monkeypatch.setattr(found_stratum, "LARGE", -1)
    monkeypatch.setattr(found_stratum, "PIECE", 0)
    assert solve(game, **how).table.signature == usual
    assert solve(game, folder=tmp_path / "t", **how).table.signature == usual
    assert [each.name for each in tmp_path.iterdir()] == ["t"]
    monkeypatch.setattr(found_stratum, "LARGE", 1 << 40)
    monkeypatch.setattr(budget, "HELD", 0)
    monkeypatch.setattr(budget, "EVERY", 1)
    assert solve(game, **how).table.signature == usual


def test_batches_with_many_children_are_shared(monkeypatch):
    """Each of a few positions may have thousands of children: that is work for every thread."""
    shared = []
    submit = explore.ThreadPoolExecutor.submit

    def noted(self, function, *given):
        shared.append(function)
        return submit(self, function, *given)

    monkeypatch.setattr(explore, "CHILDREN", 1 << 12)
    monkeypatch.setattr(explore, "SMALL", 1 << 8)
    monkeypatch.setattr(explore.ThreadPoolExecutor, "submit", noted)
    one = solve(Yahtzee(boxes=("1", "2", "3", "4", "5", "6")), workers=1).table.signature
    shared.clear()
    two = solve(Yahtzee(boxes=("1", "2", "3", "4", "5", "6")), workers=2).table.signature
    assert explore.expanded in shared
    assert one == two
