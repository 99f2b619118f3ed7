"""What all routes that answer with JSON share: types as models, parameters, errors.

The types of `schemas` are given to pydantic with the texts below their fields, so that OpenAPI
describes every field in the words of docs/json.md."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, cast

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import ConfigDict, with_config

from perfectplay.errors import PerfectPlayError, TableError, UsageError
from perfectplay.schemas import answers, reports, runs, server
from perfectplay.schemas.plain import finite
from perfectplay.schemas.server import ErrorJson
from perfectplay.web.state import LONGEST_TEXT, State, from_query

PREFIXES = ("/api/", "/uwapi/", "/standard")
"""Addresses below which all answers are JSON, errors too."""

for _module in (answers, reports, runs, server):
    for _each in list(vars(_module).values()):
        if hasattr(_each, "__required_keys__"):
            with_config(ConfigDict(use_attribute_docstrings=True))(_each)

Shown = TypeVar("Shown")

At = Annotated[
    str,
    Query(max_length=LONGEST_TEXT, description="A position, as text; else the first one."),
]
With = Annotated[
    list[str] | None,
    Query(alias="with", description="A parameter of the rules, `name=value`; once for each."),
]
Moves = Annotated[
    str,
    Query(
        alias="line",
        description="Moves that are made from there on: numbers in the order of the rules, with "
        "dots between, `0.3.1`; where chance acts, numbers of events.",
    ),
]
Limit = Annotated[int, Query(ge=0, le=200, description="So many steps of the line, at most.")]

ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorJson, "description": "No such game, parameter, position or move."},
    409: {"model": ErrorJson, "description": "The game is not solved yet."},
    422: {"model": ErrorJson, "description": "The rules, or a parameter, do not allow it."},
}


def asked(key: str, given: list[str] | None, at: str = "", line: str = "") -> State:
    """What an address asks for; UsageError if it is too long, or makes no sense."""
    return from_query(key, {"with": given or [], "at": [at], "line": [line]})


def shown(data: Shown) -> Shown:
    """Data as it can be sent."""
    return cast("Shown", finite(data))


def wants_json(request: Request) -> bool:
    """Whether an address answers with JSON, also if something is wrong."""
    return request.url.path.startswith(PREFIXES)


def status_of(error: PerfectPlayError) -> int:
    """The status of HTTP that fits an error."""
    return 404 if isinstance(error, UsageError) else 409 if isinstance(error, TableError) else 422


def refusal(status: int, error: str, hint: str = "") -> JSONResponse:
    """An error as JSON."""
    body: ErrorJson = {"error": error, "hint": hint}
    return JSONResponse(body, status)


def only_json_described(app: FastAPI) -> None:
    """Leave pages out of OpenAPI: they are for people."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            route.include_in_schema = route.path.startswith(PREFIXES)


def json_errors(app: FastAPI) -> None:
    """Errors that no page can have: parameters that FastAPI itself refuses."""

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        name = str(first["loc"][-1])
        status = 400 if request.url.path == "/standard" else 422
        return refusal(status, f"{name}: {str(first['msg'])[:1].lower()}{str(first['msg'])[1:]}")

    @app.exception_handler(405)
    async def wrong_method(request: Request, error: Exception) -> JSONResponse:
        del error
        return refusal(405, f"{request.method} is not allowed here")
