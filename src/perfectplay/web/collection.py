"""The games that a server shows: what the command line named, and the games of the package.

A request names a game by its key here, never by a file or a module."""

from __future__ import annotations

import shlex
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from perfectplay.answer.faces.opponents import Policy
from perfectplay.answer.solution import Solution
from perfectplay.answer.solve import solve
from perfectplay.errors import PerfectPlayError, TooLargeError, UsageError
from perfectplay.rules.coalitions import Sided
from perfectplay.rules.game import Game, parameters
from perfectplay.rules.load import find, make
from perfectplay.rules.parameters import default_of, fields_of, required, value_text
from perfectplay.searching.search import search
from perfectplay.solving.plan import plan
from perfectplay.web.jobs import Job, Jobs

LONGEST_VALUE = 24
"""Characters of a parameter's value on the front page."""
KEPT = 24
"""So many games, with other parameters, are kept ready."""


@dataclass(frozen=True)
class Exhibit:
    """A game that can be looked at."""

    key: str
    """Its name in addresses."""
    spec: str
    """How `load` finds its rules."""
    summary: str = ""
    given: tuple[str, ...] = ()
    """Parameters that the command line gave."""
    solution: Solution | None = None
    """If a table was named, what it holds."""


@dataclass
class Opened:
    """A game with its parameters, and its solution if there is one."""

    exhibit: Exhibit
    game: Game
    solution: Solution | None
    found: Any = None
    """What a search found, where there is no solution."""
    trouble: PerfectPlayError | None = None
    """Why the table that is there cannot be read."""

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The parameters of the game as texts."""
        return parameter_texts(self.game)


Opener = Callable[[str, Game], "Solution | None"]
"""From the name of a game and its rules to its solution, if there is a table; an error says why
one cannot be read."""


@dataclass
class Collection:
    """All games of a server."""

    exhibits: Mapping[str, Exhibit]
    stored: Opener
    policies: Mapping[str, Policy] = field(default_factory=dict)
    memory: int | None = None
    seconds: float = 20.0
    """How long a search may take where a game is too large to be solved."""

    def __post_init__(self) -> None:
        self.jobs = Jobs()
        self._opened: OrderedDict[tuple[str, tuple[str, ...]], Opened] = OrderedDict()
        self._lock = threading.Lock()

    def exhibit(self, key: str) -> Exhibit:
        """The game of this name; UsageError if there is none."""
        if key not in self.exhibits:
            raise UsageError(
                f"no game called {key[:80]!r} is shown here", "the front page has all"
            )
        return self.exhibits[key]

    def open(self, key: str, given: Iterable[str] = ()) -> Opened:
        """A game with these parameters."""
        name = key, tuple(given)
        with self._lock:
            if name in self._opened:
                self._opened.move_to_end(name)
                return self._opened[name]
        opened = self._made(self.exhibit(key), name[1])
        with self._lock:
            kept = self._opened.setdefault(name, opened)
            while len(self._opened) > KEPT:
                self._opened.popitem(last=False)
        return kept

    def rules(self, key: str) -> Game:
        """The game of this name, with no look at tables."""
        exhibit = self.exhibit(key)
        if exhibit.solution is not None:
            return exhibit.solution.game
        return make(find(exhibit.spec), exhibit.given)

    def _made(self, exhibit: Exhibit, given: tuple[str, ...]) -> Opened:
        if exhibit.solution is not None:
            if given:
                raise UsageError(
                    "a table has its own parameters", "name the game instead of a table"
                )
            return Opened(exhibit, exhibit.solution.game, exhibit.solution)
        game = make(find(exhibit.spec), given or exhibit.given)
        try:
            return Opened(exhibit, game, self.stored(exhibit.spec, game))
        except PerfectPlayError as error:  # it can be solved again
            return Opened(exhibit, game, None, trouble=error)

    def job(self, opened: Opened) -> Job | None:
        """The work that was begun for a game, if any."""
        return self.jobs.get(job_name(opened))

    def begin(self, opened: Opened, *, exact: bool = False) -> Job:
        """Solve a game in the background, in fractions if `exact`; search it if too large."""
        work = partial(self._work, opened, exact=exact)
        return self.jobs.begin(job_name(opened), work)

    def _work(self, opened: Opened, job: Job, *, exact: bool) -> None:
        job.start("plan")
        cost = plan(opened.game, memory=self.memory, seconds=2.0)
        if getattr(cost, "fits", None) is not False:
            try:
                opened.solution = solve(opened.game, exact=exact, memory=self.memory, progress=job)
                return
            except TooLargeError:
                pass
        job.start("search")
        opened.found = search(opened.game, seconds=self.seconds, progress=job)


def parameter_texts(game: Game) -> dict[str, str]:
    """The parameters of rules as texts; of a game in coalitions those of its rules, and who plays
    with whom."""
    found = parameters(game)
    if isinstance(game, Sided):  # its rules are another game, between players
        found = {**parameters(game.rules), "sides": game.sides}
    return {name: value_text(value) for name, value in found.items()}


def shown_parameters(exhibit: Exhibit) -> dict[str, str]:
    """The parameters of a game with the values it is shown with; nothing where one has none."""
    if exhibit.solution is not None:
        texts = parameter_texts(exhibit.solution.game)
        return {name: _short(text) for name, text in texts.items()}
    given = dict(each.split("=", 1) for each in exhibit.given)
    return {
        name: _short(given.get(name, "" if required(field) else value_text(default_of(field))))
        for name, field in fields_of(find(exhibit.spec)).items()
    }


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def solve_command(opened: Opened, given: Iterable[str] = ()) -> str:
    """What to type in a terminal to solve a game with these parameters."""
    asked = tuple(given) or opened.exhibit.given
    return shlex.join(["perfectplay", "solve", opened.exhibit.spec, *_options(asked)])


def _options(given: Iterable[str]) -> Iterator[str]:
    for each in given:
        yield from ("-p", each)


def job_name(opened: Opened) -> str:
    """The name of the work on a game: the game, and its parameters."""
    return str(opened.game)
