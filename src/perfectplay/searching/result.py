"""The answer of a search: a value or bounds on it, a move, what it took, and the principal
variation: best play from a position on, as far as the search has proved it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from perfectplay.drawing.rich import Display, Rich
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.value import Kind, Number, Value
from perfectplay.searching.search_facts import NodeBounds

if TYPE_CHECKING:
    from perfectplay.schemas.runs import SearchJson

LONGEST = 60
"""How many moves a line shows."""
OUTCOMES = {-1: "loss", 0: "draw", 1: "win"}


@dataclass
class Counts:
    """What a search did."""

    nodes: int = 0
    """Positions visited, each as often as it was."""
    alpha_cuts: int = 0
    """Nodes of player 1 where moves were left out, since one was good enough."""
    beta_cuts: int = 0
    """The same for player 0."""
    star1_cuts: int = 0
    """Chance nodes where events were left out, since the others decided about the average."""
    star2_cuts: int = 0
    """The same, after probes alone."""
    probes: int = 0
    """Chance events of which one move was tried first."""
    table_looks: int = 0
    table_hits: int = 0
    """Lookups in the transposition table, and positions found there."""
    endgame_hits: int = 0
    """Positions found in the endgame table."""
    structures: int = 0
    """Structures that were searched, in a game that has them."""
    circles: int = 0
    """Positions that recurred on their own path, and paths that became too long."""

    def add(self, other: Counts) -> None:
        """Count what another thread did too."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)


@dataclass(frozen=True)
class SearchResult(Rich):
    """The answer of a search: lower <= the value of the position <= upper, both proved."""

    game: str
    parameters: dict[str, Any]
    position: str
    name: str
    """To whom the value is: the player to move, or player 1 where nobody moves."""
    kind: Kind
    lower: Number
    upper: Number
    """What the position is worth to the player to move; fractions, or infinite if unknown."""
    move: Any
    """A move that is proved best, or, if none is, one that is proved to be worth `secured` where
    others are not; None if there is neither."""
    move_text: str | None
    line: tuple[str, ...]
    """Best play as far as the search knows it; of chance events the most probable."""
    stopped: str
    """Why there are only bounds: "nodes", "seconds", "interrupted", "circles", "rounding", or ""
    if the value is exact."""
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    """How long it took, with all that was looked up or valued before; without compiling."""
    compile_seconds: float = 0.0
    """How long rules were compiled, or compiled ones loaded, which `seconds` leaves out."""
    best: bool = True
    """Whether `move` is proved best, if there is one."""
    secured: Number | None = None
    """If it is not: what `move` is worth at least (to a minimiser: at most)."""
    depth: int | None = None
    """After how many plies play ends in a win or a loss, if that was asked for and found."""
    method: str = ""
    """How it was searched (methods.py)."""
    note: str = ""
    """What the value rests on, where that must be said."""

    @property
    def exact(self) -> Number | None:
        """The value itself, if it was found."""
        return self.lower if self.lower == self.upper else None

    @property
    def value(self) -> Value:
        """The value as other answers give it; bounds become floats, rounded outwards."""
        if self.exact is not None:
            return Value(self.kind, self.lower, self.lower, depth=self.depth)
        kind: Kind = "score" if self.kind == "outcome" else self.kind
        return Value(kind, _float(self.lower, -math.inf), _float(self.upper, math.inf), "bounds")

    @property
    def value_text(self) -> str:
        """The value for people, or the bounds."""
        if self.exact is not None:
            never = self.kind == "total" and self.exact == math.inf
            return "impossible" if never else str(self.value)
        if self.kind == "total" and self.line and not self.best and self.upper < math.inf:
            return f"solvable, by {self._word(self.upper)} at most"
        if self.upper == math.inf:
            return "unknown" if self.lower == -math.inf else f"at least {self._word(self.lower)}"
        if self.lower == -math.inf:
            return f"at most {self._word(self.upper)}"
        return f"between {self._word(self.lower)} and {self._word(self.upper)}"

    @property
    def advice(self) -> str | None:
        """The move for people, with what is proved of it; None if nobody moves."""
        if self.move_text is None:
            return None if self.best else "open: no move is proved best"
        if self.best or self.secured is None:
            return self.move_text
        worth = self._word(self.secured)
        return f"{self.move_text} (secures {worth}; whether another is better is open)"

    def _word(self, number: Number) -> str:
        if self.kind == "outcome" and number in OUTCOMES:
            return OUTCOMES[int(number)]
        if isinstance(number, float) and math.isinf(number):
            return "infinite" if number > 0 else "-infinite"
        return str(number) if number == int(number) else f"{float(number):.15g}"

    def display(self) -> Display:
        """What is proved of the position, and how to play."""
        rows = [("move", self.advice)] if self.advice else []
        rows += [("line", " ".join(self.line))] if self.line else []
        rows += [("stopped by", self.stopped)] if self.stopped else []
        title = f"{self.position}: {self.value_text} to {self.name}"
        return Display(title, (), rows, note=self.note)

    def as_json(self) -> SearchJson:
        """The answer as JSON-ready data."""
        counts = self.counts
        shown: SearchJson = {
            "game": self.game,
            "parameters": self.parameters,
            "position": self.position,
            "player": self.name,
            "value": self.value.as_json(),
            "value_text": self.value_text,
            "move": self.move_text,
            "best": self.best and self.move is not None,
            "line": list(self.line),
            "stopped": self.stopped,
            "depth": self.depth,
            "method": self.method,
            "nodes": counts.nodes,
            "alpha_cuts": counts.alpha_cuts,
            "beta_cuts": counts.beta_cuts,
            "star1_cuts": counts.star1_cuts,
            "star2_cuts": counts.star2_cuts,
            "probes": counts.probes,
            "table_looks": counts.table_looks,
            "table_hits": counts.table_hits,
            "endgame_hits": counts.endgame_hits,
            "structures": counts.structures,
            "circles": counts.circles,
            "seconds": round(self.seconds, 3),
            "compile_seconds": round(self.compile_seconds, 3),
        }
        if self.note:
            shown["note"] = self.note
        return shown


