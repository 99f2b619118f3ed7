"""Checks by other code than the solvers: of tables, of rules, of published figures."""
