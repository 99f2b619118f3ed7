"""Reading: words such as `hackenbush BBR + nim 3,5` as the sum of positions that they describe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfectplay.errors import UsageError
from perfectplay.rules.load import find, make
from perfectplay.rules.parameters import fields_of

if TYPE_CHECKING:
    from perfectplay.rules.game import Game
    from perfectplay.sums.sum import Sum
    from perfectplay.sums.summands import Summand

KINDS = (
    "kinds: hackenbush BBRRB, game '{1|-1}', nim 3,5,7, a game of heaps (kayles 7,9), a game with "
    "moves of Left and Right (domineering 3x3) or with the same moves for both, or file.py:Class"
)
HACKENBUSH = "hackenbush"


def read_sum(words: Sequence[str]) -> Sum:
    """The sum that some words describe: KIND TEXT…, with + between several."""
    from perfectplay.sums.sum import Sum

    groups: list[list[str]] = [[]]
    for word in words:
        if word.strip() == "+":
            groups.append([])
        else:
            groups[-1].append(word)
    if any(not group for group in groups):
        raise UsageError("there is nothing beside a +", KINDS)
    parts: list[Summand] = []
    bushes = [text for kind, *texts in groups if kind.lower() == HACKENBUSH for text in texts]
    for kind, *texts in groups:
        if kind.lower() != HACKENBUSH or not texts:
            parts += _parts(kind, texts)
        elif bushes:  # all pictures stand on one ground, so that edges have different numbers
            parts += _parts(kind, bushes)
            bushes = []
    return Sum(parts)


def _parts(kind: str, texts: list[str]) -> list[Summand]:
    """The parts of one kind."""
    from perfectplay.sums.hackenbush.picture import Picture
    from perfectplay.sums.notation import parse
    from perfectplay.sums.summands import Bush, Heap, ValueSummand

    name = kind.lower()
    if name in (HACKENBUSH, "game", "nim") and not texts:
        raise UsageError(f"{kind} needs a position", KINDS)
    if name == HACKENBUSH:
        return [*Bush.parts(Picture.parse(" + ".join(texts)))]
    if name == "game":
        return [ValueSummand(parse(text)) for text in texts]
    if name == "nim":
        return [Heap(size) for size in _sizes(texts)]
    return _taken(kind, texts) or _boards(kind, texts)


def _sizes(texts: list[str]) -> list[int]:
    """Sizes of heaps, with commas or blanks between."""
    words = re.split(r"[\s,]+", " ".join(texts).strip())
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"{' '.join(texts)!r} are not heaps", "heaps look like 3,5,7")
    return [int(word) for word in words]


def _taken(kind: str, texts: list[str]) -> list[Summand]:
    """Heaps of a game of taking and breaking; none if the kind is no such game."""
    from perfectplay.sums.heaps.codes import NAMES
    from perfectplay.sums.summands import Taken

    if kind.lower() not in NAMES and not re.match(r"[0-9A-Fa-f]?\.[0-9A-Fa-f(]", kind):
        return []
    from perfectplay.sums.heaps.heap_game import heap_game

    if not texts:
        raise UsageError(f"{kind} needs heaps", f"for instance: value {kind} 5,7")
    game = heap_game(kind)
    return [Taken(game, size) for size in _sizes(texts)]


def _boards(kind: str, texts: list[str]) -> list[Summand]:
    """Boards of rules for Left and Right: by parameters (rows=3), by size (3x3), or as text."""
    from perfectplay.sums.partizan import Partizan
    from perfectplay.sums.summands import Board

    try:
        rules = find(kind)
    except UsageError as error:
        raise UsageError(error.message, f"{error.hint}; {KINDS}") from None
    if not issubclass(rules, Partizan):
        return _impartial(rules, texts)
    names = fields_of(rules)
    given = [text for text in texts if text.partition("=")[0].strip() in names and "=" in text]
    boards: list[Summand] = []
    for text in [text for text in texts if text not in given] or [""]:
        size = re.fullmatch(r"\s*(\d+)\s*[xX]\s*(\d+)\s*", text)
        sized = [f"rows={size[1]}", f"columns={size[2]}"] if size else []
        if not {"rows", "columns"} <= {*names}:
            sized = []
        game = make(rules, [*given, *sized])
        assert isinstance(game, Partizan)
        board = game.read_board(text) if text and not sized else game.first_board()
        boards.append(Board(game, board))
    return boards


def _impartial(rules: type[Game], texts: list[str]) -> list[Summand]:
    """Positions of rules that are the same for both players: by parameters, or as text."""
    from perfectplay.sums.grundy_values import grundy

    names = fields_of(rules)
    given = [text for text in texts if text.partition("=")[0].strip() in names and "=" in text]
    game = make(rules, given)
    values = grundy(game)
    parts: list[Summand] = []
    for text in [text for text in texts if text not in given]:
        try:
            parts.append(values.part(game.parse(text)))
        except (ValueError, SyntaxError, TypeError, IndexError, KeyError) as error:
            shown = game.text(values.start)
            raise UsageError(
                f"{text!r} is no position: {error}", f"positions look like {shown}"
            ) from None
    return parts or [values.part()]
