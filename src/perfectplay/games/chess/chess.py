"""Chess endings: a few men on the whole board, by the rules of chess without castling.

All pieces, en passant and promotion to queen, rook, bishop or knight. Whoever is checkmated has
lost; stalemate and endless play are draws (there is no rule of fifty moves). The game begins
anywhere: first positions are all legal ones with the men of `material`, white's first, such as
KQKR, with either side to move; captures and promotions lead to other materials, which are solved
too. A position is legal if the side that is not to move is not in check. An en passant right is
part of a position only where the capture can really be made.

Check: king and queen win against the bare king in at most 10 moves (19 plies), king and rook in
16, bishop and knight in 33; a pawn wins 124,960 of the 163,328 positions with white to move.

A position is one integer: the men as the player to move sees them, from their side of the board,
and bit 60 if that player is Black (see board.py). Twins with exchanged colours and, with
`symmetry`, mirrored boards are stored once.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from perfectplay.errors import UsageError
from perfectplay.games.chess import notation
from perfectplay.games.chess.board import (
    BECOMES,
    BLACK,
    FROM,
    INTO_TRIANGLE,
    KIND,
    KING,
    KINGS,
    LETTERS,
    MAN,
    MOST,
    PASSING,
    PAWN,
    PLACEMENT,
    QUEEN,
    SQUARE,
    THEIRS,
    TO,
    TRIANGLE,
    WALK,
    WORTH,
    attacked,
    can_pass,
    exposed,
    image,
    inserted,
    kings,
    man,
    marked,
    moved,
    occupied,
    takes_passing,
)
from perfectplay.games.chess.numbering.moves import ChessNumberMoves
from perfectplay.rules.capabilities import NumberedStarts
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, get, put
from perfectplay.rules.search_capabilities import KnownEndings, SearchGuides

EXAMPLE = "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"


@dataclass(frozen=True)
class Chess(ChessNumberMoves, NumberedStarts, SearchGuides, KnownEndings, Game):
    """Endings with the men of `material`: those of White, then those of Black, each from K on; or,
    if `fen` is given, all that can follow from that position."""

    material: str = "KQK"
    symmetry: bool = True
    fen: str = ""

    native = True

    def __post_init__(self) -> None:
        found = re.fullmatch(r"(K[QRBNP]*)V?(K[QRBNP]*)", self.material.upper().replace("V", ""))
        if found is None:
            raise UsageError(
                f"{self.material!r} is no material of an ending",
                "write the men of White and of Black, each with one king first: KQKR, KPK, KBNK",
            )
        object.__setattr__(self, "material", "".join(found.groups()))
        if self.men > MOST:
            raise UsageError(
                f"{self.material} has {self.men} men, more than {MOST}",
                "use fewer men, such as KQKR",
            )
        try:
            _ = self.begin
        except ValueError as error:
            raise UsageError(
                f"{self.fen!r} is no ending: {error}", f"a FEN such as {EXAMPLE!r}"
            ) from None

    @cached_property
    def begin(self) -> int:
        """The position of `fen`, or 0."""
        return self.parse(self.fen) if self.fen else 0

    @cached_property
    def sides(self) -> list[list[int]]:
        """The kinds of White's men and of Black's, without kings, in the order of codes."""
        return [sorted(map(LETTERS.index, side)) for side in self.material.split("K")[1:]]

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The men as White sees them, then as Black does, in the order of codes, 0 where none is:
        as many for all materials, so that rules are compiled once."""
        views = [
            [KING, KING + THEIRS, *mine, *(kind + THEIRS for kind in theirs)]
            for mine, theirs in (self.sides, self.sides[::-1])
        ]
        return tuple(kind for view in views for kind in [*view, *[0] * (MOST - self.men)])

    @cached_property
    def men(self) -> int:
        """How many men there are."""
        return len(self.material)

    @cached_property
    def pawns(self) -> bool:
        """Whether there are pawns."""
        return "P" in self.material

    @cached_property
    def by_pawns(self) -> bool:
        """Whether strata tell where pawns are: not if positions have numbers."""
        return not self.indexed

    @cached_property
    def views(self) -> int:
        """1 if both sides have the same men, else 2."""
        return 1 if self.sides[0] == self.sides[1] else 2

    @cached_property
    def corners(self) -> int:
        """On how many squares first positions have the king of the player to move."""
        return 64 if not self.symmetry else 32 if self.pawns else 10

    @cached_property
    def start_numbers(self) -> int:  # type: ignore[override]
        """All ways to place the men, whether legal or not."""
        return 1 if self.begin else self.views * self.corners * 64 ** (self.men - 1)

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
        square = corner
        if self.symmetry:
            square = (corner & 3) + 8 * (corner >> 2) if self.pawns else int(TRIANGLE[corner])
        p = man(KING, square)
        taken = 1 << square
        code = 0
        for place in range(1, self.men):
            last, kind = code, self.kinds[view * MOST + place]
            square, i = i & 63, i >> 6
            code = man(kind, square)
            if (taken >> square) & 1 or (code < last and kind == get(last, KIND)):
                return
            if kind & 7 == PAWN and not 8 <= square < 56:
                return
            p |= at(MAN, code, place)
            taken |= 1 << square
        if not exposed(p):
            yield put(p, BLACK, view)

    # -- The rules. -------------------------------------------------------------------------------

    def to_move(self, p: int) -> int:
        return get(p, BLACK)

    def turn(self, p: int) -> int:
        return get(p, BLACK)

    def stands(self, p: int, men: int, here: int, to: int) -> bool:
        """Whether the king of the player to move is safe after a step from `here` to `to`."""
        king = get(p, SQUARE)
        after = (men & ~(1 << here)) | (1 << to)
        return not attacked(p, to if here == king else king, after, to)

    def moves(self, p: int) -> Iterator[int]:
        p = get(p, PLACEMENT)
        men, mine, passing, rest = 0, 0, -1, p
        while rest:
            here, kind = get(rest, SQUARE), get(rest, KIND)
            men |= 1 << here
            if kind < THEIRS:
                mine |= 1 << here
            elif kind == PASSING + THEIRS:
                passing = here
            rest >>= MAN.bits
        rest = p
        while rest:
            here, kind = get(rest, SQUARE), get(rest, KIND)
            rest >>= MAN.bits
            if kind < PAWN:
                i = 0
                step = int(WALK[kind, here, 0])
                while step >= 0:
                    to = step & 63
                    if not (mine >> to) & 1 and self.stands(p, men, here, to):
                        yield moved(here, to, kind)
                    i = step >> 6 if (men >> to) & 1 else i + 1
                    step = int(WALK[kind, here, i])
            elif kind == PAWN:
                for move in self.pawn_moves(p, men, mine, passing, here):
                    yield move

    def pawn_moves(self, p: int, men: int, mine: int, passing: int, here: int) -> Iterator[int]:
        """Yield the moves of the pawn on `here`; a pawn on `passing` may be taken en passant."""
        for aside in range(-1, 3):  # 2 is the double step
            to = here + 8 + aside if aside < 2 else here + 16
            if aside % 2 == 0:
                if (men >> (here + 8)) & 1 or (aside == 2 and (here >= 16 or (men >> to) & 1)):
                    continue
            elif not 0 <= here % 8 + aside < 8:
                continue
            elif passing >= 0 and to == passing + 8:
                if takes_passing(p, men, here, passing):
                    yield moved(here, to, PAWN)
                continue
            elif not ((men & ~mine) >> to) & 1:
                continue
            if self.stands(p, men, here, to):
                if to < 56:
                    yield moved(here, to, PAWN)
                else:
                    for becomes in range(QUEEN, PAWN):
                        yield moved(here, to, becomes)

    def play(self, p: int, m: int) -> int:
        to, origin, becomes = get(m, TO), get(m, FROM), get(m, BECOMES)
        king, other = get(p, SQUARE), get(get(p, MAN, 1), SQUARE)
        q = kings(other ^ 56, (to if origin == king else king) ^ 56)
        rest = get(p, PLACEMENT) >> KINGS.bits
        while rest:
            here, kind = get(rest, SQUARE), get(rest, KIND)
            rest >>= MAN.bits
            if kind == PASSING + THEIRS:
                if becomes == PAWN and to == here + 8:
                    continue
                kind = PAWN + THEIRS
            if here == origin:
                here, kind = to, becomes
            elif here == to:
                continue
            q = inserted(q, man(kind ^ THEIRS, here ^ 56))
        if becomes == PAWN and to == origin + 16 and can_pass(q, to ^ 56):
            q = marked(q, to ^ 56)
        return put(q, BLACK, 1 - get(p, BLACK))

    def in_check(self, p: int) -> bool:
        """Whether the king of the player to move is attacked."""
        men = get(p, PLACEMENT)
        return attacked(men, get(men, SQUARE), occupied(men), -1)

    def payoff(self, p: int) -> int:
        if not self.in_check(p):
            return 0
        return 1 if get(p, BLACK) else -1

    def bounds(self, p: int) -> tuple[int, int]:
        return -1, 1

    def hint(self, p: int, m: int) -> int:
        # Promotions first, then pawns, which soon promote or are taken.
        becomes, rest = get(m, BECOMES), get(p, PLACEMENT)
        while rest:
            if get(rest, SQUARE) == get(m, FROM):
                if get(rest, KIND) == PAWN:
                    return 2 if becomes == PAWN else 10 - becomes
            elif get(rest, SQUARE) == get(m, TO):
                return 9
            rest >>= MAN.bits
        return 0

    def known_endings(self, folder: Path) -> Callable[[int], tuple[int, int] | None] | None:
        from perfectplay.games.chess.syzygy import opened

        probe = opened(folder)
        if probe is None:
            return None

        def look(p: int) -> tuple[int, int] | None:
            won = probe(self.text(p))
            sign = -1 if get(p, BLACK) else 1
            return None if won is None else (sign * won, sign * won)

        return look

    def stratum(self, p: int) -> int:
        # Men, then pawns, then which they are, then steps that pawns have still to go, then
        # their files: the first two can only shrink; while they do not, the next one stays, and
        # the steps shrink; and while these do not, the files stay. Positions by number have
        # strata that do not say where pawns are.
        men, pawns, steps, files, mine, theirs = 0, 0, 0, 0, 0, 0
        rest = get(p, PLACEMENT)
        while rest:
            here, kind = get(rest, SQUARE), get(rest, KIND)
            rest >>= MAN.bits
            men += 1
            if kind < THEIRS:
                mine += int(WORTH[kind])
            else:
                theirs += int(WORTH[kind - THEIRS])
            if kind & 7 >= PAWN:
                pawns += 1
                steps += 7 - (here >> 3) if kind < THEIRS else here >> 3
                files += 1 << (4 * min(here & 7, 7 - (here & 7)))
        which = ((mine + theirs) << 14) | abs(mine - theirs)
        if self.by_pawns:
            return (((((men << 3) | pawns) << 28 | which) << 6 | steps) << 16) | files
        return ((men << 3) | pawns) << 50 | which << 22

    def representative(self, p: int) -> int:
        p = put(p, BLACK, 0)
        if not self.symmetry:
            return p
        rest, pawns = p >> KINGS.bits, False
        while rest:
            if get(rest, KIND) & 7 >= PAWN:
                pawns = True
            rest >>= MAN.bits
        king = get(p, SQUARE)
        if pawns:
            return image(p, 1) if king & 4 else p
        symmetry = int(INTO_TRIANGLE[king])
        q = image(p, symmetry) if symmetry else p
        king = get(q, SQUARE)
        return min(q, image(q, 4)) if king & 7 == king >> 3 else q

    # -- Texts and pictures. ----------------------------------------------------------------------

    def letters(self, p: int) -> dict[int, str]:
        """The men by square, as a FEN writes them: white ones in capitals."""
        black = get(p, BLACK)
        found = {}
        for kind, square in notation.men_of(get(p, PLACEMENT)):
            letter = LETTERS[kind & 7]
            white = (kind < THEIRS) != bool(black)
            found[square ^ 56 if black else square] = letter if white else letter.lower()
        return found

    def text(self, p: int) -> str:
        black, passed = get(int(p), BLACK), "-"
        for kind, square in notation.men_of(get(int(p), PLACEMENT)):
            if kind == PASSING + THEIRS:
                passed = notation.name((square + 8) ^ (56 if black else 0))
        return notation.fen(self.letters(int(p)), black, passed)

    def parse(self, s: str) -> int:
        men, flip, passed = notation.read_fen(s, EXAMPLE)
        p = notation.placed(men, flip)
        if passed != "-":
            p = notation.passed(p, passed, flip)
        return put(p, BLACK, flip > 0)

    def move_text(self, p: int, m: int) -> str:
        p, m = int(p), int(m)
        flip = 56 if get(p, BLACK) else 0
        to, origin, becomes = get(m, TO), get(m, FROM), get(m, BECOMES)
        men = {square: kind for kind, square in notation.men_of(get(p, PLACEMENT))}
        kind, goal = men[origin], notation.name(to ^ flip)
        takes = to in men or (kind == PAWN and (to - origin) % 8 != 0)
        if kind == PAWN:
            words = (notation.name(origin ^ flip)[0] + "x" if takes else "") + goal
            if becomes != PAWN:
                words += f"={LETTERS[becomes]}"
        else:
            twins = sum(each == kind for each in men.values()) > 1
            others = self.moves(p) if twins else ()
            same = [get(other, FROM) for other in others if get(other, TO) == to]
            same = [square for square in same if men[square] == kind and square != origin]
            start = LETTERS[kind] + notation.which(origin, same, flip)
            words = start + ("x" if takes else "") + goal
        q = self.play(p, m)
        if self.in_check(q):
            words += "#" if next(iter(self.moves(q)), None) is None else "+"
        return words

    def picture(self, p: int) -> str:
        return notation.picture(self.letters(int(p)), self.player_name(self.to_move(int(p))))

    def player_name(self, i: int) -> str:
        return ("White", "Black")[i]
