"""Kernels that call the numbers of rules (`Indexed`): from keys to numbers and back."""

from typing import Any

from perfectplay.compiled.arrays import Ints, Kinds
from perfectplay.compiled.intrinsics import load_key, put_numbers, save_key
from perfectplay.rules.game import OVER


def ranks(rules: Any, sample: Any, keys: Ints, out: Ints) -> None:
    """Fill `out` with the numbers of representatives."""
    for i in range(len(keys)):
        out[i] = rules.rank(load_key(keys, i, sample))


def unranked(rules: Any, stratum: int, numbers: Ints, keys: Ints, out: Ints) -> None:
    """Fill `keys` with the positions that have these numbers, and `out` with the numbers that they
    have by themselves: others than asked for, or -1, are holes."""
    for i in range(len(numbers)):
        p = rules.representative(rules.unrank(stratum, numbers[i]))
        save_key(keys, i, p)
        number = rules.rank(p)
        out[i] = number if number == numbers[i] and rules.stratum(p) == stratum else -1


def survey(
    rules: Any, sample: Any, stratum: int, low: int, high: int, found: Ints, pay: Ints
) -> None:
    """Look at the positions with numbers low … high - 1: found[0] counts holes, found[1] and
    found[2] are the least and the largest payoff to the player whose turn it is, found[3] is how
    many numbers payoffs have. `pay` has room for them."""
    for i in range(low, high):
        p = rules.unrank(stratum, i)
        if rules.rank(rules.representative(p)) != i or rules.stratum(p) != stratum:
            found[0] += 1
            continue
        over = True
        if rules.to_move(p) != OVER:
            for _ in rules.moves(p):
                over = False
                break
        if over:
            found[3] = max(found[3], put_numbers(pay, 0, rules.payoff(p)))
            seer = rules.to_move(p)
            worth = -pay[0, 0] if (seer if seer >= 0 else rules.turn(p)) == 1 else pay[0, 0]
            found[1] = min(found[1], worth)
            found[2] = max(found[2], worth)


def seers(rules: Any, stratum: int, low: int, out: Kinds) -> None:
    """Fill `out` with the players to move, or whose turn it would be, from number `low` on."""
    for i in range(len(out)):
        p = rules.unrank(stratum, low + i)
        mover = rules.to_move(p)
        out[i] = mover if mover >= 0 else rules.turn(p)
