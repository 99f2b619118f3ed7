"""Draw the pictures of the documentation from solved games: python docs/pictures/make.py"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from perfectplay import load, solve, sweep
from perfectplay.sums import parse

HERE = Path(__file__).parent
FILE = re.compile(r"```python\n# keeping\.py\n(.*?)```", re.S)


def main() -> None:
    """Write all pictures."""
    pig = solve(load("pig"))
    lines = {"own score": range(100), "other score": [0, 30, 50, 70]}
    pig.chart(at=lines, lines=True).save(HERE / "pig.svg")
    solve(load("piglet")).chart().save(HERE / "piglet.svg")
    solve(load("memory", {"pairs": 20})).chart().save(HERE / "memory.svg")
    over = {"quota": range(13), "passing": [False, True]}
    sweep("flip", over).save(HERE / "flip-quota.svg")
    sigma = {"sigma": range(5, 65, 5)}
    sweep("darts", sigma, darts=1).save(HERE / "darts-sigma.svg")
    first = {"score": range(2, 101), "dart": 1}
    solve(load("darts", {"score": 100, "sigma": 20})).chart(at=first).save(HERE / "darts.svg")
    percent = {"percent": range(5, 100, 5)}
    sweep("weakest-link", percent).save(HERE / "weakest-link.svg")
    sweep("millionaire", percent, lifelines=3).save(HERE / "millionaire.svg")
    hot = parse("{3||1|-2}")
    (HERE / "thermograph.svg").write_text(hot.thermograph().picture(str(hot)), encoding="utf-8")
    page = (HERE.parent / "charts.md").read_text(encoding="utf-8")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "keeping.py"
        file.write_text(FILE.findall(page)[0], encoding="utf-8")
        solve(load(str(file))).chart().save(HERE / "keep.svg")


if __name__ == "__main__":
    main()
