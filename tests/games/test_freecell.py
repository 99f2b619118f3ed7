"""FreeCell: deals as Microsoft numbers them, texts, moves that lose nothing, and verdicts."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from perfectplay import Game, TableError, check, load, search
from perfectplay.games.cards.freecell import FreeCell
from perfectplay.games.cards.freecell_cards import HOME, WAIT, Position, among, next_home
from perfectplay.rules.game import OVER
from perfectplay.searching.one_player.many import DealFile, search_each
from perfectplay.searching.result import SearchResult

DEALS = {
    1: "JD KD 2S 4C 3S 6D 6S / 2D KC KS 5C TD 8S 9C / 9H 9S 9D TS 4S 8D 2H / JC 5S QD QH TH QS 6H"
    " / 5D AD JS 4H 8H 6C / 7H QC AS AC 2C 3D / 7C KH AH 4D JH 8C / 5H 3H 3C 7S 7D TC"
    " / cells - / home -",
}
"""As Microsoft's program deals them."""


@dataclass(frozen=True)
class Interpreted(FreeCell):
    """The same rules, which are not compiled."""

    native = False


@dataclass(frozen=True)
class Careless(FreeCell):
    """Cards go home as soon as they can, which loses places to put others."""

    def forced(self, p: Position) -> Iterator[int]:
        cards = next_home(among(p, HOME)) & (self.ends(p)[0] | among(p, 3))
        if cards:
            for m in self.moves(p):
                if m & 7 == HOME:
                    yield m
                    break


def played(game: Game, found: SearchResult) -> None:
    """Play a line by its texts with plain lists of cards: no card is where it may not be."""
    p, cost = game.start(), 0
    for text in found.line:
        p = game.play(p, next(m for m in game.moves(p) if game.move_text(p, m) == text))
        cost += 1
    assert game.to_move(p) == OVER
    assert cost == found.upper


def by_lists(columns: list[list[str]], cells: int, line: tuple[str, ...]) -> bool:
    """Whether a line brings all cards home, by the rules of the game written anew."""
    held: list[str] = []
    home = dict.fromkeys("CSDH", 0)
    ranks = "A23456789TJQK"
    for move in line:
        card, _, to = move.partition(" ")
        column = next((x for x in columns if x and x[-1] == card), None)
        if column is None:
            held.remove(card)
        else:
            column.pop()
        if to == "home":
            assert home[card[1]] == ranks.index(card[0])
            home[card[1]] += 1
        elif to == "to a cell":
            held.append(card)
            assert len(held) <= cells
        elif to == "down":
            next(x for x in columns if not x).append(card)
        else:
            on = to.removeprefix("on ")
            assert ranks.index(on[0]) == ranks.index(card[0]) + 1
            assert (on[1] in "CS") != (card[1] in "CS")
            next(x for x in columns if x and x[-1] == on).append(card)
    return all(count == 13 for count in home.values())


def test_deals_are_those_of_microsoft() -> None:
    for number, text in DEALS.items():
        assert FreeCell(number).text(FreeCell(number).start()) == text
    tops = [column[0] for column in FreeCell(617).piles]
    assert tops == [26, 2, 16, 9, 17, 28, 6, 3]  # 7D AD 5C 3S 5S 8C 2D AH


@pytest.mark.parametrize("number", [1, 617, 11982])
def test_texts_come_back(number: int) -> None:
    game, chance = FreeCell(number), random.Random(number)
    p = game.start()
    for _ in range(80):
        p = game.play(p, chance.choice(list(game.moves(p))))
        assert game.parse(game.text(p)) == p


@pytest.mark.parametrize(
    "text", ["", "AC / 2C", "AC / - / - / - / - / - / - / - / cells - / home -"]
)
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        FreeCell(1).parse(text)


@pytest.mark.parametrize("number", [1, 2, 3, 5, 8])
def test_small_packs_agree_with_all_that_rules_say(number: int) -> None:
    report = check(Interpreted(number, cells=0, ranks=2))
    assert report.ok, report
    assert report.complete


def test_who_is_stuck_waits() -> None:
    game = FreeCell(11982, cells=0)
    p, chance = game.start(), random.Random(1)
    for _ in range(1000):
        moves = list(game.moves(p))
        if moves == [WAIT]:
            break
        p = game.play(p, chance.choice(moves))
    assert moves == [WAIT]
    assert game.play(p, WAIT) == p


def winnable(game: Any) -> bool:
    """Whether some play brings all cards home, by looking at all positions."""
    seen, left = {game.start()}, [game.start()]
    while left:
        p = left.pop()
        if game.to_move(p) == OVER:
            return True
        for m in game.moves(p):
            q = game.play(p, m)
            if q not in seen:
                seen.add(q)
                left.append(q)
    return False


def test_lines_can_be_played_and_verdicts_are_right() -> None:
    for number in (1, 1941, 98714):
        game = FreeCell(number)
        found = search(game, any_line=True)
        assert found.lower < found.upper
        assert found.value_text.startswith("solvable, by ")
        played(game, found)
        names = [word.split() for word in game.text(game.start()).split(" / ")[:8]]
        assert by_lists(names, 4, found.line)
    assert search(FreeCell(11982), any_line=True).value_text == "impossible"
    deals = (1, 2, 12, 17, 23, 39, 43)
    small = [row.verdict for row in search_each(FreeCell(cells=0, ranks=7), deals, size=2**24)]
    assert small == [
        "solved" if winnable(FreeCell(number, cells=0, ranks=7)) else "impossible"
        for number in deals
    ]
    assert len(set(small)) == 2


