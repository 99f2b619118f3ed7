"""What the server refuses, and what it says then."""

from __future__ import annotations

import asyncio
import re
import socket
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient

from perfectplay import Game, solve
from perfectplay.drawing.shapes import harmless, read
from perfectplay.errors import RulesError, UsageError
from perfectplay.games.heaps.nim import Nim
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.guard import POLICY, Doorkeeper, Guard
from perfectplay.web.serve import guard_for, is_loopback, listening, printed_address


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


def test_refusals_are_pages_for_browsers_that_say_what_to_do(web: TestClient) -> None:
    browser = {"Accept": "text/html,*/*;q=0.8", "Host": "<b>.evil"}
    answer = web.get("/", headers=browser)
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "<h1>That does not work</h1>" in answer.text
    assert "open the address that the server printed" in answer.text
    assert "&lt;b&gt;.evil" in answer.text
    assert "<link" not in answer.text  # that would be refused as well
    program = web.get("/", headers={"Origin": "http://evil.example"})
    assert program.headers["Content-Type"].startswith("text/plain")
    assert "requests of other sites are refused" in program.text


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


def locked(guard: Guard, base: str, **options: Any) -> TestClient:
    """A client of a server that is not on loopback alone."""
    collection = Collection({}, lambda spec, game: None)
    return TestClient(make_app(collection, guard), base_url=base, **options)


