"""What other systems ask of a game before it is played: all moves by number, and the largest sums.

They number actions once and for all, where rules here just yield moves. So all positions are
visited, by the interpreted rules, if there are not too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.rules.capabilities import simultaneous
from perfectplay.rules.game import CHANCE, OVER, Game, alternate, first_positions

MOST = 200_000
"""Positions that are visited to number the moves."""
HORIZON = 10_000
"""Moves after which play is stopped, where rules let it go on for ever."""


@dataclass(frozen=True)
class Playable:
    """A game with its moves numbered."""

    game: Game
    moves: tuple[Any, ...]
    """All moves that are ever legal, by their numbers."""
    events: int
    """How many things chance may choose among, at most."""
    least: int
    most: int
    """What a player gets lies between these, rewards included."""
    longest: int
    """Steps of the longest play, those of chance not counted; or `HORIZON`."""
    rewards: bool

    def legal(self, p: Any) -> dict[int, Any]:
        """The legal moves at `p` by number, ascending."""
        numbers = _numbered(self.moves)
        found = {numbers[m]: m for m in self.game.moves(p)}
        return dict(sorted(found.items()))

    def player(self, p: Any, ply: int) -> int:
        """Who moves at `p` after so many moves, or CHANCE, or OVER."""
        kind = self.game.to_move(p)
        if kind >= 0 and next(iter(self.game.moves(p)), self) is self:
            return OVER
        return ply % 2 if alternate(self.game) and kind >= 0 else kind

    def gains(self, p: Any, ply: int, given: Any) -> tuple[int, ...]:
        """A payoff or a reward that the rules give at `p`, as what each player gets."""
        if isinstance(given, tuple):
            found = tuple(map(int, given))
        elif self.game.players == 2:
            found = int(given), -int(given)
        else:
            found = (int(given),) * self.game.players if self.game.players == 1 else (0,) * (
                self.game.players
            )  # fmt: skip
        return found[::-1] if alternate(self.game) and ply % 2 else found

    def earned(self, p: Any, ply: int, m: Any) -> tuple[int, ...]:
        """What a move at `p` earns each player at once."""
        given = self.game.reward(p, m)
        mover = 0 if alternate(self.game) else self.game.to_move(p)
        if isinstance(given, tuple) or self.game.players == 1 or mover == 0:
            return self.gains(p, ply, given)
        if self.game.players == 2:
            return self.gains(p, ply, (-int(given), int(given)))
        return tuple(int(given) * (i == mover) for i in range(self.game.players))


_numbers: dict[tuple[Any, ...], dict[Any, int]] = {}


def _numbered(moves: tuple[Any, ...]) -> dict[Any, int]:
    if moves not in _numbers:
        _numbers[moves] = {m: number for number, m in enumerate(moves)}
    return _numbers[moves]


def playable(game: Game, moves: Sequence[Any] | None = None) -> Playable:
    """The game with its moves numbered: in the order of `moves`, or of their texts."""
    if simultaneous(game) is not None:
        raise UsageError(
            f"{type(game).__name__}: both players choose at once",
            "only games in which one moves at a time can be played by other systems",
        )
    found = _Visited(game)
    ordered = tuple(moves) if moves is not None else tuple(sorted(found.moves, key=_by_text))
    if moves is not None and not set(found.moves) <= set(moves):
        missing = next(m for m in found.moves if m not in set(moves))
        raise UsageError(f"{missing!r} is a move that was not named", "name all moves")
    cyclic = found.longest is None
    longest = HORIZON if found.longest is None else found.longest
    steps = HORIZON if cyclic else max(longest, 1)
    reach = max(map(abs, found.rewards), default=0) * steps
    ends = found.payoffs or {0}
    worth = [*ends, int(game.endless or 0)] if cyclic else [*ends]
    least, most = min(worth) - reach, max(worth) + reach
    return Playable(
        game, ordered, found.events, least, max(most, least + 1), max(longest, 1),
        any(found.rewards),
    )  # fmt: skip


def _by_text(m: Any) -> tuple[Any, ...]:
    """Numbers by size, all else as text."""
    return (0, m, "") if isinstance(m, int) else (1, 0, str(m))


class _Visited:
    """All positions of a game, and what is found there."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.moves: dict[Any, None] = {}
        self.events = 0
        self.payoffs: set[int] = set()
        self.rewards: set[int] = set()
        self._after: dict[Any, list[Any]] = {}
        waiting = list(first_positions(game))
        while waiting:
            p = waiting.pop()
            if p in self._after:
                continue
            if len(self._after) >= MOST:
                raise TooLargeError(
                    f"{type(game).__name__} has more than {MOST:,} positions, too many to number "
                    "its moves",
                    "choose smaller parameters",
                )
            self._after[p] = self._visit(p)
            waiting += self._after[p]
        self.longest = self._longest()

    def _visit(self, p: Any) -> list[Any]:
        game, kind = self.game, self.game.to_move(p)
        if kind == CHANCE:
            after = [child for _, child in game.chances(p)]
            self.events = max(self.events, len(after))
            return after
        legal = [] if kind == OVER else list(game.moves(p))
        if not legal:
            given = game.payoff(p)
            every = given if isinstance(given, tuple) else (int(given), -int(given))
            self.payoffs |= set(map(int, every[: max(game.players, 1)]))
        for m in legal:
            given = game.reward(p, m)
            self.rewards |= set(map(int, given if isinstance(given, tuple) else (given,)))
        self.moves |= dict.fromkeys(legal)
        return [game.play(p, m) for m in legal]

    def _longest(self) -> int | None:
        """The moves and events of the longest play; None if play may go on for ever."""
        waits = dict.fromkeys(self._after, 0)
        for after in self._after.values():
            for child in after:
                waits[child] += 1
        length, ready = dict.fromkeys(self._after, 0), [p for p, n in waits.items() if not n]
        done = 0
        while ready:
            p = ready.pop()
            done += 1
            for child in self._after[p]:
                length[child] = max(length[child], length[p] + 1)
                waits[child] -= 1
                if not waits[child]:
                    ready.append(child)
        return max(length.values()) if done == len(length) else None


