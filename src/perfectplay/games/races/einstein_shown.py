"""How positions of EinStein würfelt nicht! are written and drawn."""

import re
from collections.abc import Iterator

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.games.races.numbered_stones import drawn, places_in, signs
from perfectplay.games.races.running import Running
from perfectplay.rules.capabilities import HiddenChoices, PlacedMoves
from perfectplay.rules.game import OVER

WAYS = (("right", "down", "right-down"), ("left", "up", "left-up"))
PLACING = "to be placed"


class EinsteinShown(HiddenChoices, PlacedMoves, Running):
    """Text and pictures; the rules are in einstein.py."""

    placement: str

    def begin(self, player: int) -> tuple[int, ...]:
        """The cells on which a player's stones begin, from their own corner."""
        raise NotImplementedError

    def word(self, cells: tuple[int, ...]) -> int:
        """Cells of stones 1, 2, …, counted row by row, as one number."""
        return sum(
            (cell // self.wide * self.stride + cell % self.wide) << k * self.field
            for k, cell in enumerate(cells)
        )

    def placed(self, mine: tuple[int, ...], other: tuple[int, ...]) -> int:
        """The first position with stones 1, 2, … of both players on these cells."""
        return self.joined(self.word(mine), self.word(other))

    def counted(self, word: int) -> list[int]:
        """The cells of stones 1, 2, … in a word, row by row."""
        cells = [self.cell(word, k) for k in range(1, self.stones + 1)]
        return [cell // self.stride * self.wide + cell % self.stride for cell in cells]

    def chosen(self, p: int) -> tuple[str, str] | None:
        """How the stones of both players are placed at a first position: on each cell in turn."""
        if self.placement != "chosen":
            return None
        shown = []
        for player in (0, 1):
            word = self.stones_of(p, player)
            stone = {cell: k for k, cell in enumerate(self.counted(word), 1)}
            shown.append("".join(str(stone[cell]) for cell in self.begin(player)))
        return shown[0], shown[1]

    def chosen_picture(self, p: int, player: int) -> str:
        """The board with the stones of one player."""
        bits = self.player_bits
        gone = self.empty if player == 0 else self.empty << bits
        return drawn(self.board((p & (self.word_mask << (0 if player else bits))) | gone))

    def board(self, p: int) -> list[str]:
        """Rows of signs."""
        places = []
        for player in (0, 1):
            cells = self.counted(self.stones_of(p, player))
            turned = [self.end - cell if player else cell for cell in cells]
            places.append([t if c != self.end else -1 for t, c in zip(turned, cells, strict=True)])
        return signs(self.rows, self.wide, places)

    def text(self, p: int) -> str:
        if p == self.placing and self.stones > 1:
            return PLACING
        turn, stage = self.turn(p), self.stage(p)
        board = "/".join(self.board(p))
        if self.to_move(p) == OVER:
            return f"{board}, player {2 - turn} has won"
        if stage == 0:
            return f"{board}, player {turn + 1} rolls"
        here = self.cell(self.stones_of(p, turn), stage) != self.last
        return f"{board}, player {turn + 1} {'moves' if here else 'rolled'} {stage}"

    def parse(self, s: str) -> int:
        if s.strip() == PLACING and self.placement == "random":
            return self.placing
        found = re.fullmatch(
            r"([\d.a-i/]+), player ([12]) (?:(rolls|has won)|(moves|rolled) (\d))", s.strip()
        )
        rows = found[1].split("/") if found else []
        if not found or len(rows) != self.rows:
            raise ValueError("a position looks like 12./3.c/.ba, player 1 rolls")
        mine, other = places_in(rows, self.wide, self.stones)
        player = int(found[2]) - 1
        turn = 1 - player if found[3] == "has won" else player
        stage = int(found[5] or 0)
        p = stage << self.first_bits | self.placed(
            tuple(self.end if c < 0 else c for c in mine),
            tuple(self.end if c < 0 else self.end - c for c in other),
        )
        p = ~p if turn else p
        if self.text(p) != s.strip() or stage > self.stones:
            raise ValueError("nobody could be there")
        return p

    def move_text(self, p: int, m: int) -> str:
        turn = self.turn(p)
        if self.cell(self.stones_of(p, turn), self.stage(p)) == self.last:
            return f"stone {m}"
        return WAYS[turn][m]

    def places(self, p: int, m: int) -> Iterator[tuple[float, float]]:
        # The stone where there is a choice of stones, else the cell it goes to.
        turn = self.turn(p)
        word = self.stones_of(p, turn)
        own = self.cell(word, self.stage(p))
        cell = self.cell(word, m) if own == self.last else self.stepped(own, m)
        shown = cell // self.stride * self.wide + cell % self.stride
        row, column = divmod(self.end - shown if turn else shown, self.wide)
        yield inside(svg.CELL * (column + 0.5), svg.CELL * (row + 0.5))

    def picture(self, p: int) -> str:
        return drawn(self.board(p), self.text(p).rpartition(", ")[2])
