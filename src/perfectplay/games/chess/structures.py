"""Structures: games whose strata are so regular that positions need neither keys nor stored moves.

Some rules have two kinds of moves: a few pieces walk about, everything else, the structure, stays
until a move that cannot be undone (Bellman 1965). Such a game may say so by its method
`structures`, which gives an object as `Walks` describes it: positions of a structure are numbered,
exits are listed once for a structure, and a compiled solver settles all its positions at once.
Here structures are found from the top down, as positions/explore.py finds strata, solved from the
bottom up as solving/run.py does it, and asked like any table. No position that cannot arise is
solved."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from perfectplay.answer.solution import Solution
from perfectplay.compiled.arrays import Array
from perfectplay.compiled.digest import rules_digest
from perfectplay.compiled.machine import cores, peak_memory
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.solving.budget import Budget
from perfectplay.strata.graph import Facts

if TYPE_CHECKING:
    from perfectplay.games.chess.assumed_promotions import Rest

MOST = 220_000
"""Structures that are solved, some 4 GB; there are other ways for more."""
SECONDS = 15.0
FACTS = Facts(players=2, scalar=True, chance=False, rewards=False, outcome=True, endless=0.0)


class Walks(Protocol):
    """What a game with structures says of them. A key names a structure."""

    name: str
    """What the guesses are called, if values rest on guesses (assumed_promotions.py)."""
    said: str
    """What is to be said of values, if they do not rest on guesses; or nothing."""
    until: float
    """When proofs must end."""
    places: int
    """How many numbers the positions of a structure have."""

    def placed(self, p: Any) -> tuple[Any, int] | None:
        """Key and number of a position; None for one that lies between two structures, whose
        value follows from its moves."""

    def others(self, p: Any) -> list[Any]:
        """Positions that are the same but for their names, if `p` itself is not found."""

    def level(self, key: Any) -> int:
        """A number that every exit lowers."""

    def most(self, key: Any) -> int:
        """How many structures can follow at most, itself included."""

    def exits(self, key: Any) -> tuple[Any, list[Any]]:
        """The exits of a structure, and the keys that they lead to."""

    words: int
    """How many integers the marks of a structure take, one bit for a position."""

    def flood(self, key: Any, reached: Array) -> None:
        """Mark all positions that can be reached from those that are marked."""

    def leave(self, reached: Array, exits: Any) -> tuple[Array, Array]:
        """int64[exits, words]: what each exit leads to; and which exits are taken at all."""

    def mark(self, reached: Array, children: Array, found: Array) -> None:
        """Mark in reached[children[k]] what `leave` found for exit k."""

    def opened(self, reached: Array, codes: Array) -> int:
        """Set the codes of all positions that are marked; how many there are."""

    def settle(self, key: Any, codes: Array, number: int, exits: Any, children: Array) -> None:
        """Replace the codes of structure `number` by values."""

    def read(self, codes: Any, places: Any) -> Array:
        """int64[n, 2]: outcome to the player to move, and depth (-1: endless), from codes and the
        numbers of their positions."""

    def positions(self, key: Any, places: Array) -> Any:
        """Representatives of the positions with these numbers, as keys of a table."""

    def between(self, keys: Any) -> Array:
        """Which of these representatives lie between two structures."""

    def found(self, keys: Any, numbers: dict[Any, int], *, turned: bool) -> tuple[Array, Array]:
        """The structures of representatives, -1 where there is none, and their numbers there; or,
        `turned`, of the same positions under their other name."""

    def follow(
        self, key: Any, codes: Array, number: int, moves: Any, marks: Array, player: int,
        known: Array = ...,
    ) -> list[Any]:  # fmt: skip
        """Mark what arises in a structure, and what its exits lead to, if `player` plays by the
        codes; the guesses that they meet. Positions won for them in `known` are left out;
        `moves` are exits and children. (See assumed_promotions.py, also for the following.)"""

    def everywhere(self, key: Any, reached: Array) -> None:
        """Mark all positions of a structure, whether they can arise or not."""

    def assumed(self, key: Any, reached: Array, codes: Array, sign: int, player: int) -> None:
        """Set the codes of a structure that is not looked at: won for player 0 (`sign` 1) or 1."""

    def proved(self, key: Any, exits: Any, guess: Any) -> bool:
        """Whether a guess is right for certain."""

    def doubt(self, key: Any, exits: Any, guess: Any) -> None:
        """Let a guess be lost for its player from now on."""

    def doubted(self) -> list[Any]:
        """The structures in which a guess is doubted."""

    def suppose(self, player: int, worth: int) -> None:
        """Let all guesses that a player would make be worth so much to them."""

    def trust(self) -> None:
        """Take back all doubts."""

    def settled_by(self, game: Game) -> tuple[str, Game] | None:
        """Name and rules of a game that settles the start without guesses, if it is small."""


@dataclass
class Structured:
    """All structures that can arise, solved. Reads like a table in memory."""

    game: Game
    walks: Walks
    codes: Array
    """int16[structures, places]."""
    numbers: dict[Any, int] = field(default_factory=dict)
    _rests: dict[Any, Rest] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    width: int = 2
    rows: int = 0
    signature: str = ""
    solver: Any = None
    seconds: float = SECONDS
    """How long proofs may take."""

    @property
    def positions(self) -> int:
        """How many positions there are: all rows."""
        return self.rows

    @property
    def key_width(self) -> int:
        """Words of a position's key."""
        return self.width

    def note(self, p: Any) -> str:
        """What the value of a position rests on; empty if on nothing."""
        if self.walks.said or self.walks.placed(p) is None:
            return self.walks.said
        return f"{self.walks.name}: {self.rest(p).told(self.game.player_name(0))}"

    def sure(self, p: Any) -> bool:
        """Whether the value of a position rests on nothing that is not proved."""
        return bool(self.walks.said) or self.walks.placed(p) is None or self.rest(p).exact

    def rest(self, p: Any) -> Rest:
        """The guesses that the value of a position rests on."""
        from perfectplay.games.chess.assumed_promotions import rest

        if p not in self._rests:
            self._rests[p] = rest(self.solver, p, Silent(), self.solver.workers, self.seconds)
        return self._rests[p]

    def to_arrow(self) -> Any:
        """UsageError: structures have numbers instead of rows."""
        raise self._without_rows()

    @staticmethod
    def _without_rows() -> UsageError:
        return UsageError(
            "a game that is solved by its structures has no rows",
            "solve(game, folder), or --table FOLDER, makes a table of all positions",
        )

    to_pandas = to_arrow

    @property
    def strata(self) -> list[tuple[int, int]]:
        """UsageError: there are no rows."""
        raise self._without_rows()

    def each_key(self, stratum: int | None = None) -> Iterator[Any]:
        """UsageError: there are no rows."""
        raise self._without_rows()

    def find(self, stratum: int, key: Any) -> dict[str, Any] | None:
        """What a position is worth to player 0, or None if it cannot arise."""
        found = self.value(tuple(map(int, key)))
        return None if found is None else {"outcome": found[0], "depth": found[1]}

    def value(self, p: Any) -> tuple[int, int] | None:
        """Outcome to the player to move and depth (-1: endless), or None."""
        for q in (p, *self.walks.others(p)):
            at = self.walks.placed(q)
            if at is None:
                return self._between(q)
            number = self.numbers.get(at[0])
            if number is not None and self.codes[number, at[1]]:
                outcome, depth = self.walks.read(self.codes[number, at[1]], at[1]).tolist()
                return outcome, depth
        return None

    def _between(self, p: Any) -> tuple[int, int] | None:
        """The value of a position between two structures, from its moves."""
        game, best = self.game, None
        for m in game.moves(p):
            found = self.value(game.play(p, m))
            if found is None:
                return None
            mine = -found[0], found[1] + 1 if found[0] else -1
            if best is None or _rank(mine) > _rank(best):
                best = mine
        if best is None:
            paid = int(game.payoff(p))
            return (paid if game.to_move(p) == 0 else -paid), 0
        return best


