"""Yukon: least numbers of moves against breadth-first search over lists of cards."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from perfectplay import check, search
from perfectplay.errors import UsageError
from perfectplay.games.cards.freecell_cards import WAIT
from perfectplay.games.cards.yukon import Yukon
from perfectplay.searching.one_player.many import search_each


class Interpreted(Yukon):
    """The same rules, which are not compiled."""

    native = False


Columns = tuple[tuple[tuple[int, ...], int], ...]
"""Each column's cards from below, and how many lie face down."""


class Slow:
    """Yukon as one plays it at a table."""

    def __init__(self, game: Yukon) -> None:
        self.game = game
        self.first: Columns = tuple(
            (pile, sum(game.down >> card & 1 for card in pile)) for pile in game.piles
        )

    def fits(self, card: int, on: int) -> bool:
        """Whether a card goes on another one."""
        if self.game.build == "suits":
            return on == card + 4
        return on >> 2 == (card >> 2) + 1 and (on & 2) != (card & 2)

    def after(self, columns: Columns) -> Any:
        """All that one move leads to, with columns in any order."""
        home = [52] * 4
        for cards, _ in columns:
            for card in cards:
                home[card & 3] = min(home[card & 3], card)
        for i, (cards, down) in enumerate(columns):
            for at in range(down, len(cards)):
                rest, moved = cards[:at], cards[at:]
                left = (rest, min(down, max(len(rest) - 1, 0)))
                others = [*columns[:i], left, *columns[i + 1 :]]
                if len(moved) == 1 and home[moved[0] & 3] == moved[0]:
                    yield tuple(sorted(others))
                empty = True
                for k, (onto, hidden) in enumerate(columns):
                    if k == i:
                        continue
                    king = not onto and moved[0] >> 2 == self.game.ranks - 1 and rest and empty
                    empty = empty and bool(onto)
                    if king or (onto and self.fits(moved[0], onto[-1])):
                        there = list(others)
                        there[k] = ((*onto, *moved), hidden)
                        yield tuple(sorted(there))

    def least(self) -> float:
        """The least number of moves, by breadth-first search."""
        rank = {tuple(sorted(self.first))}
        seen, moves = set(rank), 0
        while rank:
            if any(not any(cards for cards, _ in columns) for columns in rank):
                return moves
            rank = {q for p in rank for q in self.after(p)} - seen
            seen |= rank
            moves += 1
        return math.inf


@pytest.mark.parametrize("build", [pytest.param("colours", marks=pytest.mark.slow), "suits"])
def test_least_moves_are_those_of_breadth_first_search(build: Any) -> None:
    draw, told = random.Random(build), []
    for _ in range(10):
        ranks = 3
        game = Yukon(draw.randrange(1, 10**6), build, ranks, faces=1)
        found = search(game, size=2**26)
        assert found.upper == found.lower == Slow(game).least(), game
        if found.line:
            p = game.start()
            for text in found.line:
                p = game.play(p, next(m for m in game.moves(p) if game.move_text(p, m) == text))
            assert game.to_move(p) < 0
        told.append(found.upper)
    assert len(set(told)) > 2


def columns_of(game: Yukon, p: Any) -> Columns:
    """The columns of a position in some order, with how many cards lie face down in each."""
    free = game.shown(p)[0]
    return tuple(sorted((tuple(c), sum(not free >> x & 1 for x in c)) for c in game.layout(p)))


@pytest.mark.parametrize("build", ["colours", "suits"])
def test_moves_are_those_of_lists_of_cards(build: Any) -> None:
    draw = random.Random(build)
    for deal in range(1, 9):
        game = Yukon(deal, build)
        slow, p = Slow(game), game.start()
        for _ in range(100):
            moves = list(game.moves(p))
            there = {columns_of(game, game.play(p, m)) for m in moves if m != WAIT}
            assert there == set(slow.after(columns_of(game, p))), game.text(p)
            p = game.play(p, draw.choice(moves))


def test_deals_and_texts() -> None:
    game = Yukon(11)
    assert [len(pile) for pile in game.piles] == [1, 6, 7, 8, 9, 10, 11]
    assert game.down.bit_count() == 21
    draw, p = random.Random(3), game.start()
    for _ in range(120):
        assert game.parse(game.text(p)) == p
        p = game.play(p, draw.choice(list(game.moves(p))))
    assert len(game.picture(p)) > 1000


def test_small_packs_agree_with_all_that_rules_say() -> None:
    report = check(Interpreted(3, ranks=2, faces=1))
    assert report.ok, report


@pytest.mark.slow
def test_verdicts_of_whole_packs() -> None:
    rows = list(search_each(Yukon(), range(1, 11), size=2**22))
    assert {row.verdict for row in rows} <= {"solved", "unknown", "impossible"}
    assert sum(row.verdict == "solved" for row in rows) > 3


@pytest.mark.parametrize("given", [{"deal": 0}, {"build": "kings"}, {"faces": 1}, {"ranks": 14}])
def test_what_is_no_deal_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Yukon(**given)


def test_what_is_no_position_is_refused() -> None:
    game = Yukon(1)
    for text in ("", "AC / 2C", game.text(game.start()).replace("(", "")):
        with pytest.raises(ValueError, match=r"."):
            game.parse(text)
