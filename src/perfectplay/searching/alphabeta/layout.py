"""Data in an entry of the transposition table, from the lowest bit: two bounds, the best move, how
much work it took. 0 says nothing."""

from typing import NamedTuple

WORK_BITS, BEST_BITS = 5, 8
MOST_WORK, MOST_BEST = (1 << WORK_BITS) - 1, (1 << BEST_BITS) - 1


class Layout(NamedTuple):
    """How positions and data are packed into entries."""

    bucket_bits: int
    """There are 2**bucket_bits buckets."""
    key_bits: int
    """Packed: how many bits of a position are kept; longer ones do not fit."""
    value_bits: int
    """How many bits a bound takes."""
    most: int
    """Values lie between -most and most; a bound that says no more is no bound."""

    @property
    def data_bits(self) -> int:
        """How many bits the data take."""
        return 2 * self.value_bits + BEST_BITS + WORK_BITS

    @property
    def fits(self) -> bool:
        """Whether a packed entry holds position and data."""
        return self.bucket_bits + 64 - self.key_bits >= self.data_bits


def packed_layout(slots: int, most: int) -> Layout | None:
    """A layout for entries of 8 bytes and values up to `most`, for positions as long as possible;
    None if data leave too little room for them."""
    bucket_bits = (slots // 2).bit_length() - 1
    if bucket_bits < 1:
        return None
    layout = Layout(bucket_bits, 64, (2 * most).bit_length(), most)
    spare = bucket_bits - layout.data_bits
    layout = layout._replace(key_bits=min(64, 64 + spare))
    return layout if layout.key_bits >= 32 else None


def wide_layout(slots: int, most: int) -> Layout:
    """A layout for entries with whole positions."""
    return Layout(max((slots // 2).bit_length() - 1, 0), 64, (2 * most).bit_length(), most)
