"""The documentation is true: its examples run, its tables and references follow from the package.

Fenced blocks of README.md and docs/*.md are run page by page, in order, in a folder of their own:

    python, with >>>             a doctest; a page is one session
    python, first line `# x.py`  a file; a game in it is checked, solved and verified
    console                      commands after `$ `, and what they print; … stands for anything
    pycon, text, json, sh        not run
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

import perfectplay
from perfectplay import check, errors, load, solve, verify
from perfectplay.cli import main
from perfectplay.cli.commands import app
from perfectplay.games import GAMES
from perfectplay.rules.game import Game

TOP = Path(__file__).parents[1]
README = TOP / "README.md"
LIST = TOP / "docs" / "games.md"
PAGES = [README, TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))]
WORDS = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
PROGRAMS = ("perfectplay", "script/run")
SLOW = ("bulls-and-cows", "cube", "flip-flop", "hog", "mastermind", "pig", "pig-mania")
"""Games of the table that take long."""
SLOW_PAGES = ("cant-stop", "chess", "out-of-core", "puzzles", "search", "turns")
"""Pages whose examples compile most."""


class Block(NamedTuple):
    kind: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        yield Block(found[1], found[2], text[: found.start()].count("\n") + 2)


# -- Examples. ------------------------------------------------------------------------------------


def pages_to_try() -> Iterator[Any]:
    for page in PAGES:
        marks = [pytest.mark.slow] if page.stem in SLOW_PAGES else []
        yield pytest.param(page, marks=marks, id=page.stem)


@pytest.mark.parametrize("page", list(pages_to_try()))
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as at a prompt of Python
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    session: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.kind == "python" and block.text.startswith(">>>"):
            run_session(block, session, where)
        elif block.kind == "python":
            write_file(block, where)
        elif block.kind == "console":
            run_commands(block, where)
        else:
            assert block.kind in ("text", "json", "pycon", "sh", "toml"), where


def run_session(block: Block, session: dict[str, object], where: str) -> None:
    """Run a doctest; names stay for the next one of the page."""
    test = doctest.DocTestParser().get_doctest(block.text, session, where, where, block.line)
    heard = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, _ = runner.run(test, out=heard.write, clear_globs=False)
    session.update(test.globs)
    assert not failed, heard.getvalue()


def write_file(block: Block, where: str) -> None:
    """Write the file that a block holds; games in it must be sound, solvable and verifiable."""
    first = re.match(r"# (\S+\.py)\n", block.text)
    assert first, f"{where}: a block of python is a session or a file that begins with `# name.py`"
    Path(first[1]).write_text(block.text, encoding="utf-8")
    tree = compile(block.text, first[1], "exec")
    assert tree
    for name in re.findall(r"^class (\w+)\((?:\w+, )*Game\)", block.text, re.M):
        game = load(f"{first[1]}:{name}")
        found = check(game)
        assert found.ok, f"{where}: {found}"
        folder = Path("checked") / f"{block.line}-{name}"
        solution = solve(game, folder)
        assert verify(folder, game).ok, where
        if game.native:
            slow = solve(game, plain=True)
            if solution.table.width > 0:  # by number, positions count up to symmetry
                assert slow.table.rows == solution.table.rows, where
            for p in game.starts():
                assert [*map(str, slow.values(p))] == [*map(str, solution.values(p))], where


def run_commands(block: Block, where: str) -> None:
    """Run all commands of a block and compare what they print with what is shown."""
    for command in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        asked, _, shown = command.partition("\n")
        program, *arguments = shlex.split(asked, comments=True)
        assert program in PROGRAMS, f"{where}: {program}"
        heard = io.StringIO()
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            main.run(arguments)
        assert same(heard.getvalue(), shown), f"{where}: {asked}\n{heard.getvalue()}"


def same(printed: str, shown: str) -> bool:
    """Whether a text is what is shown, where … stands for anything, blanks at line ends aside."""
    lines = [line.rstrip() for line in shown.strip().splitlines()]
    pattern = "\n".join(".*" if line == "…" else re.escape(line) for line in lines)
    pattern = pattern.replace("…", ".*").replace("\\…", ".*")
    text = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(pattern, text, re.S) is not None


def test_same_wants_every_line() -> None:
    assert same("a 1\nb\nc\n", "a 1\n…\n")
    assert same("time 1.5 s", "time … s")
    assert not same("a\nb", "a")
    assert not same("a 2\nb", "a 1\n…")


# -- What must be mentioned. ----------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_documented(name: str) -> None:
    assert f"| `{name}` |" in LIST.read_text(encoding="utf-8")


def test_every_error_is_documented() -> None:
    for name, error in inspect.getmembers(errors, inspect.isclass):
        assert f"`{name}`" in WORDS, name
        if name != "PerfectPlayError":
            assert re.search(rf"\| `{name}` \| {error.exit_code} \|", WORDS), name


def test_every_public_name_is_documented() -> None:
    for name in perfectplay.__all__:
        assert re.search(rf"\b{name}\b", WORDS), name


def test_every_method_and_fact_of_game_is_documented() -> None:
    guide = (TOP / "docs" / "writing-games.md").read_text(encoding="utf-8")
    for name in vars(Game):
        if not name.startswith("_"):
            assert f"`{name}" in guide, name


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_modules_that_pages_name_exist() -> None:
    package = TOP / "src" / "perfectplay"
    for page in PAGES:
        for name in re.findall(
            r"`((?:[a-z_]+/)+[a-z_0-9]+\.py)`", page.read_text(encoding="utf-8")
        ):
            found = any((folder / name).exists() for folder in (package, package.parent, TOP))
            assert found, f"{page.name}: {name}"


# -- The table of games. --------------------------------------------------------------------------


def table_rows() -> list[list[str]]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if re.match(r"\| `[a-z-]+` \|", line)]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in found]


def test_the_readme_shows_rows_of_the_list() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    shown = [line for line in lines if re.match(r"\| `[a-z-]+` \|", line)]
    assert len(shown) > 5
    assert set(shown) <= set(LIST.read_text(encoding="utf-8").splitlines())


def rows_to_try() -> Iterator[Any]:
    for row in table_rows():
        marks = [pytest.mark.slow] if row[0] in SLOW else []
        yield pytest.param(row, marks=marks, id=row[0])


@pytest.mark.parametrize("row", list(rows_to_try()))
def test_table_of_games_is_true(row: list[str]) -> None:
    name, _, parameters, positions, value, _ = row
    fraction = "/" in value
    few = int(positions.replace(",", "")) < 1000  # not worth compiling their rules
    solution = solve(load(name, parameters.split()), exact=fraction, plain=few)
    found = solution.value(solution.start)
    assert f"{solution.table.positions:,}" == positions
    if found.kind == "outcome":
        assert str(found) == value
    elif fraction or "." not in value:
        assert str(found.exact) == value
    else:
        digits = len(value.partition(".")[2])
        assert found.error < 10.0**-digits
        assert f"{float(found):.{digits}f}" == value


# -- References. ----------------------------------------------------------------------------------


def reference() -> str:
    """The commands with their arguments and options, as docs/cli.md shows them."""
    group = typer.main.get_command(app)
    parts = []
    commands: dict[str, Any] = group.commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        told = inspect.cleandoc(command.help or "")
        summary, _, example = told.partition("\n\n")
        usage = " ".join(["perfectplay", name, *_usage(command)])
        rows = [_row(each) for each in command.params if each.name != "help"]
        lines = [f"### {name}", "", " ".join(summary.split()), "", f"    {usage}", ""]
        lines += ["| argument or option | meaning |", "| --- | --- |", *rows]
        if example:
            lines += ["", f"{example.replace('Example: ', 'Example: `')}`"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _usage(command: Any) -> Iterator[str]:
    for each in command.params:
        if each.param_type_name == "argument":
            yield each.metavar
    yield "[options]"


def _row(each: Any) -> str:
    if each.param_type_name == "argument":
        shown = f"`{each.metavar}`"
    else:
        value = "" if each.is_flag else f" {each.metavar or 'N'}"
        shown = ", ".join(f"`{name}{value}`" for name in each.opts)
    plain = isinstance(each.default, int | float | str) and each.default is not False
    default = f" Default: {each.default}." if plain else ""
    return f"| {shown} | {each.help}{default} |".replace("GAME|FOLDER", "GAME\\|FOLDER")


def test_reference_of_commands_is_true() -> None:
    page = (TOP / "docs" / "cli.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("<!-- reference: written by tests/test_docs.py -->\n")
    shown, _, _ = rest.partition("<!-- end of reference -->")
    assert shown.strip() == reference().strip(), "run: python tests/test_docs.py"


def renew_reference() -> None:
    """Write the reference into docs/cli.md."""
    file = TOP / "docs" / "cli.md"
    head, mark, rest = file.read_text(encoding="utf-8").partition(
        "<!-- reference: written by tests/test_docs.py -->\n"
    )
    _, end, tail = rest.partition("<!-- end of reference -->")
    file.write_text(f"{head}{mark}\n{reference()}\n{end}{tail}", encoding="utf-8")


# -- JSON. ----------------------------------------------------------------------------------------


def json_section(command: str) -> str:
    page = (TOP / "docs" / "json.md").read_text(encoding="utf-8")
    return page.partition(f"## {command}\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small solved game."""
    folder = str(tmp_path_factory.mktemp("json") / "small")
    assert main.run(["solve", "piglet", "-p", "goal=2", "--table", folder]) == 0
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "solve",
        "probe",
        "explain",
        "strata",
        "search",
        "plan",
        "check",
        "verify",
        "export",
        "certificate",
        "games",
        "reproduce",
        "study",
        "count",
        "sweep",
        "chart",
        "nash",
        "value",
        "heaps",
        "grundy",
    ],
)
def test_json_fields_are_documented(
    command: str, small: str, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = f"{small}.csv"
    Path(matrix).write_text("1,0\n0,1\n", encoding="utf-8")
    game = {
        "solve": ["piglet", "-p", "goal=2", "--table", small],
        "probe": [small],
        "explain": [small],
        "verify": [small],
        "certificate": [small, "--verify"],
        "export": [small, "--to", f"{small}-export.csv"],
        "games": ["piglet"],
        "reproduce": ["nim"],
        "count": ["kayles", "-p", "heaps=3"],
        "sweep": ["piglet", "--over", "goal=1,2", "-p", "players=2"],
        "nash": [matrix, "--all"],
        "heaps": ["0.007", "--to", "3", "--position", "5"],
        "grundy": ["nim"],
        "value": ["hackenbush", "GB", "+", "nim", "2"],
    }
    capsys.readouterr()
    assert main.run([command, *game.get(command, ["piglet", "-p", "goal=2"]), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    section = json_section(command)
    assert section
    for field in fields(answer):
        assert f"`{field}`" in section + json_section("Values"), field


def fields(data: Any) -> Iterator[str]:
    """All names of fields, also of objects inside, but not those that rules or solvers give."""
    if isinstance(data, dict):
        for name, inner in data.items():
            yield name
            if name not in ("parameters", "methods", "rounds", "over", "fixed", "columns"):
                yield from fields(inner)
    elif isinstance(data, list):
        for inner in data:
            yield from fields(inner)


def test_json_of_plans_by_shapes_is_documented() -> None:
    from dataclasses import fields as declared

    from perfectplay.solving.plan_unlabelled import UnlabelledPlan

    assert {each.name for each in declared(UnlabelledPlan)} <= set(
        re.findall(r"`(\w+)`", json_section("plan"))
    )


def test_json_of_bench_is_documented() -> None:
    from perfectplay.cli.benchmark import Bench, Measurement, Time

    row = Measurement("name", "what", 1, Time(1.0, 1.0))
    shown = set(re.findall(r"`(\w+)`", json_section("bench")))
    assert set(fields(Bench((row,)).as_json())) <= shown


if __name__ == "__main__":
    renew_reference()
