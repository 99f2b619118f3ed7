"""Policies that make one of several moves at random: compared with a twin in fractions, with
published figures and with play."""

from __future__ import annotations

import hashlib
import json
import math
import random
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import naive
import numpy as np
import pytest
import test_docs
from test_evaluate import Coins, Ring, Three, Walk, chance_twin, scattered, unfold

from perfectplay import CHANCE, OVER, Game, UsageError, evaluate, load
from perfectplay.cli import main
from perfectplay.rules.game import alternate

# -- The twin. ------------------------------------------------------------------------------------


def twin(game, policies):
    """What the start is worth to each player, by trying all replies; in fractions."""
    if game.players > 2:
        return naive.vectors(unfold(game, policies), [])[0]
    return chance_twin(game, policies)


def lottery(seed):
    """A policy that draws among some of the moves, with weights that look random; it does the same
    at symmetric positions."""

    def policy(game, p):
        marks = {}
        for m in game.moves(p):
            text = game.text(game.representative(game.play(p, m)))
            marks[m] = hashlib.sha256(f"{seed} {text}".encode()).digest()
        most = max(mark[0] for mark in marks.values())
        return {
            m: Fraction(1 + mark[1] % 5, 1 + mark[2] % 3) if mark[3] % 2 else 1
            for m, mark in marks.items()
            if mark[0] in (most, *range(64, 256))
        }

    return policy


# -- Games. ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn(Game):
    """A few positions with moves and payoffs drawn by lot."""

    kind: str = "outcome"
    seed: int = 0
    size: int = 6
    players: int = 2
    minimise: bool = False

    def rows(self):
        draw = random.Random(f"{self.kind} {self.seed}")
        cyclic = self.kind in ("outcome", "scores", "costs", "chance")
        rows = []
        for i in range(self.size):
            low = 0 if cyclic and draw.random() < 0.7 else i + 1
            onward = [j for j in range(low, self.size + 3) if j != i]
            to = draw.sample(onward, min(len(onward), draw.randint(2, 3)))
            drawn = self.kind == "chance" and draw.random() < 0.3
            mover = CHANCE if drawn else draw.randrange(self.players)
            rows.append((mover, to, [draw.randint(1, 3) for _ in to]))
        return rows

    def start(self):
        return 0

    def to_move(self, p):
        return OVER if p >= self.size else self.rows()[p][0]

    def moves(self, p):
        yield from range(len(self.rows()[p][1]))

    def play(self, p, m):
        return self.rows()[p][1][m]

    def chances(self, p):
        _, to, weights = self.rows()[p]
        yield from zip(weights, to, strict=True)

    def reward(self, p, m):
        return self.rows()[p][2][m] if self.kind in ("margins", "costs", "vectors") else 0

    def payoff(self, p):
        draw = random.Random(f"{self.kind} {self.seed} {p}")
        if self.kind == "vectors":
            return tuple(draw.randint(0, 9) for _ in range(self.players))
        if self.players == 1:
            return draw.randint(0, 5)
        return (p + self.seed) % 3 - 1 if self.kind == "outcome" else draw.randint(-4, 4)


