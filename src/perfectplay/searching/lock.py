"""Locks of one word, for tables that several threads share without Python's lock.

`try_lock` never waits: a thread that finds an entry locked goes on without it. Between `try_lock`
and `unlock` an entry belongs to one thread, so nobody ever sees one that is half written.
"""

from __future__ import annotations

from perfectplay.compiled.kernels import translated_by

translated_by("perfectplay.searching.intrinsics")


def try_lock(array, row):  # type: ignore[no-untyped-def]
    """Take the lock in array[row, 0], an int64; False if another thread has it."""


def unlock(array, row):  # type: ignore[no-untyped-def]
    """Give the lock in array[row, 0] back."""
