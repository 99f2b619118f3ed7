"""Who Wants to Be a Millionaire: answer, or walk away with what has been won.

Right answers climb the `ladder` of amounts. Before each question the player may walk away with the
amount reached. A wrong answer ends the game too, with the highest amount of `safe` that has been
reached, or with nothing. Question i is answered right with chance right[i] / (right[i] +
wrong[i]); where one number is given, it holds for all questions. Or `percent` is the chance of
each.

The player has `lifelines` lifelines, and may use one of them on a question. It multiplies the odds
of a right answer by `odds`. The default of 3 is "fifty-fifty": of three wrong answers, which look
equally likely, two are taken away. Amounts may also be utilities: what money is worth to a player.

Rump 2001 treats the game; the chances are ours.

Check: without lifelines, and when answers are right half of the time, the game is worth 46625/512,
just above 91. A pure guesser (right=1, wrong=3) guesses right every second time with a lifeline.

A position is one integer: eight bits for the questions answered right, eight for the lifelines
left, three for what happens now (see the names below), then the amount that was won.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.decisions.weakest_link import check_percent
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

RIGHT, LIFELINES, PHASE, WON = fields(8, 8, 3, 30)
"""Questions answered right, lifelines left, what happens now, the amount won."""
CHOICE, ASKED, HELPED, ENDED = 0, 1, 2, 3
WALK, ANSWER, LIFELINE = 0, 1, 2
LARGEST = 1_000_000_000
LONGEST = 200
AMOUNTS = (
    *(100, 200, 300, 500, 1000, 2000, 4000, 8000, 16000, 32000),
    *(64000, 125000, 250000, 500000, 1000000),
)


def over(won: int) -> int:
    """Play has ended with this amount."""
    return at(PHASE, ENDED) | at(WON, won)


@dataclass(frozen=True)
class Millionaire(Charted, Game):
    """Climb `ladder`; a wrong answer falls back to the highest of the `safe` amounts reached."""

    ladder: tuple[int, ...] = AMOUNTS
    safe: tuple[int, ...] = (1000, 32000)
    right: tuple[int, ...] = (1,)
    wrong: tuple[int, ...] = (1,)
    lifelines: int = 0
    odds: int = 3
    percent: int = 0

    players = 1
    native = True

    def __post_init__(self) -> None:
        steps = len(self.ladder)
        rising = all(a < b for a, b in zip((0, *self.ladder), self.ladder, strict=False))
        if not rising or not 1 <= steps <= LONGEST or self.ladder[-1] > LARGEST:
            raise UsageError(
                f"these amounts make no ladder: {self.ladder}",
                f"give up to {LONGEST} rising amounts, from 1 to {LARGEST}",
            )
        if not set(self.safe) <= set(self.ladder):
            raise UsageError(
                f"not all of {self.safe} are amounts of the ladder", "safe amounts are among them"
            )
        for weights in (self.right, self.wrong):
            if len(weights) not in (1, steps) or not all(1 <= w <= LARGEST for w in weights):
                raise UsageError(
                    f"these are no weights of answers: {weights}",
                    f"give one number from 1 to {LARGEST}, or {steps} of them",
                )
        check_percent(self.percent, alone=self.right == self.wrong == (1,))
        if not 0 <= self.lifelines <= LONGEST or not 1 <= self.odds <= 1000:
            raise UsageError(
                f"no {self.lifelines} lifelines that multiply the odds by {self.odds}",
                f"use 0 to {LONGEST} lifelines and odds from 1 to 1000",
            )

    @cached_property
    def table(self) -> tuple[tuple[int, ...], ...]:
        """By questions answered: the amount reached, the safe amount, weights of the answers."""
        rows = []
        for done in range(len(self.ladder) + 1):
            reached = self.ladder[:done]
            right = self.right[min(done, len(self.right) - 1)]
            wrong = self.wrong[min(done, len(self.wrong) - 1)]
            if self.percent:
                right, wrong = self.percent, 100 - self.percent
            fallback = max((a for a in self.safe if a in reached), default=0)
            rows.append((reached[-1] if reached else 0, fallback, right, wrong))
        return tuple(rows)

    def start(self) -> int:
        return at(LIFELINES, self.lifelines)

    def to_move(self, p: int) -> int:
        now = get(p, PHASE)
        if now == CHOICE:
            return 0
        return OVER if now == ENDED else CHANCE

    def moves(self, p: int) -> Iterator[int]:
        yield ANSWER
        if get(p, LIFELINES) > 0:
            yield LIFELINE
        yield WALK

    def play(self, p: int, m: int) -> int:
        if m == WALK:
            return over(self.table[get(p, RIGHT)][0])
        if m == LIFELINE:
            return put(p, PHASE, HELPED) - at(LIFELINES, 1)
        return put(p, PHASE, ASKED)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        done = get(p, RIGHT)
        right, wrong = self.table[done][2], self.table[done][3]
        if get(p, PHASE) == HELPED:
            right *= self.odds
        if done + 1 == len(self.ladder):
            yield right, over(self.table[done + 1][0])
        else:
            yield right, at(RIGHT, done + 1) | at(LIFELINES, get(p, LIFELINES))
        yield wrong, over(self.table[done][1])

    def payoff(self, p: int) -> int:
        return get(p, WON)

    def stratum(self, p: int) -> int:
        return 0 if get(p, PHASE) == ENDED else len(self.ladder) - get(p, RIGHT)

    def text(self, p: int) -> str:
        if get(p, PHASE) == ENDED:
            return f"won {get(p, WON)}"
        now = ("", ", asked", ", asked with a lifeline")[get(p, PHASE)]
        return f"right {get(p, RIGHT)}, lifelines {get(p, LIFELINES)}{now}"

    def parse(self, s: str) -> int:
        form = r"\s*right (\d+),\s*lifelines (\d+)(,\s*asked)?( with a lifeline)?\s*"
        ended, found = re.fullmatch(r"\s*won (\d+)\s*", s), re.fullmatch(form, s)
        if ended and int(ended[1]) in (0, *self.ladder):
            return over(int(ended[1]))
        if not found or (found[4] and not found[3]):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        done, lines = int(found[1]), int(found[2])
        used = 1 if found[4] else 0
        if done >= len(self.ladder) or lines + used > self.lifelines:
            raise ValueError(f"{s!r}: {len(self.ladder)} questions, {self.lifelines} lifelines")
        now = HELPED if used else ASKED if found[3] else CHOICE
        return at(RIGHT, done) | at(LIFELINES, lines) | at(PHASE, now)

    def move_text(self, p: int, m: int) -> str:
        return ("walk away", "answer", "lifeline")[m]

    def chart(self) -> Chart:
        axes = {
            "questions answered": range(len(self.ladder)),
            "lifelines": range(self.lifelines + 1),
        }
        return Chart(axes, lambda done, lines: at(RIGHT, done) | at(LIFELINES, lines))

    def picture(self, p: int) -> str:
        number, ended, parts = len(self.ladder), get(p, PHASE) == ENDED, []
        here = -1 if ended else get(p, RIGHT) - 1
        for i, amount in enumerate(self.ladder):
            y = 20 * (number - 1 - i)
            held = amount == get(p, WON) if ended else i == here
            colour = svg.COLOURS[1] if held else svg.SHADE if i < here else svg.FIELD
            parts.append(svg.box(0, y, 90, 17, colour))
            ink = svg.COLOURS[5] if amount in self.safe else svg.INK
            parts.append(svg.text(45, y + 8.5, amount, 12, ink))
        lines = [f"won {get(p, WON)}"]
        if not ended:
            lines = [f"question {get(p, RIGHT) + 1}", f"{get(p, LIFELINES)} lifelines left"]
            lines += ["", "being answered", "with a lifeline"][get(p, PHASE) : get(p, PHASE) + 1]
        parts += [svg.note(106, 10 + 22 * i, words) for i, words in enumerate(lines)]
        return svg.svg(220, max(20 * number, 66), parts)
