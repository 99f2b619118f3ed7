"""Loading games, reading parameters, digests of rules."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Literal

import numpy as np
import pytest

from perfectplay.compiled.digest import rules_digest
from perfectplay.errors import RulesError, UsageError
from perfectplay.games import GAMES
from perfectplay.games.catalogue import listed
from perfectplay.rules.game import Game
from perfectplay.rules.load import find, load, make, rules_path

RULES = """
from dataclasses import dataclass
from perfectplay.rules.game import Game
import numpy as np

STEP = 3
TABLE = np.arange(4)
UNUSED = 5

def helper(p):
    return p - STEP + int(TABLE[0])

def shown(p):
    return f"<{p}>"

class Base(Game):
    def start(self):
        return self.heap

@dataclass(frozen=True)
class Hop(Base):
    '''Hop down.'''

    heap: int = 7
    native = NATIVE

    def moves(self, p):
        if p >= STEP:
            yield 0

    def play(self, p, m):
        return helper(p)

    def text(self, p):
        return shown(p)

    def parse(self, s):
        return int(s.strip("<>"))
"""


def written(folder, source, name="rules.py"):
    file = folder / name
    file.write_text(textwrap.dedent(source))
    return file


def digest_of(folder, *edits, native=True):
    source = RULES.replace("NATIVE", str(native))
    for old, new in edits:
        assert old in source
        source = source.replace(old, new)
    return rules_digest(load(f"{written(folder, source)}:Hop"))


# -- Finding. -------------------------------------------------------------------------------------


def test_a_file_with_one_game_needs_no_class(tmp_path):
    file = written(tmp_path, RULES.replace("NATIVE", "False"))
    game = load(f"{file}:Hop", ["heap=9"])
    assert game.start() == 9
    with pytest.raises(UsageError, match="several games: Base, Hop") as caught:
        load(str(file))
    assert str(file) in caught.value.hint
    alone = written(tmp_path, RULES.replace("NATIVE", "False").replace("Base", "_Base"), "one.py")
    assert load(str(alone)).start() == 7


def test_files_are_relative_to_the_current_folder_and_import_their_neighbours(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    written(tmp_path, "SIZE = 4\n", "hop_neighbour.py")
    written(
        tmp_path,
        """
        from perfectplay.rules.game import Game
        from hop_neighbour import SIZE
        class Tiny(Game):
            def start(self): return SIZE
        """,
        "tiny.py",
    )
    game = load("tiny.py:Tiny")
    assert game.start() == 4
    assert rules_path(game) == "tiny.py:Tiny"
    with pytest.raises(UsageError, match="no parameter called 'x'"):
        load("tiny.py:Tiny", ["x=1"])


def test_an_edited_file_is_imported_anew(tmp_path):
    file = written(tmp_path, RULES.replace("NATIVE", "False"))
    first = load(f"{file}:Hop")
    assert type(load(f"{file}:Hop")) is type(first)
    written(tmp_path, RULES.replace("NATIVE", "False").replace("= 7", "= 8"))
    assert load(f"{file}:Hop").start() == 8


BESIDE = """
from perfectplay.rules.game import Game
import helper
from pack import size
class Tiny(Game):
    def start(self):
        return helper.SIZE, size(), helper.deeper()
    def moves(self, p):
        import late
        from pack.inner import INNER
        import importlib
        return late.SIZE, INNER, importlib.import_module("later").SIZE
