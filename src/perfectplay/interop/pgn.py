"""Games of chess as PGN: lines of best play written out, and played games read and annotated."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from perfectplay.errors import UsageError

try:
    import chess
    import chess.pgn
except ImportError:
    raise UsageError("PGN needs python-chess", "pip install 'perfectplay[chess]'") from None

if TYPE_CHECKING:
    from perfectplay.answer.analysis import MoveAnalysis
    from perfectplay.answer.solution import Solution

MISTAKE, BLUNDER = chess.pgn.NAG_MISTAKE, chess.pgn.NAG_BLUNDER


def line_pgn(solution: Solution, position: str | None = None, limit: int = 200) -> str:
    """Best play from a position (a FEN; the first one if there is none), as a game in PGN."""
    p = solution.start if position is None else solution.position(position)
    game = chess.pgn.Game()
    game.headers["Event"] = "best play"
    game.headers["Site"] = f"perfectplay, table {solution.table.signature}"
    game.headers["White"] = game.headers["Black"] = "best play"
    game.setup(chess.Board(solution.game.text(p)))
    game.comment = str(solution.value(p))
    node: Any = game
    for step in solution.line(p, limit):
        node = node.add_main_variation(node.board().parse_san(step.move))
    game.headers["Result"] = node.board().result()
    return f"{game}\n"


def annotated(solution: Solution, text: str) -> str:
    """The games in a PGN with what moves are worth, from where the table knows their positions:
    the value after `{`, ? for a mistake, ?? for a lost half or whole point, and best moves as
    variations."""
    source, games = io.StringIO(text), []
    while (game := chess.pgn.read_game(source)) is not None:
        if game.errors:
            raise UsageError(f"the PGN is not understood: {game.errors[0]}")
        games.append(str(_annotated(solution, game)))
    if not games:
        raise UsageError("there is no game in the PGN", "a game is headers, then moves")
    return "\n\n".join(games) + "\n"


def _annotated(solution: Solution, game: Any) -> Any:
    for node in list(game.mainline()):
        moves = _moves(solution, node.parent.board())
        if not moves:
            continue
        played = next(each for each in moves if _san(node, each) == node.move)
        node.comment = " ".join([str(played.value), node.comment]).strip()
        if played.best:
            continue
        worse = played.value.outcome != moves[0].value.outcome
        node.nags.add(BLUNDER if worse else MISTAKE)
        node.comment += f" (loses {played.loses})"
        if not node.parent.has_variation(_san(node, moves[0])):
            better = node.parent.add_variation(_san(node, moves[0]))
            better.comment = str(moves[0].value)
    return game


def _moves(solution: Solution, board: Any) -> list[MoveAnalysis]:
    """The moves at a position, best first; nothing if the table does not know it."""
    if board.castling_rights or chess.popcount(board.occupied) > MEN:
        return []
    try:
        return list(solution.moves(solution.position(board.fen(en_passant="legal"))))
    except UsageError:
        return []


MEN = 8
"""Men on the board of an ending, at most."""


def _san(node: Any, move: MoveAnalysis) -> Any:
    return node.parent.board().parse_san(move.text)
