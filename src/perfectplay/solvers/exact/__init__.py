"""Exact values of games with chance.

Without cycles, in integers of fixed width where they fit (denominators.py finds out):
whole_numbers.py, with multiword.py and common_factors.py. Else in fractions: rationals.py, and
components.py for cycles."""
