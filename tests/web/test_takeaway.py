"""A page to take away holds what `probe` says of every position, and plays right in a browser that
opens it from disk, without a network."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from perfectplay import Game, Solution, load, solve
from perfectplay.answer.faces.places import places
from perfectplay.cli import main
from perfectplay.drawing.shapes import harmless, read
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.web import words
from perfectplay.web.about import AboutGame
from perfectplay.web.offline import page_table, takeaway

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).with_name("axe.min.js")
FINDINGS = (
    "only => axe.run(only).then("
    "found => found.violations.map(each => [each.id, each.impact, each.nodes[0].html]))"
)
"""Dark pages differ in contrast alone: only that is looked at there."""
pytestmark = pytest.mark.xdist_group("browser")

GAMES: dict[str, tuple[tuple[str, ...], bool]] = {
    "noughts-and-crosses": ((), False),
    "nim": (("heaps=1,2,2",), False),
    "piglet": (("goal=3",), True),
    "hanoi": (("discs=2",), False),
    "mu-torere": (("points=4",), False),
    "three": (("goal=2", "players=3"), True),
}
"""Parameters, and whether values are fractions."""


@dataclass
class Written:
    """A page in a file, and the solution that it was made from."""

    solution: Solution
    file: Path

    @property
    def data(self) -> dict[str, Any]:
        return takeaway.unpacked(self.file.read_bytes())


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Written]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, (given, exact) in GAMES.items():
        rules = "piglet" if name == "three" else name
        solution = solve(load(rules, given), plain=True, exact=exact)
        file = folder / f"{name}.html"
        takeaway.write(takeaway.takeaway(solution, AboutGame(name, f"{name} in a line")), file)
        found[name] = Written(solution, file)
    return found


# -- What is in the file. -------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_position_is_as_probe_says(pages: dict[str, Written], name: str) -> None:
    solution, data = pages[name].solution, pages[name].data
    game, rows = solution.game, data["positions"]
    numbers = page_table.reachable(game)
    assert [row[0] for row in rows] == [game.text(p) for p in numbers]
    assert len(rows) >= solution.table.rows
    for p, (_, mover, values, *_, moves, clicks, _) in zip(numbers, rows, strict=True):
        found = solution.analyse(p, 0)
        assert mover == found.player
        assert [data["values"][i][2] for i in values] == [str(each) for each in found.values]
        assert [data["values"][i][0] for i in values] == [*map(words.number, found.values)]
        if mover == CHANCE:
            shown = [(data["words"][word], rows[child][0]) for word, child in moves]
            assert shown == [(str(each.probability), each.child) for each in found.chances]
            continue
        texts = [data["words"][word] for _, word, _, _, _ in moves]
        assert texts == [each.text for each in found.moves]
        assert [rows[child][0] for _, _, child, _, _ in moves] == [m.child for m in found.moves]
        assert [data["values"][v][2] for *_, v, _ in moves] == [str(m.value) for m in found.moves]
        assert [tuple(data["costs"][cost]) for *_, cost in moves] == [
            (words.cost(each, found.moves[0].value), words.tone(each)) for each in found.moves
        ]
        listed = list(game.moves(p)) if mover != OVER else []
        assert [number for number, *_ in moves] == [listed.index(m.move) for m in found.moves]
        assert set(leaves(clicks)) <= set(range(len(listed)))


def leaves(clicks: Sequence[Any]) -> Iterator[int]:
    """The moves that a tree of clicks leads to."""
    for _, then in clicks:
        if isinstance(then, int):
            yield then
        else:
            yield from leaves(then)


@pytest.mark.parametrize("name", GAMES)
def test_pictures_are_put_together_again(pages: dict[str, Written], name: str) -> None:
    solution, data = pages[name].solution, pages[name].data
    numbers = list(page_table.reachable(solution.game))
    for number in range(0, len(numbers), max(1, len(numbers) // 40)):
        drawing = read(solution.game.picture(numbers[number]))
        row = data["positions"][number]
        parts = [*data["before"], *row[4], *data["after"]]
        assert joined([data["parts"][i] for i in parts]) == harmless(drawing)
        left, top, right, bottom = drawing.box
        assert data["frames"][row[3]][0].split()[2:] == [f"{right - left:g}", f"{bottom - top:g}"]


def joined(parts: Sequence[Any]) -> str:
    """The text of a picture from its parts."""
    found, opened = "", []
    for part in parts:
        if part == 0:
            found += f"</{opened.pop()}>"
        elif isinstance(part, str):
            found += part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        else:
            tag, given, *inside = part
            attributes = "".join(f' {name}="{value}"' for name, value in given.items())
            found += f"<{tag}{attributes}>"
            if inside:
                found += f"{joined(inside)}</{tag}>"
            else:
                opened.append(tag)
    return found


def test_places_of_the_page_are_those_of_the_explorer(pages: dict[str, Written]) -> None:
    data = pages["noughts-and-crosses"].data
    first = data["positions"][0]
    assert sorted(leaves(first[6])) == list(range(9))
    assert len(data["boxes"]) == 9


def test_many_clicks_are_left_to_the_list() -> None:
    """Kayles has 8 moves here, and more than 100,000 ways to click for them."""
    game = load("kayles", ["heaps=6,2,2"])
    data = page_table.page_table(solve(game, plain=True))
    found = places(game, game.start())
    clicks = data["positions"][0][6]
    assert len(list(leaves(clicks))) < 2_000
    made = [then for _, then in clicks if isinstance(then, int)]
    drawn = found.drawn(found.clicks)
    assert made == [found.clicks.moves[x] for x in drawn if x in found.clicks.moves]
    assert set(made) == set(found.clicks.moves.values())
    assert all(then != [] for _, then in clicks)


def test_pages_are_small_and_alone(pages: dict[str, Written]) -> None:
    page = pages["noughts-and-crosses"].file.read_bytes()
    assert len(page) < 2_000_000
    markup = re.sub(r'<script id="data".*?</script>', "", page.decode(), flags=re.S)
    assert not re.search(r'(src|href)="(?!data:,|#)', markup)
    assert "http://www.w3.org/2000/svg" in markup
    assert set(re.findall(r"https?://[^\"'\s]+", markup)) == {"http://www.w3.org/2000/svg"}


def test_policy_names_scripts_and_style_by_their_digests(pages: dict[str, Written]) -> None:
    page = pages["nim"].file.read_text(encoding="utf-8")
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)[0]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    inline = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
    inline += re.findall(r"<style>(.*?)</style>", page, re.S)
    assert len(inline) == 3
    for each in inline:
        digest = base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_pages_say_what_they_are(pages: dict[str, Written]) -> None:
    page = pages["piglet"].file.read_text(encoding="utf-8")
    signature = pages["piglet"].solution.table.signature
    assert "<title>piglet · perfectplay</title>" in page
    assert "piglet in a line" in page
    assert "goal 3" in page
    assert f"all values are exact. Table {signature}, made with perfectplay" in page
    bounded = solve(load("piglet", ["goal=3"]), plain=True)
    assert "all values are proved to ±" in takeaway.takeaway(bounded, AboutGame("")).decode()


def test_same_table_same_bytes() -> None:
    """In another process, with other hashes, and without the packages that a server needs."""
    program = (
        "import sys; from perfectplay import load, solve; "
        "from perfectplay.web.offline import takeaway as t; "
        "s = solve(load('nim', ['heaps=1,2']), plain=True); "
        "sys.stdout.buffer.write(t.takeaway(s, t.AboutGame('nim', 'x'))); "
        "sys.exit(bool({'fastapi', 'jinja2', 'markupsafe', 'uvicorn'} & sys.modules.keys()))"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    assert other.stdout == takeaway.takeaway(solution, AboutGame("nim", "x"))


# -- What rules might put in. ---------------------------------------------------------------------


class Nasty(Game):
    """<script>alert(1)</script> & "more"."""

    def start(self) -> Any:
        return "</script><b>"

    def moves(self, p: Any) -> Iterator[Any]:
        if p != "end":
            yield "<img src=x onerror=alert(1)>"

    def play(self, p: Any, m: Any) -> Any:
        return "end"

    def text(self, p: Any) -> str:
        return str(p)

    def picture(self, p: Any) -> str:
        return (
            '<svg viewBox="0 0 100 100" onload="alert(1)"><script>alert(1)</script>'
            '<rect width="50" height="50" onclick="alert(1)" fill="url(http://x.org/)"/>'
            f'<text x="1" y="20">{"a" if p == "end" else "&lt;b&gt;"}'
            "<tspan>c</tspan>d</text></svg>"
        )


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("nasty") / "nasty.html"
    about = AboutGame("<i>Nasty</i>", Nasty.__doc__ or "", ("`<b>` & <i>",))
    page = takeaway.takeaway(solve(Nasty()), about)
    takeaway.write(page, file)
    return file


def test_only_harmless_pictures_get_into_a_page(nasty: Path) -> None:
    data = takeaway.unpacked(nasty.read_bytes())
    tags = {part[0] for part in data["parts"] if isinstance(part, list)}
    names = {name for part in data["parts"] if isinstance(part, list) for name in part[1]}
    assert tags == {"rect", "text", "tspan"}
    assert names == {"width", "height", "x", "y"}
    page = nasty.read_text(encoding="utf-8")
    assert "<i>Nasty" not in page
    assert "<p><code>&lt;b&gt;</code> &amp; &lt;i&gt;</p>" in page
    assert "<script>alert" not in page


def test_a_page_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="no game"):
        takeaway.unpacked(b"<html></html>")


# -- What is too large, and where it is written. --------------------------------------------------


def test_games_with_too_many_positions_are_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 1,000 positions"):
        page_table.reachable(load("noughts-and-crosses"), 1_000)


def test_pages_of_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(takeaway, "LARGEST", 20_000)
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    with pytest.raises(TooLargeError, match=r"would have \d+ KB for 6 positions: at most 20 KB"):
        takeaway.takeaway(solution, AboutGame("nim"))


def test_pictures_of_too_many_parts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_table, "MOST_ENTRIES", 50)
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    with pytest.raises(TooLargeError, match=r"\d of 6 positions"):
        page_table.page_table(solution)


@pytest.fixture
def told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Runs `explore` in an empty folder; its exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)

    def run(*arguments: str) -> tuple[int, str]:
        code = main.run(["explore", *arguments])
        heard = capsys.readouterr()
        return code, heard.out + heard.err

    return run


RULES = '''
from dataclasses import dataclass
from perfectplay import Game

@dataclass(frozen=True)
class Count(Game):
    """Count down from `most`
    by one or two.

    Whoever cannot loses."""

    most: int = 5

    def start(self):
        return self.most

    def moves(self, p):
        yield from range(1, min(p, 2) + 1)

    def play(self, p, m):
        return p - m
'''


def test_command_solves_and_writes(told: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    (tmp_path / "page.html").write_text("old", encoding="utf-8")
    code, said = told("rules.py:Count", "-p", "most=7", "--out", "page.html")
    assert code == 0
    assert said.startswith("page.html: 8 positions, ")
    data = takeaway.unpacked((tmp_path / "page.html").read_bytes())
    assert data["title"] == "Count"
    assert data["summary"] == "Count down from `most` by one or two."
    assert data["rules"] == ["Whoever cannot loses."]
    assert data["parameters"] == {"most": "7"}
    assert [row[0] for row in data["positions"]] == [str(7 - i) for i in range(8)]
    assert sorted(path.name for path in tmp_path.glob("*.html*")) == ["page.html"]
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]


def test_command_takes_a_table_and_prefers_fractions(told: Any, tmp_path: Path) -> None:
    assert main.run(["solve", "piglet", "-p", "goal=2", "--exact"]) == 0
    code, _ = told("piglet", "-p", "goal=2", "--out", "a.html")
    assert code == 0
    a = takeaway.unpacked((tmp_path / "a.html").read_bytes())
    assert a["values"][a["positions"][0][2][0]][0] == "4/7"
    (folder,) = (tmp_path / "tables").iterdir()
    assert told(str(folder), "--out", "b.html")[0] == 0
    b = takeaway.unpacked((tmp_path / "b.html").read_bytes())
    assert b == a


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nim", "pig", "--out", "x.html"), 2, "one game, not of 2"),
        (("--out", "x.html"), 2, "one game, not of all"),
        (("nim", "--out", "no/x.html"), 2, "cannot write no/x.html: No such file"),
        (("nim", "--out", "."), 2, "is a folder"),
        (("nim", "--out", "/dev/null"), 2, "no file that can be replaced"),
        (("nim", "--exact"), 2, "--exact is for a page"),
        (("nim", "--out", "x.html", "--policy", "a.py:b"), 2, "cannot run your function"),
        (("nothing", "--out", "x.html"), 2, "nothing"),
    ],
)
def test_command_refuses(
    told: Any, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    found, said = told(*arguments)
    assert found == code
    assert message in said
    assert list(tmp_path.iterdir()) == []


def test_command_says_how_large_a_game_is(
    told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    monkeypatch.setattr(page_table, "MOST", 1_000)
    code, said = told("rules.py:Count", "-p", "most=2500", "--out", "x.html")
    assert code == TooLargeError.exit_code
    assert "has 2,501 positions: one page holds at most 1,000" in said
    assert "smaller parameters" in said
    assert not (tmp_path / "x.html").exists()


def test_a_page_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.html"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(TypeError):
        takeaway.write("no bytes", file)  # type: ignore[arg-type]
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]


# -- In a browser, from disk. ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as played:
        found = played.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A page that accepts no complaint of the browser and no request but for files."""
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    found = context.new_page()
    complaints: list[str] = []
    found.on("console", lambda message: complaints.append(message.text))
    found.on("pageerror", lambda error: complaints.append(str(error)))
    found.on("request", lambda r: r.url.startswith("file:") or complaints.append(r.url))
    yield found
    context.close()
    assert [each for each in complaints if not each.startswith("data:,")] == []


