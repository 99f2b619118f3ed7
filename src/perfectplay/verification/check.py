"""Check: are these rules sound? Walks through a game and reports what contradicts itself.

Positions are visited breadth-first up to a limit, then by random play; each is put to every law
that rules must obey. Native rules are also compiled and compared with their interpreted twin.
Small games are visited completely, and solved with and without `representative`."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfectplay.drawing.rich import Rich
from perfectplay.errors import PerfectPlayError, RulesError
from perfectplay.positions.explained import explained
from perfectplay.positions.failures import WIDE
from perfectplay.positions.growth import growing
from perfectplay.rules.capabilities import by_turns, labels, unasked
from perfectplay.rules.game import CHANCE, OVER, Game, declares
from perfectplay.rules.search_capabilities import abstractions, forces
from perfectplay.verification.check_position import Findings
from perfectplay.verification.laws.guides import enough, guided, threats
from perfectplay.verification.laws.numbers import check_numbers
from perfectplay.verification.laws.puzzles import puzzles_hold
from perfectplay.verification.overflow import overflow
from perfectplay.verification.problems import Problem
from perfectplay.verification.repeat import asked_again, asked_elsewhere

if TYPE_CHECKING:
    from perfectplay.schemas.reports import CheckJson

LIMIT = 3000
PLAYS = 100


@dataclass
class Report(Rich):
    """What `check` saw."""

    game: str
    positions: int
    """Positions that were put to the laws."""
    at_least: int
    """Positions that were found: there are no fewer."""
    complete: bool
    """All positions were visited, not only a sample."""
    native: bool
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    """What looks wrong, and need not be."""
    unseen: list[str] = field(default_factory=list)
    """What was not looked at."""

    @property
    def ok(self) -> bool:
        """Nothing is wrong as far as was seen."""
        return not self.problems

    def as_json(self) -> CheckJson:
        """The report as JSON-ready data."""
        return {
            "game": self.game,
            "positions": self.positions,
            "at_least": self.at_least,
            "complete": self.complete,
            "native": self.native,
            "ok": self.ok,
            "problems": [problem.as_json() for problem in self.problems],
            "warnings": [problem.as_json() for problem in self.warnings],
            "unseen": self.unseen,
        }

    def __str__(self) -> str:
        seen = f"all {self.positions:,} positions"
        if not self.complete:
            seen = f"{self.positions:,} positions out of {self.at_least:,} or more"
        how = ", compiled and interpreted" if self.native else ""
        many = f"{len(self.problems)} problem(s)"
        lines = [
            f"{self.game}: {f'nothing wrong in {seen}{how}' if self.ok else f'{many} in {seen}'}"
        ]
        for before, problems in (("", self.problems), ("warning: ", self.warnings)):
            for problem in problems:
                lines.append(f"  {before}{problem.method}: {problem.message}")
                if problem.hint:
                    lines.append(f"    hint: {problem.hint}")
        lines += [f"  not looked at: {each}" for each in self.unseen if self.ok]
        return "\n".join(lines)


KEYS = "unlabelled_key(p) must be the same for positions that differ in labels, and no others"
LABELS = "unlabel(p) and relabel(shape, mine, other) must be inverses of each other"


@explained
def check(game: Game, *, limit: int = LIMIT, plays: int = PLAYS, seed: int = 0) -> Report:
    """Look for what is wrong with the rules of `game`."""
    finder = Findings(game)
    plies: dict[Any, int] = {}
    complete = _possible(game, finder) and _walk(finder, limit, plies)
    if plies and not complete and not finder.fatal:
        _play_at_random(finder, plays, random.Random(seed), plies)
    if plies and not finder.fatal:
        finder.whole(plies)
        _laws(game, finder, complete=complete)
    if not complete:
        _say_unseen(game, finder)
    return Report(
        type(game).__name__, len(finder.examined), len(plies), complete, bool(game.native),
        finder.problems, finder.warnings, finder.unseen,
    )  # fmt: skip


def _laws(game: Game, finder: Findings, *, complete: bool) -> None:
    """Put the positions that were seen to the laws that need several of them, one after the other
    until one is broken."""
    laws = (
        _repeated, _turns, _labelled, _compiled, check_numbers, _symmetric, guided, enough,
        threats, puzzles_hold, _growing,
    )  # fmt: skip
    for law in laws:
        if not finder.problems:
            law(game, finder, finder.examined, complete=complete)


def _say_unseen(game: Game, finder: Findings) -> None:
    """Say what only all positions could show."""
    finder.unseen.append("the other positions")
    if declares(game, "representative"):
        finder.unseen.append("whether representative(p) keeps values, which takes all positions")
    if declares(game, "bounds"):
        finder.unseen.append("whether bounds(p) hold, which takes all values")
    if abstractions(game) is not None:
        finder.unseen.append("whether databases bound all values")
    if forces(game) is not None:
        finder.unseen.append("whether forced moves lose nothing, which takes all values")
    if declares(game, "enough"):
        finder.unseen.append("whether one move of enough(p) is best, which takes all values")


def _repeated(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Rules must give the same answers again, and in another process."""
    asked_again(game, finder, positions)
    if not finder.problems:
        asked_elsewhere(game, finder, positions)