def moved_together(game: FreeCell, line: tuple[str, ...]) -> bool:
    """Whether a line brings all cards home, by lists of cards; those above a card go with it."""
    columns = [list(column) for column in game.piles]
    held, home = set[int](), [0] * 4
    ranks = {f"{'A23456789TJQK'[c >> 2]}{'CSDH'[c & 3]}": c for c in range(52)}
    for move in line:
        word, _, to = move.partition(" ")
        card = ranks[word]
        column = next((x for x in columns if card in x), None)
        moved = [card] if column is None else column[column.index(card) :]
        if column is None:
            held.remove(card)
        else:
            del column[-len(moved) :]
        vacant = [x for x in columns if not x and x is not column]
        vacant += [column] if column is not None and not column else []
        on = list(pairwise(moved))
        if to.startswith("on "):
            target = next(x for x in columns if x and x[-1] == ranks[to[3:]])
            on.append((target[-1], card))
        for below, above in on:
            assert below >> 2 == (above >> 2) + 1
            same_colour = (below & 2) == (above & 2)
            assert below & 3 == above & 3 if game.build == "suits" else not same_colour
        empty = sum(not x for x in columns) - (column is not None and not column)
        room = (1 + game.cells - len(held)) << (
            max(0, empty - (to == "down")) if game.empty == "any" else 0
        )
        assert len(moved) == 1 or (game.together and len(moved) <= room)
        if to == "home":
            assert home[card & 3] == card >> 2
            home[card & 3] += 1
        elif to == "to a cell":
            held.add(card)
            assert len(held) <= game.cells
        elif to == "down":
            assert game.empty == "any" or (game.empty == "king" and card >> 2 == game.ranks - 1)
            next(x for x in columns if not x).extend(moved)
        else:
            target.extend(moved)
    return sum(home) == game.size


@pytest.mark.parametrize("build", ["colours", "suits"])
@pytest.mark.parametrize("empty", ["any", "king", "none"])
def test_kin_are_solved_by_the_same_rules_written_anew(build: Any, empty: Any) -> None:
    """Moving cards together makes nothing solvable that is not, and never takes more moves."""
    draw, told = random.Random(f"{build} {empty}"), []
    for _ in range(8):
        game = FreeCell(
            draw.randrange(1, 10**6), cells=draw.randrange(1, 4), ranks=4, columns=4,
            build=build, empty=empty,
        )  # fmt: skip
        rows = dataclasses.replace(game, together=True)
        found, fast = search(game, size=2**26), search(rows, size=2**26)
        assert found.exact is not None
        assert fast.exact is not None
        assert (found.upper == math.inf) == (fast.upper == math.inf)
        assert fast.upper <= found.upper
        if found.upper < math.inf:
            assert moved_together(game, found.line)
            assert moved_together(rows, fast.line)
        else:
            assert not winnable(game)
        told.append(found.upper)
    assert len(set(told)) > 1


@pytest.mark.parametrize("kind", [{"build": "suits"}, {"together": True}, {"empty": "king"}])
def test_kin_have_texts_that_come_back(kind: dict[str, Any]) -> None:
    game, chance = FreeCell(7, columns=7, **kind), random.Random(7)
    p = game.start()
    for _ in range(60):
        p = game.play(p, chance.choice(list(game.moves(p))))
        assert game.parse(game.text(p)) == p
    assert len(game.picture(p)) > 1000


def test_many_deals_are_the_same_by_any_number_of_workers(tmp_path: Path) -> None:
    game, files = FreeCell(), []
    for workers in (1, 2):
        file = tmp_path / f"{workers}.csv"
        kept = DealFile(file, game)
        for row in search_each(game, range(1, 121), size=2**24, workers=workers):
            kept.add(row)
        files.append(file.read_bytes())
    assert files[0] == files[1]
    assert files[0].count(b"solved") == 120
    # A file that was cut off goes on where it was.
    cut = tmp_path / "cut.csv"
    cut.write_bytes(files[0][: len(files[0]) // 2])
    kept = DealFile(cut, game)
    assert 30 < len(kept.known) < 90
    left = [n for n in range(1, 121) if n not in kept.known]
    for row in search_each(game, left, size=2**24):
        kept.add(row)
    assert cut.read_bytes() == files[0]
    with pytest.raises(TableError):
        DealFile(cut, FreeCell(cells=3))


def test_games_without_numbered_deals_are_refused() -> None:
    with pytest.raises(Exception, match="no numbered deals"):
        list(search_each(load("hanoi"), range(3), size=2**20))


@pytest.mark.slow
def test_careless_moves_refute_deals_that_can_be_won() -> None:
    for number in (1941, 98714):
        assert search(Careless(number), any_line=True).value_text == "impossible"


@pytest.mark.slow
def test_verdicts_of_the_literature() -> None:
    verdicts = search_each(FreeCell(), range(1, 32_001), size=2**28, workers=2)
    assert [row.deal for row in verdicts if row.verdict != "solved"] == [11982]
    three = dataclasses.replace(FreeCell(), cells=3)
    rows = list(search_each(three, range(1, 1001), size=2**30))
    assert sum(row.verdict == "impossible" for row in rows) == 11
    assert sum(row.verdict == "solved" for row in rows) == 989
