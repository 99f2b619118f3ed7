"""Address space: how much of it a process may still take, where somebody has limited it.

A compiler that finds no memory ends the process, and threads that cannot be started may wait for
each other for ever. So it is asked for room before it is loaded."""

import os

from perfectplay.compiled import machine
from perfectplay.errors import TooLargeError
from perfectplay.progress import size

COMPILER = 1_150_000_000
"""Bytes that must be free before the compiler is loaded: for itself, for what it compiles, for the
library that writes tables, and for threads. (Most of this is never touched.)"""
RESERVED = 600_000_000
"""Bytes of a limited address space that no position may take."""


def address_space_left() -> int | None:
    """Bytes that this process may still map (`ulimit -v`); None if that is not limited."""
    resource = machine.resource
    if resource is None:  # Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:
            used = int(pages.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # a system that does not say
        used = machine.peak_memory()
    return max(0, int(limit) - used)


def refuse_narrow() -> None:
    """TooLargeError if there is no room for the compiler."""
    left = address_space_left()
    if left is not None and left < COMPILER:
        raise TooLargeError(
            f"{size(left)} of address space are left to this process, which is limited; compiled "
            f"code needs {size(COMPILER)}",
            "allow more: `ulimit -v` shows the limit, in KB",
        )