"""


def beside(folder, size):
    """A folder with rules and helpers of all kinds, which all know one number."""
    (folder / "pack").mkdir(parents=True, exist_ok=True)
    written(folder, BESIDE, "rules.py")
    helper = "def deeper():\n    import deep\n    return deep.SIZE\n"
    written(folder, f"from other import SIZE\n{helper}", "helper.py")
    for name in ("other", "late", "later", "deep"):
        written(folder, f"SIZE = {size}\n", f"{name}.py")
    package = "def size():\n    from . import inner\n    return inner.INNER\n"
    written(folder, package, "pack/__init__.py")
    written(folder, "from .base import INNER\n", "pack/inner.py")
    written(folder, f"INNER = {size}\n", "pack/base.py")
    return f"{folder / 'rules.py'}:Tiny"


def test_helpers_belong_to_their_folder(tmp_path):
    """Also those that helpers import, packages, and what is imported later, inside of methods."""
    path, modules = [*sys.path], set(sys.modules)
    specs = [beside(tmp_path / name, size) for name, size in (("a", 1), ("b", 2), ("c", 3))]
    games = [load(spec) for spec in specs]
    for size, game in enumerate(games, 1):
        assert game.start() == (size, size, size)
        assert game.moves(0) == (size, size, size)
    assert [load(spec).start()[0] for spec in reversed(specs)] == [3, 2, 1]
    assert [type(load(spec)) for spec in specs] == [type(game) for game in games]
    assert sys.path == path
    assert all(name.startswith("_rules") for name in set(sys.modules) - modules)
    assert len({rules_digest(game) for game in games}) == 3


@pytest.mark.parametrize("file", ["other.py", "late.py", "later.py", "deep.py", "pack/base.py"])
def test_an_edited_helper_is_imported_anew(tmp_path, file):
    spec = beside(tmp_path, 1)
    old = load(spec)
    before = old.start() + old.moves(0)
    assert before == (1,) * 6
    digest = rules_digest(old)
    text = (tmp_path / file).read_text()
    (tmp_path / file).write_text(text.replace("1", "5"))
    new = load(spec)
    assert sorted(new.start() + new.moves(0)).count(5) in (1, 2)
    assert rules_digest(new) != digest
    assert old.start() + old.moves(0) == before
    (tmp_path / file).write_text(text)
    assert rules_digest(load(spec)) == digest


def test_a_helper_of_the_users_own_process_is_left_alone(tmp_path, monkeypatch):
    spec = beside(tmp_path / "a", 1)
    beside(tmp_path / "mine", 9)
    monkeypatch.syspath_prepend(tmp_path / "mine")
    mine = importlib.import_module("helper")
    try:
        assert load(spec).start()[0] == 1
        assert sys.modules["helper"] is mine
        assert mine.SIZE == 9
    finally:
        for name in ("helper", "other"):
            sys.modules.pop(name, None)


def test_a_helpers_mistakes_are_told_with_file_and_line(tmp_path):
    spec = beside(tmp_path, 1)
    written(tmp_path, "x = 1\ny = nothing\n", "other.py")
    with pytest.raises(RulesError, match=r"other\.py, line 2: NameError: name 'nothing'"):
        load(spec)
    (tmp_path / "other.py").unlink()
    with pytest.raises(RulesError, match=r"helper\.py, line 1: ModuleNotFoundError") as caught:
        load(spec)
    assert "put other.py beside" in caught.value.hint


def test_helpers_may_have_names_of_the_standard_library(tmp_path):
    written(tmp_path, "SIZE = 4\n", "statistics.py")
    source = "from perfectplay import Game\nimport statistics, random\n"
    source += "class Tiny(Game):\n    def start(self): return statistics.SIZE\n"
    assert load(str(written(tmp_path, source))).start() == 4
    assert hasattr(importlib.import_module("statistics"), "mean")


def test_modules_that_can_be_imported():
    game = load("perfectplay.games.heaps.nim:Nim", {"heaps": [2, 3]})
    assert game.heaps == (2, 3)
    assert rules_path(game) == "nim"
    assert type(load(rules_path(game))) is type(game)
    with pytest.raises(UsageError, match="no module called"):
        load("perfectplay.games.nothing:Nim")
    with pytest.raises(UsageError, match="no class called 'Nimm'") as caught:
        load("perfectplay.games.heaps.nim:Nimm")
    assert "did you mean Nim" in caught.value.hint


def test_names_are_suggested():
    name = next(iter(GAMES))
    assert issubclass(find(name), Game)
    assert find(name.upper()) is find(name)
    with pytest.raises(UsageError, match="no game called") as caught:
        load(name + "x")
    assert f"did you mean {name}" in caught.value.hint


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("def f(:\n", RulesError, r"broken.py, line 1: SyntaxError"),
        ("\n\nx = nothing\n", RulesError, r"broken.py, line 3: NameError: name 'nothing'"),
        ("import no_such_thing\n", RulesError, r"line 1: ModuleNotFoundError"),
        ("raise SystemExit\n", RulesError, r"line 1: SystemExit"),
        ("x = 1\n", UsageError, "no class called 'Hop'"),
        ("class Hop: pass\n", UsageError, "does not derive"),
        (
            "from perfectplay.rules.game import Game\nclass Hop(Game):\n    heap: int = 3\n",
            RulesError,
            r"has fields \(heap\) but is no dataclass",
        ),
    ],
)
def test_a_users_mistakes_are_told_with_file_and_line(tmp_path, source, error, message):
    file = written(tmp_path, source, "broken.py")
    with pytest.raises(error, match=message):
        load(f"{file}:Hop")


def test_a_missing_file_names_its_neighbours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, RULES)
    with pytest.raises(UsageError, match=r"no file rule\.py") as caught:
        load("rule.py")
    assert "rules.py" in caught.value.hint


def test_a_base_may_declare_what_the_class_gives(tmp_path):
    source = """
    from dataclasses import dataclass
    from perfectplay.rules.game import Game
    class _Base(Game):
        goal: int
        step: int
        def start(self): return self.goal
    @dataclass(frozen=True)
    class Hop(_Base):
        goal: int = 4
        step = 2
    """
    assert load(str(written(tmp_path, source))).start() == 4


# -- Parameters. ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Many(Game):
    size: int
    fast: bool = False
    rate: float = 0.5
    name: str = "a"
    heaps: tuple[int, ...] = (1, 2)
    pair: tuple[int, int] = (0, 0)
    most: int | None = None
    style: Literal["long", "short"] = "long"

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("size must not be negative")
        if self.size == 13:
            raise TypeError("thirteen")


def test_parameters_are_read_by_their_types():
    game = make(
        Many,
        ["size=-0", "fast=Yes", "rate=2", "name=b=c", "heaps=3,4,5", "pair=(1, 2)", "most=7",
         "style=short"],
    )  # fmt: skip
    assert game == Many(
        0, fast=True, rate=2.0, name="b=c", heaps=(3, 4, 5), pair=(1, 2), most=7, style="short"
    )
    assert make(Many, {"size": 1, "heaps": [], "most": "none", "rate": 1}).heaps == ()
    assert make(Many, ["size=1", "heaps="]).heaps == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "needs a value for size"),
        (["size=six"], "size=six: expected an integer"),
        (["size=1.5"], "expected an integer"),
        (["size"], "'size' is not a parameter"),
        (["sise=1"], "no parameter called 'sise'"),
        (["size=1", "fast=maybe"], "expected true or false"),
        (["size=1", "heaps=1,x"], "heaps=1,x"),
        (["size=1", "pair=1"], "pair=1"),
        (["size=1", "most=x"], "most=x"),
        (["size=1", "style=tall"], "style=tall"),
        (["size=-1"], "size must not be negative"),
    ],
)
def test_wrong_parameters_are_explained(given, message):
    with pytest.raises(UsageError, match=message) as caught:
        make(Many, given)
    assert caught.value.hint


def test_a_fault_in_post_init_is_the_rules():
    with pytest.raises(RulesError, match=r"line \d+: TypeError: thirteen"):
        make(Many, ["size=13"])


# -- Digests. -------------------------------------------------------------------------------------


def test_digest_ignores_what_does_not_count(tmp_path):
    plain = digest_of(tmp_path)
    assert len(plain) == 16
    assert int(plain, 16) >= 0
    assert digest_of(tmp_path, ("def helper(p):", "def helper(p: int) -> int:  # down")) == plain
    assert digest_of(tmp_path, ("'''Hop down.'''", "'''Other words.'''")) == plain
    assert digest_of(tmp_path, ("UNUSED = 5", "UNUSED = 6\n\n")) == plain
    assert digest_of(tmp_path, ("heap: int = 7", "heap: int = 8")) == plain
    assert digest_of(tmp_path, ('f"<{p}>"', 'f"<{p}>!"')) == plain
    assert (
        digest_of(tmp_path, ("def play(self, p, m):", "def play(self, p, m):\n        'Doc.'"))
        == plain
    )


@pytest.mark.parametrize(
    "edit",
    [
        ("STEP = 3", "STEP = 4"),
        ("np.arange(4)", "np.arange(4) + 1"),
        ("return p - STEP", "return p - 2 * STEP"),
        ("if p >= STEP", "if p > STEP"),
        ("return self.heap", "return self.heap + 1"),
        ("native = True", "native = True\n    misere = True"),
        ("np.arange(4)", "np.arange(4, dtype='int32')"),
    ],
)
def test_digest_covers_all_that_rules_reach(tmp_path, edit):
    assert digest_of(tmp_path, edit) != digest_of(tmp_path)


def test_text_counts_in_plain_games_only(tmp_path):
    edit = ('f"<{p}>"', 'f"<{p}>!"')
    assert digest_of(tmp_path, edit, native=False) != digest_of(tmp_path, native=False)
    assert digest_of(tmp_path, edit) == digest_of(tmp_path)


def test_helpers_of_edges_do_not_count_unless_rules_use_them(tmp_path):
    aside = ("    def parse", "    def cells(self, p):\n        return p\n\n    def parse")
    used = ("return shown(p)", "return shown(self.cells(p))")
    other = ("        return p\n", "        return p + 0\n")
    assert digest_of(tmp_path, aside, used, other) == digest_of(tmp_path, aside, used)
    rule = ("if p >= STEP", "if self.cells(p) >= STEP")
    assert digest_of(tmp_path, aside, used, rule, other) != digest_of(tmp_path, aside, used, rule)


ODD = """
import functools
from perfectplay.rules.game import Game
import digest_neighbour

