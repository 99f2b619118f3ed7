"""What the command line names is served, and nothing else: rules, tables, policies."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from perfectplay import load, solve
from perfectplay.cli.exploring import collected
from perfectplay.cli.folders import table_folder
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.web.app import make_app
from perfectplay.web.serve import serve

RULES = '''"""Take 1 or 2 counters; who takes the last one wins."""

from dataclasses import dataclass

from perfectplay import Game


@dataclass(frozen=True)
class Take(Game):
    """One heap."""

    heap: int = 5

    def start(self):
        return self.heap

    def moves(self, p):
        return [m for m in (1, 2) if m <= p]

    def play(self, p, m):
        return p - m

    def parse(self, s):
        return int(s)


def least(game, p):
    return 1
'''


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "take.py").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    return "take.py:Take"


def test_a_folder_of_other_rules_needs_the_game(rules: str) -> None:
    solve(load(rules, []), folder="tables/take")
    with pytest.raises(PerfectPlayError) as refused:
        collected(["tables/take"], [], None, [])
    assert "--game" in f"{refused.value.message} {refused.value.hint}"
    shown = collected(["tables/take"], [], rules, [])
    web = TestClient(make_app(shown), base_url="http://127.0.0.1")
    page = web.get("/g/take/").text
    assert "win in 3 plies" in page


def test_requests_name_no_rules_and_no_policies(rules: str) -> None:
    shown = collected([rules], [], None, ["take.py:least"])
    web = TestClient(make_app(shown), base_url="http://127.0.0.1")
    assert web.get("/g/take/").status_code == 200
    for key in ("take.py:Take", "take.py%3ATake", "pig", "tables%2Ftake"):
        assert web.get(f"/g/{key}/").status_code == 404
    solve(load(rules, []), folder="tables/take")
    played = collected(["tables/take"], [], rules, ["take.py:least"])
    web = TestClient(make_app(played), base_url="http://127.0.0.1")
    assert web.get("/g/take/?play=least,person").status_code == 200
    for player in ("take.py:least", "os:system", "other"):
        assert web.get(f"/g/take/?play={player},person").status_code == 404


def test_an_unsolved_game_says_what_to_type(rules: str) -> None:
    web = TestClient(make_app(collected([rules], [], None, [])), base_url="http://127.0.0.1")
    assert f"<code>perfectplay solve {rules}</code>" in web.get("/g/take/").text
    page = web.get("/g/take/?with=heap=9").text
    assert f"<code>perfectplay solve {rules} -p heap=9</code>" in page


def test_a_table_that_cannot_be_read_is_not_passed_over_in_silence(rules: str) -> None:
    game = load(rules, [])
    folder = table_folder(rules, game)
    solve(game, folder=str(folder))
    manifest = folder / "manifest.json"
    manifest.write_text(re.sub(r'"version": \d+', '"version": 1', manifest.read_text()))
    web = TestClient(make_app(collected([rules], [], None, [])), base_url="http://127.0.0.1")
    page = web.get("/g/take/").text
    assert "Its table cannot be read" in page
    assert "has format version 1" in page
    assert "solve it again: perfectplay solve" in page
    assert "Solve it now" in page


def test_what_is_not_there_is_refused_in_words(rules: str) -> None:
    for names, policies in ((["no-such-game"], []), ([rules], ["take.py:nothing"])):
        with pytest.raises(UsageError):
            collected(names, [], None, policies)


def test_the_server_answers_as_soon_as_it_says_where_it_is(rules: str) -> None:
    program = [sys.executable, "-c", "from perfectplay.cli.main import main; main()"]
    words = [*program, "explore", rules, "--port", "0", "--no-open"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said = re.search(r"http://127\.0\.0\.1:\d+/g/take/", server.stderr.readline())
            assert said is not None
            page = ""
            while "win in 3 plies" not in page:  # the only game is solved without being asked
                with urllib.request.urlopen(said[0], timeout=30) as answer:
                    page = answer.read().decode()
                assert "Working" in page or "win in 3 plies" in page
        finally:
            server.terminate()


@pytest.mark.parametrize(
    ("host", "token", "word"),
    [
        ("192.0.2.7", None, "cannot be used"),
        ("not an address", None, "no address"),
        ("127.0.0.2", "short", "can be guessed"),
    ],
)
def test_doors_that_cannot_be_opened_are_said_so(
    rules: str, host: str, token: str | None, word: str
) -> None:
    with pytest.raises(UsageError, match=word):
        serve(collected([rules], [], None, []), 0, open_page=False, host=host, token=token)


def test_games_of_the_same_name_are_told_apart(rules: str) -> None:
    Path("other").mkdir()
    Path("other/take.py").write_text(RULES.replace("One heap.", "Another heap."))
    shown = collected([rules, f"other/{rules}", rules, "nim"], [], None, []).exhibits
    assert {key: each.summary for key, each in shown.items()} == {
        "take": "One heap.",
        "take-2": "Another heap.",
        "nim": "take counters from a heap; who cannot take loses",
    }
