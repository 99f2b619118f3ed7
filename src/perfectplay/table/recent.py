"""What was asked for last, kept within a budget: a page asks for the same rows many times, and the
next page for most of them again."""

from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")


class Recent(Generic[Kept]):
    """Things by key, of which those not asked for in a long while are forgotten.

    There are two generations. New things, and old ones that are asked for, go into the young one;
    when that weighs half of what is allowed, it becomes the old one, and the old one is dropped.
    Threads may share it: each step is one operation on a dictionary, and whoever comes too late
    only derives a thing again. Keys that cannot be hashed are not kept."""

    def __init__(self, most: int) -> None:
        """All that is kept weighs at most `most`, but for the last thing."""
        self._half = most // 2
        self._young: dict[Any, tuple[Kept, int]] = {}
        self._old: dict[Any, tuple[Kept, int]] = {}
        self._weight = 0

    def get(self, key: Any) -> Kept | None:
        """What is kept under a key, or None."""
        try:
            found = self._young.get(key)
        except TypeError:
            return None
        if found is not None:
            return found[0]
        found = self._old.get(key)
        if found is None:
            return None
        self.put(key, *found)
        return found[0]

    def put(self, key: Any, thing: Kept, weight: int = 1) -> Kept:
        """Keep a thing, and return it."""
        if self._weight + weight > self._half and self._young:
            self._old, self._young, self._weight = self._young, {}, 0
        try:
            self._young[key] = thing, weight
        except TypeError:
            return thing
        self._weight += weight
        return thing

    @property
    def weight(self) -> int:
        """How much is kept."""
        both = (*self._young.values(), *self._old.values())
        return sum(weight for _, weight in both)
