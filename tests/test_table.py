"""Tables: what is written is found, damage is seen, and a killed run ends with the same bytes."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfectplay.errors import TableError
from perfectplay.solving.choose import extra
from perfectplay.strata.graph import Facts
from perfectplay.strata.sealed_files import sealed, unsealed
from perfectplay.table import parquet, signature, writer
from perfectplay.table.writer import MemoryTable, Table, TableWriter

FACTS = Facts(
    players=1, scalar=True, chance=False, rewards=False, outcome=False, endless=float("-inf")
)
HEADER = {
    "game": "toy",
    "parameters": {"n": 3},
    "rules": "0" * 16,
    "plain": False,
    "exact": False,
    "ties": "first",
    "facts": asdict(FACTS),
}


def words(seed: int, sizes: list[int], width: int) -> list[tuple[int, Any, dict[str, Any]]]:
    """Strata with random keys of `width` words (negative ones too) and outcomes."""
    rng = np.random.default_rng(seed)
    strata = []
    for i, size in enumerate(sizes):
        keys = np.unique(rng.integers(-5 * size, 5 * size + 1, (size, width)), axis=0)
        n = len(keys)
        columns = {
            "outcome": rng.integers(-1, 2, n).astype(np.int8),
            "depth": rng.integers(-1, 90, n).astype(np.int16),
        }
        strata.append((3 * i - 4, keys, columns))
    return strata


def texts(seed: int, sizes: list[int]) -> list[tuple[int, Any, dict[str, Any]]]:
    """Strata whose keys are texts and whose values are fractions."""
    rng = random.Random(seed)
    strata = []
    for i, size in enumerate(sizes):
        keys = sorted({"".join(rng.choices("abzé√𝄞 ", k=rng.randrange(6))) for _ in range(size)})
        strata.append((i, keys, {"exact_0": [f"{rng.randrange(99)}/7" for _ in keys]}))
    return strata


def write(folder: Path, strata: list[Any], width: int, header: dict[str, Any] = HEADER) -> Table:
    with TableWriter(folder, header, width) as writer:
        for stratum in strata[writer.done :]:
            writer.add(*stratum)
        return writer.finish(extra([], []))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def data(folder: Path) -> dict[str, bytes]:
    """All but the page for people, which nothing reads."""
    return {name: text for name, text in content(folder).items() if name != "README.md"}


def plain_key(key: Any) -> Any:
    return key if isinstance(key, str) else tuple(int(word) for word in key)


def rows_of(strata: list[Any]) -> dict[tuple[int, Any], dict[str, Any]]:
    """All rows of a table as a dictionary: the slow obvious twin."""
    return {
        (stratum, plain_key(key)): {
            name: column[i] if isinstance(column, list) else column[i].item()
            for name, column in columns.items()
        }
        for stratum, keys, columns in strata
        for i, key in enumerate(keys)
    }


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and groups of a few rows, so that small tables have many of them."""
    monkeypatch.setattr(writer, "PART_ROWS", 20)
    monkeypatch.setattr(parquet, "GROUP_ROWS", 8)


SIZES = [1, 30, 3, 2, 25, 1, 9]


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.usefixtures("small")
def test_finds_every_row_and_no_other(tmp_path: Path, width: int) -> None:
    strata = words(width, SIZES, width) if width else texts(5, SIZES)
    written = write(tmp_path, strata, width)
    want = rows_of(strata)
    tables = [written, Table.open(tmp_path), in_memory(strata, width)]
    assert len(written.parts()) > 2
    assert sum(len(part.groups) for part in written.parts()) > 6
    for found in tables:
        assert found.rows == len(want)
        assert found.strata == [(number, len(keys)) for number, keys, _ in strata]
        assert found.signature == written.signature
        for (stratum, key), row in want.items():
            assert found.find(stratum, key) == row
        for stratum, key in absent(strata, width):
            assert ((stratum, key) in want) == (found.find(stratum, key) is not None)
        found.check()
    written.check()


def in_memory(strata: list[Any], width: int) -> MemoryTable:
    join = np.concatenate if width else lambda lists: [each for one in lists for each in one]
    columns = {
        name: (np.concatenate if width else join)([columns[name] for _, _, columns in strata])
        for name in strata[0][2]
    }
    keys = join([keys for _, keys, _ in strata])
    return MemoryTable(HEADER, width, [(n, len(k)) for n, k, _ in strata], keys, columns, {})


def absent(strata: list[Any], width: int) -> list[tuple[int, Any]]:
    rng = random.Random(1)
    if not width:
        return [(rng.randrange(-1, 9), "".join(rng.choices("abz√", k=3))) for _ in range(200)]
    return [
        (rng.randrange(-9, 20), tuple(rng.randrange(-90, 90) for _ in range(width)))
        for _ in range(300)
    ]


