"""Chess endings: the rules against two others, counts and longest mates against D9."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path
from typing import Any

import naive_chess
import numpy as np
import pytest

from perfectplay import Solution, UsageError, check, solve, verify
from perfectplay.games.chess.board import PASSING, PLACEMENT, THEIRS, image
from perfectplay.games.chess.chess import Chess
from perfectplay.positions.expand import expander
from perfectplay.positions.numbers.numbering import Numbering
from perfectplay.rules.packing import get
from perfectplay.solving.route import Home, along

ANY = Chess("KQKR")
"""Rules of any position: `material` says only where play may begin."""


def scattered(chance: random.Random, letters: str) -> str | None:
    """A random placement as FEN, either side to move; None if it is not legal."""
    extra = chance.choices(letters, k=chance.randint(1, 4))
    squares = chance.sample(
        [(file, rank) for file in range(8) for rank in range(8)], 2 + len(extra)
    )
    men = dict(zip(squares, ["K", "k", *extra], strict=True))
    white = chance.random() < 0.5
    if any(letter in "Pp" and at[1] in (0, 7) for at, letter in men.items()):
        return None
    return None if naive_chess.in_check(men, not white) else naive_chess.write((men, white, None))


def before_double_step(chance: random.Random) -> str | None:
    """A random position in which a pawn may pass another."""
    file = chance.randrange(8)
    beside = file + chance.choice((-1, 1))
    if not 0 <= beside < 8:
        return None
    men = {(file, 1): "P", (beside, 3): "p"}
    for letter in ["K", "k", *chance.choices("QRBqrb", k=chance.randint(0, 2))]:
        men.setdefault((chance.randrange(8), chance.randrange(8)), letter)
    if not {"K", "k"} <= set(men.values()) or naive_chess.in_check(men, white=False):
        return None
    return naive_chess.write((men, True, None))


def fens(number: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    found: list[str] = []
    while len(found) < number:
        made = (
            before_double_step(chance)
            if len(found) % 3 == 0
            else scattered(chance, "QRBNPPPqrbnppp")
        )
        if made is not None:
            found.append(made)
    return found


def shown(p: int) -> str:
    return " ".join(ANY.text(p).split()[:4])


def test_moves_are_those_of_plain_rules() -> None:
    """Every move of random positions, and every move after each of them."""
    kinds: Counter[str] = Counter()
    for fen in fens(120, 1):
        p, position = ANY.parse(fen), naive_chess.read(fen)
        after = {shown(q): q for q in (ANY.play(p, m) for m in ANY.moves(p))}
        plain = [naive_chess.played(position, *move) for move in naive_chess.legal(position)]
        assert sorted(after) == sorted(map(naive_chess.write, plain)), fen
        assert (next(ANY.moves(p), None) is None) == (not plain)
        assert ANY.in_check(p) == naive_chess.in_check(position[0], position[1])
        for each in plain:
            text = naive_chess.write(each)
            kinds["en passant"] += text.split()[3] != "-"
            if text.split()[3] == "-":
                continue
            q = after[text]
            wanted = [naive_chess.played(each, *move) for move in naive_chess.legal(each)]
            assert sorted(shown(ANY.play(q, m)) for m in ANY.moves(q)) == sorted(
                map(naive_chess.write, wanted)
            )
        kinds["promotion"] += any(ANY.move_text(p, m).count("=") for m in ANY.moves(p))
    assert kinds["en passant"] > 10
    assert kinds["promotion"] > 3


def test_moves_and_their_names_are_those_of_python_chess() -> None:
    import chess

    def compare(board: Any, p: int, plies: int) -> int:
        assert shown(p) == " ".join(board.fen().split()[:4])
        named = {ANY.move_text(p, m): m for m in ANY.moves(p)}
        moves = {board.san(move): move for move in board.legal_moves}
        assert named.keys() == moves.keys(), board.fen()
        if plies == 1:
            return len(moves)
        nodes = 0
        for name, move in moves.items():
            board.push(move)
            nodes += compare(board, ANY.play(p, named[name]), plies - 1)
            board.pop()
        return nodes

    assert sum(compare(chess.Board(f"{fen} 0 1"), ANY.parse(fen), 2) for fen in fens(60, 2)) > 5000


def test_compiled_rules_are_the_interpreted_ones() -> None:
    native, plain = expander(ANY), expander(ANY, plain=True)
    positions = [ANY.parse(fen) for fen in fens(200, 3)]
    ours = native.expand(np.array(positions, np.int64).reshape(-1, 1))
    theirs = plain.expand(positions)
    assert [int(child) for child in ours.child[:, 0]] == theirs.child
    for name in ("kind", "first", "stratum"):
        assert (getattr(ours, name) == getattr(theirs, name)).all(), name
    assert (ours.payoff == theirs.payoff).all()


def test_laws_hold_at_random_positions() -> None:
    for fen in fens(150, 4):
        p = ANY.parse(fen)
        assert ANY.parse(ANY.text(p)) == p
        r = ANY.representative(p)
        assert ANY.representative(r) == r
        assert ANY.stratum(r) == ANY.stratum(p)
        after = [ANY.play(p, m) for m in ANY.moves(p)]
        assert all(ANY.stratum(q) <= ANY.stratum(p) for q in after)
        assert sorted(map(ANY.representative, after)) == sorted(
            ANY.representative(ANY.play(r, m)) for m in ANY.moves(r)
        )
        for q in after:
            assert ANY.parse(ANY.text(q)) == q
    assert "White to move" in ANY.picture(ANY.parse("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1"))


def test_first_positions_are_all_legal_ones() -> None:
    game = Chess("KQK", symmetry=False)
    keys, _ = expander(game).starts()
    found = set(keys[:, 0].tolist())
    assert len(found) == len(keys) == 144508 + 223944
    chance = random.Random(5)
    for _ in range(2000):
        fen = scattered(chance, "Qq")
        if fen is not None and sum(letter.isalpha() for letter in fen.split()[0]) == 3:
            assert game.representative(game.parse(fen)) in found


def test_a_pawn_passes_only_where_it_can_be_taken() -> None:
    p = ANY.parse("8/8/8/8/1p6/8/P7/K6k w - - 0 1")
    q = next(ANY.play(p, m) for m in ANY.moves(p) if ANY.move_text(p, m) == "a4")
    assert ANY.text(q) == "8/8/8/8/Pp6/8/8/K6k b - a3 0 1"
    assert ANY.parse(ANY.text(q)) == q
    assert "bxa3" in {ANY.move_text(q, m) for m in ANY.moves(q)}
    pinned = "8/8/8/8/R1pP3k/8/8/K7 b - d3 0 1"  # taking would open the row to the king
    assert ANY.text(ANY.parse(pinned)).split()[3] == "-"


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("8/8/8/3k4/8/8/8/R3K3 w Q - 0 1", "castling"),
        ("8/8/8/3k4/8/8/8/R7 w - - 0 1", "king"),
        ("8/8/8/3k4/8/8/8/R3K2P w - - 0 1", "pawn"),
        ("8/8/8/3k4/8/8/8/3RK3 w - - 0 1", "in check"),
        ("8/8/8/3k4/8/8/8/3RK3 w", "in check"),
        ("8/8/8/3k4/8/8/8/K8 w - - 0 1", "9 squares"),
        ("8/8/8/3k4/8/8/K7 w - - 0 1", "7 rows"),
        ("8/8/8/3k4/8/8/8/KX6 w - - 0 1", "no piece"),
        ("8/8/8/8/Pp6/8/8/K6k b - b3 0 1", "passed"),
        ("8/8/8/8/Pp6/8/8/K6k b - e9 0 1", "passed"),
        ("r7/8/8/8/Pp6/8/8/K6k w - b6 0 1", "passed"),
        ("7k/8/8/8/Pp5r/7R/8/K7 b - a3 0 1", None),
        ("7k/8/8/8/Pp6/7R/8/K7 b - a3 0 1", "check before"),
        ("k7/8/8/8/8/8/8/KQQQQQ2 w - - 0 1", "7 men"),
        ("nonsense", "written as"),
    ],
)
def test_wrong_positions_are_refused(fen: str, why: str | None) -> None:
    if why is None:
        ANY.parse(fen)
        return
    with pytest.raises(ValueError, match=why):
        ANY.parse(fen)


@pytest.mark.parametrize("material", ["", "QK", "KK K", "KQKRRRR", "KXK", "KKK"])
def test_wrong_materials_are_refused(material: str) -> None:
    with pytest.raises(UsageError):
        Chess(material)


def test_materials_may_be_written_in_several_ways() -> None:
    assert Chess("kqvkr") == Chess("KQKR")


# -- Counts and longest mates. --------------------------------------------------------------------


def figures() -> list[Any]:
    with (Path(__file__).parent / "chess_materials.csv").open(encoding="utf-8") as lines:
        return [
            pytest.param(row, id=f"{row['material']} {row['mover']}", marks=slow(row["slow"]))
            for row in csv.DictReader(lines)
        ]


def slow(word: str) -> list[Any]:
    return [pytest.mark.xdist_group("chess")] + ([pytest.mark.slow] if word else [])


def counted(material: str) -> dict[str, dict[str, int]]:
    """By mover: how many placements on the whole board are won, drawn and lost, and the longest
    win in plies. Symmetric positions count as often as there are."""
    if material not in KEPT:
        game = Chess(material)
        solution = solve(game)
        assert verify(solution.table, game).ok
        KEPT.clear()
        KEPT[material] = {}
        for mover in ("first", "second"):
            KEPT[material][mover] = dict.fromkeys(("win", "draw", "loss", "plies"), 0)
        for rows in solution.table.batches():
            tally(game, rows, KEPT[material])
    return KEPT[material]


KEPT: dict[str, dict[str, dict[str, int]]] = {}


def tally(game: Chess, rows: Any, found: dict[str, dict[str, int]]) -> None:
    keys, outcome, depth = (np.asarray(rows[name]) for name in ("key_0", "outcome", "depth"))
    kinds = np.stack([(keys >> (10 * place + 6)) & 15 for place in range(6)], axis=1)
    passing = (kinds == PASSING + THEIRS).any(axis=1)
    half = len(game.kinds) // 2
    for view, mover in enumerate(("first", "second")[: game.views]):
        own = (kinds == np.array(game.kinds[half * view : half * (view + 1)])).all(axis=1)
        some = np.flatnonzero(own & ~passing)
        weight = np.full(len(some), 2 if game.pawns else 8)
        if not game.pawns:
            kings = np.stack([keys[some] & 63, (keys[some] >> 10) & 63])
            for i in np.flatnonzero((kings % 8 == kings // 8).all(axis=0)):  # on the diagonal
                key = int(keys[some[i]])
                weight[i] = 4 if image(get(key, PLACEMENT), 4) == key else 8
        for name, value in (("win", 1), ("draw", 0), ("loss", -1)):
            found[mover][name] += int(weight[outcome[some] == value].sum())
        won = some[outcome[some] == 1]
        found[mover]["plies"] = max(found[mover]["plies"], int(depth[won].max(initial=0)))


@pytest.mark.parametrize("row", figures())
def test_counts_and_longest_mates(row: dict[str, str]) -> None:
    found = counted(row["material"])[row["mover"]]
    for name in ("win", "draw", "loss", "plies"):
        assert row[name] in ("", str(found[name])), name


@pytest.mark.parametrize("material", ["KRK", pytest.param("KPK", marks=pytest.mark.slow)])
def test_symmetry_changes_no_value(material: str) -> None:
    small, large = solve(Chess(material)), solve(Chess(material, symmetry=False))
    chance = random.Random(6)
    keys = [int(key) for rows in large.table.batches() for key in rows["key_0"][::997]]
    for key in chance.sample(keys, 200):
        assert str(small.value(key)) == str(large.value(key))


# -- Numbers. -------------------------------------------------------------------------------------


def stepped(write: Any, game: Chess, stratum: int, number: int) -> set[int]:
    """What `steps` or `unsteps` writes, without holes."""
    out = np.empty(game.number_moves, np.int64)
    some = out[: write(stratum, number, out)].tolist()
    return {i for i in some if i >= 0 and not game.vacant(stratum, i)}


@pytest.mark.parametrize("material", ["KBBK", "KRKR", "KNKN", "KQKP", "KPKP", "KPPK"])
def test_moves_between_numbers_are_those_of_positions(material: str) -> None:
    """Also of positions with a right to take en passant, which have the highest numbers."""
    game = Chess(material)
    numbering, chance = Numbering(game), random.Random(7)
    stratum = max(numbering.sizes)
    size, passing = numbering.sizes[stratum], 0
    for trial in range(120):
        number = chance.randrange(size - size // 70 if trial % 3 == 0 else 0, size)
        p = numbering.position(stratum, number)
        assert (p is None) == game.vacant(stratum, number)
        if p is None:
            continue
        passing += game.text(p).split()[3] != "-"
        assert game.parse(game.text(p)) == p
        after = {m: numbering.rank(game.play(p, m)) for m in game.moves(p)}
        inside = {place[1] for place in after.values() if place and place[0] == stratum}
        leaving = [m for m, place in after.items() if place and place[0] != stratum]
        assert None not in after.values()
        assert sorted(game.exits(p)) == sorted(leaving)
        assert stepped(game.steps, game, stratum, number) == inside
        for child in inside:
            assert number in stepped(game.unsteps, game, stratum, child)
        for parent in stepped(game.unsteps, game, stratum, number):
            q = numbering.position(stratum, parent)
            assert (stratum, number) in [numbering.rank(game.play(q, m)) for m in game.moves(q)]
    assert (passing > 3) == (material == "KPKP")


def test_sizes_of_strata() -> None:
    sizes = Numbering(Chess("KQKR")).sizes
    assert sorted(sizes.values()) == [462, 2 * 462 * 64, 2 * 462 * 64, 2 * 462 * 64**2]
    assert Numbering(Chess("KPK")).sizes[max(Numbering(Chess("KPK")).sizes)] == 2 * 1806 * 48


def test_a_table_by_number_can_be_opened(tmp_path: Path) -> None:
    solve(Chess("KQK"), tmp_path / "t")
    table = Solution.open(tmp_path / "t")
    assert str(table.value(ANY.parse("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1"))) == "loss in 0 plies"


@pytest.mark.slow
def test_values_by_number_are_those_by_key() -> None:
    game = Chess("KPK")
    by_number = solve(game)
    with along(homes=(Home.MEMORY,)):
        by_key = solve(game)
    assert by_number.table.width == -1
    assert len(by_number) - len(by_key) == 9  # no promotion or capture leads to these
    for p in by_key.positions():
        assert by_number.values(p) == by_key.values(p)


def test_check_finds_nothing_wrong() -> None:
    assert check(Chess("KPK"), limit=300, plays=3).ok
