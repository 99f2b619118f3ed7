"""A battle of Risk across one border: dice decide how many armies are left on either side.

`attackers` armies may fight (one more stays behind and is not counted) against `defenders`. In
each round the attacker rolls up to `attack_dice` dice, no more than there are attackers, and the
defender up to `defence_dice`. The highest dice are compared, then the second highest, as long as
both have one; the lower one of a comparison loses an army, and the defender wins ties. The battle
is over when one side is gone.

Both roll as many dice as they may. Or one may choose to roll fewer (`attacker_chooses`,
`defender_chooses`): the attacker names a number first, then the defender, then they roll. If
`seen`, the attacker rolls first, and the defender sees these dice before naming a number.

The attacker wants the territory, and values are chances to take it. Or they count `armies`: the
defender's losses less their own, and a `prize` of so many armies for the territory. With `retreat`
the attacker may break the battle off before any round (which helps only if armies count).

Check: three attackers take a territory from two defenders with probability 6610505/10077696, and
three dice against two win two armies in 2890 of 7776 rolls, one in 2611, none in 2275.

A position is one integer: ten bits for the attackers, ten for the defenders, three for the stage,
three for each number of dice, twelve for the attacker's dice if they are seen before the
defender's fall (their place in the list of rolls).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from perfectplay.compiled.arrays import Ints
from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.chart import Chart
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.packing import at, fields, get, put
from perfectplay.rules.search_capabilities import SearchGuides

ATTACKERS, DEFENDERS, STAGE, ATTACK, DEFENCE, ROLL = fields(10, 10, 3, 3, 3, 12)
"""Armies left, what happens now, dice rolled by both sides, the attacker's roll."""
ATTACKER, DEFENDER = 0, 1
CHOOSE, AIM, ANSWER, BATTLE, ENDED = range(5)
"""Stages: the attacker chooses, their dice roll alone, the defender chooses, dice roll,
retreat."""
STAGES = ("", "attacker rolls", "defender chooses", "dice roll", "broken off")
RETREAT = 0
LARGEST, DICE, SIDES = 1000, 4, 12


