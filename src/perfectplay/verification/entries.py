"""Entries: how the entries of positions change along moves, whatever they mean."""

from collections import Counter
from typing import Any

FEW = 10
"""Moves from which on something can be said."""
CHANCE = 3
"""Entries that do not change places have each other's values in less than every third move."""


class Entries:
    """What moves do to the entries of positions that are tuples."""

    def __init__(self) -> None:
        self._moves = 0
        self._changed: list[int] = []
        """How many moves change each entry."""
        self._values: list[set[Any]] = []
        self._taken: Counter[tuple[int, int]] = Counter()
        """How many moves give an entry, which they change, the value that another had before."""
        self._exchanged = False

    def see(self, p: Any, q: Any) -> None:
        """Take note of a move from `p` to `q`."""
        if not isinstance(p, tuple) or not isinstance(q, tuple) or len(p) != len(q) or len(p) < 2:
            self._exchanged = True  # nothing can be said of such positions
            return
        if len(self._changed) != len(p):
            self._exchanged = self._exchanged or bool(self._changed)
            self._changed, self._values = [0] * len(p), [set() for _ in p]
            self._taken.clear()
        self._moves += 1
        for i, (here, there) in enumerate(zip(p, q, strict=True)):
            self._values[i].add(here)
            if here != there:
                self._changed[i] += 1
                self._taken.update((i, j) for j, other in enumerate(p) if other == there)

    def never_exchanged(self) -> bool:
        """Whether entries stay where they are although some look like those of two sides: no entry
        takes the value that another had before, but by chance, and one of them no move changes; or
        one is changed by every move, others are not, and both are numbers of the same size."""
        if self._exchanged or self._moves < FEW:
            return False
        if any(CHANCE * many > self._changed[i] for (i, _), many in self._taken.items()):
            return False
        if 0 in self._changed:
            return True
        always = [i for i, many in enumerate(self._changed) if many == self._moves]
        rarely = [i for i, many in enumerate(self._changed) if many < self._moves]
        return any(self._alike(i, j) for i in always for j in rarely)

    def _alike(self, i: int, j: int) -> bool:
        """Whether two entries are numbers whose ranges overlap."""
        a, b = self._values[i], self._values[j]
        if not all(isinstance(x, int) and not isinstance(x, bool) for x in a | b):
            return False
        return bool(min(a) <= max(b) and min(b) <= max(a))
