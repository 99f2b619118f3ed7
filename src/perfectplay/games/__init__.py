"""The list of games. Listing imports none of them: an entry names a module and a class in it."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a game is, and what it is about."""

    path: str
    """Module and class, as in "perfectplay.games.nim:Nim"."""
    summary: str
    """One line for people."""


_HERE = "perfectplay.games"

GAMES: dict[str, Entry] = {
    "nim": Entry(f"{_HERE}.nim:Nim", "take counters from a heap; who cannot take loses"),
    "subtraction": Entry(f"{_HERE}.nim:Subtraction", "one heap; only some numbers may be taken"),
    "noughts-and-crosses": Entry(f"{_HERE}.mnk:MNK", "three in a row on a board of 3 x 3"),
    "mnk": Entry(f"{_HERE}.mnk:MNK", "any number in a row on any board, also misère"),
    "fifteen": Entry(f"{_HERE}.disguises:Fifteen", "take numbers; three with the sum 15 win"),
    "spit-not-so": Entry(
        f"{_HERE}.disguises:SpitNotSo", "take words; three with a common letter win"
    ),
    "mu-torere": Entry(f"{_HERE}.mutorere:MuTorere", "block the other player's markers on a star"),
    "ovid": Entry(f"{_HERE}.ovid:Ovid", "three men each, placed and then moved, in a row win"),
    "connect": Entry(f"{_HERE}.connect:ConnectK", "drop stones; four in a row win"),
    "hanoi": Entry(f"{_HERE}.hanoi:Hanoi", "move a tower of discs in as few moves as possible"),
    "sliding": Entry(f"{_HERE}.sliding:SlidingPuzzle", "slide numbered tiles into order"),
    "pig": Entry(f"{_HERE}.pig:Pig", "roll on or hold; a 1 loses the turn"),
    "piglet": Entry(f"{_HERE}.pig:Piglet", "Pig with a coin"),
    "flip": Entry(f"{_HERE}.flip:Flip", "turn down markers whose sum is the roll"),
    "flip-flop": Entry(
        f"{_HERE}.flip:FlipFlop", "turn markers both ways, in as few rolls as possible"
    ),
    "farmer-klaus": Entry(
        f"{_HERE}.orchard:FarmerKlaus", "bring in the grain before the mice come"
    ),
    "obstgarten": Entry(f"{_HERE}.orchard:Obstgarten", "pick the fruit before the raven comes"),
    "snakes-and-ladders": Entry(f"{_HERE}.snakes:SnakesAndLadders", "a race by the die alone"),
    "memory": Entry(f"{_HERE}.memory:Memory", "remember cards and take pairs; turn again or not"),
    "risk": Entry(f"{_HERE}.risk:Risk", "a battle of Risk across one border"),
}
