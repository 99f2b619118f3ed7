"""Play in the terminal: a person against perfect play, or perfect play against itself.

It reads lines and writes lines, so it can be driven by a pipe as well as by a person.
"""

import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol, TypeVar

from perfectplay.answer.analysis import MoveAnalysis, share_text
from perfectplay.answer.compare_moves import gains
from perfectplay.answer.faces.mixed_choices import mixed_choices
from perfectplay.answer.solution import Solution
from perfectplay.cli import render
from perfectplay.cli.render import visible
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate

HELP = (
    "type a move, or its number in the list (#1, #2, … where moves are numbers themselves); "
    "? shows what every move is worth, u takes back, q quits"
)
SIDES = "each player sees the board from their own side: a move is told as its player sees it"
_REPEATS = 3
"""Without chance, perfect play against itself ends when a position comes up so often."""
_LONGEST = 100_000


def _read(prompt: str) -> str:
    """A line from stdin, shown if nobody has seen it typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        render.say(line)
    return line


class Named(Protocol):
    """A move or a choice, of which the text is all that matters."""

    @property
    def text(self) -> str:
        """As the rules write it."""


Move = TypeVar("Move", bound=Named)


class Leave(Exception):  # noqa: N818 - not an error
    """The person wants to stop."""


@dataclass(frozen=True)
class Moment:
    """A position in a match, and what came before it."""

    position: Any
    ply: int
    earned: tuple[int, ...]
    """What each player has been given for moves so far."""


@dataclass
class Match:
    """One game from the first position to its end."""

    solution: Solution
    person: int | None
    """The player whom a person plays; None if nobody does."""
    seed: int | None = None
    hints: bool = False
    ask: Callable[[str], str] = _read
    say: Callable[[str], None] = render.say
    past: list[Moment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)
        self._seen: Counter[Any] = Counter()

    def play(self, p: Any) -> None:
        """Play from `p` to the end, or until the person leaves."""
        now = Moment(p, 0, (0,) * self.solution.game.players)
        if self.person is not None:
            self.say(HELP)
        if alternate(self.solution.game):
            self.say(SIDES)
        try:
            while self.solution.to_move(now.position) != OVER:
                self._seen[now.position] += 1
                if self._endless(now):
                    return
                now = self._next(now)
        except (EOFError, Leave):
            self.say("\nleft the game")
            return
        self.say(f"\n{visible(self._shown(now))}")
        self.say(visible(self._result(now)))

    def _endless(self, now: Moment) -> bool:
        """Whether nothing new can happen; says so."""
        repeats = not self.solution.facts.chance and self._seen[now.position] >= _REPEATS
        if self.person is None and (repeats or now.ply > _LONGEST):
            self.say(f"play repeats without end: {self.solution.value(now.position)}")
            return True
        return False

    def _next(self, now: Moment) -> Moment:
        """The next moment: by chance, by the person (who may take back), or by perfect play."""
        player = self.solution.to_move(now.position)
        if player == CHANCE:
            return self._roll(now)
        if player == SIMULTANEOUS:
            return self._both(now)
        mover = self._mover(now, player)
        if mover == self.person:
            return self._person(now, mover)
        best = [move for move in self.solution.moves(now.position) if move.best]
        fresh = (move for move in best if not self._seen[self._child(now, move)])
        return self._made(now, next(fresh, best[0]), mover)

    def _mover(self, now: Moment, player: int) -> int:
        """Who moves. In alternate play positions do not say: the turns do."""
        return now.ply % 2 if alternate(self.solution.game) else player

    def _shown(self, now: Moment) -> str:
        """The position as text, and from whose side it is seen if that changes."""
        game = self.solution.game
        if not alternate(game):
            return game.text(now.position)
        return f"{game.text(now.position)}  (as {game.player_name(now.ply % 2)} sees it)"

    def _child(self, now: Moment, move: MoveAnalysis) -> Any:
        return self.solution.game.play(now.position, move.move)

    def _roll(self, now: Moment) -> Moment:
        events = self.solution.events(now.position)
        total = math.lcm(*(chance.denominator for chance in events.values()))  # exact dice
        drawn = self._dice.randrange(total)
        sums = accumulate(int(chance * total) for chance in events.values())
        child = next(q for q, upto in zip(events, sums, strict=True) if drawn < upto)
        self.say(f"chance: {visible(self.solution.game.text(child))}")
        return Moment(child, now.ply + 1, now.earned)

    def _both(self, now: Moment) -> Moment:
        """Both players choose at once: perfect play draws from a mixture, the person decides
        without seeing it."""
        game, p = self.solution.game, now.position
        found = mixed_choices(self.solution, p)
        assert found is not None
        numbers = [found.draw(i, self._dice) for i in (0, 1)]
        if self.person is not None:
            chosen = self._choose(now, self.person)
            if isinstance(chosen, Moment):
                return chosen
            numbers[self.person] = chosen
        pair = found.moves[0][numbers[0]], found.moves[1][numbers[1]]
        made = (f"{game.player_name(i)} plays {game.move_text(p, pair[i])}" for i in (0, 1))
        self.say(visible(", ".join(made)))
        earned = gains(game.reward(p, pair), 0, game.players)
        total = tuple(a + b for a, b in zip(now.earned, earned, strict=True))
        return Moment(game.play(p, pair), now.ply + 1, total)

    def _choose(self, now: Moment, player: int) -> int | Moment:
        """The number of the person's choice; a moment if something was taken back."""
        listed = list(self.solution.choices(now.position)[player])
        self.say(f"\n{visible(self._shown(now))}")

        def values() -> None:
            for each in listed:
                share = share_text(each.probability)
                self.say(visible(f"{each.text}  {each.value}  with probability {share}"))

        values() if self.hints else self.say(visible(f"choices: {self._names(listed)}"))
        while True:
            typed = self.ask(f"{visible(self.solution.game.player_name(player))}> ").strip()
            chosen = self._chosen(typed, listed)
            if chosen is not None:
                self.past.append(now)
                return listed.index(chosen)
            before = self._command(typed, listed, values)
            if before is not None:
                return before

    def _made(self, now: Moment, move: MoveAnalysis, mover: int) -> Moment:
        """The moment after a move, which is shown."""
        game = self.solution.game
        name = game.player_name(mover)
        worth = f" ({move.value})" if self.hints or self.person is None else ""
        side = self.person not in (None, mover) and alternate(game)
        seen = f", as {name} sees it" if side else ""
        self.say(visible(f"{name} plays {move.text}{seen}{worth}"))
        return Moment(self._child(now, move), now.ply + 1, self._earned(now, move, mover))

    def _earned(self, now: Moment, move: MoveAnalysis, mover: int) -> tuple[int, ...]:
        reward = self.solution.game.reward(now.position, move.move)
        players = self.solution.game.players
        if isinstance(reward, tuple):
            shift = mover if alternate(self.solution.game) else 0
            gains = [reward[(i - shift) % players] for i in range(players)]
        else:
            other = -reward if players == 2 else 0
            gains = [reward if i == mover else other for i in range(players)]
        return tuple(a + int(b) for a, b in zip(now.earned, gains, strict=True))

    # -- The person. ------------------------------------------------------------------------------

    def _person(self, now: Moment, mover: int) -> Moment:
        game = self.solution.game
        moves = self.solution.moves(now.position)
        listed = [next(each for each in moves if each.move == m) for m in game.moves(now.position)]
        self.say(f"\n{visible(self._shown(now))}")
        self._show(listed, moves)
        while True:
            typed = self.ask(f"{visible(game.player_name(mover))}> ").strip()
            move = self._chosen(typed, listed)
            if move is not None:
                self.past.append(now)
                if self.hints and not move.best:
                    self.say(f"that loses {render.lost(move.loss, move.change, best=False)}")
                return self._made(now, move, mover)
            before = self._command(typed, listed, lambda: self._values(moves))
            if before is not None:
                return before

    def _command(
        self, typed: str, listed: Sequence[Named], values: Callable[[], None]
    ) -> Moment | None:
        """Do what was typed if it is no move; the moment before, if a move is taken back."""
        if typed in ("q", ":q", "quit", "exit"):
            raise Leave
        if typed in ("u", ":u", "undo"):
            if self.past:
                self.say("taken back")
                return self.past.pop()
            self.say("there is nothing to take back")
        elif typed in ("?", ":?"):
            values()
        elif typed:
            self.say(visible(f"{typed!r} is not a legal move; legal: {self._names(listed)}"))
            self.say(HELP)
        return None

    def _show(self, listed: list[MoveAnalysis], moves: tuple[MoveAnalysis, ...]) -> None:
        if self.hints:
            self._values(moves)
        else:
            self.say(visible(f"moves: {self._names(listed)}"))

    def _values(self, moves: tuple[MoveAnalysis, ...]) -> None:
        names = [visible(move.text) for move in moves]
        width = max(map(len, names))
        for move, name in zip(moves, names, strict=True):
            worse = render.lost(move.loss, move.change, best=move.best)
            mark = "*" if move.best else " "
            self.say(
                f"{mark} {name:{width}}  {move.value}" + (f"  loses {worse}" if worse else "")
            )

    @staticmethod
    def _numbered(listed: Sequence[Named]) -> bool:
        """Whether a bare number means a place in the list: not if some moves are numbers."""
        return not any(move.text.lstrip("+-").isdecimal() for move in listed)

    def _names(self, listed: Sequence[Named]) -> str:
        if self._numbered(listed):
            return ", ".join(f"{i}: {move.text}" for i, move in enumerate(listed, 1))
        names = ", ".join(move.text for move in listed)
        places = "#1" if len(listed) == 1 else f"#1 to #{len(listed)}"
        return f"{names} (or {places}, in this order)"

    def _chosen(self, typed: str, listed: Sequence[Move]) -> Move | None:
        """The move that was typed: its own text comes first, then its place in the list."""
        for move in listed:
            if typed == move.text:
                return move
        place = typed.removeprefix("#")
        counts = typed != place or self._numbered(listed)
        places = {str(i): move for i, move in enumerate(listed, 1)}
        if counts and place in places:
            return places[place]
        same = [move for move in listed if move.text.lower() == typed.lower()]
        return same[0] if len(same) == 1 else None

    # -- The end. ---------------------------------------------------------------------------------

    def _result(self, now: Moment) -> str:
        """Who won, or what everybody has."""
        game = self.solution.game
        values = self.solution.values(now.position)
        if alternate(game) and now.ply % 2:
            values = values[::-1]
        if values[0].kind == "outcome":
            won = next((i for i, value in enumerate(values) if value.lower > 0), None)
            return "a draw" if won is None else f"{game.player_name(won)} wins"
        ends = [_sum(value.lower, now.earned[i]) for i, value in enumerate(values)]
        return ", ".join(f"{game.player_name(i)}: {end}" for i, end in enumerate(ends))


def _sum(number: Any, earned: int) -> str:
    total = number + earned
    return str(int(total)) if total == int(total) else f"{float(total):.6g}"
