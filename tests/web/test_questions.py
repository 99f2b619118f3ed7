"""What a page answers beyond moves: charts with links, other parameters, strata, ties, coalitions,
who plays, and what mistakes cost."""

from __future__ import annotations

import html
import re
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from perfectplay import Game, Solution, load, sided, solve
from perfectplay.answer.faces.match import PlayedPosition, mistakes, replay
from perfectplay.answer.faces.strata import strata
from perfectplay.cli.exploring import collected
from perfectplay.drawing.boards import text_picture
from perfectplay.rules.game import OVER
from perfectplay.rules.value import Value
from perfectplay.web import board
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.guard import Guard
from perfectplay.web.state import State, from_query

SOLVED = {
    "piglet": ("goal=4",),
    "nim": ("heaps=1,2,2",),
    "mu-torere": ("points=6",),
    "pig": ("goal=5", "players=3"),
}


@pytest.fixture(scope="module")
def solutions() -> dict[str, Solution]:
    found = {}
    for name, given in SOLVED.items():
        game = load(name, given)
        found[str(game)] = solve(game, exact=name == "piglet", plain=True)
    return found


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard()


@pytest.fixture(scope="module")
def web(solutions: dict[str, Solution], guard: Guard) -> TestClient:
    """A server that has a table of each of these games, and of none with other parameters."""
    shown = {name: Exhibit(name, name, given=given) for name, given in SOLVED.items()}
    collection = Collection(shown, lambda spec, game: solutions.get(str(game)))
    return served(collection, guard)


def served(collection: Collection, guard: Guard | None = None) -> TestClient:
    app = make_app(collection, guard)
    return TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)


def table(solution: Solution, key: str = "game") -> TestClient:
    """A server of one table."""
    shown = {key: Exhibit(key, key, solution=solution)}
    return served(Collection(shown, lambda spec, game: None))


