"""Random command lines, by kind. A case is one number: it determines the words, what is typed, and
the damage done to a table beforehand."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import input_words as words
import typer
from input_addresses import draw_address
from input_damage import edit, flip
from input_folder import TABLES

from perfectplay.cli.commands import app
from perfectplay.games import GAMES

COMMANDS: dict[str, Any] = {
    name: command
    for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
    if name != "explore"  # it serves until it is stopped
}
SMALL = ("piglet", "nim", "mu-torere", "hanoi", "toads-and-frogs", "rules.py", "rules.py:Steps")
"""Games that are solved at once, and compiled before the first case."""
BOARDS = ("domineering", "cutcake", "konane", "amazons", "kayles", "octal", "rules.py")
"""Games whose boards must stay small: values of large ones take long, rightly."""
BOUNDED = {
    "solve": ["--memory", "64M"],
    "search": ["--seconds", "0.2"],
    "plan": ["--seconds", "0.1"],
    "evaluate": ["--memory", "64M"],
    "sweep": ["--memory", "64M"],
    "chart": ["--memory", "64M"],
    "grundy": ["--memory", "64M"],
    "heaps": ["--to", "200"],
}
"""Options without which a command may take long, rightly. They come last, so they count."""


@dataclass
class InputCase:
    """One input."""

    arguments: list[str]
    typed: str = ""
    """What is typed while the command runs."""
    tables: tuple[str, ...] = ()
    damage: Callable[[Path], None] | None = None
    codes: frozenset[int] = frozenset({0, 2, 3, 4, 5, 6, 7})
    """Exit codes that may be."""
    names_code: bool = field(default=False)
    """Whether the words name the file whose code would tell."""
    address: tuple[str, str] | None = None
    """A method and an address, where the explorer is asked, and no command."""


def draw_input(number: int, seed: int = 0) -> InputCase:
    """The input of a case."""
    rng = random.Random(f"{seed} input {number}")
    case = KINDS[kind_of(number)](rng)
    if rng.random() < 0.25 and "play" not in case.arguments[:1] and case.address is None:
        case.arguments.insert(1 if case.arguments[:1] else 0, "--json")
    case.arguments = [word.replace("\udc80", "\x80") for word in case.arguments]
    case.names_code = any("evil" in word for word in case.arguments)
    return case


def kind_of(number: int) -> str:
    """The kind of a case."""
    return list(KINDS)[number % len(KINDS)]


def _command_line(rng: random.Random) -> InputCase:
    """Any command with any of its options."""
    name = rng.choice(list(COMMANDS))
    found: list[str] = []
    for param in COMMANDS[name].params:
        if param.param_type_name == "argument":
            if rng.random() < 0.95:
                found += _argument(rng, name, param.name)
        elif rng.random() < 0.2 and not (name == "reproduce" and "--slow" in param.opts):
            found += _option(rng, param)
    if rng.random() < 0.1:
        found.insert(rng.randint(0, len(found)), words.junk(rng))
    if rng.random() < 0.05:
        name = words.mutated(rng, name)
    if name in ("solve", "check", "sweep", "grundy", "evaluate"):
        found = [word for word in found if sum(c.isdigit() for c in word) < 4]
    if name in ("reproduce", "bench"):
        found += ["no-such-figure"]
    return InputCase(
        [name, *found, *BOUNDED.get(name, [])], tables=("piglet",), codes=_codes(name)
    )


def _codes(name: str) -> frozenset[int]:
    return frozenset({0, 1, 2, 3, 4, 5, 6, 7}) if name == "reproduce" else InputCase([]).codes


def _argument(rng: random.Random, command: str, name: str) -> list[str]:
    sort = rng.random()
    if sort < 0.2:
        return [words.junk(rng)]
    if name == "what":
        return _notation_words(rng)
    if name == "code":
        return [words.mutated(rng, rng.choice(words.CODES))]
    if name == "policy":
        return [rng.choice(("policy.py:hold_at_2", "policy.py:lowest", "policy.py", "optimum"))]
    if name == "position":
        return [words.mutated(rng, rng.choice(rng.choice(list(words.POSITIONS.values()))))]
    if sort < 0.3 and command in ("games", "probe", "verify", "play", "chart"):
        return [rng.choice(list(GAMES))]
    return [rng.choice((*SMALL, "piglet"))]


def _option(rng: random.Random, param: Any) -> list[str]:
    name = rng.choice(param.opts)
    if param.is_flag:
        return [name]
    kind = param.type.name
    if name in ("-p", "--parameter", "--over"):
        value = _parameter(rng)
    elif name in ("--memory", "--disk"):
        value = rng.choice(words.SIZES) if rng.random() < 0.8 else words.junk(rng)
    elif name == "--ties":
        value = words.mutated(rng, rng.choice(("first", "last", "average", "for:1", "against:2")))
    elif name == "--sides":
        value = words.mutated(rng, rng.choice(("1+2", "2:-1", "1", "2+3")))
    elif kind in ("int", "integer", "int range", "integer range", "float"):
        value = words.number(rng)
    elif kind == "path":
        value = rng.choice(
            ("out.svg", "out.png", "new", "piglet", "rules.py", "a/b/c.svg", words.junk(rng))
        )
    else:
        value = rng.choice(("piglet", "rules.py:Steps", "value", "other score=0", words.junk(rng)))
    return [name, value] if rng.random() < 0.8 else [f"{name}={value}"]


def _parameter(rng: random.Random) -> str:
    """A parameter of one of the small games: right, or nearly."""
    name = rng.choice(
        ("heap", "takes", "misere", "word", "goal", "heaps", "discs", words.junk(rng))
    )
    value = rng.choice(
        ("1", "2", "3", "1,2", "true", "false", "1,2,3", "0", "-1", words.junk(rng))
    )
    return words.mutated(rng, f"{name}={value}") if rng.random() < 0.4 else f"{name}={value}"


def _parameters(rng: random.Random) -> InputCase:
    """Parameters of the rules in a file, and of all games that are listed."""
    command = rng.choice(("solve", "plan", "check", "games", "probe", "verify", "sweep", "grundy"))
    if rng.random() < 0.6:
        heap, takes = words.number(rng), rng.choice(("1", "1,2", "0", "2,3,5", words.junk(rng)))
        if command in ("solve", "check", "sweep", "grundy") and len(heap) > 3:
            heap = "12"  # to find so many positions would take for ever, rightly
        other = rng.choice(("misere", "word")) + "=" + words.junk(rng)
        some = [f"heap={heap}", f"takes={takes}", "misere=true", other]
        given = rng.sample(some, rng.randint(1, 3))
        game = rng.choice(("rules.py", "rules.py:Steps"))
    else:
        game = rng.choice(list(GAMES))
        command = rng.choice(("probe", "verify", "games"))
        given = [f"{rng.choice(('goal', 'size', 'heaps', 'fen', 'code'))}={words.junk(rng)}"]
    found = [word for each in given for word in ("-p", each)]
    over = ["--over", _parameter(rng)] if command == "sweep" else []
    return InputCase([command, game, *found, *over, *BOUNDED.get(command, [])])


def _position(rng: random.Random) -> InputCase:
    name = rng.choice([each for each in words.POSITIONS if each != "steps"])
    text = words.mutated(rng, rng.choice(words.POSITIONS[name]))
    command = rng.choice(("probe", "probe", "probe", "search", "play", "grundy"))
    dash = ["--"] if text.startswith("-") and rng.random() < 0.7 else []
    if command == "probe":
        more = rng.choice(([], ["--moves"], ["--line"], ["--limit", words.number(rng)]))
        return InputCase(["probe", *more, name, *dash, text], tables=(name,))
    if command == "play":
        return InputCase(["play", name, "--from", text, "--watch"], tables=(name,))
    game = TABLES[name][0]
    if command == "grundy":
        text = words.mutated(rng, rng.choice(words.POSITIONS["steps"]))
        return InputCase(["grundy", "rules.py", "--memory", "64M", "--", text])
    return InputCase(["search", game, "--seconds", "0.2", *TABLES[name][1:3], *dash, text][:8])


def _fen(rng: random.Random) -> InputCase:
    text = words.mutated(rng, rng.choice(words.FENS))
    match rng.randrange(4):
        case 0:
            found = ["search", "chess", "-p", "material=KQK", "--seconds", "0.2", "--", text]
            return InputCase(found)
        case 1:
            fen = text.replace(" ", "_")
            game = rng.choice(("pawn-endings", "chess"))
            return InputCase([rng.choice(("games", "probe", "verify")), game, "-p", f"fen={fen}"])
        case _:
            more = rng.choice(([], ["--moves"], ["--line"]))
            return InputCase(["probe", *more, "chess", "--", text], tables=("chess",))


def _notation_words(rng: random.Random) -> list[str]:
    """One summand or two, none of them large."""
    found: list[str] = []
    for i in range(rng.choice((1, 1, 1, 2))):
        kind, text = rng.choice(words.NOTATIONS)
        kind = words.mutated(rng, kind) if rng.random() < 0.1 else kind
        text = words.mutated(rng, text) if rng.random() < 0.8 else text
        large = sum(c.isdigit() for c in text) > 2 or len(text) > 9 or set(text) & set("456789")
        if large and kind in BOARDS:
            text = "2"
        found += ["+"] * bool(i) + [kind, text[:40]]
    return found


def _notation(rng: random.Random) -> InputCase:
    return InputCase(["value", *["--moves"] * (rng.random() < 0.3), *_notation_words(rng)])


def _heap_code(rng: random.Random) -> InputCase:
    code = words.mutated(rng, rng.choice(words.CODES))
    heaps = words.mutated(rng, rng.choice(("3,5,7", "1", "9,9,8,6", "10")))
    more = ["--misere"] * (rng.random() < 0.3)
    more += ["--position", heaps] * (rng.random() < 0.5)
    to = rng.choice(("10", "25", "100")) if "--misere" not in more else "12"
    return InputCase(["heaps", *more, "--to", to if rng.random() < 0.9 else "-1", "--", code])


def _asked(rng: random.Random, name: str) -> list[str]:
    """A question to a table."""
    return rng.choice(
        (
            ["probe", name], ["verify", name], ["verify", name, "--sample", "3"],
            ["chart", name, "--text"],
            ["play", name, "--watch"],
            ["probe", name, rng.choice(words.POSITIONS.get(name, ("",)))],
            ["solve", *TABLES[name], "--table", name, "--memory", "64M"],
        )
    )  # fmt: skip


def _manifest(rng: random.Random) -> InputCase:
    name = rng.choice([each for each in TABLES if each != "chess"])
    asked, again = _asked(rng, name), rng.random()
    change = random.Random(rng.random())

    def damage(place: Path) -> None:
        if again < 0.7:
            edit(change, place / name)
        else:
            flip(change, place / name / "manifest.json")

    return InputCase(asked, tables=(name,), damage=damage)


def _part(rng: random.Random) -> InputCase:
    name = rng.choice([each for each in TABLES if each != "chess"])
    change = random.Random(rng.random())

    def damage(place: Path) -> None:
        flip(change, place / name / "part-000000.parquet")

    return InputCase(_asked(rng, name), tables=(name,), damage=damage)


def _typed(rng: random.Random) -> InputCase:
    """Moves that are typed at a game."""
    name = rng.choice(("piglet", "nim", "star", "toads", "hanoi"))
    lines = [
        rng.choice(
            ("1", "2", "roll", "hold", "?", "help", "quit", "undo", "q", "", words.junk(rng))
        )
        for _ in range(rng.randint(0, 12))
    ]
    more = ["--seed", words.number(rng)] * (rng.random() < 0.5)
    more += ["--as", rng.choice(("1", "2", "3", "0"))] * (rng.random() < 0.5)
    return InputCase(
        ["play", name, *more, *["--hints"] * (rng.random() < 0.3)],
        typed="\n".join(lines) + "\n" * rng.randint(0, 1),
        tables=(name,),
        codes=frozenset({0, 2, 130}),
    )


def _matrix(rng: random.Random) -> InputCase:
    text = words.mutated(rng, rng.choice(words.MATRICES))

    def damage(place: Path) -> None:
        (place / "m.csv").write_text(text, encoding="utf-8", errors="replace")

    return InputCase(["nash", "m.csv", *["--all"] * (rng.random() < 0.5)], damage=damage)


def _question(rng: random.Random) -> InputCase:
    """What is asked of a table beyond values, or written down."""
    name = rng.choice([each for each in TABLES if each != "chess"])
    at = words.mutated(rng, rng.choice(words.POSITIONS.get(name, ("",))))
    wide = rng.random() < 0.5
    game = [name] if wide else [*TABLES[name][:3]]
    policy = rng.choice(("policy.py:hold_at_2", "policy.py:lowest", "optimum", "greedy"))
    number = words.number(rng)
    asked = rng.choice(
        (
            ["explain", name, "--", at],
            ["explain", name, "--tree", "--depth", number, "--", at],
            ["explain", name, "--out", _file_name(rng), "--", at],
            ["strata", *game, "--memory", "64M", "--", at],
            ["strata", *game, "--memory", "64M", "--out", _file_name(rng)],
            ["study", *game, "--memory", "64M", "--from", at],
            ["study", *game, "--memory", "64M", "--plot", _file_name(rng)],
            ["export", name, "--to", _file_name(rng)],
            ["export", name, "--to", "out.csv", "--columns", words.mutated(rng, "position,value")],
            ["export", *TABLES[name][:3], "--to", _file_name(rng)],
            ["certificate", name, *["--verify"] * (rng.random() < 0.5)],
            ["evaluate", *TABLES[name][:3], policy, "--errors", number, "--memory", "64M"],
            ["evaluate", *TABLES[name][:3], policy, "--from", at, "--memory", "64M"],
            ["solve", *TABLES[name], "--table", "new", "--memory", "64M", "--method", rng.choice(
                ("value-iteration", "newton", words.junk(rng)))],
        )
    )  # fmt: skip
    change, broken = random.Random(rng.random()), rng.random() < 0.2

    def damage(place: Path) -> None:
        if broken:
            edit(change, place / name)

    return InputCase(asked, tables=(name,), damage=damage)


def _file_name(rng: random.Random) -> str:
    """A file to write to: of a kind that is known, mostly."""
    ends = ("parquet", "arrow", "csv", "duckdb", "prism", "nfg", "efg", "umb", "pgn", "svg", "png")
    sort = rng.random()
    if sort < 0.1:
        return words.junk(rng)
    return f"{'no/folder/' * (sort < 0.15)}out.{rng.choice((*ends, 'x', 'tar.gz'))}"


STRATEGY = """{"game": "nim",
 "parameters": {"heaps": [1, 2], "misere": false, "at_once": 1, "takes": []},
 "position": "2 1", "at_least": 1, "moves": {"2 1": "2->1", "1 0": "1->0"}}"""


def _strategy(rng: random.Random) -> InputCase:
    """A strategy that somebody changed."""
    text = words.mutated(rng, STRATEGY)
    heaps = rng.choice(("heaps=1,2", "heaps=1,2", "heaps=1,3", words.junk(rng)))

    def damage(place: Path) -> None:
        (place / "s.json").write_text(text, encoding="utf-8", errors="replace")

    return InputCase(["verify", "nim", "-p", heaps, "--strategy", "s.json"], damage=damage)


def _address(rng: random.Random) -> InputCase:
    return InputCase([], address=draw_address(rng))


KINDS: dict[str, Callable[[random.Random], InputCase]] = {
    "command lines": _command_line,
    "parameters": _parameters,
    "positions": _position,
    "FENs": _fen,
    "notations": _notation,
    "heap codes": _heap_code,
    "manifests": _manifest,
    "parts": _part,
    "moves typed": _typed,
    "matrices": _matrix,
    "questions": _question,
    "strategies": _strategy,
    "addresses": _address,
}
"""The kinds of inputs, by name."""
