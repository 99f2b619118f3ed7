"""Strategies: a move for every position that one player may be brought to, as data.

A strategy claims that the player who moves at a position gets at least so much, whatever the other
does. `strategy` finds one by search; verification/verify_strategy.py proves the claim by other
code. Below so many plies the strategy may say nothing: there the claim is for search to prove."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfectplay.compiled.time_limit import TimeLimit
from perfectplay.errors import NoSolverError, TableError, UsageError
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, alternate, declares, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.searching.methods import Searched, method_for
from perfectplay.searching.search_facts import SearchFacts, search_facts
from perfectplay.searching.windows import UNLIMITED, Driver

if TYPE_CHECKING:
    from perfectplay.searching.alphabeta.search import AlphaBetaSearch

SIZE = 2**27


@dataclass(frozen=True)
class Strategy:
    """What one player plays, and what that secures."""

    game: str
    parameters: dict[str, Any]
    position: str
    """Where it begins; the player who moves there plays by it."""
    at_least: int
    """What that player gets, in payoffs."""
    moves: dict[str, str]
    """By position, a representative as text: the move."""

    def write(self, path: str | Path) -> None:
        """Keep it in a file."""
        Path(path).write_text(json.dumps(asdict(self), indent=0) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: str | Path) -> Strategy:
        """The strategy in a file; TableError if there is none."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            found = cls(**data)
            texts = [found.game, found.position, *found.moves, *found.moves.values()]
            if not all(isinstance(x, str) for x in texts) or type(found.at_least) is not int:
                raise TypeError("a field has another type")
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise TableError(
                f"{path} holds no strategy: {error}", "perfectplay strategy writes such files"
            ) from None
        return found


def suits_strategies(game: Game) -> None:
    """NoSolverError if a strategy of this game cannot be stated."""
    if game.players != 2 or declares(game, "reward") or declares(game, "chances"):
        raise NoSolverError(
            f"{type(game).__name__}: strategies are for two players without chance and rewards",
            "perfectplay search gives the value and a line of best play",
        )


@explained
def strategy(
    game: Game,
    position: Any = None,
    *,
    plies: int | None = None,
    size: int = SIZE,
    method: str | None = None,
    progress: Progress | None = None,
) -> Strategy:
    """A strategy that secures the value of a position (the start, if none is given) to the player
    who moves there: one move for that player, all replies, for so many plies. It is found by
    alpha-beta, or by another `method` that asks whether a value is at least some number."""
    suits_strategies(game)
    root = next(first_positions(game)) if position is None else position
    facts, top = search_facts(game, root), game.representative(root)
    if facts.pairs:
        raise NoSolverError(
            f"{type(game).__name__}: payoffs are tuples", "give payoffs as numbers"
        )
    search, watch = _searching(game, top, facts, method, size), progress or Silent()
    watch.start("search")
    driver = Driver(
        search, whole=True, alone=False, window=(-math.inf, math.inf), progress=watch
    )  # fmt: skip
    stopped = driver.run(None, TimeLimit(None), 1)
    if stopped:
        watch.finish()
        raise (
            KeyboardInterrupt
            if stopped == "interrupted"
            else NoSolverError(
                f"{type(game).__name__}: the value stays open: {stopped}", "use perfectplay solve"
            )
        )
    value = int(search.bounds[0]) * (-1 if game.to_move(top) == 1 else 1)
    moves = _moves(game, search, top, value, math.inf if plies is None else plies)
    watch.finish()
    return Strategy(
        rules_path(game), parameters(game), game.text(top), value,
        {game.text(p): game.move_text(p, m) for p, m in moves.items()},
    )  # fmt: skip


def _searching(
    game: Game, top: Any, facts: SearchFacts, method: str | None, size: int
) -> AlphaBetaSearch:
    """A search that finds moves; NoSolverError if the method does not serve."""
    from perfectplay.searching.alphabeta.search import AlphaBetaSearch
    from perfectplay.searching.proofs.search import ProofSearch

    made = {"alpha-beta": AlphaBetaSearch, "proof": ProofSearch}
    if method is not None and method not in made:
        raise UsageError(
            f"the method {method!r} finds no strategies", f"methods are {', '.join(made)}"
        )
    asked = Searched(
        game, top, lambda: facts, window=False, plain=not game.native, table=False, distance=False
    )
    return made[method_for(asked, method or "alpha-beta", set())](game, top, facts, -size)


def _moves(game: Game, search: Any, top: Any, value: int, plies: float) -> dict[Any, Any]:
    """A move for every position that the player who moves at `top` may be brought to."""
    found: dict[Any, Any] = {}
    queue = [(top, True, 0)]
    seen = {(top, True)}
    while queue:
        p, mine, ply = queue.pop(0)
        moves = list(game.moves(p)) if game.to_move(p) >= 0 else []
        if mine and moves and ply < plies:
            number = search.securing(p, value, UNLIMITED, lambda _: False)
            if number is None:
                raise KeyboardInterrupt
            found[p] = moves[number]
            moves = [moves[number]]
        elif mine:
            continue
        for m in moves if ply < plies else ():
            q = game.play(p, m)
            same = not alternate(game) and game.to_move(q) == game.to_move(p)
            child = (game.representative(q), mine == same)
            if game.to_move(q) >= 0 and child not in seen:
                seen.add(child)
                queue.append((*child, ply + 1))
    return found
