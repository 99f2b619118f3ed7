"""Stores: the values of all positions, by id, while a game is being solved.

Seven stores for six kinds of answer; `new_store` chooses by the facts of the game. Stored numbers
are worth to player 0 of the position's own frame (see strata/graph.py); for a minimiser they are
negated; `Facts` says how to show them. `columns` gives a store's slice as named columns, as they
go into a table, and `values` turns one row of such columns into one `Value` per player.

Games with chance also have a column `move`: the number, in the order of the rules, of a best move
that makes progress (-1: nobody moves). Values alone do not keep a player from going round a cycle
for ever. (With simultaneous moves there is none: a move is drawn from a mixture.)
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from perfectplay.compiled.arrays import Array
from perfectplay.rules.value import Number, Value
from perfectplay.strata.graph import Facts

NONE = -(2**62)
"""Score of a position from which a one-player game cannot be ended: infinitely bad."""


NO_POSITION = NONE - 1
"""In a table by number, in place of a score: no position has the number."""
NO_OUTCOME = 2
"""The same in place of an outcome."""


class Store(Protocol):
    """What all stores can do."""

    def columns(self, low: int, high: int) -> dict[str, Any]:
        """The values of ids low … high - 1 as named columns."""

    def load(self, low: int, columns: dict[str, Any]) -> None:
        """Put columns, as `columns` gave them, back in place."""


@dataclass
class Outcomes:
    """Win, draw, loss, with depth in plies (-1: endless)."""

    value: Array  # int8[N]: 1, 0, -1 to player 0
    depth: Array  # int16[N]

    def columns(self, low: int, high: int) -> dict[str, Any]:
        return {"outcome": self.value[low:high], "depth": self.depth[low:high]}

    def load(self, low: int, columns: dict[str, Any]) -> None:
        high = low + len(columns["outcome"])
        self.value[low:high] = columns["outcome"]
        if columns["depth"].dtype.itemsize > self.depth.dtype.itemsize:
            self.depth = self.depth.astype(columns["depth"].dtype)
        self.depth[low:high] = columns["depth"]


@dataclass
class Scores:
    """Integer scores of games without chance."""

    value: Array  # int64[N]

    def columns(self, low: int, high: int) -> dict[str, Any]:
        return {"score": self.value[low:high]}

    def load(self, low: int, columns: dict[str, Any]) -> None:
        self.value[low : low + len(columns["score"])] = columns["score"]


@dataclass
class NimValues:
    """Nim values of an impartial game."""

    value: Array  # uint16[N], or uint32[N] where there are that many moves

    def columns(self, low: int, high: int) -> dict[str, Any]:
        return {"nim": self.value[low:high]}

    def load(self, low: int, columns: dict[str, Any]) -> None:
        if columns["nim"].dtype.itemsize > self.value.dtype.itemsize:
            self.value = self.value.astype(columns["nim"].dtype)
        self.value[low : low + len(columns["nim"])] = columns["nim"]


@dataclass
class Bounds:
    """Expectations between proved bounds."""

    lower: Array  # float64[N]
    upper: Array  # float64[N]
    move: Array | None = None  # int32[N], see above

    def columns(self, low: int, high: int) -> dict[str, Any]:
        found = {"lower": self.lower[low:high], "upper": self.upper[low:high]}
        return found if self.move is None else {**found, "move": self.move[low:high]}

    def load(self, low: int, columns: dict[str, Any]) -> None:
        high = low + len(columns["lower"])
        self.lower[low:high] = columns["lower"]
        self.upper[low:high] = columns["upper"]
        if self.move is not None:
            self.move[low:high] = columns["move"]


@dataclass
class Vectors:
    """One number per player, in floats that satisfy the equations up to `residual`."""

    value: Array  # float64[N, players]
    residual: float = 0.0

    def columns(self, low: int, high: int) -> dict[str, Any]:
        return {f"value_{i}": self.value[low:high, i] for i in range(self.value.shape[1])}

    def load(self, low: int, columns: dict[str, Any]) -> None:
        for i in range(self.value.shape[1]):
            column = columns[f"value_{i}"]
            self.value[low : low + len(column), i] = column


@dataclass
class Fractions:
    """Exact rationals: for each id a tuple with one number (scalar) or one per player.

    A number is a Fraction, or float -inf where a one-player game cannot be ended."""

    width: int
    value: list[Any] = field(default_factory=list)  # list[tuple[Fraction, ...] | None]
    move: Array | None = None  # int32[N], see above
    memory: dict[str, Any] = field(default_factory=dict, repr=False)
    """What a solver wants to find again when it solves the next stratum."""

    def columns(self, low: int, high: int) -> dict[str, Any]:
        found: dict[str, Any] = {
            f"exact_{i}": [str(numbers[i]) for numbers in self.value[low:high]]
            for i in range(self.width)
        }
        return found if self.move is None else {**found, "move": self.move[low:high]}

    def load(self, low: int, columns: dict[str, Any]) -> None:
        parts = [[read_number(text) for text in columns[f"exact_{i}"]] for i in range(self.width)]
        for k, numbers in enumerate(zip(*parts, strict=True)):
            self.value[low + k] = numbers
        if self.move is not None:
            self.move[low : low + len(columns["move"])] = columns["move"]


@dataclass
class WholeNumbers:
    """Exact rationals as integers over one common denominator for each stratum."""

    top: Array  # int64[N, words], the lowest word first, in two's complement
    lows: list[int] = field(default_factory=list)
    """First id of every stratum that is solved."""
    denominators: list[int] = field(default_factory=list)
    most: Fraction = Fraction(0)
    """No value so far is larger, whatever its sign."""
    below: int = 1
    """A common multiple of the denominators of lower strata that are not in the store."""
    by_parts: bool = False
    """Whether this is a part of a stratum: then a solver keeps the factors that its values share
    with the denominator, and puts into `total` the factor T by which denominators grow."""
    total: int = 1

    def widen(self, words: int) -> None:
        """Make room for so many words."""
        if words > self.top.shape[1]:
            self.top = widened(self.top, words)

    def settled(self, low: int, denominator: int, most: Fraction) -> None:
        """Take note of a solved stratum."""
        self.lows.append(low)
        self.denominators.append(denominator)
        self.most = max(self.most, most)

    def columns(self, low: int, high: int) -> dict[str, Any]:
        """As few words as hold all values of these ids."""
        top = self.top[low:high]
        return narrowed({f"top_{k}": top[:, k] for k in range(top.shape[1])})

    def load(self, low: int, columns: dict[str, Any], denominator: str = "1") -> None:
        words = len(columns)
        self.widen(words)
        top = np.stack([columns[f"top_{k}"] for k in range(words)], axis=1)
        self.top[low : low + len(top)] = widened(top, self.top.shape[1])
        largest = max((abs(x) for x in joined_words(top)), default=0)
        self.settled(low, int(denominator), Fraction(largest, int(denominator)))


def widened(top: Array, words: int) -> Array:
    """Integers with more words: the sign goes into the new ones."""
    out = np.empty((len(top), words), np.int64)
    old = top.shape[1]
    out[:, :old] = top
    out[:, old:] = (top[:, old - 1] >> 63)[:, None]
    return out


def split_words(numbers: list[int], words: int) -> Array:
    """int64[n, words]: integers as words, the lowest first, in two's complement."""
    data = b"".join(number.to_bytes(8 * words, "little", signed=True) for number in numbers)
    return np.frombuffer(data, "<i8").astype(np.int64).reshape(len(numbers), words)


