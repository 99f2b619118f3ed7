"""Functions that only kernels can call: what depends on the types of a game's positions and moves,
on the methods that its rules have, and on the kind of table. intrinsics.py implements them.

There are two kinds of transposition table, both of buckets of two entries:

    packed  uint64[slots]: for positions of one word. A position times an odd number is another one
            for every position; its first bits say where its bucket is, and the entry has the other
            bits beside its data. So 8 bytes hold position and data, and nothing is mistaken for
            something else. Threads read and write entries as they are: a word is never torn.
    wide    int64[slots, 2 + words]: a lock, data, the words of the position.

Data are one word, the same in both (layout.py)."""

from typing import Any

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import overloaded_in
from perfectplay.searching.alphabeta.layout import Layout

overloaded_in("perfectplay.searching.alphabeta.intrinsics")


def position(kids: Ints, i: int, sample: Any) -> Any:
    """The position of row `i`, of the same type as `sample`."""


def write(kids: Ints, i: int, value: Any) -> None:
    """Write position `value` to row `i`."""


def candidates(rules: Any, p: Any) -> Any:
    """Moves of which one is best: all, unless the rules name fewer."""


def threatening(rules: Any, p: Any) -> Any:
    """Moves that threaten to win at once, by rules that name them."""


def token(m: Any) -> int:  # type: ignore[empty-body]
    """A number below TOKENS for a move, mostly another one for another move."""


def flips(rules: Any, kind: int, q: Any, r: Any) -> int:  # type: ignore[empty-body]
    """1 if the value of `r`, the representative of a child `q`, counts for the opponent of the
    player `kind` who moved; 0 if it counts for that player."""


def earned(rules: Any, p: Any, m: Any, kind: int) -> Any:
    """What a move earns the player who makes it, and whether interests are opposed."""


def too_long(p: Any, bits: int) -> bool:  # type: ignore[empty-body]
    """Whether a position of one word has more bits than that."""


def ask(table: Any, p: Any, layout: Layout) -> None:
    """Ask for the memory of the bucket of `p`, soon to be read."""


def look(table: Any, p: Any, layout: Layout) -> int:  # type: ignore[empty-body]
    """The data of `p`; 0 if it is not in the table."""


def keep(table: Any, p: Any, layout: Layout, data: int) -> None:
    """Put `p` into the table. The first entry of a bucket is for much work, the second for all
    else."""