KINDS = {
    "outcome": {},
    "scores": {},
    "margins": {},
    "chance": {},
    "costs": {"players": 1, "minimise": True},
    "vectors": {"players": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_small_games_drawn_by_lot_against_the_twin(kind) -> None:
    for seed in range(6):
        compare(Drawn(kind, seed, **KINDS[kind]), seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_games_drawn_by_lot_against_the_twin(kind) -> None:
    for seed in range(6, 200):
        compare(Drawn(kind, seed, **KINDS[kind]), seed)


def compare(game, seed, *, replies=True):
    """Assert that what mixed policies are worth is what the twin says."""
    mine, other = lottery(seed), lottery(100 + seed)
    players = range(game.players)
    itself = evaluate(game, mine, "itself", exact=True)
    expected = twin(game, [mine] * game.players)
    assert [seat.value.exact for seat in itself.seats] == [*expected]
    if game.players == 1:
        return
    for against in (other, scattered(seed), *([None] if replies else [])):
        found = evaluate(game, mine, against, exact=True)
        for seat in found.seats:
            follow = [mine if i == seat.player else against for i in players]
            assert seat.value.exact == twin(game, follow)[seat.player], (seat.name, against)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "game",
    [
        Coins((8, 15, 3, 7)),
        Ring(4),
        Three(6),
        Walk(3),
        load("nim", {"heaps": (1, 2)}),
        load("hanoi", {"discs": 2}),
        load("piglet", {"goal": 2}),
    ],
    ids=lambda game: type(game).__name__,
)
def test_known_games_against_the_twin(game, seed) -> None:
    """Alternate play, players who are renamed, native rules."""
    compare(game, seed, replies=not isinstance(game, Ring))  # the twin has too many to try


def test_games_drawn_by_lot_are_not_trivial() -> None:
    """Policies mix in what the twin was compared on, and play need not end."""
    games = [Drawn(kind, seed) for kind in ("outcome", "scores", "chance") for seed in range(6)]
    found = [evaluate(game, lottery(game.seed), "itself") for game in games]
    assert sum(not float(each.value).is_integer() for each in found) >= 6
    assert any("need not end" in note for each in found for note in each.notes)


# -- Published figures. ---------------------------------------------------------------------------


@pytest.mark.parametrize("discs", [1, 2, 3, 4, 5])
def test_random_moves_of_the_tower_of_hanoi(discs) -> None:
    """Alekseyev and Berger (2016), OEIS A134939: from one peg to another by random moves."""
    found = evaluate(load("hanoi", {"discs": discs}), "random", exact=True)
    expected = Fraction((3**discs - 1) * (5**discs - 3**discs), 2 * 3 ** (discs - 1))
    assert found.value.exact == expected
    near = evaluate(load("hanoi", {"discs": discs}), "random").value
    assert near.lower <= expected <= near.upper


@pytest.mark.parametrize("symmetry", [False, True])
def test_random_noughts_and_crosses(symmetry) -> None:
    """If both move at random, the first wins 737 of 1260 plays and the second 363."""
    game = load("noughts-and-crosses", {"symmetry": symmetry})
    for against in ("itself", "random"):
        found = evaluate(game, "random", against, exact=True)
        assert found.value.exact == Fraction(737 - 363, 1260)
    assert found.seats[1].value.exact == Fraction(363 - 737, 1260)
    assert found.seats[0].gives_away.exact == -found.seats[0].value.exact


# -- What else is told. ---------------------------------------------------------------------------


class Points(Game):
    """The first player takes all or nothing: one point that is divided, no chance."""

    def start(self):
        return 0

    def to_move(self, p):
        return OVER if p else 0

    def moves(self, p):
        yield from (1, 2)

    def play(self, p, m):
        return m

    def payoff(self, p):
        return (1, 0) if p == 1 else (0, 1)


def test_an_outcome_counts_as_the_payoff_it_stands_for() -> None:
    found = evaluate(Points(), lambda game, p: {1: 3, 2: 1}, "itself", exact=True)
    assert str(found.seats[0].perfect) == "win in 1 ply"
    assert [seat.value.exact for seat in found.seats] == [Fraction(3, 4), Fraction(1, 4)]
    assert [seat.gives_away.exact for seat in found.seats] == [Fraction(1, 4), -Fraction(1, 4)]
    assert found.mistakes[0].loss == found.mistakes[0].cost == 1 / 4


def test_one_move_with_a_weight_is_that_move() -> None:
    game = load("noughts-and-crosses", {"symmetry": True})
    for against in (None, "optimum", "itself"):
        plain = evaluate(game, scattered(1), against)
        weighed = evaluate(game, lambda game, p: {scattered(1)(game, p): 7}, against)
        assert weighed.seats == plain.seats
        assert weighed.mistakes == plain.mistakes
        assert weighed.value.kind == "outcome"


@pytest.mark.parametrize(
    "game",
    [
        load("piglet", {"goal": 4}),
        load("noughts-and-crosses", {"symmetry": True}),
        Coins((2, 9, 5, 8, 1, 7, 3)),
    ],
    ids=lambda game: type(game).__name__,
)
def test_costs_of_mixed_moves_add_up_to_what_is_given_away(game) -> None:
    for policy in (lottery(3), "random"):
        found = evaluate(game, policy, "optimum", mistakes=10**6)
        assert len(found.mistakes) == found.wrong > 0
        lost = sum(float(seat.gives_away) for seat in found.seats) / len(found.seats)
        assert sum(mistake.cost or 0.0 for mistake in found.mistakes) == pytest.approx(lost)


def test_a_mistake_names_all_moves_and_what_they_lose_on_average() -> None:
    found = evaluate(load("noughts-and-crosses"), "random", "itself", mistakes=5)
    for mistake in found.mistakes:
        shares = [choice.probability for choice in mistake.choices]
        assert sum(shares) == 1
        assert set(shares) == {Fraction(1, len(shares))}
        assert mistake.loss == pytest.approx(
            sum(choice.move.loss for choice in mistake.choices) / len(shares)
        )
        assert mistake.move.loss == max(choice.move.loss for choice in mistake.choices)


def test_a_mixed_reply_is_no_better_than_the_best_reply() -> None:
    game = load("piglet", {"goal": 3})
    for seed in range(3):
        best, mixed = (
            evaluate(game, lottery(seed), a, exact=True) for a in (None, lottery(50 + seed))
        )
        for a, b in zip(best.seats, mixed.seats, strict=True):
            assert a.value.exact <= b.value.exact


def test_exact_values_of_mixed_policies_lie_between_bounds() -> None:
    for game in (load("piglet", {"goal": 4}), load("mu-torere", {"points": 4}), Coins()):
        for against in (None, "optimum", "itself", "random"):
            bounds = evaluate(game, lottery(5), against)
            exact = evaluate(game, lottery(5), against, exact=True)
            for a, b in zip(bounds.seats, exact.seats, strict=True):
                for near, true in ((a.value, b.value), (a.gives_away, b.gives_away)):
                    assert near.lower <= true.exact <= near.upper
                    assert near.upper - near.lower < 1e-12


def test_uneven_chances_at_symmetric_positions_are_told_of() -> None:
    def low(game, p):
        return {m: 1 + k for k, m in enumerate(game.moves(p))}

    game = load("noughts-and-crosses", {"symmetry": True})
    assert "by symmetry" in evaluate(game, low, "itself").notes[0]
    assert evaluate(game, "random", "itself").notes == ()
    assert evaluate(game, lottery(2), "itself").notes == ()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ({}, r"names no move at \(4, 0\)"),
        ({"walk": 0.5, "toss": 0.5}, r"gives the move 'walk' at \(4, 0\) the weight 0.5"),
        ({"walk": 0, "toss": 1}, "the weight 0"),
        ({"walk": 2, "toss": -1}, "gives the move 'toss' .* the weight -1"),
        ({"walk": 2, "toss": Fraction(-1, 2)}, "the weight Fraction"),
        ({"walk": 2, "toss": None}, "the weight None"),
        ({"walk": 2, "fly": 1}, r"makes the move 'fly' at \(4, 0\)"),
        ({"walk": 2**53, "toss": 1}, r"weights of the policy policy at \(4, 0\) are too fine"),
    ],
)
def test_chances_that_make_no_sense_are_refused(made, message) -> None:
    def policy(game, p):
        return made

    with pytest.raises(UsageError, match=message) as caught:
        evaluate(Walk(), policy)
    assert caught.value.hint


