"""What solving, searching, planning, checking and measuring print."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from perfectplay.schemas.answers import Infinite, ValueJson


class SecondsJson(TypedDict):
    """Where the time of a run went; all 0 if the table already existed."""

    compile: float
    """compiling the rules, or loading compiled ones"""
    expand: float
    """finding positions and moves"""
    solve: float
    """finding values"""
    write: float
    """writing the table"""


class SolveJson(TypedDict):
    """A game that was solved."""

    game: str
    """where the rules are, as `load` takes it"""
    parameters: dict[str, Any]
    """all parameters by name"""
    positions: int
    """how many can arise, symmetric ones counted once"""
    strata: int
    """how many strata; without `stratum` in the rules, the components found"""
    methods: dict[str, int]
    """how many positions each method solved"""
    notes: list[str]
    """remarks of the solvers, such as ties that matter between several players"""
    policy_gap: float | Infinite
    """games with chance: an upper limit on how much the chosen moves fall short of the value"""
    residual: float | Infinite
    """several players: an upper limit on how far the equations are from holding"""
    policy_error: float | None
    """several players: a proved limit on how far these values are from those of the policy found;
    null if unknown"""
    equilibrium_gap: float | None
    """several players: a proved limit on what a player gains by deviating from that policy for
    good; null if unknown"""
    method: str
    """the method asked for positions on cycles, or `"auto"`"""
    rounds: dict[str, int]
    """how many cyclic components took so many rounds, where they were iterated"""
    residuals: list[float]
    """what changed in each round, in the component that took most of them (at
    most 1,000 rounds)"""
    solved_before: bool
    """true if the table already existed and nothing had to be done"""
    seconds: SecondsJson
    """`compile`, `expand`, `solve`, `write`"""
    cpu: float
    """seconds of all processors in these stages together"""
    peak_memory: int
    """bytes resident at most, with files that are mapped"""
    private_memory: int
    """bytes at most without these: what `--memory` limits; 0 if nothing was solved"""
    working_files: int
    """peak bytes in working files, if the game was solved [out of core](out-of-core.md); else 0"""
    table: str | None
    """the folder; null if the game was solved in memory"""
    signature: str
    """twelve hex digits that identify all values; empty for a game that has a solver of its own"""
    value: ValueJson
    """of the first position to the player to move, or to player 0 if chance moves"""
    depth: int | None
    """the same as in `value`: plies to the end, or null"""
    values: list[ValueJson]
    """its value to each player"""
    start: str
    """the first position"""


class SearchJson(TypedDict):
    """What a search found."""

    game: str
    """as for `solve`"""
    parameters: dict[str, Any]
    """as for `solve`"""
    position: str
    """as text"""
    player: str
    """the name of the player whose value is given"""
    value: ValueJson
    """to the player to move; to player 0 if nobody moves. If not exact: proved bounds, of kind
    `"score"` for outcomes"""
    value_text: str
    """the value or the bounds in words"""
    move: str | None
    """a move as text: one that is proved best, or else one proved better than nothing; null if
    neither is known"""
    best: bool
    """whether `move` is proved best; if not, it secures the near end of the bounds, and others may
    be better"""
    line: list[str]
    """best play as texts of moves and chances, as far as it is proved"""
    stopped: str
    """why there are only bounds: `"nodes"`, `"seconds"`, `"memory"`, `"interrupted"`, `"circles"`,
    `"rounding"`; empty if the value is exact"""
    depth: int | None
    """with `--distance`: after how many plies play ends in a win or a loss; else null"""
    method: str
    """how it was searched: `"turns"`, `"alpha-beta"` or `"positions"`; empty if the game brings
    its own search"""
    nodes: int
    """visits to positions"""
    alpha_cuts: int
    """positions where a move of player 1 pruned the others"""
    beta_cuts: int
    """the same for player 0"""
    star1_cuts: int
    """chance events pruned, after searches"""
    star2_cuts: int
    """the same, after probes alone"""
    probes: int
    """chance events of which one move was tried first"""
    table_looks: int
    """lookups in the transposition table"""
    table_hits: int
    """positions found there"""
    endgame_hits: int
    """positions found in the solved table"""
    structures: int
    """structures visited, in games that have them"""
    circles: int
    """positions that recurred on their path"""
    seconds: float
    """how long it took, including tables opened or made beforehand, without compiling"""
    compile_seconds: float
    """how long rules were compiled, or compiled ones loaded"""
    solve_seconds: NotRequired[float]
    """present only if the value stayed open and solving the whole game is quick: about how long it
    takes"""
    note: NotRequired[str]
    """present only if needed: what the value depends on"""


class SearchesJson(TypedDict):
    """Searches of several positions."""

    searches: list[SearchJson]
    """one for each position"""


class DealJson(TypedDict):
    """What a search found out about one of many deals."""

    deal: int
    """its number"""
    verdict: str
    """`"solved"`, `"impossible"`, or `"unknown"`: memory was used up"""
    moves: int | None
    """what the line that was found costs; null if none was"""
    nodes: int
    """visits to positions"""


class SearchEachJson(TypedDict):
    """What `search --each` prints."""

    deals: list[DealJson]
    """one for each deal"""


# -- Plans. ---------------------------------------------------------------------------------------


class FoundPlanJson(TypedDict):
    """What is found out about a game whose positions are looked at one by one."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    complete: bool
    """whether all positions were found in the time given"""
    positions: int
    """how many there are if complete, else a lower bound"""
    estimate: int | None
    """how many there may be, if that can be estimated; null if complete"""
    growth: float | None
    """the factor by which each step multiplies positions, if not complete"""
    edges_per_position: float
    """moves and events per position"""
    strata: int | None
    """strata seen; null if the rules have none"""
    largest_stratum: int
    """positions of the largest one seen"""
    rate: float
    """positions that a core expands a second, the middle of several measurements; those inside
    turns, if `inside` is given"""
    width: int
    """words of a key; 0 for interpreted rules"""
    bytes_per_position: int
    """memory for each position while solving"""
    budget: int
    """bytes that may be used"""
    most: int | None
    """an upper bound, if the rules give one; else null"""
    inside: int | None
    """positions in all turns together, for a game by turns that counts them by formula; else
    null"""
    staying: float
    """the share of the positions seen that may lie on cycles which have to be iterated"""
    turns: bool
    """whether positions are anchors of turns"""
    memory: int
    """bytes of memory that solving would take, if all positions that may lie on cycles do"""
    disk: int
    """bytes of disk"""
    seconds: float | Infinite
    """seconds of one core"""
    core_hours: float | Infinite
    """the same in hours"""
    fits: bool | None
    """whether `memory` is within the budget; null if too little was seen to know"""


