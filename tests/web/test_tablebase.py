"""/standard answers as lichess's tablebase does; python-chess knows the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import chess
import pytest
from fastapi.testclient import TestClient
from json_types import same_type

from perfectplay import solve
from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.games.chess.chess import Chess
from perfectplay.rules.value import Value
from perfectplay.schemas import server
from perfectplay.web.api.tablebase import answer, read_fen
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit

OPPOSITE = {"win": "loss", "maybe-win": "maybe-loss", "draw": "draw"}
OPPOSITE |= {b: a for a, b in OPPOSITE.items()}
SIGN = {"win": 1, "maybe-win": 1, "draw": 0, "maybe-loss": -1, "loss": -1}


@pytest.fixture(scope="module")
def web() -> TestClient:
    """A server that shows chess, without any table on disk: small endings are solved."""
    collection = Collection({"chess": Exhibit("chess", "chess")}, lambda spec, game: None)
    return TestClient(make_app(collection), base_url="http://127.0.0.1")


def asked(web: TestClient, fen: str) -> Any:
    heard = web.get("/standard", params={"fen": fen})
    assert heard.status_code == 200, f"{fen}: {heard.text}"
    same_type(heard.json(), server.TablebaseJson)
    return heard.json()


def boards(men: str, count: int, seed: int = 0) -> Iterator[chess.Board]:
    """Legal positions with these men, letters as in a FEN, either side to move."""
    draw = random.Random(seed)
    while count:
        board = chess.Board(None)
        for letter, square in zip(men, draw.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            count -= 1
            yield board


def same_rules(found: Any, board: chess.Board) -> None:
    """Moves and ends are those of python-chess."""
    assert found["checkmate"] == board.is_checkmate()
    assert found["stalemate"] == board.is_stalemate()
    assert found["insufficient_material"] == board.is_insufficient_material()
    moves = {move["uci"]: move for move in found["moves"]}
    assert moves.keys() == {move.uci() for move in board.legal_moves}
    for move in list(board.legal_moves):
        told = moves[move.uci()]
        assert told["san"] == board.san(move)
        assert told["zeroing"] == board.is_zeroing(move)
        board.push(move)
        assert told["checkmate"] == board.is_checkmate()
        assert told["stalemate"] == board.is_stalemate()
        assert told["insufficient_material"] == board.is_insufficient_material()
        board.pop()


def lawful(found: Any) -> None:
    """Categories and distances follow from those of the moves, best first."""
    moves = found["moves"]
    assert SIGN[found["category"]] == (found["dtm"] > 0) - (found["dtm"] < 0) or found["checkmate"]
    if not moves:
        assert found["category"] == ("loss" if found["checkmate"] else "draw")
        return
    assert found["category"] == OPPOSITE[moves[0]["category"]]
    if found["category"] == "draw":
        assert found["dtm"] == moves[0]["dtm"] == 0
    else:
        assert abs(found["dtm"]) == abs(moves[0]["dtm"]) + 1
    ranks = [SIGN[move["category"]] for move in moves]
    assert ranks == sorted(ranks)
    for sign, order in ((-1, 1), (1, -1)):  # win soon, lose late
        depths = [order * abs(move["dtm"]) for move in moves if SIGN[move["category"]] == sign]
        assert depths == sorted(depths)


@pytest.mark.parametrize("men", ["KRk", "Kkr", "KQk", "Kk", "KBk"])
def test_endings_are_as_python_chess_and_the_tables_say(web: TestClient, men: str) -> None:
    for board in boards(men, 25):
        found = asked(web, board.fen())
        same_rules(found, board)
        lawful(found)
        assert found["dtz"] is found["precise_dtz"] is found["dtw"] is found["dtc"] is None


def test_pawns_promote(web: TestClient) -> None:
    for men in ("KPk", "Kkp"):
        for board in boards(men, 25, seed=5):
            found = asked(web, board.fen())
            same_rules(found, board)
            lawful(found)


class Flat:
    """Stands for a table in which everything is a draw: for what does not depend on values."""

    game = Chess("KK")

    def value(self, p: int) -> Value:
        return Value("outcome", 0, 0)

    def moves(self, p: int) -> list[MoveAnalysis]:
        texts = [(m, self.game.move_text(p, m)) for m in self.game.moves(p)]
        value = self.value(p)
        return [
            MoveAnalysis(m, text, "", value, (value, value), 0, 0.0, "", best=True, number=i)
            for i, (m, text) in enumerate(texts)
        ]


def test_moves_of_many_men_are_those_of_python_chess() -> None:
    flat: Any = Flat()
    passed = 0
    for board in boards("KPPkpp", 500, seed=2):
        for move in [chess.Move.null(), *board.legal_moves]:
            board.push(move)
            if board.is_valid() and (board.has_legal_en_passant() or not move):
                passed += board.has_legal_en_passant()
                p, clock = read_fen(board.fen())
                same_rules(answer(flat, p, clock), board.copy(stack=False))
            board.pop()
    assert passed > 4


def test_distances_are_plies_to_mate(web: TestClient) -> None:
    found = asked(web, "8/8/8/4k3/8/8/8/R3K3_w_-_-_0_1")
    assert (found["category"], found["dtm"]) == ("win", 27)
    assert {found["moves"][0]["uci"], found["moves"][1]["uci"]} == {"e1e2", "a1a5"}
    mate = asked(web, "k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert (mate["dtm"], mate["moves"][0]["san"]) == (1, "Rh8#")
    assert (mate["moves"][0]["dtm"], mate["moves"][0]["category"]) == (0, "loss")
    assert mate["moves"][0]["checkmate"]
    mated = asked(web, "k6R/8/1K6/8/8/8/8/8 b - - 0 1")
    assert (mated["checkmate"], mated["category"], mated["dtm"]) == (True, "loss", 0)
    stale = asked(web, "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1")
    assert (stale["stalemate"], stale["category"]) == (True, "draw")


def test_wins_that_may_come_too_late_are_not_called_wins(web: TestClient) -> None:
    fen = "8/8/8/4k3/8/8/8/R3K3 w - - {} 60"
    assert asked(web, fen.format(73))["category"] == "win"  # mate on ply 100
    late = asked(web, fen.format(74))
    assert late["category"] == "maybe-win"
    assert late["moves"][0]["category"] == "maybe-loss"
    lawful(late)
    spoilt = asked(web, "8/8/8/8/8/2k5/1R6/4K3 b - - 99 80")
    assert spoilt["moves"][0]["san"] == "Kxb2"
    assert (spoilt["moves"][0]["zeroing"], spoilt["category"]) == (True, "draw")


@pytest.mark.parametrize(
    ("fen", "word"),
    [
        ("nonsense", "written as"),
        ("8/8/8/4k3/8/8/8 w - - 0 1", "rows"),
        ("8/8/8/4k3/8/8/8/R3K3 x - - 0 1", "written as"),
        ("8/8/8/8/8/8/8/R3K3 w - - 0 1", "king"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "castling"),
        ("8/8/8/4k3/8/8/8/R3K3 w - e3 0 1", "passed"),
        ("8/8/8/4k3/4R3/8/8/4K3 w - - 0 1", "check"),
        ("8/8/8/4k3/8/8/8/R3K3 w - - many 1", "plies"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "men"),
        ("P7/8/8/4k3/8/8/8/4K3 w - - 0 1", "pawn"),
        ("8" * 2001, "2000"),
    ],
)
def test_what_endings_do_not_have_is_refused_in_a_sentence(
    web: TestClient, fen: str, word: str
) -> None:
    heard = web.get("/standard", params={"fen": fen})
    assert heard.status_code == 400
    same_type(heard.json(), server.ErrorJson)
    assert word in heard.json()["error"]


def test_a_position_must_be_given(web: TestClient) -> None:
    heard = web.get("/standard")
    assert heard.status_code == 400
    assert "fen" in heard.json()["error"]


def test_larger_endings_need_a_table(web: TestClient) -> None:
    heard = web.get("/standard", params={"fen": "8/8/8/4k3/8/8/q7/R3K3 w - - 0 1"})
    assert heard.status_code == 404
    assert "KQKR" in heard.json()["error"]
    assert "solve chess -p material=KQKR" in heard.json()["hint"]


def test_servers_without_chess_have_no_tables() -> None:
    empty = TestClient(
        make_app(Collection({}, lambda spec, game: None)), base_url="http://127.0.0.1"
    )
    fen = "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"
    assert empty.get("/standard", params={"fen": fen}).status_code == 404


def test_tables_of_the_command_line_are_asked() -> None:
    fen = "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"
    solution = solve(Chess(fen=fen, symmetry=False))
    exhibit = Exhibit("ending", "ending", solution=solution)
    named = TestClient(
        make_app(Collection({"ending": exhibit}, lambda spec, game: None)),
        base_url="http://127.0.0.1",
    )
    assert asked(named, fen)["dtm"] == 27
    other = {"fen": "8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1"}
    assert named.get("/standard", params=other).status_code == 404


def test_tables_on_disk_are_found() -> None:
    made: list[str] = []

    def stored(spec: str, game: Any) -> Any:
        made.append(game.material)
        return solve(game) if game.material == "KKR" else None

    collection = Collection({"chess": Exhibit("chess", "chess")}, stored)
    disk = TestClient(make_app(collection), base_url="http://127.0.0.1")
    assert asked(disk, "8/8/8/4k3/8/8/8/R3K3 w - - 0 1")["dtm"] == 27
    assert made == ["KQK", "KRK", "KKR"]
