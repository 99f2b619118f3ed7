"""What pages show where raw data would puzzle: noise as nought, events and strata in words, trees,
mixed strategies, published figures, and a first game as a board."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from test_pages import client

from perfectplay import Game, Solution, load, solve
from perfectplay.answer.faces.explain import number_text
from perfectplay.answer.faces.tree import game_tree
from perfectplay.drawing.boards import boards_in
from perfectplay.games import GAMES
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.rules.value import Value
from perfectplay.verification.published.reproduce import figures
from perfectplay.web import render, words
from perfectplay.web.collection import Exhibit
from perfectplay.web.offline.page_table import page_table
from perfectplay.web.trees import MOST, drawn_tree


def shown(name: str, *given: str) -> tuple[Solution, TestClient]:
    solution = solve(load(name, given), plain=True)
    return solution, client(Exhibit("game", name, solution=solution))


@dataclass(frozen=True)
class Tossed(Game):
    """A coin decides between two ends."""

    ends: tuple[Any, ...] = ()

    @property
    def players(self) -> int:  # type: ignore[override]
        return len(self.ends[0]) if isinstance(self.ends[0], tuple) else 2

    def start(self) -> int:
        return -1

    def to_move(self, p: int) -> int:
        return CHANCE if p < 0 else OVER

    def moves(self, p: int) -> list[int]:
        return []

    def chances(self, p: int) -> list[tuple[int, int]]:
        return [(1, 0), (1, 1)]

    def payoff(self, p: int) -> Any:
        return self.ends[p]


def plain(page: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", page)).split())


# -- Values. --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (-1e-15, 2e-15, "0"),
        (1e-15, 2e-15, "1.5e-15"),
        (-0.25, 0.25, "0"),
        (-0.2, 0.3, "0.05"),
        (0.53, 0.53, "0.53"),
    ],
)
def test_noise_around_nought_is_shown_as_nought(lower: float, upper: float, said: str) -> None:
    value = Value("score", lower, upper, "bounds")
    assert words.number(value) == said
    assert number_text(value) == said
    assert str(value).partition(" ± ")[0] == said


def test_the_noise_around_nought_is_not_understated() -> None:
    assert str(Value("score", -1e-15, 3e-15, "bounds")) == "0 ± 3e-15"


def test_values_are_chances_to_win_where_one_player_gets_all() -> None:
    for name, given in (
        ("pig", ("players=3", "goal=3")),
        ("piglet", ("goal=2",)),
        ("flip", ("markers=3",)),  # alone
        ("einstein", ("rows=2", "stones=1")),
    ):
        solution, web = shown(name, *given)
        assert words.unit(solution.facts) == "chance to win", name
        assert "chance to win" in web.get("/g/game/").text


@pytest.mark.parametrize(
    ("ends", "unit"),
    [
        ([(1, 0, 0), (0, 1, 0)], "chance to win"),
        ([(1, 0, 0), (0, 0, 0)], "expected payoff"),
        ([(2, -1, 0), (0, 1, 0)], "expected payoff"),
        ([(3, -2), (0, 1)], "expected points"),
        ([(1, 0), (0, 1)], "chance to win"),
        ([1, -1], "expected points"),
    ],
)
def test_other_payoffs_are_no_chances(ends: list[Any], unit: str) -> None:
    assert words.unit(solve(Tossed(tuple(ends)), plain=True).facts) == unit


def test_the_graph_says_what_its_ends_are() -> None:
    _, web = shown("noughts-and-crosses", "width=2", "line=2")
    page = plain(web.get("/g/game/?line=0").text)
    assert "How the value went, to player 1 win draw loss" in page


def test_events_of_the_main_line_say_what_happens() -> None:
    solution, web = shown("piglet", "goal=2")
    step = solution.line(solution.start, 2).steps[1]
    line = web.get("/g/game/").text.partition("Best play from here")[2]
    assert f"1/2: {step.position}" in plain(line)


def test_numbers_of_strata_that_are_packed_words_are_left_out() -> None:
    solution, web = shown("chess", "material=KK")
    assert solution.game.stratum(solution.start) > 10**6
    assert "Number" not in plain(web.get("/g/game/").text).partition("Stratum")[2]


# -- Both at once. --------------------------------------------------------------------------------


def test_optimal_mixed_strategies_are_named() -> None:
    solution, web = shown("goofspiel", "cards=3", "order=down")
    page = plain(web.get("/g/game/").text)
    for choices, name in zip(
        solution.choices(solution.start), ("player 1", "player 2"), strict=True
    ):
        best = max(choices, key=lambda each: each.probability)
        assert f"{name} at best: {best.text} with " in page
    assert "probability" in page
    assert "costs" not in page
    assert " at best: " not in plain(web.get("/g/game/?hide=1").text)


def test_hands_and_prizes_of_goofspiel_have_names_and_cards_their_place() -> None:
    game = load("goofspiel", ["ties=carry", "aim=win"])
    picture = game.picture(((1, 4), (2, 3), (1,), 4, 5, -2))
    said = re.findall(r">([^<>]+)</text>", picture)
    assert said == [
        "player 1", "1", "4", "prizes to come", "1", "player 2", "2", "3",
        "for 4, 5 carried, lead -2",
    ]  # fmt: skip


# -- Trees. ---------------------------------------------------------------------------------------


def test_a_small_tree_is_drawn_on_the_page_to_its_end() -> None:
    solution, web = shown("nim", "heaps=1,2,2")
    assert 'href="/g/game/?ask=tree"' in web.get("/g/game/").text
    page = web.get("/g/game/?ask=tree").text
    tree = game_tree(solution, solution.start)
    section = page.partition('id="tree"')[2]
    assert "to the end" in section
    assert section.count("<rect") >= sum(1 for _ in tree)
    assert html.escape(str(tree), quote=False) in html.unescape(section).replace(">", "&gt;")
    assert "Game tree" not in web.get("/g/game/?ask=tree&hide=1").text


def test_a_large_tree_is_cut_and_one_of_too_many_moves_refused() -> None:
    large, _ = shown("noughts-and-crosses")
    cut = drawn_tree(large, large.start)
    assert cut.depth == 1
    middle = large.position("XO./.../...")
    deeper = drawn_tree(large, large.position("XOX/OX./..."))
    assert deeper.depth is None
    assert sum(1 for _ in game_tree(large, middle, drawn_tree(large, middle).depth)) <= MOST
    wide, web = shown("nim", f"heaps={MOST + 50}")
    refused = drawn_tree(wide, wide.start)
    assert refused.picture == ""
    assert f"more than {MOST} positions" in refused.refused
    assert "It cannot be drawn" in web.get("/g/game/?ask=tree").text


# -- A first game. --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "board", "said"),
    [
        ("('XO./.../..X', 'X')", ["XO.", "...", "..X"], ["X"]),
        ("(1, 'XO\\n..')", ["XO", ".."], ["1"]),
        ("('..X.O',)", ["..X.O"], []),
    ],
)
def test_a_tuple_with_a_board_in_it_is_a_board(
    text: str, board: list[str], said: list[str]
) -> None:
    found = boards_in(text)
    assert found is not None
    assert found.boards == ([list(row) for row in board],)
    assert found.notes == said


@pytest.mark.parametrize(
    "text", ["('ab', 'cd')", "(('X', 'O'), 1)", "(1, 2)", "('it', \"isn't\")", "('a/b', (1, 2))"]
)
def test_other_tuples_are_not(text: str) -> None:
    assert boards_in(text) is None


@dataclass(frozen=True)
class Rows(Game):
    def start(self) -> Any:
        return "../..", "X"

    def moves(self, p: Any) -> Iterator[int]:
        return (i for i, mark in enumerate(p[0]) if mark == ".")

    def play(self, p: Any, m: int) -> Any:
        return p[0][:m] + p[1] + p[0][m + 1 :], "O" if p[1] == "X" else "X"


def test_a_first_game_is_played_by_clicking_its_board() -> None:
    solution = solve(Rows())
    page = client(Exhibit("game", "game", solution=solution)).get("/g/game/").text
    places = page.partition('class="places"')[2].partition("</g>")[0]
    assert re.findall(r'data-move="(\d)"', places) == ["0", "2", "1", "3"]


def test_places_on_the_board_say_which_moves_are_good() -> None:
    solution = solve(load("noughts-and-crosses"))
    web = client(Exhibit("game", "game", solution=solution))
    marks = r'class="tone (\w+)"'
    page = web.get("/g/game/?line=4.1").text  # one of the seven replies does not win
    assert sorted(re.findall(marks, page)) == ["bad"] + ["good"] * 6
    assert "● best" in page
    assert not re.findall(marks, web.get("/g/game/").text)  # all moves draw
    assert not re.findall(marks, web.get("/g/game/?line=4.1&hide=1").text)


def test_a_man_that_moves_has_the_mark_of_its_best_move() -> None:
    solution = solve(load("chess", ["material=KQK"]))
    web = client(Exhibit("game", "game", solution=solution))
    start = "/g/game/?at=7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
    found = re.findall(r'<circle class="tone good"', web.get(start).text)
    assert len(found) == 2  # the queen, and where she mates; the king's moves only take longer
    places = re.findall(r'class="place" x="([\d.]+)" y="([\d.]+)"', web.get(start).text)
    assert len(set(places)) == len(places)  # king and queen come to a square at one place


# -- Pages to take away, published figures. -------------------------------------------------------


def test_every_position_is_drawn_once() -> None:
    drawn: Counter[Any] = Counter()

    class Counted(Rows):
        def picture(self, p: Any) -> str:
            drawn[p] += 1
            return super().picture(p)

    table = page_table(solve(Counted()))
    assert len(drawn) == len(table["positions"])
    assert set(drawn.values()) == {1}


def test_published_figures_are_named_in_words() -> None:
    assert render.quantity("player-value:2") == "value to player 2"
    assert render.quantity("count:win") == "positions won"
    assert render.quantity("ply:1") == "positions after 1 ply"
    named = {render.quantity(row.quantity) for row in figures() if row.game in GAMES}
    assert not [name for name in named if ":" in name or "player-" in name]


def test_published_figures_say_how_many_there_are_and_what_they_stand_for() -> None:
    found = len(render.published("einstein"))
    assert found > render.MOST_FIGURES
    web = client(Exhibit("einstein", "einstein"), Exhibit("rps", "rock-paper-scissors"))
    page = web.get("/g/einstein/").text
    assert f"{found} that this game is checked against; here are {render.MOST_FIGURES}" in page
    assert page.count("<tr>") == 1 + render.MOST_FIGURES
    assert "players move simultaneously (1/2)" in web.get("/g/rps/").text
