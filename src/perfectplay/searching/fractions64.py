"""Numbers of compiled searches: fractions of 64-bit integers, exact or rounded outwards.

A number is a pair (n, d) that stands for n/d, in lowest terms; if n >= INFINITE or n <= -INFINITE
it stands for infinity. What does not fit is rounded, a lower bound downwards and an upper bound
upwards, to a fraction whose denominator is a power of two. So bounds stay bounds, and two bounds
that meet are the exact value. Nothing overflows: the size of every product is first estimated in
floats, and what reaches 2^61 is rounded instead.
"""

from typing import Any

from perfectplay.compiled.kernels import kernel

Pair = tuple[Any, Any]
"""Two int64; in searches by turns, a number of 128 bits (turns/fixed_point.py)."""
INFINITE = 2**62
FITS = 2.0**61
"""Products below this, estimated in floats, fit into 64 bits."""
HEAVIEST = 30
"""How many binary digits a weight may have."""
UP, DOWN = True, False
"""Which way to round."""
DIGITS = 57
"""How many binary digits a rounded numerator has."""


@kernel
def divisor(a: int, b: int) -> int:
    """The greatest common divisor of two integers, at least 1."""
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return max(a, 1)


@kernel
def as_float(a: Pair) -> float:
    """The nearest float, or almost: for windows and guesses, never for bounds."""
    n, d = a
    if abs(n) >= INFINITE:
        return float("inf") if n > 0 else float("-inf")
    return n / d


@kernel
def less(a: Pair, b: Pair) -> bool:
    """Whether a < b, exactly."""
    (an, ad), (bn, bd) = a, b
    if ad == bd:
        return an < bn
    if an >= INFINITE or bn <= -INFINITE:
        return False
    if an <= -INFINITE or bn >= INFINITE:
        return True
    if abs(float(an) * bd) < FITS and abs(float(bn) * ad) < FITS:
        return an * bd < bn * ad
    while True:  # as continued fractions: compare whole parts, then the inverses of the rests
        x, y = an // ad, bn // bd
        if x != y:
            return x < y
        an, bn = an - x * ad, bn - y * bd
        if an == 0 or bn == 0:
            return an == 0 and bn > 0
        an, ad, bn, bd = bd, bn, ad, an  # a < b if and only if 1/b < 1/a


@kernel
def larger(a: Pair, b: Pair) -> Pair:
    """The larger of two numbers."""
    return b if less(a, b) else a


@kernel
def negative(a: Pair) -> Pair:
    """-a."""
    return -a[0], a[1]


@kernel
def rounded(a: Pair, places: int, up: bool) -> int:  # noqa: FBT001 - kernels have no keywords
    """a * 2^places as an integer: rounded up, or down."""
    n, d = a
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
def places_for(x: float) -> int:
    """How many binary places a rounded number of about the size `x` gets."""
    size, places = abs(x), DIGITS
    while size >= 1 and places > 0:
        size /= 2
        places -= 1
    return places


@kernel
def lowest(n: int, d: int) -> Pair:
    """n/d in lowest terms."""
    if d == 1:
        return n, d
    g = divisor(n, d)
    return n // g, d // g


@kernel
def infinite(up: bool) -> Pair:  # noqa: FBT001
    """The bound that always holds."""
    return (INFINITE if up else -INFINITE), 1


@kernel
def plus(a: Pair, b: Pair, up: bool) -> Pair:  # noqa: FBT001
    """a + b, exactly if that fits, otherwise rounded up or down."""
    (an, ad), (bn, bd) = a, b
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
        return infinite(up)
    places = places_for(size)
    return lowest(rounded(a, places, up) + rounded(b, places, up), 1 << places)


@kernel
def times(a: Pair, w: int, up: bool) -> Pair:  # noqa: FBT001
    """a times a positive integer of at most HEAVIEST binary digits."""
    n, d = a
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
        return infinite(up)
    whole = rounded((n, d), places, up)  # its last `bits` bits times w are less than 2^60
    last = (whole & ((1 << bits) - 1)) * w
    if up:
        last += (1 << bits) - 1
    return lowest((whole >> bits) * w + (last >> bits), 1 << (places - bits))


@kernel
def over(a: Pair, w: int, up: bool) -> Pair:  # noqa: FBT001
    """a divided by a positive integer."""
    n, d = a
    if abs(n) >= INFINITE or w == 1:
        return n, d
    g = divisor(n, w)
    n, w = n // g, w // g
    if float(d) * w < FITS:
        return n, d * w
    places = places_for(n / d)
    m = rounded((n, d), places, up)
    m = -((-m) // w) if up else m // w
    return lowest(m, 1 << places)
