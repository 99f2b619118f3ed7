"""Published figures: how they are compared, that the rows make sense, and the command."""

import json
import shlex
import sys
from fractions import Fraction

import pytest

from perfectplay import UsageError, load, reproduce
from perfectplay.cli import main
from perfectplay.sums.reading import read_sum
from perfectplay.verification.published.quantities import split_parameters
from perfectplay.verification.published.quantity import Quantity, meets
from perfectplay.verification.published.reproduce import Figure, Recomputed, chosen, figures
from perfectplay.verification.published.subjects import known

MODULE = sys.modules[
    "perfectplay.verification.published.reproduce"
]  # the name in the package is the function


def number(lower, upper=None):
    return Quantity("", Fraction(lower), Fraction(upper if upper is not None else lower))


@pytest.mark.parametrize(
    ("found", "figure", "same"),
    [
        (number("4/7"), "4/7", True),
        (number("4/7"), "5/7", False),
        (number("0.530592725"), "0.5306", True),
        (number("0.5305"), "0.5306", False),
        (number("0.684"), "68 %", True),
        (number("0.5117"), "50 %", False),
        (number("0.00362218"), "1 in 276", True),
        (number("0.0036"), "1 in 276", False),
        (number(3945711), "3,945,711", True),
        (number(-2), "-2", True),
        (number("0.5", "0.5000000000001"), "0.5", True),
        (number("0.4", "0.6"), "0.5", False),  # bounds too wide to say
        (Quantity("win"), "win", True),
        (Quantity("win"), "draw", False),
        (Quantity("b; a"), "a;b", True),
        (Quantity("win"), "1/2", False),
        (number(1), "win", False),
    ],
)
def test_a_figure_is_met_in_the_digits_it_has(found, figure, same):
    assert meets(found, figure) is same


def test_rows_name_games_parameters_and_quantities_that_exist():
    rows = figures()
    assert len(rows) > 20
    for row in rows:
        if row.subject.kind == "sum":
            assert read_sum([row.game, *shlex.split(row.position)]).parts, row
        else:
            load(row.game, split_parameters(row.parameters))
        assert row.quantity.partition(":")[0] in known(), row
        assert row.source, row
        assert row.figure, row


def test_no_row_stands_twice():
    asked = [(f.source, f.game, f.parameters, f.position, f.quantity) for f in figures()]
    twice = {each for each in asked if asked.count(each) > 1}
    assert not twice


def test_parameters_with_commas():
    assert split_parameters("heaps=1,2,3,misere=true") == ["heaps=1,2,3", "misere=true"]
    assert split_parameters("") == []


def test_quick_rows_come_out():
    done = reproduce(["nim", "piglet", "ovid", "fifteen"])
    assert not done.failed
    assert {found.figure.game for found in done.found} == {"nim", "piglet", "ovid", "fifteen"}
    edge = next(found for found in done.found if found.figure.source.endswith("edge"))
    assert edge.verdict == "differs: the second player wins at ply 8"


def row(**change):
    usual = {
        "source": "a source", "game": "nim", "parameters": "heaps=1,2", "position": "",
        "quantity": "outcome", "published": "win", "figure": "win", "why": "", "slow": False,
    }  # fmt: skip
    return Figure(**{**usual, **change})


def test_a_difference_fails_unless_it_has_a_reason_and_a_reason_needs_a_difference():
    assert not Recomputed(row(), "win", "exact", agrees=True).failed
    assert Recomputed(row(), "loss", "exact", agrees=False).failed
    assert Recomputed(row(), "loss", "exact", agrees=False).verdict == "DIFFERS"
    assert not Recomputed(row(why="misprint"), "loss", "exact", agrees=False).failed
    assert Recomputed(row(why="misprint"), "win", "exact", agrees=True).failed


