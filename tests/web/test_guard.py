"""What the server refuses, and what it says then."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient

from perfectplay import Game, solve
from perfectplay.drawing.shapes import harmless, read
from perfectplay.errors import RulesError
from perfectplay.games.heaps.nim import Nim
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.guard import POLICY, Guard


@pytest.fixture(scope="module")
def web() -> TestClient:
    exhibits = {
        "nim": Exhibit("nim", "nim", solution=solve(Nim((1, 2)), plain=True)),
        "piglet": Exhibit("piglet", "piglet"),
    }
    collection = Collection(exhibits, lambda spec, game: None)
    return TestClient(make_app(collection), base_url="http://127.0.0.1", follow_redirects=False)


def test_other_hosts_are_refused(web: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[", "localhost.evil"):
        assert web.get("/", headers={"Host": host}).status_code == 400
    for host in ("127.0.0.1:8737", "localhost:1", "[::1]:99"):
        assert web.get("/", headers={"Host": host}).status_code == 200


def test_other_origins_are_refused(web: TestClient) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:999"):
        assert web.get("/", headers={"Origin": origin}).status_code == 403
    assert web.get("/", headers={"Origin": "http://127.0.0.1"}).status_code == 200


def test_forms_need_the_token(web: TestClient) -> None:
    for data in ({}, {"token": "guess"}):
        answer = web.post("/g/piglet/solve", data=data)
        assert answer.status_code == 403
        assert "reload the page" in answer.text


def test_every_answer_carries_the_policy(web: TestClient) -> None:
    for url in ("/", "/g/nim/", "/static/style.css", "/nothing", "/picture/nim.svg"):
        assert web.get(url).headers["Content-Security-Policy"] == POLICY


@pytest.mark.parametrize(
    "url",
    [
        "/g/unknown/",
        "/g/../../etc/passwd/",
        "/g/%2e%2e%2f%2e%2e%2fetc%2fpasswd/",
        "/g/nim/?at=" + "9" * 2001,
        "/g/nim/?at=nonsense",
        "/g/nim/?at=7%207",
        "/g/nim/?line=99",
        "/g/nim/?line=-1",
        "/g/nim/?line=a.b",
        "/g/nim/?ply=x",
        "/g/nim/?with=heaps%3D9",
        "/g/nim/?click=q",
        "/g/nim/?play=person",
        "/g/nim/?play=perfect,nobody",
        "/g/piglet/?with=goal%3Dmany",
        "/g/piglet/?with=colour%3Dred",
        "/static/app.py",
        "/static/..%2fapp.py",
        "/picture/unknown.svg",
        "/docs",
    ],
)
def test_what_makes_no_sense_is_said_on_a_page(web: TestClient, url: str) -> None:
    answer = web.get(url)
    assert answer.status_code == 404
    assert "That does not work" in answer.text
    assert "Traceback" not in answer.text


def test_data_says_the_same_as_json(web: TestClient) -> None:
    answer = web.get("/api/v1/nim/position?at=nonsense")
    assert answer.status_code == 404
    assert "not a position" in answer.json()["error"]
    assert web.get("/api/v1/piglet/position").status_code == 409


def test_outside_of_loopback_the_token_is_needed_to_read() -> None:
    guard = Guard(frozenset({"testserver"}), locked=True)
    collection = Collection({}, lambda spec, game: None)
    web = TestClient(make_app(collection, guard), base_url="http://testserver")
    assert web.get("/").status_code == 401
    assert web.get("/?token=guess").status_code == 401
    assert web.get(f"/?token={guard.token}").status_code == 200
    assert web.get("/").status_code == 200  # the browser remembers it


@dataclass(frozen=True)
class Hostile(Game):
    """Nothing to play; everything is in the picture."""

    def start(self) -> int:
        return 0

    def moves(self, p: int) -> list[int]:
        return [1] if p == 0 else []

    def play(self, p: int, m: int) -> int:
        return m

    def text(self, p: int) -> str:
        return f"<script>alert({p})</script>"

    def parse(self, s: str) -> int:
        return 0

    def picture(self, p: int) -> str:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)">'
            "<script>alert(2)</script><style>*{display:none}</style>"
            '<a href="javascript:alert(3)"><rect width="9" height="9" fill="red"/></a>'
            '<image href="http://evil.example/x.png"/><use href="#x"/>'
            '<foreignObject><p onclick="alert(4)">x</p></foreignObject>'
            '<rect width="9" height="9" fill="url(http://evil.example/#a)" onclick="alert(5)" '
            'style="fill:url(x)"/><text>&lt;b&gt;</text><animate attributeName="x"/></svg>'
        )


def test_pictures_of_rules_go_through_a_white_list() -> None:
    exhibit = Exhibit("hostile", "hostile", solution=solve(Hostile()))
    web = TestClient(
        make_app(Collection({"hostile": exhibit}, lambda spec, game: None)),
        base_url="http://127.0.0.1",
    )
    page = web.get("/g/hostile/").text
    picture = page.partition('<svg xmlns="http://www.w3.org/2000/svg" class="board"')[2]
    picture = picture.partition("</svg>")[0]
    for word in (
        "script",
        "alert(1)",
        "javascript",
        "evil",
        "onclick",
        "style",
        "image",
        "foreign",
    ):
        assert word not in picture.replace("&lt;script&gt;alert(0)&lt;/script&gt;", "")
    assert "<text>&lt;b&gt;</text>" in picture
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    "picture",
    [
        "no picture",
        "<p/>",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
        "<svg xmlns='http://www.w3.org/2000/svg'>" + "<g>" * 3,
        "<svg>" + "x" * 2_000_001 + "</svg>",
    ],
)
def test_what_is_no_picture_is_an_error_of_the_rules(picture: str) -> None:
    with pytest.raises(RulesError):
        harmless(read(picture))
