"""By number and by key: the game of docs/perfect-index.md, solved both ways on one core.

    python benchmarks/numbered.py

Both are solved twice, the second time without compiling; processor time and the bytes of the
tables are compared, and so are the values of some positions."""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

from perfectplay import solve
from perfectplay.answer.solution import Solution
from perfectplay.rules.load import load
from perfectplay.solving.route import Home, along

PAGE = Path(__file__).parents[1] / "docs" / "perfect-index.md"


def solved(game: object, folder: Path, homes: tuple[Home, ...]) -> tuple[float, int, Solution]:
    """Processor seconds, bytes of the table, and the solution."""
    began = time.process_time()
    with along(homes=homes):
        solution = solve(game, folder, workers=1, fresh=True)  # type: ignore[arg-type]
    took = time.process_time() - began
    return took, sum(file.stat().st_size for file in folder.iterdir()), solution


def main() -> None:
    """Print both, and how they compare."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "slide.py"
        found = re.search(r"```python\n(# slide.py\n.*?)```", PAGE.read_text(), re.S)
        assert found is not None
        file.write_text(found[1])
        game = load(str(file))
        for _ in range(2):
            number = solved(game, Path(temporary) / "number", (Home.NUMBERS,))
            key = solved(game, Path(temporary) / "key", (Home.MEMORY,))
        assert number[2].report["positions"] == 113_028
        for count, p in enumerate(key[2].positions()):
            if count % 5000 == 0:
                assert number[2].values(p) == key[2].values(p)
        for name, (took, size, solution) in (("number", number), ("key", key)):
            print(f"by {name:6} {took:6.2f} s  {size:9,} bytes  {solution.report['positions']:,}")
        print(f"{key[0] / number[0]:.1f} times as fast, {key[1] / number[1]:.1f} times as small")


if __name__ == "__main__":
    sys.exit(main())
