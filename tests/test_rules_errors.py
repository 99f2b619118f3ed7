"""Errors in rules: each names the method, the position and the line, wherever the rules run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from perfectplay import (
    CHANCE,
    OVER,
    Game,
    RulesError,
    Solution,
    check,
    plan,
    search,
    searches,
    solve,
    verify,
)
from perfectplay.answer.evaluate import evaluate
from perfectplay.cli import main
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.positions.failures import from_traceback

NOTHING: Any = 0
"""What a mistake divides by."""


@dataclass(frozen=True)
class Coins(Game):
    """Take one or two counters; after each move a coin decides whether one more goes. Absolute
    play with chance, so that every method is asked."""

    heap: int = 6
    wrong: str = ""

    def slip(self, method: str, p: Any) -> None:
        if method == self.wrong and p[0] == 3:
            p[0] // NOTHING

    def start(self):
        return (self.heap, 0, 0) if self.wrong != "start" else 1 // NOTHING

    def to_move(self, p):
        self.slip("to_move", p)
        return OVER if p[0] == 0 else CHANCE if p[2] else p[1]

    def moves(self, p):
        self.slip("moves", p)
        yield from range(1, min(2, p[0]) + 1)

    def play(self, p, m):
        self.slip("play", p)
        p = p[0] - m, 1 - p[1]  # the position that was given is shown all the same
        return (*p, int(p[0] > 0))

    def chances(self, p):
        self.slip("chances", p)
        yield 1, (p[0], p[1], 0)
        yield 1, (p[0] - 1, p[1], 0)

    def payoff(self, p):
        if self.wrong == "payoff":
            return p[0] // NOTHING
        return 1 if p[1] else -1

    def reward(self, p, m):
        self.slip("reward", p)
        return 0

    def stratum(self, p):
        self.slip("stratum", p)
        return 2 * p[0] + p[2]

    def turn(self, p):
        self.slip("turn", p)
        return p[1]

    def representative(self, p):
        self.slip("representative", p)
        return (p[0], 0, p[2])

    def text(self, p):
        self.slip("text", p)
        return "/".join(map(str, p))

    def parse(self, s):
        if self.wrong == "parse" and s.startswith("3"):
            return int(s) // NOTHING
        return tuple(map(int, s.split("/")))

    def move_text(self, p, m):
        self.slip("move_text", p)
        return f"take {m}"

    def picture(self, p):
        return str(p[0] // NOTHING) if self.wrong == "picture" else ""

    def player_name(self, i):
        return str(i // NOTHING) if self.wrong == "player_name" else f"player {i}"


class Several(Coins):
    """The same with several first positions."""

    def starts(self):
        yield (4, 0, 0)
        yield 1 // NOTHING


def line_of(function: Callable[..., Any], text: str) -> int:
    """The line of a function in which a text stands."""
    source, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(source) if text in line)


ASKED_TO_SOLVE = (
    "start", "to_move", "moves", "play", "chances", "payoff", "reward", "stratum",
    "turn", "representative", "text",
)  # fmt: skip


def refused(run: Callable[[], Any]) -> str:
    with pytest.raises(RulesError) as caught:
        run()
    assert caught.value.hint
    return caught.value.message


@pytest.mark.parametrize("method", ASKED_TO_SOLVE)
def test_solving_names_method_position_and_line(method: str) -> None:
    told = refused(lambda: solve(Coins(wrong=method)))
    assert told.startswith("Coins: ZeroDivisionError")
    assert f"in `{method}`" in told
    body = getattr(Coins, method) if "self.slip" not in source(method) else Coins.slip
    assert f"line {line_of(body, '// NOTHING')} of test_rules_errors.py" in told
    if method not in ("start", "payoff"):
        assert re.search(r"at \(3, \d, \d\)", told), told


def test_several_first_positions_are_covered() -> None:
    line = line_of(Several.starts, "//")
    assert f"line {line} of test_rules_errors.py (yield 1 // NOTHING) in `starts`" in refused(
        lambda: solve(Several())
    )


def source(method: str) -> str:
    return inspect.getsource(getattr(Coins, method))


@pytest.mark.parametrize("method", ["start", "to_move", "moves", "play", "chances", "reward"])
@pytest.mark.parametrize("ask", [plan, search, check], ids=lambda ask: ask.__name__)
def test_every_way_to_ask_names_them(ask: Callable[..., Any], method: str) -> None:
    if ask is check:
        (problem,) = check(Coins(wrong=method)).problems
        assert problem.method == method
        told = problem.message
    else:
        told = refused(lambda: ask(Coins(wrong=method)))
    assert "ZeroDivisionError" in told
    assert "of test_rules_errors.py" in told
    assert method == "start" or re.search(r"at \(3, \d, \d\)", told), told


@pytest.fixture(scope="module")
def solved() -> Solution:
    return solve(Coins())


@pytest.mark.parametrize(
    ("method", "ask"),
    [
        ("moves", lambda s: s.moves((3, 0, 0))),
        ("play", lambda s: s.line((4, 0, 0))),
        ("reward", lambda s: s.analyse((3, 0, 0))),
        ("move_text", lambda s: s.analyse((3, 0, 0))),
        ("chances", lambda s: s.chances((3, 0, 1))),
        ("to_move", lambda s: s.to_move((3, 0, 0))),
        ("picture", lambda s: s._repr_mimebundle_()),
        ("player_name", lambda s: s.player_names()),
    ],
)
def test_answers_name_them(solved: Solution, method: str, ask: Callable[[Solution], Any]) -> None:
    told = refused(lambda: ask(Solution(Coins(wrong=method), solved.table, solved.report)))
    assert "ZeroDivisionError" in told
    assert f"in `{method}`" in told


def test_verifying_and_evaluating_name_them(solved: Solution, tmp_path: Path) -> None:
    told = refused(lambda: verify(solved.table, Coins(wrong="play")))
    assert "ZeroDivisionError at (3, 0, 0)" in told
    told = refused(lambda: evaluate(Coins(wrong="reward"), lambda game, p: 1))
    assert "in `reward`" in told


def test_the_command_line_says_it_and_leaves_with_the_code_of_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getsource(Coins).replace("@dataclass(frozen=True)", "")
    Path("coins.py").write_text(
        "from dataclasses import dataclass\nfrom typing import Any\n"
        "from perfectplay import CHANCE, OVER, Game\nNOTHING = 0\n\n@dataclass(frozen=True)\n"
        + text.lstrip(),
        encoding="utf-8",
    )
    lines = Path("coins.py").read_text("utf-8").splitlines()
    number = 1 + next(i for i, line in enumerate(lines) if "else 1 // NOTHING" in line)
    for command in ("solve", "search", "plan", "check"):
        assert main.run([command, "coins.py", "-p", "wrong=start"]) == 3
        assert f"ZeroDivisionError, line {number} of coins.py" in "".join(capsys.readouterr())
    assert main.run(["solve", "coins.py", "--table", "t"]) == 0
    Path("coins.py").write_text(
        Path("coins.py").read_text("utf-8").replace('f"take {m}"', '"ab"[m + 7]'), "utf-8"
    )
    capsys.readouterr()
    assert main.run(["solve", "coins.py", "--table", "t2"]) == 0  # moves are not shown yet
    for command in (["probe", "--table", "t2"], ["play", "--watch", "--table", "t2"]):
        assert main.run([command[0], "coins.py", *command[1:]]) == 3
        said = capsys.readouterr().err
        assert re.search(r"IndexError at \(6, 0, 0\) \(6/0/0\), move \d, line", said)


# -- Answers of the wrong form. -------------------------------------------------------------------


@dataclass(frozen=True)
class Taking(Game):
    """Take one to three counters; a sound game for others to spoil."""

    heap: int = 7

    def start(self) -> Any:
        return self.heap

    def moves(self, p: Any) -> Any:
        return [take for take in (1, 2, 3) if take <= p]

    def play(self, p: Any, m: Any) -> Any:
        return p - m


class Thrown(Taking):
    """The same, in which a coin falls at 5."""

    def to_move(self, p: Any) -> Any:
        return CHANCE if p == 5 else p % 2

    def chances(self, p: Any) -> Any:
        return [(1, 4), (3, 3)]


def spoiled(base: type[Taking] = Taking, **methods: Any) -> Game:
    return type(base.__name__, (base,), methods)()


def again(self: Any, p: Any) -> Any:
    return again(self, p)


def keeps(self: Any, p: Any, m: Any) -> Any:
    self.heap = p - m
    return self.heap


def yields(self: Any, p: Any, m: Any) -> Any:
    yield p - m


def set_in_place(self: Any, p: Any, m: Any) -> Any:
    p[0] = m
    return p


def nothing_next(self: Any, p: Any) -> Any:
    yield next(iter(()))


SPOILED = [
    (spoiled(moves=lambda self, p: None), "moves(p) is None at 7", "without `yield`"),
    (spoiled(moves=lambda self, p: 3), "moves(p) is 3 at 7", "return a list"),
    (spoiled(moves=lambda self: [1]), "TypeError at 7", "asked for moves(p)"),
    (spoiled(moves=again), "RecursionError at 7, line", "calls itself"),
    (spoiled(moves=nothing_next), "RuntimeError at 7, line", "next(…) found nothing"),
    (spoiled(play=lambda self, p, m: None), "leads nowhere: None at 7, move 1", "`return`"),
    (spoiled(play=lambda self, p, m: [p - m]), "gives [6], which is not hashable", "tuples"),
    (spoiled(play=lambda self, p, m: (1, [m])), "(1, [1]), which is not hashable", "tuples"),
    (spoiled(play=keeps), "FrozenInstanceError at 7, move 1, line", "keep nothing in self"),
    (spoiled(play=yields), "is a generator at 7, move 1", "no `yield`"),
    (spoiled(play=set_in_place), "TypeError at 7, move 1, line", "never changed"),
    (spoiled(start=lambda self: [7]), "start() gives [7], which is not hashable", "tuples"),
    (spoiled(start=lambda self: None), "start() leads nowhere: None", "`return`"),
    (spoiled(payoff=lambda self, p: 0.5), "payoff(p) is 0.5 at 0", "half points"),
    (spoiled(payoff=lambda self, p: None), "payoff(p) is None at 0", "`return`"),
    (spoiled(payoff=lambda self, p: (1, 0, 0)), "payoff(p) has 3 numbers at 0", "tuple"),
    (spoiled(reward=lambda self, p, m: 0.5), "reward(p, m) is 0.5 at 7, move 1", "half points"),
    (spoiled(stratum=lambda self, p: None), "stratum(p) is None at 6", "integer"),
    (spoiled(stratum=lambda self, p: p / 2), "stratum(p) is 3.0 at 6", "integer"),
    (spoiled(to_move=lambda self, p: None), "to_move(p) is None at 7", "CHANCE"),
    (spoiled(Thrown, chances=lambda self, p: None), "chances(p) is None at 5", "`yield`"),
    (spoiled(Thrown, chances=lambda self, p: [4]), "chances(p) yields 4 at 5", "pairs"),
    (spoiled(Thrown, chances=lambda self, p: []), "yields nothing", "at least one"),
    (spoiled(Thrown, chances=lambda self, p: [(0.5, 4)]), "weight", "greater than 0"),
    (spoiled(Thrown, chances=lambda self, p: [(-1, 4)]), "weight", "greater than 0"),
    (spoiled(Thrown, chances=lambda self, p: [(0, 4)]), "weight", "greater than 0"),
]


@pytest.mark.parametrize(
    ("game", "told", "hint"),
    SPOILED,
    ids=[f"{i} {told}" for i, (_, told, _) in enumerate(SPOILED)],
)
def test_answers_of_the_wrong_form_are_named_in_the_authors_terms(
    game: Game, told: str, hint: str
) -> None:
    with pytest.raises(RulesError) as caught:
        solve(game)
    assert told in caught.value.message
    assert hint in caught.value.hint
    (problem,) = check(game).problems
    assert problem.hint
    assert problem.method in vars(Game)


def test_several_searches_name_them_too() -> None:
    told = refused(lambda: list(searches(Coins(wrong="play"), [(5, 0, 0)])))
    assert re.search(r"ZeroDivisionError at \(3, \d, 0\)", told), told


def test_a_search_refuses_what_is_no_integer() -> None:
    with pytest.raises(RulesError, match=r"payoff\(p\) is 0\.5 at 0"):
        search(spoiled(payoff=lambda self, p: 0.5))


def test_exceptions_of_the_engine_are_not_blamed_on_the_rules() -> None:
    with pytest.raises(TypeError) as caught:
        solve(Taking(), workers="two")  # type: ignore[arg-type]
    assert from_traceback(caught.value) is None


def test_rules_without_a_required_method_say_so() -> None:
    class Bare(Game):
        def start(self) -> Any:
            return 0

    assert refused_plainly(Bare()) == "Bare: Bare must define moves(p)"


def refused_plainly(game: Game) -> str:
    with pytest.raises(RulesError) as caught:
        solve(game)
    return caught.value.message


# -- Native rules. --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Divided(Game):
    """Compiled rules that divide by nought at one position far from the start, or raise."""

    heap: int = 400
    fails: int = 57

    native = True

    def start(self):
        return (self.heap, 0)

    def moves(self, p):
        for take in range(1, 3):
            if take <= p[0]:
                yield take

    def play(self, p, m):
        if p[0] == self.fails + 100:
            raise ValueError("never here")
        return (p[0] - m, 0 // (p[0] - self.fails))


def test_native_rules_are_asked_again_where_they_failed() -> None:
    told = refused(lambda: solve(Divided()))
    line = line_of(Divided.play, "raise")
    assert f"ValueError at (157, 0), move 1, line {line} of test_rules_errors.py" in told
    told = refused(lambda: solve(Divided(heap=150)))
    line = line_of(Divided.play, "//")
    assert f"ZeroDivisionError at (57, 0), move 1, line {line} of test_rules_errors.py" in told
    told = refused(lambda: search(Divided(heap=60)))
    assert f"ZeroDivisionError at (57, 0), move 1, line {line}" in told


def test_what_only_compiled_rules_do_is_said_with_the_position() -> None:
    rules = NativeExpander(Divided(heap=60))
    keys = rules.keys([(60, 0), (59, 0)])

    def fails(*given: Any) -> None:
        given[4].kind[0] = 0  # the first row is done
        raise IndexError("out of range")

    rules._kernel = fails
    told = refused(lambda: rules.expand(keys))
    assert "compiled rules raise IndexError at (59, 0), interpreted ones do not" in told
