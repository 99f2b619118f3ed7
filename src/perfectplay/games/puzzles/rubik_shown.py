"""Rubik's cube as text and as a picture."""

import re

from perfectplay.drawing import svg
from perfectplay.errors import UsageError
from perfectplay.games.puzzles.rubik_pieces import FACES, Stickers

ROWS = {"U": "BF", "R": "UD", "F": "UD", "D": "FB", "L": "UD", "B": "UD"}
"""The face beyond the upper and the lower row of each face, as it is drawn."""
COLUMNS = {"U": "LR", "R": "FB", "F": "LR", "D": "LR", "L": "BF", "B": "RL"}
"""The same on the left and on the right."""
NET = {"U": (3, 0), "L": (0, 3), "F": (3, 3), "R": (6, 3), "B": (9, 3), "D": (3, 6)}
"""Where a picture shows each face."""
COLOURS = {
    "U": "#ffffff", "L": "#e08a1e", "F": "#2e8b57", "R": "#c0392b", "B": "#1f5a96", "D": "#f2d12e"
}  # fmt: skip


def cells(face: str) -> list[frozenset[str]]:
    """The places of the nine facelets of a face, row by row; the centre is the face alone."""
    (upper, lower), (left, right) = tuple(ROWS[face]), tuple(COLUMNS[face])
    return [
        frozenset(f"{face}{row}{column}") for row in (upper, "", lower)
        for column in (left, "", right)
    ]  # fmt: skip


def facelets(shown: Stickers) -> str:
    """What the 54 facelets show."""
    return "".join(shown.get((place, face), face) for face in FACES for place in cells(face))


def stickers_of(text: str) -> Stickers:
    """What 54 letters say; ValueError if a centre is elsewhere."""
    found = {}
    for i, face in enumerate(FACES):
        for place, colour in zip(cells(face), text[9 * i : 9 * i + 9], strict=True):
            if len(place) > 1:
                found[place, face] = colour
            elif colour != face:
                raise ValueError(f"the centre of {face} shows {colour}: hold the cube as usual")
    return found


def refuse_impossible(corners: int, edges: int) -> None:
    """ValueError if no turns lead to these pieces from the solved cube."""
    lists = []
    for codes, number, bits in ((corners, 8, 3), (edges, 12, 4)):
        found = [codes >> (5 * i) & 31 for i in range(number)]
        pieces, twists = [c & ((1 << bits) - 1) for c in found], [c >> bits for c in found]
        if sorted(pieces) != list(range(number)):
            raise ValueError("a piece is there twice")
        if sum(twists) % (3 if number == 8 else 2):
            raise ValueError(f"one {'corner' if number == 8 else 'edge'} is twisted by itself")
        lists.append(pieces)
    odd = [sum(a > b for i, a in enumerate(each) for b in each[i:]) % 2 for each in lists]
    if odd[0] != odd[1]:
        raise ValueError("two pieces have changed places by themselves")


def turns_of(text: str) -> list[int]:
    """Turns from a list such as R U2 F' (or R_U2_F'); UsageError if something is none."""
    found = []
    for word in text.replace("_", " ").split():
        if not re.fullmatch(f"[{FACES}](2|'|2'|1|3|)", word):
            raise UsageError(f"no turn {word!r}", "turns are a list such as R U2 F'")
        kind = word[1:2]
        found.append(3 * FACES.index(word[0]) + {"": 0, "1": 0, "2": 1, "'": 2, "3": 2}[kind])
    return found


def turn_name(turn: int) -> str:
    """R, R2 or R'."""
    return FACES[turn // 3] + ("", "2", "'")[turn % 3]


def picture(shown: Stickers) -> str:
    """The faces, folded out."""
    cell, parts, text = 22, [], facelets(shown)
    for i, face in enumerate(FACES):
        left, top = NET[face]
        for j in range(9):
            x, y = (left + j % 3) * cell, (top + j // 3) * cell
            parts.append(svg.box(x, y, cell, cell, COLOURS[text[9 * i + j]], svg.INK))
    return svg.svg(12 * cell, 9 * cell, parts)
