"""rules -> table by number, for rules that are `Indexed`."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.errors import TooLargeError
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.progress import size
from perfectplay.rules.game import Game, alternate, declares
from perfectplay.solvers.numbered.codes import ALONE, BOTH, LOSSES, WINS, Coding
from perfectplay.solving.budget import disk_room
from perfectplay.strata.disk_strata import working_files
from perfectplay.strata.graph import Facts

if TYPE_CHECKING:
    from perfectplay.solving.numbered_strata import NumberedStrata
    from perfectplay.solving.run import Run
    from perfectplay.table.reader import MemoryTable, Table


WRITING = 1 << 26
"""Bytes that it takes to look for moves in, and to write, a large stratum."""


def besides(largest: int) -> int:
    """Bytes besides values, if the largest stratum has so many numbers."""
    return min(12 * largest, WRITING)


VALUE_BYTES = 1
"""Bytes for the value of each number while solving, if no depth or score takes more than one."""


def served(game: Game) -> bool:
    """Whether a game of this kind can be solved by number, as far as its methods show."""
    if not game.native or declares(game, "chances"):
        return False
    if game.players == 1:
        return bool(game.minimise) and game.endless is None and declares(game, "reward")
    if game.players != 2 or game.endless not in (None, 0) or game.minimise:
        return False
    return alternate(game) or not declares(game, "reward")


def by_numbers(run: Run) -> Table | MemoryTable | None:
    """rules -> table; None if the values are of a kind that is not found by number."""
    with run.stage("compile"):
        run.progress.start("compile")
        numbering = Numbering(run.game)
        run.rules = numbering.rules
    with run.stage("expand"):
        strata = _strata(numbering, _room(run, numbering), run.budget.most // 2)
    return None if strata is None else run.filled(strata)


Room = Callable[[int, type[np.generic]], Array]
"""Gives an array for so many values, all 0."""


def _room(run: Run, numbering: Numbering) -> Room:
    """Arrays in memory or, where they take more than half of it, in a file that is mapped;
    TooLargeError if there is no room for them."""
    writing = besides(max(numbering.sizes.values()))

    def room(count: int, kind: type[np.generic]) -> Array:
        needed = count * np.dtype(kind).itemsize
        mapped = run.folder is not None and needed > run.budget.most // 2
        if writing + (0 if mapped else needed) > run.budget.most:
            raise TooLargeError(
                f"too large: {count:,} positions in {len(numbering.sizes)} strata need "
                f"{size(writing + (0 if mapped else needed))} of memory; "
                f"{size(run.budget.most)} may be used",
                "allow more with --memory, choose smaller parameters, or split strata",
            )
        if not mapped:
            return np.zeros(count, kind)
        assert run.folder is not None
        free = disk_room(run.folder, run.disk)
        if needed > free:
            raise TooLargeError(
                f"values of {count:,} positions take {size(needed)} on disk; {size(free)} may be "
                "used",
                "allow more with --disk, or put the table on a larger disk",
            )
        run.working += needed
        folder = run.folder.absolute().parent
        folder.mkdir(parents=True, exist_ok=True)
        with working_files(folder), tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(needed)
            return np.memmap(file, kind, "r+", shape=(count,)).view(np.ndarray)

    return room


def _strata(numbering: Numbering, room: Room, memory: int) -> NumberedStrata | None:
    from perfectplay.solving.numbered_strata import NumberedStrata

    game: Game = numbering.game
    if game.players == 1:
        cost = _cost(numbering)
        facts = _facts(game, rewards=True, outcome=False, endless=-math.inf)
        return NumberedStrata(numbering, facts, ALONE, room, cost) if cost else None
    coding = _coding(numbering)
    if coding is None and not alternate(game):
        return None
    rewards = declares(game, "reward")
    facts = _facts(game, rewards=rewards, outcome=coding is not None)
    return NumberedStrata(numbering, facts, coding, room, memory=memory)


def _facts(game: Game, *, rewards: bool, outcome: bool, endless: float = 0.0) -> Facts:
    return Facts(
        players=game.players,
        scalar=True,
        chance=False,
        rewards=rewards,
        outcome=outcome,
        endless=endless,
        minimise=bool(game.minimise),
    )


def _cost(numbering: Numbering) -> int:
    """What the first move that there is costs one player; 0 if values do not count moves."""
    game = numbering.game
    for stratum, numbers in reversed(numbering.strata):
        for number in range(numbers):
            p = numbering.position(stratum, number)
            for move in () if p is None else game.moves(p):
                cost = game.reward(p, move)
                return int(cost) if isinstance(cost, int) and cost > 0 else 0
    return 0


def _coding(numbering: Numbering) -> Coding | None:
    """How outcomes are coded; None if there are scores."""
    game: Any = numbering.game
    if declares(game, "reward"):
        return None
    if not declares(game, "payoff"):
        return WINS if game.misere else LOSSES
    from perfectplay.solving.numbered_strata import surveyed

    least, most = game.end_payoffs or surveyed(numbering)
    if least < -1 or most > 1:
        return None
    return BOTH if least < 0 < most else WINS if most > 0 else LOSSES
