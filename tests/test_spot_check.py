"""The spot check of opened tables: right tables pass, and other rules are noticed by their values.

The digest of the rules is switched off where rules are edited: what is caught here is caught by
values alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_games import SMALL

from perfectplay import CHANCE, OVER, Game, TableError, sided, solve
from perfectplay.answer import spot_check
from perfectplay.answer.solution import Solution
from perfectplay.cli.main import run
from perfectplay.games.boards.kalah import Kalah
from perfectplay.games.boards.mutorere import MuTorere
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.pig import Pig, Piglet
from perfectplay.games.heaps.nim import Nim
from perfectplay.games.lines.mnk import MNK
from perfectplay.games.partizan.clobber import Clobber
from perfectplay.games.puzzles.sliding import SlidingPuzzle
from perfectplay.games.races.einstein import Einstein
from perfectplay.games.simultaneous.rock_paper_scissors import RockPaperScissors
from perfectplay.rules.load import load
from perfectplay.table.reader import Table, split
from perfectplay.table.writer import TableWriter

KINDS: list[tuple[Any, dict[str, Any]]] = [
    (Nim((2, 3)), {}),
    (MNK(2, 2, 2, symmetry=True), {}),
    (MuTorere(6, ascher=True), {}),
    (Clobber(), {}),
    (Kalah(2, 2), {}),
    (SlidingPuzzle(2, 2), {}),
    (Pig(8), {}),
    (Pig(6), {"exact": True}),
    (Piglet(3, players=3), {}),
    (Piglet(3, players=3), {"ties": "average"}),
    (Piglet(2, players=3), {"exact": True}),
    (CantStop(2, 2, 2, 1), {}),
    (CantStop(2, 2, 2, 1), {"exact": True}),
    (Einstein(rows=2, columns=3, stones=2), {"exact": True}),
    (sided(Piglet(3, players=3), "2+3"), {}),
]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check ends because the machine is busy."""
    monkeypatch.setattr(spot_check, "SECONDS", 1e9)


