"""Parameters that JSON cannot hold: solved in memory, refused in words where a table is made."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from perfectplay import Game, RulesError, Solution, sided, solve
from perfectplay.cli import main


class Style(enum.Enum):
    """A member is no number and no text."""

    SHORT = 2
    LONG = 3


class Level(enum.IntEnum):
    """A member is a number."""

    HIGH = 3


class Anything:
    """An object without a form in JSON."""


class Looped(list[Any]):
    """A list that holds itself."""

    def __init__(self) -> None:
        super().__init__()
        self.append({"again": self})


@dataclass(frozen=True)
class Heap(Game):
    """Take 1 to 3; who cannot take loses."""

    style: Any = Style.LONG
    heap: int = 8

    def start(self) -> int:
        return self.heap

    def moves(self, p: int) -> Any:
        return range(1, min(p, 3) + 1)

    def play(self, p: int, m: int) -> int:
        return p - m


@dataclass(frozen=True)
class Three(Heap):
    """The same for three: who takes the last one wins."""

    players = 3

    def start(self) -> Any:
        return 3, 0

    def to_move(self, p: Any) -> int:
        return p[1] if p[0] else -1

    def moves(self, p: Any) -> Any:
        return range(1, p[0] + 1)

    def play(self, p: Any, m: int) -> Any:
        return p[0] - m, (p[1] + 1) % 3

    def payoff(self, p: Any) -> Any:
        return tuple(int((p[1] + 2) % 3 == player) for player in range(3))


NOT_STORED: list[tuple[Any, str]] = [
    (Style.LONG, "<Style.LONG: 3>"),
    ((1, (Style.SHORT,)), "Style.SHORT"),
    (Anything(), "Anything object"),
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    ((0.5, float("nan")), "nan"),
    (Fraction(1, 3), "Fraction"),
    (frozenset("a"), "frozenset"),
    (b"ab", "b'ab'"),
    (1 + 2j, r"\(1\+2j\)"),
    ({1: "a"}, "{1: 'a'}"),
    (Looped(), "again"),
    (Heap(1), r"Heap\("),
]


@pytest.mark.parametrize(("style", "shown"), NOT_STORED, ids=[str(x)[:20] for _, x in NOT_STORED])
def test_what_json_does_not_give_back_is_refused_where_a_table_is_made(
    style: Any, shown: str, tmp_path: Path
) -> None:
    with pytest.raises(RulesError, match=f"the parameter style is .*{shown}.*cannot store") as no:
        solve(Heap(style), tmp_path / "table")
    assert "without a folder" in no.value.hint
    assert not (tmp_path / "table").exists()
    assert len(no.value.message) < 150


@pytest.mark.parametrize(
    "style",
    [Style.LONG, Anything(), float("nan"), Fraction(1, 3)],
    ids=lambda value: type(value).__name__,
)
def test_in_memory_parameters_may_be_anything(style: Any) -> None:
    assert str(solve(Heap(style)).value(8)) == "loss in 4 plies"


@pytest.mark.parametrize("style", [Level.HIGH, True, None, "ü\n", (1, (2.5, "x")), {"a": [1]}])
def test_what_json_gives_back_is_stored(style: Any, tmp_path: Path) -> None:
    """Opened with the same game, and not solved again."""
    first = solve(Heap(style), tmp_path / "table")
    assert Solution.open(tmp_path / "table", Heap(style)).table.rows == 9
    assert solve(Heap(style), tmp_path / "table").table.signature == first.table.signature
    assert not first.report["solved_before"]


def test_sides_are_refused_too() -> None:
    assert sided(Three("long"), "2+3").players == 2
    with pytest.raises(RulesError, match=r"Style\.LONG: 3>, which a table cannot store"):
        sided(Three(Style.LONG), "2+3")


def test_commands_say_so_or_write_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = f"{__file__}:Heap"
    monkeypatch.chdir(tmp_path)
    assert main.run(["solve", rules]) == RulesError.exit_code
    err = capsys.readouterr().err
    assert "the parameter style is <Style.LONG: 3>" in err
    assert "internal" not in err
    for command in ("search", "plan"):
        assert main.run([command, rules, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["parameters"]["style"] == "Style.LONG"