class Listed(Walk):
    """Moves that cannot be keys of a dict."""

    def moves(self, p):
        yield from ([each] for each in super().moves(p))

    def play(self, p, m):
        return super().play(p, m[0])

    def reward(self, p, m):
        return super().reward(p, m[0])


@pytest.mark.parametrize("policy", ["random", lambda game, p: {"walk": 1, "toss": 2}])
def test_moves_that_cannot_have_weights_are_told_of(policy) -> None:
    with pytest.raises(UsageError, match=r"fails at .* unhashable type: 'list'"):
        evaluate(Listed(), policy)


def test_weights_may_be_any_exact_numbers() -> None:
    def weighed(walk, toss):
        return lambda game, p: {"walk": walk, "toss": toss}

    found = [
        evaluate(Walk(), policy, exact=True).value
        for policy in (
            weighed(1, 2),
            weighed(Fraction(1, 3), Fraction(2, 3)),
            weighed(np.int64(5), np.int64(10)),
            weighed(2**60, 2**61),
        )
    ]
    assert len(set(found)) == 1


# -- The command. ---------------------------------------------------------------------------------

FILE = """
def timid(game, p):
    moves = list(game.moves(p))
    return {moves[0]: 1, moves[-1]: 2} if len(moves) > 1 else moves[0]
"""


