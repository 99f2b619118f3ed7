"""The equation of a position adds up: what is printed is evaluated again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from perfectplay import Solution, load, solve
from perfectplay.answer.faces.explain import Equation, explain, number_text
from perfectplay.rules.game import CHANCE, OVER, Game, alternate
from perfectplay.rules.value import Value


@dataclass(frozen=True)
class Sharing(Game):
    """Take 1 or 2 of 5 counters in turn, and keep them; who leaves none gets 3 more, and the other
    player 2. The interests of the players are not opposed."""

    def start(self) -> int:
        return 5

    def moves(self, p: int) -> Iterator[int]:
        yield from (take for take in (1, 2) if take <= p)

    def play(self, p: int, m: int) -> int:
        return p - m

    def reward(self, p: int, m: int) -> tuple[int, int]:
        return m, 0

    def payoff(self, p: int) -> tuple[int, int]:
        return 2, 3


GAMES: list[tuple[Game, bool]] = [
    (load("nim", ["heaps=1,2,2"]), False),
    (load("nim", ["heaps=2,3", "misere=true"]), False),
    (load("piglet", ["goal=3"]), True),
    (load("pig", ["goal=8"]), False),
    (load("pig", ["goal=8", "players=1"]), False),
    (load("pig", ["goal=4", "players=3"]), False),
    (load("kalah", ["pits=2", "seeds=2"]), False),
    (load("dots-and-boxes", ["rows=1", "columns=2"]), False),
    (load("hanoi", ["discs=3"]), False),
    (load("sliding", ["width=2", "height=2"]), False),
    (load("egg-dropping", ["eggs=2", "floors=8"]), False),
    (load("cant-stop", ["sides=2", "short=2", "columns=1", "decline=true", "jump=true"]), True),
    (load("cant-stop", ["sides=2", "short=2", "columns=2", "markers=3"]), False),
    (load("cant-stop", ["sides=2", "short=2", "columns=1", "players=3"]), False),
    (load("flip", ["markers=4"]), True),
    (load("snakes-and-ladders"), False),
    (load("awari", ["pits=2", "seeds=4"]), False),
    (load("mu-torere", ["points=6"]), False),
    (Sharing(), False),
]
ROUNDING = 5e-12
"""Of a number that is printed with twelve digits, at most so much of it is lost."""


def evaluated(arithmetic: str) -> Any:
    """What a printed right-hand side is worth; fractions stay fractions."""
    written = re.sub(r"(?<![.\d])(\d+)/(\d+)", r"Fraction(\1, \2)", arithmetic)
    if re.search(r"\d[.e]", written):  # floats and fractions do not mix
        written = arithmetic
    return eval(written, {"max": max, "min": min, "float": float, "Fraction": Fraction})


def printed(equation: Equation) -> tuple[Any, Any]:
    """What the last two lines of a printed equation are worth: the numbers, and the value."""
    block = str(equation).split("\n\n")[0].splitlines()
    sides = [line.removeprefix("  = ") for line in block if line.startswith("  = ")]
    numbers, value = sides[-2], sides[-1].partition("   (")[0]
    return evaluated(numbers), evaluated(value)


def proved(value: Value) -> float:
    """How far a value may be from the true one."""
    return 1e-9 if value.exactness == "residual" else value.error


def adds_up(equation: Equation, stored: Value) -> bool:
    """Whether both sides agree with each other and with the value: exactly, or within the bounds
    of what they are made of and the digits that are printed."""
    left, right = printed(equation)
    if stored.exactness == "exact":
        return bool(left == right == stored.exact)
    slack = proved(stored) + max(proved(term.below) for term in equation.terms)
    largest = max(abs(float(value)) for value in (stored, *(t.below for t in equation.terms)))
    slack += 2 * ROUNDING * largest
    close = [abs(float(side) - float(stored)) <= slack for side in (left, right)]
    return all(close)


def check_terms(solution: Solution, equation: Equation) -> None:
    """The names of positions in an equation are those whose values it has."""
    for term in equation.terms:
        q = solution.position(term.child)
        other = alternate(solution.game) and term.function == "g"
        value = solution.values(q)[1 - equation.player if other else equation.player]
        assert term.below == value, term
        number = number_text(value)
        symbols = term.symbols().replace(f"{term.function}({term.child})", f"({number})")
        expected = float(term.weight) * float(evaluated(symbols))
        assert math.isclose(expected, float(evaluated(term.number())), abs_tol=1e-11), term


def check_plies(equation: Equation) -> None:
    """The plies that are printed add up, and are those of the value."""
    shown = [line for line in str(equation).splitlines() if line.startswith("  plies = ")]
    if equation.value.kind != "outcome" or equation.value.depth is None:
        assert not shown
        return
    _, numbers, result = shown[0].split(" = ")
    assert evaluated(numbers) == int(result) == equation.value.depth


def check_equations(solution: Solution, found: list[Any]) -> None:
    """All equations of these positions add up."""
    for p in found:
        equation = explain(solution, p)
        if equation.rule == "end":
            assert not equation.terms
            continue
        assert equation.value == solution.value(p)
        assert adds_up(equation, solution.value(p)), str(equation)
        check_terms(solution, equation)
        check_plies(equation)
        for term in equation.terms:
            if term.inside is not None:
                assert adds_up(term.inside, term.below), str(term.inside)
                check_terms(solution, term.inside)
        json.dumps(equation.as_json())


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


@pytest.mark.parametrize(("game", "exact"), GAMES, ids=str)
def test_printed_equations_add_up(game: Game, exact: bool) -> None:
    solution = solve(game, exact=exact, plain=True)
    check_equations(solution, positions(solution))


@pytest.mark.parametrize(("name", "given"), [("chess", ["material=KQK"]), ("cant-stop", [])])
def test_equations_of_a_chess_ending_and_of_cant_stop_add_up(name: str, given: list[str]) -> None:
    solution = solve(load(name, given))
    check_equations(solution, positions(solution, 60))


def test_values_without_opposed_interests_are_named() -> None:
    solution = solve(Sharing(), plain=True)
    equation = explain(solution, 2)
    assert {term.function for term in equation.terms} == {"g"}
    assert "2 = 2 + g(0)" in str(equation)
    assert printed(equation) == (5, 5)


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
