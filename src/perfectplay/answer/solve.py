"""The spine: rules -> positions -> strata -> values -> table -> answer."""

from __future__ import annotations

import os
from pathlib import Path

from perfectplay.answer.solution import Solution
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.coalitions import told_apart
from perfectplay.rules.game import Game
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget, threads
from perfectplay.solving.choose import refuse_ties
from perfectplay.solving.run import Run


def solve(  # noqa: PLR0913
    game: Game,
    folder: str | Path | None = None,
    *,
    exact: bool = False,
    workers: int | None = None,
    memory: int | None = None,
    disk: int | None = None,
    plain: bool = False,
    ties: str = "first",
    fresh: bool = False,
    progress: Progress | None = None,
) -> Solution:
    """Solve every position that can arise from the start of `game`.

    With a `folder`, values go to a table there, a run that was killed is taken up where it was,
    and a finished table of the same rules is opened instead of solved again (`fresh` solves
    anyway). Without one the solution lives in memory, and a game that has structures is solved by
    them (games/chess/structures.py). `exact` asks for rationals where floats with proved bounds
    would do; `memory` is a budget in bytes, and `disk` one for working files, where a game with
    strata is solved out of core (out_of_core.py); `plain` interprets native rules."""
    refuse_ties(ties, game)
    own = own_solver(game, exact=exact, plain=plain)
    if folder is None and own is not None:
        solution: Solution = own.solve(memory, workers, progress)
        return solution
    game = told_apart(game, ties)
    options = Options(exact=exact, workers=workers or os.cpu_count() or 1, ties=ties)
    run = Run(game, options, plain=plain, progress=progress or Silent(), disk=disk)
    folder = Path(folder) if folder is not None else None
    finished = None if folder is None or fresh else run.finished(folder)
    if finished is not None:
        return Solution(game, finished, run.report(finished, folder))
    with threads():
        table = run.table(Budget(memory), folder, fresh=fresh)
    return Solution(game, table, run.report(table, folder))
