"""How positions of checkers are written and drawn, squares numbered as in books."""

import re

from perfectplay.drawing import svg
from perfectplay.games.boards.checkers_board import (
    JUMP,
    JUMPS,
    KING,
    MOST,
    ON,
    ORIGIN,
    PATH,
    PIECE,
    PIECES,
    STEP,
    THEIRS,
    THERE,
    WAY,
    WHITE,
    inserted,
    place_of,
)
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, get


class CheckersShown(Game):
    """Text and pictures; the rules are in checkers.py."""

    size: int

    @property
    def board(self) -> int:
        """Which of the boards in STEP and JUMP it is."""
        return self.size // 2 - 2

    @property
    def last(self) -> int:
        """The last square."""
        return self.size**2 // 2 - 1

    def printed(self, p: int) -> dict[int, str]:
        """By printed number: B or W, in lower case for men."""
        white, found, rest = get(p, WHITE), {}, get(p, PIECES)
        while rest:
            letter = "BW"[(rest & THEIRS > 0) != (white > 0)]
            number = self.last + 1 - (rest & ON) if white else (rest & ON) + 1
            found[number] = letter if rest & KING else letter.lower()
            rest >>= PIECE.bits
        return found

    def text(self, p: int) -> str:
        found = self.printed(int(p))
        sides = [
            ",".join(
                ("K" if found[n].isupper() else "") + str(n)
                for n in sorted(found)
                if found[n].upper() == side
            )
            for side in "WB"
        ]
        return f"{'BW'[get(int(p), WHITE)]}:W{sides[0]}:B{sides[1]}"

    def parse(self, s: str) -> int:
        words = re.fullmatch(r"\s*([BW]):([BW])([K\d,]*):([BW])([K\d,]*)\.?\s*", s.upper())
        if words is None or words[2] == words[4]:
            raise ValueError(f"{s!r}: a position is written as in 'B:W18,K24:B5,K12'")
        white, p, taken = words[1] == "W", 0, set()
        for side, pieces in ((words[2], words[3]), (words[4], words[5])):
            for piece in pieces.split(",") if pieces else []:
                found = re.fullmatch(r"(K?)(\d{1,2})", piece)
                if found is None or not 1 <= int(found[2]) <= self.last + 1:
                    raise ValueError(
                        f"{piece!r} is no piece on a square from 1 to {self.last + 1}"
                    )
                number, king = int(found[2]), bool(found[1])
                if number in taken:
                    raise ValueError(f"there are two pieces on square {number}")
                taken.add(number)
                home = number <= self.size // 2, number > self.last + 1 - self.size // 2
                if not king and home[side == "B"]:
                    raise ValueError(f"a man on square {number} would be a king: K{number}")
                square = self.last + 1 - number if white else number - 1
                code = THERE + (KING if king else 0) + square
                if len(taken) > MOST:
                    raise ValueError(f"there are more than {MOST} pieces")
                p = inserted(p, code if side == words[1] else code + THEIRS)
        if not taken:
            raise ValueError("there is no piece on the board")
        return p | at(WHITE, white)

    def move_text(self, p: int, m: int) -> str:
        jumps, path = get(m, JUMPS), get(m, PATH)
        squares = [get(m, ORIGIN)]
        for i in range(max(jumps, 1)):
            way = get(path, WAY, i)
            squares.append(int((JUMP if jumps else STEP)[self.board, way, squares[-1]]))
        white = get(p, WHITE)
        return ("x" if jumps else "-").join(
            str(self.last + 1 - square if white else square + 1) for square in squares
        )

    def picture(self, p: int) -> str:
        found, cell, parts = self.printed(int(p)), svg.CELL, []
        for row in range(self.size):
            for column in range(self.size):
                dark = (row + column) % 2 == 1
                fill = svg.SHADE if dark else svg.FIELD
                parts.append(svg.box(cell * column, cell * row, cell, cell, fill))
        for square in range(self.last + 1):
            row, column = place_of(self.size, square)
            x, y = cell * (column + 0.5), cell * (row + 0.5)
            letter = found.get(square + 1)
            if letter is None:
                parts.append(svg.text(x, y, square + 1, 10, svg.FAINT))
            else:
                parts.append(svg.stone(x, y, 15, "BW".index(letter.upper())))
                if letter.isupper():
                    parts.append(svg.text(x, y, "K", 16, svg.FIELD))
        turn = f"{self.player_name(get(int(p), WHITE))} to move"
        side = self.size * cell
        return svg.svg(side, side + 24, [*parts, svg.note(0, side + 14, turn)])

    def player_name(self, i: int) -> str:
        return ("Black", "White")[i]
