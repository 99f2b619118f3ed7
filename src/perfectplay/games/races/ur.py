"""The royal game of Ur: bring pieces over a board of twenty squares, and send back the other's.

Each player has `pieces` pieces (seven in the full game) and a path of fourteen squares. The first
four and the last two are their own, squares 5 to 12 in the middle row are common. They throw
`dice` dice that show 0 or 1 and move one piece by the sum, or enter one that waits; home is just
beyond square 14. Nobody may move to a square with a piece of their own. A piece that moves to a
square with a piece of the other sends that back to wait. Squares 4, 8 and 14 are rosettes: who
moves to one throws again (unless `again` is false), and a piece on the common one cannot be sent
back (unless `safe` is false). Players must move if they can; if not, their turn is over. Who has
all pieces home wins. These are Finkel's rules.

     4* 3  2  1       14* 13      player 1 along the upper row, player 2 along the lower one
     5  6  7  8* 9 10 11  12      the common row
     4* 3  2  1       14* 13      * rosettes

Check: with one piece each, whoever begins wins with probability 0.530049839525, with two pieces
with 0.518572907496.

Positions are written as in chase.py.
"""

from dataclasses import dataclass

from perfectplay.errors import UsageError
from perfectplay.games.races.chase import Chase

SQUARES = 14
COMMON = 8
"""The rosette in the middle row."""


@dataclass(frozen=True)
class Ur(Chase):
    """The royal game of Ur, with few pieces."""

    pieces: int = 1
    dice: int = 4
    safe: bool = True
    again: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.pieces <= 7 or not 1 <= self.dice <= 8:
            raise UsageError(
                f"no game with {self.pieces} pieces and {self.dice} dice",
                "use 1 to 7 pieces and 1 to 8 dice",
            )

    def squares(self) -> int:
        return SQUARES

    def highest(self) -> int:
        return self.dice

    def weight(self, roll: int) -> int:
        ways = 1
        for i in range(roll):
            ways = ways * (self.dice - i) // (i + 1)
        return ways

    def reached(self, square: int, roll: int) -> int:
        return square + roll if square + roll <= SQUARES + 1 else 0

    def opposite(self, square: int) -> int:
        return square if 5 <= square <= 12 else 0

    def sheltered(self, square: int) -> bool:
        return self.safe and square == COMMON

    def repeats(self, square: int, roll: int) -> bool:
        return self.again and square in (4, COMMON, 14)

    def place(self, square: int, player: int) -> tuple[float, float]:
        if 5 <= square <= 12:
            return 30 * (square - 5) + 15.0, 45.0
        column = 4 - square if square < 5 else 20 - square
        return 30 * column + 15.0, 15.0 + 60 * player