def joined_words(top: Array) -> list[int]:
    """The integers of words, as `split_words` gives them."""
    if top.shape[1] == 1:
        found: list[int] = top[:, 0].tolist()
        return found
    size = 8 * top.shape[1]
    data = np.ascontiguousarray(top, "<i8").tobytes()
    return [
        int.from_bytes(data[i : i + size], "little", signed=True)
        for i in range(0, len(data), size)
    ]


def aligned(pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Columns of several strata, whole numbers with as many words in all of them."""
    names = max((list(columns) for columns in pieces), key=len)
    words = sum(name.startswith("top_") for name in names)
    if not words or all(len(columns) == len(names) for columns in pieces):
        return pieces
    out = []
    for columns in pieces:
        full = dict(columns)
        for k in range(words):
            if f"top_{k}" not in full:
                full[f"top_{k}"] = full[f"top_{k - 1}"] >> 63
        out.append({name: full[name] for name in names})
    return out


def narrowed(columns: dict[str, Any]) -> dict[str, Any]:
    """Columns without words that hold nothing but signs: as `WholeNumbers.columns` gave them."""
    out = dict(columns)
    words = sum(name.startswith("top_") for name in out)
    while words > 1 and (out[f"top_{words - 1}"] == out[f"top_{words - 2}"] >> 63).all():
        words -= 1
        del out[f"top_{words}"]
    return out


def read_number(text: str) -> Fraction | float:
    """The number that `Fractions` wrote as `text`."""
    return float(text) if "inf" in text else Fraction(text)


def new_store(
    facts: Facts, size: int, *, exact: bool = False, whole: bool = False, nim: bool = False
) -> Store:
    """An empty store for `size` positions of a game with these facts; `whole`: exact values fit
    in whole numbers of fixed width (solvers/exact/denominators.py); `nim`: for nim values."""
    if nim:
        return NimValues(np.zeros(size, np.uint16))
    if facts.outcome:
        return Outcomes(np.zeros(size, np.int8), np.full(size, -1, np.int16))
    if facts.scalar and not facts.chance:
        return Scores(np.zeros(size, np.int64))
    if exact and whole:
        return WholeNumbers(np.zeros((size, 1), np.int64))
    moves = facts.scalar and not facts.simultaneous
    move = np.full(size, -1, np.int32) if moves else None
    if exact:
        return Fractions(1 if facts.scalar else facts.players, [None] * size, move)
    if facts.scalar:
        return Bounds(np.zeros(size), np.zeros(size), move)
    return Vectors(np.zeros((size, facts.players)))


def values(facts: Facts, row: dict[str, Any]) -> tuple[Value, ...]:
    """One row of a table as one value per player of the position's frame."""
    if "outcome" in row:
        depth = None if row["depth"] < 0 else int(row["depth"])
        won = int(row["outcome"])
        return Value("outcome", won, won, depth=depth), Value("outcome", -won, -won, depth=depth)
    if "score" in row:
        score = int(row["score"])
        stored: Number = -math.inf if score == NONE else score
        return tuple(
            Value("total" if facts.players == 1 else "score", shown, shown)
            for shown in shown_numbers(facts, stored)[: facts.players]
        )
    if "lower" in row:
        ends = shown_numbers(facts, float(row["lower"])), shown_numbers(facts, float(row["upper"]))
        pairs = [sorted((ends[0][i], ends[1][i])) for i in range(facts.players)]
        return tuple(Value("chance", a, b, "bounds") for a, b in pairs)
    if "value_0" in row:
        floats = [float(row[f"value_{i}"]) for i in range(facts.players)]
        return tuple(Value("chance", v, v, "residual") for v in floats)
    if facts.scalar:
        stored_exact = _whole_number(row) if "top_0" in row else read_number(row["exact_0"])
        shown_all = shown_numbers(facts, stored_exact)
        return tuple(Value("chance", v, v) for v in shown_all[: facts.players])
    exacts = [read_number(row[f"exact_{i}"]) for i in range(facts.players)]
    return tuple(Value("chance", v, v) for v in exacts)


def _whole_number(row: dict[str, Any]) -> Fraction:
    """The number in the words of a row, over the denominator of its stratum."""
    words = [int(row[name]) for name in sorted(row) if name.startswith("top_")]
    top = joined_words(np.array([words], np.int64))[0]
    return Fraction(top, int(row["denominator"]))


def shown_numbers(facts: Facts, stored: Number) -> list[Number]:
    """A stored scalar as the numbers of player 0 and player 1."""
    if facts.minimise:
        return [-stored]
    if facts.players == 1:
        return [stored]
    both: list[Number] = [facts.offset + stored, facts.offset - stored]
    if facts.scale == 1:
        return both
    return [x / facts.scale if isinstance(x, float) else Fraction(x) / facts.scale for x in both]
