"""The list of games. Listing imports none of them: an entry names a module and a class in it."""

from typing import NamedTuple


class ListedGame(NamedTuple):
    """Where a game is, and what it is about."""

    path: str
    """Module and class, as in "perfectplay.games.heaps.nim:Nim"."""
    summary: str
    """One line for people."""


def _game(where: str, summary: str) -> ListedGame:
    return ListedGame(f"perfectplay.games.{where}", summary)


GAMES: dict[str, ListedGame] = {
    "nim": _game("heaps.nim:Nim", "take counters from a heap; who cannot take loses"),
    "subtraction": _game("heaps.nim:Subtraction", "one heap; only some numbers may be taken"),
    "fibonacci-nim": _game(
        "heaps.nim:FibonacciNim", "one heap; take at most twice what was taken before"
    ),
    "chess": _game("chess.chess:Chess", "endings with few men, by the depth to mate"),
    "checkers": _game("boards.checkers:Checkers", "draughts with few pieces, any of them kings"),
    "pawn-endings": _game(
        "chess.pawn_endings:PawnEndings",
        "kings and any number of pawns, until one is promoted",
    ),
    "hackenbush": _game(
        "partizan.hackenbush:Hackenbush", "take coloured edges of a picture on the ground"
    ),
    "domineering": _game(
        "partizan.domineering:Domineering",
        "place dominoes, Left upright and Right flat ones",
    ),
    "clobber": _game("partizan.clobber:Clobber", "take a neighbouring stone and its place"),
    "toads-and-frogs": _game(
        "partizan.toads:ToadsAndFrogs", "two armies in a row that hop past each other"
    ),
    "cutcake": _game("partizan.cutcake:Cutcake", "cut cakes, Left upright and Right flat"),
    "amazons": _game("partizan.amazons:Amazons", "queens that shoot, on a small board"),
    "konane": _game("partizan.konane:Konane", "the Hawaiian game of jumps, on a small board"),
    "col": _game("partizan.colouring:Col", "paint a map; no neighbours of one colour"),
    "snort": _game("partizan.colouring:Snort", "paint a map; no neighbours of two colours"),
    "octal": _game(
        "heaps.octal:Octal", "take from a heap and split what is left, as a code allows"
    ),
    "kayles": _game("heaps.octal:Kayles", "knock down one pin, or two side by side"),
    "dawsons-chess": _game("heaps.octal:DawsonsChess", "rows of pawns that must capture"),
    "noughts-and-crosses": _game("lines.mnk:MNK", "three in a row on a board of 3 x 3"),
    "mnk": _game("lines.mnk:MNK", "any number in a row on any board, also misère"),
    "qubic": _game("lines.qubic:Qubic", "noughts and crosses in space, in a box of any size"),
    "hex": _game("lines.hex:Hex", "connect two sides of a rhombus of hexagons"),
    "fifteen": _game("lines.disguises:Fifteen", "take numbers; three with the sum 15 win"),
    "spit-not-so": _game(
        "lines.disguises:SpitNotSo", "take words; three with a common letter win"
    ),
    "mu-torere": _game("boards.mutorere:MuTorere", "block the other player's markers on a star"),
    "quixo": _game("boards.quixo:Quixo", "push cubes into a square until a row shows your mark"),
    "ovid": _game("boards.ovid:Ovid", "three men each, placed and then moved, in a row win"),
    "morris": _game("boards.morris:Morris", "close mills; six, nine and twelve men's morris"),
    "kalah": _game("boards.kalah:Kalah", "sow seeds around two rows of pits into a store"),
    "awari": _game("boards.awari:Awari", "sow seeds and capture twos and threes; few seeds"),
    "othello": _game("boards.othello:Othello", "enclose discs and turn them, on a small board"),
    "dots-and-boxes": _game(
        "boards.dots_and_boxes:DotsAndBoxes", "draw lines; who closes a box draws again"
    ),
    "connect": _game("lines.connect:ConnectK", "drop stones; four in a row win"),
    "hanoi": _game("puzzles.hanoi:Hanoi", "move a tower of discs in as few moves as possible"),
    "sliding": _game("puzzles.sliding:SlidingPuzzle", "slide numbered tiles into order"),
    "cube": _game("puzzles.cube:Cube", "the cube of 2 x 2 x 2, in as few turns as possible"),
    "rubik": _game("puzzles.rubik:Rubik", "Rubik's cube, 3 x 3 x 3, in as few turns as possible"),
    "sokoban": _game("puzzles.sokoban:Sokoban", "push boxes onto goals, in least pushes or steps"),
    "peg-solitaire": _game(
        "puzzles.peg_solitaire:PegSolitaire",
        "jump pegs off the board, in as few moves as possible",
    ),
    "tetris": _game(
        "puzzles.tetris:Tetris",
        "place falling pieces in a small well, for as many rows as possible",
    ),
    "klondike": _game(
        "cards.klondike:Klondike",
        "the patience, with a small pack; cards known or hidden",
    ),
    "thoughtful-klondike": _game(
        "cards.thoughtful:ThoughtfulKlondike", "Klondike with the whole pack, all cards known"
    ),
    "yukon": _game("cards.yukon:Yukon", "the patience in which any face-up card may be moved"),
    "tetris-sequence": _game(
        "puzzles.tetris_sequence:TetrisSequence", "most rows from a known sequence of pieces"
    ),
    "bakers-game": _game("cards.freecell:BakersGame", "FreeCell with columns built by suit"),
    "freecell": _game(
        "cards.freecell:FreeCell", "the patience with four cells; Microsoft's deals by number"
    ),
    "pig": _game("dice.pig:Pig", "roll on or hold; a 1 loses the turn"),
    "piglet": _game("dice.pig:Piglet", "Pig with a coin"),
    "twenty-one": _game("dice.twenty_one:TwentyOne", "come close to 21 with a die, not above it"),
    "hog": _game("dice.hog:Hog", "Pig with one roll of many dice in each turn"),
    "coins": _game("dice.coins:Coins", "toss a coin in turn until heads: the smallest cycle"),
    "pig-mania": _game("dice.pig_mania:PigMania", "Pass the Pigs: Pig with two pigs for dice"),
    "yahtzee": _game("dice.yahtzee:Yahtzee", "fill a scorecard with dice, alone"),
    "flip": _game("dice.flip:Flip", "turn down markers whose sum is the roll"),
    "flip-flop": _game(
        "dice.flip:FlipFlop", "turn markers both ways, in as few rolls as possible"
    ),
    "flip-for-two": _game("dice.flip:FlipForTwo", "turn down the last marker, in turns"),
    "farmer-klaus": _game("dice.orchard:FarmerKlaus", "bring in the grain before the mice come"),
    "obstgarten": _game("dice.orchard:Obstgarten", "pick the fruit before the raven comes"),
    "snakes-and-ladders": _game("races.snakes:SnakesAndLadders", "a race by the die alone"),
    "bear-off": _game(
        "races.bearoff:BearOff",
        "bear off checkers by two dice in as few rolls as possible",
    ),
    "backgammon": _game(
        "races.backgammon_contact:Backgammon", "few checkers a side, with hits: also hypergammon"
    ),
    "backgammon-race": _game(
        "races.backgammon:BackgammonRace", "two sides bear off, also with a doubling cube"
    ),
    "einstein": _game(
        "races.einstein:Einstein",
        "run to the other corner; the die tells which stone moves",
    ),
    "royal-game-of-ur": _game("races.ur:Ur", "race over twenty squares; hits send back"),
    "ludo": _game("races.chase:Ludo", "race and chase round a track, as in Ludo"),
    "red-green-balls": _game(
        "decisions.redgreen:RedGreen", "bet on balls that a dealer draws to make you lose"
    ),
    "mastermind": _game("puzzles.mastermind:Mastermind", "find a code of colours by guesses"),
    "bulls-and-cows": _game(
        "puzzles.mastermind:BullsAndCows", "find a code of different digits by guesses"
    ),
    "memory": _game("cards.memory:Memory", "remember cards and take pairs; turn again or not"),
    "goofspiel": _game("simultaneous.goofspiel:Goofspiel", "bid cards for prizes, both at once"),
    "rock-paper-scissors": _game(
        "simultaneous.rock_paper_scissors:RockPaperScissors", "a race; ties are played again"
    ),
    "duel": _game("simultaneous.duel:Duel", "walk up to each other, and shoot in time"),
    "risk": _game("dice.risk:Risk", "a battle of Risk across one border"),
    "egg-dropping": _game(
        "decisions.egg_dropping:EggDropping",
        "find the floor from which eggs break, in few drops",
    ),
    "but-whos-counting": _game(
        "decisions.but_whos_counting:ButWhosCounting",
        "put random digits into a large number",
    ),
    "weakest-link": _game(
        "decisions.weakest_link:WeakestLink", "when to bank a chain of right answers"
    ),
    "millionaire": _game(
        "decisions.millionaire:Millionaire", "answer on, or walk away with what is won"
    ),
    "secretary": _game(
        "decisions.secretary:Secretary", "candidates come one by one; take the best"
    ),
    "darts": _game("decisions.darts:Darts", "bring a score to nought, the last dart a double"),
    "clock-patience": _game(
        "cards.clock_patience:ClockPatience", "turn up the pack before the kings run out"
    ),
    "cant-stop": _game("dice.cantstop:CantStop", "push up the columns, or stop in time"),
}
