"""Finding: explore a game whose positions do not fit in memory, stratum by stratum.

As positions/explore.py does it, from the highest stratum down, but positions get no numbers and
moves are not kept: a stratum that is not expanded yet is a set of keys (positions/key_set.py), and
one that is expanded goes to a file (strata/disk_strata.py). So memory holds the strata that moves
from above have led to so far. Moves are asked of the rules again when values are computed
(out_of_core.py). Now and then all that is known goes to files, too, so that a run that was killed
need not begin anew."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.threads import Pool
from perfectplay.errors import RulesError, TooLargeError
from perfectplay.positions.batch import Expander
from perfectplay.positions.explore import BATCH, CHILDREN, ExpandedBatch, expanded
from perfectplay.positions.found_stratum import FoundStratum
from perfectplay.positions.key_order import group_by_stratum
from perfectplay.positions.key_set import KeySet
from perfectplay.progress import size
from perfectplay.solvers.exact.denominators import Denominators
from perfectplay.solving.budget import FAR, FILES, MUCH, STRIKES, too_large
from perfectplay.solving.estimate import expected
from perfectplay.strata.disk_strata import DiskStrata
from perfectplay.strata.facts import FactFinder

HALT = 300.0
"""Seconds between halts, at least."""
PATIENCE = 10.0
"""Seconds after which a report of progress does not wait for the end of the stratum. What is
raised there ends the run at its last halt; what is raised at the end of a stratum, with one."""
SPILT = 1 << 20
"""Bytes of an open stratum that are worth a file."""


class DiskExplorer:
    """Finds all positions of a native game that has strata."""

    def __init__(
        self,
        rules: Expander,
        disk_strata: DiskStrata,
        facts: FactFinder,
        denominators: Denominators | None,
    ) -> None:
        self.rules, self.disk_strata = rules, disk_strata
        self.below: dict[int, list[int]] = {}
        """For each stratum the others that its moves lead to."""
        self.inside: set[int] = set()
        """Strata in which moves stay."""
        self.exact = denominators is not None
        """Whether it is known how values grow: not if moves stay in a stratum."""
        self._facts, self._denominators = facts, denominators
        self._open: dict[int, KeySet] = {}
        self._locks: dict[int, Lock] = {}
        self._noting = Lock()
        self.edges = self.positions = 0
        self._doubled, self._strikes = MUCH, 0
        self._halted, self._halting = time.monotonic(), 0.0

    def run(self, memory: int, advance: Callable[[int], None]) -> None:
        """Put all strata in files."""
        if not self._resume(advance):
            self._begin()
        with Pool.shared() as pool, Pool.beside() as pen:
            writing: Future[None] | None = None
            while self._open:
                stratum = max(self._open)
                keys, reported = self._close(stratum, pool, advance, memory)
                if writing is not None:
                    writing.result()
                self.positions += len(keys)
                writing = pen.submit(self.disk_strata.add, stratum, keys)
                self._forecast()
                try:
                    advance(len(keys) - reported)
                    stopped = None
                except Exception as error:  # the face wants no more
                    stopped = error
                if self._late() or (stopped is not None and self._open):
                    writing.result()
                    self._halt()
                if stopped is not None:
                    raise stopped
            if writing is not None:
                writing.result()

    def _begin(self) -> None:
        for positions, strata in self.rules.start_batches():
            keys, _, groups = group_by_stratum(self.rules.keys(positions), strata)
            for stratum, begin, end in groups:
                self._take(stratum, keys[begin:end])

    # -- Halts: all that is known, in files. A run that was killed begins again at the last. ------

    def _late(self) -> bool:
        """Whether a halt is due: it may take a twentieth of the time."""
        since = time.monotonic() - self._halted
        return bool(self._open) and since > max(HALT, 20 * self._halting)

    def _halt(self) -> None:
        began = time.monotonic()
        noted = {
            "facts": self._facts.noted(),
            "denominators": self._denominators.noted() if self._denominators is not None else None,
            "below": {str(stratum): others for stratum, others in self.below.items()},
            "inside": sorted(self.inside),
            "exact": self.exact,
            "edges": self.edges,
            "positions": self.positions,
        }
        turn_patterns = self.rules.turn_patterns
        roots = (
            turn_patterns.roots()
            if turn_patterns is not None
            else np.zeros((0, self.rules.width), np.int64)
        )
        self.disk_strata.halt(noted, self._open, roots)
        self._halted = time.monotonic()
        self._halting = self._halted - began

    def _resume(self, advance: Callable[[int], None]) -> bool:
        """Take up what a run that was killed had found."""
        halted, self.disk_strata.halted = self.disk_strata.halted, None
        if halted is None:
            return False
        noted, open_, roots = halted
        if self.rules.turn_patterns is not None and len(roots):
            self.rules.turn_patterns.numbers(roots)
        for stratum, keys in open_.items():
            self._take(stratum, keys)
        self._facts.recall(noted["facts"])
        if self._denominators is not None:
            self._denominators.recall(noted["denominators"])
        self.below = {int(stratum): others for stratum, others in noted["below"].items()}
        self.inside = set(noted["inside"])
        self.exact, self.edges = noted["exact"], noted["edges"]
        self.positions = noted["positions"]
        advance(self.positions)
        return True

    def _close(
        self, stratum: int, pool: Pool, advance: Callable[[int], None], memory: int
    ) -> tuple[Array, int]:
        """Expand a stratum until nothing new of it turns up: (its keys, bucket by bucket; how many
        of them were reported)."""
        began, done, reported = time.monotonic(), 0, 0
        mine = self._open[stratum]
        for spilt in self.disk_strata.runs(stratum):
            mine.insert(spilt)
        keys, _ = mine.ordered()
        self.below[stratum] = []
        strata: set[int] = set()
        pending = keys
        while len(pending):
            fresh: list[Array] = []
            rows = self._batch_size()
            parts = (pending[i : i + rows] for i in range(0, len(pending), rows))
            for found, new, count in pool.in_order(self._expand, parts, stratum):
                strata.update(found)
                fresh += new
                self.edges += count
                self._watch(memory, stratum)
                if time.monotonic() - began > PATIENCE:
                    advance(done - reported)
                    reported = done
            done += len(pending)
            pending = np.concatenate(fresh) if fresh else keys[:0]
        if stratum in strata:
            self.inside.add(stratum)
            self.exact = False
            keys, _ = mine.ordered()
        self.below[stratum] = sorted(strata - {stratum})
        if self._denominators is not None:
            self._denominators.settle(stratum, self.below[stratum])
        del self._open[stratum]
        return keys, reported

    def _forecast(self) -> None:
        """Refuse what will not fit on disk, if growth has said so twice."""
        if self.positions < self._doubled:
            return
        self._doubled = 2 * self.positions
        total = expected(self.disk_strata, self.rules.game.most_positions) or 0
        needed, room = FILES * self.rules.width * total, self.disk_strata.room
        self._strikes = self._strikes + 1 if needed > FAR * room else 0
        if self._strikes == STRIKES:
            raise TooLargeError(
                f"too large: about {total:,} positions, which need about {size(needed)} of disk; "
                f"{size(room)} may be used",
                "allow more with --disk, or choose smaller parameters",
            )

    def _batch_size(self) -> int:
        children = self.edges / self.positions if self.positions else 16.0
        return int(max(64, min(BATCH, CHILDREN / max(children, 1.0))))

    @property
    def _held(self) -> int:
        """Bytes of open strata."""
        return sum(each.bytes for each in list(self._open.values()))

    def _watch(self, memory: int, present: int) -> None:
        """Keep to the budget: strata that will be expanded last go to files first, as runs of keys
        that are joined when it is their turn."""
        if self._held <= memory:
            return
        for stratum in sorted(self._open):
            if stratum != present and self._open[stratum].bytes >= SPILT:
                with self._lock(stratum):
                    keys, self._open[stratum] = self._open[stratum], KeySet(self.rules.width)
                    self.disk_strata.spill(stratum, keys.ordered()[0])
            if self._held <= memory // 2:
                return
        if self._held > memory:
            found = self.positions + sum(each.count for each in list(self._open.values()))
            raise too_large(found, self._held, memory, reached=True)

    def _expand(self, part: Array, stratum: int) -> tuple[list[int], list[Array], int]:
        """Expand some keys and take their children: (strata of these, new keys of the same
        stratum, edges)."""
        found = expanded(self.rules, part)
        children, strata = found.batch.child, found.batch.stratum
        named: list[int] = found.strata.tolist()
        new: list[Array] = []
        if named:
            if named[-1] > stratum:
                raise self._rises(children[int(strata.argmax())], stratum, named[-1])
            keys, _, groups = found.groups or group_by_stratum(children, strata)
            waiting = [(number, keys[begin:end]) for number, begin, end in groups]
            while waiting:  # first what nobody else is busy with
                for i, (number, hand) in enumerate(waiting):
                    lock = self._lock(number)
                    if lock.acquire(blocking=i == len(waiting) - 1):
                        try:
                            known = self._take(number, hand)
                        finally:
                            lock.release()
                        if number == stratum:
                            new.append(hand[known])
                        del waiting[i]
                        break
        self._note(found, part, stratum)
        return named, new, found.edges

    def _note(self, found: ExpandedBatch, part: Array, stratum: int) -> None:
        """Let those look who collect facts."""
        edges, inside = found.edges, bool(len(found.strata)) and found.strata[-1] == stratum
        here: FoundStratum = found.as_stratum(stratum, part, np.empty(edges, np.uint32))
        with self._noting:
            self._facts.look(here)
            if self._denominators is not None and not inside:
                self._denominators.part(here)

    def _lock(self, stratum: int) -> Lock:
        with self._noting:
            return self._locks.setdefault(stratum, Lock())

    def _take(self, stratum: int, keys: Array) -> Array:
        """The rows of keys that are new."""
        mine = self._open.get(stratum)
        if mine is None:
            mine = self._open[stratum] = KeySet(self.rules.width)
        return mine.insert(keys)

    def _rises(self, key: Any, limit: int, high: int) -> RulesError:
        game = self.rules.game
        return RulesError(
            f"{type(game).__name__}: stratum(p) rises from {limit} to {high} on a move to "
            f"{game.text(self.rules.position(key))}",
            "stratum(p) must never rise: count what can only shrink, such as pieces left",
        )
