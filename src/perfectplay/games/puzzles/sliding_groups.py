"""What searches of sliding puzzles remember: some tiles at a time, a group of them, and what it
takes to bring these to their cells.

The cells of the tiles of a group, first to last, have a number without holes, in two steps: that
of the first half of them, times how many orders there are of the second half; and that of the
second half, of which only those cells count that the first half leaves. The cells where no tile of
the group lies, in order, number the places of the empty cell.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations

import numpy as np

from perfectplay.compiled.arrays import Array, Ints
from perfectplay.games.bits import count, signed
from perfectplay.games.puzzles.sliding_board import Position, SlidingBoard
from perfectplay.rules.game import replaced
from perfectplay.rules.ranking import members, spread, within
from perfectplay.rules.search_capabilities import Abstractions


@cache
def orders(cells: int, tiles: int, bits: int) -> tuple[Array, Array, Array]:
    """(the cells of the tiles, side by side, by their number; the same in ascending order; the
    number by these cells)."""
    ways = np.array([*permutations(range(cells), tiles)], np.int64)
    ways = ways.reshape(math.perm(cells, tiles), tiles)
    places = bits * np.arange(tiles)
    packed = (ways << places).sum(axis=1).astype(np.int32)
    ascending = (np.sort(ways, axis=1) << places).sum(axis=1).astype(np.int32)
    numbers = np.zeros(1 << bits * tiles, np.int32)
    numbers[packed] = np.arange(len(packed))
    return packed, ascending, numbers


@dataclass(frozen=True)
class TileGroups(SlidingBoard, Abstractions):
    """The abstractions of a sliding puzzle: a group of tiles each. Tiles of a group lie side by
    side in a position."""

    @cached_property
    def members_of(self) -> Ints:
        """The tiles of each group, then 0."""
        found = np.zeros((len(self.parts), max(map(len, self.parts))), np.int64)
        for k, part in enumerate(self.parts):
            found[k, : len(part)] = part
        return found

    @cached_property
    def kept(self) -> Ints:
        """How many tiles each group has, and how many of them are the first half."""
        return np.array([(len(part), len(part) // 2) for part in self.parts], np.int64)

    @cached_property
    def distances(self) -> Ints:
        """For the tiles of each group in turn, how far every cell is from the tile's own."""
        found = np.zeros((len(self.parts), max(map(len, self.parts)), self.mask + 1), np.int64)
        for k, part in enumerate(self.parts):
            for j, tile in enumerate(part):
                for cell in range(self.cells):
                    x, y = cell % self.width, cell // self.width
                    u, v = (tile - 1) % self.width, (tile - 1) // self.width
                    found[k, j, cell] = abs(x - u) + abs(y - v)
        return found

    @cached_property
    def half_orders(self) -> tuple[tuple[Array, Array, Array], ...]:
        """`orders` of the first and the second half of each group in turn."""
        halves = [
            each
            for n, a in self.kept.tolist()
            for each in (
                orders(self.cells, a, self.bits),
                orders(self.cells - a, n - a, self.bits),
            )
        ]
        return tuple(halves)

    @cached_property
    def begun(self) -> Ints:
        """For each group, where its first half begins by number and by cells, where its second
        half does, and how many orders that has."""
        lengths = [(len(packed), len(numbers)) for packed, _, numbers in self.half_orders]
        ends = np.cumsum([(0, 0), *lengths], axis=0)
        return np.array(
            [
                (*ends[2 * k], *ends[2 * k + 1], lengths[2 * k + 1][0])
                for k in range(len(self.parts))
            ]
        )

    @cached_property
    def cells_by_number(self) -> Array:
        """The cells of half a group, side by side."""
        return np.concatenate([packed for packed, _, _ in self.half_orders])

    @cached_property
    def sorted_cells(self) -> Array:
        """The same in ascending order."""
        return np.concatenate([ascending for _, ascending, _ in self.half_orders])

    @cached_property
    def numbers_by_cells(self) -> Array:
        """Their number."""
        return np.concatenate([numbers for _, _, numbers in self.half_orders])

    def number(self, cells: int, k: int) -> int:
        """The number of the cells of a group, which lie side by side."""
        a, bits = int(self.kept[k, 1]), self.bits
        first, taken, second = cells & (1 << bits * a) - 1, 0, 0
        for j in range(a):
            taken |= 1 << (first >> bits * j & self.mask)
        for j in range(int(self.kept[k, 0]) - a):
            cell = cells >> bits * (a + j) & self.mask
            second |= (cell - count(taken & (1 << cell) - 1)) << bits * j
        one = int(self.numbers_by_cells[int(self.begun[k, 1]) + first])
        two = int(self.numbers_by_cells[int(self.begun[k, 3]) + second])
        return one * int(self.begun[k, 4]) + two

    def cells_of(self, i: int, k: int) -> int:
        """The cells of a group with this number, side by side."""
        a, bits, many = int(self.kept[k, 1]), self.bits, int(self.begun[k, 4])
        found = int(self.cells_by_number[int(self.begun[k, 0]) + i // many])
        taken = int(self.sorted_cells[int(self.begun[k, 0]) + i // many])
        second = int(self.cells_by_number[int(self.begun[k, 2]) + i % many])
        for j in range(int(self.kept[k, 0]) - a):
            cell = second >> bits * j & self.mask
            for other in range(a):
                cell += int(cell >= (taken >> bits * other & self.mask))
            found |= cell << bits * (a + j)
        return found

    def untaken(self, cells: int, k: int) -> int:
        """The cells where no tile of the group lies, as a set."""
        found = self.everywhere
        for j in range(int(self.kept[k, 0])):
            found ^= 1 << (cells >> self.bits * j & self.mask)
        return found

    @cached_property
    def everywhere(self) -> int:
        """All cells."""
        return (1 << self.cells) - 1

    @cached_property
    def beyond(self) -> tuple[int, int]:
        """All cells but those of the first column, and of the last."""
        first = sum(1 << y * self.width for y in range(self.cells // self.width))
        return self.everywhere ^ first, self.everywhere ^ first << self.width - 1

    def connected(self, holes: int, free: int) -> int:
        """Where an empty cell in one of `holes` can go without moving a tile of the group."""
        found = 0
        while holes != found:
            found = holes
            beside = (holes & self.beyond[1]) << 1 | (holes & self.beyond[0]) >> 1
            holes |= (beside | holes << self.width | holes >> self.width) & free
        return found

    def grouped(self, p: Position, k: int) -> int:
        """The cells of a group, side by side."""
        word, bit = int(self.place[self.cells + k, 0]), int(self.place[self.cells + k, 1])
        return (p[word] >> bit) & ((1 << (self.bits * int(self.kept[k, 0]))) - 1)

    @cached_property
    def forgotten(self) -> Ints:
        """For each group the words of a blurred position without its tiles, the empty cell first:
        one tile of another group stands for all of them. Where they are noted to lie, none can lie
        in the goal: so no blurred position is the goal itself, where play ends."""
        found = []
        for part in self.parts:
            other = next((t for t in range(1, self.cells) if t not in part), part[0])
            q = self.packed([0] + [other] * (self.cells - 1))
            for tile in range(1, self.cells):
                word, bit = int(self.place[tile, 0]), int(self.place[tile, 1])
                cell = 0 if tile in part else self.mask ^ (tile - 1)
                q = replaced(q, word, signed(q[word] & ~(self.mask << bit) | cell << bit))
            found.append(q)
        return np.array(found, np.int64)

    def blurred(self, cells: int, hole: int, k: int) -> Position:
        """The blurred position with the tiles of a group in these cells."""
        q = self.ordered
        for word in range(len(q)):
            q = replaced(q, word, int(self.forgotten[k, word]))
        other = self.tile(q, 1)
        q = self.changed(self.changed(q, 0, other), hole, other)
        for j in range(int(self.kept[k, 0])):
            cell = cells >> self.bits * j & self.mask
            q = self.changed(q, cell, other ^ int(self.members_of[k, j]))
        word = int(self.place[self.cells + k, 0])
        q = replaced(q, word, signed(q[word] | cells << int(self.place[self.cells + k, 1])))
        return replaced(q, self.hole_word, q[self.hole_word] | hole << self.hole_bit)

    # -- The capability. ---

    @cached_property
    def blurs(self) -> int:  # type: ignore[override]
        """One abstraction for each group."""
        return 0 if self.multi or len(self.parts) == 1 else len(self.parts)

    @cached_property
    def added(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """All groups at once."""
        return (tuple(range(self.blurs)),)

    def blur(self, p: Position, k: int) -> Position:
        return self.blurred(self.grouped(p, k), self.empty(p), k)

    def blur_sizes(self, k: int) -> tuple[int, int]:
        n = int(self.kept[k, 0])
        return math.perm(self.cells, n), self.cells - n

    def blur_index(self, p: Position, k: int) -> tuple[int, int]:
        cells, before = self.grouped(p, k), (1 << self.empty(p)) - 1
        return self.number(cells, k), count(self.untaken(cells, k) & before)

    def blur_least(self, p: Position, k: int) -> tuple[int, int]:
        # Rows and columns; a tile that takes another way takes two moves more.
        cells, far = self.grouped(p, k), 0
        for j in range(int(self.kept[k, 0])):
            far += int(self.distances[k, j, cells >> self.bits * j & self.mask])
        return far, 2

    def blur_at(self, i: int, k: int) -> Position:
        cells = self.cells_of(i, k)
        free = self.untaken(cells, k)
        return self.blurred(cells, members((free & -free) - 1), k)

    def blur_steps(self, i: int, rests: int, k: int) -> Iterator[tuple[int, int]]:
        cells, bits = self.cells_of(i, k), self.bits
        free = self.untaken(cells, k)
        holes = self.connected(spread(rests, free), free)
        yield i, within(holes, free)
        for j in range(int(self.kept[k, 0])):
            cell, d = cells >> bits * j & self.mask, 0
            rest = count(free & (1 << cell) - 1)
            while self.beside[cell, d] >= 0:
                to = int(self.beside[cell, d])
                d += 1
                if holes >> to & 1:
                    number = self.number_after(i, k, cells, j, to)
                    yield number, 1 << rest - int(to < cell)

    def number_after(self, i: int, k: int, cells: int, j: int, to: int) -> int:
        """The number of a group with number i after its tile j has gone to the cell `to` beside
        it: so it need not be found anew."""
        half, many = int(self.kept[k, 1]), int(self.begun[k, 4])
        cell = cells >> self.bits * j & self.mask
        second = int(self.cells_by_number[int(self.begun[k, 2]) + i % many])
        if j < half:
            first = cells & (1 << self.bits * half) - 1
            one = int(self.numbers_by_cells[
                int(self.begun[k, 1]) + (first ^ (cell ^ to) << self.bits * j)
            ])  # fmt: skip
            for other in range(half, int(self.kept[k, 0])):
                between = cells >> self.bits * other & self.mask
                passed = int(cell < between < to) - int(to < between < cell)
                second += passed << self.bits * (other - half)
        else:
            one, place, left = i // many, self.bits * (j - half), to
            for other in range(half):
                left -= int((cells >> self.bits * other & self.mask) < to)
            second = second & ~(self.mask << place) | left << place
        return one * many + int(self.numbers_by_cells[int(self.begun[k, 3]) + second])

    def counts_in(self, p: Position, m: int, group: int) -> int:
        return int(self.group_of[self.tile(p, m)])

    def mirrored(self, cell: int) -> int:
        """The cell across the main diagonal of a square board; elsewhere the cell itself."""
        if self.width * self.width != self.cells:
            return cell
        return cell % self.width * self.width + cell // self.width

    def also(self, p: Position) -> Iterator[Position]:
        # Across the main diagonal, with the tiles renumbered.
        q = p
        for word in range(len(p)):
            q = replaced(q, word, 0)
        for cell in range(self.cells):
            tile = self.tile(p, cell)
            image = self.mirrored(tile - 1) + 1 if tile else 0
            q = self.put(q, self.mirrored(cell), image)
        yield q

    def twin(self, p: Position, m: int) -> int:
        return self.mirrored(m)
