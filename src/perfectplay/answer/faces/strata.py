"""The strata of a position, in the words of Bellman (1965): which moves can be undone.

A move is **recurrent** if play can come back to the position it was made at, and **transitive** if
it cannot: "the change in structure cannot be undone". What happens by chance counts as a move.

    S_0           p, and every position that play can reach from p and come back from
    exits         the positions that transitive moves lead to from S_0
    S_1, S_2, …   the strata of these positions; several may lie in one

So S_0 is the strongly connected component of p. No move raises the `stratum` that rules declare:
all ways back stay inside it, and nothing below is looked at. Positions that `representative`
identifies count as one.

The search goes forward from p, nearest positions first, and stops after `limit` of them. What it
has seen by then decides most moves all the same: a way back that was found is one, and a move
after which every way was followed to its end without coming back is transitive. Only for what may
come back through positions that were not looked at the answer is None."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from perfectplay.answer.lines import pair_text
from perfectplay.rules.capabilities import joint_moves
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, declares

if TYPE_CHECKING:
    from perfectplay.schemas.strata import PositionStrataJson

LIMIT = 20_000
"""Positions that are looked at, unless more are asked for."""


@dataclass(frozen=True)
class StratumMove:
    """A move, or an event, and whether it can be undone."""

    text: str
    """The move, or the position that chance leads to."""
    child: str
    """The position after it."""
    stratum: int | None
    """The stratum of that position, if the rules declare strata."""
    recurrent: bool | None
    """None: not known, since not all positions were looked at."""

    @property
    def word(self) -> str:
        """What Bellman calls it."""
        return {True: "recurrent", False: "transitive", None: "not known"}[self.recurrent]


@dataclass(frozen=True)
class PositionStrata:
    """The stratum of a position, and where its moves lead."""

    position: str
    number: int | None
    """The stratum that the rules declare; None if they declare none."""
    moves: tuple[StratumMove, ...]
    """In the order of the rules."""
    members: tuple[Any, ...]
    """S_0, nearest first, as representatives; without `complete`, what is known of it."""
    exits: tuple[Any, ...]
    """Where transitive moves lead to from S_0, as representatives."""
    looked: int
    """How many positions were looked at."""
    complete: bool
    """Whether S_0 is all there: no position was left out that might come back."""

    def as_json(self) -> PositionStrataJson:
        """The strata as JSON-ready data."""
        return {
            "position": self.position,
            "stratum": self.number,
            "members": len(self.members),
            "exits": len(self.exits),
            "complete": self.complete,
            "looked": self.looked,
            "moves": [
                {"move": m.text, "position": m.child, "stratum": m.stratum, "kind": m.word}
                for m in self.moves
            ],
        }


def strata(game: Game, p: Any, limit: int = LIMIT) -> PositionStrata:
    """The stratum of `p`, and which of its moves are recurrent."""
    seen = _Forward(game, game.representative(p), limit)
    back = seen.leading_to({seen.home})
    unknown = seen.leading_to(seen.ahead) - back
    exits = dict.fromkeys(q for r in seen.after if r in back for q in seen.children(r))
    declared = declares(game, "stratum")
    moves = []
    for m, q in _steps(game, p):
        r, child = seen.representative(q), game.text(q)
        kind = True if r in back else None if r in unknown else False
        text = child if m is None else _text(game, p, m)
        moves.append(StratumMove(text, child, game.stratum(q) if declared else None, kind))
    return PositionStrata(
        position=game.text(p),
        number=game.stratum(p) if declared else None,
        moves=tuple(moves),
        members=tuple(r for r in seen.order if r in back),
        exits=tuple(q for q in exits if q not in back and q not in unknown),
        looked=len(seen.after),
        complete=not unknown,
    )


def strata_below(
    game: Game, found: PositionStrata, limit: int = LIMIT
) -> Iterator[PositionStrata]:
    """S_1, S_2, …: the strata that transitive moves lead to, each once, as they are met; `limit`
    holds for each."""
    known: set[Any] = set()
    for q in found.exits:
        if q not in known:
            below = strata(game, q, limit)
            known.update(below.members)
            yield below


class _Forward:
    """The positions of one stratum that play reaches from one of them, nearest first."""

    def __init__(self, game: Game, home: Any, limit: int) -> None:
        self.game, self.home = game, home
        self.representative = cache(game.representative)  # the dearest method of some rules
        self.level = game.stratum(home)
        self.after: dict[Any, list[Any]] = {}
        """Those that were looked at, with their children in the stratum."""
        self.ahead: set[Any] = set()
        """Those that were not."""
        self.order = [home]
        queue, found = deque([home]), {home}
        while queue:
            r = queue.popleft()
            if len(self.after) >= max(limit, 1):
                self.ahead.add(r)
                continue
            self.after[r] = [
                self.representative(q)
                for _, q in _steps(game, r)
                if game.stratum(q) == self.level  # the same for symmetric positions
            ]
            fresh = [q for q in dict.fromkeys(self.after[r]) if q not in found]
            found.update(fresh)
            queue.extend(fresh)
            self.order += fresh

    def children(self, r: Any) -> Iterator[Any]:
        """The representatives of all children."""
        return (self.representative(q) for _, q in _steps(self.game, r))

    def leading_to(self, goals: Iterable[Any]) -> set[Any]:
        """The goals, and all positions found with a way to one of them."""
        parents: dict[Any, list[Any]] = {}
        for r, below in self.after.items():
            for q in below:
                parents.setdefault(q, []).append(r)
        found = set(goals)
        queue = list(found)
        while queue:
            fresh = [r for r in parents.get(queue.pop(), ()) if r not in found]
            found.update(fresh)
            queue.extend(fresh)
        return found


def _text(game: Game, p: Any, m: Any) -> str:
    """A move as text, or what both players choose at once."""
    return pair_text(game, p, m) if game.to_move(p) == SIMULTANEOUS else game.move_text(p, m)


def _steps(game: Game, p: Any) -> Iterator[tuple[Any, Any]]:
    """What may follow `p`: each move, or None for an event, with the position after it."""
    mover = game.to_move(p)
    if mover == CHANCE:
        for q in dict.fromkeys(q for _, q in game.chances(p)):
            yield None, q
    elif mover != OVER:
        for m in joint_moves(game, p):
            yield m, game.play(p, m)
