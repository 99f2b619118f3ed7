"""Several players, each of whom maximises their own number.

vectors.py is the solver; policy.py is policy iteration and the rules for ties. In floats:
newton.py, with the kernels of vector_rows.py; exactly: exact_vectors.py. replies.py bounds what a
player gains by deviating from the policy."""
