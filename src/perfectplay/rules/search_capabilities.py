"""Capabilities for searches: what makes them fast, for one player or two.

No value depends on them; `check` compares them with the plain way. At the end: the functions by
which searches ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from perfectplay.rules.game import Game, alternate, declares


class NumberedDeals:
    """Games that are dealt by number: `search --each` goes through many of them."""

    deal_parameter: str = "deal"
    """The parameter that has the number."""


class SearchGuides:
    """What makes `search` fast."""

    guess_kinds: int = 1
    """How many ways of guessing there are (`guess_as`): searches for any line try them in turn."""

    def hint(self, p: Any, m: Any) -> int:
        """Move ordering: `search` tries moves with larger hints first."""
        return 0

    def guess(self, p: Any) -> float:
        """A heuristic estimate of the value of `p` to player 0 (in alternate play: to the player
        to move)."""
        return 0.0

    def guess_as(self, p: Any, kind: int) -> int:
        """A guess for searches for any line, from 0 to 1022, small where play may soon be ended;
        `kind` is less than `guess_kinds`. Not written: `guess`."""
        return 0

    def bounds(self, p: Any) -> tuple[float, ...] | None:
        """(least, most): integers between which the value of `p` to player 0 lies (in alternate
        play: to the player to move), in units of payoffs; or (least, most, parts): between least /
        parts and most / parts. None: nothing is known. In searches for one player, infinite bounds
        say that play cannot be ended from `p`."""
        return None


class Abstractions:
    """Positions with some things forgotten, for puzzles with least cost: `search` builds pattern
    databases, the least costs between such positions, and takes them as lower bounds."""

    blurs: int = 0
    """How many abstractions there are: `k` goes from 0 to `blurs` - 1."""

    added: tuple[tuple[int, ...], ...] = ()
    """Groups of abstractions, of neighbouring numbers, whose costs may be added, since each move
    counts in one of a group only (`counts_in`). What belongs to no group stands for itself; of
    several sums the greatest is the bound."""

    spared: int = 0
    """What every last move costs at least, if it leaves what one of the abstractions remembers as
    it is, whichever move it is: then a position costs so much more than the least of their costs.
    Without `added`."""

    def blur(self, p: Any, k: int) -> Any:
        """`p` with all forgotten that abstraction `k` forgets. `moves`, `play` and `reward` must
        work on it: whatever can be done at `p` can be done there, and leads to what
        that leads to, blurred."""
        raise NotImplementedError(f"{type(self).__name__} must define blur(p, k)")

    def goals(self) -> Iterable[Any]:
        """Yield all positions where play may end, at no further cost."""
        raise NotImplementedError(f"{type(self).__name__} must define goals()")

    def counts_in(self, p: Any, m: Any, group: int) -> int:
        """The abstraction of `added[group]` in which move `m` counts, at `p` or at a blurred
        position; -1: in none."""
        return -1

    def blur_sizes(self, k: int) -> tuple[int, int]:
        """What `blur_index(p, k)` is less than, number by number."""
        raise NotImplementedError(f"{type(self).__name__} must define blur_sizes(k)")

    def blur_index(self, p: Any, k: int) -> tuple[int, int]:
        """Two numbers that say what `blur(p, k)` is: the first is looked up in searches, which
        take the least cost over the second; 0 if nothing is left to say. The same for `p`
        and for `blur(p, k)`. Only for puzzles of which every move can be taken back by one of
        equal cost. Without it, blurred positions are looked up themselves."""
        raise NotImplementedError(f"{type(self).__name__} must define blur_index(p, k)")

    def blur_at(self, i: int, k: int) -> Any:
        """The blurred position of which `blur_index` is (i, 0), or, where no position has number
        i, one of another number: for databases of very many
        positions, with every move at some cost and `blur_sizes(k)[1]` 1, or with `blur_steps`.
        They are built number by number, half a byte each: costs up to 13, larger ones as 14."""
        raise NotImplementedError(f"{type(self).__name__} must define blur_at(i, k)")

    def blur_steps(self, i: int, rests: int, k: int) -> Iterable[tuple[int, int]]:
        """What can be done at the blurred positions with first number `i` and a second one of
        those in `rests`, as bits. Yield first (`i`, all second numbers that moves which do not
        count in abstraction `k` lead to from these, themselves included); then, for the moves
        that count, at a cost of one, what they lead to from there: (first number, second numbers).
        Moves that do not count must leave the first number as it is. With `blur_at`."""
        raise NotImplementedError(f"{type(self).__name__} must define blur_steps(i, rests, k)")

    def blur_least(self, p: Any, k: int) -> tuple[int, int]:
        """(least, step): what the first number of `blur_index(p, k)` costs is `least`, or a
        multiple of `step` more. So half bytes go further. With `blur_steps`."""
        return 0, 1

    def blur_like(self, k: int) -> int:
        """The abstraction whose database serves for `k`: `k`, or one before it that looks the same
        from another side. Only with `blur_index`."""
        return k

    def also(self, p: Any) -> Iterable[Any]:
        """Yield other positions from which the least cost is the same, to be looked up, too."""
        raise NotImplementedError(f"{type(self).__name__} must define also(p)")

    def twin(self, p: Any, m: Any) -> Any:
        """The move that does at the one position of `also(p)` what `m` does at `p`: what it leads
        to is the one position of `also(play(p, m))`. With it, searches carry that along."""
        raise NotImplementedError(f"{type(self).__name__} must define twin(p, m)")


class ForcedMoves:
    """Moves that lose nothing, made at once in searches for one player."""

    def forced(self, p: Any) -> Iterable[Any]:
        """Yield a move that is as good as any at `p`, or none if no move is known to be. Whoever
        makes it must come to a position where none is forced in the end."""
        raise NotImplementedError(f"{type(self).__name__} must define forced(p)")


class MoveOrder:
    """Moves of which the order does not matter, for searches that remember no positions."""

    def follows(self, last: Any, m: Any) -> bool:
        """Whether move `m` need be tried directly after move `last`: False if a single move that
        costs no more, or no move at all, does what the two do, or two such moves of which the
        second need be tried after the first. Moves are integers."""
        return True


class EnoughMoves:
    """Moves of which one is best: `search` needs to try no others."""

    def enough(self, p: Any) -> Iterable[Any]:
        """Yield some of `moves(p)`, at least one where there is any, among which is one that is
        best: worth as much as any and, where play ends in a win or a loss, as soon a win or as
        late a loss as any. For example: only moves that do not lose at once, or one of several
        that lead to equal positions."""
        return self.moves(p)  # type: ignore[attr-defined, no-any-return]


class KnownEndings:
    """Endings that files of another program know: `search --table` looks positions up there."""

    def known_endings(self, folder: Path) -> Callable[[Any], tuple[int, int] | None] | None:
        """What says of a position what the files in `folder` know: integers between which its
        value lies, to whom and in which units `bounds` says; None for positions that are not
        there. None instead of it if there are no such files."""
        raise NotImplementedError(f"{type(self).__name__} must define known_endings(folder)")


class Threats:
    """Moves that threaten to win at once: searches by proof numbers try sequences of them, each
    with the only reply that it leaves (`enough`), before all other moves. Write one of the two, in
    alternate play, and `bounds` that see a win in one ply; `enough` should name only replies that
    meet a threat."""

    def threat(self, p: Any) -> Iterable[Any]:
        """Yield moves after which the player who makes them wins at once if the other player does
        not meet that; where a threat of the other player is to be met, only moves that do. Not
        written: by `passed`."""
        return ()

    def passed(self, p: Any) -> Any:
        """`p` with the other player to move, as if the player to move had passed."""
        raise NotImplementedError(f"{type(self).__name__} must define threat(p) or passed(p)")


def names_threats(game: Game) -> bool:
    """Whether the rules name threats, in play where every move passes the turn."""
    named = isinstance(game, Threats) and (declares(game, "threat") or declares(game, "passed"))
    return bool(named and alternate(game) and not declares(game, "reward"))


def guides(game: Game) -> SearchGuides | None:
    """The guides of search that a game has, if any."""
    return game if isinstance(game, SearchGuides) else None


def abstractions(game: Game) -> Abstractions | None:
    """The abstractions that the rules declare, if there are some."""
    return game if isinstance(game, Abstractions) and game.blurs else None


def forces(game: Game) -> ForcedMoves | None:
    """The rules that say which moves lose nothing, if they do."""
    return game if isinstance(game, ForcedMoves) else None


def foreign_endings(game: Game, folder: Path) -> Callable[[Any], tuple[int, int] | None] | None:
    """What looks positions up in files of another program, if the rules read such files."""
    return game.known_endings(folder) if isinstance(game, KnownEndings) else None


def enough_moves(game: Game, p: Any) -> list[Any]:
    """Moves of which one is best: all, unless the rules name fewer."""
    return list(game.enough(p) if isinstance(game, EnoughMoves) else game.moves(p))


def guess_kinds(game: Game) -> int:
    """How many ways of guessing the rules have, 1 at least."""
    return max(1, int(game.guess_kinds)) if isinstance(game, SearchGuides) else 1


def deal_parameter(game: Game) -> str | None:
    """The parameter that has the number of the deal, if deals are numbered."""
    return game.deal_parameter if isinstance(game, NumberedDeals) else None
