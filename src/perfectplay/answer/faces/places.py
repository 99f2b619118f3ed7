"""Places: where on the picture a move happens, so that it can be made by clicking there.

No game needs code for it. The picture after a move is compared with the picture before: what
appears or goes away lies at some places, and these distinguish the moves. What all moves change
alike (a caption, sides that are exchanged) says nothing and is left out. Rules that know better
have the capability `PlacedMoves`.

Clicks form a tree. A place at which only one move changes anything makes that move. So does a
place that belongs to several, if one of them changes less than all the others and those have
places of their own: clicking the third counter of a heap takes three. Otherwise the first click
selects the place, as in chess the man that moves, and the second chooses among the moves there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

from perfectplay.drawing.shapes import Box, Mark, SafePicture, Shape, marks, read, shape
from perfectplay.rules.capabilities import placed
from perfectplay.rules.game import Game

Place = tuple[int, int]
"""The middle of something on the picture, in steps of `STEP`."""
STEP = 4
SMALLEST = 26.0
"""A place is at least so wide and high, in units of the picture."""
MOST = 150
"""Of more moves the pictures are not compared."""
OFF = 1 / 6
"""So far off its middle something may stand in a cell, as a part of its side."""
SQUARE = 8
"""Steps of the squares by which cells are found."""
MOST_KNOWN = 4_096
"""Boxes of which a board knows the cell."""
MOST_INSIDE = 3
"""What has more cells in it, itself included, is no cell but the ground they are drawn on."""
ALIKE = 0.8
"""Of two places that have so much in common one is hidden by the other."""
DEEPEST = 4
"""So many clicks make a move at most."""


class Further(NamedTuple):
    """A place that needs another click."""

    moves: Collection[int]
    """The numbers of the moves that are begun there."""
    clicks: Callable[[], Clicks]
    """Gives the clicks after that: few are asked for."""


@dataclass
class Clicks:
    """What clicks at places lead to: a move, by its number, or further clicks."""

    moves: dict[Place, int] = field(default_factory=dict)
    further: dict[Place, Further] = field(default_factory=dict)


@dataclass(frozen=True)
class Places:
    """The places of a position's moves."""

    drawing: SafePicture
    boxes: Mapping[Place, Box]
    clicks: Clicks

    def after(self, clicked: Iterable[Place]) -> Clicks | None:
        """What can be clicked next, after these clicks; None if they lead nowhere."""
        here = self.clicks
        for place in clicked:
            if place not in here.further:
                return None
            here = here.further[place].clicks()
        return here

    def drawn(self, here: Clicks) -> list[Place]:
        """The places that can be clicked next, in the order in which they are drawn: smaller ones
        on top. Of two that lie at the same spot, such as captions of different length, the one
        that is not needed is left out."""
        moves: dict[Place, Collection[int]] = {x: (i,) for x, i in here.moves.items()}
        moves.update({place: further.moves for place, further in here.further.items()})
        times = Counter(i for some in moves.values() for i in some)
        order = sorted(moves, key=lambda x: -_size(self.boxes[x]))
        for place in [x for x in order if all(times[i] > 1 for i in moves[x])]:
            others = (self.boxes[x] for x in order if x != place)
            if any(_alike(self.boxes[place], each) for each in others) and all(
                times[i] > 1 for i in moves[place]
            ):
                order.remove(place)
                times.subtract(moves[place])
        return order


def places(game: Game, p: Any, pictures: Callable[[Any], str] | None = None) -> Places:
    """Where the moves at `p` happen. `pictures` gives the pictures of positions, where the caller
    has them; else they are drawn."""
    pictures = pictures or game.picture
    picture = pictures(p)
    drawing, here = read(picture), marks(picture)
    moves, cells = list(game.moves(p)), _cells(here)
    boxes: dict[Place, Box] = {}
    say = placed(game)
    if say is not None:
        paths = [[_square(place) for place in say.places(p, m)] for m in moves]
        boxes.update({_place(box): box for path in paths for box in path})
        tree = _along({i: tuple(map(_place, path)) for i, path in enumerate(paths)})
    else:
        few = moves if len(moves) <= MOST else []
        changes = [_changes(here, marks(pictures(game.play(p, m))), cells) for m in few]
        for place, change in ((x, c) for each in changes for x, c in each.items()):
            boxes[place] = _joined(boxes.get(place, change.box), change.box)
        tree = clicks(_telling(changes))
    middles = {place: _middle(box) for place, box in boxes.items()}
    wide = {place: _clickable(box, cells.around(place, middles)) for place, box in boxes.items()}
    return Places(drawing, wide, tree)


