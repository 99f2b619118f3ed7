"""Measured: what can be asked of one value alone, each answer computed when it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.sums.depth import deep

if TYPE_CHECKING:
    from perfectplay.schemas.sums import OutcomeClass
    from perfectplay.sums.canonical_form import Short
    from perfectplay.sums.plain import Plain, Real
    from perfectplay.sums.thermograph import Thermograph

OUTCOME_CLASS: dict[tuple[bool, bool], OutcomeClass] = {
    (True, True): "N",
    (True, False): "L",
    (False, True): "R",
    (False, False): "P",
}
"""Who wins, by whether Left and whether Right does who begins."""


class Measured(Rich):
    """Kinds, measures and text of a value; base of `Short`."""

    __slots__ = ()

    _plain: Plain | None
    _ls: Real
    _rs: Real

    # -- Kinds. ---

    def confused(self, other: Short | int | Fraction) -> bool:
        """Whether neither value is at most the other: who begins wins the difference."""
        return not self <= other and not self >= other  # type: ignore[operator]

    @property
    def outcome(self) -> str:
        """Who wins: L or R, that player whoever begins; N, who moves next; P, who moved last."""
        return OUTCOME_CLASS[not self <= 0, not self >= 0]  # type: ignore[operator]

    @property
    def is_number(self) -> bool:
        """Whether this is a number."""
        return self._plain is not None and not self._plain[2] and not self._plain[3]

    @property
    def is_integer(self) -> bool:
        """Whether this is a whole number."""
        return self.is_number and self._ls == self._ls // 1

    @property
    def is_nimber(self) -> bool:
        """Whether this is a heap of Nim; zero is one."""
        return self._plain is not None and not self._plain[0] and not self._plain[2]

    @property
    def is_infinitesimal(self) -> bool:
        """Whether this lies between all negative and all positive numbers."""
        return self._ls == 0 == self._rs

    @property
    def is_all_small(self) -> bool:
        """Whether at every point of play both players can move or neither can."""
        from perfectplay.sums.measures import is_all_small

        return deep(is_all_small, self)

    @property
    def number(self) -> Fraction:
        """This number as a fraction; UsageError for other values."""
        if not self.is_number or self._plain is None:
            raise UsageError(f"{self} is no number", "ask for its mean or its stops")
        return Fraction(self._plain[0], 1 << self._plain[1])

    @property
    def nim(self) -> int:
        """The size of this heap of Nim; UsageError for other values."""
        if not self.is_nimber or self._plain is None:
            raise UsageError(f"{self} is no nimber", "only impartial positions have nimbers")
        return self._plain[3]

    # -- Measures. ---

    @property
    def left_stop(self) -> Fraction:
        """The number that is reached if Left begins and both play it out as best they can."""
        return Fraction(self._ls)

    @property
    def right_stop(self) -> Fraction:
        """The number that is reached if Right begins and both play it out as best they can."""
        return Fraction(self._rs)

    @property
    def birthday(self) -> int:
        """The most moves that play can last in this form."""
        from perfectplay.sums.measures import birthday

        return deep(birthday, self)

    @property
    def mean(self) -> Fraction:
        """What one of many copies of this value is worth."""
        return self.thermograph().mean

    @property
    def temperature(self) -> Fraction:
        """The price at which nobody wants to move any more; -1 for whole numbers."""
        return self.thermograph().temperature

    def thermograph(self) -> Thermograph:
        """What this value is worth to Left and to Right as moves cost more."""
        from perfectplay.sums.thermograph import thermograph

        return deep(thermograph, self)

    def reduced(self) -> Short:
        """The reduced canonical form: the simplest value that differs by an infinitesimal."""
        from perfectplay.sums.measures import reduced

        return deep(reduced, self)

    def atomic_weight(self) -> Short:
        """How many ups this all-small value is worth in a large sum; UsageError for others."""
        from perfectplay.sums.measures import atomic_weight

        return deep(atomic_weight, self)

    # -- Products. ---

    def ordinal_sum(self, other: Short | int | Fraction) -> Short:
        """`other` on top of this canonical form: a move below takes away all above it."""
        from perfectplay.sums.products import ordinal_sum

        return deep(ordinal_sum, self, other)

    def norton(self, unit: Short | int | Fraction) -> Short:
        """The Norton product of this value and a positive `unit`."""
        from perfectplay.sums.products import norton

        return deep(norton, self, unit)

    def heated(self, by: Short | int | Fraction) -> Short:
        """This value heated: every move earns the mover `by`; numbers stay as they are."""
        from perfectplay.sums.products import heated

        return deep(heated, self, by)

    def cooled(self, by: int | Fraction) -> Short:
        """This value cooled by a number: every move costs the mover `by`, until it is a number."""
        from perfectplay.sums.products import cooled

        return deep(cooled, self, Fraction(by))

    # -- Text. ---

    def __str__(self) -> str:
        from perfectplay.sums.notation import show

        return deep(show, self)

    def __repr__(self) -> str:
        return f"<Short {self}>"

    def display(self) -> Display:
        """The value and its thermograph."""
        return Display(str(self), svg=self.thermograph().picture(str(self)))

    def __reduce__(self) -> tuple[Callable[[str], Short], tuple[str]]:
        from perfectplay.sums.notation import parse

        return parse, (str(self),)
