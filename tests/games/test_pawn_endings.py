"""King and pawn endings: the rules against plain ones, one pawn against the exact table."""

from __future__ import annotations

import random
from pathlib import Path

import naive_chess
import numpy as np
import pytest

from perfectplay import UsageError, check, plan, solve, verify
from perfectplay.games.chess.chess import Chess
from perfectplay.games.chess.pawn_endings import LASKER, PawnEndings
from perfectplay.games.chess.structures import Structured
from perfectplay.positions.expand import expander
from perfectplay.solving.plan import Plan
from perfectplay.solving.route import Home, along

ANY = PawnEndings()


def fens(number: int, seed: int) -> list[str]:
    """Random positions with kings and pawns, every third with one that may pass another."""
    chance = random.Random(seed)
    found: list[str] = []
    while len(found) < number:
        men = {}
        if len(found) % 3 == 0:
            file = chance.randrange(1, 7)
            men = {(file, 1): "P", (file + chance.choice((-1, 1)), 3): "p"}
        for letter in ["K", "k", *chance.choices("Pp", k=chance.randint(1, 9))]:
            rows = range(8) if letter in "Kk" else range(1, 7)
            men.setdefault((chance.randrange(8), chance.choice(rows)), letter)
        white = len(found) % 3 == 0 or chance.random() < 0.5
        letters = list(men.values())
        if letters.count("K") == letters.count("k") == 1 and not naive_chess.in_check(
            men, not white
        ):
            found.append(naive_chess.write((men, white, None)))
    return found


def shown(p: tuple[int, int]) -> str:
    return " ".join(ANY.text(p).split()[:4])


def test_moves_are_those_of_plain_rules() -> None:
    passed = promoted = 0
    for fen in fens(200, 1):
        p, position = ANY.parse(fen), naive_chess.read(fen)
        queue = [(p, position)]
        for q, plain in queue:
            after = {shown(r): r for r in (ANY.play(q, m) for m in ANY.moves(q))}
            wanted = {}
            for at, to, becomes in naive_chess.legal(plain):
                if becomes in "RBNrbn":
                    continue
                played = naive_chess.played(plain, at, to, becomes)
                wanted[naive_chess.write(played)] = played
                promoted += becomes in "Qq"
            assert after.keys() == wanted.keys(), shown(q)
            for text, r in after.items():
                assert ANY.parse(ANY.text(r)) == r
                assert ANY.stratum(r) <= ANY.stratum(q)
                if text.split()[3] != "-" and q == p:
                    passed += 1
                    queue.append((r, wanted[text]))
    assert passed > 20
    assert promoted > 20


def test_names_of_moves_are_those_of_python_chess() -> None:
    import chess

    for fen in fens(100, 2):
        board, p = chess.Board(f"{fen} 0 1"), ANY.parse(fen)
        moves = [move for move in board.legal_moves if move.promotion in (None, chess.QUEEN)]
        names = [board.san(m).rstrip("+#") if m.promotion else board.san(m) for m in moves]
        assert sorted(names) == sorted(ANY.move_text(p, m) for m in ANY.moves(p))


def test_compiled_rules_are_the_interpreted_ones() -> None:
    some = [ANY.representative(ANY.parse(fen)) for fen in fens(200, 3)]
    ours = expander(ANY).expand(np.array(some, np.int64))
    theirs = expander(ANY, plain=True).expand(some)
    assert [tuple(map(int, child)) for child in ours.child] == theirs.child
    for name in ("kind", "first", "stratum", "payoff"):
        assert (getattr(ours, name) == getattr(theirs, name)).all(), name


@pytest.mark.slow
def test_one_pawn_is_as_in_the_exact_table(tmp_path: Path) -> None:
    """A promotion that cannot be answered by taking wins, so the boundary rule changes nothing."""
    exact = solve(Chess("KPK"))
    chance = random.Random(4)
    for file in "ad":
        fen = {"a": "8/8/8/8/8/4k3/P7/K7 w - - 0 1", "d": "4k3/8/8/8/8/8/3P4/K7 w - - 0 1"}[file]
        game = PawnEndings(fen)
        solution, family = solve(game, tmp_path / file), solve(game)
        assert verify(solution.table, game).ok
        assert verify(family.table, game).ok
        table = solution.table
        keys = np.concatenate([table.keys(table.read(part)) for part in table.parts()])
        for row in chance.sample(range(len(keys)), 400):
            p = int(keys[row, 0]), int(keys[row, 1])
            if "q" in game.text(p) or "Q" in game.text(p):
                continue
            wanted = exact.value(exact.game.parse(game.text(p))).outcome
            assert solution.value(p).outcome == wanted, game.text(p)
            assert family.value(p) == solution.value(p), game.text(p)


def test_plan_does_not_count_structures_that_are_names() -> None:
    with along(homes=(Home.MEMORY,)):
        found = plan(PawnEndings(LASKER), seconds=1.0)
    assert isinstance(found, Plan)
    assert not found.complete
    assert found.estimate is None


def test_a_map_of_the_squares_of_a_king() -> None:
    game = PawnEndings("8/8/8/1k6/1p6/1P6/1K6/8 w - - 0 1")
    chart = game.chart()
    axes = list(chart.axes.values())
    assert (axes[2][0], axes[3][0]) == ("b5", "White")
    assert chart.position("b", 2, "b5", "White") == game.begin
    for file, rank in (("b", 3), ("b", 4), ("b", 5), ("a", 6), ("c", 4)):
        assert chart.position(file, rank, "b5", "White") is None  # taken, or next to the king
    assert chart.position("c", 3, "b5", "White") is not None  # in check, but to move
    assert chart.position("c", 3, "b5", "Black") is None
    solution = solve(game)
    assert isinstance(solution.table, Structured)
    won = solution.value(chart.position("c", 2, "a5", "Black"))
    assert won.outcome == solution.value(game.parse("8/8/8/k7/1p6/1P6/2K5/8 b")).outcome


def test_laws() -> None:
    game = PawnEndings("8/8/8/1k6/1p6/1P6/1K6/8 w - - 0 1")
    assert check(game, limit=500, plays=3).ok


@pytest.mark.slow
def test_lasker_and_reichhelm(tmp_path: Path) -> None:
    solution = solve(PawnEndings(LASKER), tmp_path / "lasker")
    moves = solution.moves(solution.start)
    assert [move.text for move in moves if move.value.outcome > 0] == ["Kb1"]
    assert verify(solution.table, solution.game).ok


@pytest.mark.parametrize(
    "fen",
    ["8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K2P w",
     "4k3/8/8/8/8/8/3p4/4K3 b - - 0 1", "8/8/8/3kK3/8/8/8/8 w - - 0 1", "nonsense",
     "8/8/8/8/Pp6/8/8/K6k b - b3 0 1", "4k3/8/8/8/8/8/4P3/4K3 w KQkq - 0 1"],
)  # fmt: skip
def test_wrong_positions_are_refused(fen: str) -> None:
    with pytest.raises(UsageError):
        PawnEndings(fen)