SETS = frozenset({1, 2, $A})

@functools.cache
def cached(p):
    return p + $B

class Helper:
    size = $C

    def go(self):
        return self.size

HELPER = Helper()

def maker(n):
    def inner(self, p, m):
        return p + n
    return inner

class Odd(Game):
    def start(self):
        return (cached(1), HELPER.go(), 3 in SETS, digest_neighbour.f())

    play = maker($D)
"""


def test_digest_of_other_objects(tmp_path, monkeypatch):
    """Sets, wrapped functions, objects, closures, functions of modules beside."""
    monkeypatch.setattr(sys, "path", [*sys.path])

    def digest(neighbour="1", **numbers):
        (tmp_path / "digest_neighbour.py").write_text(f"def f():\n    return {neighbour}\n")
        sys.modules.pop("digest_neighbour", None)
        sys.modules.pop("_rules_rules", None)
        importlib.invalidate_caches()
        source = Template(ODD).substitute({"A": 5, "B": 5, "C": 5, "D": 5, **numbers})
        return rules_digest(load(f"{written(tmp_path, source)}:Odd"))

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    digests = [digest(), digest(A=6), digest(B=6), digest(C=6), digest(D=6), digest("2 + 20")]
    assert len(set(digests)) == len(digests)
    assert digest() == digests[0]


def test_an_edit_after_the_import_is_not_taken_for_the_running_rules(tmp_path):
    file = written(tmp_path, RULES.replace("NATIVE", "True"))
    game = load(f"{file}:Hop")
    written(tmp_path, RULES.replace("NATIVE", "True").replace("p >= STEP", "p > STEP"))
    stale = rules_digest(game)
    assert stale != rules_digest(load(f"{file}:Hop"))


def test_classes_without_a_file_have_digests():
    def made(step):
        space = {"__name__": "__main__"}
        source = f"class G(Game):\n    def start(self): return {step}\n"
        exec(f"from perfectplay.rules.game import Game\n{source}", space)
        return rules_digest(space["G"]())

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_digest_is_the_same_in_every_process(tmp_path):
    source = RULES.replace("NATIVE", "True")
    file = written(tmp_path, source)
    digest = "from perfectplay.compiled.digest import rules_digest"
    code = f"{digest}\nfrom perfectplay import load\nprint(rules_digest(load({f'{file}:Hop'!r})))"
    main = written(
        tmp_path,
        f"{source}\n{digest}\nprint(rules_digest(Hop()))\n",
        "script.py",
    )
    answers = set()
    for arguments, seed in ((["-c", code], "1"), (["-c", code], "2"), ([str(main)], "3")):
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.add(done.stdout.strip())
    assert answers == {rules_digest(load(f"{file}:Hop"))}


def test_arrays_in_tuples_and_dicts_count():
    def made(number):
        table = {"a": (np.array([1, number]), [number])}

        class G(Game):
            def start(self):
                return table["a"]

        return rules_digest(G())

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_games_of_other_packages_are_found_by_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[perfectplay.games]\nhop-down = others_games:Hop\nnim = others_games:Hop\n"
    )
    (tmp_path / "others_games.py").write_text(RULES.replace("NATIVE", "False"))
    monkeypatch.syspath_prepend(tmp_path)
    game = load("hop_down", ["heap=9"])
    assert type(game).__name__ == "Hop"
    assert rules_path(game) == "others_games:Hop"
    assert load(rules_path(game), {"heap": 9}) == game
    assert type(load("nim")).__name__ == "Nim"  # our own names win
    assert {"name": "hop-down", "summary": "(others_games:Hop)"} in listed()
