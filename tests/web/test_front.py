"""The list of games: every one in its family, found by words, with its parameters."""

from __future__ import annotations

import re
from pathlib import Path

from test_pages import client
from test_shown import plain as text

from perfectplay import load
from perfectplay.cli.exploring import collected
from perfectplay.games import GAMES
from perfectplay.games.catalogue import FAMILIES
from perfectplay.web.about import about
from perfectplay.web.collection import Exhibit


def test_parameters_are_named_but_switches_that_are_off() -> None:
    given = {"piglet": ("goal=4",), "nim": ("heaps=1,2,2",)}
    named = client(*(Exhibit(name, name, given=each) for name, each in given.items()))
    page = text(named.get("/").text)
    assert "goal 4 · players 2" in page
    assert "heaps 1,2,2 · at_once 1" in page
    switched = client(Exhibit("nim", "nim", given=("misere=true",)))
    assert "heaps 1,3,5,7 · misere · at_once 1" in text(switched.get("/").text)


def test_every_game_is_listed_in_its_family() -> None:
    web = client(*(Exhibit(name, name, game.summary) for name, game in GAMES.items()))
    page = web.get("/").text
    assert "goal 100 · players 2 · sides 6" in text(page)
    assert text(page).count("published figure") > 20
    assert sorted(re.findall(r'<li><a href="/g/([^/]*)/">', page)) == sorted(GAMES)
    families = re.findall(r"<h2>(.*?)</h2>", page)
    assert set(families) == set(FAMILIES.values())  # every folder of the collection has a name
    assert page.index(">Dice games</h2>") < page.index(">pig</b>") < page.index(">Races</h2>")


def test_what_a_newcomer_writes_at_the_top_of_a_file_says_what_the_game_is(
    tmp_path: Path,
) -> None:
    file = tmp_path / "coins.py"
    file.write_text(
        '"""Take coins; who takes the last one wins.\n\nNo more than two at once."""\n'
        "from dataclasses import dataclass\nfrom perfectplay import Game\n"
        "@dataclass(frozen=True)\nclass Coins(Game):\n    heap: int = 3\n"
        "    def start(self): return self.heap\n"
        "    def moves(self, p): return range(1, min(p, 2) + 1)\n"
        "    def play(self, p, m): return p - m\n"
    )
    shown = collected([f"{file}:Coins"], [], None, []).exhibits["coins"]
    assert shown.summary == "Take coins; who takes the last one wins."
    said = about(shown.spec, load(shown.spec))
    assert said.rules == ("No more than two at once.",)


def test_games_are_found_by_words() -> None:
    web = client(*(Exhibit(name, name, game.summary) for name, game in GAMES.items()))
    found = re.findall(r'<li><a href="/g/([^/]*)/">', web.get("/?find=coin+PIG").text)
    assert found == ["piglet"]
    assert "No game has these words" in web.get("/?find=quidditch").text
    assert 'value="&lt;b&gt;"' in web.get("/?find=<b>").text
    assert "Find a game" not in client(Exhibit("nim", "nim")).get("/").text


def test_an_error_leads_back_to_the_game() -> None:
    web = client(Exhibit("nim", "nim"))
    for address in ("/g/nim/?line=x", "/g/nim/nowhere", "/g/nim/?with=heaps"):
        page = web.get(address)
        assert page.status_code == 404
        assert '<a href="/g/nim/">Back to nim</a>' in page.text
    assert "Back to" not in web.get("/g/pig/").text
