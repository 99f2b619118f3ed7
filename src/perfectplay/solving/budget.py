"""Memory: the budget of a run, and what it needs. Refuse with numbers instead of dying."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from perfectplay.compiled.address_space import RESERVED, address_space_left
from perfectplay.compiled.machine import free_memory
from perfectplay.errors import TooLargeError
from perfectplay.progress import Progress, size
from perfectplay.rules.game import Game, declares

if TYPE_CHECKING:
    from perfectplay.positions.explore import Explorer
    from perfectplay.strata.stratum_queue import StratumQueue

HELD = 1 << 28
"""Bytes of finished strata that are held in memory; more go to working files."""
MOVES = 2.0
"""Memory that solving a stratum takes, compared with that of its moves as they were found."""
EVERY = 1 << 14
"""Positions between two looks at memory."""
OFTEN = 1 << 6
"""First positions between two looks at the clock: rules may take long for each."""
EARLY, LOOK = 1.5, 1.0
"""Seconds after which random play is asked whether a run is bound to fail, and for how long. If it
is more likely than not, it is asked once more, later and for longer."""
START = 300
"""Bytes for a first position besides its value: in Python, and in more than one place."""
MUCH, STRIKES = 1 << 20, 2
"""A forecast from growth needs so many positions, and to say the same so often, each time with
twice as many positions, before a run is refused for it."""
SURE, FAR = 1.5, 3
"""How many times more than fits a forecast must say for a run to leave memory, or to be refused.
"""
FILES = 24
"""Bytes on disk for a position and each word of its key: working files, values, the table."""


def available_memory() -> int:
    """Memory that can be had now, in bytes."""
    left = address_space_left()
    free = free_memory()
    return free if left is None else min(free, max(left - RESERVED, RESERVED // 10))


def per_position(game: Game) -> int:
    """Bytes held for every position while solving: its id and its value, as the rules promise."""
    if declares(game, "chances"):  # bounds, a move, and bounds of what the moves achieve
        return 4 + 8 * max(2, game.players) + 4 + 16
    if game.players > 2:
        return 4 + 8 * game.players
    return 4 + (3 if game.players == 2 and not declares(game, "reward") else 8)


def start_bytes(game: Game) -> int:
    """Bytes for each first position, while all of them are collected."""
    return per_position(game) + START


class Budget:
    """How much memory a run may use; by default four fifths of what is available."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most if most is not None else available_memory() * 4 // 5

    def count_starts(
        self, game: Game, progress: Progress, until: float = math.inf
    ) -> tuple[int, bool]:
        """How many first positions the rules yield, and whether that was all of them; not all are
        counted if there is no memory to hold them, or no time `until` then. This is done before
        anything else, since rules may yield them without end. (Those that have numbers end.)"""
        from perfectplay.positions.explained import failing

        if not declares(game, "starts"):
            return 1, True
        count = reported = 0
        with failing(game):
            for _ in game.starts():
                count += 1
                if count % OFTEN == 0 and time.perf_counter() > until:
                    return count, False
                if count % EVERY == 0:
                    if not reported:
                        progress.start("starts")
                    progress.advance(count - reported)
                    reported = count
                    if count * start_bytes(game) > self.most:
                        return count, False
        return count, True

    def refuse_starts(self, game: Game, progress: Progress) -> None:
        """TooLargeError if the first positions alone are too many."""
        count, counted = self.count_starts(game, progress)
        if not counted:
            raise too_large(count, count * start_bytes(game), self.most, reached=True)

    def watch(
        self,
        walk: Explorer,
        queue: StratumQueue,
        progress: Progress,
        elsewhere: int = 0,
        seats: int = 1,
    ) -> Callable[[int], None]:
        """A callback for exploring: reports progress, sends strata to disk, refuses what is too
        large; at the first suspicion, if it can be solved out of core instead, where there is
        room for so many positions (`elsewhere`). `seats`: so many values for each position."""
        from perfectplay.solving.estimate import at_least, expected

        seen = next_look = next_found = next_held = 0
        game = walk.expander.game
        each = per_position(game) * seats
        began = time.perf_counter()
        known = game.most_positions
        ask = math.inf if known and each * known <= self.most else EARLY  # what fits is not tried
        doubled, strikes = MUCH, 0

        def look(expanded: int) -> None:
            nonlocal seen, ask, next_look, next_found, next_held, doubled, strikes
            if expanded < next_look and walk.found < next_found and walk.held < next_held:
                return
            next_look, next_found = expanded + EVERY, walk.found + MUCH
            next_held = walk.held + self.most // 16
            progress.advance(expanded - seen)
            seen = expanded
            fixed = each * walk.found + walk.bytes
            if queue.bytes > HELD or fixed + 2 * queue.bytes > self.most:
                queue.spill(min(HELD // 2, max(0, (self.most - fixed) // 4)))
            needed = fixed + int(MOVES * walk.held)
            if needed > self.most:
                raise too_large(walk.found, needed, self.most, reached=True, game=game)
            if time.perf_counter() - began > ask:
                shown = at_least(walk, LOOK * ask / EARLY)
                if each * shown > self.most:
                    raise too_large(shown, each * shown, self.most, reached=True, game=game)
                ask = 3 * EARLY if ask == EARLY and each * shown > self.most / 10 else math.inf
            if walk.found > doubled:  # growth means something only where there is much to see
                doubled = 2 * walk.found
                total = expected(queue, known) or 0
                strikes = strikes + 1 if each * total > 3 * self.most else 0
                leave = each * total > SURE * self.most and total <= FAR * elsewhere
                if leave or strikes == STRIKES:
                    raise too_large(total, each * total, self.most, reached=False)

        return look


def disk_room(folder: Path, most: int | None) -> int:
    """Bytes that working files may take: nine tenths of what is free, unless it is said."""
    if most is not None:
        return most
    near = folder.absolute()
    while not near.exists():
        near = near.parent
    return shutil.disk_usage(near).free * 9 // 10


def too_large(
    positions: int, needed: int, most: int, *, reached: bool, game: Game | None = None
) -> TooLargeError:
    """The refusal, with numbers; and with what grows in the positions of the game, if it has been
    explored so far and something does."""
    what = "more than" if reached else "about"
    from perfectplay.positions.growth import growing

    growth = growing(game) if game is not None else ""
    hint = f"{growth}: leave it out, cap it, or count by rewards. " if growth else ""
    error = TooLargeError(
        f"too large: {what} {positions:,} positions, which need {what} {size(needed)} of memory; "
        f"{size(most)} may be used",
        f"{hint}`perfectplay plan` says more; allow more with --memory, choose smaller "
        "parameters, or give the rules stratum(p) and representative(p)",
    )
    error.positions, error.at_least = positions, reached
    return error
