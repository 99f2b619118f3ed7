"""Checks by other code than the solvers: of tables, and of rules."""
