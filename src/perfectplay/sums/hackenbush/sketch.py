"""Drawings of Hackenbush pictures: the ground, and on it edges with their names.

A node stands as high as it is edges away from the ground. Nodes are put side by side along the
tree of shortest paths; edges that are not in it are bent.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from perfectplay.drawing import svg
from perfectplay.sums.hackenbush.strings import Word
from perfectplay.sums.hackenbush.values import BLUE, GREEN, GROUND, RED, Edge, edges_at

if TYPE_CHECKING:
    from perfectplay.sums.hackenbush.picture import Picture

PAINT = {BLUE: svg.COLOURS[0], RED: svg.COLOURS[5], GREEN: svg.COLOURS[2]}
SHADE = svg.LINE
"""Edges that were taken."""
WIDE, HIGH = 62, 52
"""Between nodes side by side, and above one another."""
SHOWN = 4
"""Edges of an endless piece that are drawn, at least."""
LONGEST = 1500
"""Edges that are drawn at most."""
STEPS = 12
"""Straight pieces of a curve."""
Point = tuple[float, float]


def sketch(picture: Picture, taken: Set[int] = frozenset()) -> str:
    """A picture as SVG; edges that were taken are thin and grey, so that the others keep their
    places and names."""
    if len(picture.edges) > LONGEST:
        return svg.plain_picture(f"{len(picture.edges):,} edges: too many to draw")
    places, tree = _places(picture.edges)
    columns = max([x for x, _ in places.values()], default=-1.0) + 1
    heights = [y for _, y in places.values()] + [len(_marks(word)) for word in picture.endless]
    width = WIDE * max(2.0, columns + len(picture.endless))
    floor = HIGH * max([1, *heights]) + 8

    def spot(x: float, y: float) -> Point:
        return WIDE * (x + 0.5), floor - HIGH * y

    parts = [_ground(width, floor)]
    spots = {node: spot(*at) for node, at in places.items()}
    parts += _edges(picture.edges, spots, (tree, taken), floor)
    for i, word in enumerate(picture.endless):
        parts += _string(word, *spot(columns + i, 0))
    return svg.svg(width, floor + 16, parts)


def _ground(width: float, floor: float) -> str:
    """The line that everything stands on, with grass below."""
    blades = "".join(
        svg.line(x, floor + 12, x + 7, floor + 3, svg.LINE, 1.2) for x in range(2, int(width), 12)
    )
    return blades + svg.line(0, floor, width, floor, svg.INK, 3)


def _places(edges: tuple[Edge, ...]) -> tuple[dict[int, Point], set[int]]:
    """Column and row of every node but the ground, and the edges of the tree of shortest paths."""
    at = edges_at(edges)
    row, tree = {GROUND: 0}, set()
    above: dict[int, list[int]] = {GROUND: []}
    order = [GROUND]
    for node in order:
        for i in at.get(node, ()):
            low, high, _ = edges[i]
            other = high if low == node else low
            if other not in row:
                row[other] = row[node] + 1
                above[node].append(other)
                above[other] = []
                tree.add(i)
                order.append(other)
    column: dict[int, float] = {}
    free = 0.0
    for node in _leaves_first(above):
        kids = [column[each] for each in above[node]]
        if kids:
            column[node] = (min(kids) + max(kids)) / 2
        else:
            column[node], free = free, free + 1
    return {node: (column[node], row[node]) for node in order if node != GROUND}, tree


def _leaves_first(above: dict[int, list[int]]) -> Iterator[int]:
    """All nodes but the ground, from left to right, each after those above it."""
    waiting = [(GROUND, iter(above[GROUND]))]
    while waiting:
        node, rest = waiting[-1]
        for each in rest:
            waiting.append((each, iter(above[each])))
            break
        else:
            waiting.pop()
            if node != GROUND:
                yield node


def _edges(
    edges: tuple[Edge, ...],
    spots: dict[int, Point],
    marked: tuple[Set[int], Set[int]],
    floor: float,
) -> Iterator[str]:
    """All edges with their names, then the nodes. `marked` are the edges of the tree, and those
    that were taken."""
    tree, taken = marked
    used: dict[tuple[int, int], int] = {}
    for i, (low, high, colour) in enumerate(edges):
        name = "" if i in taken else f"{colour}{i + 1}"
        paint, wide = (SHADE, 2.0) if i in taken else (PAINT[colour], 5.0)
        if low == high:
            x, y = spots.get(low, (WIDE * 0.1, floor - 8))
            turn = used[low, low] = used.get((low, low), 0) + 1
            size = 6.0 + 5 * turn
            yield svg.circle(x + size, y, size, "none", paint, wide)
            yield svg.text(x + 2 * size + 12, y, name, 11, paint)
            continue
        pair = (min(low, high), max(low, high))
        turn = used[pair] = used.get(pair, 0) + 1
        begin, end = _ends(pair, spots, floor, straight=i in tree, turn=turn)
        bend = 0.0 if i in tree or turn == 1 else 16.0 * (turn // 2) * (-1) ** turn
        yield from _bent((begin, end), bend, paint, wide, name)
    for x, y in spots.values():
        yield svg.circle(x, y, 4.5, svg.INK, svg.INK)


def _ends(
    pair: tuple[int, int], spots: dict[int, Point], floor: float, *, straight: bool, turn: int
) -> tuple[Point, Point]:
    """Where an edge begins and ends; further edges to the ground get a foot of their own."""
    x, y = spots[pair[1]]
    if pair[0] != GROUND:
        return spots[pair[0]], (x, y)
    foot = 0 if straight else WIDE * 0.36 * (turn // 2 + 0.4 * (turn == 1)) * (-1) ** turn
    return (x + foot, floor), (x, y)


def _bent(
    ends: tuple[Point, Point], bend: float, colour: str, wide: float, name: str
) -> Iterator[str]:
    """A line, or a curve that keeps away from it by `bend`, with its name beside the middle."""
    (x, y), (to_x, to_y) = ends
    length = max(1.0, ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5)
    across, down = (to_y - y) / length, -(to_x - x) / length
    points = []
    for step in range(STEPS + 1):
        t = step / STEPS
        off = 4 * bend * t * (1 - t)
        here = (x + t * (to_x - x) + off * across, y + t * (to_y - y) + off * down)
        points.append("{:.4g},{:.4g}".format(*here))
    yield (
        f'<polyline points="{" ".join(points if bend else points[::STEPS])}" fill="none" '
        f'stroke="{colour}" stroke-width="{wide:g}" stroke-linecap="round"/>'
    )
    if not name:
        return
    side = 1 if bend > 0 or (not bend and across < 0) else -1
    aside = bend + 13 * side
    at = ((x + to_x) / 2 + aside * across, (y + to_y) / 2 + aside * down)
    yield svg.text(*at, name, 11, colour)


# -- Strings without end. -------------------------------------------------------------------------


def _marks(word: Word) -> list[str]:
    """The edges of a string that are drawn, bottom first; "" stands for all that go on."""
    pieces = [before + period * -(-SHOWN // len(period)) for before, period in word.blocks]
    return [mark for piece in pieces for mark in [*piece, ""]] + [*word.end]


def _string(word: Word, x: float, floor: float) -> Iterator[str]:
    """A string without end: its lowest edges and dots, for each piece."""
    y = floor
    for colour in _marks(word):
        if colour:
            yield svg.line(x, y, x, y - HIGH, PAINT[colour], 5)
            yield svg.text(x + 12, y - HIGH / 2, colour, 11, PAINT[colour])
            yield svg.circle(x, y - HIGH, 4.5, svg.INK, svg.INK)
        else:
            for step in (0.3, 0.5, 0.7):
                yield svg.circle(x, y - step * HIGH, 2, svg.FAINT, svg.FAINT)
        y -= HIGH