@pytest.mark.usefixtures("small")
def test_bulk_reading_gives_the_same_rows(tmp_path: Path) -> None:
    strata = words(1, SIZES, 2)
    written = write(tmp_path, strata, 2)
    keys = np.concatenate([written.keys(written.read(part)) for part in written.parts()])
    assert (keys == np.concatenate([keys for _, keys, _ in strata])).all()
    assert written.to_arrow().equals(in_memory(strata, 2).to_arrow())
    assert written.to_arrow().column_names == ["stratum", "key_0", "key_1", "outcome", "depth"]
    first = [part.first for part in written.parts()]
    assert first == [0, *np.cumsum([part.rows for part in written.parts()])[:-1]]


def test_all_kinds_of_columns_come_back(tmp_path: Path) -> None:
    keys = np.arange(5, dtype=np.int64).reshape(-1, 1)
    columns: dict[str, Any] = {
        "score": np.array([-(2**62), 3, 2**40, 0, -1]),
        "lower": np.array([-np.inf, 0.1, -0.0, 5e-324, 1e300]),
        "exact_0": ["-inf", "1/3", "", "5", "-7/2"],
        "depth": np.array([1, 2, 3, 4, 100000], np.int32),
    }
    write(tmp_path, [(0, keys, columns)], 1)
    found = Table.open(tmp_path)
    assert found.find(0, (2,)) == {"score": 2**40, "lower": 0.0, "exact_0": "", "depth": 3}
    assert found.find(0, (0,)) == {
        "score": -(2**62),
        "lower": float("-inf"),
        "exact_0": "-inf",
        "depth": 1,
    }
    assert found.header == HEADER


def test_signature_depends_on_values_not_on_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strata = words(3, SIZES, 1)
    one = write(tmp_path / "a", strata, 1)
    monkeypatch.setattr(writer, "PART_ROWS", 10)
    monkeypatch.setattr(parquet, "GROUP_ROWS", 4)
    other = write(tmp_path / "b", strata, 1, {**HEADER, "game": "other"})
    assert len(one.parts()) < len(other.parts())
    assert one.signature == other.signature
    strata[4][2]["depth"][3] += 1
    assert write(tmp_path / "c", strata, 1).signature != one.signature


@pytest.mark.usefixtures("small")
def test_depths_may_grow_wider_on_the_way(tmp_path: Path) -> None:
    strata = words(3, SIZES, 1)
    narrow = write(tmp_path / "narrow", strata, 1)
    for _, _, columns in strata[3:]:
        columns["depth"] = columns["depth"].astype(np.int32)
    wide = write(tmp_path / "wide", strata, 1)
    wide.check()
    assert wide.signature == narrow.signature
    assert wide.to_arrow()["depth"].to_pylist() == narrow.to_arrow()["depth"].to_pylist()


