"""Which games are for one player who wants the least cost, so that these searches serve."""

from perfectplay.rules.capabilities import by_turns
from perfectplay.rules.game import Game, declares


def serves(game: Game) -> bool:
    """Whether a game is for one player who wants the least cost, with nothing left to chance."""
    alone = game.players == 1 and bool(game.minimise) and game.endless is None
    return alone and not declares(game, "chances") and not by_turns(game)