def show(tab: Any, file: Path, state: str = "") -> None:
    tab.goto("about:blank")
    tab.goto(f"{file.as_uri()}{state}")
    tab.wait_for_selector("#answer h2")


def heading(tab: Any) -> str:
    return str(tab.locator("#answer h2").text_content())


def value(tab: Any) -> str:
    return str(tab.locator("#answer .value").inner_text())


def over(tab: Any) -> bool:
    return heading(tab) == "Play has ended"


def make(tab: Any, link: Any) -> None:
    """Click, and wait until another address is shown."""
    before = tab.url
    link.click(force=True)
    renewed(tab, before)


def press(tab: Any, key: str) -> None:
    """Press a key that follows a link, and wait until another address is shown."""
    before = tab.url
    tab.keyboard.press(key)
    renewed(tab, before)


def renewed(tab: Any, before: str) -> None:
    """Wait until another address is shown: only then there are links to follow."""
    shown = "document.getElementById('main').dataset.shown === location.hash"
    tab.wait_for_function(f"before => location.href !== before && {shown}", arg=before)


def on_board(tab: Any, text: str) -> Any:
    """The place of a move on the board."""
    return tab.locator(".places a", has=tab.locator(f'title:text-is("{text}")'))


def test_noughts_and_crosses_is_drawn_against_perfect_play(
    pages: dict[str, Written], tab: Any
) -> None:
    show(tab, pages["noughts-and-crosses"].file)
    tab.locator("#play select").select_option("you against perfect")
    tab.get_by_role("button", name="Begin").click()
    assert "play=person%2Cperfect" in tab.url
    for _ in range(5):
        if over(tab):
            break
        best = tab.locator("tr.good a.button").first.inner_text()
        make(tab, on_board(tab, best))
    assert over(tab)
    assert value(tab) == "a draw"
    assert "No mistakes" in tab.locator("#history").inner_text()


