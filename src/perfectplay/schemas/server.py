"""What the server answers besides what commands print: errors, the facts of a game, parts of an
analysis; and positions as GamesmanUni and as clients of lichess's tablebase read them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from perfectplay.schemas.answers import ChanceJson, MoveJson
from perfectplay.schemas.reports import ParameterJson


class ErrorJson(TypedDict):
    """Why there is no answer."""

    error: str
    """what is wrong, in a sentence"""
    hint: str
    """what to do; may be empty"""


class ShownGameJson(TypedDict):
    """A game of the server."""

    name: str
    """its name in addresses"""
    summary: str
    """in a few words"""
    about: str
    """the rules in words"""
    parameters: list[ParameterJson]
    """what can be given by `with`"""
    given: dict[str, Any]
    """the value of every parameter"""
    players: int
    """how many there are"""
    start: str
    """the first position"""
    solved: bool
    """whether there is a table; without one there are no positions to ask about"""
    positions: int | None
    """how many positions the table has; null without one"""
    values: str
    """what values count, such as `"chance to win"`; empty for outcomes, and without a table"""


class MovesJson(TypedDict):
    """The moves of a position."""

    position: str
    """as text"""
    moves: list[MoveJson]
    """best first; empty where nobody moves"""


class ChancesJson(TypedDict):
    """What can happen at a position."""

    position: str
    """as text"""
    chances: list[ChanceJson]
    """in the order of the rules; empty where nothing is left to chance"""


# -- As GamesmanUni reads it: the Universal Web API of GamesCrafters. -----------------------------

Gui = Literal["v0", "v1", "v2", "v3"]
"""How a game is drawn: as text, as characters on a board, by images, by animated images."""
UniValue = Literal["win", "tie", "draw", "lose", "unsolved"]
"""Seen by the player to move. A tie is reached by play that ends, a draw by play that does not."""


class UniListedGameJson(TypedDict):
    """A game of the list."""

    id: str
    """its name in addresses"""
    name: str
    """for people"""
    type: Literal["onePlayer", "twoPlayer"]
    """a puzzle, or a game of two players"""
    gui: Gui
    """`"v1"` if positions are boards of characters, else `"v0"`"""


class UniListedVariantJson(TypedDict):
    """A variant of the list."""

    id: str
    """its name in addresses: `regular`, or parameters, `width=4;height=4`"""
    name: str
    """for people"""
    gui: Gui
    """as in the list of games"""


class UniGameJson(TypedDict):
    """A game with its variants."""

    id: str
    """its name in addresses"""
    name: str
    """for people"""
    variants: list[UniListedVariantJson]
    """those to begin with"""
    allowCustomVariantCreation: bool
    """whether other parameters may be given as a variant"""
    supportsWinBy: bool
    """whether positions have `winby`"""


class UniVariantJson(TypedDict):
    """A variant."""

    id: str
    """its name in addresses"""
    name: str
    """for people"""
    gui: Gui
    """as in the list of games"""
    startPosition: str
    """the first position, as `p` takes it"""
    autoguiStartPosition: str
    """the same for drawing; that text again where there is no board"""
    imageAutoGUIData: dict[str, Any] | None
    """the places of the board's cells; null where there is no board"""


class UniMoveJson(TypedDict):
    """A move, and the position after it."""

    move: str
    """as text"""
    autoguiMove: str
    """the button for it: `A_-_4_-` at cell 4, `M_2_5_-` from cell 2 to cell 5, else its text"""
    moveValue: UniValue
    """what it is worth to the player who moves"""
    deltaRemoteness: int
    """how much sooner or later than the best move of equal value it ends"""
    position: str
    """the position after it, as `p` takes it"""
    autoguiPosition: str
    """the same for drawing"""
    positionValue: UniValue
    """what that is worth to the player to move there"""
    remoteness: int
    """plies to the end from there; -200: infinite; -100: not known"""
    winby: NotRequired[int]
    """by how many points the player to move there wins; negative: loses"""


class UniPositionJson(TypedDict):
    """A position, with its moves."""

    position: str
    """as `p` takes it: `1_` or `2_` for the player to move, then its text"""
    autoguiPosition: str
    """the same for drawing"""
    positionValue: UniValue
    """what it is worth to the player to move"""
    remoteness: int
    """plies to the end; -200: infinite (a draw, a puzzle that cannot be solved from here); -100:
    not known"""
    winby: NotRequired[int]
    """games for points: by how many the player to move wins; negative: loses"""
    moves: list[UniMoveJson]
    """best first"""


class UniInstructionsJson(TypedDict):
    """The rules of a game."""

    instructions: str
    """the rules in words, as Markdown"""


# -- As lichess's tablebase answers. --------------------------------------------------------------

Category = Literal["win", "maybe-win", "draw", "maybe-loss", "loss"]
"""Seen by the player to move."""


class TablebaseMoveJson(TypedDict):
    """A move, and what is known of the position after it, seen by the opponent."""

    uci: str
    """from square to square: `h7h8q`"""
    san: str
    """as players write it: `h8=Q+`"""
    zeroing: bool
    """a capture or a pawn move"""
    checkmate: bool
    """whether the opponent is checkmated"""
    stalemate: bool
    """whether the opponent is stalemated"""
    variant_win: bool
    """false: only for variants of chess"""
    variant_loss: bool
    """false: only for variants of chess"""
    insufficient_material: bool
    """whether nobody can be checkmated any more"""
    dtz: int | None
    """null: distances to captures and pawn moves are not known here"""
    precise_dtz: int | None
    """null, as `dtz`"""
    dtm: int | None
    """plies to mate; negative if the opponent is mated; 0 for a draw"""
    dtw: int | None
    """null: only for variants of chess"""
    dtc: int | None
    """null: distances to conversion are not known here"""
    category: Category
    """what the position is worth to the opponent"""


class TablebaseJson(TypedDict):
    """What the tables say of a chess position."""

    checkmate: bool
    """whether the player to move is checkmated"""
    stalemate: bool
    """whether the player to move is stalemated"""
    variant_win: bool
    """false: only for variants of chess"""
    variant_loss: bool
    """false: only for variants of chess"""
    insufficient_material: bool
    """whether nobody can be checkmated any more"""
    dtz: int | None
    """null: distances to captures and pawn moves are not known here"""
    precise_dtz: int | None
    """null, as `dtz`"""
    dtm: int | None
    """plies to mate; negative if the player to move is mated; 0 for a draw"""
    dtw: int | None
    """null: only for variants of chess"""
    dtc: int | None
    """null: distances to conversion are not known here"""
    category: Category
    """`"win"`, `"draw"`, `"loss"`; `"maybe-win"`, `"maybe-loss"` if mate may come too late for the
    rule of fifty moves, which the tables do not have"""
    moves: list[TablebaseMoveJson]
    """best first"""