@pytest.mark.parametrize("game", ["nim", "hanoi", "piglet"])
@pytest.mark.parametrize("against", ["reply", "random"])
def test_command_for_people(game, against, capsys) -> None:
    words = ["evaluate", game, "random", "--against", against, "--errors", "2"]
    if against == "random" and game == "hanoi":
        assert main.run(words) == 2  # one player
        return
    assert main.run(words) == 0
    shown = capsys.readouterr().out
    assert "policy     random" in shown
    assert "nan" not in shown


def test_command_and_its_json(tmp_path: Path, capsys) -> None:
    file = tmp_path / "policies.py"
    file.write_text(FILE)
    asked = ["evaluate", "piglet", f"{file}:timid", "-p", "goal=4", "--exact", "--json"]
    assert main.run([*asked, "--against", "random"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["against"] == "random"
    documented = test_docs.json_section("evaluate") + test_docs.json_section("Values")
    for name in test_docs.fields(answer):
        assert f"`{name}`" in documented, name
    shares = [choice["probability"] for choice in answer["mistakes"][0]["choices"]]
    assert sorted(shares) == ["1/3", "2/3"]
    assert main.run(["evaluate", "piglet", "rnadom"]) == 2
    assert "random" in capsys.readouterr().err


# -- Played. --------------------------------------------------------------------------------------


def played(game, policies, draw):
    """What one play brings the first player."""
    p, who, sum_ = next(iter(game.starts())), 0, 0
    while (kind := game.to_move(p)) != OVER and (
        kind == CHANCE or any(True for _ in game.moves(p))
    ):
        if kind == CHANCE:
            weights, after = zip(*game.chances(p), strict=True)
            p = draw.choices(after, weights)[0]
            continue
        player = who if alternate(game) else kind
        made = policies[player](game, p)
        m = draw.choices([*made], [float(weight) for weight in made.values()])[0]
        sum_ += game.reward(p, m) * (-1 if player else 1)
        p, who = game.play(p, m), 1 - who
    end = game.payoff(p)
    end = end[0] if isinstance(end, tuple) else end * (-1 if alternate(game) and who else 1)
    return sum_ + end


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        load("piglet", {"goal": 3}),
        load("noughts-and-crosses"),
        Coins((2, 9, 5, 8, 1, 7, 3)),
        Walk(),
    ],
    ids=lambda game: type(game).__name__,
)
def test_plays_average_what_was_evaluated(game) -> None:
    draw = random.Random(5)
    policies = [lottery(1), lottery(2)]
    against = lottery(2) if game.players == 2 else None
    expected = float(evaluate(game, lottery(1), against, exact=True).value)
    brought = np.array([played(game, policies, draw) for _ in range(4_000)])
    assert abs(brought.mean() - expected) < 5 * brought.std() / math.sqrt(len(brought)) + 1e-9
