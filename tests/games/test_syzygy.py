"""Tables of the Syzygy kind below a search, and against our own tables of the same endings."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from perfectplay import Solution, TableError, UsageError, load, search, solve
from perfectplay.games.chess.chess import Chess

FILES = Path(__file__).parents[1] / "known" / "syzygy"
CHESS = Chess()


@pytest.fixture(scope="module")
def pawn() -> Solution:
    """King and pawn against king, with all that promotions lead to."""
    return solve(load("chess", {"material": "KPK"}))


def drawn(solution: Solution, count: int, seed: int) -> list[Any]:
    """Some positions of a table, with White or Black to move."""
    dice = random.Random(seed)
    found = dice.sample(list(solution.positions()), count)
    return [p | dice.getrandbits(1) << 60 for p in found]


def worth(solution: Solution, p: Any) -> int:
    """What a position is worth to the player to move."""
    return int(solution.value(p).lower)


def test_files_say_what_our_table_says(pawn: Solution) -> None:
    look = CHESS.known_endings(FILES)
    assert look is not None
    for p in drawn(pawn, 1000, seed=1):
        value = worth(pawn, p) * (-1 if CHESS.to_move(p) else 1)
        assert look(p) == (value, value), CHESS.text(p)


def test_searches_stop_where_the_files_begin(pawn: Solution, tmp_path: Path) -> None:
    for name in ("KQvK", "KRvK", "KBvK", "KNvK"):  # what a pawn becomes, and not the pawn
        shutil.copy(FILES / f"{name}.rtbw", tmp_path)
    settled = 0
    for p in drawn(pawn, 12, seed=2):
        found = search(CHESS, p, table=tmp_path, nodes=1000)
        assert found.lower <= worth(pawn, p) <= found.upper, CHESS.text(p)
        if found.exact is not None:
            settled += 1
            assert found.counts.endgame_hits > 0
            if found.move is not None:
                after = worth(pawn, CHESS.play(p, found.move))
                assert found.exact == -after, CHESS.text(p)
    assert settled >= 4


def test_lines_end_where_the_files_begin() -> None:
    p = CHESS.parse("8/8/8/8/4k3/4p3/8/4K3 b - - 0 1")
    found = search(CHESS, p, table=FILES)
    assert (found.value_text, len(found.line)) == ("draw", 1)
    assert found.counts.nodes == 0


def test_what_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p = CHESS.parse("8/8/8/8/8/1k6/1p6/3K4 b - - 0 1")
    with pytest.raises(TableError, match="no table"):  # neither ours nor theirs
        search(CHESS, p, table=tmp_path)
    (tmp_path / "KPvK.rtbw").write_bytes((FILES / "KPvK.rtbw").read_bytes()[:-7])
    with pytest.raises(TableError, match="cannot be read"):
        search(CHESS, p, table=tmp_path)
    with pytest.raises(TableError, match="no table"):
        search(load("connect"), table=FILES)
    monkeypatch.setitem(sys.modules, "chess", None)
    with pytest.raises(UsageError, match="python-chess"):
        search(CHESS, p, table=FILES)


@pytest.mark.slow
@pytest.mark.parametrize("material", ["KQKR", "KRKN", "KRKB", "KBNK", "KQKP", "KPPK", "KRPK"])
def test_four_men(material: str) -> None:
    folder = os.environ.get("PERFECTPLAY_SYZYGY")
    if not folder:
        pytest.skip("PERFECTPLAY_SYZYGY names no folder with tables of four men")
    look = CHESS.known_endings(Path(folder))
    assert look is not None
    solution = solve(load("chess", {"material": material}))
    for p in drawn(solution, 2000, seed=3):
        value = worth(solution, p) * (-1 if CHESS.to_move(p) else 1)
        assert look(p) == (value, value), CHESS.text(p)
