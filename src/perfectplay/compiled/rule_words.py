"""Functions that kernels call and that depend on the types of positions: stubs, of which
rule_types.py tells Numba what they do."""

from __future__ import annotations

from perfectplay.compiled.kernels import translated_by

translated_by("perfectplay.compiled.rule_types")


def load_key(keys, i, sample):  # type: ignore[no-untyped-def]
    """Position in row `i` of `keys`, of the same type as `sample`."""


def save_key(out, i, value):  # type: ignore[no-untyped-def]
    """Write position `value` to row `i` of keys."""


def put_numbers(out, i, value):  # type: ignore[no-untyped-def]
    """Write a payoff or reward to row `i`; the number of columns it has."""


def events(rules, p):  # type: ignore[no-untyped-def]
    """Yield (weight, position) at a CHANCE position."""
