"""Pawn walks: what the solver of structures (structures.py) asks of kings and pawns.

A key is (white pawns, black pawns), 64 bits each, a1 first. Besides solving, this proves
promotions: that what follows one is really won, by pawn_promoted.py.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.games.chess.board import BISHOP, KNIGHT, QUEEN, ROOK
from perfectplay.games.chess.pawn_endings import BLACK, KING_AT, MARK, PAWNS, flipped
from perfectplay.games.chess.pawn_followed import follow
from perfectplay.games.chess.pawn_promoted import ROWS, promoted
from perfectplay.games.chess.pawn_settled import settle
from perfectplay.games.chess.pawn_structures import (
    KIND,
    KING_TAKES,
    PASSING,
    PLACES,
    PROMOTE,
    SIDE,
    STALE,
    TO,
    WON,
    everywhere,
    exits_of,
    flood,
    leave,
    mark,
    opened,
)
from perfectplay.rules.packing import at, get, put

if TYPE_CHECKING:
    from perfectplay.games.chess.pawn_endings import PawnEndings

Key = tuple[int, int]
MOST = 500
"""How many structures without a piece may be solved to prove one with a piece."""
FEW = 4
"""Men whose endings are settled by chess, if need be."""
NOTHING = np.empty((0, PLACES), np.int16)
NOWHERE = np.zeros(64, np.int64)


class PawnWalks:
    """The structures of a king and pawn ending."""

    name = "promotion"
    places, words = PLACES, 128

    def __init__(self, game: PawnEndings) -> None:
        self.guess = 1 if game.promotion == "wins" else 0
        self.worth: dict[Key, Any] = {}
        """What promotions are worth where that is not the guess: int8[exits, 4096]."""
        self.said = "" if self.guess else "promotion: counted as a draw, as was asked for"
        self.until = math.inf
        self.usual = np.full((1, 2), self.guess, np.int8)
        self.known: dict[tuple[int, ...], Any] = {}
        """By pawns after a promotion, its square and piece: where it is sure to win."""
        self.proofs = Proofs(self)

    def placed(self, p: tuple[int, int]) -> tuple[Key, int] | None:
        """The structure of a position and its number in there."""
        if get(p[0], MARK):
            return None
        black = get(p[1], BLACK)
        sides = [(get(word, PAWNS), get(word, KING_AT)) for word in p]
        if black:
            sides = [(flipped(pawns), king ^ 56) for pawns, king in reversed(sides)]
        (white, king), (other, beyond) = sides
        return (white << 8, other << 8), 4096 * black + 64 * king + beyond

    def others(self, p: tuple[int, int]) -> list[tuple[int, int]]:
        """The same position with colours exchanged."""
        return [(p[0], put(p[1], BLACK, 1 - get(p[1], BLACK)))]

    def positions(self, key: Key, places: Any) -> Any:
        """int64[n, 2]: representatives of the positions with these numbers."""
        black = places >> 12
        kings = places >> 6 & 63, places & 63
        pairs = [*zip(key, kings, strict=True)]
        words = [side >> 8 | at(KING_AT, king) for side, king in pairs]
        other = [turned(side) >> 8 | at(KING_AT, king ^ 56) for side, king in pairs]
        mine = np.where(black == 0, words[0], other[1])
        theirs = np.where(black == 0, words[1], other[0])
        return np.stack([mine, theirs], axis=1).astype(np.int64)

    def between(self, keys: Any) -> Any:
        """Which of these representatives lie between two structures."""
        return get(keys[:, 0], MARK) != 0

    def found(self, keys: Any, numbers: dict[Key, int], *, turned: bool) -> tuple[Any, Any]:
        """The structures of representatives, -1 where there is none, and their places, if who is
        to move is White, or else Black."""
        pawns: Any = get(keys, PAWNS) << 8
        king: Any = get(keys, KING_AT)
        if turned:
            pawns, king = pawns.byteswap()[:, ::-1], king[:, ::-1] ^ 56
        pairs, which = np.unique(pawns, axis=0, return_inverse=True)
        known = np.array([numbers.get((a, b), -1) for a, b in pairs.tolist()], np.int64)
        return known[which.reshape(-1)], 4096 * turned + 64 * king[:, 0] + king[:, 1]

    def level(self, key: Key) -> int:
        """Pawns, then steps that they have still to go."""
        steps = 0
        for row in range(1, 7):
            steps += (7 - row) * (key[0] >> 8 * row & 255).bit_count()
            steps += row * (key[1] >> 8 * row & 255).bit_count()
        return 128 * (key[0].bit_count() + key[1].bit_count()) + steps

    def most(self, key: Key) -> int:
        """How many structures can follow at most: every pawn on any square before it, or gone."""
        found = 1
        for row in range(1, 7):
            found *= (8 - row) ** (key[0] >> 8 * row & 255).bit_count()
            found *= (row + 1) ** (key[1] >> 8 * row & 255).bit_count()
        return found

    def exits(self, key: Key) -> tuple[Any, list[Key]]:
        """All exits, and the structures they lead to."""
        found = exits_of(*key)
        return found, [tuple(pair) for pair in found[:, 4:6].tolist()]

    def flood(self, key: Key, reached: Any) -> None:
        """Mark all that kings can reach."""
        flood(reached, *key)

    def leave(self, reached: Any, exits: Any) -> tuple[Any, Any]:
        """What exits lead to, and which can be taken."""
        found, used = np.empty((len(exits), 128), np.int64), np.zeros(len(exits), np.int8)
        leave(reached, exits, found, used)
        return found, used

    def mark(self, reached: Any, children: Any, found: Any) -> None:
        """Mark what exits lead to."""
        mark(reached, children, found)

    def opened(self, reached: Any, codes: Any) -> int:
        """Set the codes of what can arise."""
        return int(opened(reached, codes))

    def settle(self, key: Key, codes: Any, number: int, exits: Any, children: Any) -> None:
        """Solve a structure."""
        settle(codes, number, exits, children, self.worth.get(key, self.usual))

    def read(self, codes: Any, places: Any) -> Any:
        """int64[n, 2]: outcome to the player to move, and depth."""
        codes = np.asarray(codes, np.int64)
        ended = np.abs(codes) >= WON
        outcome = np.where(ended, np.where((codes > 0) == (np.asarray(places) < 4096), 1, -1), 0)
        depth = np.where(ended, np.abs(codes) - WON, np.where(codes == STALE, 0, -1))
        return np.stack([outcome, depth], axis=-1)

    # -- Proofs. ----------------------------------------------------------------------------------

    def follow(
        self, key: Key, codes: Any, number: int, moves: Any, marks: Any, player: int,
        known: Any = NOTHING,
    ) -> list[tuple[int, int]]:  # fmt: skip
        """Mark what arises within a structure, and in those that its exits lead to, if `player`
        plays by the codes and the other anything; the promotions that they choose, as (exit,
        squares of the kings)."""
        out = np.empty((PLACES, 2), np.int64)
        worth = self.worth.get(key, self.usual)
        n = follow(codes, number, moves, worth, marks, player, known, out)
        return [(a, b) for a, b in out[:n].tolist()]

    def everywhere(self, key: Key, reached: Any) -> None:
        """Mark all positions of a structure, whether they can arise or not."""
        everywhere(reached, *key)

    def assumed(self, key: Key, reached: Any, codes: Any, sign: int, player: int) -> None:
        """Set the codes of a structure that is not looked at: won for player 0 (`sign` 1) or 1,
        the sooner, the fewer steps the pawns of `player` have to go."""
        opened(reached, codes)
        steps = [7 - row for row in range(1, 7) if key[player] >> 8 * (row ^ 7 * player) & 255]
        codes *= sign * (WON + 2 * min(steps, default=6))

    def proved(self, key: Key, exits: Any, guess: tuple[int, int]) -> bool:
        """Whether what follows a promotion is won for certain, with some new piece."""
        k, kings = guess
        name = (*map(int, exits[k, 4:6]), int(exits[k, TO]))
        for kind in (QUEEN, ROOK, KNIGHT, BISHOP):
            if (*name, kind) not in self.known:
                self.known[*name, kind] = self.sure(exits[k], kind)
            if self.known[*name, kind][kings]:
                return True
        return False

    def sure(self, e: Any, kind: int) -> Any:
        """bool[4096], by the squares of the kings: whether promotion `e` is sure to win."""
        white, black, to = int(e[4]), int(e[5]), int(e[TO])
        if e[SIDE] == 0:
            return self.proofs.pieces[kind].rows((white, black), to).reshape(-1)
        found = self.proofs.pieces[kind].rows((turned(black), turned(white)), to ^ 56)
        turn = np.arange(64) ^ 56
        return found[turn][:, turn].T.reshape(-1)

    def doubt(self, key: Key, exits: Any, guess: tuple[int, int]) -> None:
        """Count promotions like this one as lost for its player, unless they are sure to win."""
        if key not in self.worth:
            self.worth[key] = np.full((max(len(exits), 2), 4096), self.guess, np.int8)
        k = guess[0]
        name = (*map(int, exits[k, 4:6]), int(exits[k, TO]))
        sure = np.zeros(4096, np.bool_)
        for kind in (QUEEN, ROOK, KNIGHT, BISHOP):
            sure |= self.known[*name, kind]
        self.worth[key][k] = np.where(sure, 1, -1)

    def doubted(self) -> list[Key]:
        """The structures in which a promotion is doubted."""
        return list(self.worth)

    def suppose(self, player: int, worth: int) -> None:
        """Let all promotions of a player be worth so much to them."""
        self.usual[0, player] = worth

    def trust(self) -> None:
        """Take back all doubts."""
        self.worth.clear()

    def settled_by(self, game: PawnEndings) -> tuple[str, Any] | None:
        """Chess settles endings of few men, with all that pawns can become."""
        from perfectplay.games.chess.chess import Chess

        men = game.letters(game.begin)
        return ("chess", Chess(fen=game.text(game.begin))) if len(men) <= FEW else None


def turned(pawns: int) -> int:
    """Pawns of 64 bits as seen from the other side of the board."""
    return int.from_bytes(pawns.to_bytes(8, "little"), "big")


class Proofs:
    """Where White is sure to win, by kings and pawns alone or with one new piece; structures are
    solved when they are asked for. See pawn_promoted.py."""

    def __init__(self, walks: PawnWalks) -> None:
        self.walks = walks
        self.pieces = {kind: Wins(kind, self) for kind in (QUEEN, ROOK, KNIGHT, BISHOP)}
        self.numbers: dict[Key, int] = {}
        self.codes = np.zeros((16, PLACES), np.int16)

    def kings(self, key: Key) -> Any:
        """int64[64], by the square of the white king: those of the black one, as bits, where
        White, to move, is sure to win without a piece."""
        if self.walks.most(key) > MOST:
            return NOWHERE
        number = self.number(key)
        won = self.codes[number, :4096].reshape(64, 64) >= WON
        packed = np.packbits(won, axis=1, bitorder="little")
        return packed.view("<i8").reshape(64).astype(np.int64)

    def number(self, key: Key) -> int:
        """The number of a structure without pieces, which is solved if it was not. Black's
        promotions win, White's are proved or lost."""
        if key in self.numbers:
            return self.numbers[key]
        exits = exits_of(*key)
        reached, found = np.empty(128, np.int64), np.empty((len(exits), 128), np.int64)
        used = np.zeros(len(exits), np.int8)
        everywhere(reached, *key)
        leave(reached, exits, found, used)
        worth = np.ones((max(len(exits), 2), 4096), np.int8)
        children = np.full(len(exits), -1, np.int32)
        for k, row in enumerate(exits.tolist()):
            if used[k]:
                children[k] = self.number((row[4], row[5]))
            if row[KIND] == PROMOTE and row[SIDE] == 0:
                sure = self.pieces[QUEEN].rows((row[4], row[5]), row[TO])
                worth[k] = np.where(sure.reshape(-1), 1, -1)
        number = self.numbers[key] = len(self.numbers)
        if number == len(self.codes):
            self.codes = np.concatenate([self.codes, np.zeros_like(self.codes)])
        opened(reached, self.codes[number])
        settle(self.codes, number, exits, children, worth)
        return number


