"""Farmer Klaus and the Mouse, and Obstgarten (Orchard): luck with a little choice.

*Farmer Klaus*: there are `sacks` sacks of each of `kinds` kinds of grain. A die has one face for
each kind, a mouse and a wild face. A kind takes one sack of it off the board, the wild face one
sack of the player's choice, the mouse puts a mouse on the board. The game is won when all sacks
are gone, and lost when all `mice` mice have come. *Obstgarten*: `fruit` fruits on each tree, a
jigsaw raven of `raven` pieces instead of the mice, and a basket face that takes `basket` fruits of
the player's choice. A face without effect is rolled again.

`worst` asks for the worst policy instead of the best one.

Check: the best policies take the most numerous kind and win Farmer Klaus with probability
0.511729399026 and Obstgarten with 0.684047498128; the worst with 0.404639592278 and
0.532399142152.

A position is one integer: four bits for what is left of each of eight kinds, eight for the mice or
pieces on the board, then how many may still be chosen. The order of the kinds does not matter: the
most numerous comes first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.bits import sorted_down
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put, summed

KINDS, FOES, PICKS = fields(32, 8, 4)
"""What is left, mice or pieces on the board, choices left."""
KIND = KINDS.each(4)


@dataclass(frozen=True)
class Harvest(Game):
    """Bring everything in before the foe is complete. Subclasses name the sizes."""

    kinds: int = 4
    worst: bool = field(default=False, kw_only=True)

    players = 1
    native = True

    @property
    def minimise(self) -> bool:  # type: ignore[override]
        """The worst policy wants the least chance of winning."""
        return self.worst

    def each(self) -> int:
        """How many there are of each kind."""
        raise NotImplementedError

    def enemies(self) -> int:
        """How many mice or pieces lose the game."""
        raise NotImplementedError

    def wild(self) -> int:
        """How many the wild face takes."""
        raise NotImplementedError

    def foe(self) -> str:
        """What the foe is called."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        sizes = (self.kinds, self.each(), self.enemies(), self.wild())
        if any(not 1 <= size <= most for size, most in zip(sizes, (8, 15, 255, 15), strict=True)):
            raise UsageError(
                f"no such game: {self}",
                "use 1 to 8 kinds of 1 to 15, and an enemy of 1 to 255 pieces",
            )

    def start(self) -> int:
        return sum(at(KIND, self.each(), kind) for kind in range(self.kinds))

    def to_move(self, p: int) -> int:
        if get(p, KINDS) == 0 or get(p, FOES) == self.enemies():
            return OVER
        return 0 if get(p, PICKS) else CHANCE

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        for kind in range(self.kinds):
            if get(p, KIND, kind) > 0:
                yield 1, p - at(KIND, 1, kind)
        yield 1, p + at(FOES, 1)
        yield 1, put(p, PICKS, self.wild())

    def moves(self, p: int) -> Iterator[int]:
        for kind in range(self.kinds):
            if get(p, KIND, kind) > 0:
                yield kind

    def play(self, p: int, m: int) -> int:
        q = p - at(KIND, 1, m) - at(PICKS, 1)
        # Nothing is left to choose from once all is in.
        return q if get(q, KINDS) else put(q, PICKS, 0)

    def payoff(self, p: int) -> int:
        return 1 if get(p, KINDS) == 0 else 0

    def stratum(self, p: int) -> int:
        return self.enemies() - get(p, FOES) + summed(p, KIND, self.kinds)

    def representative(self, p: int) -> int:
        return put(p, KINDS, sorted_down(get(p, KINDS), self.kinds, KIND.bits))

    def text(self, p: int) -> str:
        left = " ".join(str(get(p, KIND, kind)) for kind in range(self.kinds))
        choose = f", choose {get(p, PICKS)}" if get(p, PICKS) else ""
        return f"{left}, {self.foe()} {get(p, FOES)}{choose}"

    def parse(self, s: str) -> int:
        found = re.fullmatch(rf"\s*([\d ]+),\s*{self.foe()} (\d+)(?:,\s*choose (\d+))?\s*", s)
        left = [int(word) for word in found[1].split()] if found else []
        if not found or len(left) != self.kinds or max(left) > self.each():
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        foes, picks = int(found[2]), int(found[3] or 0)
        if foes > self.enemies() or picks > self.wild():
            most = f"{self.foe()} {self.enemies()}, choose {self.wild()}"
            raise ValueError(f"{s!r}: at most {most}")
        kinds = sum(at(KIND, number, kind) for kind, number in enumerate(left))
        return kinds | at(FOES, foes) | at(PICKS, picks)

    def move_text(self, p: int, m: int) -> str:
        return f"kind {m + 1} of {get(p, KIND, m)}"

    def picture(self, p: int) -> str:
        parts, step = [], 20
        for kind in range(self.kinds):
            y = 26 * kind + 10
            parts.append(svg.note(0, y, f"kind {kind + 1}", 12, svg.FAINT))
            for i in range(self.each()):
                full = i < get(p, KIND, kind)
                colour = svg.COLOURS[kind] if full else svg.PANEL
                parts.append(svg.circle(60 + step * i, y, 8, colour))
        y = 26 * self.kinds + 12
        parts.append(svg.note(0, y, self.foe(), 12, svg.FAINT))
        for i in range(self.enemies()):
            colour = svg.INK if i < get(p, FOES) else svg.PANEL
            parts.append(svg.box(53 + step * i, y - 7, 14, 14, colour))
        words = f"choose {get(p, PICKS)}" if get(p, PICKS) else ""
        parts.append(svg.note(0, y + 24, words))
        return svg.svg(56 + step * max(self.each(), self.enemies()), y + 32, parts)


@dataclass(frozen=True)
class FarmerKlaus(Harvest):
    """Sacks of grain against mice."""

    sacks: int = 6
    mice: int = 6

    def each(self) -> int:
        return self.sacks

    def enemies(self) -> int:
        return self.mice

    def wild(self) -> int:
        return 1

    def foe(self) -> str:
        return "mice"


@dataclass(frozen=True)
class Obstgarten(Harvest):
    """Fruit against a raven."""

    fruit: int = 10
    raven: int = 9
    basket: int = 2

    def each(self) -> int:
        return self.fruit

    def enemies(self) -> int:
        return self.raven

    def wild(self) -> int:
        return self.basket

    def foe(self) -> str:
        return "raven"