def test_nim_is_won_by_the_board(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["nim"].file, "#play=person,perfect")
    assert value(tab).startswith("win in 5 plies")
    for _ in range(3):
        number = tab.locator("tr.good a.button").first.get_attribute("data-move")
        make(tab, tab.locator(f'.places a[data-move="{number}"]').first)
    assert value(tab) == "player 1 wins"


def test_piglet_is_played_to_the_end_with_throws(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["piglet"].file, "#seed=3")
    throws = 0
    for _ in range(80):
        if over(tab):
            break
        if heading(tab) == "Chance decides":
            assert tab.locator("table.events tbody tr").count() == 2
            throws += 1
            make(tab, tab.get_by_text("Throw"))
        else:
            make(tab, tab.locator("tr.good a.button").first)
    assert over(tab)
    assert throws > 2
    assert value(tab) in ("player 1 wins", "player 2 wins")


def test_events_are_chosen_and_seeds_decide_throws(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["piglet"].file, "#line=0")
    make(tab, tab.locator("table.events a.button").last)
    assert tab.locator("input[name=at]").input_value() == "0-0, player 1, total 1"
    ends = set()
    for seed in (2, 8):
        show(tab, pages["piglet"].file, f"#line=0&seed={seed}")
        make(tab, tab.get_by_text("Throw"))
        first = tab.url
        show(tab, pages["piglet"].file, f"#line=0&seed={seed}")
        press(tab, "r")
        assert tab.url == first
        ends.add(tab.locator("input[name=at]").input_value())
    assert len(ends) == 2


