"""Functions that only kernels can call: what depends on the types of a game's positions, payoffs
and moves, and on the methods that its rules have. intrinsics.py implements them."""

from typing import Any

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import overloaded_in

overloaded_in("perfectplay.searching.intrinsics")


def position(keys: Ints, i: int, sample: Any) -> Any:
    """The position of row `i`, of the same type as `sample`."""


def write(out: Ints, i: int, value: Any) -> None:
    """Write position `value` to row `i`."""


def numbers_of(payoff: Any) -> Any:
    """A payoff or reward as two numbers, and how many of them there were."""


def limits(rules: Any, p: Any) -> Any:
    """What the rules' `bounds` say of `p`: (least, most, parts); parts = 0 if they say nothing."""


def finite(bound: Any) -> bool:  # type: ignore[empty-body]
    """Whether one of the rules' bounds is a number that says something."""


def parts(found: Any) -> Any:
    """The third of three numbers, 1 if there are two."""


def guessed(rules: Any, p: Any) -> Any:
    """The rules' heuristic value of `p`."""


def unlabelled_key(rules: Any, p: Any) -> Any:
    """What identifies `p` without its labels; 0 if pieces have none."""


def hinted(rules: Any, p: Any, m: Any) -> Any:
    """The rules' hint about move `m`."""
