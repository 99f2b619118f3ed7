"""A solution as a collection: the positions that its table holds, and the best move at each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import by_turns, joint_moves, walked
from perfectplay.rules.game import CHANCE, OVER, Game, first_positions

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution


class KeyReader:
    """Leads from the keys of a table to positions, as the rules have them."""

    def __init__(self, game: Game, width: int, *, every: bool = True) -> None:
        """`every`: all positions will be read, or many of them."""
        self._game = game
        if every and not width:
            walked(game)
        self._width = width
        self._flat = not isinstance(next(first_positions(game)), tuple)

    def position(self, key: Any) -> Any:
        """The position of a key; UsageError if it is a text that the rules cannot read."""
        if self._width:
            return key[0] if self._flat else key
        try:
            p = self._game.parse(key)
            same = self._game.text(p) == key
        except Exception:  # texts need not be readable
            same = False
        if not same:
            raise UsageError(
                f"{type(self._game).__name__}: the position {key!r} cannot be read back",
                "write parse(s), which gives back the position that text(p) writes as s",
            )
        return p


class StoredPositions(Collection[Any]):
    """The positions that a table holds, in its order: stratum by stratum, lowest first. They are
    read when they are asked for, a few thousand at a time."""

    def __init__(self, solution: Solution, stratum: int | None = None) -> None:
        self._solution = solution
        self._stratum = stratum
        rows = dict(solution.table.strata) if stratum is not None else {}
        if stratum is not None and stratum not in rows:
            numbers = [number for number, _ in solution.table.strata]
            raise UsageError(
                f"there is no stratum {stratum}", f"strata are {numbers[0]} to {numbers[-1]}"
            )
        self._rows = int(solution.table.positions if stratum is None else rows[stratum])

    def __iter__(self) -> Iterator[Any]:
        reader = KeyReader(self._solution.game, self._solution.table.width)
        return map(reader.position, self._solution.table.each_key(self._stratum))

    def __len__(self) -> int:
        return self._rows

    def __contains__(self, p: object) -> bool:
        """Whether `p` itself is stored; symmetric positions are represented by one of them."""
        game = self._solution.game
        try:
            known = game.representative(p) == p and self._solution.row(p) is not None
            return known and self._stratum in (None, game.stratum(p))
        except Exception:  # rules need not bear what is no position at all
            return False

    def __repr__(self) -> str:
        where = "" if self._stratum is None else f" of stratum {self._stratum}"
        return f"<{len(self):,} stored positions{where}>"


class PerfectPolicy(Mapping[Any, Any]):
    """The best move at every position where a player moves, looked up when it is asked for.

    Iteration gives the stored ones, and in games that are solved by turns those inside turns as
    well; of symmetric positions one. Any other position that can arise may be asked for, too."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self._count: int | None = None

    def __getitem__(self, p: Any) -> Any:
        try:
            return self._solution.best(p)
        except UsageError:
            raise KeyError(p) from None

    def __contains__(self, p: object) -> bool:
        return p in self._solution and self._solution.to_move(p) >= 0

    def __iter__(self) -> Iterator[Any]:
        solution = self._solution
        if by_turns(solution.game):
            return self._within_turns()
        return (p for p in solution.positions() if solution.to_move(p) >= 0)

    def _within_turns(self) -> Iterator[Any]:
        """Turns from one anchor after the other. Two of them may share positions, so all that were
        given are remembered."""
        game: Any = self._solution.game
        given: set[Any] = set()
        for anchor in self._solution.positions():
            turn, waiting = {anchor}, [anchor]
            while waiting:
                p = waiting.pop()
                q = game.representative(p)
                if self._solution.to_move(p) >= 0 and q not in given:
                    given.add(q)
                    yield q
                inside = [c for c in _following(game, p) if c not in turn and not game.anchor(c)]
                turn.update(inside)
                waiting += reversed(inside)

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self)
        return self._count

    def __repr__(self) -> str:
        return f"<best moves of {type(self._solution.game).__name__}>"


def _following(game: Game, p: Any) -> list[Any]:
    """The positions after all moves, or after all that may happen, each once."""
    kind = game.to_move(p)
    if kind == OVER:
        return []
    if kind == CHANCE:
        return list(dict.fromkeys(child for _, child in game.chances(p)))
    return list(dict.fromkeys(game.play(p, m) for m in joint_moves(game, p)))
