"""What is there when an input is tried: rules, policies, matrices and tables in a folder that is
made anew for every case."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from perfectplay.cli.main import run

TABLES = {
    "piglet": ["piglet", "-p", "goal=4"],
    "small": ["piglet", "-p", "goal=2", "--exact"],
    "nim": ["nim"],
    "star": ["mu-torere"],
    "hanoi": ["hanoi"],
    "toads": ["toads-and-frogs"],
    "chess": ["chess", "-p", "material=KQK"],
}
"""By name, what `solve` is told to make them."""
RULES = '''
from dataclasses import dataclass

from perfectplay import Game


@dataclass(frozen=True)
class Steps(Game):
    """Take some counters; who cannot take loses."""

    heap: int = 6
    takes: tuple[int, ...] = (1, 2)
    misere: bool = False
    word: str = "take"

    def start(self):
        return self.heap

    def moves(self, p):
        for take in self.takes:
            if 0 < take <= p:
                yield take

    def play(self, p, take):
        return p - take
'''
POLICY = """
def hold_at_2(p):
    return "hold"


def lowest(game, p):
    return next(iter(game.moves(p)))
"""
EVIL = """
from pathlib import Path

Path("ran").write_text("this code ran")


class Gift:
    pass
"""
SEARCHED = "FUZZ_SEARCHED"
RAN = "ran"
"""The file that tells that code ran which nobody named."""


def searched() -> list[str]:
    """The games whose rules are compiled for `search`, which takes long: all, or those that the
    environment names."""
    named = os.environ.get(SEARCHED)
    return [words[0] for words in TABLES.values()] if named is None else named.split()


def prepare_tables(folder: Path) -> None:
    """Solve what cases start from, and compile the rules they use."""
    for name, words in TABLES.items():
        table = folder / "base" / name
        if not (table / "manifest.json").exists():
            assert run(["solve", *words, "--table", str(table), "--workers", "1"]) == 0
            if words[0] in searched():
                run(["search", *words[:3], "--seconds", "0.1"])  # compiles, too


def lay_out(folder: Path, *tables: str) -> Path:
    """A fresh folder with these tables, as the current one."""
    place = folder / "case"
    os.chdir(folder)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in tables:
        shutil.copytree(folder / "base" / name, place / name)
    (place / "rules.py").write_text(RULES, encoding="utf-8")
    (place / "policy.py").write_text(POLICY, encoding="utf-8")
    (place / "evil.py").write_text(EVIL, encoding="utf-8")
    os.environ["PERFECTPLAY_TABLES"] = str(place / "tables")
    os.chdir(place)
    return place
