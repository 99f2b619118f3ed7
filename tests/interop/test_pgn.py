"""PGN in and out, against python-chess, which knows the rules of chess by itself."""

from __future__ import annotations

import io

import chess.pgn
import pytest

from perfectplay import Solution, UsageError, load, solve
from perfectplay.interop.pgn import annotated, line_pgn


@pytest.fixture(scope="module")
def rook() -> Solution:
    """All that follows from a position of king and rook against king."""
    return solve(load("chess", {"material": "KRK"}))


def test_best_play_is_a_game_that_ends_in_mate(rook: Solution) -> None:
    text = line_pgn(rook, "8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    end = game.end().board()
    assert end.is_checkmate()
    assert game.headers["Result"] == "1-0"
    plies = len(list(game.mainline_moves()))
    assert game.comment == f"win in {plies} plies"


def test_a_played_game_is_annotated(rook: Solution) -> None:
    played = """[FEN "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"]
[SetUp "1"]

1. Ra5+ Kc6 2. Ra6+ Kb5 3. Ra1 *
"""
    game = chess.pgn.read_game(io.StringIO(annotated(rook, played)))
    assert game is not None
    board = game.board()
    for node in game.mainline():
        fen = board.fen(en_passant="legal")
        moves = rook.moves(rook.position(fen))
        own = next(m for m in moves if board.parse_san(m.text) == node.move)
        assert str(own.value) in node.comment
        assert bool(node.nags) != own.best
        if not own.best:
            assert any(board.parse_san(moves[0].text) == v.move for v in node.parent.variations)
        board.push(node.move)


def test_positions_that_no_table_knows_are_left_alone(rook: Solution) -> None:
    opening = "1. e4 e5 2. Nf3 *\n"
    game = chess.pgn.read_game(io.StringIO(annotated(rook, opening)))
    assert game is not None
    assert not any(node.comment or node.nags for node in game.mainline())


@pytest.mark.parametrize("text", ["", "1. Ke4 *", '[FEN "nonsense"]\n\n1. e4 *'])
def test_what_is_no_game_is_refused(rook: Solution, text: str) -> None:
    with pytest.raises(UsageError):
        annotated(rook, text)
