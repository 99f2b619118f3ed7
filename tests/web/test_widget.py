"""The explorer in a notebook, driven without a browser: addresses in, fragments out."""

from __future__ import annotations

import html
import re
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient

from perfectplay import Game, UsageError, load, solve
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.notebook.widget import ExplorerWidget

nim = solve(load("nim", ["heaps=1,2,2"]), plain=True)
pig = solve(load("pig", ["goal=6"]), plain=True)


def links(widget: ExplorerWidget) -> list[str]:
    return [html.unescape(url) for url in re.findall(r'href="([^"]*)"', widget.fragment)]


def main(page: str) -> str:
    return re.sub(r"\s+", " ", re.split(r"<main[^>]*>", page)[1].partition("</main>")[0])


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError("a widget must not open a connection")

    monkeypatch.setattr(socket, "socket", refuse)


@pytest.mark.usefixtures("no_network")
def test_links_lead_to_the_next_position() -> None:
    widget = nim.explore()
    assert isinstance(widget, ExplorerWidget)
    assert "1 2 2" in widget.fragment
    first = next(url for url in links(widget) if "line=0" in url)
    widget.address = first
    assert "line=0" in widget.address
    assert nim.game.text(widget.position) == "0 2 2"
    assert repr(widget) == "<explorer of nim: 0 2 2>"


def without(page: str) -> str:
    """A page without what leads to other pages, and without published figures."""
    page = re.sub(r'<nav class="tabs wide".*?</nav>', "", page)
    found = re.sub(
        r'<section class="wide"><details[^>]*><summary><h2>Published figures.*?</section>',
        "",
        page,
    )
    return " ".join(found.split())


def test_fragments_are_those_of_the_server() -> None:
    for name, solution in (("nim", nim), ("pig", pig)):
        collection = Collection(
            {name: Exhibit(name, name, solution=solution)}, lambda spec, game: None
        )
        client = TestClient(make_app(collection), base_url="http://127.0.0.1")
        widget = solution.explore()
        for ply in range(4):
            served = client.get(widget.address)
            assert without(main(served.text)) == without(main(widget.fragment)), ply
            assert 'class="tabs' not in widget.fragment  # pages that a notebook does not show
            widget.address = next(url for url in links(widget) if "line=" in url)


def test_others_move_until_it_is_the_readers_turn() -> None:
    widget = nim.explore()
    widget.address = "/g/nim/?play=perfect,person"
    assert re.search(r"line=\d", widget.address), "perfect play has moved"
    assert nim.game.text(widget.position) == "0 2 2"


def test_what_a_front_end_sends_is_answered() -> None:
    widget = nim.explore()
    widget.set_state({"address": "/g/nim/?play=perfect,person"})
    assert re.search(r"line=\d", widget.address)
    assert "0 2 2" in widget.fragment


def test_two_widgets_do_not_disturb_each_other() -> None:
    one, two, other = nim.explore(), nim.explore(), pig.explore()
    before = two.fragment, other.fragment
    one.address = next(url for url in links(one) if "line=1" in url)
    assert one.fragment != before[0]
    assert (two.fragment, other.fragment) == before
    two.address = next(url for url in links(two) if "line=2" in url)
    assert one.position != two.position


def test_a_widget_begins_where_it_is_asked_to() -> None:
    p = nim.position("0 2 1")
    assert nim.game.text(nim.explore(p).position) == "0 2 1"
    with pytest.raises(UsageError, match="not a position that can arise"):
        nim.explore(nim.position("3 3 3"))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/g/pig/", "is not a page of a position of nim"),
        ("/g/nim/chart?line=0", "perfectplay explore has them all"),
        ("https://example.org/g/nim/", "is not a page of a position of nim"),
        ("/g/nim/?line=99", "99"),
        ("/g/nim/?at=" + "1" * 3000, "too long"),
        ("/g/nim/?with=heaps=1", "a table has its own parameters"),
        ("/g/nim/?" + "&".join("x=1" for _ in range(500)), "ValueError"),
    ],
)
def test_addresses_that_make_no_sense_are_refused(address: str, words: str) -> None:
    widget = nim.explore()
    widget.address = "/g/nim/?line=0"
    before = widget.fragment
    widget.address = address
    assert "That does not work" in widget.fragment
    assert words in html.unescape(widget.fragment)
    widget.address = links(widget)[-1]
    assert widget.fragment == before


@dataclass(frozen=True)
class Drawn(Game):
    drawing: str = (
        '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script><rect width="5"/></svg>'
    )

    def start(self) -> int:
        return 2

    def moves(self, p: int) -> Iterator[int]:
        yield from range(1, p + 1)

    def play(self, p: int, m: int) -> int:
        return p - m

    def picture(self, p: int) -> str:
        if not self.drawing:
            raise RuntimeError("no <ink>")
        return self.drawing


def test_rules_that_fail_are_a_page_and_their_pictures_are_harmless() -> None:
    widget = solve(Drawn(), plain=True).explore()
    assert "<script" not in widget.fragment
    assert '<rect width="5">' in widget.fragment
    widget = solve(Drawn(""), plain=True).explore()
    assert "That does not work" in widget.fragment
    assert "&lt;ink&gt;" in widget.fragment


def test_without_the_packages_one_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "perfectplay.web.notebook.widget")
    with pytest.raises(UsageError, match="anywidget") as caught:
        nim.explore()
    assert caught.value.hint == "pip install 'perfectplay[notebook]'"


def test_the_style_sheet_fits_a_shadow_root() -> None:
    sheet = nim.explore().style_sheet
    assert ":root" not in sheet
    assert "body" not in re.sub(r"tbody", "", sheet)
    assert sheet.startswith(":host")
