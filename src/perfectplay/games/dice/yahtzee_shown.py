"""How positions of Yahtzee are written and drawn, and what the names of boxes stand for."""

import re
from functools import cached_property

from perfectplay.drawing import svg
from perfectplay.games.bits import count
from perfectplay.games.dice.yahtzee_card import (
    BOXES,
    CHOOSING,
    DIE,
    FACES,
    FIFTY,
    GO,
    JOKERS,
    LEFT,
    LOWER,
    NONE,
    OPEN,
    POINTS,
    ROLLING,
    SCORING,
    STAGE,
    STAGES,
    UPPER,
    YAHTZEE,
    number_of,
)
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, get


class YahtzeeShown(Game):
    """Names, text and pictures; the rules are in yahtzee.py."""

    dice: int
    sides: int
    rerolls: int
    bonus_at: int
    boxes: tuple[str, ...]
    joker: str

    @property
    def known(self) -> tuple[str, ...]:
        """The boxes that there may be."""
        return (*UPPER[: self.sides], *LOWER)

    @cached_property
    def card(self) -> int:
        """The boxes in play, as bits."""
        return sum(1 << BOXES.index(name) for name in self.boxes or self.known)

    @cached_property
    def reading(self) -> int:
        """The reading of the rule about jokers, as a number."""
        return JOKERS.index(self.joker)

    def text(self, p: int) -> str:
        boxes = " ".join(name for i, name in enumerate(BOXES) if get(p, OPEN) >> i & 1) or "none"
        fifty = ", yahtzee 50" if get(p, FIFTY) else ""
        if get(p, OPEN) == 0:
            return f"open none, upper {get(p, POINTS)}{fifty}"
        faces = (str(face + 1) for face in range(FACES) for _ in range(get(p, DIE, face)))
        dice = " ".join(faces) or "none"
        left = f", rerolls {get(p, LEFT)}" if get(p, LEFT) else ""
        stage = STAGES[get(p, STAGE)]
        return f"open {boxes}, upper {get(p, POINTS)}{fifty}, dice {dice}, {stage}{left}"

    def parse(self, s: str) -> int:
        form = (
            r"\s*open ([\w ]+?)\s*,\s*upper (\d+)(,\s*yahtzee 50)?"
            r"(?:,\s*dice ([\d ]+?|none)\s*,\s*([a-z]+)(?:,\s*rerolls (\d+))?)?\s*"
        )
        found = re.fullmatch(form, s)
        p = self._read(found) if found else -1
        if p < 0:
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        return p

    def _read(self, found: re.Match[str]) -> int:
        """The position that a text describes, or -1 if there is none."""
        names = [] if found[1] == "none" else found[1].split()
        faces = [int(word) - 1 for word in (found[4] or "none").split() if word != "none"]
        points, left = int(found[2]), int(found[6] or 0)
        stage = STAGES.index(found[5]) if found[5] in STAGES else ROLLING
        boxes = sum(1 << BOXES.index(name) for name in names if name in BOXES)
        closed = self.card & ~boxes
        number = len(faces)
        wrong = (
            boxes & ~self.card
            or count(boxes) < len(names)
            or points > self.bonus_at
            or (found[3] and (self.reading == NONE or not closed >> YAHTZEE & 1))
            or (found[5] is None) != (boxes == 0)
            or (found[5] is not None and found[5] not in STAGES)
            or not set(faces) <= set(range(self.sides))
            or number > self.dice
            or left > self.rerolls
            or (stage == ROLLING and number == self.dice)
            or (stage == CHOOSING and left == 0)
            or (stage == SCORING and (left or number < self.dice))
        )
        throw = sum(at(DIE, 1, face) for face in faces) | at(STAGE, stage) | at(LEFT, left)
        card = at(OPEN, boxes) | at(POINTS, points) | at(FIFTY, bool(found[3]))
        return -1 if wrong else throw | card

    def move_text(self, p: int, m: int) -> str:
        if get(p, STAGE) == SCORING:
            return f"score {BOXES[m]}"
        if m == GO:
            return "stand" if number_of(p) == self.dice else "roll"
        return f"put back {m + 1}"

    def picture(self, p: int) -> str:
        parts = []
        shown = [i for i in range(len(BOXES)) if self.card >> i & 1]
        for row, box in enumerate(shown):
            x, y = 110 * (row // 8), 24 * (row % 8)
            free = get(p, OPEN) >> box & 1
            colour = svg.INK if free else svg.FAINT
            parts.append(svg.box(x, y, 100, 20, svg.FIELD if free else svg.SHADE))
            parts.append(svg.note(x + 8, y + 10, BOXES[box], 12, colour))
        y = 24 * min(8, len(shown)) + 8
        faces = [face + 1 for face in range(FACES) for _ in range(get(p, DIE, face))]
        for i in range(self.dice):
            parts.append(svg.die(32 * i, y, 26, faces[i] if i < len(faces) else 0))
        words = f"{STAGES[get(p, STAGE)]}, {get(p, LEFT)} rerolls left" if get(p, OPEN) else "over"
        upper = f"upper {get(p, POINTS)}" + (", yahtzee 50" if get(p, FIFTY) else "")
        parts.append(svg.note(0, y + 44, words))
        parts.append(svg.note(0, y + 64, upper, 13, svg.FAINT))
        return svg.svg(max(220, 32 * self.dice), y + 76, parts)
