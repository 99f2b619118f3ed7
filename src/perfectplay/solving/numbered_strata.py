"""NumberedStrata: strata whose positions have numbers (`Indexed`). Values are one array, a byte or
two for each number; nothing is found, hashed or kept but these.

Outcomes with depths are found backwards from the ends, depth by depth: parents of the positions
that were decided last are tried forwards, where the rules know moves backwards (`BackwardMoves`);
otherwise all that are open are tried in each round. Scores are swept until none changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.rule_kernels import rules_kernel
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.rules.capabilities import backward, number_moves
from perfectplay.rules.game import alternate
from perfectplay.solvers.numbered import passes
from perfectplay.solvers.numbered.codes import (
    A_HOLE,
    BACKWARD,
    BAD_RANK,
    DEEP,
    EARNS,
    FINE,
    FIRST,
    FORWARD,
    HOLE_SCORES,
    LARGE,
    OPEN,
    PAIRS,
    TWICE,
    UNEVEN,
    UNUSUAL,
    Coding,
)
from perfectplay.solvers.numbered.number_solver import NumberPasses
from perfectplay.solvers.numbered.passes import AllValues, Place
from perfectplay.solvers.numbered.score_solver import ScoreSolver
from perfectplay.solvers.store import NO_OUTCOME, NO_POSITION, NONE
from perfectplay.solvers.work import Work
from perfectplay.solving.loop import SolvedStratum
from perfectplay.strata.graph import Facts
from perfectplay.table.streamed import Streamed
from perfectplay.table.table_sink import Columns, TableSink

ROOM = 1 << 15
"""Positions that moves backwards lead to, looked at together."""
MOST_SEEN = 16
"""Numbers of such positions that are remembered at most, so that most are looked at once: 2 to
that power."""
RANGE = 1 << 17
"""Numbers that a thread takes at a time."""

WRONG = {
    BAD_RANK: "a move leads to a position whose number does not exist, or to a higher stratum",
    A_HOLE: "a move leads to a position whose number is a hole",
    EARNS: "a move that stays in its stratum earns something",
    LARGE: "a score is larger than 32,766",
    UNEVEN: "moves do not all cost the same, or the end of play costs something",
    TWICE: "a player moves twice in succession, or turn(p) does not say whose turn it was",
    PAIRS: "a payoff or reward is a tuple",
    UNUSUAL: "`end_payoffs` does not say what play may end with",
}


def surveyed(numbering: Numbering) -> tuple[int, int]:
    """The least and the largest payoff of all positions."""
    least, most = 2**62, -(2**62)
    with Pool.shared() as pool:
        for stratum, size in numbering.strata:
            for found in pool.map(
                lambda each, s=stratum: numbering.survey(s, *each), _ranges(size)
            ):
                least, most = min(least, int(found[1])), max(most, int(found[2]))
    return least, most


def _ranges(size: int) -> Iterator[tuple[int, int]]:
    return ((low, min(low + RANGE, size)) for low in range(0, size, RANGE))


def _read(codes: Array, meaning: Array) -> Streamed:
    """The column in which codes stand for what they mean."""
    return Streamed(meaning.dtype, [(len(codes), lambda low, high: meaning[codes[low:high]])])


class NumberedStrata:
    """The strata of a game whose positions have numbers."""

    whole = False
    numbered = True

    def __init__(
        self,
        numbering: Numbering,
        facts: Facts,
        coding: Coding | None,
        room: Callable[[int, Any], Array],
        unit: int = 1,
        memory: int = 0,
    ) -> None:
        self.numbering, self.facts = numbering, facts
        self.sizes = numbering.sizes
        self._coding = coding  # None: scores
        self._array = room
        self._unit = unit  # what a move costs one player
        self._memory = memory  # bytes that moves may take
        self._game = numbering.game
        self._alone = self._game.players == 1
        self._absolute = not self._alone and not alternate(self._game)
        bases = np.zeros(len(self.sizes) + 1, np.int64)
        np.cumsum([*self.sizes.values()], out=bases[1:])
        kind = HOLE_SCORES[0][0] if coding is None else coding.kind
        self.values = AllValues(
            room(int(bases[-1]), kind), np.array([*self.sizes], np.int64), bases
        )
        self._backward = backward(self._game) is not None
        most = 0 if self._alone else number_moves(self._game)
        self._by_number = NumberPasses(numbering, most, self._refuse) if most else None
        self._room = ROOM
        self._seen = np.empty(0, np.int64)

    # -- What the loop asks. ----------------------------------------------------------------------

    def recall(self, stratum: int, stored: Columns, work: Work, sink: TableSink) -> None:
        low, high = self._span(stratum)
        if self._coding is None:
            score = stored["score"]
            known = score[score != NO_POSITION]
            if int(np.abs(known).max(initial=0)) >= -self._hole - 1:
                self._widen_scores()
            self.values.value[low:high] = np.where(score == NO_POSITION, self._hole, score)
            return
        outcome, depth = self._as_outcomes(stored)
        self._seen_by_mover(stratum, outcome)
        while int(depth.max(initial=0)) > self._deepest():
            self._widen()
        self.values.value[low:high] = self._coding.encoded(outcome, depth)

    def solve(self, stratum: int) -> SolvedStratum:
        if self._coding is None:
            return self._solve_scores(stratum)
        while not self._settled(stratum):
            self._widen()
        low, high = self._span(stratum)
        codes = self.values.value[low:high]
        codes[codes == self._coding.top - 1] = OPEN
        holes = int((codes == self._coding.top).sum())
        work = Work({"retrograde by number": high - low - holes}, holes=holes)
        outcome, depth = self._coding.meanings(codes)
        if self._alone:
            columns = {"score": _read(codes, self._scores(outcome, depth))}
        else:
            columns = {
                "outcome": self._outcomes(stratum, codes, outcome),
                "depth": _read(codes, depth),
            }
        return SolvedStratum(range(high - low), columns, work)

    def settle(self, solved: int, safe: list[int]) -> None:
        pass  # values stay

    # -- Outcomes and depths. ---------------------------------------------------------------------

    def _settled(self, stratum: int) -> bool:
        """Find all codes of a stratum; False if some depth has none."""
        low, high = self._span(stratum)
        self.values.value[low:high] = OPEN
        self._seen = np.full(1 << min(MOST_SEEN, (high - low).bit_length()), -1, np.int64)
        if self._by_number is not None:
            self._by_number.begin(high - low)
        highest, code = self._pass(stratum, FIRST, 0), 0
        mode = BACKWARD if self._backward or self._by_number else FORWARD
        while highest >= 0 and code < highest:
            code += 1
            found = self._pass(stratum, mode, code)
            highest = max(highest, found) if found >= 0 else -1
        return highest >= 0

    def _pass(self, stratum: int, mode: int, code: int) -> int:
        """One pass over a stratum: the largest code that it wrote; -1 if one is too large."""
        coding = self._coding
        assert coding is not None
        at = [*self.sizes].index(stratum)
        place = Place(
            at, mode, code, coding.lost, coding.won, coding.up, coding.top,
            self._alone, self._unit, self._absolute,
        )  # fmt: skip
        low, _ = self._span(stratum)

        def task(begin: int, end: int) -> int:
            if self._by_number is not None:
                return self._by_number.passed(self.values, place, begin, end)
            rows = np.arange(begin, end)
            if mode != FIRST:
                part = self.values.value[low + begin : low + end]
                if mode == BACKWARD:
                    many = passes.frontier(part, begin, code, rows)
                else:
                    many = passes.unsettled(part, begin, code + coding.up, coding.top, rows)
                rows = rows[:many]
            found = [self._settled_by(place, *some) for some in self._some(place, rows)]
            return -1 if -1 in found else max(found, default=0)

        return self._each(self.sizes[stratum], task)

    def _some(self, place: Place, rows: Array) -> Iterator[tuple[Array, Array]]:
        """Positions to look at, as keys and numbers, as many at a time as there is room for."""
        rules = self.numbering.rules
        if place.mode != BACKWARD:
            yield np.empty((1, rules.width), np.int64), rows
            return
        while len(rows):
            keys = np.empty((self._room, rules.width), np.int64)
            numbers = np.empty(self._room, np.int64)
            done, many = rules.called(
                self._candidates, self._game, rules.sample, self.values, place, rows,
                (keys, numbers), self._seen,
            )  # fmt: skip
            rows = rows[done:]
            if not done:  # one position has more moves backwards than that
                self._room *= 2
            yield keys[:many], numbers[:many]

    def _settled_by(self, place: Place, keys: Array, numbers: Array) -> int:
        """The largest code that is written for some positions; -1 if one is too large."""
        rules, pay = self.numbering.rules, np.zeros((1, 16), np.int64)
        highest, wrong, where = rules.called(
            self._settle, self._game, rules.sample, self.values, place, keys, numbers, pay
        )
        if wrong == DEEP:
            return -1
        self._refuse(place, wrong, where)
        return int(highest)

    @cached_property
    def _settle(self) -> Any:
        return rules_kernel(passes.settle, self._game)

    @cached_property
    def _candidates(self) -> Any:
        return rules_kernel(passes.candidates, self._game)

    def _each(self, size: int, task: Callable[[int, int], int]) -> int:
        """The largest number that the task gives for ranges of a stratum; -1 if one does."""
        highest = 0
        with Pool.shared() as pool:
            for found in pool.map(lambda each: task(*each), _ranges(size)):
                if found < 0:
                    highest = -1
                highest = max(highest, found) if highest >= 0 else -1
        return highest

    def _deepest(self) -> int:
        """The greatest depth that has a code."""
        assert self._coding is not None
        deepest = self._coding.deepest
        return (deepest - self._coding.won) // (2 if self._coding.up == 3 else 1)

    def _widen(self) -> None:
        """Give codes two bytes."""
        coding = self._coding
        assert coding is not None
        if coding.wide:
            raise RulesError(
                f"{type(self._game).__name__}: a win takes more than {self._deepest():,} plies",
                "set `indexed` to False",
            )
        wide = coding._replace(wide=True)
        old = self.values.value
        shift = wide.top - coding.top
        value = self._array(len(old), wide.kind)
        for low, high in _ranges(len(old)):
            value[low:high] = old[low:high]
            value[low:high][old[low:high] >= coding.top - 2] += shift
        self._coding, self.values = wide, self.values._replace(value=value)

    def _outcomes(self, stratum: int, codes: Array, meaning: Array) -> Streamed:
        """The outcomes of a stratum, seen by player 0 if positions say whose turn it is."""
        if self._by_number is not None and not self._by_number.second:
            return _read(codes, meaning)

        def given(low: int, high: int) -> Array:
            part = meaning[codes[low:high]]
            if self._absolute:
                second = self.numbering.seers(stratum, low, high) == 1
                part[second & (np.abs(part) == 1)] *= -1
            return part

        return Streamed(meaning.dtype, [(len(codes), given)])

    def _seen_by_mover(self, stratum: int, outcome: Array) -> None:
        """Turn outcomes as player 0 sees them into those of the player to move."""
        if not self._absolute:
            return

        def task(low: int, high: int) -> None:
            second = self.numbering.seers(stratum, low, high) == 1
            part = outcome[low:high]
            part[second & (np.abs(part) == 1)] *= -1

        with Pool.shared() as pool:
            list(pool.map(task, *zip(*_ranges(len(outcome)), strict=True)))

    # -- Scores. ----------------------------------------------------------------------------------

    def _solve_scores(self, stratum: int) -> SolvedStratum:
        low, high = self._span(stratum)
        at, ranges = [*self.sizes].index(stratum), [*_ranges(high - low)]
        method = None
        while method is None:
            place = Place(at, FIRST, 0, 0, 0, 0, self._hole, alone=False, unit=0, absolute=False)
            method = self._scorer.solve(self.values, place, ranges)
            if method is None:
                self._widen_scores(place)
        value = self.values.value[low:high]
        holes = int((value == self._hole).sum())
        meaning = np.arange(-(1 << 8 * value.itemsize - 1), 1 << 8 * value.itemsize - 1)
        meaning[0] = NO_POSITION
        column = _read(value, np.roll(meaning, len(meaning) // 2))
        work = Work({method: high - low - holes}, holes=holes)
        return SolvedStratum(range(high - low), {"score": column}, work)

    @cached_property
    def _scorer(self) -> ScoreSolver:
        return ScoreSolver(self.numbering, self._memory, self._refuse)

    @property
    def _hole(self) -> int:
        return dict(HOLE_SCORES)[self.values.value.dtype.type]

    def _widen_scores(self, place: Place | None = None) -> None:
        """Give scores two bytes."""
        (_, narrow), (kind, hole) = HOLE_SCORES
        if self._hole == hole:
            assert place is not None
            self._refuse(place, LARGE, 0)
        old = self.values.value
        value = self._array(len(old), kind)
        for low, high in _ranges(len(old)):
            part = old[low:high]
            value[low:high] = part
            value[low:high][part == narrow] = hole
        self.values = self.values._replace(value=value)

    # -- One player. ------------------------------------------------------------------------------

    def _scores(self, outcome: Array, depth: Array) -> Array:
        """Stored scores of one player, from plies to the end."""
        score = -self._unit * depth.astype(np.int64)
        score[outcome == 0] = NONE
        score[outcome == NO_OUTCOME] = NO_POSITION
        return score

    def _as_outcomes(self, stored: Columns) -> tuple[Array, Array]:
        if not self._alone:
            return stored["outcome"], stored["depth"]
        score = stored["score"]
        known = (score != NONE) & (score != NO_POSITION)
        depth = np.where(known, -score // self._unit, -1)
        outcome = np.where(known, 1, np.where(score == NONE, 0, NO_OUTCOME))
        return outcome, depth

    # -- Words. -----------------------------------------------------------------------------------

    def _span(self, stratum: int) -> tuple[int, int]:
        at = [*self.sizes].index(stratum)
        return int(self.values.base[at]), int(self.values.base[at + 1])

    def _refuse(self, place: Place, wrong: int, where: int) -> None:
        if wrong != FINE:
            p = self._game.unrank([*self.sizes][place.at], where)
            raise self.numbering.refuse(p, WRONG[wrong])
