"""The state of a page, which is all in its address: game, parameters, position, moves, seed, who
plays. A link is all that a friend needs to see the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from perfectplay.errors import UsageError

ASKED = ("strata", "tree")
"""What more may be asked about a position."""
LONGEST_TEXT = 2_000
"""Characters of a position in a request; `parse` of rules is not asked to read more."""
LONGEST_LINE = 2_000
BRANCHES = 8
"""So many other lines are kept."""
_LINE = re.compile(r"\d{1,7}(\.\d{1,7})*")
_PLACE = re.compile(r"-?\d{1,6}_-?\d{1,6}")

Line = tuple[int, ...]


@dataclass(frozen=True)
class State:
    """What a page shows."""

    game: str
    given: tuple[str, ...] = ()
    """Parameters, each as "name=value"."""
    at: str = ""
    """The position at which the line begins, as text; empty for the start."""
    line: Line = ()
    """Numbers of moves and events."""
    ply: int | None = None
    """How much of the line is shown; None for all of it."""
    branches: tuple[Line, ...] = ()
    """Lines that were left for another one."""
    seed: int = 1
    roles: tuple[str, ...] = ()
    """Who plays each side: "person", or a name that opponents.py knows; empty: nobody plays."""
    hidden: bool = False
    """Whether values are hidden until they are asked for."""
    clicked: tuple[tuple[int, int], ...] = ()
    """Places that were clicked and do not make a move yet."""
    ask: str = ""
    """What more is asked about this position, one of `ASKED` or nothing. It ends with the next
    move."""

    @property
    def shown(self) -> Line:
        """The part of the line that leads to the position shown."""
        return self.line if self.ply is None else self.line[: self.ply]

    def _but(self, **changes: Any) -> State:
        """This state with some of it changed. A page asks for a hundred, and `replace` would take
        a tenth of its time."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__, **changes)
        return other

    def after(self, number: int) -> State:
        """The state after a move or an event. A line that went another way becomes a branch."""
        line = (*self.shown, number)
        if self.line[: len(line)] == line:  # along the line that is there
            ply = None if len(line) == len(self.line) else len(line)
            return self._but(ply=ply, clicked=(), ask="")
        kept = self.branches
        if len(self.shown) < len(self.line):
            kept = tuple(b for b in (self.line, *kept) if b[: len(line)] != line)[:BRANCHES]
        return self._but(line=line, ply=None, branches=kept, clicked=(), ask="")

    def jump(self, ply: int) -> State:
        """The state with another position of the line shown."""
        return self._but(ply=None if ply >= len(self.line) else ply, clicked=(), ask="")

    def along(self, branch: Line) -> State:
        """The state with a branch as its line."""
        kept = tuple(b for b in (self.line, *self.branches) if b != branch)
        return self._but(line=branch, ply=None, branches=kept, clicked=(), ask="")

    def from_here(self, at: str = "") -> State:
        """The state with no moves made yet, at a position or at the start; who plays, the seed and
        what is hidden stay."""
        return self._but(at=at, line=(), ply=None, branches=(), clicked=(), ask="")

    def url(self, **changes: Any) -> str:
        """The address of this state, with some of it changed."""
        state = self._but(**changes) if changes else self
        return f"/g/{_quoted(state.game)}/{state.query()}"

    def view(self, name: str, **changes: Any) -> str:
        """The address of another page about the same game: "chart" or "compare"."""
        state = self._but(**changes) if changes else self
        return f"/g/{_quoted(state.game)}/{name}{state.query()}"

    def query(self) -> str:
        """What follows the game in the address, with its question mark; empty for the start."""
        words = [_begun(self.given, self.at)]
        if self.line:
            words.append(f"line={dotted(self.line)}")
        if self.ply is not None:
            words.append(f"ply={self.ply}")
        words += [f"or={dotted(each)}" for each in self.branches]
        words.append(_played(self.seed, self.roles, hidden=self.hidden))
        words += [f"click={x}_{y}" for x, y in self.clicked]
        if self.ask:
            words.append(f"ask={_quoted(self.ask)}")
        asked = "&".join(filter(None, words))
        return f"?{asked}" if asked else ""


@lru_cache(maxsize=1024)
def _quoted(words: str, blank: str = "%20") -> str:
    """Words as they stand in an address: all links of a page have most of them in common."""
    return quote(words, safe="").replace("%20", blank)


@lru_cache(maxsize=64)
def _begun(given: tuple[str, ...], at: str) -> str:
    """What an address says of the rules and of the position at which the line begins."""
    words = [f"with={_quoted(each, '+')}" for each in given]
    words += [f"at={_quoted(at, '+')}"] if at else []
    return "&".join(words)


@lru_cache(maxsize=64)
def _played(seed: int, roles: tuple[str, ...], *, hidden: bool) -> str:
    """What an address says of who plays, and what they see."""
    words = [f"seed={seed}"] if seed != 1 else []
    words += [f"play={_quoted(','.join(roles), '+')}"] if roles else []
    words += ["hide=1"] if hidden else []
    return "&".join(words)


@lru_cache(maxsize=1024)
def dotted(line: Line) -> str:
    """A line as it stands in an address."""
    return ".".join(map(str, line))


def from_query(game: str, query: Mapping[str, list[str]]) -> State:
    """The state that an address names; UsageError if it makes no sense."""
    at = _one(query, "at")
    if len(at) > LONGEST_TEXT:
        raise UsageError(f"a position of {len(at):,} characters is too long", "at most 2,000")
    given = tuple(query.get("with", []))
    if len(given) > 40 or any(len(each) > LONGEST_TEXT for each in given):
        raise UsageError("these parameters are too long")
    return State(
        game=game,
        given=given,
        at=at,
        line=_line(_one(query, "line")),
        ply=_number(query, "ply"),
        branches=tuple(_line(each) for each in query.get("or", [])[:BRANCHES]),
        seed=_number(query, "seed") or 1,
        roles=_roles(query),
        hidden=bool(_one(query, "hide")),
        clicked=tuple(map(_place, query.get("click", [])[:8])),
        ask=asked if (asked := _one(query, "ask")) in ASKED else "",
    )


def _roles(query: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Who plays: play=person,perfect, or play= once for each side as forms send it, where a
    percentage of skill comes in a field of its own."""
    named = ",".join(query.get("play", []))[:400].split(",")
    much = _one(query, "skill") or "70"
    return tuple(f"skill:{much[:6]}" if each == "skill" else each for each in named if each)


def _one(query: Mapping[str, list[str]], name: str) -> str:
    return query.get(name, [""])[-1]


def _number(query: Mapping[str, list[str]], name: str) -> int | None:
    text = _one(query, name)
    if not text:
        return None
    if not re.fullmatch(r"\d{1,9}", text):
        raise UsageError(f"{name}={text[:40]!r} is not a number")
    return int(text)


def _line(text: str) -> Line:
    if not text:
        return ()
    if len(text) > 4 * LONGEST_LINE or not _LINE.fullmatch(text):
        raise UsageError(
            "the line of moves in this link cannot be read", "numbers with dots: 3.0.12"
        )
    return tuple(map(int, text.split(".")))


def _place(text: str) -> tuple[int, int]:
    if not _PLACE.fullmatch(text):
        raise UsageError("a click in this link cannot be read")
    x, _, y = text.partition("_")
    return int(x), int(y)
