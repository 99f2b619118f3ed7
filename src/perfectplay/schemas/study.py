"""What `study` says: how long a play lasts, what skill and single choices are worth."""

from typing import Any, TypedDict

from perfectplay.schemas.answers import ValueJson


class QuantileJson(TypedDict):
    """By when a share of all plays has ended."""

    share: float
    """of all plays"""
    steps: int | None
    """they take no more; null if they take more than all that are listed"""


class LengthJson(TypedDict):
    """How long a play lasts if all make the best moves."""

    unit: str
    """what the distribution counts: `"chance events"`, `"moves"` or `"moves and chance events"`"""
    mean: ValueJson
    """how many of them a play takes on average; infinite if it need not end"""
    moves: ValueJson
    """moves of players in a play, on average"""
    events: ValueJson
    """chance events in a play, on average"""
    shortest: int | None
    """steps of the shortest play; null if none ends"""
    longest: int | None
    """steps of the longest play; null if there is none"""
    quantiles: list[QuantileJson]
    """by when 5 %, half and 95 % of all plays have ended"""
    probabilities: list[float | str]
    """that a play takes exactly 0, 1, 2, … steps; fractions as text if they are exact"""
    beyond: ValueJson
    """the probability of more steps than these"""
    error: float
    """the relative error of `probabilities`, at most; 0 if they are exact"""
    endless: ValueJson
    """the probability that play never ends"""


class ChoicesJson(TypedDict):
    """How often a choice matters if all make the best moves."""

    positions: int
    """positions with several moves that best play may meet"""
    matter_positions: int
    """those of them where some move is worse than the best"""
    met: ValueJson | None
    """how many of the first kind a play meets on average; null if play need not end"""
    matter: ValueJson | None
    """how many of the second kind"""
    costs: dict[str, ValueJson]
    """what another move costs on average where it matters: `next` (the next best), `random` (one
    of all legal moves) and `worst`"""


class PolicyFiguresJson(TypedDict):
    """What one of the policies brings."""

    policy: str
    """`"best"`, `"greedy"`, `"random"` or `"worst"`"""
    values: list[ValueJson | None]
    """in the place of each player, against perfect play; null where there is no value"""
    gives_away: list[ValueJson | None]
    """how much less than perfect play that is"""
    itself: list[ValueJson | None]
    """what each player gets if all follow the policy; empty for the worst"""
    advantage: ValueJson | None
    """how much more the first of two players then gets; null if there is one player"""
    moves: ValueJson | None
    """how many moves a play then takes, on average"""


class StudyJson(TypedDict):
    """What kind of game it is."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    start: str
    """where play begins"""
    players: list[str]
    """what the players are called there"""
    positions: int
    """how many can arise from there"""
    length: LengthJson
    """how long a play lasts"""
    choices: ChoicesJson
    """how often a choice matters"""
    policies: list[PolicyFiguresJson]
    """best, greedy, random, worst"""
    advantage: ValueJson | None
    """how much more the first of two players gets if both play best; null if there is one"""
    notes: list[str]
    """further remarks"""


class StudiesRowJson(TypedDict):
    """The study of one setting of the parameters."""

    parameters: dict[str, Any]
    """those that vary"""
    study: StudyJson | None
    """what was found; null if there is nothing"""
    error: str | None
    """why there is nothing, in words; else null"""


class StudiesJson(TypedDict):
    """A game studied for a range of rules."""

    game: str
    """the name of the class of rules"""
    over: dict[str, list[Any]]
    """the values of the parameters that vary, by name"""
    fixed: dict[str, Any]
    """other parameters given"""
    stopped: bool
    """true if it was interrupted: `rows` are those found so far"""
    rows: list[StudiesRowJson]
    """one per setting"""
