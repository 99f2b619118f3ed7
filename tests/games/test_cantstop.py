"""Can't Stop: its moves by a second reading of the rules, and turns that never stop early."""

import itertools
import random
from fractions import Fraction

import pytest

from perfectplay import UsageError, solve
from perfectplay.games.dice.cantstop import DECIDING, MOVING, STOP, CantStop
from perfectplay.rules.game import CHANCE, OVER

GAMES = [
    CantStop(3, 2, 2, 1),
    CantStop(2, 3, 1, 2),
    CantStop(3, 3, 1, 2, jump=True),
    CantStop(2, 3, 2, 2, 3, share=True),
    CantStop(2, 3, 2, 2, decline=True),
    CantStop(4, 6, 3, 3, 3),
]


def lists(game, p):
    """A position as lists of heights: squares of all players, markers."""
    width = 2 * game.sides - 1
    words = [[word >> 4 * c & 15 for c in range(width)] for word in p[:-1]]
    return words[:-1], words[-1]


def naive_step(game, squares, markers, turn, column):
    """The markers after one step, or None."""
    tops = [game.short + 2 * min(c, 2 * game.sides - 2 - c) for c in range(2 * game.sides - 1)]
    if any(mine[column] == tops[column] for mine in squares):
        return None
    others = [squares[i][column] for i in range(game.players) if i != turn]
    if markers[column] == 0 and sum(map(bool, markers)) == game.count:
        return None
    here = markers[column] or squares[turn][column]
    if here == tops[column]:
        return None
    here += 1
    while game.jump and here in others and here < tops[column]:
        here += 1
    return [here if c == column else x for c, x in enumerate(markers)]


def naive_moves(game, squares, markers, turn, dice):
    """All markers that a roll can lead to, from the order of the four dice."""
    found = set()
    for a, b, c, d in itertools.permutations(dice):
        first, second = a + b - 2, c + d - 2
        one = naive_step(game, squares, markers, turn, first)
        both = one and naive_step(game, squares, one, turn, second)
        other = naive_step(game, squares, markers, turn, second)
        options = [both] if both and not game.decline else [both, one, other]
        found |= {tuple(x) for x in options if x}
    return found


def walk(game, seed, steps):
    """Positions of random play, symmetry left aside."""
    rng, p = random.Random(seed), game.start()
    for _ in range(steps):
        yield p
        kind = game.to_move(p)
        if kind == OVER:
            p = game.start()
        elif kind == CHANCE:
            weights, children = zip(*game.chances(p), strict=True)
            assert sum(weights) == game.sides**4
            p = rng.choices(children, weights)[0]
        else:
            p = game.play(p, rng.choice(list(game.moves(p))))


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_moves_are_those_of_a_second_reading(game):
    seen = 0
    for p in walk(game, 5, 1500):
        squares, markers = lists(game, p)
        if game.stage(p) == MOVING:
            seen += 1
            dice = [p[-1] >> 8 + 4 * i & 15 for i in range(4)]
            ours = [tuple(lists(game, (*p[:-2], m, 0))[1]) for m in game.moves(p)]
            assert len(set(ours)) == len(ours)
            assert set(ours) == naive_moves(game, squares, markers, game.turn(p), dice)
        if game.stage(p) == DECIDING:
            tops = [game.top(c) for c in range(len(markers))]
            blocked = any(
                0 < here < tops[c] and here == squares[i][c] and i != game.turn(p)
                for c, here in enumerate(markers)
                for i in range(game.players)
            )
            assert (STOP in list(game.moves(p))) == (game.share or not blocked)
    assert seen > 100


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_representative_is_one_and_keeps_what_counts(game):
    for p in walk(game, 9, 300):
        q = game.representative(p)
        assert game.representative(q) == q
        assert game.turn(q) == 0
        assert game.stratum(p) == game.stratum(q)
        assert game.representative(game.mirrored(p)) == q
        won = [game.completed(p, (i + game.turn(p)) % game.players) for i in range(game.players)]
        if game.to_move(p) != OVER:
            assert [game.completed(q, i) for i in range(game.players)] == won


def chance_of_a_turn(sides, short, columns):
    """The chance to win in one turn if one never stops, from an empty board."""
    game = CantStop(1, sides, short, columns)
    known = {}

    def after(markers):
        if markers in known:
            return known[markers]
        total = Fraction(0)
        for dice in itertools.product(range(1, sides + 1), repeat=4):
            options = naive_moves(game, [[0] * (2 * sides - 1)], list(markers), 0, dice)
            won = [sum(x == game.top(c) for c, x in enumerate(m)) >= columns for m in options]
            best = [Fraction(1) if w else after(m) for w, m in zip(won, options, strict=True)]
            total += max(best, default=Fraction(0))
        known[markers] = total / sides**4
        return known[markers]

    return after((0,) * (2 * sides - 1))


@pytest.mark.parametrize(
    ("short", "players"), [(1, 2), (2, 2), pytest.param(2, 3, marks=pytest.mark.slow)]
)
def test_short_boards_are_won_in_one_turn(short, players):
    q = chance_of_a_turn(2, short, 1)
    solution = solve(CantStop(players, 2, short, 1), exact=True, plain=True)
    whole = 1 - (1 - q) ** players
    won = [q * (1 - q) ** i / whole for i in range(players)]
    assert [v.exact for v in solution.values(solution.start)] == won


def test_one_player_needs_the_inverse_of_that_chance():
    solution = solve(CantStop(1, 2, 3, 1), exact=True, plain=True)
    assert solution.value(solution.start).exact == 1 / chance_of_a_turn(2, 3, 1)


@pytest.mark.parametrize(
    "arguments", [(0,), (7,), (2, 1), (2, 7), (2, 3, 0), (2, 3, 12), (3, 2, 1, 2), (2, 3, 1, 2, 6)]
)
def test_boards_that_cannot_be_are_refused(arguments):
    with pytest.raises(UsageError):
        CantStop(*arguments)
