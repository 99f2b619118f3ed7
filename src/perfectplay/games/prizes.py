"""What players get who race for one prize."""


def winner_takes_all(players: int) -> tuple[tuple[int, ...], ...]:
    """By winner: 1 for that player and 0 for all others. A player alone has no prize."""
    every = range(players)
    return tuple(tuple(int(i == winner and players > 1) for i in every) for winner in every)
