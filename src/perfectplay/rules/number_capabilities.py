"""What rules may say of the numbers of their positions (docs/perfect-index.md)."""

from collections.abc import Iterable
from math import prod
from typing import Any

from perfectplay.rules.digits import nth_mixed, rank_mixed


class Indexed:
    """A number for every position, without keys: strata are arrays, and a row of the table is
    found by its number. For compiled rules in which two players take turns, or one plays alone.

    Either `limits`, for positions that are tuples; or `size`, `rank` and `unrank`. Every number
    below the size belongs to a position of that stratum, or is a *hole*: `unrank` gives a position
    that has another number, or `rank` says -1 there. Rules must bear all positions that are no
    holes, also those that no play leads to. Symmetric positions may share a number."""

    indexed: bool = True
    """False, perhaps for some parameters: positions are found one by one, and stored by key."""

    limits: tuple[int, ...] = ()
    """Entry k of a position lies between 0 and limits[k] - 1; for games without strata."""

    end_payoffs: tuple[int, ...] = ()
    """The least and the largest payoff to the player to move where play ends; not written: solving
    looks for them at every position first."""

    def numbered_strata(self) -> Iterable[int]:
        """All strata that positions with numbers may have; those of size 0 do not count."""
        first = self.start()  # type: ignore[attr-defined]
        return range(self.stratum(self.representative(first)) + 1)  # type: ignore[attr-defined]

    def size(self, stratum: int) -> int:
        """How many numbers a stratum has."""
        return prod(self.limits)

    def any_image(self) -> bool:
        """Whether `rank` gives symmetric positions one number, so that it need not be asked for
        the number of their `representative`."""
        return False

    def rank(self, p: Any) -> int:
        """The number of a representative in its stratum."""
        return rank_mixed(p, self.limits)

    def unrank(self, stratum: int, i: int) -> Any:
        """The position with number `i` of a stratum."""
        return nth_mixed(i, self.limits)


class BackwardMoves:
    """Moves backwards, for rules that are `Indexed`: retrograde analysis looks only at positions
    that may have become won or lost."""

    reversible: bool = False
    """One player: every move can be taken back by another one, also where play has ended."""

    def unmoves(self, p: Any) -> Iterable[Any]:
        """Yield all positions of the same stratum from which a move leads to `p`, and perhaps
        others: each is tried forwards."""
        for m in self.moves(p):  # type: ignore[attr-defined]
            yield self.play(p, m)  # type: ignore[attr-defined]


class NumberMoves:
    """Moves from number to number, for rules that are `Indexed`, with two players who win, draw or
    lose: solving then makes positions only to find out where play ends and what lies outside of
    their stratum. Each method must say what `rank`, `moves` and `play` say."""

    number_moves: int = 0
    """How many numbers `steps` and `unsteps` give at most; 0: there are no such methods."""

    def vacant(self, stratum: int, i: int) -> bool:
        """Whether a number is a hole."""
        raise NotImplementedError(f"{type(self).__name__} must define vacant(stratum, i)")

    def steps(self, stratum: int, i: int, out: Any) -> int:
        """Write to the array `out` the numbers of all children in the same stratum, and perhaps of
        holes; how many they are."""
        raise NotImplementedError(f"{type(self).__name__} must define steps(stratum, i, out)")

    def unsteps(self, stratum: int, i: int, out: Any) -> int:
        """Write to `out` the numbers of all positions in the same stratum that have number `i`
        among their children, and perhaps of holes; how many they are."""
        raise NotImplementedError(f"{type(self).__name__} must define unsteps(stratum, i, out)")

    def exits(self, p: Any) -> Iterable[Any]:
        """Yield the moves of `p` that leave its stratum."""
        raise NotImplementedError(f"{type(self).__name__} must define exits(p)")
