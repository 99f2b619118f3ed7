"""The spine: rules -> positions -> strata -> values -> table -> answer."""

from pathlib import Path
from typing import TypedDict, Unpack

from perfectplay.answer.solution import Solution
from perfectplay.answer.spot_check import spot_check
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.errors import UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Deadline, Progress, Silent
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.coalitions import told_apart
from perfectplay.rules.game import Game
from perfectplay.rules.parameters import refuse_unstorable
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget
from perfectplay.solving.choose import METHODS, refuse_ties
from perfectplay.solving.route import Home, route
from perfectplay.solving.run import Run


class SolvingLimits(TypedDict, total=False):
    """What solving may use."""

    workers: int | None
    """Threads; default: all cores."""
    memory: int | None
    """Bytes; default: most of what is free."""
    disk: int | None
    """Bytes of working files, where a game is solved out of core."""
    on: str | None
    """Which workers: "processes:4", "threads:4", or "tcp://host:8786", a Dask scheduler's address.
    `memory` is then that of all processes here together."""
    seconds: float | None
    """Time after which it ends with TimeUpError; what is finished is kept in the folder."""


@explained
def solve(
    game: Game,
    folder: str | Path | None = None,
    *,
    exact: bool = False,
    plain: bool = False,
    ties: str = "first",
    method: str = "auto",
    fresh: bool = False,
    progress: Progress | None = None,
    **limits: Unpack[SolvingLimits],
) -> Solution:
    """Solve every position that can arise from the start of `game`.

    With a `folder`, values go to a table there, a run that was killed is taken up where it was,
    and a finished table of the same rules is opened instead of solved again (`fresh` solves
    anyway). Without one the solution lives in memory, and rules that bring their own solver are
    solved by it. `exact` asks for rationals where floats with proved bounds would do; `memory` is
    a budget in bytes, and `disk` one for the working files of a game that is solved out of core;
    `plain` interprets native rules; `method` names how cycles are solved, to compare methods
    ("naive", "newton", "strategy"), position by position. solving/route.py decides which way is
    taken."""
    refuse_ties(ties, game)
    game = told_apart(game, ties)
    named = method != "auto"
    if named and method not in METHODS:
        raise UsageError(f"no method is called {method!r}", f"methods: auto, {', '.join(METHODS)}")
    on = limits.get("on")
    way = route(game, exact=exact, plain=plain, stored=folder is not None, steps=named, on=on)
    seconds = limits.get("seconds")
    if seconds is not None:
        progress = Deadline(progress or Silent(), seconds)
    own = own_solver(game) if way.homes[0] is Home.OWN else None
    if own is not None:
        solution: Solution = own.solve(limits.get("memory"), limits.get("workers"), progress)
        return solution
    if folder is not None:
        refuse_unstorable(game)
    run = Run(
        game,
        Options(exact=exact, workers=limits.get("workers") or cores(), ties=ties, method=method),
        way,
        plain=plain,
        folder=Path(folder) if folder is not None else None,
        fresh=fresh,
        budget=Budget(limits.get("memory")),
        disk=limits.get("disk"),
        on=on,
        progress=progress or Silent(),
    )
    with threads(run.options.workers):
        before = run.finished()
        table = before or run.table()
    solution = Solution(game, table, run.report(table))
    if before is not None:
        spot_check(solution)
    return solution
