"""Edited rules: every kind of edit in rule_edits.txt changes the digest, so that no table made
before answers after, and edits that change nothing leave it alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rule_edits
from rule_edits import Edit

from perfectplay.games import GAMES

EDITS = rule_edits.read()
ASK = """
import json, os, sys
from perfectplay.compiled.digest import not_followed, rules_digest
from perfectplay.rules.load import load

found = {}
for name, file, environment in json.load(sys.stdin):
    os.environ.update(environment)
    sys.path.insert(0, os.path.join(os.path.dirname(file), "site-packages"))
    game = load(file + ":Hop")
    found[name] = rules_digest(game), not_followed(game), len(list(game.moves(20)))
    del sys.path[0]
    for variable in environment:
        del os.environ[variable]
print(json.dumps(found))
"""
Answers = dict[str, tuple[str, list[str], int]]


def asked(jobs: list[Any], **settings: Any) -> Answers:
    """Digest, reasons to refuse and number of moves of each game, from one new process."""
    environment = {**os.environ, **settings.pop("environment", {})}
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASK],
        input=json.dumps(jobs),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **settings,
    )
    assert done.returncode == 0, done.stderr
    found: Answers = json.loads(done.stdout)
    return found


def digests(folder: Path, edits: list[Edit], *, after: bool, **settings: Any) -> Answers:
    jobs = [
        (each.name, str(each.write(folder, after=after)), each.variables(after=after))
        for each in edits
    ]
    return asked(jobs, **settings)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answers, Answers]:
    """All kinds before and after, each in a new process, in the same folder."""
    folder = tmp_path_factory.mktemp("edits")
    before = digests(folder, EDITS, after=False)
    return before, digests(folder, EDITS, after=True)


def test_there_are_many_kinds_of_edits() -> None:
    assert len({each.folder for each in EDITS}) == len(EDITS) >= 150


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.folder)
def test_an_edit_changes_the_digest(edit: Edit, both: tuple[Answers, Answers]) -> None:
    (before, old, many), (after, new, fewer) = both[0][edit.name], both[1][edit.name]
    assert before != after
    assert bool(old) == bool(new) == edit.refused == before.startswith("?"), old or new
    assert edit.name in SAME_MOVES or (many, fewer) == (3, 2)


SAME_MOVES = {
    "payoff",
    "misère play",
    "the text of positions, by which tables find them",
}
"""Edits that do not change what may be taken."""


# -- Edits that change nothing. -------------------------------------------------------------------

READ = {
    "a docstring that is data",
    "annotations that are data",
    "a docstring found with vars",
    "a docstring found by inspect",
    "the docstring of a module",
    "the parameters of a function",
    "the type of a field",
    "run_path of a file",
}
"""Kinds in which words are data, or in which a file is read, not imported."""
COSMETIC = [each for each in EDITS if not each.refused and each.name not in READ]


def cosmetic(source: str) -> str:
    """Other words: comments, docstrings, annotations, blank lines."""
    words = re.sub(
        r"^( *)def (\w+)\((.*)\):$",
        r'\n\n\1def \2(\3) -> "object":  # words\n\1    """Words."""\n\n\1    # more words',
        source,
        flags=re.MULTILINE,
    )
    return f'"""Words."""\n\n# words\n{words}'


def test_words_places_and_hash_seeds_leave_the_digest_alone(
    tmp_path: Path, both: tuple[Answers, Answers]
) -> None:
    """The same rules with other comments, docstrings, annotations and blank lines, in another
    folder, seen from another folder, with another hash seed."""
    jobs = []
    for each in COSMETIC:
        file = each.write(tmp_path / "moved", after=False)
        for name in each.files:
            if name.endswith(".py") and "site-packages" not in name:
                path = file.parent / name
                path.write_text(cosmetic(path.read_text()))
        jobs.append((each.name, str(file), each.variables(after=False)))
    (tmp_path / "elsewhere").mkdir()
    found = asked(jobs, cwd=tmp_path / "elsewhere", environment={"PYTHONHASHSEED": "7"})
    assert {name: digest for name, (digest, _, _) in found.items()} == {
        each.name: both[0][each.name][0] for each in COSMETIC
    }


BUILT_IN = """
from perfectplay import load
from perfectplay.compiled.digest import compiled_digest, rules_digest
from perfectplay.games import GAMES
for name in GAMES:
    print(name, rules_digest(load(name)), compiled_digest(load(name)))
