"""Checks by other code than the solvers: of tables, of rules, and against published figures."""
