"""Warm start: how long every command takes on games so small that starting is all there is to it.

    python benchmarks/start.py [--times 5] [WORD]...

Each command is run once to compile what it needs, and its answer is compared with the right one;
then the least processor time (of all threads) and the least time of several runs are taken, since
other programs can only slow a run down. Words choose the lines that hold one of them."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HOP = '''"""Climb 1, 2 or 5 steps in turn; who reaches the top wins."""

from dataclasses import dataclass

from perfectplay import Game


@dataclass(frozen=True)
class Hop(Game):
    top: int = 60
    native = True

    def start(self):
        return self.top

    def moves(self, p):
        for step in (1, 2, 5):
            if step <= p:
                yield step

    def play(self, p, step):
        return p - step
'''
HOLD = """from perfectplay.games.dice.pig import HOLD, ROLL, turn_total


def hold_at_20(game, p):
    return HOLD if turn_total(p) >= 20 else ROLL
"""

GAMES = {
    "noughts-and-crosses": ("draw", "5,478"),
    "nim": ("loss in 16 plies", "143"),
    "mu-torere": ("draw", "1,187"),
    "pig -p goal=20": ("0.6155585498", "6,593"),
    "pig -p players=3 -p goal=10": ("0.6339704616", "6,237"),
    "flip": ("0.0036221811", "49,117"),
    "flip-flop -p markers=6": ("9.9530287171", "757"),
    "hanoi": ("63", "729"),
    "farmer-klaus": ("0.5117293990", "2,723"),
    "obstgarten": ("0.6840474981", "28,000"),
    "snakes-and-ladders": ("39.225122308", "163"),
    "sliding -p width=3 -p height=2": ("14", "360"),
    "kalah -p pits=2 -p seeds=2": ("-2", "24"),
    "connect -p width=4 -p height=3": ("draw", "12,031"),
    "hop.py:Hop": ("loss in 40 plies", "61"),
}
"""Small games, each with words of its value and its number of positions."""

OTHERS = {
    "--help": "Usage",
    "--version": "perfectplay",
    "games": "noughts-and-crosses",
    "games pig": "goal",
    "evaluate pig hold.py:hold_at_20 -p goal=20": "0.6155585498",
    "evaluate piglet hold.py:hold_at_20 -p goal=2 --exact": "4/7",
    "sweep flip --over markers=2..6": "0.1339365664",
    "sweep nim --over misere=false,true": "loss in 15 plies",
    "chart pig -p goal=20 --out pig.svg": "pig.svg",
    "reproduce hanoi": "agrees",
    "reproduce mu-torere": "agrees",
    "search noughts-and-crosses": "draw",
    "search flip -p markers=6": "112481/839808",
    "nash scissors.csv": "1/3",
    "heaps kayles --position 3,5,7": "20    1   4   6   7",
    "grundy nim": "nim value   0",
    "value nim 3,5": "*6",
    "bench --help": "Usage",
}


def lines() -> Iterator[tuple[str, tuple[str, ...]]]:
    """All commands, each with words that its answer must hold."""
    yield from ((command, (word,)) for command, word in OTHERS.items())
    for game, (value, positions) in GAMES.items():
        yield f"plan {game}", (positions,)
        yield f"solve {game} --fresh", (value, positions)
        yield f"solve {game}", (value, positions, "the table was there")
        yield f"solve {game} --json", ('"signature"',)
        yield f"probe {game}", (value,)
        yield f"verify {game}", (positions, "verified")
        yield f"check {game}", ("nothing wrong",)
        yield f"play {game} --watch --seed 1", ("",)


def run(words: list[str], folder: Path) -> tuple[float, float, str]:
    """Processor time, time and output of one command."""
    program = [sys.executable, "-c", "from perfectplay.cli.main import main; main()"]
    began, before = time.perf_counter(), os.times()
    done = subprocess.run(
        [*program, *words], capture_output=True, text=True, cwd=folder, check=False
    )
    took, after = time.perf_counter() - began, os.times()
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed: {done.stderr}")
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return spent, took, done.stdout


def measure(command: str, right: tuple[str, ...], times: int, folder: Path) -> tuple[float, float]:
    """The least processor time and time of a command, whose answer must hold some words."""
    words = command.split()
    answer = run(words, folder)[2]
    for word in right:
        if word not in answer:
            raise SystemExit(f"{command}: {word!r} is not in the answer:\n{answer}")
    runs = [run(words, folder) for _ in range(times)]
    return min(each[0] for each in runs), min(each[1] for each in runs)


def main() -> None:
    """Measure all commands, or those that were asked for, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only commands that hold one of these words")
    parser.add_argument("--times", type=int, default=5, help="runs of each command")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "hop.py").write_text(HOP)
        (folder / "hold.py").write_text(HOLD)
        (folder / "scissors.csv").write_text("0,-1,1\n1,0,-1\n-1,1,0\n")
        os.environ["PERFECTPLAY_TABLES"] = str(folder / "tables")
        subprocess.run([sys.executable, "-m", "perfectplay.cli.warm"], check=True)
        for game in GAMES:
            run(["solve", *game.split()], folder)
        slowest = 0.0
        print("| command | processor s | s |\n| --- | --- | --- |")
        for command, right in lines():
            if given.words and not any(word in command for word in given.words):
                continue
            spent, took = measure(command, right, given.times, folder)
            slowest = max(slowest, took)
            print(f"| `{command}` | {spent:.2f} | {took:.2f} |", flush=True)
    print(f"\nslowest: {slowest:.2f} s")


if __name__ == "__main__":
    main()
