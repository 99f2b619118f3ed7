"""Laws that every game keeps on all its positions, and counts from the literature.

Rules are only interpreted here: no solver, no compiled code.
"""

import csv
import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from perfectplay.drawing.svg import plain_picture
from perfectplay.errors import UsageError
from perfectplay.games import GAMES, bits
from perfectplay.games.boards.awari import Awari
from perfectplay.games.boards.checkers import Checkers
from perfectplay.games.boards.dots_and_boxes import DotsAndBoxes
from perfectplay.games.boards.kalah import Kalah
from perfectplay.games.boards.morris import Morris
from perfectplay.games.boards.mutorere import MuTorere
from perfectplay.games.boards.othello import Othello
from perfectplay.games.boards.ovid import Ovid
from perfectplay.games.boards.quixo import Quixo
from perfectplay.games.cards.clock_patience import ClockPatience
from perfectplay.games.cards.klondike import Klondike
from perfectplay.games.cards.memory import Memory
from perfectplay.games.cards.thoughtful import ThoughtfulKlondike
from perfectplay.games.decisions.but_whos_counting import ButWhosCounting
from perfectplay.games.decisions.darts import Darts
from perfectplay.games.decisions.egg_dropping import EggDropping
from perfectplay.games.decisions.millionaire import Millionaire
from perfectplay.games.decisions.redgreen import RedGreen
from perfectplay.games.decisions.secretary import Secretary
from perfectplay.games.decisions.weakest_link import WeakestLink
from perfectplay.games.dice.cantstop import CantStop
from perfectplay.games.dice.coins import Coins
from perfectplay.games.dice.flip import ROLLED, Flip, FlipFlop, FlipForTwo
from perfectplay.games.dice.hog import Hog
from perfectplay.games.dice.orchard import FarmerKlaus, Obstgarten
from perfectplay.games.dice.pig import Pig, Piglet
from perfectplay.games.dice.pig_mania import PigMania
from perfectplay.games.dice.risk import Risk
from perfectplay.games.dice.twenty_one import TwentyOne
from perfectplay.games.dice.yahtzee import Yahtzee
from perfectplay.games.heaps.nim import FibonacciNim, Nim, Subtraction
from perfectplay.games.heaps.octal import DawsonsChess, Kayles, Octal
from perfectplay.games.lines.connect import ConnectK
from perfectplay.games.lines.disguises import Fifteen, SpitNotSo
from perfectplay.games.lines.hex import Hex
from perfectplay.games.lines.mnk import MNK
from perfectplay.games.lines.qubic import Qubic
from perfectplay.games.partizan.amazons import Amazons
from perfectplay.games.partizan.clobber import Clobber
from perfectplay.games.partizan.colouring import Col, Snort
from perfectplay.games.partizan.cutcake import Cutcake
from perfectplay.games.partizan.domineering import Domineering
from perfectplay.games.partizan.hackenbush import Hackenbush
from perfectplay.games.partizan.konane import Konane
from perfectplay.games.partizan.toads import ToadsAndFrogs
from perfectplay.games.puzzles.cube import Cube
from perfectplay.games.puzzles.hanoi import Hanoi
from perfectplay.games.puzzles.mastermind import BullsAndCows, Mastermind
from perfectplay.games.puzzles.peg_solitaire import PegSolitaire
from perfectplay.games.puzzles.rubik import Rubik
from perfectplay.games.puzzles.sliding import SlidingPuzzle
from perfectplay.games.puzzles.sokoban import Sokoban
from perfectplay.games.puzzles.tetris import Tetris
from perfectplay.games.puzzles.tetris_sequence import TetrisSequence
from perfectplay.games.races.backgammon import BackgammonRace
from perfectplay.games.races.backgammon_contact import Backgammon
from perfectplay.games.races.bearoff import BearOff
from perfectplay.games.races.chase import Ludo
from perfectplay.games.races.einstein import Einstein
from perfectplay.games.races.snakes import SnakesAndLadders
from perfectplay.games.races.ur import Ur
from perfectplay.games.simultaneous.duel import Duel
from perfectplay.games.simultaneous.goofspiel import Goofspiel
from perfectplay.games.simultaneous.rock_paper_scissors import RockPaperScissors
from perfectplay.rules.capabilities import anchored, by_turns, simultaneous
from perfectplay.rules.game import (
    CHANCE,
    OVER,
    SIMULTANEOUS,
    Game,
    alternate,
    first_positions,
    parameters,
)
from perfectplay.rules.load import load
from perfectplay.rules.packing import get

