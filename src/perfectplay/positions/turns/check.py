"""Whether turns run like their patterns: both are walked through and compared, with any values.

The exits of a turn get random worths, and what the turn is worth then is found twice: by its
pattern, and by the turn itself. If the two differ, `pattern` or `carried` of the rules is wrong.
"""

import random
from typing import Any

from perfectplay.errors import RulesError
from perfectplay.positions.turns.walk import PlainTurns
from perfectplay.rules.game import CHANCE, OVER, Game, declares


def compare(game: Game, anchors: list[Any]) -> None:
    """RulesError if the turn of one of the anchors does not run like its pattern."""
    if not declares(game, "pattern"):
        return
    shared, own = PlainTurns(game), PlainTurns(game)
    own.pattern, own.carried = (lambda p: p), (lambda q, p: q)
    for p in anchors:
        if game.to_move(p) == OVER:
            continue
        ours, twin = worth(shared, p), worth(own, p)
        if any(abs(a - b) > 1e-9 for a, b in zip(ours, twin, strict=True)):
            raise RulesError(
                f"{type(game).__name__}: the turn that begins at {game.text(p)} does not run "
                "like that of its pattern(p)",
                "turns of one pattern may differ only in the steps that lead to anchors; "
                "carried(q, p) must change nothing else",
            )


def worth(rules: PlainTurns, p: Any) -> list[float]:
    """What the turn of `p` is worth to each player, if its exits have random worths."""
    batch, patterns = rules.expand([p]), rules.turn_patterns.patterns()
    players = rules.game.players
    number = int(batch.pattern[0])
    begin, end = int(patterns.start[number]), int(patterns.start[number + 1])
    leaving: dict[int, list[tuple[int, list[float]]]] = {}
    for e in range(len(batch.child)):
        name = f"{batch.child[e]} {batch.swap[e]} {batch.reward[e].tolist()}"
        draw = random.Random(name)
        options = leaving.setdefault(int(batch.node[e]), [])
        options.append((int(batch.weight[e]), [draw.random() for _ in range(players)]))
    values: list[list[float]] = []
    for node in range(begin, end):
        steps = list(leaving.get(node - begin, []))
        for e in range(int(patterns.first[node]), int(patterns.first[node + 1])):
            earned = patterns.reward[e].tolist()
            below = values[int(patterns.to[e])]
            added = [x + r for x, r in zip(below, earned, strict=True)]
            steps.append((int(patterns.weight[e]), added))
        values.append(_settled(int(patterns.kind[node]), steps))
    return values[-1]


def _settled(kind: int, steps: list[tuple[int, list[float]]]) -> list[float]:
    if kind in (CHANCE, OVER):
        total = sum(w for w, _ in steps)
        columns = zip(*(x for _, x in steps), strict=True)
        return [
            sum(w * x for (w, _), x in zip(steps, column, strict=True)) / total
            for column in columns
        ]
    return max((x for _, x in steps), key=lambda x: x[kind])
