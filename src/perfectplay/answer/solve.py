"""The spine: rules -> positions -> strata -> values -> table -> answer."""

from pathlib import Path

from perfectplay.answer.solution import Solution
from perfectplay.answer.spot_check import spot_check
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import threads
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.coalitions import told_apart
from perfectplay.rules.game import Game
from perfectplay.rules.parameters import refuse_unstorable
from perfectplay.solvers.work import Options
from perfectplay.solving.budget import Budget
from perfectplay.solving.choose import refuse_ties
from perfectplay.solving.route import Home, route
from perfectplay.solving.run import Run


@explained
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
    anyway). Without one the solution lives in memory, and rules that bring their own solver are
    solved by it. `exact` asks for rationals where floats with proved bounds would do; `memory` is
    a budget in bytes, and `disk` one for the working files of a game that is solved out of core;
    `plain` interprets native rules. solving/route.py decides which way is taken."""
    refuse_ties(ties, game)
    game = told_apart(game, ties)
    way = route(game, exact=exact, plain=plain, stored=folder is not None)
    own = own_solver(game) if way.homes[0] is Home.OWN else None
    if own is not None:
        solution: Solution = own.solve(memory, workers, progress)
        return solution
    if folder is not None:
        refuse_unstorable(game)
    run = Run(
        game,
        Options(exact=exact, workers=workers or cores(), ties=ties),
        way,
        plain=plain,
        folder=Path(folder) if folder is not None else None,
        fresh=fresh,
        budget=Budget(memory),
        disk=disk,
        progress=progress or Silent(),
    )
    with threads(run.options.workers):
        before = run.finished()
        table = before or run.table()
    solution = Solution(game, table, run.report(table))
    if before is not None:
        spot_check(solution)
    return solution
