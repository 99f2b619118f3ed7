"""What GamesmanUni asks for is answered as the documentation of its API says."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import fastjsonschema
import pytest
from fastapi.testclient import TestClient
from json_types import same_type

from perfectplay import Solution, load, solve
from perfectplay.games import GAMES
from perfectplay.schemas import server
from perfectplay.web.api.uni_board import UniBoard
from perfectplay.web.api.uni_variant import read, written
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit

SCHEMAS = json.loads((Path(__file__).parent / "uwapi_schemas.json").read_text(encoding="utf-8"))
GIVEN = {
    "noughts-and-crosses": [],
    "nim": ["heaps=1,2,2"],
    "morris": ["rings=1", "men=3"],
    "ovid": [],
    "kalah": ["pits=2", "seeds=2"],
    "connect": ["width=3", "height=3"],
    "clobber": [],
    "subtraction": [],
    "mu-torere": [],
    "hanoi": ["discs=3"],
    "sliding": ["width=2", "height=2"],
}
WORDS = {"win": 1, "tie": 0, "draw": 0, "lose": -1}


@cache
def schema(name: str) -> Any:
    return fastjsonschema.compile({**SCHEMAS[name], "definitions": SCHEMAS["definitions"]})


@cache
def solution(key: str) -> Solution:
    return solve(load(key, GIVEN[key]), plain=True)


@pytest.fixture(scope="module")
def web() -> TestClient:
    exhibits = {name: Exhibit(name, name, game.summary) for name, game in GAMES.items()}
    exhibits |= {key: Exhibit(key, key, solution=solution(key)) for key in GIVEN}
    collection = Collection(exhibits, lambda spec, game: None)
    return TestClient(make_app(collection), base_url="http://127.0.0.1")


def asked(web: TestClient, name: str, url: str) -> Any:
    """An answer, which is as the documentation and as our own type say."""
    answer = web.get(url)
    assert answer.status_code == 200, answer.text
    schema(name)(answer.json())
    return answer.json()


def test_the_list_has_games_without_chance(web: TestClient) -> None:
    found = asked(web, "games", "/uwapi/")
    same_type(found, list[server.UniListedGameJson])
    kinds = {each["id"]: each["type"] for each in found}
    assert kinds["nim"] == "twoPlayer"
    assert kinds["hanoi"] == "onePlayer"
    assert not kinds.keys() & {"pig", "yahtzee", "einstein", "backgammon-race", "memory"}
    guis = {each["id"]: each["gui"] for each in found}
    assert (guis["noughts-and-crosses"], guis["nim"]) == ("v1", "v0")
    assert [each["name"] for each in found] == sorted(each["name"] for each in found)


@pytest.mark.parametrize("key", GIVEN)
def test_every_game_answers_as_documented(web: TestClient, key: str) -> None:
    game = asked(web, "game", f"/uwapi/{key}/")
    same_type(game, server.UniGameJson)
    variant = asked(web, "variant", f"/uwapi/{key}/{game['variants'][0]['id']}/")
    same_type(variant, server.UniVariantJson)
    same_type(
        asked(web, "instructions", f"/uwapi/{key}/regular/instructions/?lang=es"),
        server.UniInstructionsJson,
    )
    draw, p = random.Random(1), variant["startPosition"]
    for _ in range(30):
        found = asked(web, "positions", f"/uwapi/{key}/regular/positions/?p={p}")
        same_type(found, server.UniPositionJson)
        assert found["position"] == p
        assert found == asked(web, "positions", f"/uwapi/{key}/regular/positions/?p={quote(p)}")
        lawful(found, puzzle=solution(key).game.players == 1)
        drawable(found, variant)
        if not found["moves"]:
            assert found["remoteness"] in (0, -200)
            break
        p = draw.choice(found["moves"])["position"]


def test_every_game_of_the_list_has_a_first_position(web: TestClient) -> None:
    for game in asked(web, "games", "/uwapi/"):
        url = f"/uwapi/{game['id']}/regular/"
        variant = asked(web, "variant", url)
        assert variant["gui"] == game["gui"]
        found = asked(web, "positions", f"{url}positions/?p={variant['startPosition']}")
        assert found["autoguiPosition"] == variant["autoguiStartPosition"]
        assert found["moves"], game["id"]


def lawful(found: dict[str, Any], *, puzzle: bool) -> None:
    """Values and remoteness follow from those of the moves."""
    if not found["moves"] or puzzle:
        return
    turn = found["position"][0]
    best = found["moves"][0]
    assert best["moveValue"] == found["positionValue"]
    order = ["win", "tie", "draw", "lose"]
    ranks = [(order.index(m["moveValue"]), m["deltaRemoteness"]) for m in found["moves"]]
    assert ranks == sorted(ranks)
    assert all(move["deltaRemoteness"] >= 0 for move in found["moves"])
    if found["remoteness"] > 0:
        assert best["remoteness"] == found["remoteness"] - 1
        assert best["deltaRemoteness"] == 0
    for move in found["moves"]:
        if "winby" not in move:
            sign = 1 if move["position"][0] == turn else -1
            assert WORDS[move["moveValue"]] == sign * WORDS[move["positionValue"]]


def drawable(found: dict[str, Any], variant: dict[str, Any]) -> None:
    """Moves have buttons of their own, at places that there are."""
    buttons = [move["autoguiMove"] for move in found["moves"]]
    if variant["gui"] == "v0":
        assert found["autoguiPosition"] == found["position"]
        return
    assert len(set(buttons)) == len(buttons)
    centers = variant["imageAutoGUIData"]["themes"]["text"]["centers"]
    board, *marks = found["autoguiPosition"][2:].split("~")
    assert len(board) == len(centers)
    assert board.count(".") == len(marks)
    for button in buttons:
        if button[:2] in ("A_", "M_"):
            places = [int(each) for each in button.split("_") if each.isdigit()]
            assert all(place < len(centers) for place in places)


def test_values_are_those_of_the_solution(web: TestClient) -> None:
    for key in ("nim", "ovid", "mu-torere"):
        own = solution(key)
        start = asked(web, "variant", f"/uwapi/{key}/regular/")["startPosition"]
        found = asked(web, "positions", f"/uwapi/{key}/regular/positions/?p={start}")
        value = own.value(own.start)
        assert WORDS[found["positionValue"]] == value.lower
        assert found["remoteness"] == (-200 if value.depth is None else value.depth)


def test_ties_end_and_draws_do_not(web: TestClient) -> None:
    url = "/uwapi/noughts-and-crosses/regular/positions/?p="
    begun = asked(web, "positions", url + "1_.../.../...")
    assert (begun["positionValue"], begun["remoteness"]) == ("tie", -100)
    ended = asked(web, "positions", url + "2_XOX/XXO/OXO")
    assert (ended["positionValue"], ended["remoteness"], ended["moves"]) == ("tie", 0, [])
    start = asked(web, "variant", "/uwapi/mu-torere/regular/")["startPosition"]
    endless = asked(web, "positions", f"/uwapi/mu-torere/regular/positions/?p={start}")
    assert (endless["positionValue"], endless["remoteness"]) == ("draw", -200)


def test_points_are_won_by(web: TestClient) -> None:
    own = solution("kalah")
    assert asked(web, "game", "/uwapi/kalah/")["supportsWinBy"]
    start = asked(web, "variant", "/uwapi/kalah/regular/")["startPosition"]
    found = asked(web, "positions", f"/uwapi/kalah/regular/positions/?p={start}")
    assert found["winby"] == own.value(own.start).exact


def test_puzzles_count_moves(web: TestClient) -> None:
    start = asked(web, "variant", "/uwapi/hanoi/regular/")["startPosition"]
    found = asked(web, "positions", f"/uwapi/hanoi/regular/positions/?p={start}")
    assert (found["positionValue"], found["remoteness"]) == ("win", 7)
    assert [move["moveValue"] for move in found["moves"]] == ["win", "tie"]


def test_games_without_a_table_have_moves_all_the_same(web: TestClient) -> None:
    url = "/uwapi/domineering/rows=2;columns=2"
    start = asked(web, "variant", f"{url}/")["startPosition"]
    found = asked(web, "positions", f"{url}/positions/?p={start}")
    assert (found["positionValue"], found["remoteness"]) == ("unsolved", -100)
    assert len(found["moves"]) == 2
    assert {move["moveValue"] for move in found["moves"]} == {"unsolved"}


@pytest.mark.parametrize(
    "url",
    [
        "/uwapi/pig/",
        "/uwapi/unknown/",
        "/uwapi/nim/heaps=1/",
        "/uwapi/domineering/rows=many/",
        "/uwapi/nim/regular/positions/",
        "/uwapi/nim/regular/positions/?p=",
        "/uwapi/nim/regular/positions/?p=1 2",
        "/uwapi/nim/regular/positions/?p=1_nonsense",
        "/uwapi/nim/regular/positions/?p=1_9_9_9",
        "/uwapi/nim/regular/positions/?p=1_" + "9" * 2000,
        "/uwapi/domineering/regular/positions/?p=1_nonsense",
        "/uwapi/nim/regular/nothing/",
    ],
)
def test_errors_are_json(web: TestClient, url: str) -> None:
    answer = web.get(url)
    assert answer.status_code in (404, 422)
    same_type(answer.json(), server.ErrorJson)


def test_positions_survive_addresses() -> None:
    draw = random.Random(3)
    letters = "aZ09 _!#&+%?=:;/\\'\"<>~|.,*()[]{}\u00e9\u2192\U0001f3b2\n\t"
    for _ in range(300):
        text = "".join(draw.choices(letters, k=draw.randrange(1, 20)))
        shown = written(1, text)
        assert read(shown) == (1, text)
        assert set(shown) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-./,*()|_!")  # fmt: skip


def test_boards_are_read_from_texts() -> None:
    board = UniBoard("X.O/... to move X")
    assert board.position(1, "X.O/... to move X") == "2_.-.---~X~O"
    moves = [("a", "X.O/X.."), ("b", ".XO/..."), ("c", "XXX/XXX"), ("A_1_2", "X.O/O.O")]
    assert board.moves("X.O/...", moves) == ["A_-_3_-", "M_0_1_-", "c", "move A_1_2"]
    twice = [("a", "X.O/X.."), ("b", "X.O/O..")]
    assert board.moves("X.O/...", twice) == ["a", "b"]  # one button cannot stand for both
    for words in ("1 2 3", ".../... .../...", "#./.."):
        assert not UniBoard(words).drawn, words
    assert UniBoard("8/8/4k3/8").drawn  # a FEN is a board
