"""Repeat: rules must give the same answers every time, in any order, and in any process.

Every method is asked again at the same positions, last first; and once more by another process,
in which Python hashes texts differently, so that an order taken from a set is another one."""

import json
import os
import random
import re
import subprocess
import sys
import time
from dataclasses import is_dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from perfectplay.errors import PerfectPlayError
from perfectplay.positions.examine import ask, edges_of, mover_of
from perfectplay.rules.folder_import import from_file
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, declares, parameters
from perfectplay.rules.load import load
from perfectplay.rules.search_capabilities import guides
from perfectplay.verification.problems import Problems

AGAIN = 3000
"""Positions that are asked about again."""
SECONDS = 10.0
"""For so long, where the rules are slow."""
ELSEWHERE = 300
"""Positions that another process is asked about."""
PATIENCE = 60
"""Seconds until another process is given up."""
OPTIONAL = ("representative", "stratum", "turn", "anchor")
HINT = (
    "rules must give the same answer every time: no random numbers in them (chances(p) says what "
    "may happen), nothing kept in self or in a module"
)
SORT = "what comes out of a set, or from hash(), is in another order in every process: sort it"

Answers = dict[str, Any]


def answers(game: Game, p: Any) -> Answers:
    """What every method says of a position."""
    kind = mover_of(game, p)
    edges = edges_of(game, p, kind)
    found: Answers = {"to_move": kind, "text": ask(game, "text", p)}
    if kind >= 0 or kind == SIMULTANEOUS:
        moves = found["choices" if kind == SIMULTANEOUS else "moves"] = [
            edge.move for edge in edges
        ]
        found["play"] = [edge.child for edge in edges]
        found["reward"] = [edge.reward for edge in edges]
        shown = moves if kind >= 0 else [m for pair in moves for m in pair]
        found["move_text"] = [ask(game, "move_text", p, m) for m in shown]
        if declares(game, "hint") and kind >= 0:
            found["hint"] = [ask(game, "hint", p, m) for m in moves]
    elif kind == CHANCE:
        found["chances"] = [(edge.weight, edge.child) for edge in edges]
    if kind == OVER or not edges:
        found["payoff"] = ask(game, "payoff", p)
    for method in (*OPTIONAL, *(("guess", "bounds") if guides(game) else ())):
        if declares(game, method):
            found[method] = ask(game, method, p)
    return found


def asked_again(game: Game, finder: Problems, positions: list[Any]) -> None:
    """Report the first method that answers otherwise when it is asked again."""
    end = time.perf_counter() + SECONDS
    some, first = _some(positions, AGAIN), []
    for p in some:
        state = _state()
        first.append((p, answers(game, p)))
        if _state() != state:
            finder.add(_rolling(game, p), f"draws random numbers at {p!r}", HINT, law="again")
            return
        if time.perf_counter() > end:
            finder.unseen.append(f"answers given twice, at more than {len(first):,} positions")
            break
    for order in (reversed(first), random.Random(0).sample(first, len(first))):
        for p, before in order:
            _compare(finder, p, before, answers(game, p))
            if finder.problems:
                return


def _state() -> tuple[Any, ...]:
    """Where the random numbers of Python and NumPy are; whoever draws one moves on."""
    known: Any = np.random.get_state(legacy=True)
    return random.getstate(), known[1].tobytes(), known[2:]


def _rolling(game: Game, p: Any) -> str:
    """Which method draws random numbers at a position where one does."""
    kind = mover_of(game, p)
    moves = ask(game, "moves", p) if kind >= 0 else []
    asked: list[tuple[Any, ...]] = [("play", p, m) for m in moves]
    asked += [("reward", p, m) for m in moves]
    asked += [("chances", p)] if kind == CHANCE else [("moves", p), ("payoff", p)]
    asked += [(method, p) for method in OPTIONAL if declares(game, method)]
    for method, *given in asked:
        state = _state()
        try:
            ask(game, method, *given)
        except PerfectPlayError:  # a payoff is asked for only where play has ended
            continue
        if _state() != state:
            return str(method)
    return "rules"


def _some(positions: list[Any], most: int) -> list[Any]:
    if len(positions) <= most:
        return positions
    return [positions[i] for i in sorted(random.Random(0).sample(range(len(positions)), most))]


