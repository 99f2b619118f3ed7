"""Compound: many short games added, decided without writing down the canonical form of the whole.

Who wins a sum of a thousand parts is found in steps, each exact:

* numbers, ups and nimbers are added as integers; every other part is taken apart into its mean and
  a rest, and rests that are negatives of each other cancel, as do two of a switch;
* if play ends in a number that is surely positive or negative, that decides. What is reached if
  Left begins lies between bounds from the thermographs: at least all means, and what Left gets by
  the best move in the hottest part when others are worth their mean; at most all means and the
  highest temperature. For switches alone it is exact: both take the hottest in turn;
* of infinitesimals the atomic weight decides if it is large enough;
* a sum of few small parts is written down;
* where all that leaves it open, moves are tried, hottest parts first, and the same is asked again.

A sum that stays open for too long is refused, never guessed.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction

from perfectplay.errors import TooLargeError, UsageError
from perfectplay.sums.canonical_form import (
    ZERO,
    Short,
    added,
    at_most,
    lefts_of,
    negated,
    rights_of,
    value,
)
from perfectplay.sums.depth import deep
from perfectplay.sums.measured import OUTCOME_CLASS
from perfectplay.sums.measures import remembered
from perfectplay.sums.partizan import LEFT, RIGHT

MOST_WORK = 1_000_000
"""Parts of sums that are looked at for one answer, at most."""
SMALL = 300
"""A sum is written down if the sizes of its parts, multiplied, are at most this."""
SCALE = 1 << 200
"""Measures are integers in this unit, which add up faster than fractions."""

Measure = int | Fraction
State = tuple[tuple[Short, ...], Short]
"""Parts of mean 0 that are not plain, the hottest first, and the sum of all that is plain."""


class Compound:
    """A sum of values. `Compound([g, h]).outcome` says who wins, `winning_moves` how."""

    def __init__(self, values: Iterable[Short | int | Fraction | str] = ()) -> None:
        self.parts = [value(x) for x in values]
        self._plain = ZERO
        self._rests: Counter[Short] = Counter()
        for g in self.parts:
            self._count(g, 1)
        self._search = _Search()

    def _count(self, g: Short, times: int) -> None:
        """Add a part, or take it away."""
        mean, rest = _apart(g)
        self._plain = added(self._plain, mean * times)
        if rest is not ZERO:
            other = negated(rest)
            if rest is other:
                self._rests[rest] = (self._rests[rest] + times) % 2
            elif other.id < rest.id:
                self._rests[other] -= times
            else:
                self._rests[rest] += times

    def _state(self) -> State:
        """What is left of the sum when all has cancelled that can."""
        parts: list[Short] = []
        for rest, times in self._rests.items():
            parts += [rest if times > 0 else negated(rest)] * abs(times)
        return tuple(sorted(parts, key=_rank)), self._plain

    def wins(self, player: int) -> bool:
        """Whether a player who begins wins: LEFT or RIGHT."""
        if player not in (LEFT, RIGHT):
            raise UsageError(f"there is no player {player}", "0 is Left, 1 is Right")
        state = self._state()
        return self._search.wins(state if player == LEFT else _negated(state))

    @property
    def outcome(self) -> str:
        """Who wins: L or R, that player whoever begins; N, who moves next; P, who moved last."""
        return OUTCOME_CLASS[self.wins(LEFT), self.wins(RIGHT)]

    @property
    def value(self) -> Short:
        """The canonical form of the sum; it may be too large to write down."""
        parts, total = self._state()
        for g in reversed(parts):
            total = total + g
        return total

    def winning_moves(self, player: int) -> list[tuple[int, Short]]:
        """All moves of a player that win: the number of a part, from 0, and what it becomes."""
        found = []
        known: dict[tuple[int, int], bool] = {}
        for i, g in enumerate(self.parts):
            for option in lefts_of(g) if player == LEFT else rights_of(g):
                key = (g.id, option.id)
                if key not in known:
                    known[key] = self.wins_by(player, g, option)
                if known[key]:
                    found.append((i, option))
        return found

    def wins_by(self, player: int, before: Short, after: Short) -> bool:
        """Whether a player wins who moved a part of this sum from one value to another."""
        self._count(before, -1)
        self._count(after, 1)
        won = not self.wins(1 - player)
        self._count(after, -1)
        self._count(before, 1)
        return won


def _apart(g: Short) -> tuple[Short, Short]:
    """A value as what is simple in it, and a rest: a plain value is simple as a whole, of others
    the mean is."""
    return _mean_apart(g) if g._plain is None else (g, ZERO)


@remembered
def _mean_apart(g: Short) -> tuple[Short, Short]:
    mean = value(g.mean)
    return mean, deep(added, g, negated(mean))


@remembered
def _size(g: Short) -> int:
    """How many values can follow that are not plain, with g itself, and one for all others."""
    seen, waiting = {g.id}, [g]
    while waiting:
        h = waiting.pop()
        if h._plain is None:
            for option in (*lefts_of(h), *rights_of(h)):
                if option.id not in seen and option._plain is None:
                    seen.add(option.id)
                    waiting.append(option)
    return len(seen) + 1


@remembered
def _heat(g: Short) -> tuple[Measure, Measure, Measure, bool, bool]:
    """Temperature, stops, whether g is {x | -x} for a number x, and whether it is all-small."""
    left = lefts_of(g)
    switch = negated(g) is g and len(left) == 1 and left[0].is_number
    stops = _scaled(g.left_stop), _scaled(g.right_stop)
    return _scaled(g.temperature), *stops, switch, g.is_all_small


def _scaled(x: Fraction) -> Measure:
    found = x * SCALE
    return found.numerator if found.denominator == 1 else found


def _rank(g: Short) -> tuple[Measure, int]:
    """Hottest first; a value and its negative have one rank."""
    return -_heat(g)[0], min(g.id, negated(g).id)


def _negated(state: State) -> State:
    return tuple([negated(g) for g in state[0]]), negated(state[1])


class _Search:
    """Whether Left wins who begins."""

    def __init__(self) -> None:
        self.known: dict[tuple[tuple[int, ...], int], bool] = {}
        self.tried = self.work = 0

    def wins(self, state: State) -> bool:
        self.tried = self.work = 0
        return deep(self._wins, state)

    def _wins(self, state: State) -> bool:
        parts, plain = state
        if not parts:
            return not at_most(plain, ZERO)
        self.tried += 1
        self.work += len(parts)
        if self.work > MOST_WORK:
            raise TooLargeError(
                f"who wins this sum is still open after {self.tried:,} positions",
                f"{len(parts)} of its parts are neither plain nor cancelled by others",
            )
        low, high = _bounds(parts, plain)
        if low > 0 or high < 0:
            return low > 0
        key = tuple([g.id for g in parts]), plain.id
        found = self.known.get(key)
        if found is None:
            found = _by_weight(parts, plain)
            if found is None and _product(parts) <= SMALL:
                total = plain
                for g in parts:
                    total = added(total, g)
                found = not at_most(total, ZERO)
            if found is None:
                found = self._by_moves(state)
            self.known[key] = found
        return found

    def _by_moves(self, state: State) -> bool:
        for after in _moves(*state):  # noqa: SIM110
            if not self._wins(_negated(after)):
                return True
        return False


def _product(parts: tuple[Short, ...]) -> int:
    """The sizes of all parts multiplied, or just more than SMALL."""
    size = 1
    for g in parts:
        size *= _size(g)
        if size > SMALL:
            break
    return size


def _moves(parts: tuple[Short, ...], plain: Short) -> Iterator[State]:
    """All sums that Left can move to, those in the hottest part first."""
    last = None
    for i, g in enumerate(parts):
        if g is last:
            continue
        last = g
        rest = parts[:i] + parts[i + 1 :]
        for option in lefts_of(g):
            mean, part = _apart(option)
            yield _joined(rest, part), added(plain, mean)
    if not plain.is_number:
        for option in lefts_of(plain):
            yield parts, option


def _joined(rest: tuple[Short, ...], part: Short) -> tuple[Short, ...]:
    """The parts with one more, or with one less if the two cancel."""
    if part is ZERO:
        return rest
    other = negated(part)
    for i, g in enumerate(rest):
        if g is other:
            return rest[:i] + rest[i + 1 :]
    at = bisect_left(rest, _rank(part), key=_rank)
    return (*rest[:at], part, *rest[at:])


def _bounds(parts: tuple[Short, ...], plain: Short) -> tuple[Measure, Measure]:
    """Two numbers between which lies what is reached if Left begins and both play well."""
    here = _scaled(plain.left_stop)
    heats = [_heat(g) for g in parts]
    highest = heats[0][0]
    if highest <= 0:
        return here, here
    hot = [heat for heat in heats if heat[0] > 0]
    if all(heat[3] for heat in hot):
        taken = sum([heat[0] for heat in hot[::2]]) - sum([heat[0] for heat in hot[1::2]])
        return here + taken, here + taken
    price = hot[1][0] if len(hot) > 1 else 0
    best = parts[0].thermograph().at(Fraction(price, SCALE))[0]
    widest = max([heat[1] - heat[2] for heat in hot])
    low = max(0, _scaled(best), sum([heat[2] for heat in hot]) + widest)
    return here + low, here + min(highest, sum([heat[1] for heat in hot]))


def _by_weight(parts: tuple[Short, ...], plain: Short) -> bool | None:
    """Whether an infinitesimal sum is positive or negative by its atomic weight: 2 is above and -2
    below zero. Tinies and minies, however many, are together less than one up."""
    if not plain.is_infinitesimal or _heat(parts[0])[0] > 0:
        return None
    weight = plain.atomic_weight()
    needed = 2
    for g in parts:
        if _heat(g)[4]:
            weight = added(weight, g.atomic_weight())
        elif _is_tiny(g) or _is_tiny(negated(g)):
            needed = 3
        else:
            return None
    if at_most(value(needed), weight):
        return True
    return False if at_most(weight, value(-needed)) else None


def _is_tiny(g: Short) -> bool:
    """Whether this is {0 || 0 | -x} for a positive number x."""
    left, right = lefts_of(g), rights_of(g)
    if left != (ZERO,) or len(right) != 1 or lefts_of(right[0]) != (ZERO,):
        return False
    threat = rights_of(right[0])
    return len(threat) == 1 and threat[0].is_number and threat[0]._ls < 0
