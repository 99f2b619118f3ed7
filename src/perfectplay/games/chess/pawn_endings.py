"""King and pawn endings: kings and any number of pawns, as Bellman proposed to solve them in 1965.

The rules are those of chess, en passant included, with a boundary: play ends when a pawn is
promoted to a queen that the other king cannot take at once. With `promotion` wins, the player who
promotes has won; with draws, nobody has. So values are exact up to this rule, which the parameters
of a table name: where both players promote, one after the other, it is a guess. `chess` solves
endings of few men exactly. Stalemate and endless play are draws.

Check: with one pawn the rule gives what exact play gives, 124,960 wins of 163,328 positions with
the pawn's side to move. In Lasker and Reichhelm's position of 1901, which is the start, Kb1 alone
wins.

Strata are pawn structures: within one, only the two kings move, and at most 64 x 64 placements
with either player to move are solved together.

A position is (mine, theirs), as the player to move sees them, from their side of the board: 48
bits for pawns (bit 0 is a2, bit 47 h7), then six for the king. In `mine` follow four bits, 8 + the
file of a pawn of the other player that can be taken en passant or of a new queen of theirs, or 0,
and a bit that is set if it is a queen; in `theirs`, a bit that is set if Black is to move.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from perfectplay.errors import UsageError
from perfectplay.games.bits import count
from perfectplay.games.chess import notation
from perfectplay.games.chess.board import KING, REACH, WALK
from perfectplay.rules.capabilities import Charted, OwnSolver
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, fields, get, put

PAWNS, KING_AT, MARK, QUEENED = fields(48, 6, 4, 1)
"""Pawns and the square of the king; in `mine`, the file marked and whether it has a queen."""
BLACK = MARK.each(1)
"""In `theirs`: whether Black is to move."""
TO, FROM = fields(6, 6)
"""The squares of a move."""
LASKER = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
PRIME = 1000003


def moved(origin: int, to: int) -> int:
    """The move from square to square."""
    return at(TO, to) | at(FROM, origin)


def there(pawns: int, square: int) -> bool:
    """Whether a pawn stands on a square."""
    return 8 <= square < 56 and (pawns >> (square - 8)) & 1 == 1


def flipped(pawns: int) -> int:
    """Pawns as seen from the other side of the board."""
    found = 0
    for row in range(6):
        found |= ((pawns >> (8 * row)) & 255) << (8 * (5 - row))
    return found


def without(pawns: int, square: int) -> int:
    """Pawns without the one on a square, if there is one."""
    return pawns & ~(1 << (square - 8)) if there(pawns, square) else pawns


def hits(theirs: int, square: int) -> bool:
    """Whether a pawn of the other player, who moves down the board, attacks a square."""
    file = square & 7
    return (file > 0 and there(theirs, square + 7)) or (file < 7 and there(theirs, square + 9))


@dataclass(frozen=True)
class PawnEndings(Charted, OwnSolver, Game):
    """All that can follow from the position `fen` until a pawn is promoted."""

    fen: str = LASKER
    promotion: Literal["wins", "draws"] = "wins"

    native = True

    def __post_init__(self) -> None:
        try:
            _ = self.begin
        except ValueError as error:
            raise UsageError(
                f"{self.fen!r} is no king and pawn ending: {error}", f"a FEN such as {LASKER!r}"
            ) from None

    @cached_property
    def begin(self) -> tuple[int, int]:
        """The position of `fen`."""
        return self.parse(self.fen)

    def start(self) -> tuple[int, int]:
        return self.begin

    def to_move(self, p: tuple[int, int]) -> int:
        return get(p[1], BLACK)

    def turn(self, p: tuple[int, int]) -> int:
        return get(p[1], BLACK)

    def safe(self, square: int, theirs: int, king: int) -> bool:
        """Whether neither pawns nor the king of the other player attack a square."""
        return not hits(theirs, square) and not (REACH[king, square] >> KING) & 1

    def moves(self, p: tuple[int, int]) -> Iterator[int]:
        mine, theirs = get(p[0], PAWNS), get(p[1], PAWNS)
        king, other = get(p[0], KING_AT), get(p[1], KING_AT)
        mark = get(p[0], MARK)
        if get(p[0], QUEENED):
            queen = mark - 8
            if (REACH[king, queen] >> KING) & 1 and self.safe(queen, theirs, other):
                yield moved(king, queen)
            return
        i = 0
        to = int(WALK[KING, king, 0])
        while to >= 0:
            to &= 63
            if not there(mine, to) and self.safe(to, without(theirs, to), other):
                yield moved(king, to)
            i += 1
            to = int(WALK[KING, king, i])
        passing = 32 + mark - 8 if mark else -1
        for here in range(8, 56):
            if there(mine, here):
                for to in self.pawn_moves(mine, theirs, king, other, here, passing):
                    yield moved(here, to)

    def pawn_moves(
        self, mine: int, theirs: int, king: int, other: int, here: int, passing: int
    ) -> Iterator[int]:
        """Yield where the pawn on `here` may go; one on `passing` can be taken en passant."""
        ahead, far, men = here + 8, here + 16, mine | theirs
        if not (hits(theirs, king) or there(men, ahead) or ahead in (king, other)):
            yield ahead
            if here < 16 and not (there(men, far) or far in (king, other)):
                yield far
        for aside in range(-1, 2, 2):
            to = ahead + aside
            if 0 <= (here & 7) + aside < 8:
                taken = to if there(theirs, to) else -1
                if passing >= 0 and to == passing + 8:
                    taken = passing
                if taken >= 0 and not hits(without(theirs, taken), king):
                    yield to

    def play(self, p: tuple[int, int], m: int) -> tuple[int, int]:
        to, origin = get(m, TO), get(m, FROM)
        mine, theirs = get(p[0], PAWNS), get(p[1], PAWNS)
        king, other = get(p[0], KING_AT), get(p[1], KING_AT)
        mark = get(p[0], MARK)
        steps = origin != king
        next_mark, queened = 0, 0
        if not steps:
            king = to
        else:
            mine = without(mine, origin)
            if to >= 56:
                next_mark, queened = 8 + (to & 7), 1
            else:
                mine |= 1 << (to - 8)
            if mark and not get(p[0], QUEENED) and to == 40 + mark - 8 and (to - origin) & 7:
                theirs = without(theirs, to - 8)
        theirs = without(theirs, to)
        q0 = flipped(theirs) | at(KING_AT, other ^ 56)
        q1 = flipped(mine) | at(KING_AT, king ^ 56) | at(BLACK, 1 - get(p[1], BLACK))
        if steps and to == origin + 16 and self.can_pass(q0, q1, to ^ 56):
            next_mark = 8 + (to & 7)
        return q0 | at(MARK, next_mark) | at(QUEENED, queened), q1

    def can_pass(self, q0: int, q1: int, pawn: int) -> bool:
        """Whether the player to move may take the pawn on a square en passant."""
        mine, theirs = get(q0, PAWNS), without(get(q1, PAWNS), pawn)
        beside = ((pawn & 7) > 0 and there(mine, pawn - 1)) or (
            (pawn & 7) < 7 and there(mine, pawn + 1)
        )
        return beside and not hits(theirs, get(q0, KING_AT))

    def payoff(self, p: tuple[int, int]) -> int:
        lost = -1 if self.to_move(p) == 0 else 1
        if get(p[0], QUEENED):
            return lost if self.promotion == "wins" else 0
        return lost if hits(get(p[1], PAWNS), get(p[0], KING_AT)) else 0

    def stratum(self, p: tuple[int, int]) -> int:
        # Pawns, then steps that they have still to go, then whether there is a new queen, then a
        # number of the structure that is the same for both players.
        mine, theirs = get(p[0], PAWNS), flipped(get(p[1], PAWNS))
        steps = 0
        for row in range(6):
            both = ((mine >> (8 * row)) & 255) | (((theirs >> (8 * row)) & 255) << 8)
            steps += (6 - row) * count(both)
        which = (mine % PRIME) + (theirs % PRIME)
        queen = get(p[0], QUEENED)
        return ((((count(mine) + count(theirs)) << 7 | steps) << 1 | queen) << 21) | which

    def representative(self, p: tuple[int, int]) -> tuple[int, int]:
        return p[0], put(p[1], BLACK, 0)

    # -- Texts and pictures. ----------------------------------------------------------------------

    def letters(self, p: tuple[int, int]) -> dict[int, str]:
        """The men by square, as a FEN writes them."""
        black = get(p[1], BLACK)
        men = {}
        for side, word in enumerate(p):
            letter = "pk" if side != black else "PK"
            flip = 56 if black else 0
            for square in range(8, 56):
                if there(get(word, PAWNS), square):
                    men[square ^ flip] = letter[0]
            men[(get(word, KING_AT)) ^ flip] = letter[1]
        if get(p[0], QUEENED):
            men[((get(p[0], MARK)) - 8) ^ (56 if black else 0)] = "Q" if black else "q"
        return men

    def text(self, p: tuple[int, int]) -> str:
        p = int(p[0]), int(p[1])
        black, mark, passed = get(p[1], BLACK), get(p[0], MARK), "-"
        if mark and not get(p[0], QUEENED):
            passed = notation.name((40 + mark - 8) ^ (56 if black else 0))
        return notation.fen(self.letters(p), black, passed)

    def parse(self, s: str) -> tuple[int, int]:
        men, flip, passed = notation.read_fen(s, LASKER)
        sides, queen = [0, 0], -1
        kings = "".join(letter for letter in men.values() if letter in "Kk")
        if sorted(kings) != ["K", "k"]:
            raise ValueError("there must be one white and one black king")
        for shown, letter in men.items():
            square, side = shown ^ flip, int(letter.isupper() == (flip > 0))
            if letter in "Kk":
                sides[side] |= at(KING_AT, square)
            elif letter in "Pp" and 8 <= square < 56:
                sides[side] |= 1 << (square - 8)
            elif letter in "Qq" and side == 1 and square < 8 and queen < 0:
                queen = square
            else:
                raise ValueError(
                    f"{letter} on {notation.name(shown)}: there are only kings, pawns between the "
                    "second and the seventh row, and one queen that was just promoted"
                )
        p = sides[0], put(sides[1], BLACK, flip > 0)
        if queen >= 0:
            return p[0] | at(MARK, 8 + queen) | at(QUEENED, 1), p[1]
        mine, theirs = ((get(word, KING_AT), get(word, PAWNS)) for word in sides)
        if (REACH[mine[0], theirs[0]] >> KING) & 1 or hits(flipped(mine[1]), theirs[0] ^ 56):
            raise ValueError("the side that is not to move is in check")
        return self.passed(p, passed, flip) if passed != "-" else p

    def passed(self, p: tuple[int, int], square: str, flip: int) -> tuple[int, int]:
        """Position `p` with the right to take en passant on a square, if that can be done."""
        pawn = next((s - 8 for s in range(40, 48) if notation.name(s ^ flip) == square), -1)
        men = {at ^ flip for at in self.letters(p)}
        if not there(get(p[1], PAWNS), pawn) or {pawn + 8, pawn + 16} & men:
            raise ValueError(f"no pawn can just have passed {square}")
        if hits(get(p[1], PAWNS) & ~(1 << (pawn - 8)) | 1 << (pawn + 8), get(p[0], KING_AT)):
            raise ValueError(
                f"no pawn can just have passed {square}: the king was in check before"
            )
        can = self.can_pass(p[0], p[1], pawn)
        return (put(p[0], MARK, 8 + (pawn & 7)), p[1]) if can else p

    def move_text(self, p: tuple[int, int], m: int) -> str:
        flip = 56 if get(int(p[1]), BLACK) else 0
        to, origin = get(int(m), TO), get(int(m), FROM)
        goal, q = notation.name(to ^ flip), self.play(p, m)
        takes = count(get(q[0], PAWNS)) < count(get(p[1], PAWNS)) or get(int(p[0]), QUEENED)
        if origin == get(int(p[0]), KING_AT):
            return "K" + ("x" if takes else "") + goal
        words = (notation.name(origin ^ flip)[0] + "x" if takes else "") + goal
        if to >= 56:
            return f"{words}=Q"
        if hits(get(q[1], PAWNS), get(q[0], KING_AT)):
            words += "#" if next(iter(self.moves(q)), None) is None else "+"
        return words

    def picture(self, p: tuple[int, int]) -> str:
        return notation.picture(self.letters(p), self.player_name(self.to_move(p)))

    def chart(self) -> Chart:
        """Squares of the white king, with the pawns of `fen`: which win, which draw?"""
        men = self.letters(self.begin)
        pawns = {at: letter for at, letter in men.items() if letter in "Pp"}
        home = next(notation.name(at) for at, letter in men.items() if letter == "k")
        squares = {notation.name(at): at for at in range(64) if at not in pawns}
        movers = ["White", "Black"] if self.to_move(self.begin) == 0 else ["Black", "White"]

        def position(file: str, rank: int, black: str, mover: str) -> tuple[int, int] | None:
            white = squares.get(f"{file}{rank}", squares[black])
            if white == squares[black]:
                return None
            placed = notation.written({**pawns, white: "K", squares[black]: "k"})
            try:
                return self.parse(f"{placed} {mover[0].lower()} - -")
            except ValueError:
                return None

        axes = {
            "file of the white king": "abcdefgh",
            "its rank": range(1, 9),
            "black king": [home, *(square for square in squares if square != home)],
            "to move": movers,
        }
        return Chart(axes, position, title="King and pawn ending", show="value")

    def own_solver(self) -> Any:
        from perfectplay.games.chess.structures_solver import StructureSolver

        return StructureSolver(self)

    def structures(self) -> Any:
        """Pawn structures, in which only kings move."""
        from perfectplay.games.chess.pawn_walks import PawnWalks

        return PawnWalks(self)

    def player_name(self, i: int) -> str:
        return ("White", "Black")[i]