class PlanJson(FoundPlanJson):
    """What solving will cost."""


class SharedPlanJson(FoundPlanJson):
    """What solving by other workers (`plan --on`) will cost. `memory` is that of one worker,
    `disk` that of the folder that all see, `seconds` are those of one core."""

    on: str
    """as given"""
    workers: int
    """how many; 0 if only a scheduler knows"""
    shards: int
    """of the largest stratum: more workers have nothing to do there"""
    gatherer: int
    """bytes of the process that hands out tasks and writes the table"""
    hours: float | None
    """of all workers together; null if it is not known how many they are"""
    workers_for_a_day: int | None
    """how many workers end within a day; null if no number of them does"""


class NumberedPlanJson(TypedDict):
    """What solving will cost where positions have numbers."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    complete: bool
    """always true: sizes are exact"""
    positions: int
    """numbers of all strata; some may be holes"""
    strata: int
    """strata"""
    largest_stratum: int
    """numbers of the largest one"""
    rate: float
    """numbers that a core solves a second, about"""
    bytes_per_position: int
    """memory for each number while solving"""
    budget: int
    """bytes of memory that may be used"""
    room: int
    """bytes of disk available"""
    memory: int
    """bytes of memory that solving would take"""
    disk: int
    """bytes of disk"""
    seconds: float | Infinite
    """seconds of one core"""
    core_hours: float | Infinite
    """the same in hours"""
    fits: bool | None
    """whether memory and disk are enough"""


class UnlabelledPlanJson(TypedDict):
    """What solving with `--exact` will cost where pieces have labels."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    complete: bool
    """whether all unlabelled positions were found in the time given"""
    unlabelled: int
    """how many of them were found"""
    positions: int
    """the positions they stand for; a few are counted twice, where a board is symmetric to
    itself"""
    most: int | None
    """an upper bound, if the rules give one; else null"""
    strata: int
    """strata seen"""
    largest_stratum: int
    """positions of the largest one seen"""
    tried: int
    """positions of the trial that was solved"""
    rate: float
    """positions that one core solved a second in the trial"""
    width: int
    """words of a key"""
    budget: int
    """bytes of memory that may be used"""
    room: int
    """bytes of disk available"""
    memory: int
    """bytes of memory that solving would take"""
    disk: int
    """bytes of disk"""
    seconds: float | Infinite
    """seconds of one core"""
    core_hours: float | Infinite
    """the same in hours"""
    fits: bool | None
    """whether memory and disk are enough; null if too little was seen to know"""


class StructurePlanJson(TypedDict):
    """What solving an ending of kings and pawns will cost."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    complete: bool
    """whether all structures were found in the time given"""
    structures: int
    """how many there are if complete, else an upper bound"""
    seen: int
    """how many were found"""
    positions: int
    """positions in all of them; if not complete, an upper bound"""
    seconds: float | Infinite
    """seconds of one core"""
    memory: int
    """bytes of memory that solving would take"""
    budget: int
    """bytes that may be used"""
    fits: bool | None
    """whether `memory` is within the budget; null if that is not sure"""


class LineEndJson(TypedDict):
    """Lines that end alike."""

    payoff: str
    """what the end is worth to the player who counts, as text: a fraction or an integer"""
    lines: str
    """how many lines end with it, as text"""


class LineCountsJson(TypedDict):
    """How many lines of play there are."""

    game: str
    """as in `solve`"""
    parameters: dict[str, Any]
    """as in `solve`"""
    position: str
    """where the lines begin"""
    positions: int
    """how many positions arise from the start, symmetric ones counted once"""
    lines: str | None
    """lines to an end of play, as text, since other programs read large numbers inexactly; null if
    there are as many as you like"""
    ends: list[LineEndJson]
    """the same by what the end is worth"""
    value: ValueJson | None
    """what the position is worth; null with `--all`"""
    best: str | None
    """lines on which every move is best; null if there are as many as you like, or with `--all`"""
