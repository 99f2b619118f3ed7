"""Values as text: round trips, what CGSuite writes, what cannot be read."""

from __future__ import annotations

import csv
import pickle
import random
from fractions import Fraction
from pathlib import Path

import naive_values as naive
import pytest

from perfectplay.errors import UsageError
from perfectplay.sums import Short, parse

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


@pytest.mark.parametrize("row", rows("cgsuite.csv"), ids=lambda r: f"{r['what']} {r['text']}")
def test_what_cgsuite_says(row: dict[str, str]) -> None:
    """Results of CGSuite's own tests (CgscriptTest, GameTest)."""
    g = parse(row["text"])
    if row["what"] == "cooled":
        g = g.cooled(Fraction(row["by"]))
    elif row["what"] == "heated":
        g = g.heated(parse(row["by"]))
    elif row["what"] == "norton":
        g = g.norton(parse(row["by"]))
    assert g is parse(row["value"])
    assert str(g) == row["value"]


def short(g: naive.Tree) -> Short:
    return Short.of(map(short, g[0]), map(short, g[1]))


def test_what_is_written_is_read_back() -> None:
    rng = random.Random(11)
    for _ in range(300):
        g = short(naive.random_tree(rng, rng.randint(1, 5), 3))
        assert parse(str(g)) is g
        assert pickle.loads(pickle.dumps(g)) is g


def test_the_same_value_is_always_written_alike() -> None:
    """The order of options does not depend on which value came up first."""
    late, early = parse("{7,{9|8}|6}"), parse("{11,{13|5}|4}")
    assert str(parse("{{13|5},11|4}")) == str(early)
    assert str(Short.of([*reversed(late.left)], late.right)) == str(late)
    assert str(parse("{0,*|*,0}")) == "*2"
    assert str(parse("+-{{2|0},1}")) == "+-{1,{2|0}}"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("±1", "+-1"),
        ("↑", "^"),
        ("⇓*", "v2*"),
        ("+_1", "tiny(1)"),
        ("-_2", "Miny(2)"),
        ("+-(1,2*)", "+-{1,2*}"),
        ("3·{2|0}", "{4|2}"),
        ("-{1|0}", "{0|-1}"),
        ("-1^", "-1 + ^"),
        ("{|}", "0"),
        ("{0|}", "1"),
        ("{ 1 , 0 | }", "2"),
        ("*0", "0"),
        ("2Tiny(1)", "{2||2|1}"),
    ],
)
def test_other_signs(text: str, same: str) -> None:
    assert parse(text) is parse(same)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "}",
        "{1}",
        "{1|2|3}",
        "{1,|2}",
        "1/3",
        "1/0",
        "1..2",
        "hello",
        "* *",
        "+1",
        "1 2",
        "{1|2))",
        "(1",
        "+-",
        "+-()",
        "2.5",
        "^-",
        "{1||2||3}",
        "tiny",
        "0x",
        "^<0>",
        "1/2/4",
    ],
)
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)
