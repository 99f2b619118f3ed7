"""Microsoft's deals of FreeCell, each solved or refuted: CPU seconds, beside those of fc-solve
where that is installed (Debian's freecell-solver-bin).

    .venv/bin/python benchmarks/freecell.py [FIRST:LAST] [cells]
"""

import resource
import shutil
import subprocess
import sys
import time
from collections import Counter

from perfectplay import load
from perfectplay.searching.one_player.many import search_each

PEER = "freecell-solver-range-parallel-solve"
SIZE = 256 << 20


def main() -> None:
    """Ours after one deal that compiles the rules, then theirs with its defaults."""
    given = [word for word in sys.argv[1:] if ":" in word] or ["1:1000"]
    first, last = (int(word) for word in given[0].split(":"))
    cells = next((int(word) for word in sys.argv[1:] if ":" not in word), 4)
    game = load("freecell", {"cells": cells})
    list(search_each(game, [first], size=SIZE))
    began, counts, nodes, refuted = time.process_time(), Counter[str](), 0, []
    for row in search_each(game, range(first, last + 1), size=SIZE):
        counts[row.verdict] += 1
        nodes += row.nodes
        refuted += [row.deal] if row.verdict != "solved" else []
    spent = time.process_time() - began
    told = ", ".join(f"{many:,} {verdict}" for verdict, many in sorted(counts.items()))
    print(f"deals {first:,} to {last:,}, {cells} cells: {told}; {nodes:,} nodes, {spent:.2f} s")
    print("not solved:", *refuted[:300])
    if shutil.which(PEER) and cells == 4:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([PEER, str(first), str(last), "1000000", "--total-iterations-limit",
                        "400000", "-l", "as"], stdout=subprocess.DEVNULL, check=False)  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        theirs = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{PEER}: {theirs:.2f} s; ratio {spent / theirs:.2f}")


if __name__ == "__main__":
    main()
