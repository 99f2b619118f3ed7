"""Strategies: what is found is proved by other code, and what is changed is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perfectplay import load
from perfectplay.cli import main
from perfectplay.errors import NoSolverError, TableError, VerificationError
from perfectplay.rules.game import Game
from perfectplay.searching.strategies import Strategy, strategy
from perfectplay.verification.verify_strategy import verify_strategy

BOARD = {"width": 4, "height": 4, "line": 3}
WORDS = ["connect", *(word for name, n in BOARD.items() for word in ("-p", f"{name}={n}"))]


@pytest.fixture(scope="module")
def game() -> Game:
    return load("connect", BOARD)


@pytest.fixture(scope="module")
def found(game: Game) -> Strategy:
    return strategy(game)


def test_a_strategy_secures_its_value(game: Game, found: Strategy, tmp_path: Path) -> None:
    found.write(tmp_path / "win.json")
    again = Strategy.read(tmp_path / "win.json")
    assert again == found
    proved = verify_strategy(game, again)
    assert (proved.at_least, proved.searched) == (1, 0)
    assert proved.moves == len(found.moves) > 20


def test_a_claim_too_high_is_refused(game: Game, found: Strategy) -> None:
    with pytest.raises(VerificationError, match="does not secure 2: play ends with 1"):
        verify_strategy(game, replace(found, at_least=2))


def test_every_wrong_move_that_matters_is_seen(game: Game, found: Strategy) -> None:
    """Each move is replaced by another one: the claim fails, or the other move wins, too."""
    failed = 0
    for text, move in list(found.moves.items())[4:24]:
        p = game.parse(text)
        others = [word for m in game.moves(p) if (word := game.move_text(p, m)) != move]
        changed = replace(found, moves=found.moves | dict.fromkeys([text], others[0]))
        if not secures(game, changed, p):
            failed += 1
            with pytest.raises(VerificationError):
                verify_strategy(game, changed)
    assert failed > 5


def value(game: Game, p: Any) -> int:
    """Plain minimax."""
    worth = [-value(game, game.play(p, m)) for m in game.moves(p)]
    return max(worth, default=game.payoff(p))


def secures(game: Game, found: Strategy, p: Any) -> bool:
    """Whether a strategy wins from a position where its player moves; where it says nothing, best
    play goes on."""
    if not list(game.moves(p)):
        return game.payoff(p) > 0
    said = found.moves.get(game.text(p))
    if said is None:
        return value(game, p) > 0
    q = game.play(p, next(m for m in game.moves(p) if game.move_text(p, m) == said))
    replies = list(game.moves(q))
    if not replies:
        return game.payoff(q) < 0
    return all(secures(game, found, game.play(q, m)) for m in replies)


def test_what_is_left_open_is_searched(game: Game) -> None:
    short = strategy(game, plies=3)
    proved = verify_strategy(game, short)
    assert proved.searched > 0
    assert proved.moves == len(short.moves)
    again = verify_strategy(game, short, method="alpha-beta", size=2**16)
    assert (again.positions, again.searched) == (proved.positions, proved.searched)
    with pytest.raises(VerificationError, match="the strategy has no move, and a search finds"):
        verify_strategy(game, replace(short, at_least=2), method="alpha-beta")
    with pytest.raises(VerificationError, match="the strategy has no move, and a search finds"):
        verify_strategy(game, replace(short, moves={}, at_least=2))


def test_other_parameters_and_files_are_refused(
    game: Game, found: Strategy, tmp_path: Path, capsys: Any
) -> None:
    with pytest.raises(TableError, match="the strategy is for connect with"):
        verify_strategy(load("connect", {**BOARD, "width": 5}), found)
    (tmp_path / "broken.json").write_text("{}", encoding="utf-8")
    assert main.run(["verify", *WORDS, "--strategy", str(tmp_path / "broken.json")]) == 4
    assert "holds no strategy" in capsys.readouterr().err
    with pytest.raises(NoSolverError, match="without chance and rewards"):
        strategy(load("pig"))


def test_commands_write_and_verify(tmp_path: Path, capsys: Any) -> None:
    file = str(tmp_path / "win.json")
    assert main.run(["strategy", *WORDS, "--out", file, "--plies", "5"]) == 0
    assert main.run(["verify", *WORDS, "--strategy", file]) == 0
    said = capsys.readouterr().out
    assert "a payoff of at least 1" in said
    assert "secure a payoff of at least 1" in said


@pytest.mark.slow
def test_the_win_of_connect_four_to_ply_8_is_verified() -> None:
    """Known since Allen 1988 and Allis 1988; the table was found by `strategy`."""
    game = load("connect", {"width": 7, "height": 6, "symmetry": True})
    found = Strategy.read(Path(__file__).parents[1] / "known" / "connect_7x6_win.json")
    proved = verify_strategy(game, found, method="alpha-beta", size=2**29)
    assert (proved.at_least, proved.moves, proved.positions) == (1, 165, 954)
    assert found.moves[found.position] == "d"