# -- What a move changes. -------------------------------------------------------------------------


class Change(NamedTuple):
    """What a move changes at a place."""

    box: Box
    look: frozenset[Mark]
    """What is new there."""


def _changes(here: frozenset[Mark], there: frozenset[Mark], cells: _Cells) -> dict[Place, Change]:
    """The places where two pictures differ."""
    boxes: dict[Place, Box] = {}
    looks: dict[Place, set[Mark]] = {}
    for mark in here ^ there:
        seen = shape(mark)
        if seen is None:
            continue
        place = cells.place(seen.box)
        box = boxes.setdefault(place, seen.box)
        if box != seen.box:
            boxes[place] = _joined(box, seen.box)
        look = looks.setdefault(place, set())
        if mark in there:
            look.add(mark)
    return {place: Change(box, frozenset(looks[place])) for place, box in boxes.items()}


class _Cells:
    """The cells of a board. What stands in one of them, though not quite in its middle, as men of
    chess do, is at its place."""

    def __init__(self, drawn: Iterable[Shape]) -> None:
        self.boxes: dict[Place, list[Box]] = {}
        """Cells and circles by their middles, smaller ones first."""
        for box in sorted({each.box for each in drawn}, key=_least_side):
            self.boxes.setdefault(_place(box), []).append(box)
        self._near: dict[Place, list[tuple[float, Place, Box]]] = {}
        """By squares of the picture: the cells in the middle of which they lie, with their sizes,
        smaller ones first."""
        for place, box in ((place, box) for place, some in self.boxes.items() for box in some):
            if _least_side(box) >= SMALLEST:
                for square in _middles(box):
                    self._near.setdefault(square, []).append((_least_side(box), place, box))
        for several in self._near.values():
            several.sort()
        self._known: dict[Box, Place] = {}
        self._ground: dict[Box, bool] = {}

    def place(self, box: Box) -> Place:
        """The place of what is drawn in a box."""
        found = self._known.get(box)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[box] = self._found(box)
        return found

    def _found(self, box: Box) -> Place:
        middle = _place(box)
        if middle in self.boxes:
            return middle
        near = self._near.get((middle[0] // SQUARE, middle[1] // SQUARE), ())
        return next((place for _, place, cell in near if _stands_in(box, cell)), middle)

    def around(self, place: Place, middles: Mapping[Place, tuple[float, float]]) -> Box | None:
        """The largest cell with this middle that has nothing else in it that can be clicked: the
        ground of a picture has the same middle as the cell in the middle of a board."""
        for box in reversed(self.boxes.get(place, ())):
            others = (at for other, at in middles.items() if other != place)
            if not self._is_ground(box) and not any(_holds(box, at) for at in others):
                return box
        return None

    def _is_ground(self, box: Box) -> bool:
        """Whether several cells lie in a box."""
        if box not in self._ground:
            inside = (_holds(box, (x * STEP, y * STEP)) for x, y in self.boxes)
            self._ground[box] = sum(inside) > MOST_INSIDE
        return self._ground[box]


def _least_side(box: Box) -> float:
    return min(box[2] - box[0], box[3] - box[1])


def _middles(cell: Box) -> Iterator[Place]:
    """The squares in which the middles of what stands in a cell may lie."""
    sides = []
    for i in (0, 1):
        middle, reach = (cell[i] + cell[i + 2]) / 2, (cell[i + 2] - cell[i]) * OFF
        first, last = round((middle - reach) / STEP), round((middle + reach) / STEP)
        sides.append(range(first // SQUARE, last // SQUARE + 1))
    return product(sides[0], sides[1])


def _stands_in(box: Box, cell: Box) -> bool:
    """Whether a box lies in a cell, not far from its middle, and fills much of it."""
    for i in (0, 1):
        wide = cell[i + 2] - cell[i]
        if not cell[i] <= box[i] <= box[i + 2] <= cell[i + 2]:
            return False
        if abs(box[i] + box[i + 2] - cell[i] - cell[i + 2]) > 2 * wide * OFF:
            return False
    return _least_side(box) >= _least_side(cell) / 3


def _telling(changes: Sequence[Mapping[Place, Change]]) -> list[frozenset[Place]]:
    """The places that tell moves apart, for each move: not what all or most moves change alike."""
    sets = [frozenset(each) for each in changes]
    if len(sets) < 2:
        return sets
    common = frozenset.intersection(*sets)
    if common in sets:  # the move that changes nothing else is made there
        return sets
    odd: list[set[Place]] = [set() for _ in sets]
    for place in common:
        looks = Counter(each[place].look for each in changes)
        usual, times = looks.most_common(1)[0]
        if 2 * times > len(changes):
            for number, each in enumerate(changes):
                if each[place].look != usual:
                    odd[number].add(place)
    return [each - common | more for each, more in zip(sets, odd, strict=True)]


def _place(box: Box) -> Place:
    return round((box[0] + box[2]) / 2 / STEP), round((box[1] + box[3]) / 2 / STEP)


def _size(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _holds(box: Box, at: tuple[float, float]) -> bool:
    return box[0] <= at[0] <= box[2] and box[1] <= at[1] <= box[3]


def _alike(a: Box, b: Box) -> bool:
    """Whether two boxes cover nearly the same."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return min(wide, high) > 0 and wide * high > ALIKE * max(_size(a), _size(b))


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _joined(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _square(place: Sequence[float]) -> Box:
    """A box of rules, or the one around a point."""
    if len(place) == 4:
        return place[0], place[1], place[2], place[3]
    x, y = place
    return x - SMALLEST / 2, y - SMALLEST / 2, x + SMALLEST / 2, y + SMALLEST / 2


def _cells(here: frozenset[Mark]) -> _Cells:
    """The cells and circles that are drawn."""
    drawn = filter(None, map(shape, here))
    return _cells_of(frozenset(seen for seen in drawn if seen.tag in ("rect", "circle")))


@lru_cache(maxsize=64)
def _cells_of(drawn: frozenset[Shape]) -> _Cells:
    """The cells of these shapes: most boards have the same ones in all positions."""
    return _Cells(drawn)


def _clickable(box: Box, cell: Box | None) -> Box:
    """The box to click for a place: the cell around it, if one is drawn, and never too small."""
    box = _joined(box, cell) if cell else box
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    across, down = max(box[2] - box[0], SMALLEST) / 2, max(box[3] - box[1], SMALLEST) / 2
    return x - across, y - down, x + across, y + down


# -- Which clicks make which move. ----------------------------------------------------------------


def _along(paths: Mapping[int, tuple[Place, ...]]) -> Clicks:
    """The tree of clicks in the order that the rules give. A move that ends where others go on is
    made by a second click on its last place."""
    tree = Clicks()
    for first in dict.fromkeys(path[0] for path in paths.values() if path):
        rest = {number: path[1:] for number, path in paths.items() if path[:1] == (first,)}
        ended = next((number for number, path in rest.items() if not path), None)
        longer = {number: path for number, path in rest.items() if path}
        if ended is not None and longer:
            longer[ended] = (first,)
        if longer:
            tree.further[first] = Further(longer.keys(), partial(_along, longer))
        elif ended is not None:
            tree.moves[first] = ended
    return tree


def clicks(changed: Sequence[frozenset[Place]]) -> Clicks:
    """The tree of clicks for moves that change these places; moves that change the same places are
    left out, since nothing tells them apart."""
    several = {each for each in changed if changed.count(each) > 1}
    moves = {i: each for i, each in enumerate(changed) if each and each not in several}
    return _tree(moves, DEEPEST)


def _tree(moves: Mapping[int, frozenset[Place]], depth: int, alone: Place | None = None) -> Clicks:
    """The clicks that are left; a move without any is made by clicking at `alone` again."""
    left = {i: each for i, each in moves.items() if each}
    everywhere = sorted(frozenset().union(*left.values()))
    at = {x: [i for i, each in left.items() if x in each] for x in everywhere}
    least = {x: _least({i: left[i] for i in some}) for x, some in at.items()}
    own = {i for i in least.values() if i is not None}
    tree = Clicks()
    for number in moves.keys() - left.keys():
        if alone is not None:
            tree.moves[alone] = number
    for x, some in at.items():
        chosen = least[x]
        if chosen is not None and (depth == 1 or all(i in own for i in some)):
            tree.moves[x] = chosen
        elif depth > 1:
            rest = {i: left[i] - {x} for i in some}
            tree.further[x] = Further(rest.keys(), partial(_tree, rest, depth - 1, x))
    return tree


def _least(moves: Mapping[int, frozenset[Place]]) -> int | None:
    """The move that changes less than each of the others, if there is one."""
    small = min(moves, key=lambda i: len(moves[i]))
    fits = all(moves[small] <= each for each in moves.values())
    return small if fits else None
