"""The Weakest Link: a chain of right answers grows more and more valuable; when to bank?

A round has `questions` questions. Each right answer in a row climbs one step of the `chain`; a
wrong answer, or banking, starts the chain anew. Banking moves the money of the chain into the
bank, where it is safe. It is possible only before a question (with `final`, also after the last
one), and the bank holds at most `cap` (0: any amount): what exceeds it is lost, and a full bank
ends the round. On the last step, further right answers bring nothing more. A question is answered
right with chance right / (right + wrong), or `percent` percent. Wanted is the largest expected
bank.

From Thomas 2003, with the amounts of the British programme.

Check: with ten questions and answers that are right half of the time, it is best to bank each
single right answer, and the round is worth 9 * 20 / 2 = 90.

A position is one integer: twenty bits for the bank, ten for the questions left, eight for the
steps of the chain, two for what happens now: a choice, a question that is being answered, the end.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put

MONEY, LEFT, STEPS, PHASE = fields(20, 10, 8, 2)
"""The bank (0 if it has no limit), the questions left, the steps climbed, what happens now."""
CHOICE, ASKED, ENDED = 0, 1, 2
ANSWER, BANK = 0, 1
LARGEST = 1_000_000


def check_percent(percent: int, *, alone: bool) -> None:
    """Refuse a chance that is none, or that is given besides weights."""
    if not 0 <= percent < 100 or (percent and not alone):
        raise UsageError(
            f"no answers are right in {percent} percent",
            "use 1 to 99, and then neither right nor wrong; 0: by weights",
        )


@dataclass(frozen=True)
class WeakestLink(Charted, Game):
    """A round of `questions` questions with the amounts of `chain`, banked up to `cap`."""

    chain: tuple[int, ...] = (20, 50, 100, 200, 300, 450, 600, 800, 1000)
    questions: int = 10
    cap: int = 1000
    right: int = 1
    wrong: int = 1
    final: bool = False
    percent: int = 0

    players = 1
    native = True

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip((0, *self.chain), self.chain, strict=False))
        if not rising or not 1 <= len(self.chain) <= 200 or self.chain[-1] > LARGEST:
            raise UsageError(
                f"these amounts make no chain: {self.chain}",
                f"give up to 200 rising amounts, from 1 to {LARGEST}",
            )
        if not 1 <= self.questions <= 1000 or not 0 <= self.cap <= LARGEST:
            raise UsageError(
                f"no round of {self.questions} questions with a bank of {self.cap}",
                f"use 1 to 1000 questions and a bank of at most {LARGEST}, or 0 for no limit",
            )
        if not 1 <= self.right <= LARGEST or not 1 <= self.wrong <= LARGEST:
            raise UsageError(
                f"no chance of {self.right} to {self.wrong}",
                f"right and wrong answers have weights from 1 to {LARGEST}",
            )
        check_percent(self.percent, alone=(self.right, self.wrong) == (1, 1))

    @property
    def answers(self) -> tuple[int, int]:
        """The weights of a right and of a wrong answer."""
        return (self.percent, 100 - self.percent) if self.percent else (self.right, self.wrong)

    def start(self) -> int:
        return at(LEFT, self.questions)

    def to_move(self, p: int) -> int:
        phase = get(p, PHASE)
        return 0 if phase == CHOICE else CHANCE if phase == ASKED else OVER

    def moves(self, p: int) -> Iterator[int]:
        if get(p, LEFT) > 0:
            yield ANSWER
        if get(p, STEPS) > 0:
            yield BANK

    def play(self, p: int, m: int) -> int:
        if m == ANSWER:
            return put(p, PHASE, ASKED)
        bank = get(p, MONEY) + self.gain(p) if self.cap else 0
        full = bank == self.cap and self.cap > 0
        if full or get(p, LEFT) == 0:
            return self.ended(bank)
        return self.asking(bank, get(p, LEFT), 0)

    def asking(self, bank: int, questions: int, climbed: int) -> int:
        """The choice before a question: how many are left, how many steps are climbed."""
        return at(MONEY, bank) | at(LEFT, questions) | at(STEPS, climbed)

    def gain(self, p: int) -> int:
        """What the chain adds to the bank."""
        amount = self.chain[get(p, STEPS) - 1]
        return min(amount, self.cap - get(p, MONEY)) if self.cap else amount

    def ended(self, bank: int) -> int:
        """The round is over; nothing matters any more but what the bank holds."""
        return at(MONEY, bank) | at(PHASE, ENDED)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        bank, more = get(p, MONEY), get(p, LEFT) - 1
        climbed = min(get(p, STEPS) + 1, len(self.chain))
        on = more > 0 or self.final
        right, wrong = self.answers
        yield right, self.asking(bank, more, climbed) if on else self.ended(bank)
        yield wrong, self.asking(bank, more, 0) if more > 0 else self.ended(bank)

    def reward(self, p: int, m: int) -> int:
        return self.gain(p) if m == BANK else 0

    def payoff(self, p: int) -> int:
        return 0

    def stratum(self, p: int) -> int:
        return -1 if get(p, PHASE) == ENDED else get(p, LEFT)

    def text(self, p: int) -> str:
        bank = f"bank {get(p, MONEY)}" if self.cap else "bank"
        if get(p, PHASE) == ENDED:
            return f"{bank}, over"
        asked = ", asked" if get(p, PHASE) == ASKED else ""
        return f"{bank}, chain {get(p, STEPS)}, questions {get(p, LEFT)}{asked}"

    def parse(self, s: str) -> int:
        form = r"\s*bank(?: (\d+))?\s*,\s*(?:(over)|chain (\d+),\s*questions (\d+)(,\s*asked)?)\s*"
        found = re.fullmatch(form, s)
        if not found or (found[1] is None) != (self.cap == 0) or int(found[1] or 0) > self.cap:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        bank = int(found[1] or 0)
        if found[2]:
            return self.ended(bank)
        climbed, more = int(found[3]), int(found[4])
        if climbed > len(self.chain) or more + climbed > self.questions:
            raise ValueError(f"{s!r}: {self.questions} questions, {len(self.chain)} steps")
        if more == 0 and (found[5] or not self.final or not climbed):
            raise ValueError(f"{s!r}: the round is over")
        if 0 < self.cap <= bank:
            raise ValueError(f"{s!r}: a full bank ends the round")
        return put(self.asking(bank, more, climbed), PHASE, ASKED if found[5] else CHOICE)

    def move_text(self, p: int, m: int) -> str:
        return "bank" if m == BANK else "answer"

    def chart(self) -> Chart:
        axes = {
            "questions left": range(1, self.questions + 1),
            "steps of the chain": range(1, len(self.chain) + 1),
            "bank": range(0, self.cap + 1, math.gcd(*self.chain)),
        }
        return Chart(axes, lambda more, climbed, bank: self.asking(bank, more, climbed))

    def picture(self, p: int) -> str:
        number, parts = len(self.chain), []
        for i, amount in enumerate(self.chain):
            y, done = 26 * (number - 1 - i), i < get(p, STEPS)
            colour = svg.COLOURS[1] if i == get(p, STEPS) - 1 else svg.SHADE if done else svg.FIELD
            parts.append(svg.box(0, y, 90, 22, colour))
            parts.append(svg.text(45, y + 11, amount, 13))
        lines = [f"bank {get(p, MONEY)}"] if self.cap else []
        ended = get(p, PHASE) == ENDED
        lines.append("the round is over" if ended else f"{get(p, LEFT)} questions left")
        lines += ["a question is asked"] if get(p, PHASE) == ASKED else []
        parts += [svg.note(106, 11 + 22 * i, words) for i, words in enumerate(lines)]
        return svg.svg(260, max(26 * number, 66), parts)
