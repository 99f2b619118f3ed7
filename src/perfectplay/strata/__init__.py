"""Strata: the moves of one stratum as arrays, what is true of a game, and where strata live."""
