"""Matrix games, sums of games, heaps and Grundy values."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

OutcomeClass = Literal["L", "R", "N", "P"]
"""Who wins a sum: Left, Right, the next player or the previous one."""


class EquilibriumJson(TypedDict):
    """What a matrix game is worth, and optimal play."""

    value: str
    """what the game is worth to the row player: a fraction as text"""
    decimal: float | None
    """the nearest float; null if larger than any"""
    rows: list[str]
    """an optimal mixed strategy of the row player: a fraction as text for each row"""
    columns: list[str]
    """the same for the column player"""
    max_min: str
    """the value if the row player chooses first and is seen"""
    min_max: str
    """the value if the column player chooses first and is seen"""
    first_row: int
    """the number of the row to choose if it is seen, from 0"""
    first_column: int
    """the same for the column player"""
    average: str
    """of all cells"""
    least: str
    """the least cell"""
    most: str
    """the largest cell"""
    all_rows: NotRequired[list[list[str]]]
    """with `--all`: all extreme optimal mixed strategies of the row player"""
    all_columns: NotRequired[list[list[str]]]
    """the same for the column player"""


class NashJson(EquilibriumJson):
    """What `nash` prints: an equilibrium, and where the matrix is from."""

    file: str
    """the matrix: a file, a game or a table"""
    row_names: list[str]
    """as the file gives them, or numbers"""
    column_names: list[str]
    """the same for columns"""


class PlacedJson(TypedDict):
    """What `nash --search` prints: bounds on what hidden choices are worth."""

    file: str
    """the game"""
    exact: str | None
    """what the game is worth to player 1: a fraction as text; null if that is open"""
    lower: str
    """it is at least so much, which is proved: a fraction as text"""
    upper: str
    """it is at most so much"""
    secures: dict[str, str]
    """choices of player 1 that secure `lower`, and their probabilities as text"""
    holds: dict[str, str]
    """choices of player 2 that give no more than `upper`"""
    cells: int
    """different pairs of choices, up to symmetry"""
    searched: int
    """how many of them were searched"""


# -- Sums. ----------------------------------------------------------------------------------------


class SummandJson(TypedDict):
    """A summand."""

    text: str
    """as it was given"""
    value: str
    """its value as text"""


class SumMoveJson(TypedDict):
    """A move in one of the summands."""

    part: int
    """the number of the summand, from 0"""
    move: str
    """as text"""
    value: str
    """of the summand after it"""
    wins: bool
    """whether it wins"""
    best: bool
    """whether it is best in every sum"""


class SumMovesJson(TypedDict):
    """The moves of both players."""

    left: list[SumMoveJson]
    """of Left"""
    right: list[SumMoveJson]
    """of Right"""


class SumJson(TypedDict):
    """The value of a sum of games."""

    parts: list[SummandJson]
    """the summands"""
    canonical: bool
    """whether `value` is the canonical form; if not, that is too large, and `value` is what has
    not cancelled"""
    value: str
    """the value of the sum as text, such as `"1/2^*"` or `"2/3 + 1/ω"`"""
    outcome: OutcomeClass
    """`"L"`, `"R"`, `"N"` or `"P"`: Left, Right, the next player or the previous player wins"""
    left_stop: NotRequired[str]
    """the number reached if Left begins; absent if `value` is too large"""
    right_stop: NotRequired[str]
    """the number reached if Right begins; absent if `value` is too large"""
    mean: str
    """a number as text"""
    temperature: NotRequired[str]
    """a number as text; absent for infinite strings alone"""
    moves: SumMovesJson
    """of `left` and of `right`"""


# -- Heaps. ---------------------------------------------------------------------------------------


class PeriodJson(TypedDict):
    """The pattern that Grundy values follow."""

    length: int
    """of the period; 0: none"""
    saltus: int
    """what is added in each period"""
    start: int
    """the first heap of the pattern"""
    proved: bool
    """whether it holds for all heaps"""
    reason: str
    """why, in words"""
    checked: int
    """how many heaps were computed"""
    pattern: list[int]
    """the values of one period"""
    exceptions: list[list[int]]
    """pairs of heap and value"""


class SparseSpaceJson(TypedDict):
    """Values that are rare, in a game without a period."""

    mask: int
    """the binary places"""
    rare: list[int]
    """the heaps with an even number of ones there"""
    checked: int
    """among so many heaps"""


class HeapPositionJson(TypedDict):
    """Who wins from some heaps."""

    heaps: list[int]
    """the heaps"""
    values: NotRequired[list[int]]
    """the Grundy value of each; absent with `--misere`"""
    value: NotRequired[int]
    """the Grundy value of all together; absent with `--misere`"""
    wins: bool
    """whether the player who begins wins"""
    winning_moves: list[str]
    """and by which moves"""


class QuotientPeriodJson(TypedDict):
    """The period of a misère quotient."""

    length: int
    """of the period"""
    start: int
    """the first heap of the pattern"""


class QuotientJson(TypedDict):
    """A misère quotient."""

    heaps: int
    """proved up to this heap"""
    classes: int
    """how many classes there are"""
    lost: int
    """how many of them are lost"""
    period: QuotientPeriodJson | None
    """`length` and `start`, or null"""
    reason: str
    """why it ends; empty if it does not"""
    names: list[str]
    """of the classes of heaps 0, 1, …"""
    lost_heaps: list[int]
    """single heaps that are lost"""


class HeapsJson(TypedDict):
    """Grundy values of heaps, or a misère quotient."""

    code: str
    """the code of the game, in its shortest form"""
    values: NotRequired[list[int]]
    """Grundy values of heaps 0, 1, …; absent with `--misere`"""
    period: NotRequired[PeriodJson]
    """the pattern of the values; absent with `--misere`"""
    sparse_space: NotRequired[SparseSpaceJson]
    """without a period"""
    position: NotRequired[HeapPositionJson]
    """with `--position`"""
    quotient: NotRequired[QuotientJson]
    """with `--misere`, instead of `values` and `period`"""


class GrundyJson(TypedDict):
    """The Grundy value of a position."""

    position: str
    """as text"""
    value: int
    """its Grundy value"""
    wins: bool
    """whether the player who begins wins"""
    winning_moves: list[str]
    """and by which moves"""
    positions: int
    """how many were examined"""
    counts: list[list[int]]
    """pairs of a Grundy value and the number of positions that have it"""
