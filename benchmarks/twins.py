"""Pure-Python twins of what perfectplay is measured against: what somebody would write by hand."""

from __future__ import annotations

from functools import cache

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


def connect(width: int, height: int, line: int = 4) -> tuple[int, int]:
    """Positions of connect-k and the outcome of the empty board, by memoised recursion."""

    def lined(columns: tuple[str, ...], stone: str) -> bool:
        cells = {(x, y) for x, c in enumerate(columns) for y, s in enumerate(c) if s == stone}
        return any(
            all((x + i * dx, y + i * dy) in cells for i in range(line))
            for x, y in cells
            for dx, dy in LINES
        )

    @cache
    def value(columns: tuple[str, ...]) -> int:
        mover, other = "xo" if sum(map(len, columns)) % 2 == 0 else "ox"
        if lined(columns, other):
            return -1
        worth = [
            -value((*columns[:x], columns[x] + mover, *columns[x + 1 :]))
            for x in range(width)
            if len(columns[x]) < height
        ]
        return max(worth, default=0)

    start = value(("",) * width)
    return value.cache_info().currsize, start


def pig(goal: int, error: float = 1e-10) -> float:
    """Chance of the first player in Pig by value iteration from below, stopped when changes are
    small: not a proof of anything, but what is usually done."""
    win: dict[tuple[int, int, int], float] = {
        (i, j, k): 0.0 for i in range(goal) for j in range(goal) for k in range(goal - i)
    }
    change = 1.0
    while change > error:
        change = 0.0
        for (i, j, k), old in win.items():
            roll = 1 - win[j, i, 0]
            for face in range(2, 7):
                roll += win.get((i, j, k + face), 1.0)
            hold = 1 - win[j, i + k, 0] if k else 0.0
            new = max(roll / 6, hold)
            change = max(change, abs(new - old))
            win[i, j, k] = new
    return win[0, 0, 0]
