"""What kernels ask of the rules, as flags, and what rules can get wrong, as codes."""

ALTERNATE, STRATA, TURNS, SYMMETRY, REWARDS, ANCHORS, RAW, BEGIN, EXITS = (
    1, 2, 4, 8, 16, 32, 64, 128, 256
)  # fmt: skip
"""ALTERNATE … ANCHORS: the rules have this. RAW: children as they are, not representatives.
BEGIN, EXITS: with which patterns turns begin, how they end; without these two, single steps."""

FINE = 0
BAD_WEIGHT, BAD_MOVER, RENAMED, NO_EVENT, NO_ANCHOR, OTHER_PATTERN, NO_CHOICE = range(1, 8)
"""Codes for contradictory rules; TROUBLES says which."""
MORE_STEPS = -1
"""A position has more steps than there is room for."""
FULL = -2
"""There is no room for all edges."""
CHANCE_EXIT = -3
"""Chance ends a turn: positions of this game are not found without their labels."""

TROUBLES = {
    BAD_WEIGHT: (
        "chances(p) yields a weight that is not positive",
        "weights are integers greater than 0; leave out what cannot happen",
    ),
    BAD_MOVER: (
        "to_move(p) is neither a player, nor CHANCE, nor OVER",
        "players are numbered from 0 to players - 1",
    ),
    RENAMED: (
        "representative(p) changes the player to move, but the rules have no turn(p)",
        "write turn(p): whose turn it is, also while chance acts",
    ),
    NO_EVENT: (
        "chances(p) yields nothing at a CHANCE position",
        "yield at least one (weight, position), or let to_move(p) return OVER",
    ),
    NO_ANCHOR: (
        "a position is neither an anchor nor the end of play, but the game is solved by turns",
        "let anchor(p) hold at every first position, or do without ByTurns",
    ),
    OTHER_PATTERN: (
        "the turn that begins there does not run like that of its pattern(p)",
        "turns of one pattern may differ only in the steps that lead to anchors; "
        "see carried(q, p)",
    ),
    NO_CHOICE: (
        "choices(p, player) yields nothing for one of the players at a SIMULTANEOUS position",
        "yield at least one choice for each player, or let to_move(p) return OVER",
    ),
}
"""By code: what is wrong, and a hint."""