def test_throws_have_their_probabilities(pages: dict[str, Written], tab: Any) -> None:
    """100 throws with other seeds: each of two equally likely events about half of the time."""
    show(tab, pages["piglet"].file, "#line=0")
    heads = tab.evaluate(
        """async () => {
          let heads = 0;
          for (let seed = 2; seed < 102; seed++) {
            location.hash = `#line=0&seed=${seed}`;
            await new Promise((done) => addEventListener("hashchange", done, { once: true }));
            await new Promise((done) => setTimeout(done));
            heads += document.querySelector("[data-key=r]").hash.includes("line=0.0");
          }
          return heads;
        }"""
    )
    assert 25 < heads < 75  # five standard deviations on each side


def test_reload_and_links_keep_the_position(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["noughts-and-crosses"].file)
    for text in ("b2", "a3"):
        make(tab, on_board(tab, text))
    shown = tab.locator("input[name=at]").input_value()
    assert tab.url.endswith("#line=4.0")
    tab.reload()
    tab.wait_for_selector("#answer h2")
    assert tab.locator("input[name=at]").input_value() == shown
    tab.go_back()
    assert tab.locator(".steps").first.inner_text().count("b2") == 1
    assert tab.locator("input[name=at]").input_value() != shown


def test_undo_redo_start_hide_and_keys(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["noughts-and-crosses"].file, "#line=4.0.1")
    press(tab, "ArrowLeft")
    assert tab.url.endswith("#line=4.0.1&ply=2")
    press(tab, "ArrowRight")
    assert tab.url.endswith("#line=4.0.1")
    make(tab, tab.locator("#steps").get_by_text("Hide values"))
    assert "Values are hidden" in tab.locator("#answer").inner_text()
    assert tab.locator("#answer .value, #answer td.n, svg.history, #best a").count() == 0
    press(tab, "1")
    assert "#line=4.0.1." in tab.url
    press(tab, "Home")
    assert tab.url.endswith("#hide=1")
    make(tab, tab.locator("#steps").get_by_text("Show values"))
    assert value(tab).startswith("draw")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")  # skip the header
    assert tab.evaluate("document.activeElement.id") == "main"


