"""Chess endings: a few men on the whole board, by the rules of chess without castling.

All pieces, en passant and promotion to queen, rook, bishop or knight. Whoever is checkmated has
lost; stalemate and endless play are draws (there is no rule of fifty moves). The game begins
anywhere: first positions are all legal ones with the men of `material`, white's first, such as
KQKR, with either side to move; captures and promotions lead to other materials, which are solved
too. A position is legal if the side that is not to move is not in check. An en passant right is
part of a position only where the capture can really be made.

Check: king and queen win against the bare king in at most 10 moves (19 plies), king and rook in
16, bishop and knight in 33; a pawn wins 124,960 of the 163,328 positions with white to move.

A position is one integer: the men as the player to move sees them, from his side of the board (see
board.py), and bit 60 if that player is Black. Twins with exchanged colours and, with
`symmetry`, mirrored boards are stored once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfectplay.errors import UsageError
from perfectplay.games.chess import notation
from perfectplay.games.chess.board import (
    CODES,
    INTO_TRIANGLE,
    KING,
    LETTERS,
    MOST,
    PASSING,
    PAWN,
    QUEEN,
    THEIRS,
    TRIANGLE,
    WALK,
    WORTH,
    attacked,
    can_pass,
    exposed,
    image,
    inserted,
    marked,
    occupied,
    takes_passing,
)
from perfectplay.rules.capabilities import NumberedStarts
from perfectplay.rules.game import Game

BLACK = 60
"""The bit that is set if the player to move is Black."""
EXAMPLE = "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"


@dataclass(frozen=True)
class Chess(NumberedStarts, Game):
    """Endings with the men of `material`: those of White, then those of Black, each from K on; or,
    if `fen` is given, all that can follow from that position."""

    material: str = "KQK"
    symmetry: bool = True
    fen: str = ""
    begin: int = field(init=False, repr=False)
    """The position of `fen`, or 0."""
    kinds: tuple[int, ...] = field(init=False, repr=False)
    """The men as White sees them, then as Black does, in the order of codes, 0 where none is."""
    men: int = field(init=False, repr=False)
    pawns: bool = field(init=False, repr=False)
    views: int = field(init=False, repr=False)
    """1 if both sides have the same men, else 2."""
    corners: int = field(init=False, repr=False)
    """On how many squares first positions have the king of the player to move."""
    start_numbers: int = field(init=False, repr=False)

    native = True

    def __post_init__(self) -> None:
        found = re.fullmatch(r"(K[QRBNP]*)V?(K[QRBNP]*)", self.material.upper().replace("V", ""))
        if found is None:
            raise UsageError(
                f"{self.material!r} is no material of an ending",
                "write the men of White and of Black, each with one king first: KQKR, KPK, KBNK",
            )
        sides = [sorted(map(LETTERS.index, side)) for side in found.groups()]
        men = sum(map(len, sides))
        if men > MOST:
            raise UsageError(
                f"{self.material} has {men} men, more than {MOST}", "use fewer men, such as KQKR"
            )
        views = [
            [KING, KING + THEIRS, *sides[i][1:], *(kind + THEIRS for kind in sides[1 - i][1:])]
            for i in (0, 1)
        ]
        views = [[*view, *[0] * (MOST - men)] for view in views]  # one type for all materials
        pawns = PAWN in sides[0] + sides[1]
        derived = {
            "material": "".join(found.groups()),
            "kinds": (*views[0], *views[1]),
            "men": men,
            "pawns": pawns,
            "views": 1 if sides[0] == sides[1] else 2,
            "corners": 64 if not self.symmetry else 32 if pawns else 10,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)
        numbers = self.views * self.corners * 64 ** (men - 1)
        try:
            begin = self.parse(self.fen) if self.fen else 0
        except ValueError as error:
            raise UsageError(
                f"{self.fen!r} is no ending: {error}", f"a FEN such as {EXAMPLE!r}"
            ) from None
        object.__setattr__(self, "begin", begin)
        object.__setattr__(self, "start_numbers", 1 if begin else numbers)

    # -- First positions: all legal ones, by number. ----------------------------------------------

    def start(self) -> int:
        first: int = next(iter(self.starts()))
        return first

    def starts_of(self, i: int) -> Iterator[int]:
        if self.begin:
            yield self.begin
            return
        each = self.start_numbers // self.views
        view, i = i // each, i % each
        corner, i = i % self.corners, i // self.corners
        at = corner
        if self.symmetry:
            at = (corner & 3) + 8 * (corner >> 2) if self.pawns else int(TRIANGLE[corner])
        p = 64 * KING + at
        taken = 1 << at
        code = 0
        for place in range(1, self.men):
            last, kind = code, self.kinds[view * MOST + place]
            at, i = i & 63, i >> 6
            code = 64 * kind + at
            if (taken >> at) & 1 or (code < last and kind == last >> 6):
                return
            if kind & 7 == PAWN and not 8 <= at < 56:
                return
            p |= code << (10 * place)
            taken |= 1 << at
        if not exposed(p):
            yield p | (view << BLACK)

    # -- The rules. -------------------------------------------------------------------------------

    def to_move(self, p: int) -> int:
        return (p >> BLACK) & 1

    def turn(self, p: int) -> int:
        return (p >> BLACK) & 1

    def stands(self, p: int, men: int, at: int, to: int) -> bool:
        """Whether the king of the player to move is safe after a step from `at` to `to`."""
        king = p & 63
        after = (men & ~(1 << at)) | (1 << to)
        return not attacked(p, to if at == king else king, after, to)

    def moves(self, p: int) -> Iterator[int]:
        # A move is to + 64 * from + 4096 * the kind of the man after it.
        p &= CODES
        men, mine, passing, rest = 0, 0, -1, p
        while rest:
            bit, kind = 1 << (rest & 63), (rest >> 6) & 15
            men |= bit
            if kind < THEIRS:
                mine |= bit
            elif kind == PASSING + THEIRS:
                passing = rest & 63
            rest >>= 10
        rest = p
        while rest:
            at, kind = rest & 63, (rest >> 6) & 15
            rest >>= 10
            if kind < PAWN:
                i = 0
                step = int(WALK[kind, at, 0])
                while step >= 0:
                    to = step & 63
                    if not (mine >> to) & 1 and self.stands(p, men, at, to):
                        yield 4096 * kind + 64 * at + to
                    i = step >> 6 if (men >> to) & 1 else i + 1
                    step = int(WALK[kind, at, i])
            elif kind == PAWN:
                for move in self.pawn_moves(p, men, mine, passing, at):
                    yield move

    def pawn_moves(self, p: int, men: int, mine: int, passing: int, at: int) -> Iterator[int]:
        """Yield the moves of the pawn on `at`; a pawn on `passing` may be taken en passant."""
        for aside in range(-1, 3):  # 2 is the double step
            to = at + 8 + aside if aside < 2 else at + 16
            if aside % 2 == 0:
                if (men >> (at + 8)) & 1 or (aside == 2 and (at >= 16 or (men >> to) & 1)):
                    continue
            elif not 0 <= at % 8 + aside < 8:
                continue
            elif passing >= 0 and to == passing + 8:
                if takes_passing(p, men, at, passing):
                    yield 4096 * PAWN + 64 * at + to
                continue
            elif not ((men & ~mine) >> to) & 1:
                continue
            if self.stands(p, men, at, to):
                if to < 56:
                    yield 4096 * PAWN + 64 * at + to
                else:
                    for becomes in range(QUEEN, PAWN):
                        yield 4096 * becomes + 64 * at + to

    def play(self, p: int, m: int) -> int:
        to, at, becomes = m & 63, (m >> 6) & 63, m >> 12
        king, other = p & 63, (p >> 10) & 63
        black = 1 - ((p >> BLACK) & 1)
        king = to if at == king else king
        q = (64 * KING + (other ^ 56)) | ((64 * (KING + THEIRS) + (king ^ 56)) << 10)
        rest = (p & CODES) >> 20
        while rest:
            here, kind = rest & 63, (rest >> 6) & 15
            rest >>= 10
            if kind == PASSING + THEIRS:
                if becomes == PAWN and to == here + 8:
                    continue
                kind = PAWN + THEIRS
            if here == at:
                here, kind = to, becomes
            elif here == to:
                continue
            q = inserted(q, 64 * (kind ^ THEIRS) + (here ^ 56))
        if becomes == PAWN and to == at + 16 and can_pass(q, to ^ 56):
            q = marked(q, to ^ 56)
        return q | (black << BLACK)

    def in_check(self, p: int) -> bool:
        """Whether the king of the player to move is attacked."""
        p &= CODES
        return attacked(p, p & 63, occupied(p), -1)

    def payoff(self, p: int) -> int:
        if not self.in_check(p):
            return 0
        return 1 if (p >> BLACK) & 1 else -1

    def stratum(self, p: int) -> int:
        # Men, then pawns, then which they are, then steps that pawns have still to go, then
        # their files: the first two can only shrink; while they do not, the next one stays, and
        # the steps shrink; and while these do not, the files stay.
        men, pawns, steps, files, mine, theirs = 0, 0, 0, 0, 0, 0
        rest = p & CODES
        while rest:
            at, kind = rest & 63, (rest >> 6) & 15
            rest >>= 10
            men += 1
            if kind < THEIRS:
                mine += int(WORTH[kind])
            else:
                theirs += int(WORTH[kind - THEIRS])
            if kind & 7 >= PAWN:
                pawns += 1
                steps += 7 - (at >> 3) if kind < THEIRS else at >> 3
                files += 1 << (4 * min(at & 7, 7 - (at & 7)))
        which = ((mine + theirs) << 14) | abs(mine - theirs)
        return (((((men << 3) | pawns) << 28 | which) << 6 | steps) << 16) | files

    def representative(self, p: int) -> int:
        p &= CODES
        if not self.symmetry:
            return p
        rest, pawns = p >> 20, False
        while rest:
            if (rest >> 6) & 7 >= PAWN:
                pawns = True
            rest >>= 10
        if pawns:
            return image(p, 1) if p & 4 else p
        symmetry = int(INTO_TRIANGLE[p & 63])
        q = image(p, symmetry) if symmetry else p
        return min(q, image(q, 4)) if (q & 7) == ((q >> 3) & 7) else q

    # -- Texts and pictures. ----------------------------------------------------------------------

    def letters(self, p: int) -> dict[int, str]:
        """The men by square, as a FEN writes them: white ones in capitals."""
        black = p >> BLACK & 1
        found = {}
        for kind, at in notation.men_of(p & CODES):
            letter = LETTERS[kind & 7]
            white = (kind < THEIRS) != bool(black)
            found[at ^ 56 if black else at] = letter if white else letter.lower()
        return found

    def text(self, p: int) -> str:
        black = int(p) >> BLACK & 1
        passed = "-"
        for kind, at in notation.men_of(int(p) & CODES):
            if kind == PASSING + THEIRS:
                passed = notation.name((at + 8) ^ (56 if black else 0))
        return f"{notation.written(self.letters(int(p)))} {'wb'[black]} - {passed} 0 1"

    def parse(self, s: str) -> int:
        words = s.replace("_", " ").split()  # as in addresses, where blanks are awkward
        if len(words) not in (2, 4, 5, 6) or words[1] not in ("w", "b"):
            raise ValueError(f"{s!r}: a position is written as in {EXAMPLE!r}")
        if words[2:] and words[2] != "-":
            raise ValueError(f"castling is not part of endings: write - instead of {words[2]!r}")
        men, flip = notation.read(words[0]), 56 if words[1] == "b" else 0
        p = notation.placed(men, flip)
        if words[3:] and words[3] != "-":
            p = notation.passed(p, words[3], flip)
        return p | (int(flip > 0) << BLACK)

    def move_text(self, p: int, m: int) -> str:
        p, m = int(p), int(m)
        flip = 56 if p >> BLACK & 1 else 0
        to, at, becomes = m & 63, (m >> 6) & 63, m >> 12
        men = {square: kind for kind, square in notation.men_of(p & CODES)}
        kind, goal = men[at], notation.name(to ^ flip)
        takes = to in men or (kind == PAWN and (to - at) % 8 != 0)
        if kind == PAWN:
            words = (notation.name(at ^ flip)[0] + "x" if takes else "") + goal
            if becomes != PAWN:
                words += f"={LETTERS[becomes]}"
        else:
            same = [
                int(other) >> 6 & 63
                for other in self.moves(p)
                if other & 63 == to and other >> 12 == kind and other != m
            ]
            same = [square for square in same if men[square] == kind]
            words = LETTERS[kind] + notation.which(at, same, flip) + ("x" if takes else "") + goal
        q = self.play(p, m)
        if self.in_check(q):
            words += "#" if next(iter(self.moves(q)), None) is None else "+"
        return words

    def picture(self, p: int) -> str:
        return notation.picture(self.letters(int(p)), self.player_name(self.to_move(int(p))))

    def player_name(self, i: int) -> str:
        return ("White", "Black")[i]