class Play:
    """One play of a game: its position, and what everybody has got so far."""

    def __init__(self, rules: Playable) -> None:
        self.rules = rules
        self.position = next(first_positions(rules.game))
        self.steps = 0
        self.gains = (0,) * rules.game.players
        """What the last step brought each player."""
        self.sums = self.gains

    @property
    def who(self) -> int:
        """Who moves, or CHANCE, or OVER; play is also over after so many steps."""
        return OVER if self.stopped else self.rules.player(self.position, self.steps)

    @property
    def stopped(self) -> bool:
        """Whether play was stopped before its end."""
        late = self.steps >= self.rules.longest
        return late and self.rules.player(self.position, self.steps) != OVER

    def legal(self) -> dict[int, Any]:
        """The legal moves, by number."""
        return self.rules.legal(self.position) if self.who >= 0 else {}

    def events(self) -> list[tuple[int, Any]]:
        """What chance may do: weights and positions."""
        return list(self.rules.game.chances(self.position))

    def step(self, number: int) -> None:
        """The move, or the event, with this number is made."""
        rules, p = self.rules, self.position
        gains = (0,) * rules.game.players
        if self.who == CHANCE:
            self.position = self.events()[number][1]
        else:
            m = self.legal()[number]
            gains = rules.earned(p, self.steps, m)
            self.position = rules.game.play(p, m)
        self.steps += 1
        if self.who == OVER:
            worth = int(rules.game.endless or 0)
            given = worth if self.stopped else rules.game.payoff(self.position)
            gains = _sum(gains, rules.gains(self.position, self.steps, given))
        self.gains, self.sums = gains, _sum(self.sums, gains)


def _sum(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
