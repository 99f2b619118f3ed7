"""Solvers for strata whose positions have numbers: values are arrays, and the rules are asked for
moves again whenever they are needed."""
