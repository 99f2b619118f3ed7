"""Oren Patashnik's dictionary of Qubic, 4 x 4 x 4, as a strategy, proved as a whole.

    python benchmarks/qubic_patashnik.py [FILE]

The dictionary has 2,929 positions with the first player to move and a strategic move for each;
between them the first player plays threats, which the verifier finds by itself. Its source and
terms are at its head (tests/known/qubic_patashnik.txt). With FILE, the strategy is written, too:

    perfectplay verify qubic -p width=4 -p height=4 -p depth=4 -p line=4 --strategy FILE
"""

import resource
import sys
from pathlib import Path

from perfectplay import load
from perfectplay.rules.game import Game, parameters
from perfectplay.searching.strategies import Strategy
from perfectplay.verification.verify_strategy import verify_strategy

DICTIONARY = Path(__file__).parents[1] / "tests" / "known" / "qubic_patashnik.txt"
CUBE = {"width": 4, "height": 4, "depth": 4, "line": 4}


def read(file: Path, game: Game) -> Strategy:
    """The dictionary as a strategy."""
    moves = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            cells, _, cell = line.rpartition(" ")
            p = position(cells, game)
            moves[game.text(p)] = game.move_text(p, int(cell))
    return Strategy("qubic", parameters(game), game.text(game.start()), 1, moves)


def position(cells: str, game: Game) -> object:
    """A position as the dictionary writes it: x, o, and numbers of empty cells."""
    marks, empty = "", ""
    for letter in [*cells, "."]:
        if letter.isdigit():
            empty += letter
            continue
        marks += "." * int(empty or 0) + letter
        empty = ""
    marks = marks[:-1].ljust(64, ".")
    rows = ["".join(marks[at : at + 4]) for at in range(0, 64, 4)]
    return game.parse(" ".join("/".join(rows[z : z + 4]) for z in range(0, 16, 4)))


def main() -> None:
    """Prove it, and say what that took."""
    game = load("qubic", CUBE)
    found = read(DICTIONARY, game)
    for file in sys.argv[1:]:
        found.write(file)
    proved = verify_strategy(game, found)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{proved.positions:,} positions: {proved.kind}")
    print(f"{proved.seconds:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU in all")


if __name__ == "__main__":
    main()
