"""Games stored by turns: a row is an anchor, its edges are the exits of a turn.

by_turns.py is the solver; turn_graph.py has the arrays that all kernels take. Scalar games:
scalar_bounds.py, with walks.py. Several players: newton.py, with turn_pass.py, vector_exits.py and
replies.py; exactly: exact_vectors.py. What these leave is unrolled to an ordinary graph."""
