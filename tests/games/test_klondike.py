"""Klondike against play with a limited number of moves, by recursion over lists of words."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from perfectplay import solve
from perfectplay.errors import UsageError
from perfectplay.games.cards.klondike import Klondike
from perfectplay.verification.check import check

ORDER = "A23456789TJQK"
RED = "HD"
MOVES = 40


class Slow:
    """The chance to win within so many moves. Columns are (face down, face up), in words."""

    def __init__(self, game: Klondike) -> None:
        self.game = game
        self.pack = [r + s for s in "SHCD"[: game.suits] for r in ORDER[: game.ranks]]
        self.win = cache(self._win)

    def value(self) -> Fraction:
        game = self.game
        if game.deal:
            return self.from_deal(game.deal.split())
        if game.known:
            orders = list(permutations(self.pack))
            return sum((self.from_deal(order) for order in orders), Fraction(0)) / len(orders)
        return self.from_deal(["??"] * len(self.pack))

    def from_deal(self, order: Any) -> Fraction:
        cards, n = list(order), self.game.columns
        columns: list[list[str]] = [[] for _ in range(n)]
        for row in range(n):
            for column in range(row, n):
                columns[column].append(cards.pop(0))
        table = tuple((tuple(c[:-1]), (c[-1],)) for c in columns)
        return self.reveal(table, (), tuple(cards), (), self.game.redeals, MOVES)

    def reveal(
        self, table: Any, done: Any, stock: Any, waste: Any, redeals: int, left: int
    ) -> Fraction:
        """Turn up what must be turned up, each card that may be there equally likely."""
        table = tuple(
            (down[:-1], down[-1:]) if down and not up else (down, up) for down, up in table
        )
        seen = {*done, *stock, *waste, *(c for down, up in table for c in down + up)}
        unseen = [c for c in self.pack if c not in seen]
        for i, (down, up) in enumerate(table):
            if up == ("??",):
                total = Fraction(0)
                for card in unseen:
                    known = (*table[:i], (down, (card,)), *table[i + 1 :])
                    total += self.reveal(known, done, stock, waste, redeals, left)
                return total / len(unseen)
        if waste[-1:] == ("??",):
            some = [
                self.reveal(table, done, stock, (*waste[:-1], card), redeals, left)
                for card in unseen
            ]
            return sum(some, Fraction(0)) / len(unseen)
        return self.win(table, frozenset(done), stock, waste, redeals, left)

    def _win(
        self, table: Any, done: Any, stock: Any, waste: Any, redeals: int, left: int
    ) -> Fraction:
        if len(done) == len(self.pack):
            return Fraction(1)
        best = Fraction(0)
        if left == 0:
            return best
        every = list(self.after(table, done, stock, waste, redeals))
        home = [after for after in every if len(after[1]) > len(done)]
        for after in home if home and self.game.eager else every:
            best = max(best, self.reveal(*after, left - 1))
            if best == 1:
                break
        return best

    def after(  # noqa: C901
        self, table: Any, done: Any, stock: Any, waste: Any, redeals: int
    ) -> Any:
        def goes_up(card: str) -> bool:
            rank = ORDER.index(card[0])
            return rank == 0 or ORDER[rank - 1] + card[1] in done

        def without(i: int, number: int) -> Any:
            down, up = table[i]
            return (*table[:i], (down, up[:-number]), *table[i + 1 :])

        def onto(some: Any, cards: Any) -> Any:
            for i, (down, up) in enumerate(some):
                if not up and not down:
                    ok = self.game.empty == "any" or cards[0][0] == ORDER[self.game.ranks - 1]
                elif not up:
                    ok = False  # a card that is still to be turned up
                else:
                    next_rank = ORDER.index(cards[0][0]) + 1 == ORDER.index(up[-1][0])
                    ok = next_rank and (cards[0][1] in RED) != (up[-1][1] in RED)
                if ok:
                    yield (*some[:i], (down, up + cards), *some[i + 1 :])

        if waste and goes_up(waste[-1]):
            yield table, done | {waste[-1]}, stock, waste[:-1], redeals
        for moved in onto(table, waste[-1:]) if waste else ():
            yield moved, done, stock, waste[:-1], redeals
        for i, (_, up) in enumerate(table):
            if up and goes_up(up[-1]):
                yield without(i, 1), done | {up[-1]}, stock, waste, redeals
            for number in range(1, len(up) + 1):
                for moved in onto(without(i, number), up[-number:]):
                    yield moved, done, stock, waste, redeals
        for suit in "SHCD" if self.game.back else "":
            pile = [r + suit for r in ORDER if r + suit in done]
            for moved in onto(table, tuple(pile[-1:])) if pile else ():
                yield moved, done - {pile[-1]}, stock, waste, redeals
        if stock:
            yield table, done, stock[1:], (*waste, stock[0]), redeals
        elif waste and redeals:
            yield table, done, waste, (), max(redeals - 1, -1)


GAMES = [
    Klondike(1, 3, 1),
    Klondike(1, 4, 2),
    Klondike(2, 2, 2, redeals=1),
    Klondike(2, 2, 2, known=True),
    Klondike(2, 3, 3),
    Klondike(2, 3, 3, empty="any", known=True),
    Klondike(3, 2, 3, back=True),
    Klondike(4, 1, 2),
    Klondike(deal="2H 3S AS 2S AH 3H"),
    Klondike(columns=3, deal="2S 3S AH 2H 3H AS"),
    Klondike(eager=True),
    Klondike(2, 2, 2, redeals=1, eager=True),
]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_values(game: Klondike) -> None:
    solution = solve(game, exact=True)
    assert solution.value(solution.start).exact == Slow(game).value()
    assert check(game).ok


def test_one_suit_of_three_is_always_won() -> None:
    assert Slow(Klondike(1, 3, 1)).value() == 1


def test_knowing_is_no_worse() -> None:
    for suits, ranks, columns in ((2, 3, 3), (3, 2, 2)):
        hidden, known = (
            solve(Klondike(suits, ranks, columns, known=known), exact=True)
            for known in (False, True)
        )
        assert hidden.value(hidden.start).exact <= known.value(known.start).exact


def test_moving_all_cards_home_at_once_is_not_optimal() -> None:
    """As Smith (2007, 4.1) says of programs that do so."""
    free, eager = (solve(Klondike(eager=eager), exact=True) for eager in (False, True))
    values = free.value(free.start).exact, eager.value(eager.start).exact
    assert values == (Fraction(23, 24), Fraction(337, 360))


def test_seeds_deal_the_pack() -> None:
    for seed in (1, 2, 617):
        game = Klondike(4, 13, 7, redeals=-1, seed=seed)
        assert sorted(game.order()) == game.pack()
        columns, _, stock, _, _ = game.start()
        assert [len(down) for down, _ in columns] == list(range(7))
        assert len(stock) == 24
        assert game.parse(game.text(game.start())) == game.start()


@pytest.mark.parametrize(
    "wrong",
    [
        {"suits": 5},
        {"ranks": 0},
        {"columns": 4},
        {"redeals": -2},
        {"empty": "queen"},
        {"deal": "AS 2S"},
        {"deal": "2H 3S AS 2S AH 3H", "seed": 1},
        {"ranks": 5, "known": True},
    ],
    ids=str,
)
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        Klondike(**wrong)
    assert caught.value.hint
