"""The commands for heap games and nim values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfectplay.cli import main


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    capsys.readouterr()
    assert main.run([*arguments, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_heaps_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "heaps", "kayles", "--to", "5", "--position", "3,5,7")
    assert found["code"] == "0.77"
    assert found["values"] == [0, 1, 2, 3, 1, 4]
    period = found["period"]
    assert isinstance(period, dict)
    assert (period["length"], period["start"], period["proved"]) == (12, 71, True)
    assert found["position"] == {
        "heaps": [3, 5, 7],
        "values": [3, 4, 2],
        "value": 5,
        "wins": True,
        "winning_moves": ["5->4"],
    }


def test_misere_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "heaps", "0.123", "--misere", "--to", "25", "--position", "1 1 1")
    quotient = found["quotient"]
    assert isinstance(quotient, dict)
    assert (quotient["classes"], quotient["period"]) == (20, {"length": 5, "start": 5})
    assert found["position"] == {"heaps": [1, 1, 1], "wins": False, "winning_moves": []}


def test_marienbad(capsys: pytest.CaptureFixture[str]) -> None:
    for misere in ([], ["--misere"]):
        found = asked(capsys, "heaps", "nim", "--position", "1,3,5,7", "--to", "7", *misere)
        position = found["position"]
        assert isinstance(position, dict)
        assert not position["wins"]


def test_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["heaps", "0.007", "--to", "3"], "none up to heap 2,047"),
        (["heaps", "4.(3)"], "saltus 4"),
        (["heaps", "0.3F"], "not proved"),
        (["heaps", "kayles", "--to", "100000"], "…"),
        (["heaps", "kayles", "--misere", "--to", "6"], "12 classes"),
        (["grundy", "nim", "-p", "heaps=3,4,5"], "nim value   2"),
        (["grundy", "nim", "3 4 0", "-p", "heaps=3,4,5"], "nim value   7"),
    ):
        assert main.run(arguments) == 0
        assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["heaps", "0.9x"],
        ["heaps", "0.77", "--position", "3,x"],
        ["heaps", "0.77", "--position", ""],
        ["heaps", "0.77", "--to", "-1"],
        ["heaps", "1.7"],
        ["grundy", "pig"],
        ["grundy", "nim", "9 9"],
        ["grundy", "nim", "-p", "misere=true"],
    ],
)
def test_mistakes_are_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(arguments) == 2
    heard = capsys.readouterr()
    assert "error:" in heard.err
    assert "hint:" in heard.err


def test_too_large(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["heaps", "C.3", "--to", "1000000"]) == 5
    assert main.run(["heaps", "0.77", "--misere", "--position", "5000"]) == 5
    assert "hint:" in capsys.readouterr().err


def test_json_of_misere_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
    section = page.partition("## heaps\n")[2].partition("\n## ")[0]
    found = asked(capsys, "heaps", "0.123", "--misere", "--to", "25", "--position", "1")
    quotient = found["quotient"]
    assert isinstance(quotient, dict)
    for field in (*found, *quotient, *quotient["period"]):
        assert f"`{field}`" in section, field