"""


def test_digests_of_the_collection_are_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    answers = []
    for seed in "012":
        done = subprocess.run(
            [sys.executable, "-c", BUILT_IN],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(done.stdout.splitlines())
    assert len(answers[0]) == len(GAMES)
    assert all(re.fullmatch(r"\S+ [0-9a-f]{16} [0-9a-f]{16}", line) for line in answers[0])
    assert answers[0] == answers[1] == answers[2]


# -- Solved, edited, asked again. -----------------------------------------------------------------

USE = """
import json, os, sys
from perfectplay import Solution, solve
from perfectplay.errors import TableError
from perfectplay.rules.load import load

found = {}
for name, file, environment in json.load(sys.stdin):
    os.environ.update(environment)
    sys.path.insert(0, os.path.join(os.path.dirname(file), "site-packages"))
    game, table = load(file + ":Hop"), os.path.join(os.path.dirname(file), "table")
    try:
        solution = solve(game, table) if sys.argv[1] == "solve" else Solution.open(table, game)
        found[name] = "loss" if solution.value(solution.start).outcome < 0 else "win"
    except TableError as error:
        found[name] = error.message
    del sys.path[0]
    for variable in environment:
        del os.environ[variable]
print(json.dumps(found))
"""


def used(verb: str, folder: Path, edits: list[Edit], *, after: bool) -> dict[str, str]:
    """What each game's first position is worth, or why its table is refused, in a new process."""
    jobs = [
        (each.name, str(each.write(folder, after=after)), each.variables(after=after))
        for each in edits
    ]
    done = subprocess.run(
        [sys.executable, "-B", "-c", USE, verb],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def never_stale(folder: Path, edits: list[Edit]) -> None:
    """Each game is solved, asked in a new process, edited, and asked in another one."""
    edits = [each for each in edits if each.name not in NOT_SOLVED]
    solved = used("solve", folder, edits, after=False)
    again = used("open", folder, edits, after=False)
    edited = used("open", folder, edits, after=True)
    for each in edits:
        worth = "win" if each.name in WON else "loss"
        assert solved[each.name] == worth, each.name
        assert again[each.name] == worth or each.refused, (each.name, again[each.name])
        refused = edited[each.name].partition("table ")[2] or edited[each.name]
        assert "was made with" in refused, (each.name, edited[each.name])
        if each.refused:
            assert "nothing shows that" in again[each.name]


NOT_SOLVED = {
    "objects nested too deeply (refused)",
    "a class of positions",
    "the method of a parameter's class",
}
"""Games that are too deep to copy, or whose tables cannot record a parameter."""
WON: set[str] = set()
FEW = EDITS[:: len(EDITS) // 8]


def test_no_table_answers_for_rules_that_were_edited_since(tmp_path: Path) -> None:
    never_stale(tmp_path, FEW)


@pytest.mark.slow
def test_no_table_answers_for_rules_that_were_edited_since_in_any_way(tmp_path: Path) -> None:
    never_stale(tmp_path, EDITS)


MEMO = """
import functools
from perfectplay import Game

KNOWN = {}

@functools.cache
def most(p):
    return min(p, 3)

class Hop(Game):
    seen = []
    def start(self):
        return 20
    def moves(self, p):
        self.seen.append(p)
        if p not in KNOWN:
            import helper
            KNOWN[p] = min(most(p), helper.MOST)
        return range(1, KNOWN[p] + 1)
    def play(self, p, take):
        return p - take
"""


def test_what_rules_remember_while_they_run_is_no_edit(tmp_path: Path) -> None:
    memo = Edit("memo", {"rules.py": MEMO, "helper.py": "MOST = 3\n"})
    for verb in ("solve", "open", "solve"):
        assert used(verb, tmp_path, [memo], after=False) == {"memo": "loss"}


def perfectplay(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from perfectplay.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PERFECTPLAY_TABLES": str(folder / "tables"), **variables},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_say_which_rules_cannot_be_compared_and_why(tmp_path: Path) -> None:
    name = "an environment variable whose name only shows when it runs (refused)"
    edit = next(each for each in EDITS if each.name == name)
    rules = str(edit.write(tmp_path, after=False).relative_to(tmp_path))
    for most, value in (("3", "loss"), ("2", "win")):  # solved again, not read from the table
        done = perfectplay(tmp_path, "solve", f"{rules}:Hop", HOP_MOST=most)
        assert done.returncode == 0, done.stderr
        assert value in done.stdout
    done = perfectplay(tmp_path, "probe", f"{rules}:Hop", HOP_MOST="2")
    assert done.returncode == 4
    said = " ".join(done.stderr.split())
    assert "nothing shows that" in said
    assert "_most() in rules.py, line 9, reads an environment variable" in said
    assert "make that a parameter of the rules" in said
