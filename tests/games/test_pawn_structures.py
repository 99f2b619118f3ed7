"""Pawn structures: against the table of all positions, against the rules, and against chess."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from perfectplay import UsageError, VerificationError, search, solve, verify
from perfectplay.games.chess import notation
from perfectplay.games.chess.assumed_promotions import Rest
from perfectplay.games.chess.board import BISHOP, KNIGHT, QUEEN, ROOK
from perfectplay.games.chess.chess import Chess
from perfectplay.games.chess.pawn_endings import LASKER, PawnEndings
from perfectplay.games.chess.pawn_promoted import ROWS
from perfectplay.games.chess.pawn_walks import PawnWalks, turned
from perfectplay.games.chess.plan_structures import plan_structures
from perfectplay.games.chess.structures import Structured, settled, solve_structures
from perfectplay.games.chess.structures_check import verify_structures
from perfectplay.table.reader import MemoryTable, Table

MEMORY = 1 << 30
BLOCKED = "8/8/8/1k6/1p6/1P6/1K6/8 w - - 0 1"
RETI = "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"


def solved(fen: str, promotion: str = "wins") -> Structured:
    table = solve_structures(PawnEndings(fen, promotion), MEMORY).table
    assert isinstance(table, Structured)
    return table


@pytest.mark.parametrize("promotion", ["wins", "draws"])
@pytest.mark.parametrize(
    "fen",
    [BLOCKED, "8/8/p3k3/1P6/8/8/4K3/8 b - - 0 1", "4k3/1p6/8/P7/8/8/8/4K3 b - - 0 1"],
)
def test_values_and_depths_are_those_of_the_table_of_all_positions(
    fen: str, promotion: str, tmp_path: Path
) -> None:
    ours = solved(fen, promotion)
    whole = solve(PawnEndings(fen, promotion), tmp_path / "whole")
    chance = random.Random(1)
    for part in whole.table.parts():
        columns = whole.table.read(part)
        keys = whole.table.keys(columns)
        for row in chance.sample(range(len(keys)), min(len(keys), 1500)):
            found = ours.find(0, keys[row].tolist())
            wanted = {name: int(columns[name][row]) for name in ("outcome", "depth")}
            assert found == wanted, whole.game.text(tuple(keys[row].tolist()))


def test_every_value_follows_from_those_of_its_moves_by_the_rules() -> None:
    table = solved("8/8/p3k3/1P6/8/8/4K3/8 b - - 0 1")
    found = verify_structures(table)
    assert found.ok
    assert found.rows == table.rows
    number, place = 0, int(np.flatnonzero(table.codes[0])[7])
    table.codes[number, place] = 9 if table.codes[number, place] != 9 else 11
    with pytest.raises(VerificationError):
        verify_structures(table)


def test_random_positions_with_several_pawns_follow_from_their_moves() -> None:
    """By the interpreted rules, position by position."""
    chance = random.Random(2)
    for fen in ("8/8/1pk5/p1p5/P1P5/1K6/8/8 w - - 0 1", "8/6k1/5p2/4pPp1/4P1P1/5K2/8/8 w - - 0 1"):
        table = solved(fen)
        game, keys = table.game, list(table.numbers)
        for _ in range(150):
            key = chance.choice(keys)
            places = np.flatnonzero(table.codes[table.numbers[key]])
            p = table.walks.positions(key, np.array([chance.choice(places.tolist())]))[0]
            position = int(p[0]), int(p[1])
            found = table.value(position)
            below = [table.value(game.play(position, m)) for m in game.moves(position)]
            if not below:
                assert found == (int(game.payoff(position)), 0)
                continue
            best = max((-v[0], -v[0] * (10_000 - v[1])) for v in below if v is not None)
            assert found is not None
            assert found[0] == best[0]
            assert found[1] == (10_001 - abs(best[1]) if best[0] else -1), game.text(position)


def test_colours_do_not_matter() -> None:
    table = solved("8/8/4k3/1p6/P7/8/4K3/8 w - - 0 1")
    mirror = solved("8/4k3/8/p7/1P6/4K3/8/8 b - - 0 1")
    assert table.value(table.game.begin) == mirror.value(mirror.game.begin)
    assert table.rows == mirror.rows


def test_exits_are_the_moves_of_plain_rules() -> None:
    """Captures, double steps and en passant among them."""
    from test_pawn_endings import fens

    walks = PawnWalks(PawnEndings())
    for fen in fens(60, 5):
        game = PawnEndings(f"{fen} 0 1")
        at = walks.placed(game.begin)
        if at is None:
            continue
        led = set(walks.exits(at[0])[1])
        for m in game.moves(game.begin):
            after = walks.placed(game.play(game.begin, m))
            assert after is None or after[0] == at[0] or after[0] in led, fen


# -- Proofs. --------------------------------------------------------------------------------------


def compared(material: str, kind: int, pawns: tuple[int, int], number: int) -> tuple[int, int]:
    """Random positions with one piece against an exact table: how many that are won there are
    proved, and how many not. Nothing else may be proved."""
    exact, proofs = solve(Chess(material)), PawnWalks(PawnEndings()).proofs
    wins, chance = proofs.pieces[kind], random.Random(6)
    rows = [wins.store[part][wins.number(pawns)] for part in (0, 1, 2)]
    room, won, lost = (wins.store[part][wins.number(pawns)] for part in (0, 1, 2))
    assert all(len(row) == ROWS for row in rows)
    fixed = {at: "P" for at in range(64) if pawns[0] >> at & 1}
    fixed |= {at: "p" for at in range(64) if pawns[1] >> at & 1}
    counts = [0, 0]
    for _ in range(number):
        at, wk, bk = (chance.randrange(64) for _ in range(3))
        if len({at, wk, bk, *fixed}) < 3 + len(fixed):
            continue
        men = {**fixed, at: ".KQRBN"[kind], wk: "K", bk: "k"}
        for side, row in ((0, won), (1, lost)):
            mine = bool(int(row[64 * at + wk]) >> bk & 1)
            try:
                p = exact.game.parse(f"{notation.written(men)} {'wb'[side]}")
            except ValueError:
                assert not mine
                assert side == 1 or not int(room[64 * at + wk]) >> bk & 1
                continue
            wins_there = exact.value(p).outcome == (1, -1)[side]
            assert wins_there or not mine, exact.game.text(p)
            counts[not mine] += wins_there
    return counts[0], counts[1]


@pytest.mark.slow
def test_what_is_proved_to_win_wins() -> None:
    assert compared("KQK", QUEEN, (0, 0), 3000)[1] == 0  # and all that wins is proved
    assert compared("KRK", ROOK, (0, 0), 3000)[1] == 0
    assert compared("KBK", BISHOP, (0, 0), 300) == (0, 0)
    assert compared("KNK", KNIGHT, (0, 0), 300) == (0, 0)


@pytest.mark.slow
def test_what_is_proved_to_win_against_a_pawn_wins() -> None:
    for square in (8, 10, 21, 35, 54):
        found = compared("KQKP", QUEEN, (0, 1 << square), 20_000)
        assert found[0] > 10 * found[1]


def test_kings_and_a_pawn_are_proved_where_they_win() -> None:
    exact, proofs = solve(Chess("KPK")), PawnWalks(PawnEndings()).proofs
    for square in (8, 28, 50):
        rows = proofs.kings((1 << square, 0))
        for wk, bk in ((wk, bk) for wk in range(0, 64, 3) for bk in range(64)):
            apart = max(abs(wk % 8 - bk % 8), abs(wk // 8 - bk // 8)) > 1
            hit = bk // 8 == square // 8 + 1 and abs(bk % 8 - square % 8) == 1
            if apart and not hit and square not in (wk, bk):
                men = {square: "P", wk: "K", bk: "k"}
                p = exact.game.parse(f"{notation.written(men)} w")
                assert (exact.value(p).outcome > 0) == bool(int(rows[wk]) >> bk & 1)


def test_boards_are_turned() -> None:
    assert turned(1 << 8) == 1 << 48
    assert turned(0x00FF00000000FF00) == 0x00FF00000000FF00


def test_lasker_and_reichhelm_is_won_whatever_a_promotion_is_worth() -> None:
    solution = solve_structures(PawnEndings(LASKER), MEMORY, workers=2)
    assert [m.text for m in solution.moves(solution.start) if m.value.outcome > 0] == ["Kb1"]
    rest = solution.table.rest(solution.start)
    assert (rest.value, rest.lower, rest.upper) == (1, 1, 1)
    assert "exact" in solution.analyse(solution.start).note
    assert verify_structures(solution.table, sample=100_000).ok


def test_reti_is_not_decided_by_the_rule_of_promotions() -> None:
    table = solved(RETI)
    value = table.value(table.game.begin)
    rest = table.rest(table.game.begin)
    assert value is not None
    assert (value[0], rest.lower, rest.upper, rest.exact) == (-1, -1, 0, False)
    assert table.value(table.game.begin) == value  # proofs leave values as they are
    assert "may matter" in table.note(table.game.begin)
    named = table.walks.settled_by(table.game)
    assert named is not None
    assert named[0] == "chess"
    assert table.walks.settled_by(PawnEndings(LASKER)) is None


def test_promotions_as_draws_are_said_to_be_draws() -> None:
    table = solved(RETI, "draws")
    assert table.note(table.game.begin).startswith("promotion: counted as a draw")


def test_words_for_what_is_not_proved() -> None:
    assert Rest(1, -1, 1, 0, 3).told("White").endswith("for White at least lost, at most won")
    assert "time was up" in Rest(1, -1, 1, 0, 0, late=True).told("White")
    assert Rest(0, 0, 0, 0, 0).told("White") == "exact; none is needed"


def test_solve_takes_structures_unless_a_table_is_asked_for(tmp_path: Path) -> None:
    game = PawnEndings(BLOCKED)
    at_hand = solve(game)
    assert isinstance(at_hand.table, Structured)
    assert verify(at_hand.table, game).rows == at_hand.table.rows
    assert isinstance(solve(game, tmp_path / "table").table, Table)
    few = PawnEndings("8/8/8/8/8/kp6/8/1K6 w - - 0 1")
    assert isinstance(solve(few, plain=True).table, MemoryTable)
    with pytest.raises(UsageError, match="no rows"):
        at_hand.to_arrow()


def test_what_rests_on_guesses_has_rules_that_settle_it() -> None:
    solution = solve(PawnEndings(RETI))
    assert solution.value(solution.start).outcome < 0
    assert "may matter" in solution.analyse(solution.start).note
    assert settled(solution) == ("chess", Chess(fen=RETI))
    assert settled(solve(PawnEndings(BLOCKED))) is None


@pytest.mark.slow
def test_reti_is_drawn_by_chess() -> None:
    named = settled(solve(PawnEndings(RETI)))
    assert named is not None
    exact = solve(named[1])
    assert exact.value(exact.start).outcome == 0
    assert settled(exact) is None


def test_positions_that_cannot_arise_are_refused() -> None:
    solution = solve_structures(PawnEndings(BLOCKED), MEMORY)
    with pytest.raises(UsageError, match="can arise"):
        solution.value(solution.game.parse("8/8/8/1k6/8/2p5/1K6/8 w - - 0 1"))


# -- Structures on demand. ------------------------------------------------------------------------


def test_a_search_finds_what_solving_finds() -> None:
    from test_pawn_endings import fens

    chance = random.Random(8)
    some = [fen for fen in fens(200, 9) if sum(letter in "Pp" for letter in fen) in (2, 3, 4)]
    outcomes = set()
    for fen in chance.sample(some, 7):
        game = PawnEndings(f"{fen.rsplit(' ', 1)[0]} - 0 1")
        whole = solve_structures(game, MEMORY)
        found = search(game, seconds=30)
        wanted = whole.value(whole.start).outcome
        assert found.exact == wanted, fen
        outcomes.add(wanted)
        if wanted > 0:
            after = game.play(game.begin, found.move)
            assert whole.value(after).outcome < 0, (fen, found.move_text)
        if "exact" in found.note:
            assert whole.table.rest(whole.start).upper == found.exact * (
                1 if game.to_move(game.begin) == 0 else -1
            )
    assert outcomes == {-1, 0, 1}


def test_a_blocked_position_is_drawn_whatever_promotions_are_worth() -> None:
    found = search(PawnEndings("8/k2p4/3p4/p2P1p1p/P2P1P1P/8/8/K7 w - - 0 1"), seconds=30)
    assert found.value_text == "draw"
    assert "whatever they are worth, nobody wins" in found.note
    reti = search(PawnEndings(RETI), seconds=30)
    assert reti.value_text == "loss"  # by the rule
    assert "may matter" in reti.note


def test_a_search_that_is_stopped_says_so() -> None:
    found = search(PawnEndings("4k3/ppp5/8/8/8/8/5PPP/4K3 w - - 0 1"), seconds=0.01)
    assert (found.lower, found.upper, found.stopped) == (-1, 1, "seconds")
    assert found.move is None


def test_the_breakthrough_of_three_pawns() -> None:
    found = search(PawnEndings("8/ppp5/8/PPP5/8/8/8/K6k w - - 0 1"), seconds=30)
    assert (found.value_text, found.move_text) == ("win", "b6")
    assert found.counts.structures < 2000
    assert found.line[-1].endswith("=Q")


def test_a_plan_tells_of_more_structures_than_can_be_solved() -> None:
    few = plan_structures(
        PawnEndings("8/2pp2pp/8/2PP1P2/1p5k/8/PP4p1/6K1 w - - 0 1"), 16 << 20, 20
    )
    assert not few.complete
    assert few.structures > few.seen
    assert not few.fits
    assert "at most" in str(few)
    enough = plan_structures(PawnEndings(BLOCKED), MEMORY)
    assert (enough.complete, enough.fits) == (True, True)
