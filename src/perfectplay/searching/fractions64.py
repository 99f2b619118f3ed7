"""Numbers of compiled searches: fractions of 64-bit integers that never lie.

A number is a numerator and a denominator, in lowest terms; a numerator of INFINITE or more, or of
-INFINITE or less, stands for infinity. What does not fit is rounded, a lower bound downwards and
an upper bound upwards, to a fraction whose denominator is a power of two: bounds stay bounds, and
two bounds that meet are the exact value. Nothing here can overflow unnoticed: every product is
judged in floats first, and refused long before it reaches 64 bits.
"""

from __future__ import annotations

from perfectplay.compiled.kernels import kernel

INFINITE = 2**62
FITS = 2.0**61
"""Products below this, judged in floats, are right in 64 bits."""
HEAVIEST = 30
"""How many binary digits a weight may have."""
UP, DOWN = True, False
"""Which way to round."""
DIGITS = 57
"""How many binary digits a rounded numerator has."""


@kernel
def divisor(a, b):  # type: ignore[no-untyped-def]
    """The greatest common divisor of two integers, at least 1."""
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return max(a, 1)


@kernel
def as_float(n, d):  # type: ignore[no-untyped-def]
    """The number as a float, rounded somehow: for windows and guesses, never for bounds."""
    if abs(n) >= INFINITE:
        return float("inf") if n > 0 else float("-inf")
    return n / d


@kernel
def less(an, ad, bn, bd):  # type: ignore[no-untyped-def]
    """Whether a < b, exactly."""
    if ad == bd:
        return an < bn
    if an >= INFINITE or bn <= -INFINITE:
        return False
    if an <= -INFINITE or bn >= INFINITE:
        return True
    if abs(float(an) * bd) < FITS and abs(float(bn) * ad) < FITS:
        return an * bd < bn * ad
    while True:  # compare whole parts; what is left over, upside down
        x, y = an // ad, bn // bd
        if x != y:
            return x < y
        an, bn = an - x * ad, bn - y * bd
        if an == 0 or bn == 0:
            return an == 0 and bn > 0
        an, ad, bn, bd = bd, bn, ad, an  # a < b just if 1/b < 1/a


@kernel
def rounded(n, d, places, up):  # type: ignore[no-untyped-def]
    """n/d times two to the power of `places`, as an integer: rounded up, or down."""
    whole = n // d
    rest = n - whole * d
    for _ in range(places):
        rest *= 2
        whole *= 2
        if rest >= d:
            rest -= d
            whole += 1
    return whole + 1 if up and rest else whole


@kernel
def places_for(x):  # type: ignore[no-untyped-def]
    """How many binary places a rounded number of about the size `x` gets."""
    size, places = abs(x), DIGITS
    while size >= 1 and places > 0:
        size /= 2
        places -= 1
    return places


@kernel
def lowest(n, d):  # type: ignore[no-untyped-def]
    """A fraction in lowest terms."""
    if d == 1:
        return n, d
    g = divisor(n, d)
    return n // g, d // g


@kernel
def without_end(up):  # type: ignore[no-untyped-def]
    """The bound that is always right."""
    return (INFINITE if up else -INFINITE), 1


@kernel
def plus(an, ad, bn, bd, up):  # type: ignore[no-untyped-def]
    """a + b, exactly if that fits, otherwise rounded up or down."""
    if abs(an) >= INFINITE or abs(bn) >= INFINITE:
        return (an, 1) if abs(an) >= INFINITE else (bn, 1)
    if ad == 1 and bd == 1 and abs(float(an)) + abs(float(bn)) < FITS:
        return an + bn, 1
    g = divisor(ad, bd)
    x, y = ad // g, bd // g
    if abs(float(an) * y) + abs(float(bn) * x) < FITS and float(ad) * y < FITS:
        return lowest(an * y + bn * x, ad * y)
    size = abs(an / ad) + abs(bn / bd)
    if size >= FITS / 4:
        return without_end(up)
    places = places_for(size)
    n = rounded(an, ad, places, up) + rounded(bn, bd, places, up)
    return lowest(n, 1 << places)


@kernel
def times(n, d, w, up):  # type: ignore[no-untyped-def]
    """n/d times a positive integer of at most HEAVIEST binary digits."""
    if abs(n) >= INFINITE or w == 1:
        return n, d
    g = divisor(w, d)
    w, d = w // g, d // g
    if abs(float(n) * w) < FITS:
        return n * w, d
    bits = 0
    while w >> bits:
        bits += 1
    places = places_for(n / d)
    if bits > HEAVIEST or places < bits:
        return without_end(up)
    whole = rounded(n, d, places, up)  # its last bits times w are less than 2^60
    last = (whole & ((1 << bits) - 1)) * w
    if up:
        last += (1 << bits) - 1
    return lowest((whole >> bits) * w + (last >> bits), 1 << (places - bits))


@kernel
def over(n, d, w, up):  # type: ignore[no-untyped-def]
    """n/d divided by a positive integer."""
    if abs(n) >= INFINITE or w == 1:
        return n, d
    g = divisor(n, w)
    n, w = n // g, w // g
    if float(d) * w < FITS:
        return n, d * w
    places = places_for(n / d)
    m = rounded(n, d, places, up)
    m = -((-m) // w) if up else m // w
    return lowest(m, 1 << places)
