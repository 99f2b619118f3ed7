"""What a policy is worth: compared with slow twins on games in which nobody is renamed."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import naive
import naive_stochastic
import pytest
import test_docs

from perfectplay import CHANCE, OVER, Game, UsageError, evaluate, load, solve
from perfectplay.answer.compare_moves import gains
from perfectplay.cli import main
from perfectplay.games.dice.pig import HOLD, ROLL, turn_total
from perfectplay.rules.game import alternate

# -- The twin: positions as they are, players by their own names, policies as they answer. --------


def unfold(game, policies):
    """All rows of a game in which players follow policies (None: they are free), start first.

    Where a policy names several moves with weights, chance moves. Rows are told apart by position
    and, in alternate play, who is really to move."""
    sides = alternate(game)
    states = [(next(iter(game.starts())), 0)]
    number = {states[0]: 0}
    rows = []

    def edge(p, who, weight, earned):
        state = (p, who)
        if state not in number:
            number[state] = len(states)
            states.append(state)
        return naive.Edge(number[state], 0, weight, earned)

    while len(rows) < len(states):
        p, who = states[len(rows)]
        kind = game.to_move(p)
        moves = list(game.moves(p)) if kind >= 0 else []
        none = (0,) * game.players
        if kind == CHANCE:
            edges = [edge(q, who, w, none) for w, q in game.chances(p)]
            rows.append(naive.Row(CHANCE, none, tuple(edges)))
            continue
        if not moves:
            paid = game.payoff(p)
            given = paid if isinstance(paid, tuple) else gains(paid, 0, game.players)
            rows.append(naive.Row(OVER, given[::-1] if who else given, ()))
            continue
        player = who if sides else kind
        weights = dict.fromkeys(moves, 1)
        if policies[player] is not None:
            made = policies[player](game, p)
            weights = made if isinstance(made, dict) else {made: 1}
        edges = []
        for m, weight in weights.items():
            earned = gains(game.reward(p, m), kind, game.players)
            after = 1 - who if sides else who
            edges.append(edge(game.play(p, m), after, weight, earned[::-1] if who else earned))
        drawn = policies[player] is not None and len(edges) > 1
        rows.append(naive.Row(CHANCE if drawn else player, none, tuple(edges)))
    return rows


def first(rows, sign=1):
    """Rows of a game in which one number says it all."""
    return [
        naive.Row(
            row.kind,
            sign * row.payoff[0],
            tuple(e._replace(reward=sign * e.reward[0]) for e in row.edges),
        )
        for row in rows
    ]


def outcome_twin(game, policies):
    won, depth = naive.outcomes(first(unfold(game, policies)), [])[0]
    return (won, None if depth < 0 else depth), (-won, None if depth < 0 else depth)


def score_twin(game, policies):
    score = naive.scores(first(unfold(game, policies)), [])[0]
    return score, -score


def puzzle_twin(game, policies):
    sign = -1 if game.minimise else 1
    found = naive.puzzle(first(unfold(game, policies), sign), [])[0]
    return (sign * (-math.inf if found == naive.NONE else found),)


def chance_twin(game, policies):
    rows = unfold(game, policies)
    total = next((sum(row.payoff) for row in rows if row.kind == OVER), 0)
    total = total if game.players == 2 else 0
    sign = -1 if game.minimise else 1
    endless = -math.inf if game.minimise else Fraction(total, 2)
    plain = [
        (row.kind, row.payoff, [(e.to, e.swap, e.weight, e.reward) for e in row.edges])
        for row in first(rows, sign)
    ]
    found = naive_stochastic.values(plain, endless)[0]
    return (sign * found, total - found)[: game.players]


def vector_twin(game, policies):
    return naive.vectors(unfold(game, policies), [])[0]


# -- Games and policies. --------------------------------------------------------------------------


def scattered(seed):
    """A policy that looks random, and does the same at symmetric positions."""

    def policy(game, p):
        def mark(m):
            text = game.text(game.representative(game.play(p, m)))
            return hashlib.sha256(f"{seed} {text}".encode()).digest()

        return min(game.moves(p), key=mark)

    return policy


@dataclass(frozen=True)
class Coins(Game):
    """Take a coin from either end, alternately; nobody can be mistaken for another."""

    coins: tuple[int, ...] = (8, 15, 3, 7, 1)

    def start(self):
        return self.coins

    def moves(self, p):
        yield from range(min(len(p), 2))

    def play(self, p, m):
        return p[:-1] if m else p[1:]

    def reward(self, p, m):
        return p[-1] if m else p[0]

    def payoff(self, p):
        return 0

    def representative(self, p):
        return min(p, p[::-1])


@dataclass(frozen=True)
class Ring(Game):
    """Two tokens run round a ring, one or two steps each; who lands on the other wins, and play
    may go round for ever. Who is on turn is always called the first."""

    places: int = 7

    def start(self):
        return (0, 3, 0)

    def to_move(self, p):
        return OVER if p[0] == p[1] else p[2]

    def turn(self, p):
        return p[2]

    def moves(self, p):
        yield from (1, 2, self.places - 1)

    def play(self, p, m):
        a, b, turn = p
        if turn == 0:
            return ((a + m) % self.places, b, 1)
        return (a, (b + m) % self.places, 0)

    def payoff(self, p):
        return -1 if p[2] == 0 else 1

    def representative(self, p):
        a, b, turn = p
        return (0, (b - a) % self.places, 0) if turn == 0 else (0, (a - b) % self.places, 0)


@dataclass(frozen=True)
class Three(Game):
    """Three players take one to three counters in turn; who takes the last is paid most."""

    counters: int = 9
    players = 3

    def start(self):
        return (self.counters, 0)

    def to_move(self, p):
        return p[1] if p[0] else OVER

    def turn(self, p):
        return p[1]

    def moves(self, p):
        yield from range(1, min(3, p[0]) + 1)

    def play(self, p, m):
        return (p[0] - m, (p[1] + 1) % 3)

    def reward(self, p, m):
        return tuple(m * m % 3 if i == p[1] else 0 for i in range(3))

    def payoff(self, p):
        return tuple((7, 1, 3)[(i - p[1]) % 3] for i in range(3))

    def representative(self, p):
        return (p[0], 0)


@dataclass(frozen=True)
class Walk(Game):
    """Some squares from home: walk, or toss a coin for two squares; cost is counted."""

    squares: int = 4
    players = 1
    minimise = True

    def start(self):
        return (self.squares, 0)

    def to_move(self, p):
        return CHANCE if p[1] else 0 if p[0] else OVER

    def moves(self, p):
        yield from ("walk", "toss", "wait")

    def play(self, p, m):
        return {"walk": (p[0] - 1, 0), "toss": (p[0], 1), "wait": p}[m]

    def reward(self, p, m):
        return {"walk": 3, "toss": 2, "wait": 1}[m]

    def chances(self, p):
        yield 2, (max(0, p[0] - 2), 0)
        yield 1, (p[0], 0)

    def payoff(self, p):
        return 0


CASES = [
    ("outcome", load("noughts-and-crosses", {"symmetry": True}), outcome_twin),
    ("outcome, nim", load("nim", {"heaps": (2, 3, 4)}), outcome_twin),
    ("outcome, circles", load("mu-torere", {"points": 6, "symmetry": True}), outcome_twin),
    ("outcome, renamed", Ring(), outcome_twin),
    ("scores", Coins(), score_twin),
    ("puzzle", load("hanoi", {"discs": 3}), puzzle_twin),
    ("one player, chance", Walk(), chance_twin),
    ("two players, chance", load("piglet", {"goal": 2}), chance_twin),
    ("three players", Three(), vector_twin),
]
LARGE = ("outcome",)
"""Too large for the twin unless both sides follow policies."""


def seen(value):
    return (value.lower, value.depth) if value.kind == "outcome" else value.exact


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "game", "twin"), CASES, ids=[case[0] for case in CASES])
def test_against_the_twin(name, game, twin, seed) -> None:
    mine, other = scattered(seed), scattered(100 + seed)
    itself = evaluate(game, mine, "itself", exact=True)
    assert [*map(seen, [seat.value for seat in itself.seats])] == [*twin(game, [mine] * 3)]
    if game.players == 1:
        return
    for against in (other, None):
        if against is None and name in LARGE:
            continue
        found = evaluate(game, mine, against, exact=True)
        for seat in found.seats:
            follow = [mine if i == seat.player else against for i in range(game.players)]
            assert seen(seat.value) == twin(game, follow)[seat.player], (seat.name, against)


@pytest.mark.parametrize("seed", range(3))
def test_exact_values_lie_between_bounds(seed) -> None:
    game = load("piglet", {"goal": 4})
    for against in (None, "optimum", "itself", scattered(7)):
        bounds = evaluate(game, scattered(seed), against)
        exact = evaluate(game, scattered(seed), against, exact=True)
        for a, b in zip(bounds.seats, exact.seats, strict=True):
            for near, true in ((a.value, b.value), (a.gives_away, b.gives_away)):
                assert near.lower <= true.exact <= near.upper
                assert near.upper - near.lower < 1e-12


@pytest.mark.parametrize("goal", [3, 6])
def test_perfect_moves_are_those_of_the_solution(goal) -> None:
    game = load("piglet", {"goal": goal})
    solution = solve(game, exact=True)
    best = evaluate(game, scattered(1), lambda game, p: solution.best(p), exact=True)
    found = evaluate(game, scattered(1), "optimum", exact=True)
    assert [s.value for s in found.seats] == [s.value for s in best.seats]
    perfect = evaluate(game, lambda game, p: solution.best(p), exact=True)
    assert perfect.wrong == 0
    assert all(seat.gives_away.exact == 0 for seat in perfect.seats)


@pytest.mark.parametrize(
    "game",
    [
        load("piglet", {"goal": 5}),
        Coins((2, 9, 5, 8, 1, 7, 3)),
        load("bear-off", {"points": 3, "checkers": 3}),
    ],
)
def test_costs_add_up_to_what_is_given_away(game) -> None:
    found = evaluate(game, scattered(2), "optimum", mistakes=10**6)
    assert len(found.mistakes) == found.wrong > 0
    lost = sum(float(seat.gives_away) for seat in found.seats) / len(found.seats)
    assert sum(mistake.cost or 0.0 for mistake in found.mistakes) == pytest.approx(lost)
    costs = [mistake.cost for mistake in found.mistakes]
    assert costs == sorted(costs, reverse=True)


def test_a_best_reply_is_no_worse_than_perfect_play() -> None:
    game = load("piglet", {"goal": 5})
    for seed in range(5):
        reply, perfect = (
            evaluate(game, scattered(seed), a, exact=True) for a in (None, "optimum")
        )
        for a, b in zip(reply.seats, perfect.seats, strict=True):
            assert a.value.exact <= b.value.exact <= b.perfect.exact


def hold_at(total):
    return lambda game, p: HOLD if turn_total(p) >= total else ROLL


def test_mistakes_are_told_as_an_analysis_tells_them() -> None:
    found = evaluate(load("pig", {"goal": 10}), hold_at(2), "itself", mistakes=3)
    worst = found.mistakes[0]
    moves = found.solution.moves(found.solution.position(worst.position))
    assert worst.best == moves[0]
    assert worst.move in moves
    assert worst.move.loss > 0
    assert len(found.mistakes) == 3


def test_policy_that_never_ends() -> None:
    found = evaluate(Walk(), lambda game, p: "wait")
    assert str(found.value) == "infinite"
    why = "play need not end, or lasts long"
    assert found.notes == (f"how often positions are met is not known: {why}",)
    assert found.mistakes[0].move.loss == pytest.approx(1)  # to wait once and then go costs 1
    assert found.mistakes[0].cost is None
    assert evaluate(Ring(), lambda game, p: 1, "itself").seats[0].value.depth is None


def test_another_start() -> None:
    game = load("piglet", {"goal": 3})
    p = game.parse("1-0, player 2, total 0")
    found = evaluate(game, hold_at(1), "itself", start=p, exact=True)
    turned = evaluate(game, hold_at(1), "itself", start=game.representative(p), exact=True)
    assert found.start == "1-0, player 2, total 0"
    assert found.seats[0].value == turned.seats[1].value
    assert sum(seat.value.exact for seat in found.seats) == 1
    with pytest.raises(UsageError, match="not a position that can arise"):
        evaluate(Walk(), lambda game, p: "walk", start=(9, 0))


def test_asked_only_where_it_gets() -> None:
    """A policy need not know moves for positions that cannot arise while it is followed."""

    def turn_patterns(game, p):
        return {(4, 0): "toss", (2, 0): "toss"}[p]

    assert evaluate(Walk(), turn_patterns, exact=True).value.exact == 6


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda game, p: None, "returns None at 4, 0"),
        (lambda game, p: "fly", "makes the move 'fly' at"),
        (lambda game, p: 1 // 0, "fails at .*: ZeroDivisionError"),
        ("walk", "is no policy"),
    ],
)
def test_what_is_no_policy_is_refused(policy, message) -> None:
    message = message.replace("4, 0", r"\(4, 0\)")
    with pytest.raises(UsageError, match=message) as caught:
        evaluate(Walk(), policy)
    assert caught.value.hint


def test_sides_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="against nobody"):
        evaluate(Walk(), scattered(0), scattered(1))
    with pytest.raises(UsageError, match="no policy to play against"):
        evaluate(Coins(), scattered(0), "perfection")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="not opposed"):
        evaluate(Three(), scattered(0), "optimum")


def test_policies_that_see_more_than_symmetry_are_told_of() -> None:
    def lowest(game, p):
        return min(game.moves(p))

    notes = evaluate(load("noughts-and-crosses", {"symmetry": True}), lowest).notes
    assert "by symmetry" in notes[0]
    assert evaluate(load("noughts-and-crosses"), lowest).notes == ()
    assert evaluate(Coins(), scattered(3), "itself").notes == ()
    notes = evaluate(Coins(), lambda game, p: 0, "itself").notes
    assert "by symmetry" in notes[0]


# -- The command. ---------------------------------------------------------------------------------

FILE = """
def first(game, p):
    return next(iter(game.moves(p)))

