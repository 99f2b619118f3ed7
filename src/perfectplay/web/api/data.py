"""The server's own JSON, /api/v1: games, positions and charts, as commands print them.

GamesmanUni is served by uwapi.py, clients of lichess's tablebase by tablebase.py."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query

from perfectplay.answer.faces.explain import explain
from perfectplay.answer.faces.match import replay
from perfectplay.answer.solution import LINE, Solution
from perfectplay.errors import TableError, UsageError
from perfectplay.games import catalogue
from perfectplay.rules.game import first_positions, parameters
from perfectplay.schemas.answers import ChartJson, EquationJson, LineJson, PositionJson
from perfectplay.schemas.reports import GamesJson
from perfectplay.schemas.server import ChancesJson, MovesJson, ShownGameJson
from perfectplay.web import words
from perfectplay.web.api.models import ERRORS, At, Limit, Moves, With, asked, shown
from perfectplay.web.collection import Collection
from perfectplay.web.page import first

Fix = Annotated[
    list[str] | None, Query(description="The value of an axis, `axis=value`; once for each.")
]
Show = Annotated[str, Query(description="What cells show: `move` or `value`.")]
V1 = "/api/v1"


def data_routes(app: FastAPI, collection: Collection) -> None:
    """Add the routes of /api/v1 to an application."""
    _games(app, collection)
    _positions(app, collection)

    @app.get(V1 + "/{key}/chart", responses=ERRORS, tags=["positions"])
    def chart(key: str, given: With = None, fix: Fix = None, show: Show = "") -> ChartJson:
        """What `chart --json` prints: best moves, values or thresholds by coordinates."""
        pairs = [each[:2000].partition("=") for each in fix or []]
        if not all(sign for _, sign, _ in pairs):
            raise UsageError("fix names an axis and a value", "fix=turn total=20")
        at = {name: value for name, _, value in pairs}
        return shown(solved(collection, key, given).chart(at=at, show=show).as_json())


def _games(app: FastAPI, collection: Collection) -> None:
    @app.get(V1 + "/games", tags=["games"])
    def games() -> GamesJson:
        """The games of this server."""
        listed = collection.exhibits.values()
        return {"games": [{"name": e.key, "summary": e.summary} for e in listed]}

    @app.get(V1 + "/{key}", responses=ERRORS, tags=["games"])
    def facts(key: str, given: With = None) -> ShownGameJson:
        """What a game is about, and its parameters."""
        opened = collection.open(key, asked(key, given).given)
        game, solution = opened.game, opened.solution
        found: ShownGameJson = {
            "name": key,
            "summary": opened.exhibit.summary,
            "about": catalogue.about(type(game)),
            "parameters": catalogue.parameters_of(type(game)),
            "given": parameters(game),
            "players": game.players,
            "start": game.text(next(first_positions(game))),
            "solved": solution is not None,
            "positions": solution.table.positions if solution else None,
            "values": words.unit(solution.facts) if solution else "",
        }
        return shown(found)


def _positions(app: FastAPI, collection: Collection) -> None:
    def at_line(key: str, given: list[str] | None, at: str, line: str) -> tuple[Solution, Any]:
        """The solution of a game, and the position that is asked about."""
        solution = solved(collection, key, given)
        state = asked(key, given, at, line)
        return solution, replay(solution, first(solution, state), state.line)[-1].position

    @app.get(V1 + "/{key}/position", responses=ERRORS, tags=["positions"])
    def position(
        key: str, at: At = "", given: With = None, line: Moves = "", limit: Limit = LINE
    ) -> PositionJson:
        """What `probe --json` prints: all that is known about a position."""
        solution, p = at_line(key, given, at, line)
        return shown(solution.analyse(p, limit).as_json())

    @app.get(V1 + "/{key}/moves", responses=ERRORS, tags=["positions"])
    def moves(key: str, at: At = "", given: With = None, line: Moves = "") -> MovesJson:
        """The moves of a position, best first."""
        solution, p = at_line(key, given, at, line)
        found = [move.as_json() for move in solution.moves(p)]
        listed: MovesJson = {"position": solution.game.text(p), "moves": found}
        return shown(listed)

    @app.get(V1 + "/{key}/chances", responses=ERRORS, tags=["positions"])
    def chances(key: str, at: At = "", given: With = None, line: Moves = "") -> ChancesJson:
        """What can happen at a position where chance acts."""
        solution, p = at_line(key, given, at, line)
        found = [chance.as_json() for chance in solution.chances(p)]
        listed: ChancesJson = {"position": solution.game.text(p), "chances": found}
        return shown(listed)

    @app.get(V1 + "/{key}/line", responses=ERRORS, tags=["positions"])
    def best_line(
        key: str, at: At = "", given: With = None, line: Moves = "", limit: Limit = 100
    ) -> LineJson:
        """Best play from a position on."""
        solution, p = at_line(key, given, at, line)
        return shown(solution.line(p, limit).as_json())

    @app.get(V1 + "/{key}/explain", responses=ERRORS, tags=["positions"])
    def equation(key: str, at: At = "", given: With = None, line: Moves = "") -> EquationJson:
        """What `explain --json` prints: the equation of a position with its numbers."""
        solution, p = at_line(key, given, at, line)
        return shown(explain(solution, p).as_json())


def solved(collection: Collection, key: str, given: list[str] | None) -> Solution:
    """The solution of a game; TableError if there is none yet."""
    opened = collection.open(key, asked(key, given).given)
    if opened.solution is None:
        raise TableError(f"{key} is not solved yet", "solve it first, on its page")
    return opened.solution
