"""Sides: coalitions, attacks, and rules for ties that name a player, in games that rename."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from perfectplay import OVER, Game, UsageError, check, load, sided, solve
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.pig import Piglet


@dataclass(frozen=True)
class Ring(Game):
    """Three players in turn push a counter round; where it stops somebody wins. A position is
    (place, moves left, player on turn)."""

    players: int = 3
    length: int = 5
    rename: bool = True

    def start(self) -> tuple[int, int, int]:
        return (0, self.length, 0)

    def to_move(self, p: tuple[int, int, int]) -> int:
        return OVER if p[1] == 0 else p[2]

    def turn(self, p: tuple[int, int, int]) -> int:
        return p[2]

    def moves(self, p: tuple[int, int, int]) -> Iterator[int]:
        yield from range(3)

    def play(self, p: tuple[int, int, int], m: int) -> tuple[int, int, int]:
        return ((p[0] * 2 + m + p[1]) % 4, p[1] - 1, (p[2] + 1) % self.players)

    def payoff(self, p: tuple[int, int, int]) -> tuple[int, ...]:
        share = ((2, 1, 1), (0, 3, 0), (1, 2, 1), (3, 0, 1))[p[0]]  # with many ties
        return tuple(share[(i - p[2]) % self.players] for i in range(self.players))

    def representative(self, p: tuple[int, int, int]) -> tuple[int, int, int]:
        return (p[0], p[1], 0) if self.rename else p


def naive(game, p, wants, side, prefer):
    """What each player gets by plain recursion, where sides have aims."""
    kind = game.to_move(p)
    if kind == OVER:
        return game.payoff(p)
    options = [naive(game, game.play(p, m), wants, side, prefer) for m in game.moves(p)]
    aim = wants[side[kind]]
    return max(options, key=lambda v: (sum(a * x for a, x in zip(aim, v, strict=True)), prefer(v)))


@pytest.mark.parametrize(
    ("sides", "side", "wants"),
    [
        ("", (0, 1, 2), ((1, 0, 0), (0, 1, 0), (0, 0, 1))),
        ("2+3", (0, 1, 1), ((1, 0, 0), (0, 1, 1))),
        ("1+3", (0, 1, 0), ((1, 0, 1), (0, 1, 0))),
        ("2:-1", (0, 1, 2), ((1, 0, 0), (-1, 0, 0), (0, 0, 1))),
        ("3:-1", (0, 1, 2), ((1, 0, 0), (0, 1, 0), (-1, 0, 0))),
        ("2+3:-1", (0, 1, 1), ((1, 0, 0), (-1, 0, 0))),
    ],
)
@pytest.mark.parametrize("length", [3, 4, 5])
def test_sides_are_those_of_plain_recursion(sides, side, wants, length):
    game = Ring(length=length)
    solution = solve(sided(game, sides))
    right = naive(game, game.start(), wants, side, lambda v: 0)  # max takes the first, too
    aims = [sum(a * x for a, x in zip(aim, right, strict=True)) for aim in wants]
    assert [float(v) for v in solution.values(solution.start)] == aims


@pytest.mark.parametrize("way", ["for", "against"])
@pytest.mark.parametrize("player", [1, 2, 3])
def test_ties_may_name_a_player_of_a_game_that_renames(way, player):
    sign = 1 if way == "for" else -1
    for length in (3, 4, 5, 6):
        alone = tuple(tuple(int(i == j) for j in range(3)) for i in range(3))
        right = naive(Ring(), (0, length, 0), alone, (0, 1, 2), lambda v: sign * v[player - 1])
        for rename in (True, False):
            solution = solve(Ring(length=length, rename=rename), ties=f"{way}:{player}")
            assert tuple(map(float, solution.values(solution.start))) == right


@pytest.mark.parametrize("length", [3, 4, 5, 6])
@pytest.mark.parametrize("rename", [True, False])
@pytest.mark.parametrize("exact", [True, False])
def test_lexicographic_ties_go_round_the_table(length, rename, exact):
    """The most for who comes after the mover, then for the one after that; renaming changes
    nothing, since it goes round, too."""

    def right(p):
        mover = Ring().to_move(p)
        if mover == OVER:
            return Ring().payoff(p)
        options = [right(Ring().play(p, m)) for m in Ring().moves(p)]
        return max(options, key=lambda v: v[mover:] + v[:mover])

    game = Ring(length=length, rename=rename)
    solution = solve(game, ties="lexicographic", exact=exact)
    p = game.start()
    while game.to_move(p) != OVER:  # best() follows the rule, too
        assert tuple(map(float, solution.values(p))) == right(p)
        p = game.play(p, solution.best(p))


def test_everybody_for_himself_is_the_game_itself():
    game = Piglet(3, players=3)
    usual, apart = solve(game, exact=True), solve(sided(game), exact=True, plain=True)
    assert usual.table.rows < apart.table.rows <= 3 * usual.table.rows
    for a, b in zip(usual.values(usual.start), apart.values(apart.start), strict=True):
        assert a.exact == b.exact
    assert check(sided(game)).problems == []


def test_a_coalition_of_two_in_three_has_bounds():
    """Nobody can do better there than to win as soon as he can, whoever his friends are."""
    joined = solve(sided(Piglet(3, players=3), "2+3"), plain=True)
    value = joined.values(joined.start)[1]
    assert value.exactness == "bounds"
    assert float(value) == pytest.approx(105 / 169, abs=1e-14)


def test_texts_and_tables(tmp_path):
    game = sided(Ring(), "2+3")
    solution = solve(game, tmp_path / "ring")
    p = game.representative(game.play(game.start(), 1))
    assert game.parse(game.text(p)) == p
    assert game.text(game.start()) == Ring().text(Ring().start())
    again = solve(sided(Ring(), "2+3"), tmp_path / "ring")
    assert again.report["solved_before"]
    assert solution.player_names() == ["player 1", "player 2 and player 3"]
    loaded = load(
        "perfectplay.rules.coalitions:SidedFlatChance",
        {"of": "piglet", "sides": "2+3", "given": '{"players": 3}'},
    )
    assert loaded.players == 2


@pytest.mark.parametrize("sides", ["4", "2+2", "2+3,3", "1+2+3", "x", "2:-4", "2:"])
def test_wrong_sides_are_refused(sides):
    with pytest.raises(UsageError):
        sided(Ring(), sides)


@dataclass(frozen=True)
class Shared(Ring):
    """Moves earn something for everybody."""

    def reward(self, p: tuple[int, int, int], m: int) -> tuple[int, ...]:
        return (m, 1, 0)


def test_rewards_for_several_players_are_refused():
    with pytest.raises(UsageError, match="tuple"):
        sided(Shared(), "2+3")


def test_two_players_have_no_sides():
    with pytest.raises(UsageError, match="no sides"):
        sided(Piglet(3), "1+2")


def test_which_values_depend_on_ties():
    """Counted by hand-made recursion: values by the first and the last of equal moves."""
    game = Ring(length=4)
    solution = solve(game)
    spread = solution.tie_spread("last", "for:2")
    assert spread.differ > 0
    assert spread.most > 0
    assert str(spread.differ) in str(spread)
    values = [
        tuple(map(float, solve(game, ties=t).values(game.start()))) for t in ("first", "last")
    ]
    assert spread.start[:2] == tuple(values)
    assert solve(CantStop(3, 2, 1, 1), plain=True).tie_spread("last").differ >= 0
