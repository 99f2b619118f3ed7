"""Klondike with all cards known: searches against plain breadth-first search of small packs, moves
that lose nothing, published deals, and rates with what is proved of them."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path
from typing import Any

import pytest

from perfectplay import check, search
from perfectplay.errors import UsageError
from perfectplay.games.cards.freecell_cards import DEALT, HOME, Position, among
from perfectplay.games.cards.thoughtful import STOCK, ThoughtfulKlondike
from perfectplay.rules.game import OVER
from perfectplay.searching.one_player.many import search_each

FILE = Path(__file__).parent / "thoughtful.csv"


def reachable(game: ThoughtfulKlondike, p: Position) -> bool:
    """Whether all cards can be brought home, by all positions that can be reached."""
    queue, seen = [p], {p}
    while queue:
        p = queue.pop()
        if game.to_move(p) == OVER:
            return True
        for m in game.moves(p):
            q = game.play(p, m)
            if q not in seen:
                seen.add(q)
                queue.append(q)
    return False


def small(number: int) -> ThoughtfulKlondike:
    """A small pack with rules drawn at random."""
    draw = random.Random(number)
    return ThoughtfulKlondike(
        deal=number + 1, draw=draw.randrange(1, 4), passes=draw.choice((0, 1, 1, 2)), ranks=4,
        back=draw.random() < 0.5, counted=draw.random() < 0.5, columns=4,
    )  # fmt: skip


def test_verdicts_are_those_of_plain_search() -> None:
    """Forced moves included: a deal is solvable exactly if some line of all moves ends it."""
    verdicts = []
    for number in range(50):
        game = small(number)
        found = search(game, any_line=True, size=2 << 20)
        known = reachable(game, game.start())
        assert (found.upper < math.inf) == known, game
        assert known or found.exact == math.inf
        if known:
            played(game, found.line)
        verdicts.append(known)
    assert 10 < sum(verdicts) < 48


def played(game: ThoughtfulKlondike, line: Any) -> None:
    """Play a line by its texts."""
    p = game.start()
    for text in line:
        p = game.play(p, next(m for m in game.moves(p) if game.move_text(p, m) == text))
    assert game.to_move(p) == OVER


class Piles:
    """Klondike with piles of cards, as one plays it at a table."""

    def __init__(self, game: ThoughtfulKlondike) -> None:
        self.game = game
        self.down = [list(pile[:-1]) for pile in game.piles]
        self.up = [[pile[-1]] for pile in game.piles]
        self.home = [0] * 4
        self.stock, self.waste = [c for c in game.stock if c < 63], list[int]()
        self.left = game.passes - 1 if game.passes else 99
        self.turns = 0

    def turn(self) -> bool:
        """Turn cards, or the waste over; False if neither is allowed."""
        if not self.stock:
            if not self.left or not self.waste:
                return False
            self.stock, self.waste = self.waste, []
            self.left -= self.left < 99
            return True
        self.waste += self.stock[: self.game.draw]
        del self.stock[: self.game.draw]
        self.turns += 1
        return True

    def do(self, p: Position, m: int) -> None:
        """Do what a move says, with whatever turning it wants."""
        card, new = m >> 3, m & 7
        if among(p, HOME) >> card & 1:
            assert self.home[card & 3] == (card >> 2) + 1
            self.home[card & 3] -= 1
            moved = [card]
        elif self.game.where(card) & 7 == STOCK and among(p, DEALT) >> card & 1:
            while self.waste[-1:] != [card]:
                assert self.turn()
            moved = [self.waste.pop()]
        else:
            column = next(i for i, up in enumerate(self.up) if card in up)
            at = self.up[column].index(card)
            moved, self.up[column] = self.up[column][at:], self.up[column][:at]
            if not self.up[column] and self.down[column]:
                self.up[column].append(self.down[column].pop())
        self.put(moved, new)

    def put(self, moved: list[int], new: int) -> None:
        """Put cards home, on a card that fits, or into an empty column."""
        card = moved[0]
        if new == HOME:
            assert moved == [card] and self.home[card & 3] == card >> 2  # noqa: PT018
            self.home[card & 3] += 1
            return
        for column, up in enumerate(self.up):
            if up and new in (1, 2) and up[-1] == card + 4 ^ (1 + new):
                assert (up[-1] & 2) != (card & 2)
                up.extend(moved)
                return
            if not up and not self.down[column] and new not in (1, 2):
                assert card >> 2 == self.game.ranks - 1
                self.up[column] = moved
                return
        raise AssertionError(card)

    @property
    def shown(self) -> Any:
        """What can be compared with a position."""
        columns = sorted((tuple(d), tuple(u)) for d, u in zip(self.down, self.up, strict=True))
        return columns, self.home, self.stock, self.waste


def test_moves_are_those_of_cards_on_a_table() -> None:
    """Random play, with piles beside it; costs count how often cards are turned."""
    for number in range(60):
        game, draw = small(number), random.Random(number)
        p, piles = game.start(), Piles(game)
        for _ in range(30):
            moves = [m for m in game.moves(p) if m >= 0]
            if not moves:
                break
            m, before = draw.choice(moves), piles.turns
            piles.do(p, m)
            assert game.reward(p, m) == 1 + game.counted * (piles.turns - before)
            p = game.play(p, m)
            assert game.parse(game.text(p)) == p
            columns = sorted((tuple(d), tuple(u)) for d, u in game.layout(p))
            assert columns == piles.shown[0]
            lying, at = among(p, DEALT), game.turned(p)
            parts = game.stock[at:], game.stock[:at]
            there = [[c for c in cards if lying >> c & 1] for cards in parts]
            if not game.round:
                assert there == [piles.stock, piles.waste]
                assert game.left(p) == min(15, piles.left)


def test_check_finds_nothing_wrong() -> None:
    report = check(ThoughtfulKlondike(deal=3, ranks=2, columns=3, draw=2, passes=2))
    assert report.ok, str(report)


@pytest.mark.slow
def test_published_deals() -> None:
    """Deals that can be won, by lines that are played, and one that cannot."""
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if line[0] != "#"))
    for row in rows:
        won = row["moves"] != "0"
        game = ThoughtfulKlondike(
            draw=int(row["draw"]), passes=int(row["passes"]) if won else 0, counted=won,
            back=row["back"] == "true", cards=row["cards"],
        )  # fmt: skip
        found = search(game, any_line=True, size=128 << 20)
        if won:
            played(game, found.line)
            assert int(row["moves"]) <= found.upper
        else:
            assert found.value_text == "impossible"


def test_deals_by_number_are_searched_in_turn() -> None:
    game = ThoughtfulKlondike(counted=False)
    rows = list(search_each(game, range(1, 4), size=8 << 20))
    assert [row.deal for row in rows] == [1, 2, 3]
    assert {row.verdict for row in rows} <= {"solved", "impossible", "unknown"}
    with pytest.raises(UsageError):
        ThoughtfulKlondike(cards="AC AD")
