"""The command that computes the value of a sum of positions of any games."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfectplay.cli import render
from perfectplay.cli.options import Json
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
MANY = 2000
"""Parts, and counters in heaps, whose moves are tried without being asked."""
LISTED = 100
"""Parts that are listed, at most."""


def value(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="KIND TEXT...",
            help="A kind of game and a position, or several, with + between: hackenbush BBRRB, "
            "game '^ + *2', nim 3,5,7, kayles 7,9, domineering 3x3, or file.py:Class.",
        ),
    ],
    *,
    moves: Annotated[
        bool, typer.Option("--moves", help="All moves of both players, with what they lead to.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the position: FILE.svg or FILE.png."),
    ] = None,
    json: Json = False,
) -> None:
    """Tell what a position is worth in every sum, who wins, and by which moves.

    Example: perfectplay value hackenbush "BBR + RB" + nim 3,5
    """
    from perfectplay.drawing.raster import refuse, save

    refuse(picture)
    found = read_sum(what)
    if picture:
        drawing = found.svg()
        if not drawing:
            raise UsageError(
                "there is no drawing of this", "--picture draws one part: hackenbush or a board"
            )
        save(drawing, picture)
        render.note(f"drawn: {picture}")
    if json:
        render.emit(found.as_json())
        return
    rows = [*found.facts().items()]
    hard = sum(getattr(part, "size", 1) for part in found.parts) > MANY
    if moves or found.nimbers or not hard:
        rows += found.advice()
    render.columns(rows)
    if 1 < len(found.parts) <= LISTED:
        render.say()
        render.columns(((part.text, str(part.value)) for part in found.parts), ("part", "value"))
    if moves:
        render.say()
        render.columns(_move_rows(found), ("", "player", "move", "part after"))


def _move_rows(found: Sum) -> Iterator[tuple[str, ...]]:
    """All moves: those that win with a star, or, if none does, the best with a plus."""
    for player, name in enumerate(found.players):
        choices = found.choices(player)
        lost = not any(choice.wins for choice in choices)
        for choice in choices:
            mark = "*" if choice.wins else "+" if choice.best and lost else ""
            yield mark, name, found.named(choice), choice.value


# -- Reading. -------------------------------------------------------------------------------------


def read_sum(words: Sequence[str]) -> Sum:
    """The sum that the words of a command line describe: KIND TEXT…, with + between several."""
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