def test_players_can_be_watched(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["hanoi"].file, "#play=perfect")
    tab.wait_for_function(
        "() => document.querySelector('#answer h2').textContent === 'Play has ended'"
    )
    assert "line=" in tab.url
    assert re.search(r"line=\d+\.\d+\.\d+$", tab.url.partition("&")[0])


def test_towers_are_moved_by_clicking(pages: dict[str, Written], tab: Any) -> None:
    """One player, two clicks for a move: what is selected can be let go."""
    show(tab, pages["hanoi"].file)
    make(tab, tab.locator(".places a").first)
    if "click=" in tab.url:
        assert tab.locator(".selected").count() == 1
        make(tab, tab.locator(".places a").last)
    assert "line=" in tab.url


def test_values_to_three_players_are_shown(pages: dict[str, Written], tab: Any) -> None:
    written = pages["three"]
    show(tab, written.file)
    found = written.solution.values(written.solution.start)
    listed = tab.locator("#answer .values li").all_inner_texts()
    assert listed == [
        f"{written.solution.game.player_name(i)}: {words.number(each)}"
        for i, each in enumerate(found)
    ]


def test_positions_are_found_by_their_text(pages: dict[str, Written], tab: Any) -> None:
    show(tab, pages["nim"].file)
    tab.locator("input[name=at]").fill("0 1 2")
    tab.get_by_role("button", name="Go").click()
    tab.wait_for_function("() => document.getElementById('main').dataset.shown === '#at=0+1+2'")
    assert tab.locator("input[name=at]").input_value() == "0 1 2"
    tab.locator("input[name=at]").fill("9 9 9")
    tab.get_by_role("button", name="Go").click()
    assert tab.locator("#notice").inner_text() == "9 9 9 is not a position that can arise."


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("#line=77", "Move 77 of ply 1 does not exist"),
        ("#at=nothing", "nothing is not a position"),
        ("#play=person,toString", "Nobody can play"),
        ("#play=perfect", "Nobody can play"),
        ("#ply=9&line=x.y", "does not exist"),
    ],
)
def test_links_that_make_no_sense_are_explained(
    pages: dict[str, Written], tab: Any, state: str, message: str
) -> None:
    show(tab, pages["nim"].file, state)
    assert message in tab.locator("#notice").inner_text()
    assert heading(tab) == "player 1 to move"


