"""The server: pages and JSON, all by GET but what begins or stops work."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.rules.game import first_positions
from perfectplay.web import board, render
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
from perfectplay.web.collection import Collection, Opened, shown_parameters, solve_command
from perfectplay.web.guard import HEADERS, Doorkeeper, Guard
from perfectplay.web.page import advanced
from perfectplay.web.questions import questions
from perfectplay.web.state import State, from_query

STATIC = {
    "style.css": "text/css", "explorer.js": "text/javascript", "htmx.min.js": "text/javascript",
}  # fmt: skip
"""Files that are served, and no others."""


def make_app(collection: Collection, guard: Guard | None = None) -> FastAPI:
    """The application for a collection of games."""
    guard = guard or Guard()
    app = FastAPI(
        title="perfectplay", docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json"
    )
    app.add_middleware(Doorkeeper, guard=guard)
    _errors(app)
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


def _errors(app: FastAPI) -> None:
    """What a user did wrong is said on a page, or as JSON."""

    @app.exception_handler(PerfectPlayError)
    async def refused(request: Request, error: PerfectPlayError) -> Response:
        status = status_of(error)
        if wants_json(request):
            return refusal(status, error.message, error.hint)
        return rendered(
            "error.html", status, message=error.message, hint=error.hint, title="Sorry"
        )

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
            response = rendered("error.html", 500, title="Sorry", **words)
        response.headers.update(HEADERS)  # this one is sent from outside of the doorkeeper
        return response

    @app.exception_handler(404)
    async def missing(request: Request, error: Exception) -> Response:
        del error
        words = {"message": f"there is no page {request.url.path[:80]!r}", "hint": ""}
        if wants_json(request):
            return refusal(404, words["message"])
        return rendered("error.html", 404, title="Sorry", **words)


def _state(request: Request, key: str) -> State:
    return from_query(key, parse_qs(request.url.query, max_num_fields=200))


# -- Pages. ---------------------------------------------------------------------------------------


def _pages(app: FastAPI, collection: Collection, guard: Guard) -> None:
    @app.get("/", response_class=HTMLResponse)
    def front() -> Response:
        listed = [
            (
                each,
                len(render.published(each.spec)),
                quote(each.key, safe=""),
                shown_parameters(each),
            )
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
        job=collection.job(opened), found=opened.found, token=guard.token,
        command=solve_command(opened, state.given),
        figures=render.published(opened.exhibit.spec)[: render.MOST_FIGURES],
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
