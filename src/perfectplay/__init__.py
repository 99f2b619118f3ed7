"""perfectplay: write a game's rules in plain Python; get every position's value, and a proof.

    rules -> positions -> strata -> values -> table -> answer

A folder is a step of that flow; imports point backwards, from later steps to earlier ones.

    rules/          what an author writes: game.py first, then capabilities.py
    compiled/       Numba's door: kernels, and rules as compiled types
    positions/      rules run over batches of positions; every position found and numbered
    strata/         the moves of one stratum as arrays; facts, components, strata in files
    solvers/        one file or folder per method, all of one shape
    table/          values in a folder of Parquet files
    solving/        the run from rules to a table: which method, how much memory, what will it cost
    answer/         solve.py is the spine; what a solved game says of positions and policies
    searching/      the value of one position, without solving the whole game
    sums/           values of games that fall apart into independent parts
    verification/   tables proved again, rules tried out, published figures computed again
    games/          the collection, by family
    web/            the explorer: pages in which every move is a link; a widget of Jupyter
    interop/        tables as files for other programs, games from other systems, ours for them
    cli/            the command line
    drawing/        SVG and PNG
    schemas/        the JSON of all answers, field by field

testing.py is for tests of one's own games.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, whose import alone would take longer than all of this file
if TYPE_CHECKING:
    from typing import Any

    from perfectplay.answer.counting.count_lines import count_lines
    from perfectplay.answer.counting.line_counts import LineCounts
    from perfectplay.answer.evaluate import evaluate
    from perfectplay.answer.evaluation import Evaluation
    from perfectplay.answer.following.found_study import Study
    from perfectplay.answer.following.studies import Studies, studies
    from perfectplay.answer.following.study import study
    from perfectplay.answer.solution import Solution
    from perfectplay.answer.solve import solve
    from perfectplay.answer.sweep import Sweep, sweep
    from perfectplay.errors import (
        NoSolverError,
        PerfectPlayError,
        RulesError,
        TableError,
        TooLargeError,
        UsageError,
        VerificationError,
    )
    from perfectplay.interop.exporting.export import export
    from perfectplay.rules.capabilities import (
        Anchors,
        ByTurns,
        Charted,
        Decomposed,
        HiddenChoices,
        LabelledPieces,
        NumberedStarts,
        OwnSolver,
        PlacedMoves,
        SimultaneousMoves,
        Walked,
    )
    from perfectplay.rules.chart import Chart
    from perfectplay.rules.coalitions import sided
    from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, replaced
    from perfectplay.rules.load import load
    from perfectplay.rules.number_capabilities import BackwardMoves, Indexed, NumberMoves
    from perfectplay.rules.search_capabilities import (
        Abstractions,
        EnoughMoves,
        ForcedMoves,
        KnownEndings,
        MoveOrder,
        NumberedDeals,
        SearchGuides,
        Threats,
    )
    from perfectplay.rules.value import Outcome, Value
    from perfectplay.searching.search import search, searches
    from perfectplay.solvers.matrix.nash import Equilibrium, nash
    from perfectplay.solving.plan import plan
    from perfectplay.sums.grundy_values import grundy
    from perfectplay.verification.check import check
    from perfectplay.verification.published.reproduce import reproduce
    from perfectplay.verification.verify import verify

__all__ = [
    "CHANCE",
    "OVER",
    "SIMULTANEOUS",
    "Abstractions",
    "Anchors",
    "BackwardMoves",
    "ByTurns",
    "Chart",
    "Charted",
    "Decomposed",
    "EnoughMoves",
    "Equilibrium",
    "Evaluation",
    "ForcedMoves",
    "Game",
    "HiddenChoices",
    "Indexed",
    "KnownEndings",
    "LabelledPieces",
    "LineCounts",
    "MoveOrder",
    "NoSolverError",
    "NumberMoves",
    "NumberedDeals",
    "NumberedStarts",
    "Outcome",
    "OwnSolver",
    "PerfectPlayError",
    "PlacedMoves",
    "RulesError",
    "SearchGuides",
    "SimultaneousMoves",
    "Solution",
    "Studies",
    "Study",
    "Sweep",
    "TableError",
    "Threats",
    "TooLargeError",
    "UsageError",
    "Value",
    "VerificationError",
    "Walked",
    "check",
    "count_lines",
    "evaluate",
    "export",
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
    "studies",
    "study",
    "sweep",
    "verify",
]
__version__ = "0.2.0"

_LAZY = {
    "NoSolverError": "perfectplay.errors",
    "PerfectPlayError": "perfectplay.errors",
    "RulesError": "perfectplay.errors",
    "TableError": "perfectplay.errors",
    "TooLargeError": "perfectplay.errors",
    "UsageError": "perfectplay.errors",
    "VerificationError": "perfectplay.errors",
    "CHANCE": "perfectplay.rules.game",
    "OVER": "perfectplay.rules.game",
    "SIMULTANEOUS": "perfectplay.rules.game",
    "Game": "perfectplay.rules.game",
    "replaced": "perfectplay.rules.game",
    "Outcome": "perfectplay.rules.value",
    "Value": "perfectplay.rules.value",
    "Abstractions": "perfectplay.rules.search_capabilities",
    "Anchors": "perfectplay.rules.capabilities",
    "BackwardMoves": "perfectplay.rules.number_capabilities",
    "ByTurns": "perfectplay.rules.capabilities",
    "Charted": "perfectplay.rules.capabilities",
    "Decomposed": "perfectplay.rules.capabilities",
    "EnoughMoves": "perfectplay.rules.search_capabilities",
    "ForcedMoves": "perfectplay.rules.search_capabilities",
    "MoveOrder": "perfectplay.rules.search_capabilities",
    "HiddenChoices": "perfectplay.rules.capabilities",
    "Indexed": "perfectplay.rules.number_capabilities",
    "LabelledPieces": "perfectplay.rules.capabilities",
    "KnownEndings": "perfectplay.rules.search_capabilities",
    "NumberedDeals": "perfectplay.rules.search_capabilities",
    "NumberMoves": "perfectplay.rules.number_capabilities",
    "NumberedStarts": "perfectplay.rules.capabilities",
    "OwnSolver": "perfectplay.rules.capabilities",
    "PlacedMoves": "perfectplay.rules.capabilities",
    "SearchGuides": "perfectplay.rules.search_capabilities",
    "SimultaneousMoves": "perfectplay.rules.capabilities",
    "Threats": "perfectplay.rules.search_capabilities",
    "Walked": "perfectplay.rules.capabilities",
    "Chart": "perfectplay.rules.chart",
    "Equilibrium": "perfectplay.solvers.matrix.nash",
    "Sweep": "perfectplay.answer.sweep",
    "Solution": "perfectplay.answer.solution",
    "LineCounts": "perfectplay.answer.counting.line_counts",
    "check": "perfectplay.verification.check",
    "count_lines": "perfectplay.answer.counting.count_lines",
    "Evaluation": "perfectplay.answer.evaluation",
    "evaluate": "perfectplay.answer.evaluate",
    "export": "perfectplay.interop.exporting.export",
    "grundy": "perfectplay.sums.grundy_values",
    "load": "perfectplay.rules.load",
    "nash": "perfectplay.solvers.matrix.nash",
    "plan": "perfectplay.solving.plan",
    "reproduce": "perfectplay.verification.published.reproduce",
    "search": "perfectplay.searching.search",
    "searches": "perfectplay.searching.search",
    "sided": "perfectplay.rules.coalitions",
    "solve": "perfectplay.answer.solve",
    "Study": "perfectplay.answer.following.found_study",
    "Studies": "perfectplay.answer.following.studies",
    "studies": "perfectplay.answer.following.studies",
    "study": "perfectplay.answer.following.study",
    "sweep": "perfectplay.answer.sweep",
    "verify": "perfectplay.verification.verify",
}


def __getattr__(name: str) -> Any:
    """Every part is imported when it is first asked for."""
    import importlib

    if name not in _LAZY:
        raise AttributeError(f"module 'perfectplay' has no attribute {name!r}")
    found = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
