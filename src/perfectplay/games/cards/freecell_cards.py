"""Sets of cards for FreeCell: a card is 4 * rank + suit; see freecell.py for positions."""

from perfectplay.games.bits import count

Position = tuple[int, int, int]
ALL = (1 << 52) - 1
CLUBS = ALL // 15
SPADES, DIAMONDS, HEARTS = CLUBS << 1, CLUBS << 2, CLUBS << 3
BLACK, RED = CLUBS | SPADES, DIAMONDS | HEARTS
DEALT, FIRST, SECOND, CELL, BOTTOM, HOME = range(6)
WAIT = -1
"""The move of who is stuck."""
RANKS, SUITS = "A23456789TJQK", "CSDH"
MICROSOFT = (0, 2, 3, 1)
"""Microsoft's suits, clubs, diamonds, hearts and spades, as ours."""


def among(p: Position, state: int) -> int:
    """The cards in a state."""
    a, b, c = p
    if not state & 1:
        a = ~a
    if not state & 2:
        b = ~b
    if not state & 4:
        c = ~c
    return a & b & c & ALL


def host(card: int, k: int) -> int:
    """The first (k = 0) or second of the two cards that `card` may lie on; no card for kings."""
    return card + 4 ^ (2 + k)


def guest(card: int, k: int) -> int:
    """The card of which `card` is the first (k = 0) or second host."""
    return card - 4 ^ (2 + k)


def hosts(cards: int, k: int) -> int:
    """The first or second hosts of some cards."""
    if k == 0:
        return (cards & BLACK) << 6 | (cards & RED) << 2
    black = (cards & CLUBS) << 7 | (cards & SPADES) << 5
    return black | (cards & DIAMONDS) << 3 | (cards & HEARTS) << 1


def guests(cards: int, k: int) -> int:
    """The cards of which some cards are the first or second hosts."""
    if k == 0:
        return (cards & RED) >> 6 | (cards & BLACK) >> 2
    red = (cards & HEARTS) >> 7 | (cards & DIAMONDS) >> 5
    return red | (cards & SPADES) >> 3 | (cards & CLUBS) >> 1


def up(home: int, suit: int) -> int:
    """How many cards of a suit are home."""
    return count(home & CLUBS << suit)


def next_home(home: int) -> int:
    """The cards that go home next, one of each suit."""
    return (home << 4 | 15) & ~home & ALL


def lowest_bit(cards: int) -> int:
    """The number of the lowest card in a set."""
    return count((cards & -cards) - 1)


def name(card: int) -> str:
    """Rank and suit."""
    return RANKS[card >> 2] + SUITS[card & 3]


def number(word: str) -> int:
    """The card of a name."""
    if len(word) != 2 or word[0] not in RANKS or word[1] not in SUITS:
        raise ValueError(f"{word!r} is no card: cards are called AC to KH")
    return 4 * RANKS.index(word[0]) + SUITS.index(word[1])
