"""The JSON of the server is what commands print, and OpenAPI describes all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from json_types import same_type

from perfectplay import Game, Solution, __version__, load, solve
from perfectplay.cli import main
from perfectplay.schemas import answers, reports, server
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit

PIG = ["pig", "-p", "goal=6"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("data")
    found = {"pig": folder / "pig", "nim": folder / "nim"}
    assert main.run(["solve", *PIG, "--table", str(found["pig"])]) == 0
    assert main.run(["solve", "nim", "-p", "heaps=1,2", "--table", str(found["nim"])]) == 0
    return found


@pytest.fixture(scope="module")
def web(tables: dict[str, Path]) -> TestClient:
    exhibits = {
        key: Exhibit(key, key, f"about {key}", solution=Solution.open(folder))
        for key, folder in tables.items()
    }
    exhibits["piglet"] = Exhibit("piglet", "piglet")
    hanoi = solve(load("hanoi", ["discs=2"]), plain=True)
    exhibits["hanoi"] = Exhibit("hanoi", "hanoi", solution=hanoi)
    collection = Collection(exhibits, lambda spec, game: None)
    return TestClient(
        make_app(collection), base_url="http://127.0.0.1", raise_server_exceptions=False
    )


def printed(command: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert main.run([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("key", "at"),
    [
        ("pig", ""),
        ("pig", "0-0, player 1, total 3"),
        ("pig", "0-0, player 1, total 3, rolling"),
        ("pig", "5-0, player 2, total 2"),
        ("nim", "1 2"),
        ("nim", "0 0"),
    ],
)
def test_positions_and_equations_are_what_commands_print(
    web: TestClient,
    tables: dict[str, Path],
    key: str,
    at: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [str(tables[key]), *([at] if at else [])]
    whole = web.get(f"/api/v1/{key}/position?at={quote(at)}").json()
    assert whole == printed(["probe", *words], capsys)
    same_type(whole, answers.PositionJson)
    assert web.get(f"/api/v1/{key}/explain?at={quote(at)}").json() == printed(
        ["explain", *words], capsys
    )
    moves = web.get(f"/api/v1/{key}/moves?at={quote(at)}").json()
    assert moves == {"position": whole["position"], "moves": whole["moves"]}
    chances = web.get(f"/api/v1/{key}/chances?at={quote(at)}").json()
    assert chances == {"position": whole["position"], "chances": whole["chances"]}
    assert web.get(f"/api/v1/{key}/line?at={quote(at)}&limit=12").json() == whole["line"]


def test_a_line_of_moves_leads_to_a_position(web: TestClient) -> None:
    begun = web.get("/api/v1/nim/position").json()
    after = web.get("/api/v1/nim/position?line=0").json()
    assert after["position"] in [move["position"] for move in begun["moves"]]
    assert web.get("/api/v1/nim/position?line=0.0.0").json()["to_move"] == "over"


def test_charts_are_what_the_command_prints(
    web: TestClient, tables: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = web.get("/api/v1/pig/chart").json()
    assert found == printed(["chart", str(tables["pig"])], capsys)
    fixed = web.get("/api/v1/pig/chart?fix=other score=2&show=value").json()
    command = ["chart", str(tables["pig"]), "--at", "other score=2", "--show", "value"]
    assert fixed == printed(command, capsys)
    same_type(fixed, answers.ChartJson)


def test_the_facts_of_a_game(web: TestClient) -> None:
    facts = web.get("/api/v1/pig").json()
    same_type(facts, server.ShownGameJson)
    assert facts["given"]["goal"] == 6
    assert facts["values"] == "chance to win"
    assert facts["solved"]
    unsolved = web.get("/api/v1/piglet?with=goal=3").json()
    assert (unsolved["solved"], unsolved["positions"]) == (False, None)
    assert unsolved["given"]["goal"] == 3
    same_type(web.get("/api/v1/games").json(), reports.GamesJson)


def test_infinite_numbers_are_text(web: TestClient) -> None:
    same_type(web.get("/api/v1/hanoi/position").json(), answers.PositionJson)


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/api/v1/unknown", 404),
        ("/api/v1/unknown/position", 404),
        ("/api/v1/nim/position?at=nonsense", 404),
        ("/api/v1/nim/position?at=" + "9" * 2001, 422),
        ("/api/v1/nim/position?line=99", 404),
        ("/api/v1/nim/position?line=a", 404),
        ("/api/v1/nim/position?limit=x", 422),
        ("/api/v1/nim/position?limit=100000", 422),
        ("/api/v1/nim/position?with=heaps=9", 404),
        ("/api/v1/piglet/position", 409),
        ("/api/v1/piglet?with=goal=many", 404),
        ("/api/v1/hanoi/chart", 404),
        ("/api/v1/pig/chart?fix=other", 404),
        ("/api/v1/pig/chart?fix=colour=red", 404),
        ("/api/v1/nim/nothing", 404),
        ("/api/nothing", 404),
    ],
)
def test_errors_are_json(web: TestClient, url: str, status: int) -> None:
    answer = web.get(url)
    assert answer.status_code == status
    same_type(answer.json(), server.ErrorJson)
    assert answer.json()["error"]
    assert "Traceback" not in answer.text


@dataclass(frozen=True)
class Faulty(Game):
    """Rules that fail when a page or a program looks at them."""

    def start(self) -> int:
        return 1

    def moves(self, p: int) -> list[int]:
        return [0] if p else []

    def play(self, p: int, m: int) -> int:
        return m

    def player_name(self, i: int) -> str:
        raise RuntimeError("no names")

    def move_text(self, p: int, m: int) -> str:
        raise RuntimeError("no words")


def test_rules_that_fail_are_reported_as_json() -> None:
    exhibit = Exhibit("faulty", "faulty", solution=solve(Faulty()))
    collection = Collection({"faulty": exhibit}, lambda spec, game: None)
    faulty = TestClient(
        make_app(collection), base_url="http://127.0.0.1", raise_server_exceptions=False
    )
    for url in ("/api/v1/faulty/moves", "/uwapi/faulty/regular/positions/?p=1_1"):
        answer = faulty.get(url)
        assert answer.status_code in (422, 500)
        same_type(answer.json(), server.ErrorJson)
        assert "no words" in answer.json()["error"]


def test_only_get_is_allowed(web: TestClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        answer = web.request(method, "/api/v1/nim/position")
        assert answer.status_code == 405
        same_type(answer.json(), server.ErrorJson)


# -- OpenAPI. -------------------------------------------------------------------------------------


def test_openapi_describes_every_field_parameter_and_error(web: TestClient) -> None:
    described = web.get("/api/v1/openapi.json").json()
    assert described["info"] == {"title": "perfectplay", "version": __version__}
    assert all(path.startswith(("/api/", "/uwapi/", "/standard")) for path in described["paths"])
    for name, schema in described["components"]["schemas"].items():
        assert schema.get("description"), name
        for field, inner in schema["properties"].items():
            assert inner.get("description"), f"{name}.{field}"
    for path, operation in operations(described):
        assert operation["description"], path
        answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
        assert "$ref" in answer or "items" in answer, path
        for parameter in operation.get("parameters", []):
            assert parameter["in"] == "path" or parameter["description"], path
        if "{key}" in path:
            assert {"404", "422"} <= operation["responses"].keys(), path


def operations(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        assert methods.keys() == {"get"}, path
        yield path, methods["get"]
