"""The list of games. Listing imports none of them: an entry names a module and a class in it."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a game is, and what it is about."""

    path: str
    """Module and class, as in "perfectplay.games.nim:Nim"."""
    summary: str
    """One line for people."""


_HERE = "perfectplay.games"

GAMES: dict[str, Entry] = {
    "nim": Entry(f"{_HERE}.nim:Nim", "take counters from a heap; who cannot take loses"),
    "subtraction": Entry(f"{_HERE}.nim:Subtraction", "one heap; only some numbers may be taken"),
    "fibonacci-nim": Entry(
        f"{_HERE}.nim:FibonacciNim", "one heap; take at most twice what was taken before"
    ),
    "chess": Entry(f"{_HERE}.chess:Chess", "endings with few men, by the depth to mate"),
    "checkers": Entry(f"{_HERE}.checkers:Checkers", "draughts with few pieces, any of them kings"),
    "pawn-endings": Entry(
        f"{_HERE}.pawn_endings:PawnEndings", "kings and any number of pawns, until one is promoted"
    ),
    "hackenbush": Entry(
        f"{_HERE}.hackenbush:Hackenbush", "take coloured edges of a picture on the ground"
    ),
    "domineering": Entry(
        f"{_HERE}.domineering:Domineering", "place dominoes, Left upright and Right flat ones"
    ),
    "clobber": Entry(f"{_HERE}.clobber:Clobber", "take a neighbouring stone and its place"),
    "toads-and-frogs": Entry(
        f"{_HERE}.toads:ToadsAndFrogs", "two armies in a row that hop past each other"
    ),
    "cutcake": Entry(f"{_HERE}.cutcake:Cutcake", "cut cakes, Left upright and Right flat"),
    "amazons": Entry(f"{_HERE}.amazons:Amazons", "queens that shoot, on a small board"),
    "konane": Entry(f"{_HERE}.konane:Konane", "the Hawaiian game of jumps, on a small board"),
    "col": Entry(f"{_HERE}.colouring:Col", "paint a map; no neighbours of one colour"),
    "snort": Entry(f"{_HERE}.colouring:Snort", "paint a map; no neighbours of two colours"),
    "octal": Entry(
        f"{_HERE}.octal:Octal", "take from a heap and split what is left, as a code allows"
    ),
    "kayles": Entry(f"{_HERE}.octal:Kayles", "knock down one pin, or two side by side"),
    "dawsons-chess": Entry(f"{_HERE}.octal:DawsonsChess", "rows of pawns that must capture"),
    "noughts-and-crosses": Entry(f"{_HERE}.mnk:MNK", "three in a row on a board of 3 x 3"),
    "mnk": Entry(f"{_HERE}.mnk:MNK", "any number in a row on any board, also misère"),
    "qubic": Entry(f"{_HERE}.qubic:Qubic", "noughts and crosses in space, in a box of any size"),
    "fifteen": Entry(f"{_HERE}.disguises:Fifteen", "take numbers; three with the sum 15 win"),
    "spit-not-so": Entry(
        f"{_HERE}.disguises:SpitNotSo", "take words; three with a common letter win"
    ),
    "mu-torere": Entry(f"{_HERE}.mutorere:MuTorere", "block the other player's markers on a star"),
    "ovid": Entry(f"{_HERE}.ovid:Ovid", "three men each, placed and then moved, in a row win"),
    "morris": Entry(f"{_HERE}.morris:Morris", "close mills; six, nine and twelve men's morris"),
    "kalah": Entry(f"{_HERE}.kalah:Kalah", "sow seeds around two rows of pits into a store"),
    "awari": Entry(f"{_HERE}.awari:Awari", "sow seeds and capture twos and threes; few seeds"),
    "dots-and-boxes": Entry(
        f"{_HERE}.boxes:DotsAndBoxes", "draw lines; who closes a box draws again"
    ),
    "connect": Entry(f"{_HERE}.connect:ConnectK", "drop stones; four in a row win"),
    "hanoi": Entry(f"{_HERE}.hanoi:Hanoi", "move a tower of discs in as few moves as possible"),
    "sliding": Entry(f"{_HERE}.sliding:SlidingPuzzle", "slide numbered tiles into order"),
    "cube": Entry(f"{_HERE}.cube:Cube", "the cube of 2 x 2 x 2, in as few turns as possible"),
    "peg-solitaire": Entry(
        f"{_HERE}.peg_solitaire:PegSolitaire",
        "jump pegs off the board, in as few moves as possible",
    ),
    "tetris": Entry(
        f"{_HERE}.tetris:Tetris",
        "place falling pieces in a small well, for as many rows as possible",
    ),
    "klondike": Entry(
        f"{_HERE}.klondike:Klondike", "the patience, with a small pack; cards known or hidden"
    ),
    "pig": Entry(f"{_HERE}.pig:Pig", "roll on or hold; a 1 loses the turn"),
    "piglet": Entry(f"{_HERE}.pig:Piglet", "Pig with a coin"),
    "hog": Entry(f"{_HERE}.hog:Hog", "Pig with one roll of many dice in each turn"),
    "pig-mania": Entry(f"{_HERE}.pig_mania:PigMania", "Pass the Pigs: Pig with two pigs for dice"),
    "yahtzee": Entry(f"{_HERE}.yahtzee:Yahtzee", "fill a scorecard with dice, alone"),
    "flip": Entry(f"{_HERE}.flip:Flip", "turn down markers whose sum is the roll"),
    "flip-flop": Entry(
        f"{_HERE}.flip:FlipFlop", "turn markers both ways, in as few rolls as possible"
    ),
    "farmer-klaus": Entry(
        f"{_HERE}.orchard:FarmerKlaus", "bring in the grain before the mice come"
    ),
    "obstgarten": Entry(f"{_HERE}.orchard:Obstgarten", "pick the fruit before the raven comes"),
    "snakes-and-ladders": Entry(f"{_HERE}.snakes:SnakesAndLadders", "a race by the die alone"),
    "bear-off": Entry(
        f"{_HERE}.bearoff:BearOff", "bear off checkers by two dice in as few rolls as possible"
    ),
    "backgammon-race": Entry(
        f"{_HERE}.backgammon:BackgammonRace", "two sides bear off, also with a doubling cube"
    ),
    "einstein": Entry(
        f"{_HERE}.einstein:Einstein", "run to the other corner; the die tells which stone moves"
    ),
    "royal-game-of-ur": Entry(f"{_HERE}.ur:Ur", "race over twenty squares; hits send back"),
    "ludo": Entry(f"{_HERE}.chase:Ludo", "race and chase round a track, as in Ludo"),
    "red-green-balls": Entry(
        f"{_HERE}.redgreen:RedGreen", "bet on balls that a dealer draws to make you lose"
    ),
    "mastermind": Entry(f"{_HERE}.mastermind:Mastermind", "find a code of colours by guesses"),
    "bulls-and-cows": Entry(
        f"{_HERE}.mastermind:BullsAndCows", "find a code of different digits by guesses"
    ),
    "memory": Entry(f"{_HERE}.memory:Memory", "remember cards and take pairs; turn again or not"),
    "risk": Entry(f"{_HERE}.risk:Risk", "a battle of Risk across one border"),
    "egg-dropping": Entry(
        f"{_HERE}.egg_dropping:EggDropping", "find the floor from which eggs break, in few drops"
    ),
    "but-whos-counting": Entry(
        f"{_HERE}.but_whos_counting:ButWhosCounting", "put random digits into a large number"
    ),
    "weakest-link": Entry(
        f"{_HERE}.weakest_link:WeakestLink", "when to bank a chain of right answers"
    ),
    "millionaire": Entry(
        f"{_HERE}.millionaire:Millionaire", "answer on, or walk away with what is won"
    ),
    "secretary": Entry(
        f"{_HERE}.secretary:Secretary", "candidates come one by one; take the best"
    ),
    "darts": Entry(f"{_HERE}.darts:Darts", "bring a score to nought, the last dart a double"),
    "clock-patience": Entry(
        f"{_HERE}.clock_patience:ClockPatience", "turn up the pack before the kings run out"
    ),
    "cant-stop": Entry(f"{_HERE}.cantstop:CantStop", "push up the columns, or stop in time"),
}
