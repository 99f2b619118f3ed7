"""Words: the cells of a player's stones, or of both players', side by side in one integer.

Sums, comparisons and exchanges treat all cells of a word at once, without a branch: a processor
that guesses wrong loses more than it skips. running.py has the rules."""

from functools import cached_property

from perfectplay.rules.game import Game

BITS = 63
"""Bits of a position."""
SHORT = 32
"""Bits of keys that are found faster than longer ones."""


class Words(Game):
    """Sizes and words of a board; fields are declared by the game itself."""

    rows: int
    columns: int
    stones: int

    # -- Sizes. All that compiled rules read is an integer or an array. ---------------------------

    @cached_property
    def wide(self) -> int:
        """Columns of the board."""
        return self.columns if self.columns > 0 else self.rows

    @cached_property
    def end(self) -> int:
        """The last cell, counted row by row."""
        return self.rows * self.wide - 1

    @cached_property
    def half(self) -> int:
        """Bits of a row, and of a column, if each has bits of its own in a cell; else 0. It makes
        rules faster, but where it takes more bits, only keys that are long already have room."""
        packed = max(1, self.end.bit_length())
        half = max(1, (max(self.rows, self.wide) - 1).bit_length())
        cells = 2 * self.stones
        fits = cells * packed > SHORT and cells * 2 * half + self.stones.bit_length() <= BITS
        return half if 2 * half == packed or fits else 0

    @cached_property
    def stride(self) -> int:
        """How much further a cell is than the one above it."""
        return 1 << self.half if self.half > 0 else self.wide

    @cached_property
    def last(self) -> int:
        """The goal, and where captured stones are said to be."""
        return (self.rows - 1) * self.stride + self.wide - 1

    @cached_property
    def field(self) -> int:
        """Bits of a cell."""
        return max(1, self.last.bit_length(), 2 * self.half)

    @cached_property
    def player_bits(self) -> int:
        """Bits of all stones of a player."""
        return self.field * self.stones

    @cached_property
    def mask(self) -> int:
        """All bits of a cell."""
        return (1 << self.field) - 1

    @cached_property
    def word_mask(self) -> int:
        """All bits of a player's stones."""
        return (1 << self.player_bits) - 1

    @cached_property
    def reciprocal(self) -> int:
        """What to multiply a cell with to get its row, in units of 2**20."""
        return (1 << 20) // self.stride + 1

    def row(self, cell: int) -> int:
        """The row of a cell; a division would take longer."""
        return (cell * self.reciprocal) >> 20

    def mirror(self, cell: int) -> int:
        """The cell across the diagonal of a square board."""
        row = self.row(cell)
        return (cell - row * self.stride) * self.stride + row

    @cached_property
    def columns_mask(self) -> int:
        """The bits of all columns in a word."""
        return self.ones * ((1 << self.half) - 1)

    @cached_property
    def square(self) -> bool:
        """Whether the board has a diagonal."""
        return self.wide == self.rows

    @cached_property
    def ones(self) -> int:
        """The word with the number 1 for all stones."""
        word = 0
        for _ in range(self.stones):
            word = (word << self.field) | 1
        return word

    @cached_property
    def pairs(self) -> int:
        """The number 1 for every second one of all stones."""
        word = 0
        for _ in range(self.stones):
            word = (word << 2 * self.field) | 1
        return word

    @cached_property
    def empty(self) -> int:
        """The word of a player without stones."""
        word = 0
        for _ in range(self.stones):
            word = (word << self.field) | self.last
        return word

    # -- Words. -----------------------------------------------------------------------------------

    def cell(self, word: int, stone: int) -> int:
        """Where a stone is."""
        return (word >> ((stone - 1) * self.field)) & self.mask

    def without(self, word: int, cell: int) -> int:
        """A word in which the stone on a cell, if there is one, is captured."""
        differ = word ^ (cell * self.ones)  # a field of zeros: a stone is there
        found = (differ - self.ones) & ~differ & (self.ones << (self.field - 1))
        found &= -found  # the top bit of the lowest such field, or nothing
        field = (found << 1) - (found >> (self.field - 1))
        return (word & ~field) | (self.empty & field)

    def steps_made(self, both: int) -> int:
        """How many rows and columns the cells of both players are away from 0 altogether."""
        if self.half > 0:
            return self.digits(both)
        made = 0
        for k in range(2 * self.stones):
            cell = (both >> (k * self.field)) & self.mask
            made += cell - self.row(cell) * (self.stride - 1)
        return made

    def digits(self, both: int) -> int:
        """The sum of all rows and columns, where each has its own bits."""
        columns = self.columns_mask
        columns |= columns << self.player_bits
        return self.added((both & columns) + ((both >> self.half) & columns))

    def captured(self, both: int) -> int:
        """How many stones of both players are captured."""
        ones = self.ones | (self.ones << self.player_bits)
        low = ones * (self.mask >> 1)
        differ = both ^ (ones * self.last)
        some = ((differ & low) + low) | differ  # its top bits: of cells that differ
        return self.added((~some >> (self.field - 1)) & ones)

    def added(self, fields: int) -> int:
        """The sum of all fields of both players: two are added where there is room for the whole
        sum, then one product adds all such pairs in its highest part."""
        pair, ones = 2 * self.field, self.pairs
        single = ones * self.mask
        fields = (fields & single) + ((fields >> self.field) & single)
        return ((fields * ones) >> (pair * (self.stones - 1))) & ((1 << pair) - 1)

    def backwards(self, word: int) -> int:
        """A word with stone k called stones + 1 - k."""
        out = 0
        for _ in range(self.stones):
            out = (out << self.field) | (word & self.mask)
            word >>= self.field
        return out

    def exchanged(self, word: int) -> int:
        """A word with rows and columns exchanged, where each has its own bits."""
        return ((word & self.columns_mask) << self.half) | (
            (word >> self.half) & self.columns_mask
        )

    def across(self, word: int) -> int:
        """A word with rows and columns exchanged."""
        if self.half > 0:
            return self.exchanged(word)
        out = 0
        for k in range(self.stones):
            out |= self.mirror((word >> (k * self.field)) & self.mask) << (k * self.field)
        return out

    # -- Names, three bits each, from the first stone in the order of cells on. -------------------

    def in_order(self, word: int) -> tuple[int, int]:
        """(the word whose stones are called 1, 2, … in the order of their cells, the numbers that
        they have)."""
        ordered, names = self.empty, 0
        for k in range(1, self.stones + 1):
            cell = self.cell(word, k)
            if cell != self.last:
                before = 0
                for other in range(1, self.stones + 1):
                    before += 1 if self.cell(word, other) < cell else 0
                shift = before * self.field
                ordered = (ordered & ~(self.mask << shift)) | (cell << shift)
                names |= k << (3 * before)
        return ordered, names

    def numbered(self, ordered: int, names: int) -> int:
        """The word that `in_order` takes apart."""
        word = self.empty
        for k in range(1, self.stones + 1):
            name = names & 7
            if name > 0:
                shift = (name - 1) * self.field
                word = (word & ~(self.mask << shift)) | (self.cell(ordered, k) << shift)
            names >>= 3
        return word
