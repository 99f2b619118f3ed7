"""perfectplay: write a game's rules in plain Python; get every position's value, and a proof.

    rules -> positions -> strata -> values -> table -> answer

Reading order:

    game.py       all that an author of rules must write, and what may be left out
    games/        one file per game or family; boards/ is what their pictures and sets share
    load.py       names, files and parameters become games; digest.py says when rules have changed
    sides.py      players who join forces, or play against one of them
    compile.py    the door to compiled code: loader.py loads it, compiling.py asks Numba for it
    native.py     rules as a compiled type (members.py), for the one kernel of expand_kernel.py
    expand.py     rules run over batches of positions (batch.py); expand_native.py the compiled way
    explore.py    every position found, stratum by stratum; index.py, layers.py, memory.py
    graph.py      the moves of one stratum as arrays; facts.py, strata.py
    solvers/      one file per method, all of the same shape
    store.py      the values of all positions; value.py is what one value is
    table.py      values in a folder: parts.py, manifest.py; lookup.py reads; verify.py re-derives
    answer.py     Solution and Analysis: the same answer for every face
    solve.py      the spine: all of the above in a dozen lines
    evaluate.py   what a policy is worth: evaluation.py; followed.py is play that keeps to policies
    search/       the value of one position, without solving the whole game
    plan.py, check.py, bench.py   what will it cost, are the rules sound, how fast is it
    nash.py       games in which both choose at once: solvers/matrix.py, solvers/extreme.py
    grundy.py     nim values of impartial games; partizan/ has values of all others, and heaps
    reproduce/    published figures as data, each solved anew
    sweep.py      one game under many rules; chart.py, plot.py draw strategies
    play/         the command line
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

from perfectplay.errors import (
    NoSolverError,
    PerfectPlayError,
    RulesError,
    TableError,
    TooLargeError,
    UsageError,
    VerificationError,
)
from perfectplay.game import CHANCE, OVER, Game, replaced
from perfectplay.value import Outcome, Value

if TYPE_CHECKING:
    from perfectplay.answer import Solution
    from perfectplay.chart import Chart
    from perfectplay.check import check
    from perfectplay.evaluate import evaluate
    from perfectplay.evaluation import Evaluation
    from perfectplay.grundy import grundy
    from perfectplay.load import load
    from perfectplay.nash import Equilibrium, nash
    from perfectplay.plan import plan
    from perfectplay.reproduce import reproduce
    from perfectplay.search import search, searches
    from perfectplay.sides import sided
    from perfectplay.solve import solve
    from perfectplay.sweep import Sweep, sweep
    from perfectplay.verify import verify

__all__ = [
    "CHANCE",
    "OVER",
    "Chart",
    "Equilibrium",
    "Evaluation",
    "Game",
    "NoSolverError",
    "Outcome",
    "PerfectPlayError",
    "RulesError",
    "Solution",
    "Sweep",
    "TableError",
    "TooLargeError",
    "UsageError",
    "Value",
    "VerificationError",
    "check",
    "evaluate",
    "grundy",
    "load",
    "nash",
    "plan",
    "replaced",
    "reproduce",
    "search",
    "searches",
    "sided",
    "solve",
    "sweep",
    "verify",
]
__version__ = "0.1.0"

_LAZY = {
    "Chart": "perfectplay.chart",
    "Equilibrium": "perfectplay.nash",
    "Sweep": "perfectplay.sweep",
    "Solution": "perfectplay.answer",
    "check": "perfectplay.check",
    "Evaluation": "perfectplay.evaluation",
    "evaluate": "perfectplay.evaluate",
    "grundy": "perfectplay.grundy",
    "load": "perfectplay.load",
    "nash": "perfectplay.nash",
    "plan": "perfectplay.plan",
    "reproduce": "perfectplay.reproduce",
    "search": "perfectplay.search",
    "searches": "perfectplay.search",
    "sided": "perfectplay.sides",
    "solve": "perfectplay.solve",
    "sweep": "perfectplay.sweep",
    "verify": "perfectplay.verify",
}


def __getattr__(name: str) -> Any:
    """Heavy parts are imported when they are first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'perfectplay' has no attribute {name!r}")
    found = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = found
    return found


class _Package(types.ModuleType):
    """Python binds an imported submodule to its name in the package: `perfectplay.solve` would be
    a function before and a module after the first use. The function keeps the name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _LAZY and isinstance(value, types.ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
