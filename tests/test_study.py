"""Studies: against figures from their definitions, published ones, and simulated plays."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive_study as naive
import numpy as np
import pytest
from test_mixed_policies import Drawn

from perfectplay import CHANCE, Game, NoSolverError, load, studies, study
from perfectplay.cli.main import run
from perfectplay.rules.game import declares


def compared(game: Game) -> None:
    """Every figure of the study equals the one from its definition."""
    found = study(game, exact=True)
    solution, start, players = found.solution, found.solution.start, game.players
    best = naive.always(lambda p: solution.moves(p)[0].move)
    policies = {
        "best": best,
        "greedy": naive.greedy(game, start),
        "random": naive.at_random(game),
    }
    everything = naive.chain(game, (naive.at_random(game),) * players, start)
    tied = any(sum(move.best for move in solution.moves(p)) > 1 for p in everything)
    for name, policy in policies.items():
        figures = found.policy(name)
        for i in range(players):
            against = tuple(policy if j == i else best for j in range(players))
            worth = naive.worth(game, against, start, i)[start]
            assert figures.values[i].lower == worth or (tied and players > 1 and name != "best")
            alone = naive.worth(game, (policy,) * players, start, i)[start]
            assert figures.itself[i].lower == alone
        chain = naive.chain(game, (policy,) * players, start)
        if name == "best":
            continue
        if len(naive.ending(chain)) < len(chain):
            assert figures.moves.lower == math.inf
        else:
            moves = naive.collected(chain, lambda p: Fraction(naive.mover(game, p) >= 0))
            assert figures.moves.lower == moves[start]
    if tied:
        return  # several best policies: of other lengths, and other gains from mistakes
    for i in range(players):
        assert found.policy("worst").values[i].lower == naive.worst(game, best, start, i)
    played = naive.chain(game, (best,) * players, start)
    moves = naive.collected(played, lambda p: Fraction(naive.mover(game, p) >= 0))[start]
    endless = len(naive.ending(played)) < len(played)
    assert found.policy("best").moves.lower == (math.inf if endless else moves)
    _length(game, found, played)
    _choices(game, found, played)


def _length(game: Game, found: Any, chain: naive.Chain) -> None:
    start, length = found.solution.start, found.length
    kinds = {"chance events": (CHANCE,), "moves": (0, 1)}.get(length.unit, (CHANCE, 0, 1))
    expected = naive.lengths(game, chain, start, lambda p: naive.mover(game, p) in kinds, 8)
    shown = [p.lower for p in length.probabilities[:8]]
    assert shown + [0] * (8 - len(shown)) == expected
    total = sum(p.lower for p in length.probabilities) + length.beyond.lower
    assert total == 1
    if len(naive.ending(chain)) == len(chain):
        for value, one in ((length.moves, lambda k: k >= 0), (length.events, lambda k: k == -1)):
            met = naive.collected(chain, lambda p, one=one: Fraction(one(naive.mover(game, p))))
            assert value.lower == met[start]
        assert length.endless.upper == 0
    else:
        ends = naive.collected(chain, lambda p: Fraction(not chain[p]))[start]
        assert length.endless.lower == 1 - ends


def _choices(game: Game, found: Any, chain: naive.Chain) -> None:
    start, solution, choices = found.solution.start, found.solution, found.choices
    losses = {}
    for p in chain:
        if naive.mover(game, p) >= 0 and len(list(game.moves(p))) > 1:
            values = [Fraction(move.value.lower) for move in solution.moves(p)]
            losses[p] = [abs(values[0] - each) for each in values]
    matter = [p for p in losses if max(losses[p])]
    if not declares(game, "representative"):
        assert (choices.positions, choices.matter_positions) == (len(losses), len(matter))
    if len(naive.ending(chain)) < len(chain):
        assert choices.met is None
        return
    assert choices.met.lower == naive.collected(chain, lambda p: Fraction(p in losses))[start]
    times = naive.collected(chain, lambda p: Fraction(p in matter))[start]
    assert choices.matter.lower == times
    for name, cost in {"next": lambda all: min(x for x in all if x), "worst": max,
                       "random": lambda all: sum(all) / len(all)}.items():  # fmt: skip
        paid = naive.collected(
            chain, lambda p, cost=cost: cost(losses[p]) if p in matter else Fraction(0)
        )[start]
        value = choices.costs[name]
        assert value.lower <= (paid / times if times else 0) <= value.upper
        assert value.upper - value.lower < 1e-12


SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 60))]


@pytest.mark.parametrize("kind", ["chance", "outcome", "margins"])
@pytest.mark.parametrize("seed", SEEDS)
def test_games_drawn_by_lot_have_the_figures_of_their_definitions(kind: str, seed: int) -> None:
    compared(Drawn(kind, seed, size=5))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("flip", ["markers=3"]),
        ("flip", ["markers=2", "quota=1", "passing=true"]),
        ("flip-flop", ["markers=2"]),
        ("flip-for-two", ["markers=3"]),
        ("obstgarten", ["kinds=2", "fruit=2", "raven=2", "basket=1"]),
        pytest.param(
            "cant-stop",
            ["players=2", "sides=2", "short=1", "columns=1"],
            marks=pytest.mark.slow,
        ),
        ("piglet", ["goal=2"]),
    ],
)
def test_small_games_have_the_figures_of_their_definitions(name: str, given: list[str]) -> None:
    compared(load(name, given))


def test_bounds_hold_what_fractions_say() -> None:
    game = load("piglet", ["goal=3"])
    near, exact = study(game), study(game, exact=True)
    for a, b in zip(near.policies, exact.policies, strict=True):
        for x, y in zip((*a.values, *a.itself, a.moves), (*b.values, *b.itself, b.moves),
                        strict=True):  # fmt: skip
            assert x is y is None or x.lower <= y.lower <= x.upper
    pairs = zip(near.length.probabilities, exact.length.probabilities, strict=False)
    assert all(x.lower <= y.lower <= x.upper for x, y in pairs)
    assert near.length.mean.lower <= exact.length.mean.lower <= near.length.mean.upper


@pytest.mark.slow
def test_farmer_klaus_and_obstgarten_by_the_best_and_the_worst_policy() -> None:
    """The worst policy is the one that `worst=true` of the rules solves for (Campbell 2002: 50 %
    and 40 %, 68 % and 53 %)."""
    for name, best, worst in (
        ("farmer-klaus", 0.511729399026, 0.404639592278),
        ("obstgarten", 0.684047498128, 0.532399142152),
    ):
        found = study(load(name))
        assert float(found.value) == pytest.approx(best, abs=1e-12)
        assert float(found.policy("worst").values[0]) == pytest.approx(worst, abs=1e-12)


def test_who_must_end_play_does_worst_by_never_ending_it() -> None:
    found = study(load("hanoi", ["discs=2"]))
    assert found.value.lower == 3
    assert found.length.mean.lower == found.length.shortest == found.length.longest == 3
    assert found.policy("worst").values[0].lower == math.inf


def test_play_that_never_ends() -> None:
    found = study(load("mu-torere"))
    assert found.length.endless.lower == 1
    assert found.length.mean.lower == math.inf
    assert found.length.shortest is None
    assert found.choices.met is None


def test_a_game_for_two_knows_the_advantage_of_the_first() -> None:
    found = study(load("piglet", ["goal=2"]), exact=True)
    assert found.advantage.lower == Fraction(1, 7)
    assert found.policy("best").itself[0].lower == Fraction(4, 7)


@pytest.mark.parametrize("name", ["goofspiel", "cant-stop"])
def test_games_without_a_best_policy_are_refused(name: str) -> None:
    with pytest.raises(NoSolverError):
        study(load(name, ["players=3", "sides=2", "columns=1"] if name == "cant-stop" else []))


def test_another_start() -> None:
    game = load("flip", ["markers=4"])
    found = study(game, start=game.parse("1 2, roll 3"), exact=True)
    assert (found.value.lower, found.length.moves.lower) == (1, 1)


# -- Ranges of rules. -----------------------------------------------------------------------------


def test_studies_over_rules_are_studies_of_each_setting() -> None:
    found = studies("flip", {"quota": "0..1"}, markers=4, exact=True)
    assert [row.parameters["quota"] for row in found] == [0, 1]
    for row in found:
        alone = study(load("flip", {"markers": 4, **row.parameters}), exact=True)
        assert row.study.as_json() == alone.as_json()
    assert found.table()[0][:2] == ["quota", "best"]
    assert found.svg.startswith("<svg")
    refused = studies("flip", {"quota": [-1, 0]}, markers=3)
    assert refused.rows[0].study is None
    assert "no quota of -1" in refused.table()[1][-1]


def test_the_command_studies_one_setting_or_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "length.svg"
    assert run(["study", "flip", "-p", "markers=4", "--exact", "--plot", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "7391/3888 = 1.90097736626 chance events on average" in shown
    assert "greedy  2293/15552" in shown
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert run(["study", "flip", "-p", "markers=3", "-p", "quota=0..1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["parameters"] for row in rows] == [{"quota": 0}, {"quota": 1}]
    assert run(["study", "nim", "-p", "heaps=1,2"]) == 0
    assert "heaps=1,2" in capsys.readouterr().out
    assert run(["study", "nim", "-p", "heaps=1;1,2"]) == 0
    assert capsys.readouterr().out.count("\n") == 3


# -- Simulated plays. -----------------------------------------------------------------------------

PLAYS = 1_000_000
SIGMAS = 5
"""A figure may be off by so many standard errors."""


def close(value: Any, samples: np.ndarray) -> None:
    error = SIGMAS * samples.std() / math.sqrt(len(samples)) + 1e-12
    assert abs(float(value) - samples.mean()) <= error


def same_distribution(length: Any, samples: np.ndarray) -> None:
    """The largest distance of both distribution functions (Dvoretzky, Kiefer, Wolfowitz)."""
    counts = np.bincount(samples, minlength=len(length.probabilities))
    apart = np.cumsum(counts) / len(samples)
    exact = np.cumsum([float(p) for p in length.probabilities])
    exact = np.append(exact, np.ones(len(apart) - len(exact)) * exact[-1])
    assert np.abs(apart - exact).max() <= math.sqrt(math.log(2 / 1e-6) / (2 * len(samples)))


def flip_policy(quota: int, *, worst: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """What to turn down at (failures left, markers up, roll), -1 where the game is lost; and how
    many ways there are. By plain recursion, for twelve markers."""
    sums = np.array([sum(i + 1 for i in range(12) if m >> i & 1) for m in range(4096)])
    weights = np.array([0, 0] + [6 - abs(t - 7) for t in range(2, 13)]) / 36
    value = np.zeros((quota + 1, 4096))
    value[:, 0] = 1
    choice = np.full((quota + 1, 4096, 13), -1)
    ways = np.zeros((quota + 1, 4096, 13), np.int64)
    subsets = [[m for m in range(1, 4096) if sums[m] == t] for t in range(13)]
    for q in range(quota + 1):
        for up in range(1, 4096):
            total = 0.0
            for roll in range(2, 13):
                fits = [m for m in subsets[roll] if m & ~up == 0]
                ways[q, up, roll] = len(fits) or (q > 0)
                if fits:
                    pick = (min if worst else max)(fits, key=lambda m: value[q, up ^ m])
                    choice[q, up, roll] = pick
                    total += weights[roll] * value[q, up ^ pick]
                elif q:
                    choice[q, up, roll] = 0
                    total += weights[roll] * value[q - 1, up]
            value[q, up] = total
    return choice, ways


def flip_plays(quota: int, choice: np.ndarray, ways: np.ndarray, rng: Any) -> Any:
    """(won, rolls, moves with a choice) of many plays."""
    up, left = np.full(PLAYS, 4095), np.full(PLAYS, quota)
    rolls, chosen = np.zeros(PLAYS, np.int64), np.zeros(PLAYS, np.int64)
    alive = np.arange(PLAYS)
    while len(alive):
        roll = rng.integers(1, 7, len(alive)) + rng.integers(1, 7, len(alive))
        rolls[alive] += 1
        picked = choice[left[alive], up[alive], roll]
        chosen[alive] += ways[left[alive], up[alive], roll] > 1
        left[alive] -= picked == 0
        up[alive] ^= np.maximum(picked, 0)
        alive = alive[(picked >= 0) & (up[alive] > 0)]
    return up == 0, rolls, chosen


@pytest.mark.slow
def test_flip_agrees_with_a_million_plays() -> None:
    found = studies("flip", {"quota": "0..6"})
    rng = np.random.default_rng(2001)
    for row in found:
        quota = row.parameters["quota"]
        choice, ways = flip_policy(quota)
        won, rolls, chosen = flip_plays(quota, choice, ways, rng)
        close(row.study.value, won)
        close(row.study.length.mean, rolls)
        close(row.study.choices.met, chosen)
        same_distribution(row.study.length, rolls)
        if quota in (0, 6):
            won, _, _ = flip_plays(quota, *flip_policy(quota, worst=True), rng)
            close(row.study.policy("worst").values[0], won)


def pig_policy(goal: int) -> np.ndarray:
    """Whether to roll at (own score, other score, turn total): value iteration by Neller and
    Presser's equations, all positions at once."""
    i, j, k = np.ogrid[:goal, :goal, :goal]
    wins = i + k >= goal
    value = np.where(wins, 1.0, 0.5) * np.ones((goal, goal, goal))
    reach = np.minimum(i + k, goal - 1)
    for _ in range(400):
        begin = value[:, :, 0]
        lost = 1 - np.broadcast_to(begin.T[:, :, None], value.shape)
        hold = np.where(wins, 1.0, 1 - begin[j, reach])
        roll = lost.copy()
        for face in range(2, 7):
            ahead = np.ones_like(value)
            ahead[:, :, : goal - face] = value[:, :, face:]
            roll += np.where(i + k + face >= goal, 1.0, ahead)
        roll /= 6
        new = np.where(wins, 1.0, np.maximum(np.where(k == 0, 0.0, hold), roll))
        change, value = np.abs(new - value).max(), new
        if change < 1e-13:
            break
    return (roll > hold) | (k == 0)


