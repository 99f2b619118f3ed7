"""Exact values of games with chance.

Without cycles, in integers of fixed width where they fit (denominators.py finds out):
whole_numbers.py, with multiword.py, common_factors.py and whole_parts.py. Else in fractions:
rationals.py, and components.py for cycles."""
