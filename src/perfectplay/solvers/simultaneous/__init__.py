"""Games in which both players choose at once at some positions: stratum.py has the equations."""