KNOWN = Path(__file__).parent / "known"

SMALL = [
    Domineering(rows=3, columns=3),
    Domineering(rows=2, columns=4, first="right"),
    Clobber(),
    Clobber(board="xxo/oxo", first="right"),
    ToadsAndFrogs(),
    Cutcake(rows=3, columns=3),
    Amazons(rows=2, columns=3),
    Konane(rows=3, columns=4),
    Col(),
    Snort(edges="1-2 2-3 3-4 3-5"),
    Nim(),
    Nim((3, 2, 2), misere=True, at_once=2),
    Subtraction(20),
    Subtraction(30, takes=(1, 4, 6)),
    Subtraction(37, most=5, fresh=True),
    MNK(),
    MNK(symmetry=True),
    MNK(4, 2, 2, misere=True, symmetry=True),
    Fifteen(),
    SpitNotSo(),
    MuTorere(),
    MuTorere(6, ascher=True),
    MuTorere(symmetry=True),
    Ovid(),
    Ovid("king", diagonal=False, centre=False, symmetry=True),
    Kalah(2, 3),
    Kalah(3, 2, "opposite", "mover", "other"),
    Kalah(1, 9, again=False),
    Awari(2, 4),
    Awari(3, 3, captures=(1, 2), starve="feed", slam="nothing", skip=False),
    Awari(2, 6, (0, 3, 1, 2), chain=False, starve="allowed"),
    DotsAndBoxes(1, 2),
    DotsAndBoxes(2, 2, "corner"),
    DotsAndBoxes(2, 3, "frame", again=False, misere=True, symmetry=False),
    Morris(1, 3),
    Quixo(2),
    Quixo(2, symmetry=False),
    Morris(1, 4, flying=True, diagonals=True, safe=False, symmetry=False),
    Checkers(2, 4),
    Checkers(3, 4, kings=2),
    FibonacciNim(12),
    FibonacciNim(9, 1, 2, misere=True),
    Nim((3, 4, 2), takes=(1, 3)),
    Kayles(),
    DawsonsChess(heaps=(1, 7), misere=True),
    Octal("4!.0", (9, 2)),
    Octal("0.3F(4)", (7, 2)),
    Hackenbush(),
    Hackenbush("B[R][GG]B + 0-a-b-0 RGR", misere=True, first="right"),
    Qubic(2, 2, 2, 2),
    Qubic(3, 1, 3, 2, misere=True),
    Qubic(2, 1, 4, 2, symmetry=False),
    MuTorere(7, 1, markers=3, symmetry=True),
    ConnectK(4, 3, 3),
    ConnectK(3, 4, 3, symmetry=True),
    Hex(2, 3),
    Hex(2, 2, swap=True),
    Othello(4, 2),
    TwentyOne(3, 3, "second"),
    CantStop(2, 2, 2, 1),
    CantStop(2, 2, 3, 1, decline=True, jump=True),
    Hanoi(5),
    Hanoi(3, 4, origin=2, goal=1),
    SlidingPuzzle(2, 2),
    SlidingPuzzle(3, 2, multi=True),
    Cube(turns="R2U2F2"),
    Cube("quarter", "FR2"),
    Rubik("quarter", "U2D", "U2 D"),
    Sokoban(level="######/#-.@-#/#-$--#/#.-$-#/#----#/######"),
    Sokoban(level="#####/#.--#/#-$-#/#@--#/#####", cost="moves"),
    PegSolitaire("triangle4", "a2", "any"),
    PegSolitaire(".oo/ooo/ooo/oo.", "c1", "any", cost="jumps"),
    PegSolitaire("4x3", finish="fewest", lines="king", symmetry=False),
    Klondike(1, 4, 2),
    ThoughtfulKlondike(ranks=2, columns=2, passes=2),
    Klondike(2, 2, 2, redeals=1, empty="any"),
    Klondike(columns=3, back=True, deal="2S 3S AH 2H 3H AS"),
    Tetris(2, 3, "DMC", 4),
    Tetris(3, 4, "LJIT", 3, preview=True),
    Tetris(4, 3, drops=3, weights=(-4, 1, -2, 5)),
    TetrisSequence(3, 4, "DMCI"),
    Pig(12),
    Pig(20, 4, players=1),
    Pig(5, 3, players=3),
    Piglet(6),
    Piglet(3, players=4),
    Coins(),
    Coins(2, 1, 5),
    Hog(8, most=3),
    Hog(40, most=18, players=1),
    Hog(4, most=2, players=3, sides=3),
    PigMania(9),
    PigMania(6, players=3, frequencies=(2, 1, 0, 1, 0, 0)),
    Yahtzee(2, 3, 1, ("1", "3", "yahtzee", "large"), bonus_at=5),
    Yahtzee(3, 2, 1, ("2", "yahtzee", "house"), "forced", bonus_at=3),
    Yahtzee(4, 3, 2, ("house", "small"), "none"),
    Flip(6, 2, passing=True),
    Coins(4, 2, 3, rounds=2),
    FlipForTwo(5),
    FlipForTwo(4, skip=True),
    FlipFlop(5),
    FlipFlop(4, mixed=False, idle=True),
    FarmerKlaus(3, 3, 3),
    Obstgarten(3, 3, 2, worst=True),
    SnakesAndLadders(),
    SnakesAndLadders(2, "bounce", 12, (3, 9, 11, 2)),
    SnakesAndLadders(3, "overshoot", 5, ()),
    BearOff(4, 3),
    BearOff(8, 2, sides=3, layout=(0, 0, 0, 0, 0, 0, 1, 1)),
    Backgammon(1, 8, 3, 3),
    Backgammon(2, 4, 2, 2, first=(1, 2), second=(1, 5)),
    BackgammonRace(6, 1),
    BackgammonRace(2, 2, 4, sides=3),
    Einstein(rows=2, columns=3, stones=2),
    Einstein(stones=2, placement="random", die=(1, 2)),
    Einstein(rows=3, stones=2, placement="given", die=(1, 0, 3), cells=(0, 3), opposite=(1, 0)),
    Ur(),
    Ur(2, 1, safe=False, again=False),
    Ludo(1, 6, 4, (2,), enter=3, again=True),
    Ludo(2, 4, 3, exact=False),
    RedGreen(),
    RedGreen(1, 3, 5),
    RedGreen(2, 2, units=True),
    Mastermind(2, 3),
    Mastermind(2, 3, worst=True, consistent=True, symmetry=False),
    BullsAndCows(2, 4),
    Memory(4),
    Memory(4, planned=True),
    Memory(3, 1, passing=False),
    Risk(4, 3),
    Risk(3, 4, attacker_chooses=True, defender_chooses=True, seen=True),
    Risk(3, 2, seen=True, retreat=True, armies=True, prize=2),
    Risk(3, 3, 2, 4, sides=3, retreat=True),
    EggDropping(2, 12),
    EggDropping(3, 9, mean=True),
    ButWhosCounting(4, 3),
    ButWhosCounting(3, 5, distinct=True, least=True),
    WeakestLink((1, 3, 7), 6, 10),
    WeakestLink((1, 3, 7), 6, 0, final=True),
    Millionaire(lifelines=2, percent=40),
    Millionaire((5, 6), (), (1, 2), (1, 3)),
    Secretary(12),
    Secretary(7, 2, 3),
    Secretary(6, choices=2, rank=True),
    Darts(9, board=(1, 4, 2)),
    Darts(4, 2, board=(1, 2), out="straight"),
    Darts(6, 3, 1, "master", board=(1,)),
    Darts(30, perfect=True),
    Darts(5, board=(1, 2), darts=2, sigma=60),
    ClockPatience(4, 3),
    ClockPatience(1, 5, cards=True),
    Goofspiel(3),
    Goofspiel(3, "down", "carry", "win"),
    Goofspiel(2, "up", "carry"),
    RockPaperScissors(2),
    RockPaperScissors(9, 3, 6, 6),
    Duel(4),
    Duel(3, 2, 1, handicap=1),
]


