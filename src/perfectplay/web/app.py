"""The server: pages and JSON, all by GET but what begins or stops work."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from perfectplay import __version__
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.rules.game import first_positions
from perfectplay.web import board, front_page, render
from perfectplay.web.about import about
from perfectplay.web.api.data import data_routes
from perfectplay.web.api.models import (
    json_errors,
    only_json_described,
    refusal,
    status_of,
    wants_json,
)
from perfectplay.web.api.tablebase import tablebase_routes
from perfectplay.web.api.uwapi import uwapi_routes
from perfectplay.web.collection import Collection, Opened, solve_command
from perfectplay.web.guard import HEADERS, Doorkeeper, Guard
from perfectplay.web.page import advanced
from perfectplay.web.questions import questions
from perfectplay.web.state import State, from_query
from perfectplay.web.words import settings

STATIC = {
    "style.css": "text/css", "explorer.js": "text/javascript", "htmx.min.js": "text/javascript",
}  # fmt: skip
"""Files that are served, and no others."""
LONGEST_FIND = 100
"""Characters of what the list of games is searched for."""


def make_app(collection: Collection, guard: Guard | None = None) -> FastAPI:
    """The application for a collection of games."""
    guard = guard or Guard()
    app = FastAPI(
        title="perfectplay", version=__version__, docs_url=None, redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )  # fmt: skip
    app.add_middleware(Doorkeeper, guard=guard)
    _errors(app, collection)
    _pages(app, collection, guard)
    questions(app, collection, guard, rendered)
    _work(app, collection, guard)
    data_routes(app, collection)
    uwapi_routes(app, collection)
    tablebase_routes(app, collection)
    json_errors(app)
    only_json_described(app)
    return app


# -- What all pages share. ------------------------------------------------------------------------


def rendered(name: str, status: int = 200, **words: Any) -> HTMLResponse:
    """A page from its template."""
    return HTMLResponse(render.rendered(name, **words), status)


def _errors(app: FastAPI, collection: Collection) -> None:
    """What a user did wrong is said on a page, with a way back to the game, or as JSON."""

    def page(request: Request, status: int, message: str, hint: str = "") -> Response:
        named = re.match(r"/g/([^/]+)/", request.url.path)
        key = named[1] if named and named[1] in collection.exhibits else ""
        return rendered(
            "error.html", status, title="Sorry", message=message, hint=hint, game=key,
            address=quote(key, safe=""),
        )  # fmt: skip

    @app.exception_handler(PerfectPlayError)
    async def refused(request: Request, error: PerfectPlayError) -> Response:
        status = status_of(error)
        if wants_json(request):
            return refusal(status, error.message, error.hint)
        return page(request, status, error.message, error.hint)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        what = f"{type(error).__name__}: {error}"
        words = {
            "message": f"the rules failed: {what}",
            "hint": "perfectplay check looks for what is wrong",
        }
        if wants_json(request):
            response: Response = refusal(500, words["message"], words["hint"])
        else:
            response = page(request, 500, **words)
        response.headers.update(HEADERS)  # this one is sent from outside of the doorkeeper
        return response

    @app.exception_handler(404)
    async def missing(request: Request, error: Exception) -> Response:
        del error
        message = f"there is no page {request.url.path[:80]!r}"
        return refusal(404, message) if wants_json(request) else page(request, 404, message)


def _state(request: Request, key: str) -> State:
    return from_query(key, parse_qs(request.url.query, max_num_fields=200))


# -- Pages. ---------------------------------------------------------------------------------------


def _pages(app: FastAPI, collection: Collection, guard: Guard) -> None:
    @app.get("/", response_class=HTMLResponse)
    def front(find: str = "") -> Response:
        games = front_page.families(collection, find)
        return rendered(
            "front.html", title="All games", families=games, find=find[:LONGEST_FIND],
            searched=len(collection.exhibits) >= front_page.FEWEST_SEARCHED,
        )  # fmt: skip

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC:
            raise UsageError(f"there is no file {name[:80]!r}")
        body = (resources.files("perfectplay.web") / "static" / name).read_bytes()
        return Response(body, media_type=STATIC[name], headers={"Cache-Control": "max-age=3600"})

    @app.get("/picture/{key}.svg")
    def picture(key: str) -> Response:
        game = collection.rules(key)
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
        return HTMLResponse(render.position(collection, opened, state))

    @app.get("/g/{key}")
    def without_slash(key: str) -> Response:
        return RedirectResponse(f"/g/{quote(key, safe='')}/", 307)


def _unsolved(collection: Collection, opened: Opened, state: State, guard: Guard) -> Response:
    """The page of a game that has no table: solve it, or say how far that is."""
    game = opened.game
    drawing, _ = board.board(game, next(first_positions(game)), state, clickable=False)
    return rendered(
        "unsolved.html", title=opened.exhibit.key, board=drawing, state=state, game=game,
        job=collection.job(opened), found=opened.found, trouble=opened.trouble, token=guard.token,
        command=solve_command(opened, state.given), about=about(opened.exhibit.spec, game),
        parameters=settings(opened.parameters),
        figures=render.published(opened.exhibit.spec),
    )  # fmt: skip


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
