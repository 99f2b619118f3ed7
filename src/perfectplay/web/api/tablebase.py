"""Chess tables as lichess's tablebase server answers: GET /standard?fen=….

The tables of `chess` hold plies to mate, without castling and without the rule of fifty moves. So
`dtm` is known, the distances to captures and pawn moves are not, and a win is only called one if
mate comes before a hundred plies without a capture or a pawn move can have gone by; else it is a
`maybe-win`.

A position is looked up in the chess tables that the command line named, and in those of its
material that `solve` has made. Endings of three men are solved when they are first asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import FastAPI, Query

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.solution import Solution
from perfectplay.answer.solve import solve
from perfectplay.errors import UsageError
from perfectplay.games.chess import notation
from perfectplay.games.chess.board import BECOMES, BLACK, FROM, LETTERS, PAWN, PLACEMENT, TO
from perfectplay.games.chess.chess import Chess
from perfectplay.rules.packing import get
from perfectplay.rules.value import Value
from perfectplay.schemas.server import Category, ErrorJson, TablebaseJson, TablebaseMoveJson
from perfectplay.web.api.models import ERRORS, refusal
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.state import LONGEST_TEXT

FEW = 3
"""Endings of so many men are solved when they are asked for."""
FIFTY_MOVES = 100
"""So many plies without a capture or a pawn move make a draw."""
WORST: tuple[Category, ...] = ("loss", "maybe-loss", "draw", "maybe-win", "win")
"""What a position is worth to the player to move, worst first: best for whoever moved there."""

Fen = Annotated[
    str,
    Query(max_length=LONGEST_TEXT, description="The position; blanks may be written as `_`."),
]


def tablebase_routes(app: FastAPI, collection: Collection) -> None:
    """Add /standard to an application."""
    tables = ChessTables(collection)
    errors: dict[int | str, dict[str, Any]] = {
        400: {"model": ErrorJson, "description": "No FEN, or no position of an ending."}
    }

    @app.get(
        "/standard", response_model=TablebaseJson, responses={**errors, **ERRORS}, tags=["chess"]
    )
    def standard(fen: Fen) -> Any:
        """What the tables say of a chess position: its category, plies to mate, and its moves,
        best first. 404 if there is no table of its material."""
        try:
            p, clock = read_fen(fen)
        except ValueError as error:
            return refusal(400, str(error), "a FEN such as 8/8/8/4k3/8/8/8/R3K3_w_-_-_0_1")
        return answer(tables.solution(p), p, clock)


def read_fen(fen: str) -> tuple[int, int]:
    """A position, and the plies since the last capture or pawn move; ValueError if the rules of
    endings have no such position."""
    words = fen.replace("_", " ").split()
    clock = words[4] if words[4:] else "0"
    if not (clock.isascii() and clock.isdigit() and len(clock) < 5):
        raise ValueError(f"{clock[:20]!r} is no number of plies since a capture or a pawn move")
    return Chess("KK").parse(fen), int(clock)


# -- Tables. --------------------------------------------------------------------------------------


class ChessTables:
    """The chess tables of a server."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._solving = threading.Lock()

    def solution(self, p: int) -> Solution:
        """A table that has a position; UsageError if there is none."""
        for found in self._tables(p):
            if found.stored(p) is not None:
                return found
        material = _materials(p)[0]
        raise UsageError(
            f"there is no table of {material}",
            f"perfectplay solve chess -p material={material}, and explore chess",
        )

    def _tables(self, p: int) -> Iterator[Solution]:
        for exhibit in self._collection.exhibits.values():
            if exhibit.solution is not None:
                if isinstance(exhibit.solution.game, Chess):
                    yield exhibit.solution
            elif exhibit.spec == "chess":
                yield from self._of_material(exhibit, p)

    def _of_material(self, exhibit: Exhibit, p: int) -> Iterator[Solution]:
        """The tables that a game finds: with its own parameters, then of the men at `p`."""
        opened = self._collection.open(exhibit.key)
        if opened.solution is not None:
            yield opened.solution
        given = [each for each in exhibit.given if not each.startswith(("material=", "fen="))]
        named = [(*given, f"material={material}") for material in _materials(p)]
        for parameters in named:
            opened = self._collection.open(exhibit.key, parameters)
            if opened.solution is not None:
                yield opened.solution
        if _men(p) <= FEW:
            opened = self._collection.open(exhibit.key, named[0])
            with self._solving:
                if opened.solution is None:
                    opened.solution = solve(opened.game, memory=self._collection.memory)
            yield opened.solution