def children(game: Game, p: Any) -> Iterator[Any]:
    """All positions that may follow `p`."""
    kind = game.to_move(p)
    if kind == CHANCE:
        yield from (q for _, q in game.chances(p))
    elif kind == SIMULTANEOUS:
        yield from (game.play(p, pair) for pair in pairs(game, p))
    elif kind != OVER:
        yield from (game.play(p, m) for m in game.moves(p))


def pairs(game: Game, p: Any) -> list[tuple[Any, Any]]:
    """What both players may choose at once, row by row."""
    both = simultaneous(game)
    assert both is not None
    return [(a, b) for a in both.choices(p, 0) for b in both.choices(p, 1)]


def layers(game: Game) -> Iterator[set[Any]]:
    """New positions, up to symmetry, after 0, 1, 2, … moves."""
    new = {game.representative(p) for p in first_positions(game)}
    seen = set(new)
    while new:
        yield new
        new = {game.representative(q) for p in new for q in children(game, p)} - seen
        seen |= new


@cache
def walk(game: Game) -> frozenset[Any]:
    """All positions that can arise, up to symmetry."""
    return frozenset().union(*layers(game))


each_game = pytest.mark.parametrize("game", SMALL, ids=repr)


# -- Laws. ---------------------------------------------------------------------------------------


