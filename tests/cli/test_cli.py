"""The command line: what it prints where, and its exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from perfectplay.cli import asking, folders, main, render
from perfectplay.errors import TableError
from perfectplay.rules.game import alternate
from perfectplay.rules.load import load

RULES = """
from dataclasses import dataclass
from perfectplay.rules.game import CHANCE, OVER, Game


@dataclass(frozen=True)
class Heap(Game):
    '''Take 1 to `most` counters; a player who cannot take loses.'''

    heap: int = 8
    most: int = 3

    def start(self):
        return self.heap

    def moves(self, p):
        yield from range(1, min(self.most, p) + 1)

    def play(self, p, m):
        return p - m


@dataclass(frozen=True)
class Coin(Game):
    '''Toss until tails or stop; heads adds 1, tails ends with nothing. (coins, state)'''

    most: int = 3
    players = 1

    def start(self):
        return (0, 0)

    def to_move(self, p):
        coins, state = p
        return OVER if state == 2 else CHANCE if state == 1 else 0

    def moves(self, p):
        if p[0] < self.most:
            yield "toss"
        yield "stop"

    def play(self, p, m):
        return (p[0], 1) if m == "toss" else (p[0], 2)

    def chances(self, p):
        yield 3, (p[0] + 1, 0)
        yield 1, (0, 2)

    def payoff(self, p):
        return p[0]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with rules and solved tables."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "rules.py").write_text(RULES)
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert main.run(["solve", "rules.py:Heap"]) == 0
        assert main.run(["solve", "rules.py:Coin", "--exact"]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def perfectplay(place, monkeypatch, capsys):
    """Runs a command in that folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(place)
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main.run(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_games_are_listed_and_told(perfectplay):
    code, out, err = perfectplay("games", "--json")
    listed = json.loads(out)["games"]
    assert (code, err) == (0, "")
    assert {"name", "summary"} <= set(listed[0])
    code, out, _ = perfectplay("games")
    assert all(each["name"] in out for each in listed)
    code, out, _ = perfectplay("games", "rules.py:Heap")
    assert "Take 1 to `most` counters" in out
    assert "heap       int   8" in out
    code, out, _ = perfectplay("games", "rules.py:Heap", "--json")
    told = json.loads(out)
    assert told["start"] == "8"
    assert told["parameters"][1] == {"name": "most", "type": "int", "default": "3"}


def test_every_listed_game_can_be_told(perfectplay):
    for each in json.loads(perfectplay("games", "--json")[1])["games"]:
        code, out, err = perfectplay("games", each["name"], "--json")
        assert (code, err) == (0, "")
        told = json.loads(out)
        assert told["about"]
        assert told["start"] is not None


def test_solving_reports_and_is_not_done_twice(perfectplay):
    code, out, err = perfectplay("solve", "rules.py:Heap", "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert report["positions"] == 9
    assert report["value"]["outcome"] == "loss"
    assert report["value"]["depth"] == 4
    assert report["table"] == "tables/rules-Heap"
    assert report["start"] == "8"
    code, out, _ = perfectplay("solve", "rules.py:Heap", "-p", "heap=5", "--table", "five")
    assert code == 0
    assert "win in 3 plies" in out
    assert "five" in out


def test_solving_again_into_the_table_of_other_rules(perfectplay):
    code, out, err = perfectplay(
        "solve", "rules.py:Heap", "-p", "heap=5", "--table", "tables/rules-Heap"
    )
    assert (code, out) == (4, "")
    assert "hint:" in err
    assert "--fresh" in err


def test_probing(perfectplay):
    code, out, err = perfectplay("probe", "rules.py:Heap", "5")
    assert (code, err) == (0, "")
    assert "win in 3 plies" in out
    assert "win -> loss" in out
    assert out.splitlines()[-1].split() == ["3", "0"]
    _, out, _ = perfectplay("probe", "rules.py:Heap", "5", "--moves")
    assert out.splitlines()[0].split() == ["move", "value", "loses", "position", "after"]
    assert out.splitlines()[1].startswith("*  1")
    assert len(out.splitlines()) == 4
    own = ("--game", "rules.py:Heap")
    _, out, _ = perfectplay("probe", "tables/rules-Heap", "5", "--line", "--limit", "1", *own)
    assert out.splitlines()[1:] == ["1     4", "…"]


def test_what_is_asked_of_an_ended_position_is_answered(perfectplay):
    ended = ("probe", "rules.py:Heap", "0")
    assert perfectplay(*ended, "--moves")[1] == "no moves: play has ended\n"
    assert perfectplay(*ended, "--line")[1] == "no line: play has ended\n"
    assert perfectplay(*ended[:2], "5", "--line", "--limit", "0")[1] == "…\n"
    code, out, err = perfectplay(*ended)
    assert (code, "loss" in out, "no line" in out, err) == (0, True, False, "")


def test_probing_as_json(perfectplay):
    code, out, _ = perfectplay(
        "probe", "rules.py:Coin", "(1, 1)", "--json", "--table", "tables/rules-Coin-exact"
    )
    found = json.loads(out)
    assert code == 0
    assert found["to_move"] == "chance"
    assert [c["probability"] for c in found["chances"]] == ["3/4", "1/4"]
    _, out, _ = perfectplay("probe", "rules.py:Coin", "--json")
    found = json.loads(out)
    assert found["value"]["exact"] == "81/64"  # toss three times: 3 * (3/4)**3
    assert found["moves"][0]["move"] == "toss"
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (["probe", "rules.py:Heap", "99"], 2, "'99' is not a position that can arise", "'8'"),
        (["probe", "rules.py:Heap", "--", "-1"], 2, "'-1' is not a position that", "'8'"),
        (["probe", "rules.py:Heap", "zz"], 2, "'zz' is not a position", "looks like '8'"),
        (
            ["probe", "rules.py:Heap", "-p", "heap=3"],
            4,
            "not solved yet",
            "solve rules.py:Heap -p",
        ),
        (["probe", "tables/rules-Heap", "-p", "heap=3"], 2, "has its own parameters", "leave out"),
        (["probe", "tables/None"], 2, "no game called", "perfectplay games"),
        (["solve", "nothing.py"], 2, "no file nothing.py", ""),
        (["solve", "rules.py"], 2, "several games: Heap, Coin", "rules.py:Coin"),
        (["solve", "rules.py:Heap", "-p", "heap=x"], 2, "expected an integer", "heap: int = 8"),
        (["solve", "rules.py:Heap", "-p", "hep=1"], 2, "no parameter called 'hep'", "heap?"),
        (["solve", "rules.py:Heap", "--memory", "big"], 2, "expected a size", "2G"),
        (["solve", "rules.py:Heap", "--workers", "0"], 2, "--workers", "--help"),
        (["solve"], 2, "Missing argument", "perfectplay solve --help"),
        (["sovle"], 2, "No such command 'sovle'", "--help"),
        (["solve", "rules.py:Heap", "--bogus"], 2, "No such option", "--help"),
        (["play", "rules.py:Heap", "--as", "3"], 2, "there are 2 players", "count from 1"),
        (["solve", "broken.py:Heap"], 3, "broken.py, line 2: NameError", ""),
    ],
)
def test_mistakes_are_explained(perfectplay, place, arguments, code, message, hint):
    (place / "broken.py").write_text("\nx = nothing\n")
    found, out, err = perfectplay(*arguments)
    assert (found, out) == (code, "")
    assert err.startswith("error: ")
    assert message in err
    assert f"hint: {hint}" in err or (hint in err.partition("hint:")[2]) or not hint
    assert "Traceback" not in err


def test_a_table_whose_rules_have_moved(perfectplay, place, tmp_path, monkeypatch):
    table = str(place / "tables" / "rules-Heap")
    rules = f"{place / 'rules.py'}:Heap"
    perfectplay("games")
    monkeypatch.chdir(tmp_path)
    code, _, err = perfectplay("probe", table)
    assert code == 4
    assert "--game" in err
    code, out, _ = perfectplay("probe", table, "--game", rules)
    assert code == 0
    assert "loss in 4 plies" in out


def test_edited_rules_are_noticed(perfectplay, place):
    (place / "edited.py").write_text(RULES)
    assert perfectplay("solve", "edited.py:Heap", "--table", "edited")[0] == 0
    (place / "edited.py").write_text(RULES.replace("range(1, min", "range(2, min"))
    code, _, err = perfectplay("probe", "edited.py:Heap", "--table", "edited")
    assert code == 4
    assert "other rules" in err
    assert perfectplay("solve", "edited.py:Heap", "--table", "edited")[0] == 4
    assert perfectplay("solve", "edited.py:Heap", "--table", "edited", "--fresh")[0] == 0
    code, out, _ = perfectplay("probe", "edited.py:Heap", "1", "--table", "edited")
    assert (code, "loss" in out) == (0, True)


def test_verifying(perfectplay):
    code, out, err = perfectplay("verify", "tables/rules-Heap", "--game", "rules.py:Heap")
    assert (code, err) == (0, "")
    assert out.startswith("9 positions verified in ")
    code, out, _ = perfectplay("verify", "rules.py:Coin", "--json")
    found = json.loads(out)
    assert (code, found["ok"]) == (0, True)
    assert len(found["signature"]) == 12
    assert perfectplay("verify", "rules.py:Heap", "-p", "heap=77")[0] == 4


def test_checking(perfectplay, place):
    code, out, err = perfectplay("check", "rules.py:Heap")
    assert (code, err) == (0, "")
    assert "nothing wrong in all 9 positions" in out
    wrong = RULES.replace("yield 3, (p[0] + 1, 0)", "yield 0, (p[0] + 1, 0)")
    (place / "wrong.py").write_text(wrong)
    code, out, _ = perfectplay("check", "wrong.py:Coin", "--json")
    assert code == 3
    assert json.loads(out)["problems"][0]["method"] == "chances"


# -- Playing. -------------------------------------------------------------------------------------


def test_playing_against_perfection(perfectplay):
    code, out, _ = perfectplay("play", "rules.py:Heap", typed="1\n9\n?\nu\n2\n3\n")
    assert code == 0
    assert "player 2 plays 3" in out  # 7 -> 4
    assert "'9' is not a legal move; legal: 1, 2, 3" in out
    assert "* 1  loss in 2 plies" in out
    assert "taken back" in out
    assert out.rstrip().endswith("player 2 wins")


def test_playing_second_one_can_win(perfectplay):
    typed = "".join(f"{4 - m}\n" for m in (1, 1))
    code, out, _ = perfectplay("play", "rules.py:Heap", "--as", "2", typed=typed)
    assert code == 0
    assert out.rstrip().endswith("player 2 wins")


@pytest.mark.parametrize("typed", ["", "q\n", "1\n"])
def test_leaving_politely(perfectplay, typed):
    code, out, err = perfectplay("play", "rules.py:Heap", typed=typed)
    assert (code, err) == (0, "")
    assert out.endswith("left the game\n")


def test_an_interrupt_leaves_with_130(perfectplay, monkeypatch):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    code, _, err = perfectplay("play", "rules.py:Heap")
    assert code == 130
    assert err.strip() == "stopped"


def test_watching_is_repeatable_and_hints_tell(perfectplay):
    first = perfectplay("play", "rules.py:Coin", "--watch", "--seed", "5")
    assert first == perfectplay("play", "rules.py:Coin", "--watch", "--seed", "5")
    tosses = {
        perfectplay("play", "rules.py:Coin", "--watch", "--seed", str(n))[1] for n in range(9)
    }
    assert len(tosses) > 1
    _, out, _ = perfectplay("play", "rules.py:Coin", "--hints", typed="2\n")
    assert "that loses 1.26562" in out
    assert out.rstrip().endswith("player 1: 0")
    _, out, _ = perfectplay("play", "rules.py:Heap", "--watch")
    assert "player 1 plays 1 (loss in 4 plies)" in out
    assert out.rstrip().endswith("player 2 wins")


def test_play_begins_where_it_is_told_to(perfectplay):
    _, out, _ = perfectplay("play", "rules.py:Heap", "--watch", "--from", "7")
    assert "player 1 plays 3 (win in 3 plies)" in out
    assert out.rstrip().endswith("player 1 wins")
    code, _, err = perfectplay("play", "rules.py:Heap", "--from", "nowhere")
    assert code
    assert "'nowhere' is not a position" in err


def test_play_refuses_players_it_does_not_know(perfectplay):
    code, _, err = perfectplay("play", "rules.py:Heap", "--against", "nobody")
    assert code == 2
    assert "there is no player called 'nobody'" in err
    code, out, _ = perfectplay(
        "play", "rules.py:Heap", "--against", "random", "--seed", "1", typed="1\n"
    )
    assert code == 0
    assert "player 2 plays" in out


def test_probing_shows_a_board(perfectplay):
    perfectplay("solve", "noughts-and-crosses", "--plain", "--table", "xo")
    _, out, _ = perfectplay("probe", "xo", "XO./.X./...")
    assert out.startswith("3  X O .\n2  . X .\n1  . . .\n   a b c\n\nposition  XO./.X./...\n")
    _, out, _ = perfectplay("probe", "xo", "--json")
    assert json.loads(out)["position"] == ".../.../..."


# -- The process. ---------------------------------------------------------------------------------


def process(*arguments, **settings):
    return subprocess.run(
        [sys.executable, "-c", "from perfectplay.cli.main import main; main()", *arguments],
        capture_output=True, text=True, check=False, **settings,
    )  # fmt: skip


def test_light_commands_load_no_heavy_library(place):
    code = textwrap.dedent("""
        import sys
        from perfectplay.cli.main import run
        run(sys.argv[1:])
        heavy = {"numba", "scipy", "pyarrow", "flint"} & set(sys.modules)
        print(sorted(heavy), file=sys.stderr)
    """)
    loaded = {}
    for arguments in (["--help"], ["games"], ["games", "pig"], ["probe", "rules.py:Heap"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True, text=True, check=True, cwd=place,
        )  # fmt: skip
        loaded[arguments[0]] = done.stderr.strip()
    assert loaded["--help"] == loaded["games"] == "[]"
    assert loaded["probe"] in ("[]", "['pyarrow']")


def test_help_has_an_example_for_every_command():
    for name in ("games", "solve", "plan", "probe", "play", "verify", "check", "bench"):
        done = process(name, "--help", env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"})
        assert done.returncode == 0
        assert f"Example: perfectplay {name}" in done.stdout
        assert "\x1b" not in done.stdout


def test_unexpected_errors_are_one_line(perfectplay, monkeypatch):
    monkeypatch.setattr(asking, "open_solution", lambda *_: 1 / 0)
    monkeypatch.delenv("PERFECTPLAY_DEBUG", raising=False)
    code, out, err = perfectplay("probe", "rules.py:Heap")
    assert (code, out) == (70, "")
    assert "internal error: ZeroDivisionError" in err
    assert "PERFECTPLAY_DEBUG=1" in err
    assert "Traceback" not in err
    monkeypatch.setenv("PERFECTPLAY_DEBUG", "1")
    assert "Traceback" in perfectplay("probe", "rules.py:Heap")[2]


def test_a_closed_pipe_is_quiet(place):
    command = (
        f"{sys.executable} -c 'from perfectplay.cli.main import main; main()' games | head -c 5"
    )
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=True, cwd=place
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("perfectplay solve pigl", ["piglet"]),
        ("perfectplay solve rules.py:Heap -p m", ["most="]),
        ("perfectplay pro", ["probe"]),
    ],
)
def test_completion(place, words, offered):
    shell = {"_PERFECTPLAY_COMPLETE": "complete_bash", "COMP_WORDS": words}
    shell["COMP_CWORD"] = str(len(words.split()) - 1)
    code = "import sys; sys.argv[0] = 'perfectplay'; from perfectplay.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **shell},
        capture_output=True, text=True, check=False, cwd=place,
    )  # fmt: skip
    assert done.stdout.split() == offered


# -- Small parts. ---------------------------------------------------------------------------------


def test_table_folders(place, monkeypatch):
    monkeypatch.chdir(place)
    game = load("rules.py:Heap", ["most=2", "heap=8"])
    assert folders.table_folder("rules.py:Heap", game) == Path("tables/rules-Heap-most=2")
    monkeypatch.setenv("PERFECTPLAY_TABLES", "/elsewhere")
    assert folders.table_folder("nim", load("nim", ["heaps=1,2"])) == Path(
        "/elsewhere/nim-heaps=1,2"
    )
    long = load("nim", [f"heaps={','.join('1' * 60)}"])
    assert len(folders.table_folder("nim", long).name) < 120
    assert alternate(long)


@pytest.mark.parametrize(
    ("text", "size"),
    [("2G", 2 << 30), ("500M", 500 << 20), ("1.5 GB", 3 << 29), ("7", 7), ("4KiB", 4096)],
)
def test_sizes(text, size):
    assert folders.memory_bytes(text) == size


def test_json_has_no_infinities(capsys):
    render.emit({"a": [float("inf"), -float("inf"), 1.5], 3: float("nan")})
    assert json.loads(capsys.readouterr().out) == {"a": ["infinite", "-infinite", 1.5], "3": None}


def test_a_table_of_an_older_format_names_the_command_that_solves_it_again(perfectplay):
    given = ("solve", "subtraction", "-p", "heap=9", "-p", "takes=1,3", "--table", "old")
    assert perfectplay(*given)[0] == 0
    manifest = Path("old/manifest.json")
    text = manifest.read_bytes().replace(b'"version": 3', b'"version": 1')
    manifest.write_bytes(text.replace(b'"subtraction"', b'"perfectplay.games.nim:Subtraction"'))
    code, out, err = perfectplay("probe", str(manifest.parent))
    assert code == TableError.exit_code
    assert not out
    assert "has format version 1, this perfectplay reads 3" in err
    again = re.sub(r"\s+", " ", err).partition("solve it again: ")[2]
    words = shlex.split(again)
    assert words[:3] == ["perfectplay", "solve", "subtraction"]
    assert perfectplay(*words[1:])[0] == 0
    assert perfectplay("probe", str(manifest.parent))[0] == 0
