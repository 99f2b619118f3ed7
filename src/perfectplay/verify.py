"""Verify: derive every stored value again from its successors, by other code than the solvers'.

The table is read part by part; the rules are run on every stored position; children are looked up
by binary search in the sorted keys. proof.py checks each row against its children, stalling.py
that no claim rests on play that goes round for ever (the argument is told there). Strata are
proved lowest first, so that all of this is one induction. Ids, hashes and graphs of the solvers
are not used.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from perfectplay.batch import Batch, Expander
from perfectplay.errors import VerificationError
from perfectplay.game import Game, declares
from perfectplay.graph import Array, Facts
from perfectplay.lookup import MemoryTable, Table, ascending
from perfectplay.progress import Progress, Silent
from perfectplay.proof import (
    Sheet,
    claims,
    guarded,
    outcome_that_follows,
    outcomes_follow,
    seen_by,
    value_that_follows,
    vectors_follow,
)
from perfectplay.source import Source, find
from perfectplay.stalling import Run, can_end, stalled, whole
from perfectplay.store import NONE
from perfectplay.units import stored_payoff, stored_reward, uneven

CHUNK = 2**16
"""Rows that are expanded at a time."""

_HINT = "the table must not be trusted: solve again with --fresh, and report this if it comes back"
_NO_PROOF = "endless play would earn or cost without limit there: rules like these have no proof"


@dataclass(frozen=True)
class Verification:
    """What `verify` has established."""

    rows: int
    """Positions whose values were derived again."""
    seconds: float
    kind: str
    """The kind of proof, in words."""
    ok: bool = True


def verify(
    table: str | Path | Table | MemoryTable,
    game: Game | None = None,
    progress: Progress | None = None,
    sample: int | None = None,
) -> Verification:
    """Prove all values of a table, or check about `sample` of its rows.

    VerificationError names the first position whose value does not follow; TableError tells of
    damage, or of rules other than the table's."""
    from perfectplay.answer import Solution
    from perfectplay.expand import expander

    if not isinstance(table, Table | MemoryTable):
        table = Table.open(table)
    if isinstance(table, Table):
        game = Solution.open(table.folder, game).game
    elif game is None:
        raise ValueError("a table in memory can only be verified with its game")
    rules = expander(game, plain=table.width == 0)
    return prove(table, rules, progress, sample)


def prove(
    table: Table | MemoryTable,
    rules: Expander,
    progress: Progress | None = None,
    sample: int | None = None,
) -> Verification:
    """What `verify` does, with rules at hand."""
    began = time.perf_counter()
    progress = progress or Silent()
    progress.start("verify", table.rows)
    table.check()
    prover = _Prover(table, rules, sample)
    for number, _ in table.strata:
        progress.advance(prover.stratum(number))
    prover.check_starts()
    progress.finish()
    return Verification(prover.checked, time.perf_counter() - began, prover.words())


class Named:
    """Keys of stored rows, and after them a word for positions inside turns."""

    def __init__(self, keys: Any) -> None:
        self.keys = keys

    def __getitem__(self, row: int) -> Any:
        return self.keys[row] if row < len(self.keys) else "a position inside a turn"


