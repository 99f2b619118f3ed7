"""What a solved game says: values, positions, equations, policies, charts and sweeps."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

Infinite = Literal["infinite", "-infinite"]
"""JSON has no infinite numbers: they are written as text."""
Rule = Literal["max", "min", "sum", "end"]
"""How the value of a position follows from those after it."""
Shows = Literal["move", "value", "first"]
"""What the cells of a chart show."""


class ValueJson(TypedDict):
    """What a position is worth to one player, and how well that is known."""

    kind: Literal["outcome", "score", "total", "chance"]
    """`"outcome"` (win, draw, loss), `"score"` (a margin between two players, no chance),
    `"total"` (what one player gathers or pays, no chance), or `"chance"` (an expectation or a
    probability)"""
    exactness: Literal["exact", "bounds", "residual"]
    """`"exact"`; `"bounds"`: proved lower and upper bound; `"residual"`: the equations hold up to
    a residual"""
    outcome: NotRequired[Literal["win", "draw", "loss"]]
    """for outcomes: `"win"`, `"draw"` or `"loss"`"""
    exact: NotRequired[str]
    """if exact: an integer or a fraction as text, such as `"4/7"`, or `"infinite"`"""
    decimal: NotRequired[float | None]
    """if exact: the nearest float, or null if infinite or larger than any float"""
    lower: NotRequired[float | Infinite]
    """if not exact: a float, no greater than the true value for bounds; equal to `upper` for a
    residual"""
    upper: NotRequired[float | Infinite]
    """if not exact: a float, no less than the true value for bounds"""
    depth: NotRequired[int | None]
    """for outcomes: plies to the end under best play; null if play never ends"""


class MoveJson(TypedDict):
    """One legal move."""

    move: str
    """the move as text"""
    position: str
    """the position after it"""
    best: bool
    """whether it is a best move"""
    value: ValueJson
    """what it is worth to the player who moves, including the reward of the move"""
    values: list[ValueJson]
    """what it is worth to each player"""
    reward: int
    """what the move earns at once"""
    loss: float | Infinite
    """how much worse than the best move it is; may be `"infinite"`"""
    change: str
    """for outcomes: `"win -> draw"`, `"2 plies later"`, `"never ends"`; else empty"""


class ChanceJson(TypedDict):
    """One thing that can happen."""

    probability: str
    """a fraction as text"""
    position: str
    """the position after it"""
    values: list[ValueJson]
    """what that is worth to each player"""


class MixedChoiceJson(TypedDict):
    """One thing that a player may choose while the other chooses as well."""

    move: str
    """the choice as text"""
    probability: str | float
    """in an optimal mixed strategy: a fraction as text if the table is exact, else a number"""
    value: ValueJson
    """what it is worth to the player against the other's optimal mixed strategy"""


class StepJson(TypedDict):
    """One step of a line."""

    by: int | Literal["chance", "both"]
    """a player, from 0; `"chance"`; or `"both"` where both players choose at once"""
    move: str
    """the move or the event as text"""
    position: str
    """the position after it"""


class LineJson(TypedDict):
    """Best play from a position on."""

    steps: list[StepJson]
    """the moves and events, in order"""
    ending: Literal["over", "repeats", "more"]
    """`"over"`: play has ended; `"repeats"`: it has come back to a position; `"more"`: it goes
    on"""


class PositionJson(TypedDict):
    """All that is known about one position."""

    position: str
    """as text"""
    to_move: int | Literal["chance", "both", "over"]
    """the player to move, from 0; `"chance"`; `"both"`; or `"over"`. In alternate play always 0"""
    player: str
    """that player's name"""
    value: ValueJson
    """to the player to move; to player 0 if the rules name nobody, since chance acts or play is
    over"""
    to: str
    """the name of the player to whom `value` is"""
    values: list[ValueJson]
    """to each player"""
    moves: list[MoveJson]
    """best first; empty where nobody moves"""
    chances: list[ChanceJson]
    """what can happen, if `to_move` is `"chance"`"""
    line: LineJson
    """the principal variation: best moves, and the most probable events (of several, one that
    changes little)"""
    choices: NotRequired[list[list[MixedChoiceJson]]]
    """only if `to_move` is `"both"`: for each player what they may choose"""
    note: NotRequired[str]
    """present only if needed: what the value depends on"""


class TermJson(TypedDict):
    """What a value is made of."""

    name: str
    """the move, or the probability of the event"""
    probability: str
    """a fraction as text; `"1"` for a move"""
    reward: int
    """what the move earns at once"""
    position: str
    """the position after it"""
    arithmetic: str
    """the term as Python could evaluate it"""
    value: ValueJson
    """what it is worth to the player"""
    equation: NotRequired[EquationJson]
    """where chance acts after the move: the same for that position"""


class TreeEdgeJson(TypedDict):
    """What leads from one position of a game tree to the next."""

    moves: list[str]
    """the moves or pairs of choices that lead there; none where chance acts"""
    probability: str
    """of an event or of pairs of choices, a fraction as text; `"1"` for a move"""
    earned: list[int]
    """what the move earns each player at once"""
    best: bool
    """whether it is a best move"""
    node: TreeNodeJson
    """the position after it"""


