"""The explorer as a person meets it, in a real browser: clicks, dice, keys, narrow and dark pages,
no script, no serious finding of axe-core (tests/web/axe.min.js, MPL 2.0), no violation of the
content policy."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import uvicorn

from perfectplay import Solution, load, solve
from perfectplay.answer.faces.match import replay
from perfectplay.rules.game import OVER
from perfectplay.web import words
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("Chromium is not installed: apt-get install chromium", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.xdist_group("browser")
AXE = Path(__file__).with_name("axe.min.js")
FINDINGS = (
    "only => axe.run(only).then("
    "found => found.violations.map(each => [each.id, each.impact, each.nodes[0].html]))"
)
"""Dark pages differ in contrast alone: only that is looked at there."""
GAMES: dict[str, tuple[str, ...]] = {
    "noughts-and-crosses": (),
    "pig": ("goal=12",),
    "nim": ("heaps=1,2,2",),
    "mu-torere": ("points=6",),
    "hanoi": ("discs=3",),
    "kalah": ("pits=2", "seeds=2"),
    "domineering": ("rows=3", "columns=3"),
    "clobber": (),
    "konane": ("rows=3", "columns=4"),
    "amazons": (),
    "fibonacci-nim": ("heap=9",),
    "morris": ("rings=1", "men=3"),
    "einstein": ("rows=2", "stones=1"),
    "peg-solitaire": ("board=o_o/ooo/ooo", "finish=any"),
    "toads-and-frogs": (),
    "connect": ("width=4", "height=3", "line=3"),
    "sliding": ("width=3", "height=2"),
    "ovid": (),
    "piglet": ("goal=4",),
    "rock-paper-scissors": ("goal=2",),
}


@pytest.fixture(scope="module")
def solved() -> dict[str, Solution]:
    return {name: solve(load(name, given), plain=True) for name, given in GAMES.items()}


@pytest.fixture(scope="module")
def site(solved: dict[str, Solution]) -> Iterator[str]:
    exhibits = {name: Exhibit(name, name, solution=solution) for name, solution in solved.items()}
    exhibits["piglet"] = Exhibit("piglet", "piglet")  # nobody has solved it yet
    exhibits["charted"] = Exhibit("charted", "piglet", solution=solved["piglet"])
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    app = make_app(Collection(exhibits, lambda spec, game: None))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{door.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as played:
        found = played.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that accepts no complaint of the browser: no error, no violation, no stranger."""
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    found = context.new_page()
    complaints: list[str] = []
    found.on("console", lambda message: complaints.append(message.text))
    found.on("pageerror", lambda error: complaints.append(str(error)))
    found.on(
        "request", lambda request: "127.0.0.1" in request.url or complaints.append(request.url)
    )
    yield found
    context.close()
    assert complaints == []


def settled(page: Any, before: str) -> None:
    """Wait until the page has another address and shows it."""
    page.wait_for_url(lambda url: url != before)
    page.locator(".htmx-request, .htmx-swapping, .htmx-settling").first.wait_for(state="detached")


def follow(page: Any, link: Any) -> None:
    """Click on a link and wait for what it leads to."""
    before = page.url
    link.click(force=True)
    settled(page, before)


def press(page: Any, key: str) -> None:
    """Press a key that follows a link."""
    before = page.url
    page.keyboard.press(key)
    settled(page, before)


def over(page: Any) -> bool:
    return bool(page.locator("h2", has_text="Play has ended").count())


def line_of(page: Any) -> tuple[int, ...]:
    """The moves in the address of a page."""
    found = parse_qs(urlsplit(page.url).query).get("line", [""])[0]
    return tuple(map(int, filter(None, found.split("."))))


def agrees(page: Any, solution: Solution) -> None:
    """What the page shows is what the solution says of the position."""
    p = replay(solution, solution.start, line_of(page))[-1].position
    board = page.locator("svg.board [role=img]")
    assert board.get_attribute("aria-label") == solution.game.text(p)
    assert over(page) == (solution.to_move(p) == OVER)
    if not over(page):
        value = page.locator(".value").inner_text()
        assert value.startswith(words.number(solution.value(p)))


ON_THE_BOARD = [
    "noughts-and-crosses", "nim", "mu-torere", "domineering", "hanoi", "connect", "sliding",
    "ovid", "amazons", "fibonacci-nim", "morris", "einstein",
]  # fmt: skip
MORE = ["clobber", "konane", "toads-and-frogs", "kalah", "peg-solitaire"]


@pytest.mark.parametrize(
    "name", [*ON_THE_BOARD, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)]
)
def test_games_are_played_by_clicking_the_board_alone(
    page: Any, site: str, solved: dict[str, Solution], name: str
) -> None:
    page.goto(f"{site}/g/{name}/")
    for ply in range(1, 6):
        agrees(page, solved[name])
        if over(page):
            break
        if page.locator("[data-key=r]").count():
            press(page, "r")  # dice are no place on the board
            continue
        for _ in range(4):  # clicks of one move
            links = page.locator(".places a:has(.place)")
            follow(page, links.nth(ply % links.count()))
            if "click=" not in page.url:
                break
        assert len(line_of(page)) == ply


