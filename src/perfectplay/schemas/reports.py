"""What checking, verifying, reproducing and measuring print, and the list of games."""

from __future__ import annotations

from typing_extensions import TypedDict


class ProblemJson(TypedDict):
    """What is wrong with one method of the rules."""

    method: str
    """which method"""
    message: str
    """what is wrong"""
    hint: str
    """what to do; may be empty"""


class CheckJson(TypedDict):
    """What `check` saw."""

    game: str
    """the name of the class"""
    positions: int
    """how many were examined, before symmetry"""
    at_least: int
    """how many were found: there are no fewer"""
    complete: bool
    """whether all were examined"""
    native: bool
    """whether compiled rules were compared with interpreted ones"""
    ok: bool
    """no problem was found; the exit code is then 0, else 3"""
    problems: list[ProblemJson]
    """what is wrong"""
    warnings: list[ProblemJson]
    """the same, for what looks wrong and need not be"""
    unseen: list[str]
    """what was not looked at, as texts"""


class VerifyJson(TypedDict):
    """What `verify` has established."""

    rows: int
    """positions verified"""
    seconds: float
    """how long it took"""
    kind: str
    """what has been established, in words"""
    ok: bool
    """true; a value that does not follow is an error with exit code 7"""
    signature: str
    """of the table; empty for a strategy"""


class FigureJson(TypedDict):
    """A published figure, computed again."""

    source: str
    """paper and place"""
    game: str
    """the game of the question"""
    parameters: str
    """its parameters, as in the rows"""
    position: str
    """the position; empty for the start"""
    quantity: str
    """what is asked"""
    published: str
    """the figure as printed"""
    ours: str
    """our result"""
    exactness: str
    """`exact`, `bounds` or `residual`; `none` if the game could not be solved"""
    agrees: bool
    """whether ours is the published figure, in all its digits"""
    why: str
    """why it differs, if known"""


class ReproduceJson(TypedDict):
    """Published figures, computed again."""

    figures: list[FigureJson]
    """those asked for"""
    slow_left_out: int
    """how many rows were skipped because `--slow` was not given"""
    not_begun: int
    """how many rows were not computed because `--minutes` were over"""
    seconds: float
    """how long it took"""


class MeasurementJson(TypedDict):
    """One benchmark."""

    name: str
    """the benchmark"""
    what: str
    """what is measured"""
    threads: int
    """how many threads both programs had"""
    positions: int
    """how many positions were solved"""
    seconds: float
    """by the clock"""
    core_seconds: float
    """of all cores together"""
    positions_per_second: float
    """by the clock"""
    twin: str
    """another program for the same work; empty if there is none"""
    twin_seconds: float | None
    """its time by the clock; null if there is none"""
    twin_core_seconds: float | None
    """its time of all cores; null if there is none"""
    ratio: float | None
    """our time divided by the twin's, by the clock"""
    ratio_of_core_seconds: float | None
    """the same of all cores"""
    note: str
    """a remark"""


class BenchJson(TypedDict):
    """All benchmarks that were run."""

    benchmarks: list[MeasurementJson]
    """one for each"""


# -- The list of games. ---------------------------------------------------------------------------


class ListedGameJson(TypedDict):
    """A game of the list."""

    name: str
    """as commands take it"""
    summary: str
    """in a few words"""


class GamesJson(TypedDict):
    """All games."""

    games: list[ListedGameJson]
    """in the order of the collection"""


class ParameterJson(TypedDict):
    """A parameter of rules."""

    name: str
    """as `-p name=value` takes it"""
    type: str
    """of its values, as Python writes it"""
    default: str | None
    """as text, or null if one must be given"""


class GameJson(TypedDict):
    """What a game is about."""

    name: str
    """as given"""
    rules: str
    """where the rules are"""
    about: str
    """the rules in words"""
    parameters: list[ParameterJson]
    """in order"""
    start: str | None
    """the first position with default parameters, or null"""


class ExportJson(TypedDict):
    """A file that was written."""

    file: str
    """the file"""
    rows: int
    """how many positions it has"""
    columns: dict[str, str]
    """its columns, in order, and what each means"""
    size: int
    """bytes"""


class ModelJson(TypedDict):
    """A game that was written for another system."""

    file: str
    """the file"""
    properties: list[str]
    """what to ask a model checker, in PRISM's words; nothing for other formats"""
    meaning: str
    """what the answers mean"""


class CertificateJson(TypedDict):
    """What was solved, by which rules, and what was verified."""

    game: str
    """where the rules are"""
    parameters: dict[str, str]
    """all parameters by name, as text"""
    rules: str
    """the digest of the rules"""
    positions: int
    """how many positions the table has"""
    strata: int
    """how many strata"""
    methods: dict[str, int]
    """how many positions each method solved"""
    start: str
    """the first position"""
    values: list[str]
    """what it is worth to each player, in words"""
    signature: str
    """twelve hex digits that identify all values"""
    manifest: str
    """SHA-256 of the manifest of the table, which has those of all parts"""
    solve: str
    """the command that comes to the same table"""
    verified: str
    """what was derived anew, and by what; empty if nothing was"""
