"""The equation of a position adds up: what is printed is evaluated again."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import Any

import pytest

from perfectplay import Solution, load, solve
from perfectplay.answer.faces.explain import Equation, explain, number_text
from perfectplay.rules.game import CHANCE, OVER

GAMES = [
    ("nim", ["heaps=1,2,2"], False),
    ("piglet", ["goal=3"], True),
    ("pig", ["goal=8"], False),
    ("pig", ["goal=4", "players=3"], False),
    ("kalah", ["pits=2", "seeds=2"], False),
    ("hanoi", ["discs=3"], False),
    ("cant-stop", ["sides=2", "short=2", "columns=1"], False),
    ("flip", ["markers=4"], True),
    ("snakes-and-ladders", [], False),
    ("awari", ["pits=2", "seeds=4"], False),
    ("mu-torere", ["points=6"], False),
]


def evaluated(arithmetic: str) -> Any:
    """What a printed right-hand side is worth; fractions stay fractions."""
    written = re.sub(r"(?<![.\d])(\d+)/(\d+)", r"Fraction(\1, \2)", arithmetic)
    if re.search(r"\d[.e]", written):  # floats and fractions do not mix
        written = arithmetic
    return eval(written, {"max": max, "min": min, "float": float, "Fraction": Fraction})


def agrees(equation: Equation) -> bool:
    found, value = evaluated(equation.arithmetic()), equation.value
    if value.exactness == "exact":
        return bool(found == value.exact)
    return math.isclose(float(found), float(value), rel_tol=1e-9, abs_tol=1e-9)


def positions(solution: Solution, most: int = 120) -> list[Any]:
    """Some positions that can arise, those near the start first."""
    found, queue = [solution.start], [solution.start]
    seen = {solution.start}
    while queue and len(found) < most:
        p = queue.pop(0)
        kind = solution.to_move(p)
        children = list(solution.events(p)) if kind == CHANCE else []
        if kind >= 0:
            children = [solution.game.play(p, m) for m in solution.game.moves(p)]
        for q in children:
            if q not in seen:
                seen.add(q)
                found.append(q)
                queue.append(q)
    return found


@pytest.mark.parametrize(("name", "given", "exact"), GAMES, ids=str)
def test_printed_equations_add_up(name: str, given: list[str], exact: bool) -> None:
    solution = solve(load(name, given), exact=exact, plain=True)
    for p in positions(solution):
        equation = explain(solution, p)
        if equation.rule == "end":
            assert not equation.terms
            continue
        assert agrees(equation), str(equation)
        for term in equation.terms:
            if term.inside is not None:
                assert agrees(term.inside), str(term.inside)
                assert math.isclose(float(term.inside.value), float(term.below), abs_tol=1e-12)
        json.dumps(equation.as_json())


def test_a_changed_number_does_not_add_up() -> None:
    solution = solve(load("nim", ["heaps=1,2,2"]), plain=True)
    equation = explain(solution, solution.start)
    wrong = equation.arithmetic().replace("- (-1)", "- 1")
    assert evaluated(wrong) != int(number_text(equation.value))


def test_plies_are_explained_where_the_end_is_reached() -> None:
    solution = solve(load("nim", ["heaps=1,2,2"]), plain=True)
    assert "plies = 1 + 4 = 5" in str(explain(solution, solution.start))


def test_ended_positions_have_no_equation() -> None:
    solution = solve(load("nim", ["heaps=1"]), plain=True)
    ended = solution.game.play(solution.start, next(iter(solution.game.moves(solution.start))))
    assert solution.to_move(ended) == OVER
    assert "play has ended" in str(explain(solution, ended))