class _Prover:
    def __init__(self, table: Table | MemoryTable, rules: Expander, sample: int | None) -> None:
        self.table = table
        self.rules = rules
        self.facts = Facts(**table.header["facts"])
        self.source = Source(table)
        self.checked = 0
        self.circles = False
        self.bounds = False
        self.exact = False
        self._share = 1.0 if sample is None else min(1.0, sample / max(table.rows, 1))
        self._random = np.random.default_rng(0)
        self._positions: dict[str, Any] | None = None
        self._unroller = self._turns() if rules.book is not None else None
        self._compare_facts()

    @property
    def _tolerance(self) -> float:
        """How far values of several players may be off, as the table says."""
        return float(self.table.extra.get("residual", 0.0)) * 1.01

    def _turns(self) -> Any:
        """What walks through turns by single steps."""
        from perfectplay.expand import expander
        from perfectplay.verify_turns import Unroller

        rules = expander(self.rules.game, plain=self.rules.width == 0, steps=True)
        return Unroller(rules, self.facts)

    # -- What is known of the game as a whole. ----------------------------------------------------

    def _compare_facts(self) -> None:
        game, facts = self.rules.game, self.facts
        endless = game.endless
        if endless is None:
            worth = -math.inf if game.minimise else 0.0
        else:
            worth = float(-endless if game.minimise else endless * facts.scale - facts.offset)
        if (facts.players, facts.minimise, facts.endless) != (game.players, game.minimise, worth):
            raise VerificationError("the table's facts are not those of the rules", _HINT)

    def check_starts(self) -> None:
        """Every first position must be stored."""
        starts, strata = self.rules.starts()
        keys = self.rules.keys(starts)
        for i, number in enumerate(np.broadcast_to(strata, len(keys))):
            found = self.source.get(int(number))
            if found is None or find(found[0], keys[i : i + 1], np.zeros(1, np.int64))[0] < 0:
                raise VerificationError(
                    f"the start {self._text(keys[i])} is not in the table", _HINT
                )

    def words(self) -> str:
        """The kind of proof, in words."""
        if self._share < 1.0:
            return "a sample of rows follows from its successors"
        if not self.facts.scalar:
            how = "exactly" if self.exact else "up to the stated residual"
            return f"every equation holds {how}, each move chosen is a best one"
        what = "every lower and upper bound" if self.bounds else "every value"
        if self.facts.outcome:
            what = "every outcome and depth"
        ends = "; no value rests on play that goes round for ever" if self.circles else ""
        return f"{what} follows exactly from its successors{ends}"

    # -- One stratum. -----------------------------------------------------------------------------

    def stratum(self, number: int) -> int:
        """Prove all rows of one stratum; how many it has."""
        found = self.source.get(number)
        assert found is not None
        keys, columns = found
        if not ascending(keys):
            raise VerificationError(
                f"stratum {number}: rows are not sorted, or not all different", _HINT
            )
        self._check_numbers(keys, columns)
        self.bounds = "lower" in columns
        self.exact = "exact_0" in columns
        kept: list[tuple[int, Run]] = []
        self._inside: list[dict[str, Array]] = []  # claims of positions inside turns
        low = 0
        while low < len(keys):
            many = CHUNK if self._unroller is None else self._unroller.at_once
            rows = np.arange(low, min(low + many, len(keys)))
            if self._share < 1.0:
                rows = rows[self._random.random(len(rows)) < self._share]
            if len(rows) and self._unroller is not None:
                kept += self._turn_chunk(number, rows, keys, columns)
            elif len(rows):
                inside = self._chunk(number, rows, keys, columns)
                if inside is not None:
                    kept.append((low, inside))
            self.checked += len(rows)
            low += many
        if kept and self._share == 1.0:
            self._check_circles(keys, columns, kept)
        return len(keys)

    def _turn_chunk(
        self, number: int, rows: Array, keys: Any, columns: dict[str, Array]
    ) -> list[tuple[int, Run]]:
        """Prove some anchors of a stratum, through all positions of their turns; what is needed of
        these if turns lead back into the stratum."""
        mine = keys[rows] if isinstance(keys, np.ndarray) else [keys[i] for i in rows]
        stored = {name: c[rows] for name, c in columns.items() if name != "move"}

        def find(children: Any, strata: Array, row_of: Array) -> tuple[Array, dict[str, Array]]:
            if len(strata) and int(strata.max()) > number:
                row = int(row_of[np.argmax(strata > number)])
                self._complain(mine[row], f"a turn leads from stratum {number} up to a higher one")
            return self._children(mine, row_of, children, strata, stored)

        assert self._unroller is not None
        size = len(keys) + sum(len(next(iter(c.values()))) for c in self._inside)
        walker, m = self._unroller, len(rows)
        positions = self._read(mine)
        if not self.facts.scalar:
            walker.tolerance = self._tied(stored)
        found = walker.unroll(positions, stored, number, size, find)
        if not self.facts.scalar:
            self._refuse_ranges(mine, stored, walker, found)
            return []
        try:
            good = self._follow(found.sheet, Named(mine))
        except VerificationError:  # perhaps what is inside was rounded too far
            walker.precise = True
            found = walker.unroll(positions, stored, number, size, find)
            good = self._follow(found.sheet, Named(mine))
            walker.precise = False
        sheet = found.sheet
        if not found.returns:
            return []
        self.circles = True
        self._inside.append({name: column[m:] for name, column in sheet.rows.items()})
        dead = found.leaves & (found.child < 0) & (claims(sheet.children)[1] == -math.inf)
        edges = np.diff(sheet.first), found.child, sheet.swap, good, sheet.reward, dead
        cut = int(sheet.first[m])
        first = Run(sheet.kind[:m], edges[0][:m], *(a[:cut] for a in edges[1:]))
        rest = Run(sheet.kind[m:], edges[0][m:], *(a[cut:] for a in edges[1:]))
        return [(int(rows[0]), first), (size, rest)]

    def _tied(self, stored: dict[str, Array]) -> Any:
        """By how much a move that is taken in a turn may seem worse than the best."""
        if "exact_0" in stored:
            return Fraction(self._tolerance)
        largest = max(float(np.abs(column).max(initial=1.0)) for column in stored.values())
        return self._tolerance + 2e-12 * largest

    def _refuse_ranges(self, mine: Any, stored: dict[str, Array], walker: Any, found: Any) -> None:
        """Refuse the first anchor whose values are not what its turn may be worth."""
        wrong = walker.outside(found, stored)
        if wrong.any():
            row = int(np.argmax(wrong))
            ranges = [f"{name} {column[row]}" for name, column in found.sheet.rows.items()]
            self._refuse(mine, stored, row, ", ".join(ranges))

    def _check_numbers(self, keys: Any, columns: dict[str, Array]) -> None:
        """Values must be numbers, lower bounds below upper ones, infinite only where possible."""
        for name, column in columns.items():
            if column.dtype == object:
                wrong = np.array([str(x) in ("nan", "inf") for x in column], np.bool_)
            elif column.dtype.kind == "f":
                wrong = np.isnan(column)
            elif name == "score":
                wrong = (np.abs(column) >= 2**61) & (column != NONE)
                if self.facts.players > 1:
                    wrong |= column == NONE
            else:
                continue
            if "lower" in columns and name == "lower":
                wrong = wrong | ~(columns["lower"] <= columns["upper"])
            if wrong.any():
                self._refuse(keys, columns, int(np.flatnonzero(wrong)[0]), "no such value")

    def _chunk(self, number: int, rows: Array, keys: Any, columns: dict[str, Array]) -> Run | None:
        """Prove some rows of a stratum; what is needed of them if edges stay in the stratum."""
        mine = keys[rows] if isinstance(keys, np.ndarray) else [keys[i] for i in rows]
        batch = self.rules.expand(self._read(mine))
        edges = int(batch.first[-1])
        strata = np.zeros(edges, np.int64)
        strata[:] = batch.stratum if len(batch.stratum) else 0
        row_of = np.repeat(np.arange(len(rows)), np.diff(batch.first))
        if edges and int(strata.max()) > number:
            row = int(row_of[np.argmax(strata > number)])
            self._complain(mine[row], f"a move leads from stratum {number} up to a higher one")
        at, children = self._children(mine, row_of, self.rules.keys(batch.child), strata, columns)
        sheet = self._sheet(
            batch, mine, {name: column[rows] for name, column in columns.items()}, children
        )
        good = self._follow(sheet, mine)
        inside = strata == number
        if inside.any():
            self.circles = True
        elif not (self.facts.chance and self.facts.players == 1):  # these may be unable to end
            return None
        upper = claims(children)[1] if self.facts.scalar else None
        dead = ~inside & (upper == -math.inf) if upper is not None else np.zeros(edges, np.bool_)
        child = np.where(inside, at, -1)
        return Run(sheet.kind, np.diff(sheet.first), child, sheet.swap, good, sheet.reward, dead)

    def _children(
        self, mine: Any, row_of: Array, keys: Any, strata: Array, like: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        """(row of each child in its stratum, values of the children)."""
        at = np.empty(len(strata), np.int64)
        values = {name: np.empty(len(strata), column.dtype) for name, column in like.items()}
        order = [None] if len(strata) and strata.min() == strata.max() else np.unique(strata)
        for number in order if len(strata) else []:
            edges = np.arange(len(strata)) if number is None else np.flatnonzero(strata == number)
            found = self.source.get(int(strata[edges[0]]))
            at[edges] = -1 if found is None else find(found[0], keys, edges)
            if found is None or at[edges].min() < 0:  # no such child
                lost = int(edges[np.argmin(at[edges])])
                self._complain(
                    mine[row_of[lost]], f"its child {self._text(keys[lost])} is not stored"
                )
            for name, column in values.items():
                column[edges] = found[1][name][at[edges]]
        return at, values

    def _sheet(
        self, batch: Batch, mine: Any, rows: dict[str, Array], children: dict[str, Array]
    ) -> Sheet:
        wrong = uneven(batch, self.facts)
        if wrong.any():
            self._complain(
                mine[int(np.argmax(wrong))], "its payoffs do not add up as all others do"
            )
        edges = int(batch.first[-1])
        return Sheet(
            batch.kind,
            batch.first,
            stored_payoff(batch, self.facts),
            np.broadcast_to(batch.swap, (edges,)).astype(np.uint8),
            np.broadcast_to(batch.weight, (edges,)).astype(np.int64),
            stored_reward(batch, self.facts),
            rows,
            children,
        )

    # -- Whether values follow. -------------------------------------------------------------------

    def _follow(self, sheet: Sheet, mine: Any) -> Array:
        """Refuse the first row that does not follow; else bit g of good edges, for guards g."""
        facts = self.facts
        if not facts.scalar:
            return self._vectors_follow(sheet, mine)
        if facts.outcome:
            right, follows = outcomes_follow(sheet, facts.endless)
            if not right.all():
                row = int(np.argmin(right))
                self._refuse(mine, sheet.rows, row, outcome_that_follows(sheet, follows, row))
            if facts.endless == 0:
                return np.zeros(len(sheet.swap), np.uint8)
        good = np.zeros(len(sheet.swap), np.uint8)
        for guard in (0, 1):
            holds, fine = guarded(sheet, guard)
            if not holds.all():
                row = int(np.argmin(holds))
                self._refuse(mine, sheet.rows, row, value_that_follows(sheet, row))
            good |= fine.astype(np.uint8) << guard
        return good

    def _vectors_follow(self, sheet: Sheet, mine: Any) -> Array:
        exact = "exact_0" in sheet.rows
        largest = 0.0
        if not exact:
            largest = max(float(np.abs(column).max(initial=0.0)) for column in sheet.rows.values())
        tolerance = 0.0 if exact else self._tolerance + 1e-13 * max(1.0, largest)
        ties = str(self.table.header.get("ties", "first"))
        right, follows = vectors_follow(sheet, ties, tolerance)
        if not right.all():
            row = int(np.argmin(right))
            self._refuse(mine, sheet.rows, row, ", ".join(map(str, follows[row])))
        return np.zeros(len(sheet.swap), np.uint8)

    def _check_circles(
        self, keys: Any, columns: dict[str, Array], kept: list[tuple[int, Run]]
    ) -> None:
        """Condition (2) of stalling.py, for a stratum with edges inside."""
        facts = self.facts
        if not facts.scalar or (facts.outcome and facts.endless == 0):
            return  # by induction on the depth; vectors claim no more than their equations
        names = [name for name in columns if name != "move"]
        columns = {
            name: np.concatenate([columns[name], *(c[name] for c in self._inside)])
            for name in names
        }
        kept.sort(key=lambda run: run[0])
        keys = Named(keys)
        claim = np.stack([seen_by(columns, 0), seen_by(columns, 1)], axis=1).reshape(-1)
        if claim.dtype == np.int64 and np.abs(claim).max() == -NONE:
            claim = np.where(np.abs(claim) == -NONE, np.copysign(math.inf, claim), claim)
        circles = whole(kept, claim, len(claim) // 2)
        if facts.chance and facts.players == 1 and (claims(columns)[1] == -math.inf).any():
            wrong = can_end(circles) & (claims(columns)[1] == -math.inf)
            if wrong.any():
                row = int(np.argmax(wrong))
                self._refuse(keys, columns, row, "that the game can be ended from there")
        missing = stalled(circles, facts.endless)
        if missing.any():
            node = int(np.argmax(missing))
            what = "less" if node % 2 == 0 else "more"
            reason = f"{what}: nothing forces it, play may go round for ever"
            if circles.reward.any():
                reason += f" ({_NO_PROOF})"
            self._refuse(keys, columns, node // 2, reason)

    # -- Words. -----------------------------------------------------------------------------------

    def _read(self, keys: Any) -> Any:
        """Positions of stored keys, as the expander takes them."""
        if isinstance(keys, np.ndarray):
            return keys
        game = self.rules.game
        if self._positions is None and (declares(game, "parse") or not declares(game, "text")):
            try:
                positions = [game.parse(text) for text in keys]
            except (ValueError, SyntaxError, TypeError):
                positions = []
            if self.rules.keys(positions) == keys:
                return positions
        if self._positions is None:
            self._positions = dict(self._explored())
        for text in keys:
            if text not in self._positions:
                self._complain(text, "no play leads there, and its text cannot be read")
        return [self._positions[text] for text in keys]

    def _explored(self) -> Iterator[tuple[str, Any]]:
        """All positions by their texts, found from the starts, if texts cannot be read."""
        queue = list(self.rules.starts()[0])
        seen = set(self.rules.keys(queue))
        while queue:
            yield from zip(self.rules.keys(queue), queue, strict=True)
            children = list(self.rules.expand(queue).child)
            queue = []
            for text, q in zip(self.rules.keys(children), children, strict=True):
                if text not in seen:
                    seen.add(text)
                    queue.append(q)

    def _text(self, key: Any) -> str:
        if isinstance(key, str):
            return key
        words = tuple(int(word) for word in key)
        try:
            position = getattr(self.rules, "position", lambda key: key)(key)
            return f"{self.rules.game.text(position)} (key {' '.join(map(str, words))})"
        except Exception:  # a wrong key may make any rule fail
            return f"key {' '.join(map(str, words))}"

    def _complain(self, key: Any, what: str) -> NoReturn:
        raise VerificationError(f"{self._text(key)}: {what}", _HINT)

    def _refuse(self, keys: Any, columns: dict[str, Array], row: int, follows: str) -> NoReturn:
        stored = ", ".join(f"{name} {column[row]}" for name, column in columns.items())
        self._complain(keys[row], f"stored {stored}, but from its successors follows {follows}")