@pytest.mark.slow
def test_pig_agrees_with_a_million_plays() -> None:
    found = study(load("pig"))
    rolls_on = pig_policy(100)
    rng = np.random.default_rng(2004)
    score = np.zeros((PLAYS, 2), np.int64)
    total, turn = np.zeros(PLAYS, np.int64), np.zeros(PLAYS, np.int64)
    rolls, chosen = np.zeros(PLAYS, np.int64), np.zeros(PLAYS, np.int64)
    alive = np.arange(PLAYS)
    while len(alive):
        me, other = score[alive, turn[alive]], score[alive, 1 - turn[alive]]
        now = total[alive]
        chosen[alive] += now > 0
        roll = rolls_on[me, other, now]
        face = np.where(roll, rng.integers(1, 7, len(alive)), 0)
        rolls[alive] += roll
        ends = face <= 1  # a 1, or held
        score[alive, turn[alive]] += np.where(roll, 0, now)
        total[alive] = np.where(ends, 0, now + face)
        turn[alive] = np.where(ends, 1 - turn[alive], turn[alive])
        won = ~ends & (me + now + face >= 100)
        alive = alive[~won]
    close(found.value, turn == 0)
    close(found.length.mean, rolls)
    same_distribution(found.length, rolls)
    close(found.choices.met, chosen)