@pytest.mark.parametrize("name", ["noughts-and-crosses", "ovid", "domineering", "connect", "nim"])
def test_the_cell_under_the_mouse_is_the_one_that_is_clicked(
    page: Any, site: str, name: str
) -> None:
    page.goto(f"{site}/g/{name}/")
    other = page.evaluate(
        """() => [...document.querySelectorAll('.places a:has(.place)')].filter((link) => {
          const box = link.querySelector('.place').getBoundingClientRect();
          const x = box.x + box.width / 2, y = box.y + box.height / 2;
          const found = document.elementFromPoint(x, y)?.closest('a');
          return found?.dataset.move !== link.dataset.move;
        }).map((link) => link.textContent)"""
    )
    assert other == []


def test_noughts_and_crosses_is_played_to_a_draw(page: Any, site: str) -> None:
    page.goto(f"{site}/g/noughts-and-crosses/?play=person%2Cperfect")
    for _ in range(5):
        if over(page):
            break
        follow(page, page.locator("tr.good a.button").first)
    assert page.locator(".value").inner_text() == "a draw"
    assert "No mistakes" in page.locator("main").inner_text()


def test_pig_is_played_to_the_end_with_dice(page: Any, site: str) -> None:
    page.goto(f"{site}/g/pig/?play=person%2Cperfect&seed=3")
    for _ in range(60):
        if over(page):
            break
        follow(page, page.locator("tr.good a.button").first)
    assert over(page)


def test_dice_are_thrown_or_chosen(page: Any, site: str) -> None:
    page.goto(f"{site}/g/pig/?line=0")
    assert page.locator("table.moves tbody tr").count() == 6
    follow(page, page.locator("table.moves a.button").nth(2))
    assert "total 3" in page.locator("input[name=at]").input_value()
    page.goto(f"{site}/g/pig/?line=0")
    press(page, "r")
    assert "line=0." in page.url


def test_undo_redo_branches_and_reload(page: Any, site: str) -> None:
    page.goto(f"{site}/g/noughts-and-crosses/?line=0.1.2")
    press(page, "ArrowLeft")
    assert page.url.endswith("ply=2")
    page.reload()
    assert page.locator("[aria-current=step]").inner_text() == "c3"
    follow(page, page.locator("table.moves a.button").last)
    assert "or=0.1.2" in page.url
    follow(page, page.get_by_text("another line"))
    assert "line=0.1.2" in page.url


def test_keys_alone_make_moves(page: Any, site: str) -> None:
    page.goto(f"{site}/g/nim/")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('table.moves a')"):
            break
    press(page, "Enter")
    press(page, "1")
    assert page.url.partition("line=")[2].count(".") == 1


def test_cells_of_a_chart_are_clicked_or_reached_by_keys(page: Any, site: str) -> None:
    page.goto(f"{site}/g/charted/chart?show=value&axis0=0..1&axis1=2,3")
    words = page.locator(".chart a title").first.text_content()
    assert words.startswith("own score 0, other score 3: best move roll")
    follow(page, page.locator(".chart a").first)
    assert page.get_by_label("Position").input_value() == "0-3, player 1, total 0"
    page.goto(f"{site}/g/charted/chart?show=value")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.chart a')"):
            break
    press(page, "Enter")
    assert "at=0-3" in page.url


def test_every_side_has_a_player(page: Any, site: str) -> None:
    page.goto(f"{site}/g/nim/")
    page.locator("select[name=play]").nth(1).select_option("skill")
    page.locator("input[name=skill]").fill("30")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**play=**")
    assert "player 2: skill:30" in page.locator("main").inner_text()


def test_the_header_follows_the_page(page: Any, site: str) -> None:
    page.goto(f"{site}/?find=noughts")
    follow(page, page.locator(".games a").first)
    header = page.locator("header")
    assert header.inner_text().split("\n")[:2] == ["perfectplay", "noughts-and-crosses"]
    page.goto(f"{site}/g/charted/chart")
    follow(page, page.get_by_role("link", name="Position", exact=True))
    assert header.count() == 1
    assert "goal 4 · players 2" in header.inner_text()


def test_narrow_pages_do_not_scroll_sideways(browser: Any, site: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 700}, has_touch=True)
    page = context.new_page()
    for name in GAMES:
        page.goto(f"{site}/g/{name}/?line=0")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
    for path in ("/", "/g/charted/chart", "/g/nim/?ask=tree"):
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
    context.close()


def test_the_result_of_a_long_equation_is_seen(page: Any, site: str) -> None:
    page.goto(f"{site}/g/amazons/")
    equation = page.locator("pre.equation")
    assert equation.inner_text().count("\n") > 30
    assert equation.evaluate("each => each.scrollHeight - each.clientHeight") <= 0


def test_pages_work_without_script(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/g/noughts-and-crosses/")
    page.locator("table.moves a.button").first.click()
    page.locator(".places a").first.click(force=True)
    assert page.url.endswith("line=" + page.url.partition("line=")[2])
    assert "." in page.url.partition("line=")[2]
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, site: str, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    ended = "/g/nim/?line=4.2.0"
    middle = ("/g/noughts-and-crosses/?line=0.1.2", "/g/pig/?line=0", "/g/pig/?hide=1", ended)
    asked = ("/g/charted/chart?show=value", "/g/mu-torere/?ask=strata", "/g/nim/?ask=tree")
    others = ("/g/rock-paper-scissors/", "/g/piglet/", "/g/piglet/compare", "/g/nothing/")
    for path in ("/", *middle, *asked, *others):
        page.goto(site + path)
        page.add_script_tag(path=str(AXE))
        found = page.evaluate(
            FINDINGS,
            {"runOnly": ["color-contrast"]} if scheme == "dark" else {},
        )
        assert [each for each in found if each[1] in ("serious", "critical")] == [], path
    context.close()
