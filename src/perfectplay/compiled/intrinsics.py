"""Functions that only kernels can call: stubs, which intrinsics_numba.py implements.

A key is a row of int64 words: one for integer positions, one per entry for tuples.
"""

from collections.abc import Iterator
from typing import Any

from perfectplay.compiled.arrays import Array
from perfectplay.compiled.kernels import overloaded_in

overloaded_in("perfectplay.compiled.intrinsics_numba")


def prefetch(array: Array, row: Any) -> None:
    """Ask for the memory of `array[row]`, soon to be read and written, and go on. `row` is not
    checked, nor may it be negative."""


def uncounted(arrays: Any) -> Any:
    """The same array, or tuple of arrays, to which compiled code counts no references: in a loop
    that hands arrays on, counting takes longer than most rules, and threads that share an array
    wait for each other. Only for arguments of the function itself, whose caller holds them until
    it returns."""


def address_of(array: Array) -> int:  # type: ignore[empty-body]
    """Where an array lies: what functions that read it by `byte_at` and `word_at` take, without
    counting references."""


def byte_at(address: int, i: int) -> int:  # type: ignore[empty-body]
    """Byte `i` of an array of bytes. Nothing is checked."""


def word_at(address: int, i: int) -> int:  # type: ignore[empty-body]
    """Entry `i` of an array of int64. Nothing is checked."""


def fetch_byte(address: int, i: int) -> None:
    """Ask for the memory of byte `i`, soon to be read, and go on."""


def try_lock(array: Array, row: int) -> bool:  # type: ignore[empty-body]
    """Take the lock in array[row, 0], an int64; False if another thread has it. Never waits.

    Between `try_lock` and `unlock` a row belongs to one thread: nobody sees it half written."""


def unlock(array: Array, row: int) -> None:
    """Give the lock in array[row, 0] back."""


def load_key(keys: Array, i: int, sample: Any) -> Any:
    """The position in row `i` of `keys`, of the same type as `sample`."""


def save_key(out: Array, i: int, value: Any) -> None:
    """Write position `value` to row `i` of keys."""


def put_numbers(out: Array, i: int, value: Any) -> int:  # type: ignore[empty-body]
    """Write a payoff or reward to row `i`; the number of columns it has."""


def anchored(rules: Any, p: Any) -> bool:  # type: ignore[empty-body]
    """Whether the rules name `p` as an anchor."""


def events(rules: Any, p: Any) -> Iterator[tuple[int, Any]]:  # type: ignore[empty-body]
    """Yield (weight, position) at a CHANCE position."""


def parents(rules: Any, p: Any) -> Iterator[Any]:  # type: ignore[empty-body]
    """Yield the positions that moves backwards lead to, if the rules know them."""
