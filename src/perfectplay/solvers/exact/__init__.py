"""Games of chance in exact arithmetic: rationals, and whole numbers over one denominator."""
