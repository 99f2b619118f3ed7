"""Solvers, one per kind of stratum, all of the same shape: `solve(graph, facts, store,
options)`."""
