"""Heights in columns, packed into one integer: four bits for each column, the leftmost lowest."""

from collections.abc import Iterable, Sequence

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.rules.packing import Field, at, get, put

HEIGHT = Field(0, 4)
HIGHEST = 15
CELL = 22


def height(word: int, column: int) -> int:
    """How high something stands in a column, 0 if there is nothing."""
    return get(word, HEIGHT, column)


def lifted(word: int, column: int, to: int) -> int:
    """The word with another height in a column."""
    return put(word, HEIGHT, to, column)


def reversed_columns(word: int, columns: int) -> int:
    """The word with left and right exchanged."""
    image = 0
    for column in range(columns):
        image |= at(HEIGHT, height(word, column), columns - 1 - column)
    return image


def heights_text(word: int, columns: int) -> str:
    """The heights of all columns, with blanks between."""
    return " ".join(str(height(word, column)) for column in range(columns))


def packed(numbers: Iterable[int]) -> int:
    """Heights, or dice, as one word."""
    return sum(at(HEIGHT, number, i) for i, number in enumerate(numbers))


def heights_parsed(text: str, tops: Sequence[int]) -> int:
    """The word that a text writes; ValueError unless it has all columns, none above its top."""
    heights = [int(word) for word in text.split()]
    if len(heights) != len(tops):
        raise ValueError(f"{text!r}: there are {len(tops)} columns")
    if any(here > top for here, top in zip(heights, tops, strict=True)):
        raise ValueError(f"{text!r}: the columns end at {' '.join(map(str, tops))}")
    return packed(heights)


def drawn(tops: Sequence[int], words: Sequence[int], markers: int, first: int) -> list[str]:
    """Parts of a picture: columns around a middle line, one coloured dot for each word, small
    dark ones for the markers; columns are numbered from `first`."""
    high, parts = max(tops) * CELL, []
    for column, top in enumerate(tops):
        x, low = column * CELL * 1.2, (high + top * CELL) / 2
        for space in range(1, top + 1):
            parts.append(svg.box(x, low - space * CELL, CELL, CELL, svg.SHADE, svg.INK))
        dots = [(word, 0.4, svg.COLOURS[i]) for i, word in enumerate(words)]
        for word, size, colour in [*dots, (markers, 0.25, svg.INK)]:
            if here := height(word, column):
                y = low - (here - 0.5) * CELL
                parts.append(svg.circle(x + CELL / 2, y, size * CELL, colour))
        parts.append(svg.text(x + CELL / 2, high + 12, str(column + first), 13, svg.FAINT))
    return parts


def refuse_sizes(players: int, sides: int, short: int, columns: int, markers: int) -> None:
    """UsageError unless there is such a race up the columns of sums of two dice."""
    if not 1 <= players <= 6 or not 2 <= sides <= 6:
        raise UsageError(
            f"no game for {players} players with dice of {sides} faces",
            "use 1 to 6 players and 2 to 6 faces",
        )
    if not 1 <= short <= HIGHEST - 2 * (sides - 1):
        raise UsageError(
            f"no board with {short} spaces at the edge",
            f"use 1 to {HIGHEST - 2 * (sides - 1)} with dice of {sides} faces",
        )
    width = 2 * sides - 1
    if not 1 <= columns <= width or not 0 <= markers <= width:
        raise UsageError(
            f"{columns} columns to close with {markers} markers",
            f"use 1 to {width} columns and 0 to {width} markers (0: one for each to close)",
        )
    if players * (columns - 1) + 1 > width:
        raise UsageError(
            f"{players} players could close all {width} columns and nobody win",
            f"columns may be at most {(width - 1) // players + 1}",
        )


def ways(one: int, two: int, three: int, four: int) -> int:
    """In how many ways four dice, sorted, can show these numbers."""
    run = 2 if one == two else 1
    total = 24 // run
    run = run + 1 if two == three else 1
    total //= run
    run = run + 1 if three == four else 1
    return total // run


def turned_dice(dice: int, sides: int) -> int:
    """Four sorted dice, four bits each, as left and right exchanged make them: 1 is the most."""
    image = 0
    for i in range(4):
        image |= at(HEIGHT, sides + 1 - get(dice, HEIGHT, i), 3 - i)
    return image
