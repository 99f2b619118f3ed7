"""Verification of strata: every row follows from its children, by other code than the solvers'.

A stratum is verified when all lower ones are. Each row must satisfy condition (1) of
progress_proof.py, exactly (row_check.py); where edges stay in the stratum, its rows together must
satisfy condition (2)."""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from perfectplay.compiled.arrays import Array, distinct
from perfectplay.compiled.machine import cores
from perfectplay.compiled.threads import Pool, threads
from perfectplay.errors import VerificationError
from perfectplay.positions.batch import Expander, some
from perfectplay.rules.game import declares
from perfectplay.solvers.store import NONE
from perfectplay.strata.graph import Facts, declared
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.table.signature import ascending
from perfectplay.verification.progress_proof import RunSummary, can_end, stalled, whole
from perfectplay.verification.row_check import (
    RowCheck,
    claims,
    guarded,
    outcome_that_follows,
    outcomes_follow,
    seen_by,
    value_that_follows,
    vectors_follow,
)
from perfectplay.verification.stored_units import child_strata, row_check, uneven
from perfectplay.verification.table_rows import TableRows, find

CHUNK = 2**16
"""Rows that are expanded at a time."""
LITTLE = 2**12
"""Rows that are not worth another thread."""

_HINT = "the table must not be trusted: solve again with --fresh, and report this if it comes back"
_NO_PROOF = "endless play would earn or cost without limit there: rules like these have no proof"


class StoredKeys:
    """Keys of stored rows, and after them a word for positions inside turns."""

    def __init__(self, keys: Any) -> None:
        self.keys = keys

    def __getitem__(self, row: int) -> Any:
        return self.keys[row] if row < len(self.keys) else "a position inside a turn"