def _men(p: int) -> int:
    return len(list(notation.men_of(get(p, PLACEMENT))))


def _materials(p: int) -> list[str]:
    """The names of a position's material: the side with more, or better, men first, then the
    other way round."""
    sides = []
    letters = Chess("KK").letters(p).values()
    for side in (str.isupper, str.islower):
        men = [LETTERS.index(letter.upper()) for letter in letters if side(letter)]
        sides.append((-len(men), sorted(men), "".join(LETTERS[kind] for kind in sorted(men))))
    first, second = (text for _, _, text in sorted(sides))
    return [first + second, second + first]


# -- Answers. -------------------------------------------------------------------------------------


def answer(solution: Solution, p: int, clock: int) -> TablebaseJson:
    """What a table says of a position, `clock` plies after the last capture or pawn move."""
    moves = [_move(solution, p, each, clock) for each in solution.moves(p)]
    moves.sort(key=lambda move: WORST.index(move["category"]))
    value = solution.value(p)
    category = _category(value, clock)
    if moves:  # a capture or a pawn move may have saved a win from the rule of fifty moves
        category = WORST[-1 - WORST.index(moves[0]["category"])]
    over = not moves
    check = solution.game.in_check(p)  # type: ignore[attr-defined]
    return {
        "checkmate": over and check,
        "stalemate": over and not check,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": _insufficient(p),
        "dtz": None,
        "precise_dtz": None,
        "dtm": _mate(value),
        "dtw": None,
        "dtc": None,
        "category": category,
        "moves": moves,
    }


def _move(solution: Solution, p: int, found: MoveAnalysis, clock: int) -> TablebaseMoveJson:
    game: Any = solution.game
    m = int(found.move)
    men = {square: kind for kind, square in notation.men_of(get(p, PLACEMENT))}
    zeroing = men[get(m, FROM)] == PAWN or get(m, TO) in men
    q = game.play(p, m)
    value = solution.value(q)
    over, check = not list(game.moves(q)), game.in_check(q)
    return {
        "uci": uci(p, m),
        "san": found.text,
        "zeroing": zeroing,
        "checkmate": over and check,
        "stalemate": over and not check,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": _insufficient(q),
        "dtz": None,
        "precise_dtz": None,
        "dtm": _mate(value),
        "dtw": None,
        "dtc": None,
        "category": _category(value, 0 if zeroing else clock + 1),
    }


def uci(p: int, m: int) -> str:
    """A move from square to square, and what a pawn becomes."""
    flip = 56 if get(p, BLACK) else 0
    men = {square: kind for kind, square in notation.men_of(get(p, PLACEMENT))}
    origin, to, becomes = get(m, FROM), get(m, TO), get(m, BECOMES)
    promoted = men[origin] == PAWN and becomes != PAWN
    letter = LETTERS[becomes].lower() if promoted else ""
    return f"{notation.name(origin ^ flip)}{notation.name(to ^ flip)}{letter}"


def _mate(value: Value) -> int | None:
    """Plies to mate, negative if the player to move is mated; 0 for a draw."""
    if value.lower == 0:
        return 0
    return None if value.depth is None else int(value.outcome) * value.depth


def _category(value: Value, clock: int) -> Category:
    if value.lower == 0:
        return "draw"
    sure = value.depth == 0 or (value.depth is not None and value.depth + clock <= FIFTY_MOVES)
    if value.lower > 0:
        return "win" if sure else "maybe-win"
    return "loss" if sure else "maybe-loss"


def _insufficient(p: int) -> bool:
    """Whether nobody can mate: bare kings, one knight, or bishops of one colour only."""
    letters = {at: letter.upper() for at, letter in Chess("KK").letters(p).items()}
    others = {at: letter for at, letter in letters.items() if letter != "K"}
    if [*others.values()] == ["N"]:
        return True
    colours = {(at // 8 + at % 8) % 2 for at in others}
    return set(others.values()) <= {"B"} and len(colours) <= 1
