"""Numba's door: kernels, rules as compiled types, and the digest by which compiled code is
kept."""
