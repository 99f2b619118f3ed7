"""Manifests by strangers: nothing that they name is run, and wrong shapes are refused."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfectplay import solve, verify
from perfectplay.answer.solution import Solution
from perfectplay.answer.table_rules import rules_of
from perfectplay.cli import render
from perfectplay.cli.main import run
from perfectplay.errors import TableError, UsageError, VerificationError
from perfectplay.rules.coalitions import sided
from perfectplay.rules.load import load
from perfectplay.strata.sealed_files import sealed, unsealed

EVIL = """
from pathlib import Path
Path(__file__).with_name("executed").write_text("yes")
from perfectplay import Game
class X(Game):
    pass
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("tables") / "nim"
    solve(load("nim", {"heaps": (1, 2)}), folder, plain=True, workers=1)
    return folder


@pytest.fixture
def table(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "table"))


def resealed(table: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the manifest and seal it again, as a stranger can."""
    data = copy.deepcopy(unsealed(table / "manifest.json"))
    change(data)
    (table / "manifest.json").write_bytes(sealed(data))


# -- Nothing is run because a manifest names it. --------------------------------------------------

COMMANDS = (["probe"], ["verify"], ["chart", "--out", "x.svg"], ["play", "--watch"], ["nash"])


@pytest.mark.parametrize(
    "spec",
    [
        "gift/evil.py:X",
        "evil.py:X",
        "evil:X",
        "os:system",
        "antigravity:x",
        "perfectplay.rules.coalitions:Sided",
    ],
)
def test_what_a_manifest_names_is_not_run(
    table: Path, spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "gift").mkdir()
    for folder in (tmp_path, tmp_path / "gift"):
        (folder / "evil.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("antigravity", None)

    def change(data: dict[str, Any]) -> None:
        data["header"]["game"] = spec
        if "coalitions" in spec:
            given = {"of": "evil.py:X", "given": "{}", "sides": ""}
            data["header"]["parameters"] = given

    resealed(table, change)
    for verb, *options in COMMANDS:
        assert run([verb, str(table), *options]) == 4, verb
        assert "--game" in capsys.readouterr().err
    for opening in (Solution.open, verify):
        with pytest.raises(TableError, match="no game of this package"):
            opening(table)
    assert not list(tmp_path.rglob("executed"))
    assert {"evil", "antigravity"}.isdisjoint(sys.modules)


def test_rules_that_the_user_names_are_run(tmp_path: Path, capsys: Any) -> None:
    rules = tmp_path / "rules.py"
    rules.write_text(
        "from perfectplay import Game\n"
        "class Heap(Game):\n"
        "    def start(self): return 4\n"
        "    def moves(self, p): return range(1, min(p, 3) + 1)\n"
        "    def play(self, p, m): return p - m\n"
    )
    folder, spec = str(tmp_path / "table"), f"{rules}:Heap"
    solve(load(spec), folder, workers=1)
    assert run(["probe", folder]) == 4
    assert "--game path/to/file.py:Class" in capsys.readouterr().err
    assert run(["probe", folder, "--game", spec]) == 0
    assert run(["verify", folder, "--game", spec]) == 0
    assert "loss in 2 plies" in capsys.readouterr().out
    assert str(Solution.open(folder, load(spec)).value(4)) == "loss in 2 plies"
    assert verify(folder, game=load(spec)).rows == 5


def test_sides_are_taken_in_games_of_this_package_only(tmp_path: Path) -> None:
    game = sided(load("piglet", {"goal": 2, "players": 3}), "2+3")
    solve(game, tmp_path / "t", plain=True, workers=1)
    assert Solution.open(tmp_path / "t").game == game
    header = unsealed(tmp_path / "t" / "manifest.json")["header"]
    with pytest.raises(UsageError, match="no game of its own"):
        rules_of(header, "t", type(game))


# -- Nothing is opened because a manifest names it. -----------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd", "/etc/passwd", "../table/part-000000.parquet", "part-000001.parquet",
        "./part-000000.parquet", "part-000000.parquet\0", "part-0.parquet", "manifest.json", "",
    ],
)  # fmt: skip
def test_parts_have_the_names_that_perfectplay_gives(
    table: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resealed(table, lambda data: data["parts"][0].update(file=name))
    opened: list[str] = []
    real = Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, *a, **k: (opened.append(str(path)), real(path, *a, **k))[1]
    )
    for opening in (Solution.open, verify):
        with pytest.raises(TableError, match=r"parts\[0\].file"):
            opening(table)
    assert set(opened) <= {str(table / "manifest.json")}


def test_a_part_that_is_no_ordinary_file_is_refused(table: Path) -> None:
    (table / "part-000000.parquet").unlink()
    os.mkfifo(table / "part-000000.parquet")
    with pytest.raises(TableError, match="no ordinary file"):
        Solution.open(table)


# -- Shapes. --------------------------------------------------------------------------------------

PLACES = [
    *(["header", "extra", "width", "rows", "signature", "parts"]),
    *(f"header.{name}" for name in ("game", "parameters", "rules", "plain", "exact", "ties")),
    "header.facts",
    *(f"header.facts.{name}" for name in ("players", "scalar", "chance", "rewards", "outcome")),
    *(f"header.facts.{name}" for name in ("endless", "minimise", "scale", "offset")),
    *(f"extra.{name}" for name in ("methods", "strata", "notes", "residual", "policy_gap")),
    *(f"parts.0.{name}" for name in ("file", "first", "rows", "strata", "groups", "footer")),
    *(f"parts.0.{name}" for name in ("hash", "chain", "work")),
    *(f"parts.0.strata.0.{i}" for i in range(2)),
    *(f"parts.0.groups.0.{i}" for i in range(5)),
    *(f"parts.0.footer.{i}" for i in range(3)),
    "parts.0.groups.0.4.0",
]
GONE = object()
WRONG = [GONE, None, [], {}, "x", -1, 1.5, True, 10**30, [[]], [{}], {"x": 1}, float("inf")]


def place(data: Any, path: list[str]) -> tuple[Any, Any]:
    for name in path[:-1]:
        data = data[int(name) if isinstance(data, list) else name]
    return data, int(path[-1]) if isinstance(data, list) else path[-1]


@pytest.mark.parametrize("path", PLACES)
def test_every_field_of_a_wrong_shape_is_refused(finished: Path, table: Path, path: str) -> None:
    """What is not refused must be right in spite of the change: an empty dictionary may be what
    is there."""
    original = unsealed(finished / "manifest.json")
    for wrong in WRONG:
        data = copy.deepcopy(original)
        inside, name = place(data, path.split("."))
        if wrong is GONE:
            del inside[name]
        elif type(inside[name]) is type(wrong) and path != "parts.0.file":
            continue
        else:
            inside[name] = wrong
        (table / "manifest.json").write_bytes(sealed(data))
        with pytest.raises((TableError, VerificationError)):
            verify(table)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(rows=data["rows"] + 1),
        lambda data: data["parts"][0].update(rows=data["parts"][0]["rows"] + 1),
        lambda data: data["parts"][0]["strata"][0].__setitem__(1, 99),
        lambda data: data["parts"][0]["groups"][0].__setitem__(3, 99),
        lambda data: data["parts"][0].update(first=1),
        lambda data: data["parts"].append(data["parts"][0]),
        lambda data: data["parts"].clear(),
        lambda data: data["parts"][0]["groups"].clear(),
        lambda data: data["parts"][0]["strata"].clear(),
        lambda data: data["parts"][0]["strata"].append([-5, 1]),
        lambda data: data["parts"][0]["footer"].__setitem__(0, 10**6),
        lambda data: data["header"]["facts"].update(unknown=1),
        lambda data: data["header"].update(numbers="whole"),
        lambda data: data["extra"].update(denominators={"0": "0"}),
        lambda data: data.update(more=1),
        lambda data: data.update(signature="0" * 12),
        lambda data: data.update(width=1),
        lambda data: data.update(width=10**9),
    ],
)
def test_counts_that_contradict_each_other_are_refused(table: Path, change: Any) -> None:
    resealed(table, change)
    with pytest.raises(TableError):
        verify(table)


@pytest.mark.parametrize(
    "body",
    [
        "[", "[]", "{}", '{"format": 3}', "nonsense", "{" * 100_000, '{"a": {"float": "x"}}',
        '{"a": {"float": []}}', '{"format": "perfectplay table", "version": "2"}', "\x00",
        '{"format": "perfectplay table", "version": 1, "header": []}',
        '{"format": "perfectplay table", "version": 1, "header": {"game": 3}}',
        '{"a": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_sealed_texts_that_perfectplay_did_not_write(table: Path, body: str, capsys: Any) -> None:
    text = body.encode()
    seal = f'  "checksum": "{hashlib.sha256(text).hexdigest()}"\n}}\n'.encode()
    (table / "manifest.json").write_bytes(text + seal)
    for verb in ("probe", "verify"):
        assert run([verb, str(table)]) == 4
    assert "internal" not in capsys.readouterr().err


def test_a_journal_of_a_wrong_shape_counts_for_nothing(table: Path, finished: Path) -> None:
    whole = unsealed(table / "manifest.json")
    want = (table / "manifest.json").read_bytes()
    game = load("nim", {"heaps": (1, 2)})
    for part in ({}, {**whole["parts"][0], "strata": []}, {**whole["parts"][0], "file": "/x"}):
        (table / "manifest.json").unlink()
        begun = {"header": whole["header"], "width": whole["width"]}
        (table / "unfinished.json").write_bytes(sealed(begun))
        (table / "part-000000.json").write_bytes(sealed(part))
        solve(game, table, plain=True, workers=1)
        assert (table / "manifest.json").read_bytes() == want
    (table / "manifest.json").unlink()
    (table / "unfinished.json").write_bytes(sealed({"header": 3}))
    with pytest.raises(TableError, match="not as perfectplay writes it: header"):
        solve(game, table, plain=True, workers=1)


# -- Texts. ---------------------------------------------------------------------------------------


STEERING = "\x1b]0;title\x07\x9b2J\u202e\u2066\r\b\x7f\u2028"
STEERS = {each for each in STEERING if not each.isprintable()}
LOUD = f"""
from perfectplay import Game
BAD = {STEERING!a} + "\\nerror: not mine"
class Heap(Game):
    def start(self): return 2
    def to_move(self, p): return p % 2
    def moves(self, p): return range(1, min(p, 2) + 1)
    def play(self, p, m): return p - m
    def text(self, p): return f"{{p}}{{BAD}}"
    def parse(self, s):
        if s == "no": raise ValueError(BAD)
        return int(s[0])
    def move_text(self, p, m): return f"{{m}}{{BAD}}"
    def player_name(self, i): return f"{{i}}{{BAD}}"
"""


def test_texts_of_rules_and_manifests_do_not_steer_the_terminal(
    table: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.py").write_text(LOUD)
    spec, folder = f"{tmp_path / 'rules.py'}:Heap", str(tmp_path / "t")
    solve(load(spec), folder, workers=1)
    monkeypatch.setattr("builtins.input", lambda prompt: render.say(prompt) or "q")
    for words in (
        ["probe", folder],
        ["probe", folder, "no"],
        ["probe", folder, "--json"],
        ["play", folder, "--watch"],
        ["play", folder, "--hints"],
    ):
        assert run([*words, "--game", spec]) == (2 if "no" in words else 0), words
        both = "".join(capsys.readouterr())
        assert not set(both) & STEERS, words
        assert "title" in both
        assert not any(line.startswith("error: not mine") for line in both.splitlines())
    resealed(table, lambda data: data["header"].update(game=f"gift{STEERING}.py:X"))
    assert run(["probe", str(table)]) == 4
    both = "".join(capsys.readouterr())
    assert "title" in both
    assert not set(both) & STEERS


def test_half_characters_can_be_shown(capsys: Any) -> None:
    render.say("a\ud800")
    render.note("b\udfff\tc")
    render.columns([["d\ne", "f"]])
    assert "".join(capsys.readouterr()) == "a\\ud800\nd\\ne  f\nb\\udfff\tc\n"


def test_json_stays_json(capsys: Any) -> None:
    text = "\x1b\x9b\u202e\ud800é\n"
    render.emit({"text": text})
    out = capsys.readouterr().out
    assert json.loads(out) == {"text": text}
    assert out[:-1].isprintable()
