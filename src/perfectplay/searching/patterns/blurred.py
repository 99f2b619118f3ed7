"""A puzzle of which some things are forgotten: one abstraction as a game of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from perfectplay.rules.game import OVER, Game


@dataclass(frozen=True)
class Blurred(Game):
    """The blurred positions of abstraction `k`, from `first` on, with costs that count in it."""

    rules: Any
    """The puzzle, with abstractions."""
    k: int
    group: int
    """The group of abstraction `k`, -1 for none."""
    first: Any
    """Where play begins, blurred."""

    players = 1
    minimise = True

    @property
    def native(self) -> bool:  # type: ignore[override]
        """As the puzzle is."""
        return bool(self.rules.native)

    def start(self) -> Any:
        return self.first

    def to_move(self, p: Any) -> int:
        for goal in self.rules.goals():
            if self.rules.blur(goal, self.k) == p:
                return OVER
        return 0

    def moves(self, p: Any) -> Iterator[Any]:
        for m in self.rules.moves(p):  # noqa: UP028 - compiled rules know no other way
            yield m

    def play(self, p: Any, m: Any) -> Any:
        return self.rules.blur(self.rules.play(p, m), self.k)

    def reward(self, p: Any, m: Any) -> int:
        if self.group >= 0 and self.rules.counts_in(p, m, self.group) != self.k:
            return 0
        return int(self.rules.reward(p, m))

    def payoff(self, p: Any) -> int:
        return 0
