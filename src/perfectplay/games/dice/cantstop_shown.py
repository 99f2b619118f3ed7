"""How positions of Can't Stop are written, drawn and charted."""

import itertools
import re
from collections.abc import Iterator

from perfectplay.drawing import svg
from perfectplay.drawing.spots import inside
from perfectplay.games.puzzles.columns import (
    CELL,
    drawn,
    height,
    heights_parsed,
    heights_text,
    lifted,
    packed,
)
from perfectplay.rules.capabilities import Charted, PlacedMoves
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import Game
from perfectplay.rules.packing import at, fields, get

BEGIN, ROLLING, MOVING, DECIDING, WON, LOST = range(6)
"""Stages: a turn begins, dice fall, are paired, roll on or stop, the player on turn has won, or
has lost all that the turn has brought."""
ROLL, STOP = 0, 1
TURN, STAGE, DICE = fields(4, 4, 16)
"""The last word: the player on turn, what happens now, the dice, smallest first."""
STAGES = ("", "rolling", "moving", "deciding", "won", "lost")


class Shown(Charted, PlacedMoves, Game):
    """Text and pictures for a game with columns; the rules are in cantstop.py."""

    sides: int
    count: int

    def top(self, column: int) -> int:
        """How many spaces a column has."""
        raise NotImplementedError

    def turn(self, p: tuple[int, ...]) -> int:
        """Whose turn it is."""
        return get(p[self.players + 1], TURN)

    def stage(self, p: tuple[int, ...]) -> int:
        """What happens now."""
        return get(p[self.players + 1], STAGE)

    def tops(self) -> list[int]:
        """How many spaces each column has."""
        return [self.top(column) for column in range(2 * self.sides - 1)]

    def text(self, p: tuple[int, ...]) -> str:
        width = 2 * self.sides - 1
        squares = " | ".join(heights_text(p[i], width) for i in range(self.players))
        words = f"{squares}, player {self.turn(p) + 1}"
        if p[self.players]:
            words += f", markers {heights_text(p[self.players], width)}"
        stage, dice = self.stage(p), get(p[self.players + 1], DICE)
        words += "" if stage == BEGIN else f", {STAGES[stage]}"
        return words + (f" {'-'.join(str(height(dice, i)) for i in range(4))}" if dice else "")

    def parse(self, s: str) -> tuple[int, ...]:
        form = (
            r"([\d |]+), player (\d)(?:, markers ([\d ]+))?"
            r"(?:, (rolling|moving|deciding|won|lost))?(?: (\d)-(\d)-(\d)-(\d))?"
        )
        found = re.fullmatch(form, s.strip())
        boards = found[1].split("|") if found else []
        if not found or len(boards) != self.players or not 1 <= int(found[2]) <= len(boards):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        tops = self.tops()
        words = [heights_parsed(board, tops) for board in boards]
        words.append(heights_parsed(found[3], tops) if found[3] else 0)
        stage = STAGES.index(found[4] or "")
        dice = sorted(int(found[i]) for i in (5, 6, 7, 8)) if found[5] else []
        if bool(dice) != (stage == MOVING) or any(not 1 <= d <= self.sides for d in dice):
            raise ValueError(f"{s!r}: four dice from 1 to {self.sides} while moving, else none")
        state = at(TURN, int(found[2]) - 1) | at(STAGE, stage) | at(DICE, packed(dice))
        return (*words, state)

    def move_text(self, p: tuple[int, ...], m: int) -> str:
        if self.stage(p) != MOVING:
            if self.stage(p) == LOST:
                return "pass"
            return "stop" if m == STOP else "roll"
        steps = []
        for column in range(2 * self.sides - 1):
            before = height(p[self.players], column) or height(p[self.turn(p)], column)
            steps += [str(column + 2)] * max(0, (height(m, column) or before) - before)
        return " ".join(steps)

    def picture(self, p: tuple[int, ...]) -> str:
        tops, dice = self.tops(), get(p[self.players + 1], DICE)
        high = max(tops) * CELL
        parts = drawn(tops, p[: self.players], p[self.players], 2)
        for i in range(4 if dice else 0):
            parts.append(svg.die(i * 26, high + 26, 22, height(dice, i)))
        if self.stage(p) in (BEGIN, DECIDING, LOST):
            for m in self.moves(p):
                left, top, right, bottom = self.button(m)
                size = right - left, bottom - top
                parts.append(svg.card(left, top, *size, self.move_text(p, m)))
        return svg.svg(len(tops) * CELL * 1.2, high + 52, parts)

    def button(self, m: int) -> tuple[float, float, float, float]:
        """Where "roll" and "stop" are drawn."""
        left, top = 52.0 * m, float(max(self.tops()) * CELL + 26)
        return left, top, left + 46, top + 22

    def places(self, p: tuple[int, ...], m: int) -> Iterator[tuple[float, ...]]:
        # The spaces that markers come to, or one of the buttons.
        if self.stage(p) != MOVING:
            left, top, right, bottom = self.button(m)
            yield *inside(left, top), *inside(right, bottom)
            return
        tops = self.tops()
        for column, top in enumerate(tops):
            if height(m, column) != height(p[self.players], column):
                low = (max(tops) + top) * CELL / 2 - height(m, column) * CELL
                yield inside(column * CELL * 1.2 + CELL / 2, low + CELL / 2)

    def chart(self) -> Chart:
        """Roll on or stop, by where markers stand, for given squares."""
        width = 2 * self.sides - 1
        middle = sorted(range(width), key=lambda column: (abs(column - self.sides + 1), column))
        names = {"marker": self.players, "own square": 0}
        for other in range(1, self.players):
            names[f"square of player {other + 1}"] = other
        axes = {
            f"{name} in {column + 2}": range(self.top(column) + 1)
            for name in names
            for column in middle
        }

        def position(*heights: int) -> tuple[int, ...] | None:
            words = [0] * (self.players + 1)
            places = itertools.product(names.values(), middle)
            for here, (word, column) in zip(heights, places, strict=True):
                words[word] = lifted(words[word], column, here)
            marked = [c for c in range(width) if height(words[self.players], c)]
            risen = (height(words[self.players], c) > height(words[0], c) for c in marked)
            if not marked or len(marked) > self.count or not all(risen):
                return None
            return (*words, at(STAGE, DECIDING))

        return Chart(axes, position)