def test_parts_are_ordinary_parquet_files(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    written = write(tmp_path, words(1, [200000, 70000], 2), 2)
    files = [pq.read_table(path) for path in sorted(tmp_path.glob("*.parquet"))]
    assert files[0].cast(written.to_arrow().schema).equals(written.to_arrow())
    assert pq.ParquetFile(tmp_path / "part-000000.parquet").metadata.num_row_groups > 3


@pytest.mark.parametrize("width", [0, 1])
@pytest.mark.usefixtures("small")
def test_every_flipped_byte_is_found(tmp_path: Path, width: int) -> None:
    strata = words(1, [2, 9, 4], 1) if width else texts(5, [2, 9, 12])
    write(tmp_path, strata, width)
    want = rows_of(strata)
    rng = random.Random(3)
    for name, good in data(tmp_path).items():
        path = tmp_path / name
        for at in range(len(good)):
            bad = bytearray(good)
            bad[at] ^= 1 << rng.randrange(8)
            path.write_bytes(bad)
            with pytest.raises(TableError):
                Table.open(tmp_path).check()
            if name != "manifest.json":
                assert_right_or_refused(Table.open(tmp_path), want)
        path.write_bytes(good)
    Table.open(tmp_path).check()


def assert_right_or_refused(found: Table, want: dict[Any, Any]) -> None:
    for (stratum, key), row in want.items():
        try:
            got = found.find(stratum, key)
        except TableError:
            continue
        assert got == row


@pytest.mark.usefixtures("small")
def test_truncated_longer_and_missing_files_are_found(tmp_path: Path) -> None:
    strata = words(1, [3, 14, 5, 7], 1)
    write(tmp_path, strata, 1)
    for name, good in data(tmp_path).items():
        for bad in (good[:-1], good[: len(good) // 2], b"", good + b"x", None):
            if bad is None:
                (tmp_path / name).unlink()
            else:
                (tmp_path / name).write_bytes(bad)
            with pytest.raises(TableError) as caught:
                Table.open(tmp_path).check()
            assert name in caught.value.message or name == "manifest.json"
            assert caught.value.hint
            (tmp_path / name).write_bytes(good)
    Table.open(tmp_path).check()


def test_other_versions_and_foreign_manifests_are_refused(tmp_path: Path) -> None:
    write(tmp_path, words(1, [3], 1), 1)
    path = tmp_path / "manifest.json"
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"version": 3', b'"version": 7'))
    with pytest.raises(TableError, match="format version 7"):
        Table.open(tmp_path)
    path.write_bytes(b'{"name": "web app"}')
    with pytest.raises(TableError, match="does not belong"):
        Table.open(tmp_path)
    for fresh in (False, True):
        with pytest.raises(TableError, match="of something else"):
            TableWriter(tmp_path, HEADER, 1, fresh=fresh)
    assert path.read_bytes() == b'{"name": "web app"}'


@pytest.mark.usefixtures("small")
def test_a_finished_table_is_not_written_again(tmp_path: Path) -> None:
    first = write(tmp_path, words(1, SIZES, 1), 1)
    before = content(tmp_path)
    with TableWriter(tmp_path, HEADER, 1) as writer:
        assert writer.finished is not None
        assert writer.finished.signature == first.signature
        with pytest.raises(ValueError, match="finished"):
            writer.add(99, np.zeros((1, 1), np.int64), {})
    assert content(tmp_path) == before


@pytest.mark.usefixtures("small")
def test_another_header_is_refused_unless_fresh(tmp_path: Path) -> None:
    strata = words(1, SIZES, 1)
    write(tmp_path, strata, 1)
    (tmp_path / "notes.txt").write_text("mine")
    other = {**HEADER, "parameters": {"n": 4}}
    before = content(tmp_path)
    with pytest.raises(TableError, match="parameters differs") as caught:
        TableWriter(tmp_path, other, 1)
    assert "--fresh" in caught.value.hint
    assert content(tmp_path) == before
    with TableWriter(tmp_path, other, 1, fresh=True) as writer:
        assert (writer.done, writer.rows, writer.finished) == (0, 0, None)
        with pytest.raises(TableError, match="unfinished"):
            Table.open(tmp_path)
        for stratum in strata[:2]:
            writer.add(*stratum)
    with pytest.raises(TableError, match="parameters differs"):
        TableWriter(tmp_path, HEADER, 1)
    write(tmp_path, strata, 1, other)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_parts_that_nothing_explains_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "part-000000.parquet").write_bytes(b"someone else's")
    for fresh in (False, True):
        with pytest.raises(TableError, match="without a manifest"):
            TableWriter(tmp_path, HEADER, 1, fresh=fresh)
    assert (tmp_path / "part-000000.parquet").read_bytes() == b"someone else's"


def test_only_one_writer_at_a_time(tmp_path: Path) -> None:
    with TableWriter(tmp_path, HEADER, 1), pytest.raises(TableError, match="another process"):
        TableWriter(tmp_path, HEADER, 1)
    with TableWriter(tmp_path, HEADER, 1):
        pass


@pytest.mark.usefixtures("small")
def test_resuming_gives_what_is_stored_and_the_same_bytes(tmp_path: Path) -> None:
    strata = words(4, SIZES, 2)
    write(tmp_path / "whole", strata, 2)
    for stop in range(len(strata) + 1):
        folder = tmp_path / f"stopped-{stop}"
        with TableWriter(folder, HEADER, 2) as writer:
            for stratum in strata[:stop]:
                writer.add(*stratum)
        with TableWriter(folder, HEADER, 2) as writer:
            assert writer.done <= stop
            low = 0
            for (number, first, rows, columns), want in zip(
                writer.stored(), strata[: writer.done], strict=True
            ):
                assert (number, first, rows) == (want[0], low, len(want[1]))
                assert all((columns[name] == want[2][name]).all() for name in want[2])
                low += rows
            assert low == writer.rows
        write(folder, strata, 2)
        assert content(folder) == content(tmp_path / "whole")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("damaged", ["part-000001.parquet", "part-000001.json"])
def test_damaged_parts_are_dropped_with_all_after_them(tmp_path: Path, damaged: str) -> None:
    strata = words(4, SIZES, 1)
    write(tmp_path / "whole", strata, 1)
    folder = tmp_path / "stopped"
    with TableWriter(folder, HEADER, 1) as writer:
        for stratum in strata[:-1]:
            writer.add(*stratum)
        writer.flush()
        assert writer.done > 3
    bad = bytearray((folder / damaged).read_bytes())
    bad[len(bad) // 2] ^= 4
    (folder / damaged).write_bytes(bad)
    with TableWriter(folder, HEADER, 1) as writer:
        assert writer.done == 2
        assert sorted(content(folder)) == [
            "lock",
            "part-000000.json",
            "part-000000.parquet",
            "unfinished.json",
        ]
    write(folder, strata, 1)
    assert content(folder) == content(tmp_path / "whole")


def test_wrong_strata_are_refused(tmp_path: Path) -> None:
    keys = np.array([[1], [2]])
    columns = {"score": np.array([1, 2])}
    with TableWriter(tmp_path, HEADER, 1) as writer:
        writer.add(3, keys, columns)
        for wrong in (
            (3, keys, columns),
            (4, keys[::-1], columns),
            (4, keys, {"score": np.array([1])}),
            (4, keys[:0], {"score": np.array([], np.int64)}),
        ):
            with pytest.raises(ValueError, match="stratum"):
                writer.add(*wrong)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_ascending_is_lexicographic(width: int) -> None:
    rng = np.random.default_rng(width)
    for _ in range(300):
        keys = rng.integers(-1, 2, (rng.integers(0, 5), width))
        plain = [tuple(key) for key in keys.tolist()]
        assert signature.ascending(keys) == (plain == sorted(set(plain)))


def test_a_full_disk_is_told_and_mended(tmp_path: Path) -> None:
    strata = words(4, [300000, 400000, 10], 1)
    write(tmp_path / "whole", strata, 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    first = (tmp_path / "whole" / "part-000000.parquet").stat().st_size
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with TableWriter(tmp_path / "full", HEADER, 1) as writer:
        writer.add(*strata[0])
        writer.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (first + 5000, hard))
        try:
            writer.add(*strata[1])
            with pytest.raises(TableError, match="cannot write") as caught:
                writer.flush()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, ignored)
        assert "make room" in caught.value.hint
        assert writer.done == 1
    write(tmp_path / "full", strata, 1)
    assert content(tmp_path / "full") == content(tmp_path / "whole")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="cannot write"):
        TableWriter(tmp_path / "file" / "table", HEADER, 1)


def test_sealed_texts_are_portable_json(tmp_path: Path) -> None:
    data = {"a": [float("inf"), (1, 2)], "b": {"c": None}, "parts": [{"x": 1}, {"x": 2}]}
    (tmp_path / "x.json").write_bytes(sealed(data))
    assert unsealed(tmp_path / "x.json") == {**data, "a": [float("inf"), [1, 2]]}
    assert b"Infinity" not in (tmp_path / "x.json").read_bytes()


KILLED = """
import os, signal, sys
from pathlib import Path
from test_table import big_strata, write
from perfectplay.table import writer
writer.PART_ROWS = 3000
left = int(sys.argv[2])


def renamed(event, given):
    # kills this process as it renames its n-th file
    global left
    if event == "os.rename":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(renamed)
write(Path(sys.argv[1]), big_strata(), 1)
"""


def big_strata() -> list[Any]:
    return words(8, [4000, 10, 3500, 900, 2500] * 6, 1)


def test_a_killed_run_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "PART_ROWS", 3000)
    strata = big_strata()
    began = time.perf_counter()
    write(tmp_path / "whole", strata, 1)
    took = time.perf_counter() - began
    want = content(tmp_path / "whole")
    for run in range(10):
        folder = tmp_path / f"killed-{run}"
        child = run_writer(folder, rename=run + 1 if run < 5 else 0)
        if run >= 5:  # at any moment, which may be too late on a busy machine
            while not (folder / "unfinished.json").exists() and child.poll() is None:
                time.sleep(0.0005)
            time.sleep(took * (run - 5) / 10)
            os.kill(child.pid, signal.SIGKILL)
        child.wait()
        ended = (folder / "manifest.json").exists()
        assert not (ended and run < 5)
        if not ended:
            write(folder, strata, 1)
        assert content(folder) == want


def run_writer(folder: Path, rename: int) -> subprocess.Popen[bytes]:
    tests = Path(__file__).parent
    return subprocess.Popen([sys.executable, "-c", KILLED, str(folder), str(rename)], cwd=tests)


def test_columns_and_folders_say_what_they_hold(tmp_path: Path) -> None:
    write(tmp_path, words(2, [3, 2], 2), 2)
    import pyarrow.parquet as pq

    names = pq.read_schema(tmp_path / "part-000000.parquet").names
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    for field in pq.read_schema(tmp_path / "part-000000.parquet"):
        assert f"| `{field.name}` | {field.metadata[b'description'].decode()} |" in page
    assert len(names) > 3
    assert "5 rows" in page


def test_somebody_elses_readme_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    write(tmp_path, words(1, [3], 1), 1)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"
