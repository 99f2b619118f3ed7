"""Seeds in two rows of pits: sown as words, kept as one integer.

While a move is made a row is a *word*: six bits for each pit, the first lowest; or seven (`WIDE`),
where there are more seeds than 63. A position is kept as a *code*: for each pit as many ones as it
has seeds, then a zero, the first pit lowest. So 2 + 0 + 1 seeds are the code 1 0 0 1 1 (in binary,
10011): a code takes no more bits than there are seeds and pits, however the seeds lie. All of this
compiles as it stands.
"""

from perfectplay.drawing import svg
from perfectplay.rules.packing import Field, at, get

PIT = Field(0, 6)
"""A pit of a word: up to 63 seeds."""
WIDE = Field(0, 7)
"""The same for up to 127."""
CELL = 48
"""How wide and high a pit is drawn."""
MOST_PITS = 10
"""How many pits a row may have, to fit in a word."""


def seeds_of(word: int, pit: int, field: tuple[int, int] = PIT) -> int:
    """How many seeds lie in a pit."""
    return get(word, field, pit)


def total(word: int, field: tuple[int, int] = PIT) -> int:
    """How many seeds lie in all pits of a row."""
    seeds = 0
    while word > 0:
        seeds += get(word, field)
        word >>= field[1]
    return seeds


def rows(code: int, pits: int) -> tuple[int, int]:
    """The words of both rows."""
    near, far = 0, 0
    for pit in range(2 * pits):
        seeds = 0
        while code & 1:
            seeds += 1
            code >>= 1
        code >>= 1
        if pit < pits:
            near |= at(PIT, seeds, pit)
        else:
            far |= at(PIT, seeds, pit - pits)
    return near, far


def coded(near: int, far: int, pits: int) -> int:
    """The code of two rows."""
    code, above = 0, 0
    for pit in range(2 * pits):
        seeds = seeds_of(near, pit) if pit < pits else seeds_of(far, pit - pits)
        code |= ((1 << seeds) - 1) << above
        above += seeds + 1
    return code


def word_of(seeds: list[int], field: tuple[int, int] = PIT) -> int:
    """The word of a row, from the seeds in its pits."""
    return sum(at(field, each, pit) for pit, each in enumerate(seeds))


def row_text(word: int, pits: int, field: tuple[int, int] = PIT) -> str:
    """The seeds of a row, pit after pit, as words."""
    return " ".join(str(seeds_of(word, pit, field)) for pit in range(pits))


def read_rows(words: str, pits: int, most: int, field: tuple[int, int] = PIT) -> tuple[int, int]:
    """The words of two rows written as `row_text | row_text`; ValueError if there are none."""
    near, far = ([int(each) for each in row.split()] for row in words.split("|"))
    if len(near) != pits or len(far) != pits or min(near + far) < 0 or sum(near + far) > most:
        raise ValueError(f"{words!r}: two rows of {pits} pits, at most {most} seeds in all")
    return word_of(near, field), word_of(far, field)


def middle_of(pit: int, pits: int, player: int) -> tuple[float, float]:
    """The middle of a pit in the drawing: of the lower row (player 0), or the upper one."""
    x, y = (pits - 1 - pit, 0) if player else (pit, 1)
    return (x + 0.5) * CELL, (y + 0.5) * CELL


def picture(below: int, above: int, pits: int, words: str, field: tuple[int, int] = PIT) -> str:
    """A drawing of two rows, the first from left to right, the other above it from right to left,
    with words below."""
    cell, parts = CELL, []
    for pit in range(pits):
        for player, row in enumerate((below, above)):
            middle = middle_of(pit, pits, player)
            seeds = seeds_of(row, pit, field)
            parts.append(svg.circle(*middle, 21, svg.SHADE, svg.COLOURS[player]))
            if seeds:
                parts.append(svg.text(*middle, seeds, 18))
    parts.append(svg.note(0, 2 * cell + 14, words))
    return svg.svg(max(pits * cell, 9 * len(words)), 2 * cell + 24, parts)
