"""Mu Torere, a Maori blocking game on a star with points around a centre.

Each player has half as many markers as there are points (or `markers`), at first on neighbouring
points; the centre is empty. A move brings a marker to an empty place: from a point to a
neighbouring point, from a point to the centre, or from the centre to a point. A player who cannot
move loses.
For the first two moves of each player (`restricted` plies) a marker may enter the centre only if a
marker of the other player stands next to it, or else the first player would win at once; Ascher's
rule (`ascher`) keeps this for the whole game. By the words of the rule (`starred`) only the
starred markers, those at the two ends of each row, may be moved in these plies at all, wherever
they go. That forbids more: a marker that finds itself next to another player's only after the
first moves must still wait.

Check: with 8 points perfect play never ends (a draw), with 4 restricted plies, whichever way, as
with Ascher's rule. Without any restriction there are 1180 positions: 320 wins, 160 losses, 700
draws.

A position is one integer: from the lowest bit, the first player's places (points + 1 bits, the
centre last), the second player's, one bit for whose turn it is, ten for the restricted plies still
to come and, as long as there are some, the places of starred markers.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import crosses_and_noughts, marked
from perfectplay.rules.game import Game

PLIES = 10
"""Bits for the restricted plies that are still to come."""
MOST_STARRED = 16
"""With more points the places of starred markers do not fit in one number beside all others."""


@dataclass(frozen=True)
class MuTorere(Game):
    """Markers on a star. `symmetry` identifies turned and mirrored stars and the two colours."""

    points: int = 8
    restricted: int = 4
    ascher: bool = False
    symmetry: bool = False
    markers: int = 0
    """0: half as many for each as there are points."""
    starred: bool = False

    native = True

    def __post_init__(self) -> None:
        if not 3 <= self.points <= 24 or not 0 <= self.restricted < 1000:
            raise UsageError(
                f"no star with {self.points} points and {self.restricted} restricted plies",
                "use 3 to 24 points, and restricted at least 0",
            )
        if self.points % 2 and not self.markers:
            raise UsageError(
                f"{self.points} points cannot be shared by two players",
                f"use an even number, or say how many each has: markers={self.points // 2}",
            )
        if not 0 <= 2 * self.markers <= self.points:
            raise UsageError(
                f"two players with {self.markers} markers each do not fit on {self.points} points",
                "use at most half as many markers as points",
            )
        if self.starred and (self.ascher or self.points > MOST_STARRED):
            raise UsageError(
                f"starred markers are for stars of at most {MOST_STARRED} points without ascher",
                "leave out one of the two",
            )

    @property
    def each(self) -> int:
        """Markers of each player."""
        return self.markers or self.points // 2

    def packed(self, first: int, second: int, turn: int, left: int, stars: int) -> int:
        """The position with these places, turn, restricted plies to come, and starred markers."""
        places = self.points + 1
        p = first | (second << places) | (turn << (2 * places)) | (left << (2 * places + 1))
        return p | (stars << (2 * places + 1 + PLIES)) if left else p

    def places_of(self, p: int, player: int) -> int:
        """The places of a player's markers, as bits."""
        places = self.points + 1
        return (p >> (player * places)) & ((1 << places) - 1)

    def plies_left(self, p: int) -> int:
        """How many restricted plies are still to come."""
        return (p >> (2 * self.points + 3)) & ((1 << PLIES) - 1)

    def stars(self, p: int) -> int:
        """The places of starred markers, as bits; 0 if they do not matter any more."""
        return p >> (2 * self.points + 3 + PLIES)

    def start(self) -> int:
        row, ends = (1 << self.each) - 1, 1 | (1 << (self.each - 1))
        left = 0 if self.ascher else self.restricted
        stars = ends | (ends << self.each) if self.starred else 0
        return self.packed(row, row << self.each, 0, left, stars)

    def to_move(self, p: int) -> int:
        return (p >> (2 * self.points + 2)) & 1

    def moves(self, p: int) -> Iterator[int]:
        # A move is 32 * from + to.
        n = self.points
        mine = self.places_of(p, self.to_move(p))
        theirs = self.places_of(p, 1 - self.to_move(p))
        free = ((1 << (n + 1)) - 1) & ~(mine | theirs)
        held_back = self.ascher or (self.plies_left(p) > 0 and not self.starred)
        stars = self.stars(p)
        able = mine & stars if stars else mine
        for i in range(n):
            after, before = (i + 1) % n, (i + n - 1) % n
            if (able >> i) & 1:
                if (free >> after) & 1:
                    yield 32 * i + after
                if (free >> before) & 1:
                    yield 32 * i + before
                faced = ((theirs >> after) | (theirs >> before)) & 1
                if (free >> n) & 1 and (faced or not held_back):
                    yield 32 * i + n
            elif (able >> n) & (free >> i) & 1:
                yield 32 * n + i

    def play(self, p: int, m: int) -> int:
        turn, stars = self.to_move(p), self.stars(p)
        mine, theirs = self.places_of(p, turn), self.places_of(p, 1 - turn)
        mine = (mine & ~(1 << (m // 32))) | (1 << (m % 32))
        if stars:  # none but starred markers move
            stars = (stars & ~(1 << (m // 32))) | (1 << (m % 32))
        left = max(0, self.plies_left(p) - 1)
        if turn == 0:
            return self.packed(mine, theirs, 1, left, stars)
        return self.packed(theirs, mine, 0, left, stars)

    def stratum(self, p: int) -> int:
        return self.plies_left(p)

    def turn(self, p: int) -> int:
        return self.to_move(p)

    def turned(self, places: int, by: int) -> int:
        """Places after turning the star by `by` points; from `points` on, of the mirrored star."""
        n = self.points
        image = places & (1 << n)
        for i in range(n):
            if (places >> i) & 1:
                to = (by + i) % n if by < n else (2 * n - 1 + by - i) % n
                image |= 1 << to
        return image

    def representative(self, p: int) -> int:
        if not self.symmetry:
            return p
        turn, left, stars = self.to_move(p), self.plies_left(p), self.stars(p)
        mine, theirs = self.places_of(p, turn), self.places_of(p, 1 - turn)
        best = self.packed(mine, theirs, 0, left, stars)
        for by in range(1, 2 * self.points):
            own, other, ends = (
                self.turned(mine, by),
                self.turned(theirs, by),
                self.turned(stars, by),
            )
            best = min(best, self.packed(own, other, 0, left, ends))
        return best

    def marks(self, p: int) -> str:
        """One letter per place, the centre last: X first player, O second, . empty."""
        return crosses_and_noughts(self.places_of(p, 0), self.places_of(p, 1), self.points + 1)

    def text(self, p: int) -> str:
        left, stars = self.plies_left(p), self.stars(p)
        marks = [m.lower() if stars >> i & 1 else m for i, m in enumerate(self.marks(p))]
        held = f" restricted {left}" if left else ""
        around = "".join(marks[:-1])
        return f"{around} centre {marks[-1]} to move {'XO'[self.to_move(p)]}{held}"

    def parse(self, s: str) -> int:
        example = self.text(self.start())
        words = s.split()
        if [*words[1:2], *words[3:5]] != ["centre", "to", "move"] or words[6:7] not in (
            [],
            ["restricted"],
        ):
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        written, mover, left = words[0] + words[2], words[5], int(" ".join(words[7:]) or 0)
        marks = written.upper()
        markers = (marks.count("X"), marks.count("O"), len(marks))
        if markers != (self.each, self.each, self.points + 1) or mover not in (
            "X",
            "O",
        ):
            raise ValueError(f"{s!r}: a position looks like {example!r}")
        if not 0 <= left <= self.restricted:
            raise ValueError(f"{s!r}: at most {self.restricted} plies are restricted")
        starred = min(2, self.each) if self.starred and left else 0
        if (written.count("x"), written.count("o")) != (starred, starred):
            raise ValueError(f"{s!r}: {starred} starred markers of each are small letters here")
        first, second = marked(marks, "X"), marked(marks, "O")
        stars = marked(written, "x") | marked(written, "o")
        return self.packed(first, second, "XO".index(mover), left, stars)

    def move_text(self, p: int, m: int) -> str:
        places = (m // 32, m % 32)
        return "-".join("centre" if i == self.points else str(i + 1) for i in places)

    def picture(self, p: int) -> str:
        middle, far = 130, 100
        spots = [
            (
                middle + far * math.sin(2 * math.pi * i / self.points),
                middle - far * math.cos(2 * math.pi * i / self.points),
            )
            for i in range(self.points)
        ]
        parts = [svg.line(middle, middle, x, y) for x, y in spots]
        parts += [svg.line(*a, *b) for a, b in zip(spots, [*spots[1:], spots[0]], strict=True)]
        for (x, y), mark in zip([*spots, (middle, middle)], self.marks(p), strict=True):
            free = mark == "."
            parts.append(svg.circle(x, y, 9) if free else svg.stone(x, y, 15, "XO".index(mark)))
        for i, (x, y) in enumerate([*spots, (middle, middle)]):
            if self.stars(p) >> i & 1:
                parts.append(svg.text(x, y, "*", 20, svg.FAINT))
        for i, (x, y) in enumerate(spots):
            out = 1.24
            at = (middle + out * (x - middle), middle + out * (y - middle))
            parts.append(svg.text(*at, i + 1, 12, svg.FAINT))
        return svg.svg(2 * middle, 2 * middle, parts)

    def player_name(self, i: int) -> str:
        return "XO"[i]
