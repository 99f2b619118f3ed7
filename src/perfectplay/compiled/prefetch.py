"""Prefetch: ask for memory before it is needed. A word for kernels, which compiling.py
translates."""

from __future__ import annotations

from typing import Any


def prefetch(array: Any, row: Any) -> None:
    """For kernels: ask for the memory of `array[row]`, soon to be read and written, and go on.

    `row` is not checked, nor may it be negative."""
