"""The solver that pawn endings bring with them: `own_solver` of games/chess/pawn_endings.py."""

from dataclasses import dataclass
from typing import Any

from perfectplay.answer.solution import Solution
from perfectplay.games.chess.plan_structures import StructurePlan, plan_structures
from perfectplay.games.chess.structures import Structured, settled, solve_structures
from perfectplay.games.chess.structures_answer import walked
from perfectplay.games.chess.structures_check import verify_structures
from perfectplay.progress import Progress
from perfectplay.rules.game import Game
from perfectplay.searching.result import SearchResult
from perfectplay.verification.verify import Verification


@dataclass(frozen=True)
class StructureSolver:
    """Solves, searches, plans and verifies a game by its structures."""

    game: Game

    def solve(
        self, memory: int | None, workers: int | None, progress: Progress | None
    ) -> Solution:
        """All structures that can arise, solved in memory."""
        return solve_structures(self.game, memory, workers, progress)

    def search(
        self, position: Any, seconds: float | None, size: int, progress: Progress
    ) -> SearchResult:
        """Who wins one position, looking only at structures that matter."""
        return walked(self.game, position, seconds, size, progress)

    def plan(self, memory: int | None, seconds: float) -> StructurePlan:
        """How many structures there are, and what solving them will cost."""
        return plan_structures(self.game, memory, seconds)

    def verify(
        self, table: Structured, progress: Progress | None, sample: int | None
    ) -> Verification:
        """Every value derived again from the rules."""
        return verify_structures(table, progress, sample)

    def settled_by(self, solution: Solution) -> tuple[str, Game] | None:
        """Rules that settle the start where it rests on assumed promotions."""
        return settled(solution)
