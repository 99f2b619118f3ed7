"""Expand: run the rules over a batch of positions and collect their children.

`NativeExpander` calls compiled rules on int64 keys, `PlainExpander` interprets them on any
hashable positions; both give the same `Batch`. Neither knows which positions were seen before."""

from perfectplay.errors import RulesError
from perfectplay.positions.batch import Expander
from perfectplay.positions.expand_plain import PlainExpander
from perfectplay.rules.capabilities import by_turns, simultaneous
from perfectplay.rules.game import Game, declares


def expander(game: Game, *, plain: bool = False, steps: bool = False) -> Expander:
    """What runs the rules of `game`: compiled if they are native, unless `plain` is asked;
    turn by turn if it goes by turns, unless single `steps` are asked."""
    _refuse_impossible(game)
    native = game.native and not plain
    if by_turns(game):
        _refuse_no_turns(game)
        if native:
            from perfectplay.positions.turns.native import NativeSteps, NativeTurns

            return NativeSteps(game) if steps else NativeTurns(game)
        if not steps:
            from perfectplay.positions.turns.walk import PlainTurns

            return PlainTurns(game)
    if native:
        from perfectplay.positions.expand_native import NativeExpander

        return NativeExpander(game)
    return PlainExpander(game)


def _refuse_impossible(game: Game) -> None:
    name = type(game).__name__
    if game.players < 1:
        raise RulesError(f"{name} has {game.players} players", "players must be 1 or more")
    if game.players > 2 and not declares(game, "to_move"):
        raise RulesError(
            f"{name} has {game.players} players but no to_move(p)",
            "with more than two players a position must know whose turn it is: write to_move(p)",
        )
    if declares(game, "chances") and not declares(game, "to_move"):
        raise RulesError(
            f"{name} has chances(p) but no to_move(p)",
            "write to_move(p), which returns CHANCE where nobody moves",
        )
    if game.minimise and game.players != 1:
        raise RulesError(f"{name} minimises with {game.players} players", "only one player can")
    if simultaneous(game) is not None:
        _refuse_simultaneous(game, name)


def _refuse_simultaneous(game: Game, name: str) -> None:
    """Two players choose at once in interpreted rules, and every position is stored."""
    if game.players != 2:
        raise RulesError(
            f"{name} has simultaneous moves and {game.players} players",
            "SimultaneousMoves is for two players with opposed interests",
        )
    if not declares(game, "to_move") or not declares(game, "choices"):
        missing = "choices(p, player)" if declares(game, "to_move") else "to_move(p)"
        raise RulesError(
            f"{name} has simultaneous moves but no {missing}",
            "to_move(p) returns SIMULTANEOUS where both players choose among choices(p, player)",
        )
    if game.native or by_turns(game):
        what = "native = True" if game.native else "ByTurns"
        raise RulesError(
            f"{name} has simultaneous moves and {what}",
            f"rules with simultaneous moves are interpreted, position by position: no {what}",
        )


def _refuse_no_turns(game: Game) -> None:
    if not declares(game, "anchor") or not declares(game, "chances"):
        missing = "anchor(p)" if declares(game, "chances") else "chances(p)"
        raise RulesError(
            f"{type(game).__name__} is to be solved by turns, but has no {missing}",
            "ByTurns is for games with chance whose anchor(p) holds where a turn begins",
        )
