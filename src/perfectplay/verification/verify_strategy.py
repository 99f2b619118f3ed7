"""Verify a strategy: follow it against all replies, with the rules and nothing else.

Every position is met that the other player can bring about. Where the player of the strategy is to
move and it says nothing, a search, position by position and interpreted if need be, has to prove
that they get as much as is claimed. Where a line of play may go round for ever, endless play must
be a draw, and a draw enough. Nothing of the search that found the strategy is used."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TableError, VerificationError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, alternate, parameters
from perfectplay.rules.load import rules_path
from perfectplay.searching.search import search
from perfectplay.searching.strategies import Strategy, suits_strategies

NODES = 20_000_000
"""A search that proves what the strategy leaves open may take so many."""
STEPS = 4096
"""Positions between two reports of progress."""


@dataclass(frozen=True)
class VerifiedStrategy(Rich):
    """What `verify_strategy` has established."""

    positions: int
    """Different positions that play may come to, up to symmetry."""
    moves: int
    """Those at which the strategy says what to play."""
    searched: int
    """Those at which it says nothing, and a search proved the claim."""
    at_least: int
    seconds: float

    @property
    def kind(self) -> str:
        """What was proved, in words."""
        below = f", and {self.searched:,} searches below" if self.searched else ""
        return (
            f"{self.moves:,} moves{below} secure a payoff of at least {self.at_least} against "
            "all replies"
        )

    def display(self) -> Display:
        """What was proved."""
        return Display(self.kind)


@explained
def verify_strategy(
    game: Game, found: Strategy, *, nodes: int = NODES, progress: Progress | None = None
) -> VerifiedStrategy:
    """Prove what a strategy claims; VerificationError names the first position where it fails."""
    if (found.game, found.parameters) != (rules_path(game), parameters(game)):
        raise TableError(
            f"the strategy is for {found.game} with {found.parameters}",
            "name the same game, with the same parameters",
        )
    suits_strategies(game)
    began, watch = time.perf_counter(), progress or Silent()
    watch.start("verify")
    walk = _Walk(game, found, nodes, watch)
    try:
        walk.run()
    finally:
        watch.finish()
    return VerifiedStrategy(
        len(walk.done), len(walk.used), walk.searched, found.at_least, time.perf_counter() - began
    )


class _Walk:
    """Depth first through all that may happen."""

    def __init__(self, game: Game, found: Strategy, nodes: int, progress: Progress) -> None:
        self._game, self._found, self._nodes, self._progress = game, found, nodes, progress
        self.done: dict[Any, bool] = {}  # (representative, whose turn): whether it is finished
        self.used: set[str] = set()
        self.searched = 0

    def run(self) -> None:
        """Visit everything; VerificationError where the claim fails."""
        top = self._game.representative(self._game.parse(self._found.position))
        path = [((top, True), iter(self._children(top, mine=True)))]
        self.done[top, True] = False
        while path:
            node, children = path[-1]
            child = next(children, None)
            if child is None:
                self.done[node] = True
                path.pop()
                if len(self.done) % STEPS == 0:
                    self._progress.advance(STEPS)
            elif child not in self.done:
                self.done[child] = False
                path.append((child, iter(self._children(child[0], mine=child[1]))))
            elif not self.done[child]:
                self._endless(child[0])

    def _children(self, p: Any, *, mine: bool) -> list[tuple[Any, bool]]:
        """What follows `p`: representatives, and whether the player of the strategy moves there;
        nothing where play has ended or a search proves the claim."""
        game = self._game
        moves = list(game.moves(p)) if game.to_move(p) >= 0 else []
        if mine and moves:
            said = self._found.moves.get(game.text(p))
            if said is None:
                self._search(p)
                return []
            self.used.add(game.text(p))
            moves = [m for m in moves if game.move_text(p, m) == said][:1]
            if not moves:
                raise self._failure(p, f"{said} is no move")
        elif not moves:
            self._ended(p, int(game.payoff(p)), 0 if mine else 1)
        kind, found = game.to_move(p), []
        for m in moves:
            q = game.play(p, m)
            mover = game.to_move(q)
            if mover < 0 and not alternate(game):
                self._ended(q, int(game.payoff(q)), kind if mine else 1 - kind)
            else:
                same = not alternate(game) and mover == kind
                found.append((game.representative(q), mine == same))
        return found

    def _ended(self, p: Any, paid: int, player: int) -> None:
        """Play ends at `p` and pays player 0 of its frame so much; who plays by the strategy is
        this player."""
        game = self._game
        if not alternate(game) and game.to_move(p) >= 0:  # who cannot move
            player = game.to_move(p) if player == 0 else 1 - game.to_move(p)
        worth = -paid if player == 1 else paid
        if worth < self._found.at_least:
            raise self._failure(p, f"play ends with {worth}")

    def _endless(self, p: Any) -> None:
        """Play may come back to `p`."""
        if self._game.endless or self._found.at_least > 0:
            raise self._failure(p, "play may go round for ever")

    def _search(self, p: Any) -> None:
        """Prove the claim at a position where the strategy says nothing."""
        least = self._found.at_least
        found = search(
            self._game, p, window=(least - 1, least), nodes=self._nodes, method="positions"
        )
        self.searched += 1
        if found.lower < least:
            said = f"a search finds no more than {found.value_text}"
            raise self._failure(p, f"the strategy has no move, and {said}")

    def _failure(self, p: Any, why: str) -> VerificationError:
        return VerificationError(
            f"the strategy does not secure {self._found.at_least}: {why}, at {self._game.text(p)}"
        )
