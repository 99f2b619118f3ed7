"""Every game has a page: its moves are links, and its value is the one that `probe` gives."""

from __future__ import annotations

import html
import random
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from test_games import SMALL, pairs

from perfectplay import Solution, load, solve
from perfectplay.answer.faces.strata import strata
from perfectplay.errors import TooLargeError
from perfectplay.games import GAMES
from perfectplay.rules.capabilities import own_solver
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game
from perfectplay.rules.load import find
from perfectplay.web import words
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.state import State

PLIES = 6
PAWN = "fen=8/8/8/8/k7/8/P7/K7 w - - 0 1"


def client(*exhibits: Exhibit, **options: Any) -> TestClient:
    collection = Collection(
        {each.key: each for each in exhibits}, lambda spec, game: None, **options
    )
    return TestClient(make_app(collection), base_url="http://127.0.0.1", follow_redirects=False)


def one_of_each() -> list[Game]:
    """The first small game of every class; endings of chess, too."""
    found: dict[type, Game] = {}
    patience = [
        load(name, ["cells=0", "ranks=2"] if name != "yukon" else ["ranks=2"])
        for name in ("freecell", "bakers-game", "yukon")
    ]
    for game in (*SMALL, *patience, load("chess", ["material=KK"]), load("pawn-endings", [PAWN])):
        found.setdefault(type(game), game)
    return list(found.values())


def links(page: str, kind: str = "move") -> dict[int, str]:
    """The addresses of the moves that the list of a page offers, by number."""
    table = page.partition('<table class="moves">')[2].partition("</table>")[0]
    found = re.findall(r'<a class="button" href="([^"]*)" data-move="(\d+)"', table)
    return {int(number): html.unescape(url) for url, number in found}


def test_every_class_of_the_list_has_a_small_game() -> None:
    classes = {find(name) for name in GAMES}
    assert classes <= {type(game) for game in one_of_each()}


@pytest.mark.parametrize("game", one_of_each(), ids=lambda game: type(game).__name__)
def test_page_shows_what_probe_says_and_every_move(game: Game) -> None:
    try:
        solution = solve(game, plain=own_solver(game) is None)
    except TooLargeError:
        pytest.skip("not solved here")
    web = client(Exhibit("game", "game", solution=solution))
    draw, state, p = random.Random(7), State("game"), solution.start
    for _ in range(PLIES):
        answer = web.get(state.url())
        assert answer.status_code == 200, state.url()
        page = answer.text
        mover = solution.to_move(p)
        assert shown_value(solution, p) in html.unescape(page)
        if mover == OVER:
            break
        if mover == CHANCE:
            events = list(solution.events(p))
            assert page.count('<td class="n">') >= len(events)
            number = draw.randrange(len(events))
            p = events[number]
        else:
            moves = pairs(game, p) if mover == SIMULTANEOUS else list(game.moves(p))
            offered = links(page)
            assert sorted(offered) == list(range(len(moves)))
            assert offered == {i: state.after(i).url() for i in offered}
            number = draw.randrange(len(moves))
            p = game.play(p, moves[number])
        state = state.after(number)
    asked = web.get(state.url(ask="strata", hidden=True))
    assert asked.status_code == 200
    kinds = re.findall(r"<td>(recurrent|transitive|not known)", asked.text)
    assert len(kinds) == len(strata(game, p, limit=1).moves)


def shown_value(solution: Solution, p: Any) -> str:
    if solution.to_move(p) == OVER:
        return "Play has ended"
    return words.number(solution.value(p))
