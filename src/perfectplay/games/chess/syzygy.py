"""Endgame tables of the Syzygy kind, read by python-chess: who wins, without depths.

They know of the rule of fifty moves: a win that it would spoil has a word of its own there, and is
a win here, where there is no such rule. What is in the files is believed, not proved.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from perfectplay.errors import TableError, UsageError

SUFFIX = ".rtbw"


def opened(folder: Path) -> Callable[[str], int | None] | None:
    """What says of a FEN whether the side to move wins (1), draws (0) or loses (-1), None if no
    file knows; None instead of it if there are no files in the folder."""
    if not any(folder.glob(f"*{SUFFIX}")):
        return None
    try:
        import chess
        import chess.syzygy
    except ImportError:
        raise UsageError(
            "Syzygy tables need python-chess", "pip install 'perfectplay[chess]'"
        ) from None
    tables = chess.syzygy.Tablebase()
    tables.add_directory(str(folder), load_dtz=False)

    def probe(fen: str) -> int | None:
        board = chess.Board(fen)
        if board.kings != board.occupied and chess.syzygy.calc_key(board) not in tables.wdl:
            return None
        try:
            found = tables.probe_wdl(board)
        except KeyError:  # a table that captures lead to is missing
            return None
        except Exception as error:
            raise TableError(
                f"a Syzygy file in {folder} cannot be read: {error or type(error).__name__}",
                "get the files anew, or take bad ones out of the folder",
            ) from None
        return (found > 0) - (found < 0)

    return probe
