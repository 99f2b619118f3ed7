"""What notebooks show of results: text, HTML and pictures, escaped and without scripts."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from perfectplay import (
    Game,
    check,
    evaluate,
    grundy,
    load,
    nash,
    plan,
    reproduce,
    search,
    solve,
    sweep,
    verify,
)
from perfectplay.answer.faces.explain import explain
from perfectplay.drawing.rich import HTML, MOST_ROWS, PLAIN, SVG, Display, Rich
from perfectplay.drawing.shapes import rewritten
from perfectplay.solvers.matrix.nash import read_matrix
from perfectplay.sums import parse
from perfectplay.sums.hackenbush.picture import Picture
from perfectplay.sums.hackenbush.surreal import Total
from perfectplay.sums.sum import Sum
from perfectplay.sums.summands import Bush

pig = solve(load("pig", ["goal=6"]), plain=True)
rolling = next(c for c in pig.game.moves(pig.start))


def first_move(game: Any, p: Any) -> Any:
    return next(iter(game.moves(p)))


def matrix(folder: Path) -> Any:
    file = folder / "m.csv"
    file.write_text(",a,b\nx,1,-1\ny,-1,1/2\n")
    return read_matrix(file)


def placements() -> Any:
    game = load("einstein", ["stones=1", "columns=2", "rows=2"])
    return solve(game, exact=True, plain=True).placements()


RESULTS: dict[str, Callable[[], Any]] = {
    "solution": lambda: pig,
    "analysis": lambda: pig.analyse(pig.start),
    "moves": lambda: pig.moves(pig.start),
    "move": lambda: pig.moves(pig.start)[0],
    "equation": lambda: explain(pig, pig.start),
    "chances": lambda: pig.chances(pig.game.play(pig.start, rolling)),
    "line": lambda: pig.line(pig.start),
    "value": lambda: pig.value(pig.start),
    "chart": pig.chart,
    "sweep": lambda: sweep("piglet", {"goal": "2..4"}),
    "evaluate": lambda: evaluate(load("pig", ["goal=6"]), first_move),
    "nash": lambda: nash([[1, -1], [-1, 2]]),
    "placements": placements,
    "plan": lambda: plan(load("nim", ["heaps=1,2"]), seconds=0.1),
    "check": lambda: check(load("nim", ["heaps=1,2"])),
    "verify": lambda: verify(pig.table, pig.game),
    "search": lambda: search(load("nim", ["heaps=1,2"])),
    "reproduce": lambda: reproduce(["red-green-balls"]),
    "grundy": lambda: grundy(load("nim", ["heaps=1,2"]), plain=True),
    "short": lambda: parse("{1|-1}"),
    "thermograph": lambda: parse("{2|-1}").thermograph(),
    "picture": lambda: Picture.parse("BR"),
    "sum": lambda: Sum([Bush(Picture.parse("BR"))]),
    "total": lambda: Total.of(parse("1/2")),
}  # fmt: skip
DRAWN = {
    "solution", "analysis", "chart", "sweep", "placements", "grundy", "short", "thermograph",
    "picture", "sum",
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_a_text_and_html_and_some_a_picture(name: str) -> None:
    result = RESULTS[name]()
    assert isinstance(result, Rich)
    bundle = result._repr_mimebundle_()
    assert bundle[PLAIN].strip()
    assert not bundle[PLAIN].startswith("<perfectplay")
    assert bundle[HTML].startswith(("<p>", "<pre>"))
    assert (SVG in bundle) == (name in DRAWN)
    if name in DRAWN:
        assert ET.fromstring(bundle[SVG]).tag == "{http://www.w3.org/2000/svg}svg"
        assert bundle[SVG] in bundle[HTML]
    assert bundle == result._repr_mimebundle_(), "the same again"


def test_a_matrix_of_a_file_is_a_table(tmp_path: Path) -> None:
    assert matrix(tmp_path)._repr_mimebundle_()[PLAIN].splitlines()[1:] == [
        "   a   b", "x  1   -1", "y  -1  1/2",
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_nothing_of_our_own_drawings_is_lost(name: str) -> None:
    drawing = RESULTS[name]().display().svg

    def seen(svg: str) -> list[Any]:
        return [(e.tag, e.attrib, e.text) for e in ET.fromstring(svg).iter()]

    assert seen(rewritten(drawing)) == seen(drawing)


def test_ipython_does_not_take_lists_of_moves_for_tuples() -> None:
    pretty = pytest.importorskip("IPython.lib.pretty").pretty
    assert pretty(pig.moves(pig.start)) == pig.moves(pig.start).display().text()


def test_what_is_asked_for_is_given() -> None:
    shown = parse("{1|-1}")
    assert shown._repr_mimebundle_(include={PLAIN}) == {PLAIN: "+-1"}
    assert set(shown._repr_mimebundle_(exclude={SVG})) == {PLAIN, HTML}


def test_long_tables_are_cut() -> None:
    shown = Display("many", ("n",), [(i,) for i in range(MOST_ROWS + 5)])
    assert shown.text().endswith("… and 5 more")
    assert shown.html().count("<tr>") == MOST_ROWS + 1
    assert "… and 5 more" in shown.html()


class Tags(HTMLParser):
    """All elements and attributes of a fragment."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag, *(name for name, _ in attrs)]


EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@dataclass(frozen=True)
class Evil(Game):
    name: str = EVIL

    def start(self) -> int:
        return 2

    def moves(self, p: int) -> Iterator[int]:
        yield from range(1, p + 1)

    def play(self, p: int, m: int) -> int:
        return p - m

    def text(self, p: int) -> str:
        return f"{p}{EVIL}"

    def parse(self, text: str) -> int:
        return int(text[0])

    def move_text(self, p: int, m: int) -> str:
        return f"{m}'\"{EVIL}"

    def picture(self, p: int) -> str:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script>'
            '<a href="javascript:alert(1)"><rect width="9" height="9" onclick="alert(1)"/></a>'
            "<foreignObject><p>x</p></foreignObject><circle r='4'/></svg>"
        )


def test_what_rules_say_and_draw_is_made_harmless() -> None:
    solution = solve(Evil(), plain=True)
    for shown in (solution, solution.analyse(solution.start), solution.moves(solution.start)):
        bundle = shown._repr_mimebundle_()
        found = Tags(bundle[HTML]).found
        assert not {"script", "img", "a", "foreignobject", "onload", "onclick", "href"} & {*found}
        assert "circle" in found or shown is not solution
        assert "<script>" in bundle[PLAIN], "plain text is plain"