class StrataVerifier:
    """Verifies the strata of a table, lowest first."""

    def __init__(self, table: Table | MemoryTable, rules: Expander, sample: int | None) -> None:
        self.table = table
        self.rules = rules
        self.facts = Facts(**table.header["facts"])
        self.source = TableRows(table)
        self.workers = cores()
        self.shared = rules.width > 0 and self.workers > 1
        """Whether threads share a stratum: it is of use where rules are compiled."""
        self.checked = 0
        self.cyclic = False
        self.bounds = False
        self.exact = False
        self._share = 1.0 if sample is None else min(1.0, sample / max(table.rows, 1))
        self._positions: dict[str, Any] | None = None
        self._compare_facts()

    @functools.cached_property
    def _random(self) -> np.random.Generator:
        return np.random.default_rng(0)

    @property
    def tolerance(self) -> float:
        """How far values of several players may be off, as the table says."""
        return float(self.table.extra.get("residual", 0.0)) * 1.01

    @property
    def at_once(self) -> int:
        """Rows that are expanded at a time."""
        return CHUNK

    # -- What is known of the game as a whole. ----------------------------------------------------

    def _compare_facts(self) -> None:
        beyond = self.facts.outcome and abs(self.facts.endless) > 1  # more than a win can be
        if beyond or not declared(self.rules.game, self.facts):
            raise VerificationError("the table's facts are not those of the rules", _HINT)

    def check_starts(self) -> None:
        """Every first position must be stored."""
        starts, strata = self.rules.starts()
        keys = self.rules.keys(starts)
        strata = np.broadcast_to(strata, len(keys))
        for number in distinct(strata):
            rows = np.flatnonzero(strata == number)
            found = self.source.get(int(number))
            at = np.full(len(rows), -1) if found is None else find(found[0], keys, rows)
            if (at < 0).any():
                missing = keys[int(rows[np.argmax(at < 0)])]
                raise VerificationError(
                    f"the start {self._text(missing)} is not in the table", _HINT
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
        ends = "; endless play counts for no more than it is worth" if self.cyclic else ""
        return f"{what} follows exactly from its successors{ends}"

    # -- One stratum. -----------------------------------------------------------------------------

    def stratum(self, number: int) -> int:
        """Verify all rows of one stratum; how many it has."""
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
        self.inside: list[dict[str, Array]] = []  # claims of positions inside turns
        pieces = list(self._pieces(len(keys)))
        kept = self._shared(pieces, lambda rows: self.chunk(number, rows, keys, columns))
        self.checked += sum(map(len, pieces))
        if kept and self._share == 1.0:
            self.check_progress(keys, columns, kept)
        return len(keys)

    def _pieces(self, size: int) -> Iterator[Array]:
        """The rows of a stratum, or a sample of them, as many at a time as are expanded."""
        step = self.at_once
        if self.shared and size > self.workers * LITTLE:
            step = min(step, -(-size // self.workers))
        for low in range(0, size, step):
            rows = np.arange(low, min(low + step, size))
            if self._share < 1.0:
                rows = rows[self._random.random(len(rows)) < self._share]
            if len(rows):
                yield rows

    def _shared(
        self, pieces: list[Array], verify: Callable[[Array], list[tuple[int, RunSummary]]]
    ) -> list[tuple[int, RunSummary]]:
        """The runs of all pieces, in their order; the first piece that is wrong raises."""
        if len(pieces) < 2 or not self.shared:
            return [run for rows in pieces for run in verify(rows)]
        with threads(self.workers), Pool.shared() as pool:
            return [run for found in pool.map(verify, pieces) for run in found]

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
                self.refuse(keys, columns, int(np.flatnonzero(wrong)[0]), "no such value")

    def chunk(
        self, number: int, rows: Array, keys: Any, columns: dict[str, Array]
    ) -> list[tuple[int, RunSummary]]:
        """Verify some rows of a stratum; what is needed of them if edges stay in the stratum."""
        stored = {name: column[rows] for name, column in columns.items()}
        run = self.run(number, some(keys, rows), stored)
        return [] if run is None else [(int(rows[0]), run)]

    def run(self, number: int, mine: Any, stored: dict[str, Array]) -> RunSummary | None:
        """Verify some positions of a stratum, of which these values are stored."""
        batch = self.rules.expand(self.read(mine))
        edges, strata = int(batch.first[-1]), child_strata(batch)
        row_of = np.repeat(np.arange(len(mine)), np.diff(batch.first))
        if edges and int(strata.max()) > number:
            key = mine[row_of[np.argmax(strata > number)]]
            self.complain(key, f"a move leads from stratum {number} up to a higher one")
        at, children = self.children(mine, row_of, self.rules.keys(batch.child), strata, stored)
        wrong = uneven(batch, self.facts)
        if wrong.any():
            self.complain(mine[np.argmax(wrong)], "its payoffs do not add up as all others do")
        check = row_check(batch, self.facts, stored, children)
        good = self.follow(check, mine)
        inside = strata == number
        if inside.any():
            self.cyclic = True
        elif not (self.facts.chance and self.facts.players == 1):  # these may be unable to end
            return None
        upper = claims(children)[1] if self.facts.scalar else None
        dead = ~inside & (upper == -math.inf) if upper is not None else np.zeros(edges, np.bool_)
        return RunSummary(
            check.kind, np.diff(check.first), np.where(inside, at, -1), check.swap, good,
            check.reward, dead,
        )  # fmt: skip

    def children(
        self, mine: Any, row_of: Array, keys: Any, strata: Array, like: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        """(row of each child in its stratum, values of the children)."""
        at = np.empty(len(strata), np.int64)
        values = {name: np.empty(len(strata), column.dtype) for name, column in like.items()}
        order = [None] if len(strata) and strata.min() == strata.max() else distinct(strata)
        for number in order if len(strata) else []:
            edges = np.arange(len(strata)) if number is None else np.flatnonzero(strata == number)
            found = self.source.get(int(strata[edges[0]]))
            at[edges] = -1 if found is None else find(found[0], keys, edges)
            if found is None or at[edges].min() < 0:  # no such child
                lost = int(edges[np.argmin(at[edges])])
                self.complain(
                    mine[row_of[lost]], f"its child {self._text(keys[lost])} is not stored"
                )
            for name, column in values.items():
                column[edges] = found[1][name][at[edges]]
        return at, values

    # -- Whether values follow. -------------------------------------------------------------------

    def follow(self, check: RowCheck, mine: Any) -> Array:
        """Refuse the first row that does not follow; else bit g of good edges, for guards g."""
        facts = self.facts
        if not facts.scalar:
            return self._vectors_follow(check, mine)
        if facts.outcome:
            right, follows = outcomes_follow(check, facts.endless)
            if not right.all():
                row = int(np.argmin(right))
                self.refuse(mine, check.rows, row, outcome_that_follows(check, follows, row))
            if facts.endless == 0:
                return np.zeros(len(check.swap), np.uint8)
        good = np.zeros(len(check.swap), np.uint8)
        for guard in (0, 1):
            holds, fine = guarded(check, guard)
            if not holds.all():
                row = int(np.argmin(holds))
                self.refuse(mine, check.rows, row, value_that_follows(check, row))
            good |= fine.astype(np.uint8) << guard
        return good

    def _vectors_follow(self, check: RowCheck, mine: Any) -> Array:
        tolerance = 0.0
        if "exact_0" not in check.rows:
            largest = max(float(np.abs(column).max(initial=1.0)) for column in check.rows.values())
            tolerance = self.tolerance + 1e-13 * largest
        ties = str(self.table.header.get("ties", "first"))
        right, follows = vectors_follow(check, ties, tolerance)
        if not right.all():
            row = int(np.argmin(right))
            self.refuse(mine, check.rows, row, ", ".join(map(str, follows[row])))
        return np.zeros(len(check.swap), np.uint8)

    def check_progress(
        self, keys: Any, columns: dict[str, Array], kept: list[tuple[int, RunSummary]]
    ) -> None:
        """Condition (2) of progress_proof.py, for a stratum with edges inside."""
        facts = self.facts
        if not facts.scalar or (facts.outcome and facts.endless == 0):
            return  # by induction on the depth; vectors claim no more than their equations
        columns = {
            name: np.concatenate([column, *(c[name] for c in self.inside)])
            for name, column in columns.items()
            if name != "move"
        }
        kept.sort(key=lambda run: run[0])
        keys = StoredKeys(keys)
        claim = np.stack([seen_by(columns, 0), seen_by(columns, 1)], axis=1).reshape(-1)
        if claim.dtype == np.int64 and np.abs(claim).max() == -NONE:
            claim = np.where(np.abs(claim) == -NONE, np.copysign(math.inf, claim), claim)
        stratum = whole(kept, claim, len(claim) // 2)
        if facts.chance and facts.players == 1 and (claims(columns)[1] == -math.inf).any():
            wrong = can_end(stratum) & (claims(columns)[1] == -math.inf)
            if wrong.any():
                follows = "that the game can be ended from there"
                self.refuse(keys, columns, int(np.argmax(wrong)), follows)
        missing = stalled(stratum, facts.endless)
        if missing.any():
            node = int(np.argmax(missing))
            what = "less" if node % 2 == 0 else "more"
            reason = f"{what}: nothing forces it, play may go round for ever"
            if stratum.reward.any():
                reason += f" ({_NO_PROOF})"
            self.refuse(keys, columns, node // 2, reason)

    # -- Words. -----------------------------------------------------------------------------------

    def read(self, keys: Any) -> Any:
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
            self._positions = self._explored()
        for text in keys:
            if text not in self._positions:
                self.complain(text, "no play leads there, and its text cannot be read")
        return [self._positions[text] for text in keys]

    def _explored(self) -> dict[str, Any]:
        """All positions by their texts, found from the starts, if texts cannot be read."""
        queue = list(self.rules.starts()[0])
        known: dict[str, Any] = {}
        while queue:
            known.update(zip(self.rules.keys(queue), queue, strict=True))
            children = list(self.rules.expand(queue).child)
            found = dict(zip(self.rules.keys(children), children, strict=True))
            queue = [q for text, q in found.items() if text not in known]
        return known

    def _text(self, key: Any) -> str:
        if isinstance(key, str):
            return key
        words = f"key {' '.join(str(int(word)) for word in key)}"
        try:
            position = getattr(self.rules, "position", lambda key: key)(key)
            return f"{self.rules.game.text(position)} ({words})"
        except Exception:  # a wrong key may make any rule fail
            return words

    def complain(self, key: Any, what: str) -> NoReturn:
        raise VerificationError(f"{self._text(key)}: {what}", _HINT)

    def refuse(self, keys: Any, columns: dict[str, Array], row: int, follows: str) -> NoReturn:
        stored = ", ".join(f"{name} {column[row]}" for name, column in columns.items())
        self.complain(keys[row], f"stored {stored}, but from its successors follows {follows}")