class Wins:
    """Where White, with one new piece of a kind, is sure to win; structures on demand."""

    def __init__(self, kind: int, proofs: Proofs) -> None:
        self.kind, self.proofs = kind, proofs
        self.numbers: dict[Key, int] = {}
        self.size = 0
        self.store = tuple(np.zeros((16, ROWS), np.int64) for _ in range(3))
        self.first = np.zeros((16, ROWS), np.int64)

    def rows(self, key: Key, at: int) -> Any:
        """bool[64, 64], by the squares of the white and of the black king: whether Black, to move,
        is lost without taking the piece on `at` now."""
        number = self.number(key)
        words = np.ascontiguousarray(self.first[number, 64 * at : 64 * at + 64], "<i8")
        bits = np.unpackbits(words.view(np.uint8).reshape(64, 8), axis=1, bitorder="little")
        return bits.astype(np.bool_)

    def number(self, key: Key) -> int:
        """The number of a structure, which is solved if it was not."""
        if key in self.numbers:
            return self.numbers[key]
        if time.monotonic() > self.proofs.walks.until:
            raise TimeoutError
        exits = exits_of(*key)
        children = np.full(len(exits), -1, np.int64)
        for k, row in enumerate(exits.tolist()):
            mine = row[SIDE] == 0 and row[KIND] == KING_TAKES
            if mine or (row[SIDE] == 1 and row[KIND] != PASSING):
                children[k] = self.number((row[4], row[5]))
        kings = self.proofs.kings(key)
        number = self.numbers[key] = self.size
        self.size += 1
        if number == len(self.first):
            self.store = tuple(np.concatenate([a, np.zeros_like(a)]) for a in self.store)
            self.first = np.concatenate([self.first, np.zeros_like(self.first)])
        moves = exits, children
        promoted(key, self.kind, moves, number, self.store, self.first, kings)
        return number
