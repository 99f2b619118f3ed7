"""Birthday, all-small values, reduced canonical form, atomic weight.

Sources: Siegel, Combinatorial Game Theory, chapter II; Grossman and Siegel, Reductions of partizan
games (Games of No Chance 3), for the reduced form; Winning Ways, chapter 8, for atomic weights.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from perfectplay.errors import UsageError
from perfectplay.sums import plain
from perfectplay.sums.canonical_form import (
    Short,
    added,
    at_most,
    canonical,
    lefts_of,
    negated,
    plain_value,
    rights_of,
    some_at_least,
    some_at_most,
)
from perfectplay.sums.options import best, bypassed

Result = TypeVar("Result")


def remembered(measure: Callable[[Short], Result]) -> Callable[[Short], Result]:
    """The same measure, computed once for every value."""
    name = f"{measure.__module__}.{measure.__name__}"

    @wraps(measure)
    def found(g: Short) -> Result:
        notes: dict[str, Any] | None = g._notes
        if notes is None:
            notes = g._notes = {}
        if name not in notes:
            notes[name] = measure(g)
        result: Result = notes[name]
        return result

    return found


def birthday(g: Short) -> int:
    """The most moves that play can last."""
    return _birthday(g) if g._plain is None else _plain_birthday(g._plain)


@remembered
def _birthday(g: Short) -> int:
    return 1 + max([birthday(h) for h in (*lefts_of(g), *rights_of(g))])


def _plain_birthday(form: plain.Plain) -> int:
    """The whole number n is born on day |n|, m / 2**e on day ceil(|m / 2**e|) + e, *k on day k;
    n ups and *k lead to n - 1 ups and *(k xor 1), and so on down to one up and its nimber."""
    m, e, ups, nim = form
    days = -(-abs(m) >> e) + e
    if not ups:
        return days + nim
    last = nim ^ ((abs(ups) - 1) & 1)
    return days + abs(ups) - 1 + (2 if last == 1 else 1 + (last ^ 1))


def is_all_small(g: Short) -> bool:
    """Whether at every point of play both players can move or neither can."""
    if g._plain is not None:
        return g._plain[0] == 0
    return g._ls == 0 == g._rs and _is_all_small(g)


@remembered
def _is_all_small(g: Short) -> bool:
    for h in (*lefts_of(g), *rights_of(g)):  # noqa: SIM110 - recursion is deep
        if not is_all_small(h):
            return False
    return True


@remembered
def reduced(g: Short) -> Short:
    """The simplest value that differs from g by an infinitesimal. Options are reduced first; then,
    infinitesimals aside, dominated ones are dropped and reversible ones bypassed."""
    if g._ls == g._rs:
        return plain_value((*plain.dyadic(g.left_stop), 0, 0))
    left = best([reduced(h) for h in lefts_of(g)], _nearly_at_most)
    left = bypassed(left, rights_of, lefts_of, lambda x: _nearly_at_most(x, g))
    right = best([reduced(h) for h in rights_of(g)], _nearly_at_least)
    right = bypassed(right, lefts_of, rights_of, lambda x: _nearly_at_most(g, x))
    return canonical(best(left, _nearly_at_most), best(right, _nearly_at_least))


def _nearly_at_most(g: Short, h: Short) -> bool:
    """Whether g is at most h plus some infinitesimal."""
    return g is h or added(h, negated(g))._rs >= 0


def _nearly_at_least(g: Short, h: Short) -> bool:
    return _nearly_at_most(h, g)


def atomic_weight(g: Short) -> Short:
    """{weights of left options - 2 | weights of right options + 2}; where that is a whole number,
    the largest that fits if g is above the far star, the least if below, else 0."""
    if not is_all_small(g):
        raise UsageError(f"{g} is not all-small", "only all-small values have atomic weights")
    if g._plain is not None:
        return plain_value((g._plain[2], 0, 0, 0))
    return _atomic_weight(g)


@remembered
def _atomic_weight(g: Short) -> Short:
    two = plain_value((2, 0, 0, 0))
    left = [added(atomic_weight(h), negated(two)) for h in lefts_of(g)]
    right = [added(atomic_weight(h), two) for h in rights_of(g)]
    found = canonical(left, right)
    return _eccentric(g, left, right) if found.is_integer else found


def _eccentric(g: Short, left: list[Short], right: list[Short]) -> Short:
    """The atomic weight of g where several whole numbers fit between the options."""
    far = plain_value((0, 0, 0, 1 << birthday(g).bit_length()))
    if at_most(far, g):
        n, step = int(min([h._ls for h in right])) + 1, -1
    elif at_most(g, far):
        n, step = int(max([h._rs for h in left])) - 1, 1
    else:
        return plain_value((0, 0, 0, 0))
    while not _fits(n, left, right):
        n += step
    return plain_value((n, 0, 0, 0))


def _fits(n: int, left: list[Short], right: list[Short]) -> bool:
    """Whether no left option is at least n and no right option at most n."""
    x = plain_value((n, 0, 0, 0))
    return not some_at_least(left, x) and not some_at_most(right, x)
