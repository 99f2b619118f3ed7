"""Sides: players of a game who join forces, or who play against one of them.

`sided(game, "2+3")` is the game in which players 2 and 3 are one side, which wants the most of
what they get together; players who are not named play for themselves. `"2:-1"` is a side of
player 2 alone, who wants the least for player 1; any sum may stand after the colon. The sides are
the players of the new game: where there are two with opposed interests, its values have bounds
that are proved, like those of any game for two.

Rules with more than two players often rename them (`Game.representative` makes the player on turn
the first). Who is a friend of whom would be lost, so a position of the new game carries one number
more: the **seat**, by which player j of its frame is player (j + seat) mod players of the game.
There are up to as many times more positions as there are players.
"""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Anchors, ByTurns, anchored, by_turns
from perfectplay.rules.game import CHANCE, OVER, Game, alternate, declares, parameters, replaced
from perfectplay.rules.load import load, remember, remembered, rules_path
from perfectplay.rules.parameters import refuse_unstorable

LOOKS = 64
"""Positions that are looked at before sides are taken."""


def sided(game: Game, sides: str = "") -> Game:
    """The game between sides; without any, every player is one, and none is renamed."""
    if game.players < 3 or alternate(game):
        raise UsageError(
            f"{type(game).__name__} has {game.players} players: there are no sides to take",
            "sides are for three players or more",
        )
    _refuse_tuples(game)
    try:
        of, given = rules_path(game), json.dumps(parameters(game), sort_keys=True)
    except TypeError:
        refuse_unstorable(game)
        raise
    remember(game, of, given)
    flat = type(next(iter(game.starts()))) is not tuple
    has = 3 if by_turns(game) else 2 if anchored(game) else int(declares(game, "chances"))
    kind: type[Sided] = KINDS[has][flat]
    return kind(of, given, sides)


def told_apart(game: Game, ties: str) -> Game:
    """The game, without renaming players if the rule for ties names one of them."""
    renames = game.players > 2 and declares(game, "turn")
    return sided(game) if ":" in ties and renames else game


def _refuse_tuples(game: Game) -> None:
    """UsageError if moves earn something for several players at once: `Sided.reward` takes what a
    move earns as the mover's. Some positions near the start are looked at."""
    if not declares(game, "reward"):
        return
    queue = list(itertools.islice(game.starts(), LOOKS))
    for p in queue:
        kind = game.to_move(p)
        if kind == CHANCE:
            queue += [q for _, q in game.chances(p)][: LOOKS - len(queue)]
        elif kind != OVER:
            for m in game.moves(p):
                if isinstance(game.reward(p, m), tuple):
                    raise UsageError(
                        f"sides cannot be taken in {type(game).__name__}: reward(p, m) is a tuple",
                        "sides need rewards that are integers, for who moves; payoffs may be "
                        "tuples",
                    )
                if len(queue) < LOOKS:
                    queue.append(game.play(p, m))


