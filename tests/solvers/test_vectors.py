"""Several players: floats and fractions, against the naive twin and against the equations."""

import random
from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest
from graphs import facts, graph_of, random_rows
from naive import CHANCE, OVER, Edge, Row

from perfectplay.errors import NoSolverError, RulesError, UsageError
from perfectplay.solvers.players import newton, vectors
from perfectplay.solvers.store import Fractions, Vectors
from perfectplay.solvers.work import Options

RULES = ["first", "last", "average", "for:2", "against:3"]


def solved(rows, known=(), *, exact=True, ties="first", short=False, endless=0.0, anchors=None):
    """(values, work) of all ids."""
    players = len(rows[0].payoff)
    given = facts(players=players, scalar=False, outcome=False, chance=True, endless=endless)
    low = len(known)
    graph = graph_of(rows, low, short=short)
    if anchors is not None:
        graph = replace(graph, anchor=np.array(anchors, np.uint8))
    if exact:
        store = Fractions(players, [*known] + [None] * (len(rows) - low))
    else:
        store = Vectors(np.zeros((len(rows), players)))
        if low:
            store.value[:low] = np.array(known, float)
    work = vectors.solve(graph, given, store, Options(ties=ties))
    return store.value, work


def random_game(seed, *, down, ties):
    rng = random.Random(seed)
    players = 3
    low, size = rng.randint(0, 4), rng.randint(1, 10)
    numbers = rng.choice(((0, 1), (-9, 9)))
    rows = random_rows(
        rng, low, size, kinds=[CHANCE, CHANCE, 0, 1, 2],
        swaps=[0, 0, 1, 2] if ":" not in ties else [0],
        payoff=lambda: tuple(rng.randint(*numbers) for _ in range(players)), down=down,
        reward=lambda i, to: tuple(rng.choice((0, 0, 2)) * (to < i) for _ in range(players)),
        over=rng.choice((0.1, 0.3)),
    )  # fmt: skip
    known = [
        tuple(Fraction(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(players))
        for _ in range(low)
    ]
    return rows, known


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("seed", range(20))
def test_without_circles_equals_the_naive_twin(seed, ties):
    rows, known = random_game(seed, down=lambda i: True, ties=ties)
    values, work = solved(rows, known, ties=ties, short=seed % 2 == 0)
    expected = naive.vectors(rows, known, ties)
    assert values == expected
    assert not work.residual
    floats, _ = solved(rows, known, ties=ties, exact=False)
    assert np.allclose(floats, np.array(expected, float), rtol=0, atol=1e-12)


def can_stay(rows, low):
    """Whether somewhere play can be kept in a circle for ever: no chance may be able to leave."""
    stays = set(range(low, len(rows)))
    while True:
        fewer = {
            i
            for i in stays
            if rows[i].kind != OVER
            and (all if rows[i].kind == CHANCE else any)(e.to in stays for e in rows[i].edges)
        }
        if fewer == stays:
            return bool(stays)
        stays = fewer


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("seed", range(40))
def test_circles_satisfy_the_equations_and_choices_are_best(seed, ties):
    rows, known = random_game(seed, down=lambda i: False, ties=ties)
    try:
        values, work = solved(rows, known, ties=ties)
        _, float_work = solved(rows, known, ties=ties, exact=False)
    except RulesError:
        assert can_stay(rows, len(known))
        return
    round_trip = any("go round" in note for note in work.notes)
    for i in range(len(known), len(rows)):
        row = rows[i]
        if row.kind in (OVER, CHANCE):
            assert values[i] == naive.chosen(row, values, ties)
        elif not round_trip:
            equal = naive.tied(row, values)
            assert values[i][row.kind] == equal[0][row.kind]
            if ties == "average":
                assert values[i] == naive.chosen(row, values, ties) or can_stay(rows, len(known))
            else:
                assert values[i] in equal
            if not can_stay(rows, len(known)):
                assert values[i] == naive.chosen(row, values, ties)
    if not round_trip and not any("go round" in note for note in float_work.notes):
        assert float_work.residual < 1e-10


@pytest.mark.parametrize("seed", range(40))
def test_floats_equal_fractions_where_nothing_is_tied(seed):
    rows, known = random_game(seed, down=lambda i: False, ties="first")
    rng = random.Random(seed)
    rows = [
        row._replace(payoff=tuple(rng.randint(-(10**6), 10**6) for _ in range(3)))
        if row.kind == OVER
        else row
        for row in rows
    ]
    try:
        values, work = solved(rows, known)
    except RulesError:
        return
    floats, float_work = solved(rows, known, exact=False)
    if not work.notes and not float_work.notes:
        assert np.allclose(floats, np.array(values, float), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", range(40))
def test_sparse_algebra_equals_newton(seed, monkeypatch):
    rows, known = random_game(seed, down=lambda i: False, ties="average")
    try:
        one, one_work = solved(rows, known, exact=False, ties="average")
        monkeypatch.setattr(newton, "MOST", 0)
        two, two_work = solved(rows, known, exact=False, ties="average")
    except RulesError:
        return
    if one_work.notes == two_work.notes:
        assert np.allclose(one, two, rtol=1e-9, atol=1e-9)


def three_players(*, renamed):
    """Fig. 1 of Glenn, Fang and Kruskal: each in turn wins with probability 1/2, or passes on."""
    ends = [Row(OVER, tuple(int(i == j) for j in range(3)), ()) for i in range(3)]
    none = (0, 0, 0)
    if renamed:
        roll = Row(CHANCE, none, (Edge(0, reward=none), Edge(4, reward=none)))
        passes = Row(0, none, (Edge(3, swap=1, reward=none),))
        return [*ends, roll, passes], 3
    rows = list(ends)
    for i in range(3):
        roll = Row(CHANCE, none, (Edge(i, reward=none), Edge(4 + 2 * i, reward=none)))
        passes = Row(i, none, (Edge(3 + 2 * ((i + 1) % 3), reward=none),))
        rows += [roll, passes]
    return rows, 3


@pytest.mark.parametrize("renamed", [False, True])
def test_figure_1_of_glenn_fang_and_kruskal(renamed):
    rows, start = three_players(renamed=renamed)
    values, work = solved(rows)
    assert values[start] == (Fraction(4, 7), Fraction(2, 7), Fraction(1, 7))
    assert work.notes == []
    floats, work = solved(rows, exact=False)
    assert np.allclose(floats[start], [4 / 7, 2 / 7, 1 / 7], rtol=0, atol=1e-15)
    assert work.residual < 1e-15
    assert work.methods["policy iteration"] == len(rows) - 3


def test_declared_anchors_do_not_change_the_values():
    rows, start = three_players(renamed=False)
    for anchors in ([0, 0, 0, 1, 0, 1, 0, 1, 0], [0, 0, 0, 0, 1, 0, 0, 0, 0], [1] * 9):
        values, _ = solved(rows, anchors=anchors)
        assert values[start] == (Fraction(4, 7), Fraction(2, 7), Fraction(1, 7))
        floats, _ = solved(rows, anchors=anchors, exact=False)
        assert np.allclose(floats[start], [4 / 7, 2 / 7, 1 / 7], rtol=0, atol=1e-15)


@pytest.mark.parametrize("exact", [False, True])
def test_endless_play(exact):
    none = (0, 0)
    bad, good = Row(OVER, (-1, -1), ()), Row(OVER, (1, 1), ())
    circle = Edge(1, reward=none), Edge(0, reward=none)
    # Both prefer the circle to a bad end, and a good end to the circle, whatever is named first.
    for end, worth in ((bad, 0), (good, 1)):
        for order in (1, -1):
            rows = [end, Row(0, none, (Edge(2, reward=none), circle[1])[::order])]
            rows.append(Row(1, none, (circle[0], Edge(0, reward=none))[::order]))
            values, _ = solved(rows, exact=exact)
            assert tuple(values[1]) == tuple(values[2]) == (worth, worth)


@pytest.mark.parametrize("exact", [False, True])
def test_circles_that_earn_are_refused(exact):
    rows = [Row(0, (0, 0), (Edge(0, reward=(1, 0)),))]
    with pytest.raises(RulesError, match="earn without limit"):
        solved(rows, exact=exact)


@pytest.mark.parametrize("exact", [False, True])
def test_ties_that_matter_are_told(exact):
    ends = [Row(OVER, (1, 5, 0), ()), Row(OVER, (1, 0, 5), ()), Row(OVER, (0, 9, 9), ())]
    rows = [*ends, Row(0, (0, 0, 0), tuple(Edge(i, reward=(0, 0, 0)) for i in range(3)))]
    expected = {
        "first": (1, 5, 0), "last": (1, 0, 5), "average": (1, Fraction(5, 2), Fraction(5, 2)),
        "for:3": (1, 0, 5), "against:3": (1, 5, 0), "for:1": (1, 5, 0),
    }  # fmt: skip
    for ties, worth in expected.items():
        values, work = solved(rows, ties=ties, exact=exact)
        assert tuple(values[3]) == worth
        assert work.notes[0].startswith("1 positions have equally good moves")


def test_tie_rules_that_make_no_sense():
    rows, _ = three_players(renamed=True)
    for ties in ("best", "for", "for:4", "first:1", "against:x"):
        with pytest.raises(UsageError):
            solved(rows, ties=ties)
    with pytest.raises(NoSolverError, match="rename"):
        solved(rows, ties="for:1")


@pytest.mark.parametrize("exact", [False, True])
def test_policies_that_go_round_are_told(exact):
    # Who stops the game gets 1, the player before him 2, the one after him nothing: each wants to
    # stop unless the next one does. With three players no fixed policy satisfies all.
    none = (0, 0, 0)
    ends = [Row(OVER, payoff, ()) for payoff in ((1, 0, 2), (2, 1, 0), (0, 2, 1))]
    movers = [
        Row(i, none, (Edge(i, reward=none), Edge(3 + (i + 1) % 3, reward=none))) for i in range(3)
    ]
    values, work = solved(ends + movers, exact=exact)
    assert work.residual == 1
    (note,) = work.notes
    assert "3 positions that reach each other" in note
    assert "up to 1 by another move" in note
    assert tuple(sorted(values[3])) == (0, 1, 2)
