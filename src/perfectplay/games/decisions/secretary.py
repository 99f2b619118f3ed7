"""The secretary problem: candidates come in random order; take one at once or never.

`candidates` candidates, no two equally good, come one by one in random order. The player learns
how each compares with those before, and must take or refuse them before the next one comes. Up to
`choices` of them may be taken. The player wins if one of those taken is among the `best` best of
all. With `rank`, someone must be taken, and the least expected rank (1 is the best) of the best
one taken is wanted; `best` is not used then.

Check: with 100 candidates the best one is found with chance 0.371042778713: let 37 go by, then
take the first who is better than all before. Of three, the best is found half of the time.

A position is one integer of four numbers with ten bits each: how many have come, the rank of the
last one among them (0: refused or taken already), the rank among them of the best one taken
(0: none that could win), and how many may still be taken. Ranks beyond `best` cannot win and are
all `best` + 1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get

CAME, RANK, HELD, CHOICES = fields(10, 10, 10, 10)
"""How many came; the rank of who waits for an answer (0: nobody); the rank of the best one taken,
among those who came (0: nobody); choices left."""
REFUSE, TAKE = 0, 1
LARGEST = 1000


def packed(number: int, rank: int, held: int, choices: int) -> int:
    """A position."""
    return at(CAME, number) | at(RANK, rank) | at(HELD, held) | at(CHOICES, choices)


@dataclass(frozen=True)
class Secretary(Charted, Game):
    """Take one of the `best` best of `candidates` candidates, with `choices` tries."""

    candidates: int = 100
    best: int = 1
    choices: int = 1
    rank: bool = False

    players = 1
    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """A rank is to be small, a chance large."""
        return self.rank

    def __post_init__(self) -> None:
        if not 1 <= self.candidates <= LARGEST:
            raise UsageError(f"no {self.candidates} candidates", f"use 1 to {LARGEST}")
        if not 1 <= self.best <= self.candidates or not 1 <= self.choices <= self.candidates:
            raise UsageError(
                f"best={self.best} and choices={self.choices} of {self.candidates} candidates",
                "both are at least 1 and at most the number of candidates",
            )

    def counted(self) -> int:
        """Ranks up to this are distinguished."""
        return self.candidates if self.rank else self.best

    def start(self) -> int:
        return at(CHOICES, self.choices)

    def to_move(self, p: int) -> int:
        if get(p, RANK):
            return 0
        hopeless = get(p, CHOICES) == 0 and get(p, HELD) == 0
        return OVER if get(p, CAME) == self.candidates or hopeless else CHANCE

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        number, held, choices = get(p, CAME) + 1, get(p, HELD), get(p, CHOICES)
        best = min(number, self.counted())
        for rank in range(1, best + 1):
            yield 1, self.met(number, rank, held, choices)
        if number > best:
            yield number - best, self.met(number, best + 1, held, choices)

    def met(self, number: int, rank: int, held: int, choices: int) -> int:
        """The position when candidate `number` has come and has this rank."""
        if held >= rank:
            held = held + 1 if held < self.counted() else 0
        if choices == 0:
            rank = 0
        return packed(number, rank, held, choices)

    def moves(self, p: int) -> Iterator[int]:
        yield TAKE
        last = get(p, CAME) == self.candidates
        if not (self.rank and last and get(p, HELD) == 0):
            yield REFUSE

    def play(self, p: int, m: int) -> int:
        rank, held, choices = get(p, RANK), get(p, HELD), get(p, CHOICES)
        if m == TAKE:
            choices -= 1
            if rank <= self.counted() and (held == 0 or rank < held):
                held = rank
        return packed(get(p, CAME), 0, held, choices)

    def payoff(self, p: int) -> int:
        held = get(p, HELD)
        return held if self.rank else min(held, 1)

    def stratum(self, p: int) -> int:
        return self.candidates - get(p, CAME)

    def text(self, p: int) -> str:
        waits = f", rank {get(p, RANK)}" if get(p, RANK) else ""
        held = f", taken {get(p, HELD)}" if get(p, HELD) else ""
        return f"{get(p, CAME)} came, choices {get(p, CHOICES)}{waits}{held}"

    def parse(self, s: str) -> int:
        form = r"\s*(\d+) came,\s*choices (\d+)(?:,\s*rank (\d+))?(?:,\s*taken (\d+))?\s*"
        found = re.fullmatch(form, s)
        if not found:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        number, choices, rank, held = (int(word or 0) for word in found.groups())
        if number > self.candidates or choices > self.choices:
            raise ValueError(f"{s!r}: {self.candidates} candidates, {self.choices} choices")
        if rank > min(number, self.counted() + 1) or held > min(number, self.counted()):
            raise ValueError(f"{s!r}: no such rank counts among {number} candidates")
        if (rank and (rank == held or not choices)) or (held and choices == self.choices):
            raise ValueError(f"{s!r}: ranks and choices do not fit together")
        return packed(number, rank, held, choices)

    def move_text(self, p: int, m: int) -> str:
        return "take" if m == TAKE else "refuse"

    def chart(self) -> Chart:
        axes = {
            "candidates so far": range(1, self.candidates + 1),
            "rank of the last": range(1, self.counted() + 1),
            "choices left": range(self.choices, 0, -1),
        }
        return Chart(axes, lambda number, rank, left: packed(number, rank, 0, left))

    def picture(self, p: int) -> str:
        long, high = 260, 118
        done = long * get(p, CAME) / self.candidates
        parts = [svg.box(0, high, long, 14), svg.box(0, high, done, 14, svg.SHADE)]
        lines = [
            f"{get(p, CAME)} of {self.candidates} have come",
            f"{get(p, CHOICES)} choices left",
        ]
        if get(p, RANK):
            rank = get(p, RANK)
            words = f"number {rank}" if rank <= self.counted() else f"below number {rank - 1}"
            lines.append(f"the last one is {words} so far")
        if get(p, HELD):
            lines.append(f"number {get(p, HELD)} so far has been taken")
        parts += [svg.note(0, 12 + 24 * i, words) for i, words in enumerate(lines)]
        return svg.svg(long, high + 24, parts)
