"""Pages that ask more about a game: the chart of its strategy, and what if a parameter changed."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from perfectplay.errors import TableError, UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.game import parameters
from perfectplay.web.charting import chart_page
from perfectplay.web.collection import Collection
from perfectplay.web.comparing import compare, form, in_fractions, versus_of, wanted
from perfectplay.web.guard import Guard
from perfectplay.web.state import State, from_query

Rendered = Callable[..., Response]
Query = dict[str, list[str]]


def questions(app: FastAPI, collection: Collection, guard: Guard, rendered: Rendered) -> None:
    """Add these pages to an application; `rendered` makes a page from a template."""

    @app.get("/g/{key}/chart", response_class=HTMLResponse)
    def chart(request: Request, key: str) -> Response:
        query, state = _asked(request, key)
        opened = collection.open(key, state.given)
        if opened.solution is None:
            raise TableError(f"{key} is not solved yet", "solve it first, on its page")
        shown = None if state.hidden else chart_page(opened.solution, state, query)
        return rendered(
            "chart.html", title=f"{key}: chart", state=state, key=key, chart=shown,
            settable=opened.exhibit.solution is None and bool(parameters(opened.game)),
        )  # fmt: skip

    @app.get("/g/{key}/what-if")
    def what_if(request: Request, key: str) -> Response:
        """The form's fields, written as the address of a comparison."""
        query, state = _asked(request, key)
        sent = parse_qs(request.url.query, keep_blank_values=True, max_num_fields=200)
        opened = collection.open(key, versus_of(query) or state.given)
        return RedirectResponse(_address(state, wanted(opened.game, sent)), 303)

    @app.get("/g/{key}/compare", response_class=HTMLResponse)
    def comparison(request: Request, key: str) -> Response:
        query, state = _asked(request, key)
        versus = versus_of(query)
        if collection.exhibit(key).solution is not None:
            raise UsageError("a table has its own parameters", "name the game instead of a table")
        shown = compare(collection, state, versus) if versus else None
        game = collection.open(key, versus or state.given).game
        return rendered(
            "compare.html", title=f"{key}: what if", state=state, key=key, fields=form(game),
            shown=shown, token=guard.token, here=_address(state, versus), versus=versus,
            charted=isinstance(game, Charted),
        )  # fmt: skip

    @app.post("/g/{key}/compare/{do}")
    async def work(request: Request, key: str, do: str) -> Response:
        """Begin or cancel the work on one of the two games."""
        sent = parse_qs((await request.body())[:10_000].decode(errors="replace"))
        if not guard.allows(sent.get("token", [""])[0]):
            words = {
                "message": "this form is not from a page of this server",
                "hint": "reload the page",
            }
            return rendered("error.html", 403, title="Sorry", **words)
        query, state = _asked(request, key)
        versus = versus_of(query)
        both = [collection.open(key, given) for given in (state.given, versus)]
        opened, other = both if sent.get("which") == ["with"] else both[::-1]
        job = collection.job(opened)
        if do == "solve":
            collection.begin(opened, exact=in_fractions(other.solution))
        elif do == "cancel" and job is not None:
            job.cancel()
        return RedirectResponse(_address(state, versus), 303)


def _asked(request: Request, key: str) -> tuple[Query, State]:
    query = parse_qs(request.url.query, max_num_fields=200)
    return query, from_query(key, query)


def _address(state: State, versus: tuple[str, ...]) -> str:
    """The address of a comparison: both games, and the position."""
    named = [("with", each) for each in state.given]
    named += [("versus", each) for each in versus]
    named += [("at", state.at)] if state.at else []
    asked = f"?{urlencode(named)}" if named else ""
    return f"/g/{quote(state.game, safe='')}/compare{asked}"
