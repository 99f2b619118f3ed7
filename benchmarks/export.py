"""Rows a second that `export` writes, and the memory it takes; every file is read back.

python benchmarks/export.py [FOLDER]: of the table in FOLDER, or of connect 4 x 4.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from perfectplay import Solution, export, load, solve


def main() -> None:
    """Export keys and values, then everything."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch) / "table"
        if len(sys.argv) == 1:
            solve(load("connect", {"width": 4, "height": 4}), folder)
        solution = Solution.open(folder)
        few = ["key", "value", "depth"] if solution.facts.outcome else ["key", "value"]
        for columns in (few, None):
            file = Path(scratch) / f"{len(columns or [])}.parquet"
            began = time.process_time()
            found = export(solution, file, columns=columns)
            took = time.process_time() - began
            assert pq.read_metadata(file).num_rows == found.rows == len(solution)
            if solution.facts.outcome:
                stored = pc.sum(pc.abs(solution.to_arrow()["outcome"]))
                assert pc.sum(pc.abs(pq.read_table(file, columns=["value"])["value"])) == stored
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
            print(f"{', '.join(found.columns)}: {found.rows:,} rows, {found.rows / took:,.0f} a "
                  f"second of processor, {peak:,.0f} MB at most so far")  # fmt: skip


if __name__ == "__main__":
    main()
