"""Named fields: what is put in comes out, and neighbours stay as they are."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay import Game, solve
from perfectplay.rules.packing import Field, at, fields, get, put

LOW, MIDDLE, HIGH = fields(3, 20, 7)
PART = MIDDLE.each(5)


def test_fields_lie_side_by_side() -> None:
    assert (LOW, MIDDLE, HIGH, PART) == ((0, 3), (3, 20), (23, 7), (3, 5))


def test_what_is_put_in_comes_out_and_nothing_else_changes() -> None:
    chance = random.Random(1)
    for _ in range(500):
        p, i, number = chance.getrandbits(30), chance.randrange(4), chance.randrange(32)
        q = put(p, PART, number, i)
        assert get(q, PART, i) == number
        assert all(get(q, PART, k) == get(p, PART, k) for k in range(4) if k != i)
        assert (get(q, LOW), get(q, HIGH)) == (get(p, LOW), get(p, HIGH))
        assert q == p - at(PART, get(p, PART, i), i) + at(PART, number, i)


@dataclass(frozen=True)
class Countdown(Game):
    """Take 1 or 2 from one of two heaps; sizes of fields follow from a parameter."""

    most: int = 5
    native = True

    @property
    def heap(self) -> Field:
        return Field(0, self.most.bit_length())

    def start(self) -> int:
        return at(self.heap, self.most) | at(self.heap, self.most - 1, 1)

    def moves(self, p: int) -> Iterator[int]:
        for i in range(2):
            for take in range(1, min(2, get(p, self.heap, i)) + 1):
                yield put(p, self.heap, get(p, self.heap, i) - take, i)

    def play(self, p: int, m: int) -> int:
        return m


def test_fields_that_depend_on_parameters_compile() -> None:
    solution = solve(Countdown())
    plain = solve(Countdown(), plain=True)
    assert solution.report["positions"] == plain.report["positions"] == 30
    assert str(solution.value(solution.start)) == str(plain.value(plain.start))
