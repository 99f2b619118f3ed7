"""Play in the terminal: a person against perfect play, or perfect play against itself.

It reads lines and writes lines, so it can be driven by a pipe as well as by a person.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from perfectplay.answer.analysis import ChoiceAnalysis, MoveAnalysis, share_text
from perfectplay.answer.compare_moves import gains
from perfectplay.answer.faces.mixed_choices import mixed_choices
from perfectplay.answer.faces.opponents import PERSON, Policy, dice, pair_number, reply, throw
from perfectplay.answer.faces.text_boards import BoardTexts
from perfectplay.answer.faces.typed_moves import Move, chosen, named, numbered
from perfectplay.answer.solution import Solution
from perfectplay.cli import render
from perfectplay.cli.render import visible
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate
from perfectplay.rules.value import Value

HELP = (
    "type a move, or its number in the list (#1, #2, … where moves have other numbers); "
    "help shows what else you can type"
)
COMMANDS = (
    ("?", "what every move is worth"),
    ("h", "a hint: one of the best moves"),
    ("u", "take back your last move; dice fall the same way again"),
    ("p", "this position as text, for probe and for play --from"),
    ("q", "leave the game"),
    ("help", "this list (where a move has the name of a command: :u, :q, …)"),
)
_WORDS = {"undo": "u", "quit": "q", "exit": "q", "hint": "h", "position": "p", "values": "?"}
"""Other words for commands."""
SIDES = "each player sees the board from their own side: a move is told as its player sees it"
_REPEATS = 3
"""Without chance, perfect play against itself ends when a position comes up so often."""
_LONGEST = 100_000
_SEEDS = 1_000_000
PERFECT = "perfect"


def _read(prompt: str) -> str:
    """A line from stdin, shown if nobody has seen it typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        render.say(line)
    return line


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
    against: str = PERFECT
    """How the others play: see answer/faces/opponents.py."""
    policies: Mapping[str, Policy] = field(default_factory=dict)
    own_dice: bool = False
    """Whether the person throws, and says what came up."""

    def __post_init__(self) -> None:
        given = self.seed is not None
        self._seed = (
            self.seed if self.seed is not None else random.SystemRandom().randrange(_SEEDS)
        )
        self._seen: Counter[Any] = Counter()
        self._tells_seed = not given and not self.own_dice

    def play(self, p: Any) -> None:
        """Play from `p` to the end, or until the person leaves."""
        now = Moment(p, 0, (0,) * self.solution.game.players)
        self._open()
        try:
            while self.solution.to_move(now.position) != OVER:
                self._seen[now.position] += 1
                if self._endless(now):
                    return
                now = self._next(now)
        except (EOFError, Leave):
            self.say("\nleft the game")
            return
        self.say(f"\n{self._shown(now)}")
        self.say(visible(self._result(now)))

    def _open(self) -> None:
        """What to know before the first move."""
        if self.person is not None:
            self.say(HELP)
        if alternate(self.solution.game):
            self.say(SIDES)
        if self._tells_seed and (self.solution.facts.chance or self.against != PERFECT):
            self.say(f"--seed {self._seed} plays this again")

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
        if self.against != PERFECT:
            return self._made(now, self._replied(now), mover)
        best = [move for move in self.solution.moves(now.position) if move.best]
        fresh = (move for move in best if not self._seen[self._child(now, move)])
        return self._made(now, next(fresh, best[0]), mover)

    def _mover(self, now: Moment, player: int) -> int:
        """Who moves. In alternate play positions do not say: the turns do."""
        return now.ply % 2 if alternate(self.solution.game) else player

    def _replied(self, now: Moment) -> MoveAnalysis:
        """What an opponent who is not perfect does."""
        roll = dice(self._seed, now.ply)
        number = reply(self.solution, now.position, self.against, roll, self.policies)
        return self._listed(now)[number]

    def _listed(self, now: Moment) -> list[MoveAnalysis]:
        """All moves, in the order of the rules."""
        moves = {move.move: move for move in self.solution.moves(now.position)}
        return [moves[m] for m in self.solution.game.moves(now.position)]

    @cached_property
    def _boards(self) -> BoardTexts:
        return BoardTexts(self.solution.game)

    def _shown(self, now: Moment) -> str:
        """The position as a board or as text, and from whose side it is seen if that changes."""
        game = self.solution.game
        board = self._boards.lines(now.position)
        shown = "\n".join(map(visible, board)) or visible(game.text(now.position))
        if not alternate(game):
            return shown
        between = "\n" if board else "  "
        return f"{shown}{between}(as {visible(game.player_name(now.ply % 2))} sees it)"

    def _child(self, now: Moment, move: MoveAnalysis) -> Any:
        return self.solution.game.play(now.position, move.move)

    def _roll(self, now: Moment) -> Moment:
        events = self.solution.events(now.position)
        if self.own_dice and len(events) > 1:
            return self._thrown(now, events)
        child = list(events)[throw(events, dice(self._seed, now.ply))]
        self.say(f"chance: {visible(self.solution.game.text(child))}")
        return Moment(child, now.ply + 1, now.earned)

    def _thrown(self, now: Moment, events: Mapping[Any, Any]) -> Moment:
        """What the person says that chance did."""
        names = [self.solution.game.text(q) for q in events]
        self.say(f"\n{self._shown(now)}")
        for number, (name, chance) in enumerate(zip(names, events.values(), strict=True), 1):
            self.say(visible(f"{number}: {name} ({chance})"))
        while True:
            typed = self.ask("what comes up? > ").strip()
            places = [str(number) for number in range(1, len(names) + 1)]
            if typed in places or typed in names:
                found = names.index(typed) if typed in names else int(typed) - 1
                return Moment(list(events)[found], now.ply + 1, now.earned)
            back = self._commanded(typed, now, None)
            if back is not None:
                return back
            if typed and self._command(typed) is None:
                self.say(visible(f"{typed!r} is none of these: type a number from the list"))

    def _both(self, now: Moment) -> Moment:
        """Both players choose at once: perfect play draws from a mixture, the person decides
        without seeing it."""
        game, p = self.solution.game, now.position
        found = mixed_choices(self.solution, p)
        assert found is not None
        roles = [PERSON if i == self.person else self.against for i in (0, 1)]
        drawn = pair_number(self.solution, p, roles, dice(self._seed, now.ply))
        numbers = [*divmod(drawn, len(found.moves[1]))]
        if self.person is not None:
            own = self._choose(now, self.person)
            if isinstance(own, Moment):
                return own
            numbers[self.person] = own
        pair = found.moves[0][numbers[0]], found.moves[1][numbers[1]]
        made = (f"{game.player_name(i)} plays {game.move_text(p, pair[i])}" for i in (0, 1))
        self.say(visible(", ".join(made)))
        return self._after(now, pair, 0)

    def _choose(self, now: Moment, player: int) -> int | Moment:
        """The number of the person's choice; a moment if something was taken back."""
        listed = self.solution.choices(now.position)[player]
        made = self._typed(now, player, listed, "choices", partial(self._mixture, listed))
        return made if isinstance(made, Moment) else listed.index(made)

    def _mixture(self, listed: Sequence[ChoiceAnalysis], command: str) -> None:
        """What choices are worth, and how probable they are in an optimal mixture; as a hint,
        those that it makes."""
        for each in listed:
            if each.probability or command != "h":
                share = share_text(each.probability)
                self.say(visible(f"{each.text}  {each.value}  with probability {share}"))

    def _made(self, now: Moment, move: MoveAnalysis, mover: int) -> Moment:
        """The moment after a move, which is shown."""
        game = self.solution.game
        name = game.player_name(mover)
        worth = f" ({move.value})" if self.hints or self.person is None else ""
        side = self.person not in (None, mover) and alternate(game)
        seen = f", as {name} sees it" if side else ""
        self.say(visible(f"{name} plays {move.text}{seen}{worth}"))
        return self._after(now, move.move, mover)

    def _after(self, now: Moment, m: Any, mover: int) -> Moment:
        """The moment after a move, or after a pair of choices, with what it earns."""
        game = self.solution.game
        earned = gains(game.reward(now.position, m), mover, game.players)
        if mover and alternate(game) and isinstance(game.reward(now.position, m), tuple):
            earned = earned[::-1]  # rules see the board from the mover's side
        total = tuple(a + b for a, b in zip(now.earned, earned, strict=True))
        return Moment(game.play(now.position, m), now.ply + 1, total)

    # -- The person. ------------------------------------------------------------------------------

    def _person(self, now: Moment, mover: int) -> Moment:
        listed = self._listed(now)
        move = self._typed(now, mover, listed, "moves", partial(self._values, now, listed))
        if isinstance(move, Moment):
            return move
        if self.hints and not move.best:
            self.say(f"that loses {render.lost(move.loss, move.change, best=False)}")
        return self._made(now, move, mover)

    def _typed(
        self,
        now: Moment,
        player: int,
        listed: Sequence[Move],
        what: str,
        values: Callable[[str], None],
    ) -> Move | Moment:
        """The move that the person types; a moment if something was taken back. `values` says
        what moves are worth, all of them or, for the command h, a hint."""
        self.say(f"\n{self._shown(now)}")
        if self.hints:
            values("?")
        else:
            self.say(visible(f"{what}: {named(listed)}"))
        while True:
            typed = self.ask(f"{visible(self.solution.game.player_name(player))}> ").strip()
            move = chosen(typed, listed)
            if move is not None:
                self.past.append(now)
                return move
            back = self._commanded(typed, now, values)
            if back is not None:
                return back
            if typed and self._command(typed) is None:
                self.say(visible(f"{typed!r} is not a legal move; legal: {named(listed)}"))
                self.say(HELP)

    @staticmethod
    def _command(typed: str) -> str | None:
        """The command that was typed, with or without a colon; None if it is none."""
        word = typed.removeprefix(":").lower()
        word = _WORDS.get(word, word)
        return word if word in dict(COMMANDS) else None

    def _commanded(
        self, typed: str, now: Moment, values: Callable[[str], None] | None
    ) -> Moment | None:
        """Do what a command says; the moment to go back to, if it takes a move back."""
        command = self._command(typed)
        if command == "q":
            raise Leave
        if command == "u":
            self.say("taken back" if self.past else "there is nothing to take back")
            return self.past.pop() if self.past else None
        if command == "help":
            for name, words in COMMANDS:
                self.say(f"{name:4}  {words}")
        elif command == "p":
            self.say(visible(self.solution.game.text(now.position)))
        elif command and values is not None:
            values(command)
        elif command:
            self.say("nobody moves here")
        return None

    def _values(self, now: Moment, listed: list[MoveAnalysis], command: str) -> None:
        """What moves are worth, best first, each with its number in the list; as a hint, the first
        of them."""
        best = self.solution.moves(now.position)
        moves = best[:1] if command == "h" else best
        counted = numbered(listed)
        places = {each.move: f"{i}: " if counted else "" for i, each in enumerate(listed, 1)}
        names = [visible(places[move.move] + move.text) for move in moves]
        width = max(map(len, names))
        for move, name in zip(moves, names, strict=True):
            worse = render.lost(move.loss, move.change, best=move.best)
            mark = "*" if move.best else " "
            self.say(
                f"{mark} {name:{width}}  {move.value}" + (f"  loses {worse}" if worse else "")
            )

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
        if self._won(values):
            return f"{game.player_name([int(value.lower) for value in values].index(1))} wins"
        ends = [_sum(value.lower, now.earned[i]) for i, value in enumerate(values)]
        return ", ".join(f"{game.player_name(i)}: {end}" for i, end in enumerate(ends))

    def _won(self, values: tuple[Value, ...]) -> bool:
        """Whether one player has 1 and all others 0, in a game in which that is to win."""
        shares = sorted(value.lower for value in values)
        wins = self.solution.facts.chance and not self.solution.facts.rewards
        return wins and len(shares) > 1 and shares == [0] * (len(shares) - 1) + [1]


def _sum(number: Any, earned: int) -> str:
    total = number + earned
    return str(int(total)) if total == int(total) else f"{float(total):.6g}"