def _growing(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Positions should be finitely many."""
    sentence = "" if complete else growing(game)
    if sentence:
        finder.warn(
            "play",
            sentence,
            "if there is no end to it, no table can hold all positions: leave it out of the "
            "position, cap it, or count by rewards",
        )


def _possible(game: Game, finder: Findings) -> bool:
    """Whether the declarations of the game fit together at all."""
    from perfectplay.positions.expand import expander

    for method, capability in unasked(game):
        finder.add(
            method,
            f"{method} is never asked for",
            f"derive from {capability}: class {type(game).__name__}({capability}, Game)",
        )
    try:
        expander(game, plain=True)
    except RulesError as error:
        finder.blame(error)
        return False
    return True


def _walk(finder: Findings, limit: int, plies: dict[Any, int]) -> bool:
    """Visit positions breadth-first; whether that was all."""
    plies.update(dict.fromkeys(finder.starts(limit + 1), 0))
    queue = deque(plies)
    while queue and not finder.fatal:
        if len(plies) > limit:
            return False
        p = queue.popleft()
        for q in finder.children(p):
            if q not in plies:
                plies[q] = plies[p] + 1
                queue.append(q)
    return not queue and finder.complete


def _play_at_random(
    finder: Findings, plays: int, chance: random.Random, plies: dict[Any, int]
) -> None:
    starts = finder.starts(LIMIT)
    for _ in range(plays):
        p = chance.choice(starts)
        for ply in range(500):
            known = p in plies
            plies.setdefault(p, ply)
            children = finder.following(p) if known else finder.children(p)
            if finder.fatal or not children:
                break
            p = chance.choice(children)


def _turns(game: Any, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Turns must run like their patterns."""
    if not by_turns(game):
        return
    from perfectplay.positions.turns.check import compare

    try:
        some = list(dict.fromkeys(game.representative(p) for p in positions if game.anchor(p)))
        compare(game, some[:: -max(1, len(some) // 100)])
    except RulesError as error:
        finder.add("pattern", error.message, error.hint)


def _labelled(game: Any, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """What `relabel` makes of labels must be the positions that they were taken from."""
    if not labels(game):
        return
    from perfectplay.positions.labels import MOST, unpacked

    if not 0 < game.labels <= MOST:
        finder.add("labels", f"there are {game.labels} labels", f"use 1 to {MOST}, or 0 for none")
        return
    keys: dict[Any, Any] = {}
    boards: dict[Any, Any] = {}
    for p in (p for p in positions if game.anchor(p) and game.to_move(p) != OVER):
        board, *codes = game.unlabel(p)
        q = game.relabel(board, *codes)
        for code, ordered in zip(codes, game.unlabel(board)[1:], strict=True):
            given = unpacked(code)
            wrong = len(set(given)) < len(given) or not set(given) <= {*range(1, game.labels + 1)}
            if wrong or unpacked(ordered) != list(range(1, len(given) + 1)):
                finder.add("unlabel", f"the labels at {game.text(p)} are {given}", LABELS)
                return
        key = game.unlabelled_key(p)
        if keys.setdefault(board, key) != key or boards.setdefault(key, board) != board:
            finder.add("unlabelled_key", f"{game.text(p)} has the number {key}", KEYS)
            return
        if game.representative(q) != game.representative(p) or game.unlabel(q)[0] != board:
            finder.add("relabel", f"{game.text(p)} becomes {game.text(q)}", LABELS)
            return


def _compiled(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Compiled rules must compile, and agree with the interpreted ones."""
    if not game.native:
        return
    from perfectplay.positions.expand import expander
    from perfectplay.positions.expand_plain import PlainExpander

    try:
        native = expander(game, steps=True)
        some = [game.representative(p) for p in positions[:: max(1, len(positions) // 2000)]]
        fast = native.expand(native.keys(some))
        slow = PlainExpander(game).expand(some)
    except RulesError as error:
        finder.blame(error, "native")
        return
    rows = zip(_rows(fast, native.position), _rows(slow, lambda c: c), strict=True)
    for p, (ours, twin) in zip(some, rows, strict=True):
        if ours != twin:
            where = overflow(game, p)
            finder.add(
                "native",
                f"compiled and interpreted rules differ at {game.text(p)}: {ours} and {twin}",
                f"{where}: compiled integers have 64 bits and wrap around" if where else WIDE,
            )
            return


def _rows(batch: Any, position: Callable[[Any], Any]) -> Iterator[dict[str, Any]]:
    """What a batch says of each of its positions, in comparable form."""
    for i, kind in enumerate(batch.kind):
        a, b = int(batch.first[i]), int(batch.first[i + 1])
        payoff = batch.payoff[i].tolist() if kind == OVER else None
        yield {
            "to_move": int(kind),
            "payoff": payoff if payoff is None or any(payoff[1:]) else payoff[0],
            "children": [position(batch.child[e]) for e in range(a, b)],
            "weights": [int(batch.weight[e if len(batch.weight) > 1 else 0]) for e in range(a, b)]
            if kind == CHANCE
            else None,
            "rewards": [
                batch.reward[e if len(batch.reward) > 1 else 0].tolist() for e in range(a, b)
            ]
            if kind >= 0
            else None,
        }


def _symmetric(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """Symmetric positions must have equal values."""
    if not complete or not declares(game, "representative"):
        return
    from perfectplay.answer.solve import solve

    whole = _without_symmetry(game)
    try:
        reduced, full = solve(game, plain=True, workers=1), solve(whole, plain=True, workers=1)
        for p in positions:
            a, b = reduced.values(p), full.values(p)
            if any(abs(float(x) - float(y)) > 1e-9 for x, y in zip(a, b, strict=True)):
                finder.add(
                    "representative",
                    f"changes the value of {game.text(p)}: {a[0]} with it, {b[0]} without",
                    "symmetric positions must allow the same play; if players change places, "
                    "turn(p) must say so",
                )
                return
    except PerfectPlayError as error:
        finder.add("representative", error.message, error.hint)


def _without_symmetry(game: Game) -> Game:
    """The same rules without `representative`."""
    base: Any = type(game)
    methods: dict[str, Any] = {"representative": Game.representative, "__module__": __name__}
    twin: Game = object.__new__(type(base.__name__, (base,), methods))
    for name, value in vars(game).items():
        if name != "_rules_type":
            object.__setattr__(twin, name, value)
    return twin