def test_outside_of_loopback_the_token_is_needed_to_read() -> None:
    guard = guard_for("0.0.0.0", None)
    web = locked(guard, "http://192.0.2.7:8737", follow_redirects=False)
    for url in ("/", "/?token=guess", "/?token=", "/api/v1/games", "/static/style.css"):
        assert web.get(url).status_code == 401
    assert "the address that the server printed" in web.get("/").text
    assert web.post(f"/g/nim/solve?token={guard.token}").status_code == 401
    entered = web.get(f"/g/nim/?line=0.1&token={guard.token}&at=1+2")
    assert entered.status_code == 303
    assert entered.headers["Location"] == "/g/nim/?line=0.1&at=1+2"  # the token is not kept there
    cookie = entered.headers["Set-Cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert web.get("/").status_code == 200  # the browser remembers it
    other = locked(guard, "http://192.0.2.7:8737")
    assert other.get("/", headers={"Cookie": f"{guard.cookie}=guess"}).status_code == 401


def test_a_redirect_of_the_token_stays_on_this_server() -> None:
    guard = guard_for("0.0.0.0", None)
    web = locked(guard, "http://192.0.2.7", follow_redirects=False)
    answer = web.get(f"http://192.0.2.7//evil.example/?token={guard.token}")
    assert answer.headers["Location"] == "/evil.example/"


def test_other_names_are_refused_with_the_token_too() -> None:
    everywhere, one = guard_for("0.0.0.0", None), guard_for("192.0.2.7", None)
    for guard, host, status in (
        (everywhere, "evil.example", 400),
        (everywhere, "198.51.100.1", 303),
        (one, "198.51.100.1", 400),
        (one, "192.0.2.7:8737", 303),
    ):
        web = locked(guard, "http://192.0.2.7", follow_redirects=False)
        answer = web.get(f"/?token={guard.token}", headers={"Host": host})
        assert answer.status_code == status, host


def test_loopback_needs_no_token_unless_one_is_given() -> None:
    for host in ("127.0.0.1", "127.0.0.2", "localhost", "::1"):
        assert is_loopback(host)
        assert not guard_for(host, None).locked
        assert guard_for(host, "a-token-of-my-own").locked
    for host in ("0.0.0.0", "192.0.2.7", "::", "example.org"):
        assert not is_loopback(host)
        assert guard_for(host, None).locked
    assert guard_for("127.0.0.1", None).token != guard_for("127.0.0.1", None).token


def test_tokens_that_can_be_guessed_are_refused() -> None:
    with pytest.raises(UsageError, match="can be guessed"):
        guard_for("192.0.2.7", "short")
    with pytest.raises(UsageError, match="letters, digits"):
        guard_for("192.0.2.7", "a token; with others")


def test_the_printed_address_brings_the_token() -> None:
    guard = guard_for("192.0.2.7", "a-token-of-my-own")
    address = printed_address(guard, "192.0.2.7", 8737, "/g/nim/")
    assert address == "http://192.0.2.7:8737/g/nim/?token=a-token-of-my-own"
    plain = guard_for("::1", None)
    assert printed_address(plain, "::1", 1, "/") == "http://[::1]:1/"


def test_who_hears_of_the_address_is_answered() -> None:
    with (
        listening("127.0.0.2", 0) as door,
        socket.create_connection(door.getsockname(), 5),
        pytest.raises(UsageError, match="cannot be used"),
    ):
        listening("127.0.0.2", door.getsockname()[1])
    with pytest.raises(UsageError, match=r"cannot be used|no address"):
        listening("192.0.2.7", 0)


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers when it is told to."""
    await scope["go_on"].wait()
    await PlainTextResponse("done")(scope, receive, send)


async def ask(door: Doorkeeper, go_on: asyncio.Event) -> int:
    """The status of an answer."""
    scope = {
        "type": "http", "method": "GET", "path": "/", "query_string": b"", "go_on": go_on,
        "headers": [(b"host", b"127.0.0.1")],
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    await door(scope, receive, send)
    assert [each["type"] for each in sent].count("http.response.start") == 1
    names = [name for name, _ in sent[0]["headers"]]
    assert b"content-security-policy" in names
    return int(sent[0]["status"])


def test_too_many_at_a_time_are_told_to_come_again() -> None:
    async def run() -> None:
        door, go_on = Doorkeeper(slow, Guard(), most=2), asyncio.Event()
        inside = [asyncio.ensure_future(ask(door, go_on)) for _ in range(2)]
        await asyncio.sleep(0)
        assert await ask(door, go_on) == 429
        go_on.set()
        assert [await each for each in inside] == [200, 200]
        assert await ask(door, go_on) == 200

    asyncio.run(run())


def test_what_takes_too_long_is_given_up_but_counts_until_it_ends() -> None:
    async def run() -> None:
        door, go_on = Doorkeeper(slow, Guard(), most=1, deadline=0.02), asyncio.Event()
        assert await ask(door, go_on) == 503
        assert await ask(door, go_on) == 429
        go_on.set()
        await asyncio.sleep(0.01)
        assert await ask(door, go_on) == 200

    asyncio.run(run())


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
            'style="fill:url(x)"/><text>&lt;b&gt;</text><animate attributeName="x"/>'
            '<set attributeName="onmouseover" to="alert(6)"/><iframe src="//evil.example"/>'
            '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(7)</x:script>'
            '<rect xlink:href="javascript:alert(8)" xmlns:xlink="http://www.w3.org/1999/xlink"/>'
            '<g filter="url(#f)" mask="url(http://evil.example)" transform="evil(1)">'
            '<path d="M0 0" fill="\\75rl(evil)" stroke="URL(evil)"/></g>'
            '<text font-family="x&quot; onload=&quot;alert(9)">&#60;script&#62;</text></svg>'
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
        "<script",
        "alert(1)",
        "alert(7)",
        "alert(9)",
        "url(",
        "javascript",
        "evil",
        "onclick",
        "style",
        "image",
        "foreign",
    ):
        assert word not in picture.replace("&lt;script&gt;alert(0)&lt;/script&gt;", "")
    assert "<text>&lt;b&gt;</text>" in picture
    assert "&lt;script&gt;" in picture  # as text
    assert ET.fromstring(f"<svg>{picture.partition('>')[2]}</svg>") is not None
    tags = set(re.findall(r"<(\w+)", picture))
    assert tags <= {"g", "rect", "text", "path", "a", "title"}
    assert not re.findall(r"\s(on\w+|href|filter|mask|to|src)=", picture.partition("<a ")[0])
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
