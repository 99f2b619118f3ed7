"""Draw the pictures of the documentation from solved games: python docs/pictures/make.py"""

from __future__ import annotations

from pathlib import Path

from perfectplay import Solution, UsageError, load, solve
from perfectplay.boards import draw

HERE = Path(__file__).parent
WIDE, HIGH = 640, 330
OPPONENTS = (0, 30, 50, 70)


def hold_at(solution: Solution, own: int, other: int) -> int | None:
    """The least turn total with which a player of Pig should hold; None if he always rolls on."""
    game = solution.game
    for total in range(2, 100 - own):
        p = game.parse(f"{own}-{other}, player 1, total {total}")
        if solution.moves(p)[0].text == "hold":
            return total
    return None


def pig_boundary() -> str:
    """When to hold in Pig: least turn total, by own score, for some scores of the opponent."""
    solution = solve(load("pig"))

    def x(own: float) -> float:
        return 50 + (WIDE - 170) * own / 100

    def y(total: float) -> float:
        return 50 + (HIGH - 100) * (1 - total / 50)

    parts = [draw.note(50, 2, "Pig: hold as soon as the turn has brought …", 16)]
    parts.append(
        draw.note(50, 22, "(where a line has ended: never, roll until you win)", 13, draw.FAINT)
    )
    for total in range(0, 51, 10):
        parts.append(draw.line(x(0), y(total), x(100), y(total), draw.SHADE, 1))
        parts.append(draw.text(x(0) - 16, y(total), total, 12, draw.FAINT))
    for own in range(0, 101, 20):
        parts.append(draw.text(x(own), y(0) + 16, own, 12, draw.FAINT))
    parts.append(draw.text((x(0) + x(100)) / 2, y(0) + 36, "own score", 13, draw.FAINT))
    for number, other in enumerate(OPPONENTS):
        colour = draw.COLOURS[number]
        steps = []
        for own in range(100):
            try:
                total = hold_at(solution, own, other)
            except UsageError:  # nobody ever has a score of 1
                continue
            if total is not None:
                steps.append((own, total))
        points = " ".join(f"{x(own):.1f},{y(total):.1f}" for own, total in steps)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(
            draw.note(x(100) + 12, y(45 - 7 * number), f"opponent has {other}", 13, colour)
        )
    return draw.svg(WIDE, HIGH, parts)


if __name__ == "__main__":
    (HERE / "pig.svg").write_text(pig_boundary() + "\n", encoding="utf-8")