class TreeNodeJson(TypedDict):
    """A position of a game tree."""

    position: str
    """as text"""
    player: int
    """who moves there: in alternate play 0 is the player to move at the root; -1 where chance
    acts, -2 where play has ended, -3 where both players choose at once"""
    rule: Literal["max", "min", "sum", "end", "cut", "same"]
    """as in an equation; `"cut"` where the tree stops, `"same"` where the position is followed
    elsewhere"""
    number: int | None
    """what references call it, or null"""
    values: list[ValueJson]
    """to each player"""
    edges: list[TreeEdgeJson]
    """what may follow"""


class TreeJson(TypedDict):
    """The game tree below a position."""

    player: int
    """the player to move at the root, from 0"""
    name: str
    """what they are called"""
    tree: TreeNodeJson
    """the root"""


class EquationJson(TypedDict):
    """The equation of a position."""

    position: str
    """which position"""
    player: int
    """whose value it is, from 0"""
    rule: Rule
    """`"max"`, `"min"`, `"sum"` where chance acts or both players choose at once, `"end"` where
    play has ended"""
    terms: list[TermJson]
    """what the value is made of"""
    arithmetic: str
    """the right-hand side as Python could evaluate it"""
    value: ValueJson
    """what comes out"""


# -- Policies. ------------------------------------------------------------------------------------


class SeatJson(TypedDict):
    """A policy in the place of one player."""

    player: int
    """from 0; in alternate play 0 moves first"""
    name: str
    """what the player is called"""
    value: ValueJson
    """to this player, under the policy"""
    perfect: ValueJson
    """if all play perfectly"""
    gives_away: ValueJson
    """the difference"""
    change: str
    """for outcomes: `"win -> draw"`, or empty"""


class ChoiceJson(TypedDict):
    """One thing that a policy does at a position."""

    move: str
    """as text"""
    probability: str
    """a fraction as text, `"1"` if there is no other"""
    loss: float | Infinite
    """how much worse than the best move"""


class MistakeJson(TypedDict):
    """A position at which a policy makes a move that is not best."""

    position: str
    """as text"""
    move: str
    """what the policy does; of several moves, the most costly"""
    value: ValueJson
    """what that move is worth"""
    choices: list[ChoiceJson]
    """all that the policy does there, most costly first"""
    best: str
    """a best move"""
    best_value: ValueJson
    """what that is worth"""
    loss: float | Infinite
    """how much is lost; where there are several `choices`, the mean"""
    change: str
    """as in `probe`, of `move`"""
    times: float | Infinite | None
    """how often it happens per play, on average; null if unknown"""
    cost: float | Infinite | None
    """`times` multiplied by `loss`; null if unknown"""


class EvaluationJson(TypedDict):
    """What a policy is worth, and where it errs."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    policy: str
    """the name of the function, or `"random"`"""
    against: str
    """`"reply"`, `"optimum"`, `"itself"`, `"random"`, the name of another function, or
    `"nobody"`"""
    start: str
    """where play begins"""
    seats: list[SeatJson]
    """the policy in each player's place"""
    positions: int
    """how many can arise while it is followed"""
    asked: int
    """at how many of them the policy moves"""
    wrong: int
    """at how many of these it makes a move that is not best"""
    mistakes: list[MistakeJson]
    """the worst of them, most costly first"""
    notes: list[str]
    """further remarks"""


# -- Charts and sweeps. ---------------------------------------------------------------------------


class AxisJson(TypedDict):
    """An axis of a chart."""

    name: str
    """what varies along it"""
    values: list[Any]
    """its coordinates, in order"""


class CellJson(TypedDict):
    """What is drawn at one place."""

    at: list[Any]
    """coordinates on the axes drawn"""
    position: str
    """the position there; if `first` is asked for, the last one examined"""
    move: str
    """the best one; empty if nobody moves"""
    value: ValueJson
    """to the player to move"""
    first: Any
    """the first value on the axis `walked` at which the move `until` is best; null if it is best
    nowhere along the axis, or if `shows` is not `"first"`"""


class ChartJson(TypedDict):
    """The chart of a strategy, as data."""

    title: str
    """of the picture"""
    axes: list[AxisJson]
    """those drawn, one or two"""
    fixed: dict[str, Any]
    """the value of every other axis, by name"""
    shows: Shows
    """`"move"`, `"value"`, or `"first"`: the first value on the axis `walked` at which the move
    `until` is best"""
    walked: str | None
    """null unless `shows` is `"first"`"""
    until: str | None
    """null unless `shows` is `"first"`"""
    cells: list[CellJson]
    """one for each point that has a position"""


class SweepRowJson(TypedDict):
    """What was found for one setting of the parameters."""

    parameters: dict[str, Any]
    """those that vary"""
    value: ValueJson | None
    """of the first position to the player to move; null if not solved"""
    depth: int | None
    """plies to the end, for outcomes; else null"""
    values: list[ValueJson]
    """to each player"""
    positions: int | None
    """how many can arise; null if not solved"""
    seconds: float
    """without compiling the rules"""
    error: str | None
    """why there is no value, in words; else null"""


class SweepJson(TypedDict):
    """A game solved for a range of rules."""

    game: str
    """the name of the class of rules"""
    over: dict[str, list[Any]]
    """the values of the parameters that vary, by name"""
    fixed: dict[str, Any]
    """other parameters given"""
    stopped: bool
    """true if it was interrupted: `rows` are those found so far"""
    rows: list[SweepRowJson]
    """one per setting"""
