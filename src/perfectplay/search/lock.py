"""Locks of one word, for tables that several threads share without Python's lock.

`try_lock` never waits: a thread that finds an entry locked goes on without it. Between `try_lock`
and `unlock` an entry belongs to one thread, so nobody ever sees one that is half written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfectplay.compile import translated_by

if TYPE_CHECKING:
    from perfectplay.search import words  # noqa: F401 - an edit there is one here

translated_by("perfectplay.search.words")


def try_lock(array, row):  # type: ignore[no-untyped-def]
    """Take the lock in array[row, 0], an int64; False if another thread has it."""


def unlock(array, row):  # type: ignore[no-untyped-def]
    """Give the lock in array[row, 0] back."""
