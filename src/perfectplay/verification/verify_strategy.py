"""Verify a strategy: follow it against all replies, with the rules and nothing else.

Every position is met that the other player can bring about. Where the player of the strategy is to
move and it says nothing, they may win by threats alone (forced_wins.py); or there is one move that
can be best, by what the rules say is `enough`; or a search, position by position and interpreted
if need be, has to prove that they get as much as is claimed. Where a line of play may go round for
ever, endless play must be a draw, and a draw enough. Nothing that the search which found the
strategy has learned is used."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TableError, VerificationError
from perfectplay.positions.batch import Batch, some
from perfectplay.positions.expand import expander
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import OVER, Game, parameters
from perfectplay.rules.load import rules_path
from perfectplay.rules.search_capabilities import enough_moves, names_threats
from perfectplay.searching.search import SIZE, SearchOptions, searches
from perfectplay.searching.strategies import Strategy, suits_strategies
from perfectplay.verification.forced_wins import FEW, MANY, ForcedWins

NODES = 200_000_000
"""A search that proves what the strategy leaves open may take so many."""
METHOD = "positions"
"""How it searches: not as strategies are found."""


@dataclass(frozen=True)
class VerifiedStrategy(Rich):
    """What `verify_strategy` has established."""

    positions: int
    """Different positions that play may come to, up to symmetry."""
    moves: int
    """Those at which the strategy says what to play."""
    searched: int
    """Those at which it says nothing, and a search proved the claim."""
    threatened: int
    """Those at which it says nothing, and threats win."""
    at_least: int
    seconds: float

    @property
    def kind(self) -> str:
        """What was proved, in words."""
        below = f", and {self.searched:,} searches below" if self.searched else ""
        below += f", with threats at {self.threatened:,} positions" if self.threatened else ""
        return (
            f"{self.moves:,} moves{below} secure a payoff of at least {self.at_least} against "
            "all replies"
        )

    def display(self) -> Display:
        """What was proved."""
        return Display(self.kind)


@explained
def verify_strategy(
    game: Game,
    found: Strategy,
    *,
    nodes: int = NODES,
    size: int = SIZE,
    method: str = METHOD,
    progress: Progress | None = None,
) -> VerifiedStrategy:
    """Prove what a strategy claims; VerificationError names the first position where it fails.
    What it leaves open is searched by `method`, with so many `nodes` for a position and a table of
    `size` bytes."""
    if (found.game, found.parameters) != (rules_path(game), parameters(game)):
        raise TableError(
            f"the strategy is for {found.game} with {found.parameters}",
            "name the same game, with the same parameters",
        )
    suits_strategies(game)
    began, watch = time.perf_counter(), progress or Silent()
    watch.start("verify")
    options = SearchOptions(
        nodes=nodes, size=size, method=method, window=(found.at_least - 1, found.at_least)
    )
    walk = _Walk(game, found, options, watch)
    try:
        walk.run()
    finally:
        watch.finish()
    return VerifiedStrategy(
        len(walk.number), len(walk.used), walk.searched, walk.threatened, found.at_least,
        time.perf_counter() - began,
    )  # fmt: skip


class _Walk:
    """All that may happen, batch by batch. A state is a position, a representative, and which
    player of its frame plays by the strategy."""

    def __init__(
        self, game: Game, found: Strategy, options: SearchOptions, progress: Progress
    ) -> None:
        self._game, self._found, self._progress = game, found, progress
        self._wanted: Any = None  # the position that is searched next
        self._answers = searches(game, self._questions(), **options)
        self._expander = expander(game)
        threats = game.native and names_threats(game)
        self._wins = ForcedWins(game) if threats else None
        self.number: dict[Any, int] = {}  # of a state
        self._said = self._sayings()
        self._level: list[tuple[int, int]] = []  # moves that stay in their stratum, as states
        self.used: set[Any] = set()
        self.searched = self.threatened = 0

    def _sayings(self) -> dict[Any, int]:
        """By key: the number of the move that the strategy plays at the representative, -1 if it
        names no move. Where it names a position by a twin, the move leads to twins, too."""
        game, said = self._game, {}
        named = [(self._read(text), word) for text, word in self._found.moves.items()]
        twins = [game.representative(p) for p, _ in named]
        if not named:
            return {}
        here, there = self._positions([p for p, _ in named]), self._positions(twins)
        asked, answer = self._expander.expand(here), self._expander.expand(there)
        for i, (p, word) in enumerate(named):
            moves = [game.move_text(p, m) for m in game.moves(p)]
            number = moves.index(word) if word in moves else -1
            if number >= 0 and p != twins[i]:
                wanted = self._key(asked.child, int(asked.first[i]) + number)
                edges = range(int(answer.first[i]), int(answer.first[i + 1]))
                number = next(e for e in edges if self._key(answer.child, e) == wanted) - edges[0]
            said[self._key(there, i)] = number
        return said

    def _read(self, text: str) -> Any:
        """The position that a text of the strategy writes."""
        try:
            return self._game.parse(text)
        except Exception:
            raise TableError(
                f"the strategy says what to play at {text!r}, which is no position",
                "perfectplay strategy writes positions that can be read",
            ) from None

    def _positions(self, positions: list[Any]) -> Any:
        """Positions as the expander takes them."""
        return self._expander.keys(positions) if self._game.native else positions

    def _key(self, positions: Any, i: int) -> Any:
        return positions[i].tobytes() if self._game.native else positions[i]

    def _position(self, positions: Any, i: int) -> Any:
        """One of them, for people and for searches."""
        if not self._game.native:
            return positions[i]
        native: Any = self._expander
        return native.position(positions[i])

    def run(self) -> None:
        """Visit everything; VerificationError where the claim fails."""
        game = self._game
        top = game.representative(self._read(self._found.position))
        here, players = self._positions([top]), [max(game.to_move(top), 0)]
        self.number[self._key(here, 0), players[0]] = 0
        while players:
            self._progress.advance(len(players))
            here, players = self._next(here, players)
        self._without_circles()

    def _next(self, here: Any, players: list[int]) -> tuple[Any, list[int]]:
        """The states that follow some others and are new."""
        batch = self._expander.expand(here)
        first, kind, swap = batch.first.tolist(), batch.kind.tolist(), batch.swap.tolist()
        chosen, game = self._chosen(here, players, batch), self._game
        falls = len(batch.stratum) > 0
        strata = [game.stratum(self._position(here, i)) for i in range(len(here)) if falls]
        rows: list[int] = []
        new: list[int] = []
        for i, player in enumerate(players):
            if kind[i] == OVER:
                paid = int(batch.payoff[i, 0])
                if (-paid if player == 1 else paid) < self._found.at_least:
                    worth = -paid if player == 1 else paid
                    raise self._failure(self._position(here, i), f"play ends with {worth}")
                continue
            mine = kind[i] == player
            edges = range(first[i], first[i + 1])
            for e in edges if not mine else [first[i] + chosen[i]] if i in chosen else ():
                after = player ^ (swap[e] if len(swap) > 1 else swap[0])
                state = self._key(batch.child, e), after
                if state not in self.number:
                    self.number[state] = len(self.number)
                    rows.append(e)
                    new.append(after)
                if not strata or strata[i] == batch.stratum[e]:  # strata never rise
                    self._level.append(
                        (self.number[self._key(here, i), player], self.number[state])
                    )
        return some(batch.child, np.array(rows, np.int64)), new

    def _chosen(self, here: Any, players: list[int], batch: Batch) -> dict[int, int]:
        """By row, where the player of the strategy is to move: the number of the move. What is not
        there was proved otherwise."""
        found: dict[int, int] = {}
        silent: list[int] = []
        for i, player in enumerate(players):
            if batch.kind[i] == player:
                key = self._key(here, i)
                if key not in self._said:
                    silent.append(i)
                    continue
                self.used.add(key)
                found[i] = self._said[key]
                if found[i] < 0:
                    p = self._position(here, i)
                    said = self._found.moves.get(self._game.text(p), "what it says")
                    raise self._failure(p, f"{said} is no move")
        return found | self._open(here, silent)

    def _open(self, here: Any, rows: list[int]) -> dict[int, int]:
        """Prove the claim where the strategy says nothing: by threats, or by a search. Where there
        is one move that can be best, it is played, and nothing is to be proved."""
        found: dict[int, int] = {}
        for i in self._unthreatened(here, rows, FEW):
            p = self._position(here, i)
            enough = enough_moves(self._game, p)
            if len(enough) == 1:
                found[i] = list(self._game.moves(p)).index(enough[0])
            elif self._unthreatened(here, [i], MANY):
                self._search(p)
        return found

    def _unthreatened(self, here: Any, rows: list[int], nodes: int) -> list[int]:
        """Those rows where no sequence of threats is found that wins."""
        if self._wins is None or not rows:
            return rows
        won = self._wins.found(here[rows], self._found.at_least, nodes)
        self.threatened += int(won.sum())
        return [i for at, i in enumerate(rows) if not won[at]]

    def _without_circles(self) -> None:
        """Endless play must be a draw, and a draw enough."""
        if not self._level or not (self._game.endless or self._found.at_least > 0):
            return
        follow: dict[int, list[int]] = {}
        before = dict.fromkeys(range(len(self.number)), 0)
        for a, b in self._level:
            follow.setdefault(a, []).append(b)
            before[b] += 1
        free = [state for state, many in before.items() if many == 0]
        while free:
            state = free.pop()
            del before[state]
            for b in follow.get(state, ()):
                before[b] -= 1
                if before[b] == 0:
                    free.append(b)
        if before:
            key = next(state for state, number in self.number.items() if number in before)[0]
            p = (
                key
                if not self._game.native
                else self._position(np.frombuffer(key, np.int64)[None], 0)
            )
            raise self._failure(p, "play may go round for ever")

    def _questions(self) -> Iterator[Any]:
        """What is searched, one after the other, so that a search may use what an earlier one has
        found."""
        while True:
            yield self._wanted

    def _search(self, p: Any) -> None:
        """Prove the claim at a position where the strategy says nothing."""
        least, self._wanted = self._found.at_least, p
        found = next(self._answers)
        self.searched += 1
        if found.lower < least:
            said = f"a search finds no more than {found.value_text}"
            raise self._failure(p, f"the strategy has no move, and {said}")

    def _failure(self, p: Any, why: str) -> VerificationError:
        return VerificationError(
            f"the strategy does not secure {self._found.at_least}: {why}, at {self._game.text(p)}"
        )
