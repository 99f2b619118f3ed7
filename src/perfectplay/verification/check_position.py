"""The laws that every position must obey, one method each. Used by check.py."""

import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from perfectplay.rules.capabilities import numbered_starts
from perfectplay.rules.game import CHANCE, OVER, Game, alternate, declares, first_positions

WHOLE = int | np.integer
"""Rules that read NumPy tables give NumPy integers, which are as good."""
MOST = 10
"""Problems reported before the search ends."""
NUMBERS = 2000
"""Numbers of first positions that are tried, where these are numbered."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with one method of the rules."""

    method: str
    message: str
    hint: str = ""


class _Stop(Exception):  # noqa: N818
    """A method failed; the position cannot be examined further."""


class Findings:
    """Collects problems, one per method and kind."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.problems: list[Problem] = []
        self.complete = True
        """Whether all first positions are looked at."""
        self._reported: set[tuple[str, str]] = set()
        self._kind: dict[Any, int] = {}
        self._text: dict[str, Any] = {}
        self._payoff: dict[Any, Any] = {}

    @property
    def fatal(self) -> bool:
        """Enough was found, or nothing can be visited."""
        return len(self.problems) >= MOST

    def add(self, method: str, message: str, hint: str = "", *, law: str = "") -> None:
        """Report a problem, unless the same law was broken before."""
        if (method, law or message) not in self._reported:
            self._reported.add((method, law or message))
            self.problems.append(Problem(method, message, hint))

    def starts(self, most: int) -> list[Any]:
        """The first positions, but no more than `most`."""
        try:
            found = self._call("start", lambda: self._first_positions(most))
        except _Stop:
            return []
        if not found:
            self.add("starts", "yields no position")
        return [p for p in found if self._is_position("start", p, "the start")]

    def _first_positions(self, most: int) -> list[Any]:
        """The first positions up to `most`, or those of some numbers if there are very many."""
        game: Any = self.game
        numbers = range(numbered_starts(game))
        if declares(game, "starts") or len(numbers) <= NUMBERS:
            return list(islice(first_positions(game), most))
        self.complete = False
        some = random.Random(0).sample(numbers, NUMBERS)
        return [p for i in sorted(some) for p in game.starts_of(i)]

    def following(self, p: Any) -> list[Any]:
        """The children of a position that was met before."""
        if p not in self._kind:  # it was waiting to be examined when the walk ended
            return self.children(p)
        try:
            return [q for q, _ in self._edges(p, self._kind[p])]
        except _Stop:
            return []

    def children(self, p: Any) -> list[Any]:
        """Put position `p` to all laws; its children."""
        try:
            kind = self._mover(p)
            edges = self._edges(p, kind)
            if kind >= 0 and not edges:
                kind = OVER
            if kind == OVER:
                self._ended(p)
            self._show(p)
            self._symmetry(p)
            self._strata(p, edges)
        except _Stop:
            return []
        return [q for q, _ in edges]

    # -- One law each. ----------------------------------------------------------------------------

    def _call(self, method: str, function: Callable[[], Any], p: Any = None) -> Any:
        """Call a method of the rules; if it fails, say where."""
        try:
            return function()
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            line = f" (line {frames[-1].lineno}: {frames[-1].line})" if len(frames) > 1 else ""
            at = "" if p is None else f" at {p!r}"
            message, hint = f"raises {type(error).__name__}: {error}{at}{line}", ""
            if isinstance(error, NotImplementedError):
                message = str(error)
            elif isinstance(error, TypeError) and "unhashable" in str(error):
                message, hint = (
                    f"{error}{at}",
                    "positions must be hashable: make lists into tuples",
                )
            self.add(method, message, hint, law="raises")
            raise _Stop from None

    def _mover(self, p: Any) -> int:
        game = self.game
        kind = self._call("to_move", lambda: game.to_move(p), p)
        if not isinstance(kind, WHOLE) or not OVER <= kind < game.players:
            self.add(
                "to_move",
                f"is {kind!r} at {p!r}",
                f"it must be a player from 0 to {game.players - 1}, or CHANCE, or OVER",
                law="range",
            )
            raise _Stop
        kind = int(kind)
        again = self._call("to_move", lambda: game.to_move(p), p)
        if again != kind or self._kind.setdefault(p, kind) != kind:
            other = again if again != kind else self._kind[p]
            self.add(
                "to_move",
                f"is sometimes {other}, sometimes {kind} at {p!r}: the position forgets who is to "
                "move",
                "a position must hold everything; rules must not keep anything in self",
                law="changes",
            )
        return kind

    def _edges(self, p: Any, kind: int) -> list[tuple[Any, str]]:
        """The children of `p`, each with the method that gave it."""
        game = self.game
        if kind == OVER:  # moves need not be empty here: nobody asks for them
            return []
        if kind == CHANCE:
            return self._chances(p)
        moves = self._call("moves", lambda: list(game.moves(p)), p)
        if self._call("moves", lambda: list(game.moves(p)), p) != moves:
            self.add("moves", f"differ when asked twice at {p!r}", law="twice")
        self._moves_shown(p, moves)
        edges = []
        for m in moves:
            q = self._call("play", partial(game.play, p, m), p)
            if self._is_position("play", q, f"move {m!r} at {p!r}"):
                edges.append((q, "play"))
                self._whole("reward", self._call("reward", partial(game.reward, p, m), p))
        return edges

    def _chances(self, p: Any) -> list[tuple[Any, str]]:
        found = self._call("chances", lambda: list(self.game.chances(p)), p)
        if not found:
            self.add("chances", f"yields nothing at {p!r}", law="none")
        edges = []
        for event in found:
            if not isinstance(event, tuple) or len(event) != 2:
                self.add("chances", f"yields {event!r}", "yield (weight, position)", law="pair")
                raise _Stop
            weight, q = event
            if not isinstance(weight, WHOLE) or weight <= 0:
                self.add(
                    "chances",
                    f"yields weight {weight!r} at {p!r}",
                    "weights are integers greater than 0: 1 for each face of a die",
                    law="weight",
                )
            if self._is_position("chances", q, f"chance at {p!r}"):
                edges.append((q, "chances"))
        return edges

    def _is_position(self, method: str, q: Any, how: str) -> bool:
        """Whether `q` can be a position at all."""
        if q is None:
            self.add(method, f"{how} leads nowhere: None", "return the new position", law="none")
            return False
        try:
            hash(q)
        except TypeError:
            self.add(
                method,
                f"{how} gives {q!r}, which is not hashable",
                "use integers, strings or tuples; make lists into tuples",
                law="hash",
            )
            return False
        words = q if isinstance(q, tuple) else (q,)
        if self.game.native and not all(
            isinstance(x, WHOLE) and -(2**63) <= x < 2**63 for x in words
        ):
            self.add(
                method,
                f"{how} gives {q!r}, which is no native position",
                "native positions are 64-bit integers or flat tuples of them",
                law="native",
            )
            return False
        return True

    def _ended(self, p: Any) -> None:
        payoff = self._payoff[p] = self._call("payoff", lambda: self.game.payoff(p), p)
        self._whole("payoff", payoff)
        if self.game.players > 2 and not isinstance(payoff, tuple) and payoff != 0:
            self.add(
                "payoff",
                f"is one number at {p!r}, but there are {self.game.players} players",
                "return a tuple with one integer per player",
                law="length",
            )
        if isinstance(payoff, tuple) and len(payoff) != self.game.players:
            self.add(
                "payoff",
                f"has {len(payoff)} numbers at {p!r}, but there are {self.game.players} players",
                law="length",
            )

    def _whole(self, method: str, number: Any) -> None:
        numbers = number if isinstance(number, tuple) else (number,)
        if not all(isinstance(x, WHOLE) for x in numbers):
            self.add(
                method,
                f"is {number!r}",
                "an integer, or a tuple with one integer per player",
                law="whole",
            )

    def _moves_shown(self, p: Any, moves: list[Any]) -> None:
        game = self.game
        leads: dict[str, Any] = {}
        for m in moves:
            text = self._call("move_text", partial(game.move_text, p, m), p)
            q = self._call("play", partial(game.play, p, m), p)
            r = self._call("representative", partial(game.representative, q), q)
            if leads.setdefault(text, r) != r:  # moves that come to the same may look the same
                self.add(
                    "move_text",
                    f"gives different moves at {p!r} the same text: {text!r}",
                    law="same",
                )

    def _show(self, p: Any) -> None:
        game = self.game
        text = self._call("text", lambda: game.text(p), p)
        other = self._text.setdefault(text, p)
        if other != p:
            same = self._kind.get(other) == self._kind.get(p)
            forgets = "" if same else " and forgets whose turn it is"
            self.add("text", f"is {text!r} for both {other!r} and {p!r}{forgets}", law="same")
            return
        if declares(game, "text") and not declares(game, "parse"):
            self.add(
                "parse",
                f"is not written, so that nobody can ask for {text!r}",
                "write parse(s), which gives back the position that text(p) writes as s",
                law="missing",
            )
            return
        back = self._call("parse", lambda: game.parse(text), p)
        if back != p:
            self.add(
                "parse",
                f"text does not round-trip: text({p!r}) is {text!r}, which parses to {back!r}",
                "parse(text(p)) must be p",
                law="round",
            )

    def _symmetry(self, p: Any) -> None:
        game = self.game
        if not declares(game, "representative"):
            return
        q = self._call("representative", lambda: game.representative(p), p)
        if self._call("representative", lambda: game.representative(q), q) != q:
            self.add(
                "representative",
                f"is not settled: {p!r} -> {q!r} -> {game.representative(q)!r}",
                "the representative of a representative must be itself",
                law="idempotent",
            )
        known = alternate(game) or declares(game, "turn")
        if not known and game.to_move(q) != game.to_move(p):
            self.add(
                "representative",
                f"changes the player to move from {p!r} to {q!r}",
                "write turn(p): whose turn it is, also while chance acts",
                law="turn",
            )

    def _strata(self, p: Any, edges: Iterable[tuple[Any, str]]) -> None:
        game = self.game
        if not declares(game, "stratum"):
            return
        here = self._call("stratum", lambda: game.stratum(p), p)
        for q, method in edges:
            there = self._call("stratum", partial(game.stratum, q), q)
            if there > here:
                self.add(
                    "stratum",
                    f"rises from {here} to {there} when {method} leads from {p!r} to {q!r}",
                    "it must never rise: count what can only shrink, such as pieces left",
                    law="rises",
                )

    def whole(self, plies: dict[Any, int]) -> None:
        """Laws about all positions together."""
        game = self.game
        movers = {kind for kind in self._kind.values() if kind >= 0}
        if game.players > 1 and declares(game, "to_move") and len(movers) == 1:
            self.add(
                "to_move",
                f"is never anybody but player {movers.pop()}: positions may forget who is to move",
                "keep the turn in the position, or leave out to_move for plain alternate play",
            )
        if alternate(game):
            self._absolute_payoffs(plies)

    def _absolute_payoffs(self, plies: dict[Any, int]) -> None:
        """In alternate play payoffs that follow the parity of the ply look at a fixed player."""
        signs = {
            (plies.get(p, 0) % 2, pay > 0)
            for p, pay in self._payoff.items()
            if isinstance(pay, WHOLE) and pay != 0
        }
        if signs in ({(0, True), (1, False)}, {(0, False), (1, True)}):
            self.add(
                "payoff",
                "is a gain after every even number of moves and a loss after every odd one (or "
                "the other way round): it seems to forget who is to move",
                "in alternate play payoff(p) is what p is worth to the player to move; "
                "or write to_move(p)",
            )
