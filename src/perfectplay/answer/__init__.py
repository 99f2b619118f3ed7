"""Answers: what a solved game says of a position, a policy, or a range of rules."""