@pytest.mark.parametrize(
    ("wrong", "ours"),
    [
        ({"figure": "loss"}, "win"),
        ({"parameters": "heaps=-1"}, "error"),
        ({"position": "nonsense"}, "error"),
    ],
)
def test_what_cannot_be_reproduced_is_told(monkeypatch, capsys, wrong, ours):
    monkeypatch.setattr(MODULE, "figures", lambda: [row(**wrong)])
    assert main.run(["reproduce", "nim"]) == 1
    printed = capsys.readouterr().out
    assert ours in printed
    assert "1 DIFFER" in printed


def test_slow_rows_are_left_out_and_counted(monkeypatch, capsys):
    monkeypatch.setattr(MODULE, "figures", lambda: [row(), row(slow=True)])
    assert main.run(["reproduce"]) == 0
    assert "1 slow ones left out" in capsys.readouterr().out
    assert main.run(["reproduce", "--slow", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["figures"]) == 2


def test_what_was_computed_is_remembered_until_the_sources_change(tmp_path, monkeypatch):
    file = tmp_path / "reproduced.json"
    monkeypatch.setattr(MODULE, "figures", lambda: [row(), row(parameters="heaps=2,2")])
    first = reproduce(remember=file, minutes=0)
    assert (len(first.found), first.late) == (0, 2)
    second = reproduce(remember=file)
    assert [found.ours for found in second.found] == ["win", "loss"]
    monkeypatch.setattr(MODULE, "answers", lambda *_, **__: pytest.fail("computed again"))
    again = reproduce(remember=file, minutes=0)
    assert [found.ours for found in again.found] == ["win", "loss"]
    monkeypatch.setattr("perfectplay.verification.published.remembered._sources", lambda: "edited")
    assert reproduce(remember=file, minutes=0).late == 2


def test_the_command_goes_on_where_it_was(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PERFECTPLAY_TABLES", str(tmp_path))
    monkeypatch.setattr(MODULE, "figures", lambda: [row(slow=True)])
    assert main.run(["reproduce", "--slow", "--resume", "--minutes", "0"]) == 0
    assert "1 not begun, since the time was up" in capsys.readouterr().out
    assert main.run(["reproduce", "--slow", "--resume"]) == 0
    assert (tmp_path / "reproduced.json").exists()
    assert main.run(["reproduce", "--slow", "--resume", "--minutes", "0"]) == 0
    assert "1 agree" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["Smith", "Bonnet", "Viennot", "Bellman", "Stanley", "Glenn", "Zwick"]
)
def test_names_of_papers_and_authors_are_filters(name):
    found = chosen([name])
    assert found
    assert all(name in row.source for row in found)


def test_unknown_names_are_refused():
    with pytest.raises(UsageError, match="no figures for 'chess960'"):
        chosen(["chess960"])


@pytest.mark.slow
def test_all_rows_come_out():
    assert not reproduce(slow=True).failed


def test_players_may_take_sides(tmp_path, monkeypatch):
    """Player 3 moves, then player 1. For himself player 3 does not care; for player 2 he does."""
    rules = tmp_path / "coin.py"
    rules.write_text(
        "from dataclasses import dataclass\n"
        "from perfectplay import OVER, Game\n"
        "@dataclass(frozen=True)\n"
        "class Coin(Game):\n"
        "    players = 3\n"
        "    def start(self): return (0, 0)\n"
        "    def to_move(self, p): return OVER if p[0] == 2 else 2 - 2 * p[0]\n"
        "    def moves(self, p): yield from (0, 1)\n"
        "    def play(self, p, m): return (p[0] + 1, 2 * p[1] + m)\n"
        "    def payoff(self, p): return ((0, 3, 1), (4, 0, 0), (1, 1, 2), (2, 2, 0))[p[1]]\n"
    )
    asked = "side-decimal:2+3:1", "side-decimal:2+3:2", "player-value:1", "side-loss:2+3:1"
    rows = [
        Figure("test", f"{rules}:Coin", "", "", quantity, "", figure, "", slow=False)
        for quantity, figure in zip(asked, ("2", "2", "4", "2"), strict=True)
    ]
    monkeypatch.setattr(MODULE, "figures", lambda: rows)
    found = reproduce()
    assert not found.failed
    assert [each.ours for each in found.found] == ["+2", "+2", "2", "4"]