@pytest.fixture
def undigested(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rules have the same digest."""
    monkeypatch.setattr("perfectplay.compiled.digest.rules_digest", lambda game: "0" * 16)
    monkeypatch.setattr("perfectplay.solving.run.rules_digest", lambda game: "0" * 16)


@pytest.mark.parametrize(("game", "how"), KINDS, ids=str)
@pytest.mark.usefixtures("patient")
def test_right_tables_pass(game: Game, how: Any, tmp_path: Path) -> None:
    solve(game, tmp_path / "t", plain=True, workers=1, **how)
    solution = Solution.open(tmp_path / "t", game)
    assert spot_check.spot_check(solution) >= min(8, solution.table.rows)


@pytest.mark.slow
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.usefixtures("patient")
def test_no_game_of_the_collection_is_refused(
    game: Game, plain: bool, exact: bool, tmp_path: Path
) -> None:
    if exact and isinstance(game, RockPaperScissors):
        game = RockPaperScissors()  # other points have values that are no fractions
    solve(game, tmp_path / "t", plain=plain, exact=exact)
    solution = Solution.open(tmp_path / "t", game)
    assert spot_check.spot_check(solution) >= min(8, solution.table.rows)


# -- Wrong rows. ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "how"), KINDS, ids=str)
@pytest.mark.usefixtures("patient")
def test_a_table_with_wrong_values_is_refused(game: Game, how: Any, tmp_path: Path) -> None:
    """Every value is another one: by a little, where it is a float."""
    table = solve(game, tmp_path / "right", plain=True, workers=1, **how).table
    with TableWriter(tmp_path / "wrong", table.header, table.width) as writer:
        for part in table.parts():
            for rows in split(table.read(part), part, table.width):
                wrong = {name: _other(name, column) for name, column in rows.columns.items()}
                writer.add(rows.strata[0][0], rows.keys, wrong)
        writer.finish(table.extra)
    with pytest.raises(TableError, match="contradicts the present rules") as caught:
        Solution.open(tmp_path / "wrong", game)
    assert "follows" in caught.value.message
    assert f"--table {tmp_path / 'wrong'} --fresh" in caught.value.hint
    with pytest.raises(TableError, match="contradicts"):
        solve(game, tmp_path / "wrong", plain=True, workers=1, **how)


def _other(name: str, column: Any) -> Any:
    if name == "move":
        return column
    if isinstance(column, list):
        return [f"{text}1" if "/" not in text else f"{text}7" for text in column]
    if column.dtype.kind == "f":
        return column + 1e-6
    return column + column.dtype.type(1) if name in ("depth", "score", "top_0") else column


# -- Edited rules. --------------------------------------------------------------------------------


class Race(Game):
    """Players of one token each run to the goal; a die says how far they may go."""

    players = 2
    goal = 6
    endless: int | None = None

    def start(self) -> Any:
        return 0, 0, 0, 0

    def to_move(self, p: Any) -> int:
        a, b, turn, die = p
        if a >= self.goal or b >= self.goal:
            return OVER
        return CHANCE if die == 0 else turn

    def chances(self, p: Any) -> Iterator[tuple[int, Any]]:
        a, b, turn, _ = p
        for die in (1, 2, 3):
            yield 1, (a, b, turn, die)

    def moves(self, p: Any) -> Any:
        return range(1, p[3] + 1)

    def play(self, p: Any, m: int) -> Any:
        a, b, turn, _ = p
        return (a + m, b, 1, 0) if turn == 0 else (a, b + m, 0, 0)

    def payoff(self, p: Any) -> Any:
        return 1 if p[0] >= self.goal else -1

    def stratum(self, p: Any) -> int:
        return -int(p[0]) - int(p[1])


class Trio(Race):
    """The same for three."""

    players = 3

    def start(self) -> Any:
        return 0, 0, 0, 0, 0

    def to_move(self, p: Any) -> int:
        if max(p[:3]) >= self.goal:
            return OVER
        return CHANCE if p[4] == 0 else p[3]

    def chances(self, p: Any) -> Iterator[tuple[int, Any]]:
        for die in (1, 2, 3):
            yield 1, (*p[:4], die)

    def moves(self, p: Any) -> Any:
        return range(1, p[4] + 1)

    def play(self, p: Any, m: int) -> Any:
        tokens = [x + m * (i == p[3]) for i, x in enumerate(p[:3])]
        return (*tokens, (p[3] + 1) % 3, 0)

    def payoff(self, p: Any) -> Any:
        return tuple(int(x >= self.goal) for x in p[:3])

    def stratum(self, p: Any) -> int:
        return -sum(p[:3])


class Heap(Game):
    """Take 1 to 3 of a heap; who cannot take loses."""

    def start(self) -> int:
        return 40

    def moves(self, p: int) -> Any:
        return range(1, min(3, p) + 1)

    def play(self, p: int, m: int) -> int:
        return p - m

    def stratum(self, p: int) -> int:
        return p


class Coins(Heap):
    """Take 1 to 3 coins and keep them; who has more wins."""

    def reward(self, p: int, m: int) -> int:
        return m

    def payoff(self, p: int) -> int:
        return 0


class Walk(Game):
    """One player walks to 0 on a line, one step at a time; steps cost 1."""

    players = 1
    minimise = True

    def start(self) -> int:
        return 20

    def moves(self, p: int) -> Any:
        return () if p == 0 else (-1, 1) if p < 40 else (-1,)

    def play(self, p: int, m: int) -> int:
        return p + m

    def reward(self, p: int, m: int) -> int:
        return 1


class Gamble(Walk):
    """One player may stop or toss a coin."""

    minimise = False

    def to_move(self, p: int) -> int:
        return OVER if p in (0, 40) else CHANCE if p % 2 else 0

    def moves(self, p: int) -> Any:
        return "stay", "toss"

    def play(self, p: int, m: str) -> int:
        return 0 if m == "stay" else p - 1

    def reward(self, p: int, m: str) -> int:
        return p if m == "stay" else 0

    def chances(self, p: int) -> Any:
        yield 1, p - 1
        yield 1, min(p + 3, 40)

    def payoff(self, p: int) -> int:
        return p


class Mirror(Game):
    """Two heaps, the smaller one first."""

    def start(self) -> Any:
        return 5, 6

    def moves(self, p: Any) -> Any:
        return [(i, m) for i in (0, 1) for m in range(1, p[i] + 1)]

    def play(self, p: Any, m: Any) -> Any:
        return tuple(x - m[1] * (i == m[0]) for i, x in enumerate(p))

    def representative(self, p: Any) -> Any:
        return tuple(sorted(p))

    def stratum(self, p: Any) -> int:
        return int(sum(p))


class Circle(Game):
    """Run round a circle; who must move from the last field loses. Going on for ever is worth what
    `endless` says."""

    endless: int | None = 0

    def start(self) -> int:
        return 1

    def moves(self, p: int) -> Any:
        return () if p % 12 == 0 else (1, 2)

    def play(self, p: int, m: int) -> int:
        return (p + m) % 12

    def payoff(self, p: int) -> int:
        return -1


EDITS: list[tuple[type[Game], str, dict[str, Any], dict[str, Any]]] = [
    (Heap, "payoff", {"misere": True}, {}),
    (Heap, "payoff", {"payoff": lambda self, p: 0}, {}),
    (Heap, "moves added", {"moves": lambda self, p: range(1, min(4, p) + 1)}, {}),
    (Heap, "moves removed", {"moves": lambda self, p: range(1, min(2, p) + 1)}, {}),
    (Heap, "play", {"play": lambda self, p, m: max(p - 2 * m, 0)}, {}),
    (Heap, "start", {"start": lambda self: 41}, {}),
    (Heap, "starts", {"starts": lambda self: [40, 50]}, {}),
    (Heap, "stratum", {"stratum": lambda self, p: p // 2}, {}),
    (Heap, "players", {"players": 1}, {}),
    (Heap, "to_move", {"to_move": lambda self, p: p % 2}, {}),
    (Heap, "fails", {"moves": lambda self, p: range(1 // (p - 20))}, {}),
    (Coins, "reward", {"reward": lambda self, p, m: m + (p % 10 == 0)}, {}),
    (Coins, "reward lost", {"reward": Game.reward}, {}),
    (Coins, "payoff", {"payoff": lambda self, p: 1}, {}),
    (Coins, "moves added", {"moves": lambda self, p: range(1, min(5, p) + 1)}, {}),
    (Walk, "reward", {"reward": lambda self, p, m: 2}, {}),
    (Walk, "aim", {"minimise": False}, {}),
    (Walk, "moves removed", {"moves": lambda self, p: () if p in (0, 10) else (-1,)}, {}),
    (Walk, "moves added", {"moves": lambda self, p: () if p == 0 else (-1, 1, -2)[: p + 1]}, {}),
    (Gamble, "weights", {"chances": lambda self, p: [(2, p - 1), (1, min(p + 3, 40))]}, {}),
    (Gamble, "payoff", {"payoff": lambda self, p: 2 * p}, {}),
    (Gamble, "reward", {"reward": lambda self, p, m: p + 1 if m == "stay" else 0}, {}),
    (Race, "weights", {"chances": lambda self, p: [(d, (*p[:3], d)) for d in (1, 2, 3)]}, {}),
    (Race, "weights", {"chances": lambda self, p: [(d, (*p[:3], d)) for d in (1, 2, 3)]},
     {"exact": True}),
    (Race, "payoff", {"payoff": lambda self, p: 2 if p[0] >= 6 else -1}, {}),
    (Race, "goal", {"goal": 7}, {}),
    (Race, "moves removed", {"moves": lambda self, p: [1]}, {}),
    (Race, "stratum", {"stratum": lambda self, p: -int(p[0])}, {}),
    (Trio, "weights", {"chances": lambda self, p: [(d, (*p[:4], d)) for d in (1, 2, 3)]}, {}),
    (Trio, "payoff", {"payoff": lambda self, p: tuple(2 * int(x >= 6) for x in p[:3])}, {}),
    (Trio, "payoff", {"payoff": lambda self, p: tuple(2 * int(x >= 6) for x in p[:3])},
     {"exact": True}),
    (Mirror, "representative", {"representative": Game.representative}, {}),
    (Mirror, "representative", {"representative": lambda self, p: tuple(sorted(p)[::-1])}, {}),
    (Mirror, "moves", {"moves": lambda self, p: [(i, 1) for i in (0, 1) if p[i]]}, {}),
    (Circle, "endless", {"endless": 1}, {}),
    (Circle, "payoff", {"payoff": lambda self, p: 1}, {}),
    (Circle, "play", {"play": lambda self, p, m: (p + 2 * m) % 12}, {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "what", "edit", "how"), EDITS, ids=lambda x: getattr(x, "__name__", str(x)[:12])
)
@pytest.mark.usefixtures("patient", "undigested")
def test_edits_are_noticed_without_the_digest(
    rules: type[Game], what: str, edit: dict[str, Any], how: Any, tmp_path: Path
) -> None:
    table = solve(rules(), tmp_path / "t", workers=1, **how).table
    edited = type(rules.__name__, (rules,), {**edit, "__module__": rules.__module__})()
    assert Solution.open(tmp_path / "t", rules()).table.rows == table.rows
    with pytest.raises(TableError, match="contradicts the present rules"):
        Solution.open(tmp_path / "t", edited)
    with pytest.raises(TableError, match="contradicts the present rules"):
        solve(edited, tmp_path / "t", workers=1, **how)


@pytest.mark.usefixtures("patient", "undigested")
def test_edits_that_change_a_tenth_of_the_rows_are_noticed(tmp_path: Path) -> None:
    """An edit that only shows in some rows, far from the start and the main line."""

    class Marked(Coins):
        def start(self) -> int:
            return 400

    solve(Marked(), tmp_path / "t", workers=1)
    for rest in range(10):

        def reward(self: Any, p: int, m: int, rest: int = rest) -> int:
            return m + 5 * (p % 10 == rest)

        edited = type("Marked", (Marked,), {"reward": reward, "__module__": __name__})()
        with pytest.raises(TableError, match="contradicts"):
            Solution.open(tmp_path / "t", edited)


# -- When it is asked, and when it is not. --------------------------------------------------------


def test_a_check_without_time_ends_at_once(tmp_path: Path, monkeypatch: Any) -> None:
    solve(Nim((2, 3)), tmp_path / "t", plain=True, workers=1)
    monkeypatch.setattr(spot_check, "SECONDS", 0.0)
    solution = Solution.open(tmp_path / "t")
    assert spot_check.spot_check(solution) == 0


def test_rows_are_chosen_by_the_signature(tmp_path: Path, monkeypatch: Any) -> None:
    solve(Pig(8), tmp_path / "t", plain=True, workers=1)
    solution = Solution.open(tmp_path / "t", check=False)
    asked: list[int] = []
    real = Table.at
    monkeypatch.setattr(Table, "at", lambda table, n: (asked.append(n), real(table, n))[1])
    spot_check.spot_check(solution, 1e9)
    first = list(asked)
    asked.clear()
    spot_check.spot_check(solution, 1e9)
    assert asked == first
    assert len(set(first)) > spot_check.RANDOM


@pytest.mark.usefixtures("patient")
def test_rows_are_found_by_their_number(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("perfectplay.table.parquet.GROUP_ROWS", 3)
    monkeypatch.setattr("perfectplay.table.writer.PART_ROWS", 7)
    table = solve(Pig(3), tmp_path / "t", plain=True, workers=1).table
    rows = table.to_arrow()
    every = list(zip(rows["stratum"].to_pylist(), rows["key"].to_pylist(), strict=True))
    assert [table.at(n) for n in range(table.rows)] == every


def test_comments_and_hash_seeds_do_not_matter(tmp_path: Path) -> None:
    rules = tmp_path / "rules.py"
    source = (
        "from perfectplay import Game\n"
        "class Heap(Game):\n"
        "    def start(self): return frozenset('abc')\n"
        "    def moves(self, p): return sorted(p)\n"
        "    def play(self, p, m): return p - {m}\n"
        "    def text(self, p): return ''.join(sorted(p)) or '-'\n"
        "    def parse(self, s): return frozenset(s) - {'-'}\n"
    )
    rules.write_text(source)
    code = "import sys; from perfectplay.cli.main import run; sys.exit(run(sys.argv[1:]))"
    words = [sys.executable, "-c", code]
    spec, table = f"{rules}:Heap", str(tmp_path / "t")
    assert run(["solve", spec, "--table", table]) == 0
    for seed in ("1", "2"):
        rules.write_text(f"# {seed}\n{source}    # the end\n")
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(spot_check.__file__).parents[2])}
        ran = subprocess.run(
            [*words, "probe", table, "--game", spec],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr


@pytest.mark.usefixtures("patient", "undigested")
def test_commands_end_with_the_code_of_tables(tmp_path: Path, capsys: Any) -> None:
    solve(load("nim", {"heaps": (2, 3)}), tmp_path / "t", plain=True, workers=1)
    folder = str(tmp_path / "t")
    with pytest.MonkeyPatch.context() as edited:
        edited.setattr(Nim, "payoff", lambda self, p: 1)
        for words in (["probe"], ["play", "--watch"], ["chart", "--out", "x.svg"]):
            assert run([words[0], folder, *words[1:]]) == 4
            said = capsys.readouterr().err
            assert "stored as" in said
            assert "perfectplay solve nim -p heaps=2,3" in said
        assert run(["verify", folder]) == 7