def _float(number: Number, towards: float) -> float:
    """A float that is not on the wrong side of a bound."""
    near = float(number)
    if math.isinf(near) or Fraction(near) == number:
        return near
    right = Fraction(near) < number if towards < 0 else Fraction(near) > number
    return near if right else math.nextafter(near, towards)


# -- The principal variation. ---------------------------------------------------------------------


@dataclass(frozen=True)
class BestPlay:
    """A move at the root, and best play as far as it is proved."""

    move: Any = None
    best: bool = True
    """Whether the move is proved best; without a move: whether nobody moves here."""
    secured: Number | None = None
    """What a move that is not proved best is worth at least to the player who moves, in stored
    units of player 0."""
    line: tuple[str, ...] = ()


def best_play(game: Game, root: Any, node_bounds: Callable[[Any], NodeBounds]) -> BestPlay:
    """The best move at the root, if one is proved best, and the line that begins with it."""
    known = node_bounds(None)
    if known.kind in (OVER, CHANCE):
        return BestPlay(line=_line(game, root, node_bounds))
    number, best = _best(known)
    if number is None:
        return BestPlay(best=False)
    move = _matching(game, root, number)
    if best:
        return BestPlay(move, line=_line(game, root, node_bounds))
    return BestPlay(move, best=False, secured=known.low if known.kind == 0 else known.high)


def _line(game: Game, root: Any, node_bounds: Callable[[Any], NodeBounds]) -> tuple[str, ...]:
    """Best play, as far as moves are proved best; at chance nodes, the most probable event."""
    p, seen = root, {root}
    steps: list[str] = []
    while len(steps) < LONGEST:
        known = node_bounds(None if p is root else p)
        if known.kind == OVER or not known.edges or (known.below and steps):
            break
        if known.kind == CHANCE:
            weight, p = _likeliest(game, p)
            steps.append(f"chance {weight}")
        else:
            number, best = _best(known)
            if number is None or not best:
                break
            move = _matching(game, p, number)
            steps.append(game.move_text(p, move))
            p = game.play(p, move)
        if p in seen:
            break
        seen.add(p)
    return tuple(steps)


def _best(known: NodeBounds) -> tuple[int | None, bool]:
    """(number, best): the move that is proved to be worth most, and whether it is proved that no
    other is better; no move if that one is not known to be better than any."""
    side = 1 if known.kind == 0 else -1
    if not known.edges:
        return None, False
    views = [(e.low, e.high) if side > 0 else (-e.high, -e.low) for e in known.edges]
    at = max(range(len(views)), key=lambda i: (*views[i], -i))
    others = [high for i, (_, high) in enumerate(views) if i != at]
    most = min(side * (known.high if side > 0 else known.low), max(others, default=-math.inf))
    number, least = known.edges[at].number, views[at][0]
    if least >= most and not (others and math.isinf(least)):
        return number, True
    return (number if least > min(low for low, _ in views) else None), False


def _matching(game: Game, p: Any, number: int) -> Any:
    """The move at `p` that stands for move `number` at its representative."""
    r = game.representative(p)
    moves = list(game.moves(r))
    if r == p:
        return moves[number]
    child = game.representative(game.play(r, moves[number]))
    return next(m for m in game.moves(p) if game.representative(game.play(p, m)) == child)


def _likeliest(game: Game, p: Any) -> tuple[str, Any]:
    """The most probable event at `p`, and how probable it is."""
    weights: dict[Any, int] = {}
    for weight, q in game.chances(p):
        weights[q] = weights.get(q, 0) + int(weight)
    child = max(weights, key=lambda q: weights[q])
    return f"{weights[child]}/{sum(weights.values())}", child