@each_game
def test_text_is_read_back(game: Game) -> None:
    for p in walk(game):
        assert game.parse(game.text(p)) == p, game.text(p)
        assert "\n" not in game.text(p)


@each_game
def test_texts_tell_positions_and_moves_apart(game: Game) -> None:
    assert len({game.text(p) for p in walk(game)}) == len(walk(game))
    for p in walk(game):
        if game.to_move(p) >= 0:
            moves = list(game.moves(p))
            assert len(set(moves)) == len(moves)
            children = {}
            for m in moves:
                q = children.setdefault(game.move_text(p, m), game.representative(game.play(p, m)))
                assert q == game.representative(game.play(p, m)), game.move_text(p, m)


@each_game
def test_positions_fit_in_64_bits(game: Game) -> None:
    if not game.native:
        return  # plain rules may have any positions
    for p in walk(game):
        for word in p if isinstance(p, tuple) else (p,):
            assert type(word) is int
            assert 0 <= word < 2**63


@each_game
def test_representatives_stand_for_their_kind(game: Game) -> None:
    for q in {q for p in walk(game) for q in children(game, p)} - walk(game):
        r = game.representative(q)
        assert game.representative(r) == r
        assert game.stratum(r) == game.stratum(q)
        kind = game.to_move(q)
        shift = game.turn(r) - game.turn(q)
        assert game.to_move(r) == (kind if kind < 0 else (kind + shift) % game.players)
        after = sorted(game.representative(x) for x in children(game, q))
        assert after == sorted(game.representative(x) for x in children(game, r))


@each_game
def test_representatives_are_their_own(game: Game) -> None:
    for p in walk(game):
        assert game.representative(p) == p


@each_game
def test_strata_never_rise(game: Game) -> None:
    for p in walk(game):
        for q in children(game, p):
            assert game.stratum(q) <= game.stratum(p)


