"""How many of all cases there are, by a random sample of them: exact binomial intervals (Clopper
and Pearson 1934). Cases that were left open count as either."""

import math

SURE = 0.95
STEPS = 40


def share(found: int, open_: int, many: int) -> tuple[float, float]:
    """(least, most): between these lies the share of all cases, in SURE of all samples of so many,
    if `found` were found and `open_` may or may not be of the kind."""
    doubt = (1 - SURE) / 2
    low = high = 0.0
    for step in range(1, STEPS + 1):
        width = 0.5**step
        if at_least(found, many, low + width) < doubt:
            low += width
        if at_least(found + open_ + 1, many, high + width) < 1 - doubt:
            high += width
    return (low if found else 0.0), (high + 0.5**STEPS if found + open_ < many else 1.0)


def at_least(least: int, many: int, share_: float) -> float:
    """How likely so many or more of a sample are of a kind that has this share of all."""
    if least > many:
        return 0.0
    logs = math.log(share_), math.log1p(-share_)
    return math.fsum(
        math.exp(
            math.lgamma(many + 1) - math.lgamma(k + 1) - math.lgamma(many - k + 1)
            + k * logs[0] + (many - k) * logs[1]
        )
        for k in range(least, many + 1)
    )  # fmt: skip