def _compare(finder: Problems, p: Any, before: Answers, after: Answers) -> None:
    for method, one in before.items():
        other = after.get(method)
        if (
            one != other
            and repr(one) != repr(other)
            and (method != "play" or before["moves"] == after["moves"])
        ):
            finder.add(
                method,
                f"answers {_short(one)} and, asked again, {_short(other)} at {p!r}",
                HINT,
                law="again",
            )
            return


def _short(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) <= 100 else f"{text[:100]}…"


# -- Another process. -----------------------------------------------------------------------------


def asked_elsewhere(game: Game, finder: Problems, positions: list[Any]) -> None:
    """Report the first method that answers otherwise in another process."""
    where = found_by(game)
    if where is None:
        finder.unseen.append(
            "the same rules in another process: their class is not in a file or module that one "
            "could load"
        )
        return
    texts = [game.text(p) for p in _some(positions, ELSEWHERE)]
    there = _reply({"game": where, "parameters": parameters(game), "positions": texts})
    if there is None:
        finder.unseen.append("the same rules in another process: it did not answer")
        return
    for text, other in zip(texts, there, strict=True):
        here = written(answers(game, game.parse(text)))
        for method, one in here.items():
            if one != other.get(method):
                _differs(finder, method, text, one, other.get(method))
                return


def _differs(finder: Problems, method: str, text: str, one: Any, other: Any) -> None:
    shuffled = isinstance(one, list) and isinstance(other, list) and sorted(one) == sorted(other)
    what = "comes in another order" if shuffled else "answers otherwise"
    finder.add(
        method,
        f"{what} in another process, at {text}: {_short(one)} here, {_short(other)} there",
        SORT if shuffled else f"{HINT}; {SORT}",
        law="process",
    )


def found_by(game: Game) -> str | None:
    """How another process can load the class of a game; None if it cannot, or would have to guess
    how the game was made."""
    cls: Any = type(game)
    module = sys.modules.get(cls.__module__)
    found: Any = module
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    made = is_dataclass(cls) or len(signature(cls).parameters) == 0
    file = getattr(module, "__file__", None)
    if found is not cls or not made or cls.__module__ == "__main__" or not file:
        return None
    if from_file(cls.__module__):
        return f"{Path(file).resolve()}:{cls.__qualname__}"
    return f"{cls.__module__}:{cls.__qualname__}"


def _reply(question: dict[str, Any]) -> list[dict[str, Any]] | None:
    """What another process answers; None if it does not."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    try:
        ended = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import reply; reply()"],
            input=json.dumps(question),
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        found: list[dict[str, Any]] | None = json.loads(ended.stdout)
    except (OSError, TypeError, ValueError, subprocess.SubprocessError):
        return None
    return found


def reply() -> None:
    """Answer the question on stdin: what the rules say of some positions."""
    out, sys.stdout = sys.stdout, sys.stderr  # rules may print
    question = json.load(sys.stdin)
    try:
        game = load(question["game"], question["parameters"])
        found = [written(answers(game, game.parse(text))) for text in question["positions"]]
    except PerfectPlayError:
        found = None
    json.dump(found, out)


def written(found: Answers) -> dict[str, Any]:
    """Answers as texts, and lists of them, that are equal in any process if the answers are."""
    return {
        method: [_canonical(each) for each in one] if isinstance(one, list) else _canonical(one)
        for method, one in found.items()
    }


def _canonical(x: Any) -> str:
    if isinstance(x, set | frozenset):
        return f"{{{', '.join(sorted(map(_canonical, x)))}}}"
    if isinstance(x, dict):
        return (
            f"{{{', '.join(sorted(f'{_canonical(k)}: {_canonical(v)}' for k, v in x.items()))}}}"
        )
    if isinstance(x, tuple | list):
        return f"({', '.join(map(_canonical, x))})"
    if hasattr(x, "dtype") and hasattr(x, "tolist"):
        return _canonical(x.tolist())
    if is_dataclass(x) and not isinstance(x, type):
        return f"{type(x).__name__}{_canonical(tuple(vars(x).items()))}"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(x))