def rolls(dice: int, sides: int) -> tuple[Ints, Ints]:
    """All rolls of some dice, highest die first, and in how many ways each comes about."""
    faces = list(combinations_with_replacement(range(sides, 0, -1), dice))
    ways = [factorial(dice) // prod(factorial(roll.count(f)) for f in set(roll)) for roll in faces]
    return np.array(faces, np.int64).reshape(len(faces), dice), np.array(ways, np.int64)


def losses(attack: Ints, defence: Ints, ways: Ints) -> Ints:
    """For each of the attacker's rolls, in how many ways they lose 0, 1, 2, … armies against dice
    whose rolls come about in so many `ways`."""
    compared = min(attack.shape[1], defence.shape[1])
    lost = (attack[:, None, :compared] <= defence[None, :, :compared]).sum(2)
    return np.stack([(ways * (lost == n)).sum(1) for n in range(DICE + 1)], 1)


@dataclass(frozen=True)
class Risk(SearchGuides, Charted, Game):
    """A battle of Risk."""

    attackers: int = 10
    defenders: int = 10
    attack_dice: int = 3
    defence_dice: int = 2
    sides: int = 6
    attacker_chooses: bool = False
    defender_chooses: bool = False
    seen: bool = False
    retreat: bool = False
    armies: bool = False
    prize: int = 0

    native = True

    def __post_init__(self) -> None:
        if not 1 <= self.attackers <= LARGEST or not 1 <= self.defenders <= LARGEST:
            raise UsageError(
                f"no battle of {self.attackers} against {self.defenders}",
                f"use 1 to {LARGEST} armies on either side",
            )
        dice = (self.attack_dice, self.defence_dice)
        if not 1 <= min(dice) <= max(dice) <= DICE or not 2 <= self.sides <= SIDES:
            raise UsageError(
                f"no battle with {dice[0]} against {dice[1]} dice of {self.sides} sides",
                f"use 1 to {DICE} dice of 2 to {SIDES} sides",
            )
        if not 0 <= self.prize <= (10**6 if self.armies else 0):
            raise UsageError(
                f"no prize of {self.prize} armies",
                "a prize is 0 to 1000000 and goes with armies=true",
            )

    @cached_property
    def thrown(self) -> list[tuple[Ints, Ints]]:
        """All rolls, and in how many ways each comes about, by number of dice."""
        return [rolls(dice, self.sides) for dice in range(DICE + 1)]

    @cached_property
    def ways(self) -> Ints:
        """ways[a, i]: in how many ways a dice of the attacker show roll i."""
        table = np.zeros((DICE + 1, len(self.thrown[DICE][1])), np.int64)
        for a, (_, ways) in enumerate(self.thrown[1:], 1):
            table[a, : len(ways)] = ways
        return table

    @cached_property
    def lost(self) -> Ints:
        """lost[a, d, i, n]: in how many ways roll i of a dice loses n armies to d dice."""
        table = np.zeros((DICE + 1, *self.ways.shape, DICE + 1), np.int64)
        for a, (attack, _) in enumerate(self.thrown[1:], 1):
            for d, defence in enumerate(self.thrown[1:], 1):
                table[a, d, : len(attack)] = losses(attack, *defence)
        return table

    @cached_property
    def total(self) -> Ints:
        """total[a, d, n]: in how many ways a dice lose n armies to d dice."""
        counted: Ints = (self.ways[:, None, :, None] * self.lost).sum(2)
        return counted

    def start(self) -> int:
        return at(ATTACKERS, self.attackers) | at(DEFENDERS, self.defenders)

    def to_move(self, p: int) -> int:
        stage = get(p, STAGE)
        if get(p, ATTACKERS) == 0 or get(p, DEFENDERS) == 0 or stage == ENDED:
            return OVER
        if stage in (AIM, BATTLE):
            return CHANCE
        return ATTACKER if stage == CHOOSE else DEFENDER

    def moves(self, p: int) -> Iterator[int]:
        if get(p, STAGE) == CHOOSE:
            most = min(self.attack_dice, get(p, ATTACKERS))
            free = self.attacker_chooses
        else:
            most = min(self.defence_dice, get(p, DEFENDERS))
            free = self.defender_chooses
        yield most
        if free:
            for fewer in range(most - 1, 0, -1):
                yield fewer
        if self.retreat and get(p, STAGE) == CHOOSE:
            yield RETREAT

    def play(self, p: int, m: int) -> int:
        if get(p, STAGE) == ANSWER:
            return put(p, STAGE, BATTLE) | at(DEFENCE, m)
        if m == RETREAT:
            return put(p, STAGE, ENDED)
        return put(p, STAGE, AIM if self.seen else ANSWER) | at(ATTACK, m)

    def chances(self, p: int) -> Iterator[tuple[int, int]]:
        a, d = get(p, ATTACK), get(p, DEFENCE)
        if get(p, STAGE) == AIM:
            for i in range(self.ways.shape[1]):
                if self.ways[a, i] > 0:
                    yield self.ways[a, i], put(p, STAGE, ANSWER) | at(ROLL, i)
        else:
            most = min(a, d)
            for n in range(most + 1):
                count = self.lost[a, d, get(p, ROLL), n] if self.seen else self.total[a, d, n]
                if count > 0:
                    left = at(DEFENDERS, get(p, DEFENDERS) - most + n)
                    yield count, left | at(ATTACKERS, get(p, ATTACKERS) - n)

    def payoff(self, p: int) -> tuple[int, int]:
        taken = get(p, DEFENDERS) == 0
        if not self.armies:
            return (1, 0) if taken else (0, 1)
        gain = self.defenders - get(p, DEFENDERS) - (self.attackers - get(p, ATTACKERS))
        gain += self.prize if taken else 0
        return (gain, -gain)

    def stratum(self, p: int) -> int:
        return get(p, ATTACKERS) + get(p, DEFENDERS)

    def bounds(self, p: int) -> tuple[int, int]:
        if not self.armies:
            return (0, 1)
        return (min(self.prize, 0) - self.attackers, max(self.prize, 0) + self.defenders)

    def player_name(self, i: int) -> str:
        return "the attacker" if i == ATTACKER else "the defender"

    def faces(self, p: int) -> str:
        """The attacker's dice that have been seen."""
        dice = list(combinations_with_replacement(range(self.sides, 0, -1), get(p, ATTACK)))
        return " ".join(map(str, dice[get(p, ROLL)]))

    def text(self, p: int) -> str:
        words = f"{get(p, ATTACKERS)} against {get(p, DEFENDERS)}"
        stage = get(p, STAGE)
        if stage in (AIM, ANSWER, BATTLE):
            words += f", {get(p, ATTACK)} dice"
        if stage == BATTLE:
            words += f" against {get(p, DEFENCE)}"
        if self.seen and stage in (ANSWER, BATTLE):
            words += f" show {self.faces(p)}" if stage == ANSWER else f" that show {self.faces(p)}"
        return words + (f", {STAGES[stage]}" if stage else "")

    def parse(self, s: str) -> int:
        form = (
            r"\s*(\d+) against (\d+)(?:,\s*(\d) dice(?: against (\d))?"
            r"(?:(?: that)? show ([\d ]+))?)?\s*(?:,\s*([a-z ]+?)\s*)?"
        )
        found = re.fullmatch(form, s)
        p = self._read(found) if found and (found[6] or "") in STAGES else -1
        if p < 0 or " ".join(self.text(p).split()) != " ".join(s.split()):
            raise ValueError(f"{s!r}: a position looks like {self.text(self.start())!r}")
        if get(p, ATTACKERS) > self.attackers or get(p, DEFENDERS) > self.defenders:
            raise ValueError(f"{s!r}: no more than {self.text(self.start())}")
        return p

    def _read(self, found: re.Match[str]) -> int:
        """The position that a text describes, or -1 if there is none."""
        a, d = int(found[1]), int(found[2])
        stage = STAGES.index(found[6] or "")
        attack, defence = int(found[3] or 0), int(found[4] or 0)
        roll = 0
        if found[5]:
            dice = list(combinations_with_replacement(range(self.sides, 0, -1), attack))
            shown = tuple(map(int, found[5].split()))
            roll = dice.index(shown) if shown in dice else -1
        over = a == 0 or d == 0
        wrong = (
            max(a, d) > LARGEST
            or (a == 0 and d == 0)
            or roll < 0
            or (over and stage)
            or attack > min(self.attack_dice, a)
            or defence > min(self.defence_dice, d)
            or (stage in (AIM, ANSWER, BATTLE)) != (attack > 0)
            or (stage == BATTLE) != (defence > 0)
            or (stage == AIM and not self.seen)
            or (stage == ENDED and not self.retreat)
        )
        p = at(ATTACKERS, a) | at(DEFENDERS, d) | at(STAGE, stage) | at(ATTACK, attack)
        return -1 if wrong else p | at(DEFENCE, defence) | at(ROLL, roll)

    def move_text(self, p: int, m: int) -> str:
        return "retreat" if m == RETREAT else f"{m} dice" if m > 1 else "1 die"

    def chart(self) -> Chart:
        axes = {
            "attackers": range(1, self.attackers + 1),
            "defenders": range(1, self.defenders + 1),
        }
        choice = self.attacker_chooses or self.retreat
        return Chart(
            axes,
            lambda a, d: at(ATTACKERS, a) | at(DEFENDERS, d),
            show="move" if choice else "value",
        )

    def picture(self, p: int) -> str:
        parts, long, stage = [], 240, get(p, STAGE)
        sides = ((get(p, ATTACKERS), self.attackers), (get(p, DEFENDERS), self.defenders))
        for i, (left, begun) in enumerate(sides):
            y, colour = 40 * i, svg.COLOURS[i]
            parts.append(svg.note(0, y + 6, f"{self.player_name(i)[4:]}: {left}", 13, colour))
            parts.append(svg.box(0, y + 16, long, 12))
            parts.append(svg.box(0, y + 16, long * left / begun, 12, colour, colour))
        seen = self.faces(p).split() if self.seen and stage in (ANSWER, BATTLE) else []
        for i in range(get(p, ATTACK)):
            parts.append(svg.die(30 * i, 84, 24, int(seen[i]) if seen else 0))
        for i in range(get(p, DEFENCE)):
            parts.append(svg.die(long - 24 - 30 * i, 84, 24, 0))
        over = get(p, ATTACKERS) == 0 or get(p, DEFENDERS) == 0
        words = STAGES[stage] or ("the battle is over" if over else "the attacker to move")
        parts.append(svg.note(0, 126, words))
        return svg.svg(long, 138, parts)
