"""What games of patience share: deals by number, piles as numbers, cards in drawings."""

from collections.abc import Callable

from perfectplay.drawing import svg
from perfectplay.games.cards.freecell_cards import MICROSOFT, name

DEALS = 2**31 - 1
"""Deals have numbers from 1 to this."""


def microsoft_order(deal: int, size: int) -> list[int]:
    """The first `size` cards of the pack in the order in which Microsoft's program deals them."""
    state, deck, cards = deal, list(range(size)), []
    for left in range(size, 0, -1):
        state = (state * 214013 + 2531011) % 2**32
        at = (state >> 16 & 0x7FFF) % left
        cards.append(deck[at] // 4 * 4 + MICROSOFT[deck[at] % 4])
        deck[at] = deck[left - 1]
    return cards


def in_numbers(piles: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The cards of each pile as a number, six bits a card, the first dealt lowest."""
    return tuple(sum(card << (6 * i) for i, card in enumerate(cards)) for cards in piles)


def with_all_above(cards: list[int], above: Callable[[int], int]) -> list[int]:
    """Some cards of a pile, and those that lie on the last of them; `above` says which card lies
    on one, -1 for none."""
    found = list(cards)
    while found and (card := above(found[-1])) >= 0:
        found.append(card)
    return found


def drawn_card(x: float, y: float, card: int | None, *, down: bool = False) -> str:
    """A card in a drawing, face up or down, or the place of one."""
    fill = svg.LINE if down else svg.SHADE if card is None else svg.FIELD
    body = svg.box(x, y, 32, 44, fill)
    if card is None or down:
        return body
    return body + svg.note(x + 3, y + 10, name(card), 13, svg.COLOURS[5] if card & 2 else svg.INK)
