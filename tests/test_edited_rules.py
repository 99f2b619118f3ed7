"""Edited rules: every kind of edit in rule_edits.txt changes the digest, so that no table made
before answers after, and edits that change nothing leave it alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rule_edits
from rule_edits import Edit

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
