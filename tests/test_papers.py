"""The page of the papers: its commands print what it says, and its figures depend on the rules."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from perfectplay.cli import main
from perfectplay.progress import Silent
from perfectplay.verification.published.quantity import meets
from perfectplay.verification.published.reproduce import chosen, figures
from perfectplay.verification.published.subjects import Asked, answers, subject

PAGE = Path(__file__).parent.parent / "docs" / "papers.md"
PAPERS = 5
QUICK = ("value", "heaps")
SMALL = ("coins", "egg-dropping", "farmer-klaus", "hanoi", "nim", "piglet", "red-green-balls")
"""Commands that take no time to speak of, and games whose figures take none; the others run in
the slow test."""
UNTOLD = ("none", "")


class Line(NamedTuple):
    """A row of a table."""

    place: str
    says: str
    commands: list[str]
    printed: list[str]
    slow: bool


def lines() -> list[Line]:
    found = []
    for text in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
        if len(cells) == 4 and cells[0] not in ("place", "---"):
            place, says, command, out = (cell.replace(r"\|", "|") for cell in cells)
            commands = re.findall(r"`perfectplay ([^`]*)`", command)
            assert commands or command in UNTOLD, text
            slow = "*(slow)*" in command
            found.append(Line(place, says, commands, re.findall(r"`([^`]*)`", out), slow))
    return found


LINES = lines()


def run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main.run(shlex.split(command)) == 0, command
    return capsys.readouterr().out


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def check(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    out = squeezed("".join(run(command, capsys) for command in line.commands))
    for text in line.printed:
        assert squeezed(text) in out, (line, text, out)


def test_there_is_a_table_for_each_paper_and_every_row_shows_something_or_says_why_not() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("\n## ") == PAPERS
    assert len(LINES) > 100
    for line in LINES:
        assert line.place
        if line.commands and not line.slow:
            assert line.printed, line


def test_every_equation_of_the_survey_has_a_row_and_a_line() -> None:
    for number in range(1, 16):
        one = re.compile(rf"\b(Eq\.|and) {number}\b")
        assert any(one.search(row.source) and not row.slow for row in figures()), number
        listed = [line.place for line in LINES if "Eq. " in line.place]
        assert any(re.search(rf"\b{number}\b", place) for place in listed), number


def test_names_of_figures_on_the_page_exist() -> None:
    for line in LINES:
        for command in line.commands:
            verb, *names = shlex.split(command)
            if verb == "reproduce":
                rows = chosen(name for name in names if not name.startswith("--"))
                assert "--slow" in names or any(not row.slow for row in rows), command


def is_quick(command: str) -> bool:
    """Whether a command solves nothing, or small games only."""
    verb, *names = shlex.split(command)
    if verb != "reproduce" or "--slow" in names:
        return verb in QUICK
    rows = [row for row in chosen(names) if not row.slow]
    return all(row.subject.kind in ("rules", "sum") or row.game in SMALL for row in rows)


def test_quick_commands_of_the_page_print_what_it_says(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    quick = [line for line in LINES if line.commands and all(map(is_quick, line.commands))]
    assert len(quick) > 40
    for line in quick:
        check(line, capsys)


@pytest.mark.slow
def test_all_commands_of_the_page_print_what_it_says(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for line in LINES:
        if line.commands and not line.slow:
            check(line, capsys)


CHANGED = [
    ("Smith 2007, Eq. 9", "green=2,red=2,units=true"),
    ("Smith 2007, Eq. 8: f(3,0)", "green=2,red=0,units=true"),
    ("Smith 2007, 5.4.1", "heaps=2,2"),
    ("Smith 2007, 5.2: Dudeney's game of 37", "heap=38,most=5,fresh=true"),
    ("survey 4.6): secretary problem, n = 3", "candidates=4"),
    ("section 3.2: iterate 1 of Algorithm 2, player 1", "rounds=1,tails=2"),
    ("Bonnet and Viennot 2017, Table 1: 3 stones, total number", "rows=5,stones=4"),
    ("Bonnet and Viennot 2017, Table 2: n = 5, d = 6, L", "rows=5,stones=5"),
    ("Table 1: (3,2,2,1), components", "players=4,sides=2,short=2,columns=1"),
    ("survey 4.2): Eq. 5, f(2, 100)", "eggs=2,floors=106"),
    ("Smith 2007, 6.4: Pig, states", "goal=50"),
    ("Smith 2007, 3.1: FreeCell, deal 11,982", "deal=11983"),
    ("Coe 2002 (survey 4.6)", "chain=1000,questions=20,cap=0,percent=67"),
    ("jeopardy approach, twenty-one (our game; own count): who begins", "goal=20"),
]


@pytest.mark.parametrize(("source", "parameters"), CHANGED)
def test_with_a_changed_parameter_a_row_disagrees(source: str, parameters: str) -> None:
    row = next(row for row in figures() if source in row.source and not row.slow)
    for given, same in ((row.parameters, True), (parameters, False)):
        to = subject(row.game, given, row.quantity)
        found = answers(to, [Asked(row.position, row.quantity)], Silent(), stored=False)
        assert found[0].exactness != "none", found
        assert meets(found[0], row.figure) is same


def test_with_another_picture_a_row_of_stanley_disagrees() -> None:
    rows = [
        row for row in figures() if row.source.startswith("Stanley") and row.quantity == "worth"
    ]
    for row in rows:
        to = subject(row.game, "", row.quantity)
        changed = f"{row.position} + game 3" if row.game != "game" else f"{row.position} 3"
        found = answers(to, [Asked(changed, row.quantity)], Silent(), stored=False)
        assert not meets(found[0], row.figure), row
