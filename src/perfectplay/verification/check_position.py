"""The laws that every position must obey, one method each. Used by check.py.

What form answers must have is examine.py's; here is whether they go together."""

import random
from collections.abc import Iterable
from itertools import islice
from typing import Any

from perfectplay.positions.examine import (
    WHOLE,
    ExaminedEdge,
    ask,
    edges_of,
    examine_first,
    mover_of,
    paid,
    position,
    whole,
)
from perfectplay.positions.failures import RulesFaultError
from perfectplay.rules.capabilities import numbered_starts
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, alternate, declares
from perfectplay.verification.entries import Entries
from perfectplay.verification.problems import Problems

NUMBERS = 2000
"""Numbers of first positions that are tried, where these are numbered."""


class Findings(Problems):
    """Puts positions to the laws, and collects what is wrong."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.game = game
        self.complete = True
        """Whether all first positions are looked at."""
        self.entries = Entries()
        self._kind: dict[Any, int] = {}
        self._text: dict[str, Any] = {}
        self._payoff: dict[Any, Any] = {}
        self._earned: set[int] = set()
        """What pairs of choices earn both players together."""

    @property
    def examined(self) -> list[Any]:
        """The positions that were put to the laws."""
        return list(self._kind)

    def starts(self, most: int) -> list[Any]:
        """The first positions, but no more than `most`."""
        try:
            found = self._first_positions(most)
        except RulesFaultError as fault:
            self.blame(fault)
            return []
        if not found:
            self.add("starts", "yields no position", "check the parameters")
        return found

    def _first_positions(self, most: int) -> list[Any]:
        """The first positions up to `most`, or those of some numbers if there are very many."""
        game: Any = self.game
        numbers = range(numbered_starts(game))
        if declares(game, "starts") or len(numbers) <= NUMBERS:
            return list(islice(dict.fromkeys(examine_first(game, most)), most))
        self.complete = False
        some = random.Random(0).sample(numbers, NUMBERS)
        return [position(game, "starts_of", p) for i in sorted(some) for p in game.starts_of(i)]

    def following(self, p: Any) -> list[Any]:
        """The children of a position that was met before."""
        if p not in self._kind:  # it was waiting to be examined when the walk ended
            return self.children(p)
        try:
            return [edge.child for edge in edges_of(self.game, p, self._kind[p])]
        except RulesFaultError as fault:
            self.blame(fault)
            return []

    def children(self, p: Any) -> list[Any]:
        """Put position `p` to all laws; its children."""
        try:
            kind = self._mover(p)
            edges = edges_of(self.game, p, kind)
            if kind >= 0:
                self._moves_shown(p, edges)
            if kind == SIMULTANEOUS:
                self._choices_shown(p)
                self._earned.update(
                    sum(edge.reward) for edge in edges if isinstance(edge.reward, tuple)
                )
            if kind == OVER or (kind >= 0 and not edges):
                self._payoff[p] = paid(self.game, "payoff", ask(self.game, "payoff", p), p)
            self._show(p)
            self._symmetry(p)
            self._strata(p, edges)
        except RulesFaultError as fault:
            self.blame(fault)
            return []
        for edge in edges:
            self.entries.see(p, edge.child)
        return [edge.child for edge in edges]

    # -- One law each. ----------------------------------------------------------------------------

    def _mover(self, p: Any) -> int:
        kind, again = mover_of(self.game, p), ask(self.game, "to_move", p)
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

    def _moves_shown(self, p: Any, edges: Iterable[ExaminedEdge]) -> None:
        game = self.game
        leads: dict[str, Any] = {}
        for edge in edges:
            text = ask(game, "move_text", p, edge.move)
            r = ask(game, "representative", edge.child)
            if leads.setdefault(text, r) != r:  # moves that come to the same may look the same
                self.add(
                    "move_text",
                    f"gives different moves at {p!r} the same text: {text!r}",
                    law="same",
                )

    def _choices_shown(self, p: Any) -> None:
        """Where both choose, what one player may choose must differ, and look different."""
        game = self.game
        for player in (0, 1):
            own = ask(game, "choices", p, player)
            if len({ask(game, "move_text", p, m) for m in own}) < len(own):
                self.add(
                    "move_text",
                    f"gives different choices of player {player} at {p!r} the same text",
                    "choices(p, player) must yield each choice once, and move_text(p, m) tell "
                    "them apart",
                    law="same",
                )

    def _show(self, p: Any) -> None:
        game = self.game
        text = ask(game, "text", p)
        if not isinstance(text, str):
            self.add("text", f"is {text!r} at {p!r}", "return a text of one line", law="text")
            return
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
        back = ask(game, "parse", text)
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
        q = position(game, "representative", ask(game, "representative", p), p)
        again = ask(game, "representative", q)
        if again != q:
            self.add(
                "representative",
                f"is not settled: {p!r} -> {q!r} -> {again!r}",
                "the representative of a representative must be itself",
                law="idempotent",
            )
        known = alternate(game) or declares(game, "turn")
        if not known and ask(game, "to_move", q) != ask(game, "to_move", p):
            self.add(
                "representative",
                f"changes the player to move from {p!r} to {q!r}",
                "write turn(p): whose turn it is, also while chance acts",
                law="turn",
            )

    def _strata(self, p: Any, edges: Iterable[ExaminedEdge]) -> None:
        game = self.game
        if not declares(game, "stratum"):
            return
        here = whole(game, "stratum", ask(game, "stratum", p), p)
        method = "chances" if self._kind.get(p) == CHANCE else "play"
        for edge in edges:
            q = edge.child
            there = whole(game, "stratum", ask(game, "stratum", q), q)
            if there > here:
                self.add(
                    "stratum",
                    f"rises from {here} to {there} when {method} leads from {p!r} to {q!r}",
                    "it must never rise: count what can only shrink, such as pieces left",
                    law="rises",
                )

    # -- Laws about all positions together. -------------------------------------------------------

    def whole(self, plies: dict[Any, int]) -> None:
        """Put what was seen of all positions to the laws about them."""
        game = self.game
        movers = {kind for kind in self._kind.values() if kind >= 0}
        both = SIMULTANEOUS in self._kind.values()
        if both:
            self._opposed()
        if game.players > 1 and declares(game, "to_move") and len(movers) == 1 and not both:
            self.add(
                "to_move",
                f"is never anybody but player {movers.pop()}: positions may forget who is to move",
                "keep the turn in the position, or leave out to_move for plain alternate play",
            )
        if alternate(game):
            self._absolute_payoffs(plies)
            if self.entries.never_exchanged():
                self.warn(
                    "play",
                    "no entry of a position ever changes places: does `play` exchange mine and "
                    "theirs?",
                    "without to_move(p) a position is seen by the player to move, so that play "
                    "must return it as the other player sees it; if the moves are the same for "
                    "both, all is well",
                )

    def _opposed(self) -> None:
        """Where both choose at once, what one player gets the other must lose."""
        sums = {sum(pay) if isinstance(pay, tuple) else 0 for pay in self._payoff.values()}
        if self._earned - {0}:
            self.add(
                "reward",
                f"gives both players {max(self._earned, key=abs)} together, but they choose at "
                "once",
                "SimultaneousMoves is for two players with opposed interests: what one earns, the "
                "other loses",
            )
        if len(sums) > 1:
            self.add(
                "payoff",
                f"adds up to {min(sums)} here and {max(sums)} there, but players choose at once",
                "SimultaneousMoves is for two players with opposed interests: let payoffs add up "
                "to the same sum everywhere",
            )

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