@each_game
def test_chance_and_payoffs_make_sense(game: Game) -> None:
    ended = 0
    for p in walk(game):
        kind = game.to_move(p)
        assert kind in (CHANCE, OVER, SIMULTANEOUS, *range(game.players))
        if kind == SIMULTANEOUS:
            assert len(set(pairs(game, p))) == len(pairs(game, p)) > 0
        elif kind == CHANCE:
            weights = [weight for weight, _ in game.chances(p)]
            assert weights
            assert min(weights) > 0
        elif kind == OVER or not list(game.moves(p)):
            ended += 1
            payoff = game.payoff(p)
            assert not isinstance(payoff, tuple) or len(payoff) == game.players
    assert ended > 0


@each_game
def test_anchors_meet_every_cycle(game: Game) -> None:
    """Without its anchors a game that names some must have no cycle."""
    rules = anchored(game)
    free = {p for p in walk(game) if not (rules and rules.anchor(p))}
    if len(free) == len(walk(game)):
        return
    after = {p: {game.representative(q) for q in children(game, p)} & free for p in free}
    while ends := [p for p, following in after.items() if not following & after.keys()]:
        for p in ends:
            del after[p]
    assert not after


@each_game
def test_pictures_are_well_formed(game: Game) -> None:
    for p in sorted(walk(game))[:: max(1, len(walk(game)) // 50)]:
        root = ElementTree.fromstring(game.picture(p))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.get("viewBox")


@each_game
def test_nonsense_is_refused(game: Game) -> None:
    for nonsense in ("", "?", "hello world", "-1", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 | x"):
        with pytest.raises(ValueError):  # noqa: PT011
            game.parse(nonsense)


def test_players_take_turns_without_exception_in_alternate_games() -> None:
    assert {type(g) for g in SMALL if alternate(g)} == {
        *(Nim, Subtraction, MNK, Fifteen, SpitNotSo, ConnectK, Awari, Morris, FibonacciNim, Qubic),
        *(Octal, Kayles, DawsonsChess, Hex, Quixo, Othello),
    }


def test_plain_picture_escapes_text() -> None:
    assert "".join(ElementTree.fromstring(plain_picture("a < b\n& c")).itertext()) == "a < b& c"


# -- Counts. -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "positions"),
    [
        (MNK(), 5478),
        (MNK(symmetry=True), 765),
        (Fifteen(), 5478),
        (SpitNotSo(), 5478),
        (MuTorere(restricted=0), 1180),
        (MuTorere(ascher=True), 1180),
        (Ovid(), 5390),
        (ConnectK(4, 3), 12031),
        (Hanoi(1), 3),
        (Hanoi(7), 3**7),
        (Hanoi(5, 4), 4**5),
        (SlidingPuzzle(2, 2), 12),
        (SlidingPuzzle(3, 2), 360),
        (SlidingPuzzle(2, 3, multi=True), 360),
        (SlidingPuzzle(4, 2), 20160),
    ],
    ids=repr,
)
def test_number_of_positions(game: Game, positions: int) -> None:
    assert len(walk(game)) == positions


@each_game
def test_there_are_no_more_than_most_positions(game: Game) -> None:
    stored = {p for p in walk(game) if _is_stored(game, p)}
    assert game.most_positions is None or len(stored) <= game.most_positions


def _is_stored(game: Any, p: Any) -> bool:
    return not by_turns(game) or game.anchor(p) or not any(True for _ in game.moves(p))


def test_flip_reaches_every_set_of_markers_but_one() -> None:
    # No roll turns down marker 1 alone.
    for n in (2, 5, 8):
        rolls = [p for p in walk(Flip(n)) if get(p, ROLLED) == 0]
        assert len(rolls) == 2**n - 1


def test_ends_of_noughts_and_crosses() -> None:
    for game, expected in ((MNK(), (626, 316, 16)), (MNK(symmetry=True), (91, 44, 3))):
        ends = [game.text(p) for p in walk(game) if not list(game.moves(p))]
        lost = [t for t in ends if game.payoff(game.parse(t)) == -1]
        first = sum(t.count("X") > t.count("O") for t in lost)
        assert (first, len(lost) - first, len(ends) - len(lost)) == expected


def test_connect_four_by_ply() -> None:
    found = [len(layer) for layer, _ in zip(layers(ConnectK()), range(6), strict=False)]
    assert found == [1, 7, 49, 238, 1120, 4263]


def test_disguises_have_eight_lines() -> None:
    for game in (Fifteen(), SpitNotSo()):
        threes = [held for held in range(512) if bits.count(held) == 3 and game.lined(held)]
        assert len(threes) == 8


# -- Bits. ---------------------------------------------------------------------------------------


def test_count_agrees_with_python() -> None:
    for i in range(2000):
        word = (i * 0x9E3779B97F4A7C15) % 2**63
        assert bits.count(word) == word.bit_count()


@pytest.mark.parametrize("length", range(2, 9))
def test_runs_are_found(length: int) -> None:
    ahead = bits.strides(length)
    for word in range(1 << 12):
        for step in (1, 2):
            slow = sum(
                1 << i for i in range(12) if all(word >> (i + step * k) & 1 for k in range(length))
            )
            assert bits.runs(word, step, ahead) == slow


def test_sorted_down() -> None:
    for word in range(0, 1 << 12, 7):
        numbers = [word >> (3 * i) & 7 for i in range(4)]
        packed = sum(n << (3 * i) for i, n in enumerate(sorted(numbers, reverse=True)))
        assert bits.sorted_down(word, 4, 3) == packed


# -- Parameters and the list. --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ("nim", ["heaps=1000000,1000000,1000000,1000000"]),
        ("subtraction", ["heap=-1"]),
        ("mnk", ["width=9", "height=8"]),
        ("connect", ["width=9", "height=9"]),
        ("connect", ["line=1"]),
        ("mu-torere", ["points=7"]),
        ("ovid", ["steps=sideways"]),
        ("kalah", ["pits=12"]),
        ("kalah", ["end=never"]),
        ("awari", ["seeds=60"]),
        ("awari", ["placement=1,2,3"]),
        ("awari", ["slam=grand"]),
        ("dots-and-boxes", ["rows=6", "columns=6"]),
        ("dots-and-boxes", ["drawn=some"]),
        ("morris", ["rings=4"]),
        ("morris", ["men=9"]),
        ("fibonacci-nim", ["times=0"]),
        ("nim", ["takes=0,1"]),
        ("qubic", ["depth=8"]),
        ("qubic", ["line=1"]),
        ("mu-torere", ["markers=5"]),
        ("hanoi", ["discs=30"]),
        ("hanoi", ["goal=4"]),
        ("sliding", ["width=6", "height=5"]),
        ("cube", ["turns=RX"]),
        ("cube", ["metric=face"]),
        ("rubik", ["turns=UX"]),
        ("rubik", ["scramble=U4"]),
        ("peg-solitaire", ["board=9x9"]),
        ("peg-solitaire", ["vacant=a1"]),
        ("tetris", ["pieces=XY"]),
        ("tetris", ["width=9", "height=9"]),
        ("klondike", ["columns=7"]),
        ("tetris-sequence", ["pieces=X"]),
        ("tetris-sequence", ["height=30"]),
        ("sokoban", ["number=30"]),
        ("sokoban", ["level=#@$#"]),
        ("thoughtful-klondike", ["ranks=6"]),
        ("thoughtful-klondike", ["cards=AC"]),
        ("klondike", ["deal=AS 2S"]),
        ("pig", ["players=5"]),
        ("pig", ["sides=1"]),
        ("hog", ["most=0"]),
        ("hog", ["sides=1"]),
        ("pig-mania", ["frequencies=1,2,3"]),
        ("yahtzee", ["dice=8"]),
        ("yahtzee", ["boxes=1,9"]),
        ("yahtzee", ["sides=4", "boxes=1,5"]),
        ("yahtzee", ["joker=wild"]),
        ("yahtzee", ["bonus_at=0"]),
        ("flip", ["markers=13"]),
        ("flip", ["quota=-1"]),
        ("coins", ["players=5"]),
        ("coins", ["heads=0"]),
        ("coins", ["rounds=-1"]),
        ("checkers", ["kings=-1"]),
        ("farmer-klaus", ["kinds=9"]),
        ("egg-dropping", ["eggs=0"]),
        ("but-whos-counting", ["places=17"]),
        ("but-whos-counting", ["places=5", "digits=4", "distinct=true"]),
        ("weakest-link", ["chain=5,3"]),
        ("weakest-link", ["wrong=0"]),
        ("weakest-link", ["percent=100"]),
        ("millionaire", ["percent=60", "right=3"]),
        ("weakest-link", ["questions=0"]),
        ("millionaire", ["safe=7"]),
        ("millionaire", ["ladder=2,1", "safe=1"]),
        ("millionaire", ["right=1,2"]),
        ("millionaire", ["odds=0"]),
        ("secretary", ["candidates=0"]),
        ("secretary", ["candidates=3", "choices=4"]),
        ("clock-patience", ["ranks=40"]),
        ("darts", ["score=1"]),
        ("darts", ["out=treble"]),
        ("darts", ["sigma=201"]),
        ("darts", ["board=2,3"]),
        ("darts", ["bull=1,0,1"]),
        ("snakes-and-ladders", ["finish=never"]),
        ("snakes-and-ladders", ["jumps=3,7,7,2"]),
        ("bear-off", ["points=13"]),
        ("bear-off", ["layout=1,1"]),
        ("backgammon", ["checkers=6"]),
        ("backgammon", ["sides=1"]),
        ("backgammon", ["first=24", "second=1"]),
        ("backgammon", ["first=26"]),
        ("backgammon-race", ["points=7"]),
        ("backgammon-race", ["cube=3"]),
        ("royal-game-of-ur", ["pieces=8"]),
        ("ludo", ["length=7"]),
        ("ludo", ["safe=13"]),
        ("ludo", ["enter=7"]),
        ("red-green-balls", ["green=0", "red=0"]),
        ("red-green-balls", ["green=12", "red=12"]),
        ("mastermind", ["pegs=4", "colours=7"]),
        ("mastermind", ["pegs=2", "colours=9"]),
        ("bulls-and-cows", ["pegs=4", "colours=3"]),
        ("memory", ["pairs=0"]),
        ("memory", ["pairs=3", "known=4"]),
        ("risk", ["attackers=0"]),
        ("risk", ["attack_dice=5"]),
        ("risk", ["prize=2"]),
    ],
)
def test_impossible_parameters_are_refused(spec: str, wrong: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        load(spec, wrong)
    assert caught.value.hint


@pytest.mark.parametrize("name", GAMES)
def test_listed_games_can_be_made(name: str) -> None:
    game = load(name)
    assert type(game).__module__ == GAMES[name].path.partition(":")[0]
    assert GAMES[name].summary
    assert game.parse(game.text(game.start())) == game.start()
    assert dataclasses.replace(game, **parameters(game)) == game


def known_rows() -> Iterator[dict[str, str]]:
    for file in sorted(KNOWN.glob("*.csv")):
        with file.open(newline="") as rows:
            yield from csv.DictReader(rows)


def test_known_rows_name_games_and_positions() -> None:
    rows = [row for row in known_rows() if row["game"] in GAMES]
    assert len(rows) > 200
    for row in rows:
        game = load(row["game"], [w for w in re.split(r",(?=\w+=)", row["parameters"]) if w])
        if row["position"]:
            assert game.text(game.parse(row["position"])) == row["position"]
        assert row["source"]