def test_words_of_rules_are_only_words(nasty: Path, tab: Any) -> None:
    show(tab, nasty)
    assert tab.locator("table.moves a").inner_text() == "<img src=x onerror=alert(1)>"
    assert tab.locator("h1").inner_text() == "<i>Nasty</i>"
    assert tab.locator("svg.board text").text_content() == "<b>cd"
    assert tab.locator("img, svg script").count() == 0


def test_without_script_the_page_says_so(pages: dict[str, Written], browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(pages["nim"].file.as_uri())
    assert "needs JavaScript" in tab.locator("body").inner_text()
    context.close()


def test_narrow_pages_do_not_scroll_sideways(pages: dict[str, Written], browser: Any) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 700}, has_touch=True)
    tab = context.new_page()
    for name, written in pages.items():
        show(tab, written.file, "#line=0")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 320, name
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(pages: dict[str, Written], browser: Any, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    for name, state in (
        ("noughts-and-crosses", "#line=4.0.1.1"), ("piglet", "#line=0"), ("three", ""),
    ):  # fmt: skip
        show(tab, pages[name].file, state)
        tab.add_script_tag(path=str(AXE))
        found = tab.evaluate(
            FINDINGS,
            {"runOnly": ["color-contrast"]} if scheme == "dark" else {},
        )
        assert [each for each in found if each[1] in ("serious", "critical")] == [], name
    context.close()
