"""The server: pages and JSON, all by GET but what begins or stops work."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from perfectplay.answer.faces.explain import explain
from perfectplay.errors import PerfectPlayError, TableError, UsageError
from perfectplay.rules.game import first_positions
from perfectplay.verification.reproduce import figures
from perfectplay.web import board
from perfectplay.web.collection import Collection, Opened
from perfectplay.web.guard import HEADERS, Doorkeeper, Guard
from perfectplay.web.page import advanced, first, page
from perfectplay.web.state import State, from_query

STATIC = {
    "style.css": "text/css", "explorer.js": "text/javascript", "htmx.min.js": "text/javascript",
}  # fmt: skip
"""Files that are served, and no others."""
MOST_FIGURES = 12


def make_app(collection: Collection, guard: Guard | None = None) -> FastAPI:
    """The application for a collection of games."""
    guard = guard or Guard()
    app = FastAPI(
        title="perfectplay", docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json"
    )
    app.add_middleware(Doorkeeper, guard=guard)
    _errors(app)
    _pages(app, collection, guard)
    _work(app, collection, guard)
    _data(app, collection)
    return app


# -- What all pages share. ------------------------------------------------------------------------


@cache
def _templates() -> Environment:
    loader = PackageLoader("perfectplay.web", "templates")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        auto_reload=False,
    )  # fmt: skip


def rendered(name: str, status: int = 200, **words: Any) -> HTMLResponse:
    """A page from its template."""
    return HTMLResponse(_templates().get_template(name).render(**words), status)


def _errors(app: FastAPI) -> None:
    """What a user did wrong is said on a page, or as JSON."""

    @app.exception_handler(PerfectPlayError)
    async def refused(request: Request, error: PerfectPlayError) -> Response:
        status = (
            404 if isinstance(error, UsageError) else 409 if isinstance(error, TableError) else 422
        )
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": error.message, "hint": error.hint}, status)
        return rendered(
            "error.html", status, message=error.message, hint=error.hint, title="Sorry"
        )

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        del request
        what = f"{type(error).__name__}: {error}"
        words = {
            "message": f"the rules failed: {what}",
            "hint": "perfectplay check looks for what is wrong",
        }
        response = rendered("error.html", 500, title="Sorry", **words)
        response.headers.update(HEADERS)  # this one is sent from outside of the doorkeeper
        return response

    @app.exception_handler(404)
    async def missing(request: Request, error: Exception) -> Response:
        del error
        words = {"message": f"there is no page {request.url.path[:80]!r}", "hint": ""}
        return rendered("error.html", 404, title="Sorry", **words)


def _state(request: Request, key: str) -> State:
    return from_query(key, parse_qs(request.url.query, max_num_fields=200))


# -- Pages. ---------------------------------------------------------------------------------------


def _pages(app: FastAPI, collection: Collection, guard: Guard) -> None:
    @app.get("/", response_class=HTMLResponse)
    def front() -> Response:
        listed = [
            (each, len(_figures(each.spec)), quote(each.key, safe=""))
            for each in collection.exhibits.values()
        ]
        return rendered("front.html", title="All games", games=listed)

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC:
            raise UsageError(f"there is no file {name[:80]!r}")
        body = (resources.files("perfectplay.web") / "static" / name).read_bytes()
        return Response(body, media_type=STATIC[name], headers={"Cache-Control": "max-age=3600"})

    @app.get("/picture/{key}.svg")
    def picture(key: str) -> Response:
        game = collection.open(key).game
        drawing, _ = board.board(game, next(first_positions(game)), State(key), clickable=False)
        return Response(str(drawing), media_type="image/svg+xml")

    @app.get("/g/{key}/", response_class=HTMLResponse)
    def game(request: Request, key: str) -> Response:
        state = _state(request, key)
        opened = collection.open(key, state.given)
        if opened.solution is None:
            return _unsolved(collection, opened, state, guard)
        moved = advanced(collection, opened, state)
        if moved != state:
            return RedirectResponse(moved.url(), 303)
        shown = page(collection, opened, state)
        rows = _figures(opened.exhibit.spec)[:MOST_FIGURES]
        return rendered("game.html", title=shown.title, page=shown, state=state, figures=rows)

    @app.get("/g/{key}")
    def without_slash(key: str) -> Response:
        return RedirectResponse(f"/g/{quote(key, safe='')}/", 307)


def _unsolved(collection: Collection, opened: Opened, state: State, guard: Guard) -> Response:
    """The page of a game that has no table: solve it, or say how far that is."""
    game = opened.game
    drawing, _ = board.board(game, next(first_positions(game)), state, clickable=False)
    return rendered(
        "unsolved.html", title=opened.exhibit.key, board=drawing, state=state, game=game,
        job=collection.job(opened), found=opened.found, token=guard.token,
        figures=_figures(opened.exhibit.spec)[:MOST_FIGURES],
    )  # fmt: skip


@cache
def _all_figures() -> list[Any]:
    return figures()


def _figures(spec: str) -> list[Any]:
    """What was published about a game, and from where."""
    return [row for row in _all_figures() if row.game == spec]


# -- Work. ----------------------------------------------------------------------------------------


def _work(app: FastAPI, collection: Collection, guard: Guard) -> None:
    async def asked(request: Request, key: str, do: Callable[[Opened], Any]) -> Response:
        form = parse_qs((await request.body())[:10_000].decode(errors="replace"))
        if not guard.allows(form.get("token", [""])[0]):
            words = {
                "message": "this form is not from a page of this server",
                "hint": "reload the page",
            }
            return rendered("error.html", 403, title="Sorry", **words)
        state = _state(request, key)
        do(collection.open(key, state.given))
        return RedirectResponse(state.url(), 303)

    @app.post("/g/{key}/solve")
    async def begin(request: Request, key: str) -> Response:
        return await asked(request, key, collection.begin)

    @app.post("/g/{key}/cancel")
    async def cancel(request: Request, key: str) -> Response:
        def stop(opened: Opened) -> None:
            job = collection.job(opened)
            if job is not None:
                job.cancel()

        return await asked(request, key, stop)


# -- Data. ----------------------------------------------------------------------------------------


def _data(app: FastAPI, collection: Collection) -> None:
    def solved(request: Request, key: str) -> tuple[Opened, State]:
        state = _state(request, key)
        opened = collection.open(key, state.given)
        if opened.solution is None:
            raise TableError(f"{key} is not solved yet", "solve it first, on its page")
        return opened, state

    @app.get("/api/v1/games")
    def games() -> dict[str, Any]:
        listed = [{"name": e.key, "summary": e.summary} for e in collection.exhibits.values()]
        return {"games": listed}

    @app.get("/api/v1/{key}/position")
    def position(request: Request, key: str) -> dict[str, Any]:
        opened, state = solved(request, key)
        assert opened.solution is not None
        found: dict[str, Any] = opened.solution.analyse(first(opened.solution, state)).as_json()
        return found

    @app.get("/api/v1/{key}/explain")
    def equation(request: Request, key: str) -> dict[str, Any]:
        opened, state = solved(request, key)
        assert opened.solution is not None
        return explain(opened.solution, first(opened.solution, state)).as_json()