def bit(i: int) -> int:
    """Bit i of a signed integer of 64 bits."""
    return 1 << i if i < 63 else -(1 << 63)


def _rank(value: tuple[int, int]) -> tuple[int, int]:
    """Sooner wins and later losses are better."""
    return value[0], -value[0] * value[1]


class StructureFinder:
    """Finds and solves structures."""

    def __init__(self, game: Game, walks: Walks, memory: int | None = None) -> None:
        self.game, self.walks = game, walks
        most = Budget(memory).most
        self.most = max(16, min(most // (2 * walks.places), MOST))
        self.reached = np.zeros((1024, walks.words), np.int64)
        self.codes = np.zeros((0, walks.places), np.int16)
        self.numbers: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.children: list[Array] = []
        self.positions = 0
        self.workers = 1
        self._queue: list[tuple[int, int]] = []

    @property
    def waiting(self) -> int:
        """How many structures were found, but not looked at."""
        return len(self._queue)

    def number(self, key: Any) -> int:
        """The number of a structure, which is a new one if it was not known."""
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.keys)
            if found >= self.most:
                raise TooLargeError(
                    f"more than {self.most:,} structures arise",
                    "perfectplay search answers for one position, and looks only at what matters",
                )
            if found == len(self.reached):
                self.reached = np.concatenate([self.reached, np.zeros_like(self.reached)])
            self.keys.append(key)
            self.children.append(np.empty(0, np.int32))
            heapq.heappush(self._queue, (-self.walks.level(key), found))
        return found

    def explore(self, progress: Progress, until: float | None = None) -> bool:
        """Find all structures; False if time was up before."""
        walks = self.walks
        for p in first_positions(self.game):
            at = walks.placed(p)
            after = [self.game.play(p, m) for m in self.game.moves(p)] if at is None else []
            for spot in filter(None, [at, *map(walks.placed, after)]):
                number = self.number(spot[0])
                self.reached[number, spot[1] >> 6] |= np.int64(bit(spot[1] & 63))
        progress.start("expand")
        while self._queue:
            if until is not None and time.perf_counter() > until:
                return False
            _, number = heapq.heappop(self._queue)
            exits, keys = walks.exits(self.keys[number])
            walks.flood(self.keys[number], self.reached[number])
            found, used = walks.leave(self.reached[number], exits)
            children = np.array(
                [self.number(key) if use else -1 for key, use in zip(keys, used, strict=True)],
                np.int32,
            )
            self.children[number] = children
            walks.mark(self.reached, children, found)
            progress.advance(1)
        return True

    def solve(self, progress: Progress, workers: int = 1) -> None:
        """Settle all structures, those first to which exits lead."""
        walks = self.walks
        progress.start("solve", len(self.keys))
        self.positions = 0
        if len(self.codes) != len(self.keys):
            self.codes = np.empty((len(self.keys), walks.places), np.int16)

        def one(number: int) -> int:
            key = self.keys[number]
            found = walks.opened(self.reached[number], self.codes[number])
            walks.settle(key, self.codes, number, walks.exits(key)[0], self.children[number])
            return found

        order = sorted(range(len(self.keys)), key=lambda i: walks.level(self.keys[i]))
        with ThreadPoolExecutor(workers) as pool:
            for _, some in groupby(order, key=lambda i: walks.level(self.keys[i])):
                done = list(pool.map(one, some))
                self.positions += sum(done)
                progress.advance(len(done))


def settled(solution: Solution) -> tuple[str, Game] | None:
    """Name and rules of a game that settles the start of a solution without guesses, if that rests
    on some that are not proved and there is such a game."""
    table = solution.table
    if not isinstance(table, Structured) or table.sure(solution.start):
        return None
    return table.walks.settled_by(solution.game)


def solve_structures(
    game: Any, memory: int | None = None, workers: int | None = 1,
    progress: Progress | None = None,
) -> Solution:  # fmt: skip
    """Solve a game that has structures, in memory."""
    walks: Walks = game.structures()
    progress, began, busy = progress or Silent(), time.perf_counter(), time.process_time()
    workers = workers or cores()
    solver = StructureFinder(game, walks, memory)
    solver.explore(progress)
    explored = time.perf_counter()
    solver.solve(progress, workers)
    progress.finish()
    header = {
        "game": rules_path(game),
        "parameters": parameters(game),
        "rules": rules_digest(game),
        "facts": asdict(FACTS),
    }
    solver.workers = workers
    table = Structured(
        game, walks, solver.codes, solver.numbers, header=header, rows=solver.positions,
        solver=solver,
    )  # fmt: skip
    report = {
        "game": header["game"],
        "parameters": header["parameters"],
        "positions": solver.positions,
        "strata": len(solver.keys),
        "methods": {"structures": solver.positions},
        "notes": [],
        "policy_gap": 0.0,
        "residual": 0.0,
        "policy_error": None,
        "equilibrium_gap": None,
        "method": "auto",
        "rounds": {},
        "residuals": [],
        "solved_before": False,
        "seconds": {
            "compile": 0.0,
            "expand": round(explored - began, 3),
            "solve": round(time.perf_counter() - explored, 3),
            "write": 0.0,
        },
        "cpu": round(time.process_time() - busy, 3),
        "peak_memory": peak_memory(),
        "private_memory": 0,
        "working_files": 0,
        "table": None,
        "signature": "",
    }
    return Solution(game, table, report)