def nothing(game, p):
    return None

def drawn(game, p):
    import random
    return random.choice(list(game.moves(p)))
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policies.py"
    path.write_text(FILE)
    return str(path)


def test_command_and_its_json(file, capsys) -> None:
    asked = ["evaluate", "piglet", f"{file}:first", "-p", "goal=6", "--errors", "2", "--json"]
    assert (
        main.run([*asked, "--from", "1-0, player 2, total 0", "--against", f"{file}:first"]) == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["against"] == "first"
    assert answer["start"] == "1-0, player 2, total 0"
    assert main.run(asked) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["mistakes"]) == 2
    documented = test_docs.json_section("evaluate") + test_docs.json_section("Values")
    for name in test_docs.fields(answer):
        assert f"`{name}`" in documented, name


@pytest.mark.parametrize("game", ["noughts-and-crosses", "hanoi", "flip", "piglet"])
@pytest.mark.parametrize("against", ["reply", "optimum", "itself"])
def test_command_for_people(game, against, file, capsys) -> None:
    assert main.run(["evaluate", game, f"{file}:first", "--against", against]) == 0
    shown = capsys.readouterr().out
    assert "gives away" in shown
    assert "nan" not in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["policies.py:last"], "has no function called 'last'"),
        (["policies.py"], "names no function"),
        (["policies.py:nothing"], "returns None"),
        (["policies.py:drawn"], "does not make the same move every time"),
        (["policies.py:first", "--against", "nobody"], "no policy to play against"),
        (["policies.py:first", "--from", "x"], "is not a position"),
    ],
)
def test_mistakes_of_users_are_told(words, message, file, capsys, monkeypatch) -> None:
    monkeypatch.chdir(Path(file).parent)
    assert main.run(["evaluate", "piglet", *words]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "hint:" in told


@pytest.mark.slow
def test_hold_at_twenty() -> None:
    """The figures quoted from Neller and Presser (2004), 47.76 % for hold at 20 moving first and
    58.74 % for the other moving first, are those of the best reply. Perfect play wins less often,
    since it does not exploit a weakness: recomputed by value iteration, separately."""
    game = load("pig")
    first, second = (float(seat.value) for seat in evaluate(game, hold_at(20)).seats)
    assert (round(first, 4), round(1 - second, 4)) == (0.4776, 0.5874)
    first, second = (float(seat.value) for seat in evaluate(game, hold_at(20), "optimum").seats)
    assert first == pytest.approx(0.49165793545322, abs=1e-12)
    assert 1 - second == pytest.approx(0.57149843027715, abs=1e-12)