def text(page: str) -> str:
    """What a page says, without its tags."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)))


# -- Charts. --------------------------------------------------------------------------------------


def cells(page: str) -> dict[str, str]:
    """The cells of a chart: where each leads, by its words."""
    drawn = page.partition('<div class="chart">')[2].partition("</svg>")[0]
    found = re.findall(r'<a href="([^"]*)"><title>([^<]*)</title>', drawn)
    return {html.unescape(words): html.unescape(url) for url, words in found}


def test_every_cell_of_a_chart_leads_to_its_position(
    web: TestClient, solutions: dict[str, Solution]
) -> None:
    solution = solutions[str(load("piglet", ["goal=4"]))]
    page = web.get("/g/piglet/chart?show=value").text
    expected = solution.chart(show="value")
    found = cells(page)
    assert sorted(found) == sorted(expected.words(cell) for cell in expected.cells.values())
    for cell in expected.cells.values():
        url = found[expected.words(cell)]
        assert parse_qs(urlsplit(url).query)["at"] == [cell.position]
        assert str(cell.at[0]) in expected.words(cell)
    last = web.get(found[expected.words([*expected.cells.values()][-1])])
    assert last.status_code == 200
    assert html.escape([*expected.cells.values()][-1].position) in last.text


def test_axes_of_a_chart_are_fixed_and_chosen(web: TestClient) -> None:
    page = web.get("/g/piglet/chart?show=move&axis1=2").text
    assert "other score: fixed at 2" in text(page)
    assert "turn total: drawn" in text(page)
    some = cells(web.get("/g/piglet/chart?show=value&axis0=0..1&axis1=0,3").text)
    assert len(some) == 4
    lines = cells(web.get("/g/piglet/chart?axis1=2").text)
    assert all("hold" in words for words in lines)
    refused = web.get("/g/piglet/chart?axis0=nothing")
    assert refused.status_code == 404
    assert "not on the axis" in refused.text


def test_large_charts_are_thinned_and_say_so() -> None:
    web = table(solve(load("egg-dropping", ["eggs=2", "floors=90"])))
    page = web.get("/g/game/chart").text
    assert "every third value of floors" in text(page)
    assert len(cells(page)) <= 40 * 40


def test_a_game_without_a_chart_says_so(web: TestClient) -> None:
    assert "/chart" not in web.get("/g/mu-torere/").text
    assert "has no chart" in web.get("/g/mu-torere/chart").text


def test_hidden_values_hide_the_chart(web: TestClient) -> None:
    page = web.get("/g/piglet/chart?hide=1").text
    assert not cells(page)
    assert 'href="/g/piglet/chart"' in page


# -- What if. -------------------------------------------------------------------------------------


def test_the_form_of_parameters_leads_to_a_comparison(web: TestClient) -> None:
    page = web.get("/g/piglet/compare").text
    assert re.search(r'<input name="to.goal" value="4" type="number"', page)
    assert '<select name="to.misere">' in web.get("/g/nim/compare").text
    answer = web.get("/g/piglet/what-if?to.goal=6&to.players=2&at=0-0")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/g/piglet/compare?versus=goal%3D6&at=0-0"
    usual = web.get("/g/piglet/what-if?to.goal=10")  # not what the command line gave
    assert usual.headers["location"] == "/g/piglet/compare?versus=goal%3D10"
    nothing = web.get("/g/nim/what-if?to.heaps=3&to.takes=")
    assert nothing.headers["location"] == "/g/nim/compare?versus=heaps%3D3"
    wrong = web.get("/g/piglet/compare?versus=goal%3Dmany")
    assert wrong.status_code == 404
    assert "expected an integer" in wrong.text


def test_another_game_is_solved_in_the_background_and_compared(
    web: TestClient, guard: Guard, solutions: dict[str, Solution]
) -> None:
    here = "/g/piglet/compare?versus=goal%3D2&at=0-0%2C+player+1%2C+total+1"
    page = web.get(here).text
    assert "Solve it now" in page
    do = html.unescape(re.findall(r'<form method="post" action="([^"]*)"', page)[0])
    assert web.post(do, data={"which": "versus"}).status_code == 403
    answer = web.post(do, data={"which": "versus", "token": guard.token})
    assert answer.status_code == 303
    assert answer.headers["location"] == here
    for _ in range(200):
        page = web.get(here).text
        if "Not solved yet" not in page:
            break
        time.sleep(0.05)
    ours = solutions[str(load("piglet", ["goal=4"]))]
    theirs = solve(load("piglet", ["goal=2"]), exact=True)  # as the game it is compared with is
    said = text(page)
    assert str(ours.value(ours.start).lower) in said
    assert str(theirs.value(theirs.start).lower) in said
    at = "0-0, player 1, total 1"
    for shown, p in ((at, at), ("the start", ours.game.text(ours.start))):
        values = [Fraction(each.value(each.position(p)).lower) for each in (theirs, ours)]
        assert f"{shown} +{values[0] - values[1]}" in said


def test_a_position_that_does_not_arise_in_both_says_so(web: TestClient) -> None:
    page = web.get("/g/nim/compare?versus=heaps%3D1,2,2&at=1+2+3").text
    assert text(page).count("This position does not arise here.") == 2
    same = web.get("/g/nim/compare?versus=heaps%3D1,2,2&at=0+2+2").text
    assert "the start the same" in text(same)
    assert "0 2 2 the same" in text(same)


def test_tables_of_fractions_are_opened(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFECTPLAY_TABLES", str(tmp_path))
    game = load("piglet", ["goal=2"])
    shown = collected(["piglet"], ["goal=2"], None, [])
    assert shown.open("piglet").solution is None
    solve(game, tmp_path / "piglet-goal=2-exact", exact=True)
    opened = collected(["piglet"], ["goal=2"], None, []).open("piglet").solution
    assert opened is not None
    assert opened.value(opened.start).exact == Fraction(4, 7)


def test_a_table_has_no_other_parameters() -> None:
    web = table(solve(load("nim", ["heaps=1,2"])))
    assert "/compare" not in web.get("/g/game/").text
    assert "a table has its own parameters" in web.get("/g/game/compare").text


# -- Strata. --------------------------------------------------------------------------------------


def test_moves_are_marked_as_recurrent_or_transitive(
    web: TestClient, solutions: dict[str, Solution]
) -> None:
    page = web.get("/g/mu-torere/").text
    assert "recurrent" not in page
    asked = html.unescape(re.findall(r'href="([^"]*ask=strata[^"]*)"', page)[0])
    solution = solutions[str(load("mu-torere", ["points=6"]))]
    found = strata(solution.game, solution.start)
    marked = re.findall(r"<td>((?:recurrent|transitive)[^<]*)</td>", web.get(asked).text)
    assert sorted(marked) == sorted(f"{move.word}, to {move.stratum}" for move in found.moves)
    assert "Bellman 1965" in web.get(asked).text
    after = State("mu-torere", ask="strata").after(0)
    assert after.ask == ""


def test_events_are_marked_too(web: TestClient) -> None:
    page = web.get("/g/piglet/?line=0&ask=strata&hide=1").text
    assert page.count("<td>recurrent</td>") + page.count("<td>transitive, to ") == 2


# -- Several players. -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Coin(Game):
    """Player 1 gives a coin to player 2 or to player 3, who takes it."""

    players = 3

    def start(self) -> str:
        return "1"

    def to_move(self, p: str) -> int:
        return OVER if p.endswith("!") else int(p) - 1

    def moves(self, p: str) -> Any:
        return ("2", "3") if p == "1" else ("take",)

    def play(self, p: str, m: str) -> str:
        return f"{p}!" if m == "take" else m

    def payoff(self, p: str) -> tuple[int, ...]:
        return tuple(int(p[0] == str(i + 1)) for i in range(3))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("first", "the first of them in the order of the rules"),
        ("average", "each of them with the same chance"),
        ("lexicographic", "the one that gives most to who comes next"),
        ("against:3", "the one that gives the least to player 3"),
    ],
)
def test_ties_say_what_they_mean_to_the_others(rule: str, words: str) -> None:
    said = text(table(solve(Coin(), ties=rule)).get("/g/game/").text)
    assert "2 moves are equally good for player 1." in said
    assert "player 2 gets 0 after 3, 1 after 2." in said
    assert "player 3 gets 0 after 2, 1 after 3." in said
    assert f"Solved as if player 1 made {words}." in said
    assert said.count("best, tied") == 2


def test_moves_of_three_players_have_a_value_for_each(
    web: TestClient, solutions: dict[str, Solution]
) -> None:
    page = web.get("/g/pig/?line=0.1").text
    solution = solutions[str(load("pig", SOLVED["pig"]))]
    now = replay(solution, solution.start, (0, 1))[-1]
    rows = re.findall(r'data-move="\d+">([^<]*)</a></td>\s*((?:<td class="n">[^<]*</td>)+)', page)
    assert len(rows) == len(solution.moves(now.position)) == 2
    for (move, shown), expected in zip(rows, solution.moves(now.position), strict=True):
        numbers = [float(Fraction(each)) for each in re.findall(r">([^<]+)</td>", shown)]
        assert move == expected.text
        assert numbers == pytest.approx([float(v) for v in expected.values], rel=1e-5)
    assert page.count('<select name="play">') == 3


def test_coalitions_are_named() -> None:
    rules = load("pig", ["goal=3", "players=3"])
    said = text(table(solve(sided(rules, "2+3"))).get("/g/game/").text)
    assert "player 2 and player 3 : the most for player 2 and player 3 together" in said
    said = text(table(solve(sided(rules, "2:-1"))).get("/g/game/?line=0.0").text)
    assert "player 2 : the least for player 1" in said
    assert "player 2 (for player 2 (for another aim)) to move" in said


# -- Playing. -------------------------------------------------------------------------------------


def test_forms_name_a_player_for_each_side() -> None:
    query = parse_qs("play=person&play=skill&play=stubborn&skill=85")
    assert from_query("pig", query).roles == ("person", "skill:85", "stubborn")
    assert from_query("pig", parse_qs("play=person,perfect")).roles == ("person", "perfect")


def test_three_sides_are_played(web: TestClient) -> None:
    url = "/g/pig/?play=person&play=random&play=skill&skill=50&seed=4"
    page = web.get(url)
    assert page.status_code == 200
    moved = web.get("/g/pig/?play=person%2Crandom%2Cskill%3A50&seed=4&line=0.0")
    assert moved.status_code == 303
    after = web.get(moved.headers["location"]).text
    assert "player 1 to move" in after or "Play has ended" in after
    assert "player 3: skill:50" in text(after)
    assert web.get("/g/pig/?play=person,perfect,skill:200").status_code == 404
    assert web.get("/g/pig/?play=person,perfect&line=0.1&ply=1").status_code == 404


def test_games_between_programs_are_watched_move_by_move(web: TestClient) -> None:
    urls = ["/g/nim/?play=perfect,random&seed=2"]
    while len(urls) < 12:
        page = web.get(urls[-1])
        assert page.status_code == 200
        found = re.findall(r'data-key="n" href="([^"]*)"', page.text)
        if not found:
            break
        urls.append(html.unescape(found[0]))
    assert "Play has ended" in page.text
    assert parse_qs(urlsplit(urls[-1]).query)["line"][0].count(".") == len(urls) - 2
    assert web.get("/g/piglet/?play=perfect,perfect&line=0").text.count('data-key="n"') == 1


def test_hidden_values_are_nowhere_on_the_page(web: TestClient) -> None:
    for line in ("", "?line=0", "?line=0.1"):
        page = web.get(f"/g/piglet/{line}{'&' if line else '?'}hide=1").text
        assert "Values are hidden." in page
        for word in ("f(", "±", 'class="history"', "costs", "Best play", 'class="value"'):
            assert word not in page, (line, word)


def test_mistakes_cost_exact_fractions(web: TestClient, solutions: dict[str, Solution]) -> None:
    solution = solutions[str(load("piglet", ["goal=4"]))]
    line = (0, 1, 1)  # roll, heads, hold at once
    [found] = mistakes(solution, replay(solution, solution.start, line))
    best, held = solution.moves(replay(solution, solution.start, line[:2])[-1].position)
    assert found.exact == Fraction(best.value.lower) - Fraction(held.value.lower) > 0
    page = text(web.get("/g/piglet/?line=0.1.1").text)
    assert f"player 1 hold roll {found.exact}" in page
    assert f"player 1: 1 mistake, {found.exact} in all" in page
    before = text(web.get("/g/piglet/?line=0.1").text)
    assert f"loses {found.exact}" in before


# -- The rest of the page. ------------------------------------------------------------------------


def test_pages_have_the_rules_of_the_game(web: TestClient) -> None:
    for address in ("/g/nim/", "/g/nim/?with=heaps%3D1,1"):  # solved, and not
        page = web.get(address).text
        assert "<h2>Rules</h2>" in page
        assert "who cannot take loses" in text(page).lower()


def test_bounds_beside_fractions_can_be_solved_again(guard: Guard) -> None:
    """A table of bounds is compared as it is, with a button that solves it in fractions."""
    tables = {
        str(load("piglet", [f"goal={goal}"])): solve(
            load("piglet", [f"goal={goal}"]), exact=goal == 2, plain=True
        )
        for goal in (2, 3)
    }
    collection = Collection(
        {"piglet": Exhibit("piglet", "piglet", given=("goal=2",))},
        lambda spec, game: tables.get(str(game)),
    )
    web = served(collection, guard)
    here = "/g/piglet/compare?versus=goal%3D3"
    page = web.get(here).text
    assert "Known within bounds; the other game is solved in fractions." in page
    assert page.count("Solve it in fractions") == 1
    do = html.unescape(re.findall(r'<form method="post" action="([^"]*)"', page)[0])
    assert web.post(do, data={"which": "versus", "token": guard.token}).status_code == 303
    for _ in range(400):
        page = web.get(here).text
        if "Known within bounds" not in page:
            break
        time.sleep(0.05)
    theirs = solve(load("piglet", ["goal=3"]), exact=True, plain=True)
    assert str(theirs.value(theirs.start).lower) in text(page)


def test_the_graph_has_a_band_where_values_are_bounded() -> None:
    def at(ply: int, low: float, high: float) -> PlayedPosition:
        other = Value("chance", 1 - high, 1 - low, "bounds")
        return PlayedPosition(ply, ply, 0, (Value("chance", low, high, "bounds"), other), None)

    wide = [at(0, 0.2, 0.6), at(1, 0.3, 0.5)]
    narrow = [at(0, 0.4, 0.4001), at(1, 0.4, 0.4)]
    names = ["player 1", "player 2"]
    state = State("g", line=(0,))
    assert 'class="band"' in board.history(wide, state, (0.0, 1.0), names)
    assert 'class="band"' not in board.history(narrow, state, (0.0, 1.0), names)


def test_more_than_two_players_have_a_line_each_in_the_graph(web: TestClient) -> None:
    assert web.get("/g/pig/?line=0.1").text.count('<g class="curve') == 3
    assert web.get("/g/piglet/?line=0.1").text.count('<g class="curve') == 1


def test_undo_jump_and_branches_work_through_chance(web: TestClient) -> None:
    state = State("piglet", line=(0, 1, 0, 1)).jump(2)
    page = web.get(state.url()).text
    assert 'aria-current="step">1/2: 0-0, player 1, total 1<' in page
    other = state.after(1)
    assert other.branches == ((0, 1, 0, 1),)
    page = web.get(other.url()).text
    assert "another line of 4 moves, from move 3 on" in page
    back = other.along(other.branches[0])
    assert back.line == (0, 1, 0, 1)
    assert web.get(back.url()).status_code == 200


@pytest.mark.parametrize(
    ("words", "boxes"),
    [(".O.....", 7), ("T.T.F", 5), ("XO./.X./..O", 9), ("player_1", 0), ("3.14", 0), ("XO", 0)],
)
def test_rows_in_a_text_are_drawn_as_cells(words: str, boxes: int) -> None:
    assert text_picture(words).count('rx="3"') == boxes
