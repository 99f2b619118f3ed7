"""Games with chance: one player, or two with opposed interests.

stochastic.py is the solver. It takes components apart (cyclic_components.py, local.py), solves
small ones by Newton's method (sweeps.py, anchors.py) and others by strategy iteration
(strategy_iteration.py, certify.py). policy.py finds moves that achieve the values, evaluates them
again and follows them."""