@dataclass(frozen=True)
class Sided(Game):
    """A game without chance between sides. A position is one of the game, a tuple, with the seat
    behind."""

    of: str
    """The game, as `load` finds it."""
    given: str = "{}"
    """Its parameters, as JSON."""
    sides: str = ""
    rules: Game = field(init=False, repr=False, compare=False)
    players: int = field(init=False, repr=False, compare=False)
    seats: int = field(init=False, repr=False, compare=False)
    side: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The side of each player."""
    wants: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    """For each side, how much it wants of what each player gets."""
    nothing: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        rules = remembered(self.of, self.given) or load(self.of, json.loads(self.given))
        side, wants = _read(self.sides, rules.players)
        put(self, "rules", rules)
        put(self, "seats", rules.players)
        put(self, "players", len(wants))
        put(self, "side", side)
        put(self, "wants", wants)
        put(self, "nothing", (0,) * len(wants))

    @property
    def native(self) -> bool:  # type: ignore[override]
        """As the rules are."""
        return self.rules.native

    @property
    def endless(self) -> int | None:  # type: ignore[override]
        """As the rules say."""
        return self.rules.endless

    @property
    def most_positions(self) -> int | None:  # type: ignore[override]
        """Every position at every seat."""
        most = self.rules.most_positions
        return None if most is None else most * self.seats

    # -- Positions. -------------------------------------------------------------------------------

    def board(self, p: tuple[Any, ...]) -> Any:
        """The position of the game."""
        return p[:-1]

    def seated(self, q: Any, seat: int) -> tuple[Any, ...]:
        """The position with a seat."""
        together: tuple[Any, ...] = q + (seat,)  # noqa: RUF005 - compiled rules add tuples
        return together

    def starts(self) -> Iterator[Any]:
        for q in self.rules.starts():
            yield self.seated(q, 0)

    def start(self) -> Any:
        return next(iter(self.starts()))

    def to_move(self, p: tuple[Any, ...]) -> int:
        mover = self.rules.to_move(self.board(p))
        return mover if mover < 0 else self.side[(mover + p[-1]) % self.seats]

    def moves(self, p: tuple[Any, ...]) -> Iterator[Any]:
        for m in self.rules.moves(self.board(p)):  # noqa: UP028 - compiled rules cannot delegate
            yield m

    def play(self, p: tuple[Any, ...], m: Any) -> tuple[Any, ...]:
        return self.seated(self.rules.play(self.board(p), m), p[-1])

    def payoff(self, p: tuple[Any, ...]) -> tuple[int, ...]:
        got, total = self.rules.payoff(self.board(p)), self.nothing
        for side in range(self.players):
            worth = 0
            for player in range(self.seats):
                worth += self.wants[side][player] * got[(player - p[-1]) % self.seats]
            total = replaced(total, side, worth)
        return total

    def reward(self, p: tuple[Any, ...], m: Any) -> tuple[int, ...]:
        q = self.board(p)
        return self.earned(self.rules.reward(q, m), (self.rules.to_move(q) + p[-1]) % self.seats)

    def earned(self, number: int, mover: int) -> tuple[int, ...]:
        """What sides get when a player earns something."""
        total = self.nothing
        for side in range(self.players):
            total = replaced(total, side, self.wants[side][mover] * number)
        return total

    def stratum(self, p: tuple[Any, ...]) -> int:
        return self.rules.stratum(self.board(p))

    def representative(self, p: tuple[Any, ...]) -> tuple[Any, ...]:
        q = self.board(p)
        r = self.rules.representative(q)
        return self.seated(r, (p[-1] + self.rules.turn(q) - self.rules.turn(r)) % self.seats)

    # -- Text. ------------------------------------------------------------------------------------

    def text(self, p: tuple[Any, ...]) -> str:
        turned = f", player 1 is player {p[-1] + 1}" if p[-1] else ""
        return self.rules.text(self.board(p)) + turned

    def parse(self, s: str) -> tuple[Any, ...]:
        found = re.fullmatch(r"(.*), player 1 is player (\d+)", s.strip())
        seat = int(found[2]) - 1 if found else 0
        if not 0 <= seat < self.seats:
            raise ValueError(f"{s!r}: players are 1 to {self.seats}")
        return self.seated(self.rules.parse(found[1] if found else s), seat)

    def move_text(self, p: tuple[Any, ...], m: Any) -> str:
        return self.rules.move_text(self.board(p), m)

    def picture(self, p: tuple[Any, ...]) -> str:
        return self.rules.picture(self.board(p))

    def player_name(self, i: int) -> str:
        names = [self.rules.player_name(j) for j in range(self.seats) if self.side[j] == i]
        own = tuple(int(self.side[j] == i) for j in range(self.seats))
        return " and ".join(names) + ("" if own == self.wants[i] else " (for another aim)")


@dataclass(frozen=True)
class SidedChance(Sided):
    """A game with chance between sides."""

    def chances(self, p: tuple[Any, ...]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        for weight, q in self.rules.chances(self.board(p)):
            yield weight, self.seated(q, p[-1])


@dataclass(frozen=True)
class SidedAnchors(Anchors, SidedChance):
    """The same, where the rules name anchors."""

    def anchor(self, p: tuple[Any, ...]) -> bool:
        return bool(self.rules.anchor(self.board(p)))  # type: ignore[attr-defined]


@dataclass(frozen=True)
class SidedTurns(ByTurns, SidedAnchors):
    """The same, where the rules go by turns."""

    def pattern(self, p: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.seated(self.rules.pattern(self.board(p)), p[-1])  # type: ignore[attr-defined]

    def carried(self, q: tuple[Any, ...], p: tuple[Any, ...]) -> tuple[Any, ...]:
        here = self.rules.carried(self.board(q), self.board(p))  # type: ignore[attr-defined]
        return self.seated(here, p[-1])


class _Flat:
    """Games whose positions are no tuples; here they are (position of the game, seat)."""

    def board(self, p: tuple[Any, ...]) -> Any:
        return p[0]

    def seated(self, q: Any, seat: int) -> tuple[Any, ...]:
        return (q, seat)


@dataclass(frozen=True)
class SidedFlat(_Flat, Sided):
    """A game whose positions are no tuples."""


@dataclass(frozen=True)
class SidedFlatChance(_Flat, SidedChance):
    """The same with chance."""


@dataclass(frozen=True)
class SidedFlatAnchors(_Flat, SidedAnchors):
    """The same with anchors."""


@dataclass(frozen=True)
class SidedFlatTurns(_Flat, SidedTurns):
    """The same by turns."""


KINDS = (
    (Sided, SidedFlat), (SidedChance, SidedFlatChance), (SidedAnchors, SidedFlatAnchors),
    (SidedTurns, SidedFlatTurns),
)  # fmt: skip
"""Classes of games between sides, by what the rules have, for positions that are tuples or not."""


def _read(text: str, players: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """(side of each player, what each side wants) of a text such as "2+3" or "2:-1"."""
    named: dict[int, tuple[int, ...]] = {}
    firsts: dict[int, list[int]] = {}
    for part in filter(None, text.replace(" ", "").split(",")):
        if not re.fullmatch(r"\d+(\+\d+)*(:[+-]?\d+([+-]\d+)*)?", part):
            raise UsageError(
                f"{part!r} is no side", 'sides look like "2+3" (together) or "2:-1" (2 against 1)'
            )
        members, _, aim = part.partition(":")
        who = [int(word) - 1 for word in members.split("+")]
        terms = re.findall(r"([+-]?)(\d+)", aim or members)
        wants = [0] * players
        for sign, number in terms:
            if not 1 <= int(number) <= players:
                raise UsageError(f"{part!r} names no player", f"players are 1 to {players}")
            wants[int(number) - 1] += -1 if sign == "-" else 1
        if any(not 0 <= i < players or i in named for i in who) or len(set(who)) < len(who):
            raise UsageError(
                f"{text!r} puts a player on two sides or names none", f"players: 1 to {players}"
            )
        firsts[min(who)] = who
        for i in who:
            named[i] = tuple(wants)
    for i in range(players):
        if i not in named:
            firsts[i] = [i]
            named[i] = tuple(int(i == j) for j in range(players))
    order = sorted(firsts)
    if len(order) < 2:
        raise UsageError("all players are on one side", "leave one out")
    side = [0] * players
    for number, first in enumerate(order):
        for i in firsts[first]:
            side[i] = number
    return tuple(side), tuple(named[first] for first in order)
