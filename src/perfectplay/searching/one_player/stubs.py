"""Functions that only kernels can call: what depends on the methods that rules have.
searching/intrinsics.py implements them."""

from typing import Any

from perfectplay.compiled.arrays import Ints
from perfectplay.compiled.kernels import overloaded_in

overloaded_in("perfectplay.searching.intrinsics")


def least_cost(rules: Any, p: Any) -> int:  # type: ignore[empty-body]
    """The lower bound that the rules' `bounds` state, rounded up; DEAD if it is infinite."""


def in_place(rules: Any, databases: Any) -> Any:
    """`databases` as searches read them: `HalfBytes` (estimate.py) for databases of half bytes."""


def group_at(databases: Any, k: int) -> int:  # type: ignore[empty-body]
    """The group of abstraction `k`."""


def looks_ahead(rules: Any, databases: Any) -> bool:  # type: ignore[empty-body]
    """Whether memory is asked for what children look up before they are compared: databases are so
    large that this takes longer than to play a move twice."""


def ask_ahead(rules: Any, p: Any, m: Any, databases: Any) -> None:
    """Ask for the memory of what the child of `p` by `m` looks up first."""


def looked_up(rules: Any, p: Any, k: int, databases: Any) -> int:  # type: ignore[empty-body]
    """The least cost from what abstraction `k` remembers of `p`; UNREACHED if no goal can be
    reached from there."""


def blurs_of(rules: Any) -> int:  # type: ignore[empty-body]
    """How many abstractions the rules have."""


def spared_by(rules: Any) -> int:  # type: ignore[empty-body]
    """The rules' `spared`; 0 if they have none."""


def others(rules: Any, p: Any) -> Any:
    """Yield what the rules' `also` does, if they have it."""


def twin_of(rules: Any, p: Any) -> Any:
    """The one position of the rules' `also`, if they have `twin`; else `p`."""


def twin_child(rules: Any, p: Any, m: Any, q: Any) -> Any:
    """What `q`, the twin of `p`, becomes by the twin of `m`; `q` where there are no twins."""


def twin_move(rules: Any, p: Any, m: Any) -> Any:
    """The rules' `twin`; `m` where there are no twins."""


def has_twins(rules: Any) -> bool:  # type: ignore[empty-body]
    """Whether the rules have `twin`."""


def is_steady(rules: Any) -> bool:  # type: ignore[empty-body]
    """Whether a move changes the first number of the abstraction in which it counts, and no
    other."""


def counting(rules: Any, p: Any, m: Any) -> int:  # type: ignore[empty-body]
    """The abstraction of the first group in which a move counts; -1 for none."""


def need_follow(rules: Any, last: int, m: Any) -> bool:  # type: ignore[empty-body]
    """The rules' `follows`; True where they have none, or moves are no integers."""


def move_number(m: Any) -> int:  # type: ignore[empty-body]
    """A move that is an integer, or 0."""


def blurred_at(rules: Any, i: int, k: int) -> Any:
    """The rules' `blur_at`."""


def steps_from(rules: Any, i: int, rests: int, k: int) -> Any:
    """The rules' `blur_steps`."""


def least_blurred(rules: Any, p: Any, k: int) -> Any:
    """The rules' `blur_least`; (0, 1) if they have none."""


def settle(rules: Any, p: Any) -> Any:
    """(position, cost) after all moves that the rules' `forced` yields, one after the other."""


def cost_in(rules: Any, p: Any, m: Any, k: int, group: int) -> int:  # type: ignore[empty-body]
    """What move `m` costs in abstraction `k`, which belongs to a group, or to none: -1."""


def index_of(rules: Any, p: Any, k: int) -> Any:
    """The rules' `blur_index`."""


def same_key(keys: Ints, i: int, p: Any) -> bool:  # type: ignore[empty-body]
    """Whether row `i` of keys holds position `p`."""


def hash_of(p: Any) -> int:  # type: ignore[empty-body]
    """A hash of a position, as `row_hash` makes of its row (arena.py)."""


def number_of(payoff: Any) -> int:  # type: ignore[empty-body]
    """A payoff as one number."""


def guess_by(rules: Any, p: Any, kind: int) -> int:  # type: ignore[empty-body]
    """How far `p` may be from an end: `guess_as`, or `guess`, or what `bounds` state, or 0."""
