"""Search by proof numbers, as `search` sees it: the same questions as alpha-beta asks, put to
another kernel, with a table of its own."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from perfectplay.rules.game import Game
from perfectplay.rules.search_capabilities import names_threats
from perfectplay.searching.alphabeta import walk as alphabeta
from perfectplay.searching.alphabeta.layout import Layout
from perfectplay.searching.alphabeta.search import PLIES, AlphaBetaSearch, Asking
from perfectplay.searching.proofs import threats
from perfectplay.searching.proofs import walk as walking
from perfectplay.searching.proofs.threats import SEEN
from perfectplay.searching.proofs.walk import BUCKET, COLUMNS, WORDS, ProofArrays
from perfectplay.searching.search_facts import SearchFacts
from perfectplay.searching.search_stack import LIMIT, STOP, SUM, TROUBLE

LEAST = 16
"""A table has at least so many buckets."""
OPEN = -1
"""What the kernel returns where it has no answer."""


class ProofSearch(AlphaBetaSearch):
    """Bounds on one position, narrowed by proofs."""

    method = "proof"
    functions: tuple[Callable[..., Any], ...] = (
        alphabeta.stated, alphabeta.terminal, walking.forced, walking.look, walking.keep,
        walking.begin, walking.generate, walking.total, walking.recurs, walking.enter,
        walking.prove,
    )  # fmt: skip

    def __init__(
        self, game: Game, position: Any, facts: SearchFacts, slots: int, *, distance: bool = False
    ) -> None:
        if names_threats(game):
            at = self.functions.index(walking.forced)
            self.functions = (*self.functions[:at], threats.forced, *self.functions[at + 1 :])
        super().__init__(game, position, facts, slots)

    def _new_table(self) -> None:
        """An empty table."""
        words = WORDS + self._expander.width
        slots = self._slots if self._slots >= 0 else -self._slots // (8 * words)
        buckets = max(1 << max((slots // BUCKET).bit_length() - 1, 0), LEAST)
        self._layout = Layout(0, 64, 0, self._most)
        self._table = np.zeros((buckets * BUCKET, words), np.int64)

    def narrow(
        self, window: tuple[float, float], nodes: int, threads: int, halt: Callable[[int], bool]
    ) -> bool:
        """Narrow the bounds of the root until they answer a window, by one thread; False if it was
        stopped. In an infinite window, a question that stays open is followed by the others."""
        if not super().narrow(window, nodes, 1, halt):
            return False
        low, high = self._bounds
        for question in (
            range(low + 1, high + 1) if math.isinf(window[0]) and high - low == 2 else ()
        ):
            done = self._ask(self.root, question, nodes, 1, halt)
            if done is None:
                return False
            self._learn(done, question)
        return True

    def _asking(self, position: Any, bound: int, nodes: int, number: int) -> Asking:
        return _Worker(self, position, bound, nodes)


class _Worker(Asking):
    """One that goes by proof numbers."""

    def __init__(self, search: ProofSearch, position: Any, bound: int, nodes: int) -> None:
        control = np.zeros(alphabeta.CONTROLS, np.int64)
        super().__init__(control)
        facts, room = search._facts, search._room
        control[LIMIT] = nodes
        control[alphabeta.PAIRS], control[SUM] = facts.pairs, facts.sum or 0
        self.kids = np.empty((room, alphabeta.HEAD + search._expander.width), np.int64)
        self.kids[0, alphabeta.HEAD :] = search._expander.keys([position])[0]
        self.path = np.empty((PLIES, COLUMNS), np.int64)
        self.arrays = ProofArrays(
            search._table, self.kids, np.empty(room, np.int64), np.zeros((room, 2), np.int64),
            self.path, np.zeros(SEEN, np.int64), control,
        )  # fmt: skip
        self.value = 0
        self._search, self._bound = search, bound

    def answer(self) -> bool:
        """Search until the question is answered or cannot be, or STOP is set; whether it ended."""
        search, bound = self._search, self._bound
        expander = search._expander
        near = self.kids[:1, alphabeta.HEAD :], None
        said = int(
            expander.called(
                search._kernel, search._rules, expander.sample, bound, self.arrays, search._most,
                near=near,
            )
        )  # fmt: skip
        self.value, self.settles = bound if said == 1 else bound - 1, said != OPEN
        return not self.control[STOP] and not self.control[TROUBLE]
