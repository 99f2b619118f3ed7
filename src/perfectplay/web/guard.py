"""What a server on a person's own machine must refuse: other names for it (DNS rebinding), forms
of other sites, requests without the token once it can be reached from outside, more work at a time
than it can do, and work that takes too long."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from html import escape
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from perfectplay.errors import UsageError

PRINTED = "open the address that the server printed"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SHORTEST_TOKEN = 16
MOST_AT_WORK = 24
"""So many requests are answered at a time; others are told to come again."""
DEADLINE = 20.0
"""Seconds after which a request is given up."""


class Guard:
    """Decides which requests are answered."""

    def __init__(
        self,
        hosts: Iterable[str] = LOOPBACK,
        *,
        locked: bool = False,
        token: str | None = None,
        any_address: bool = False,
    ) -> None:
        """`locked`: reading needs the token too, since the server is not on loopback alone.
        `any_address`: addresses in digits are names for this server, whatever they are."""
        if token is not None:
            _refuse_weak(token)
        self.token = token or secrets.token_urlsafe(24)
        self.locked = locked
        self._hosts = frozenset(hosts)
        self._any_address = any_address
        # Browsers send a cookie to all ports of a host: each server has its own.
        self.cookie = "perfectplay-" + hashlib.sha256(self.token.encode()).hexdigest()[:8]

    def answer(self, request: Request) -> Response | None:
        """What a request gets instead of a page; None if it may have one."""
        host = _host(request.headers.get("host", ""))
        if host not in self._hosts and not (self._any_address and _is_address(host)):
            said = f"this server does not answer for {host[:80]!r}"
            return refused(request, 400, said, PRINTED)
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return refused(request, 403, "requests of other sites are refused", PRINTED)
        return self._unlocked(request) if self.locked else None

    def _unlocked(self, request: Request) -> Response | None:
        """The token in an address is taken out of it, and from then on the browser keeps it."""
        given = request.query_params.get("token")
        if request.method == "GET" and given is not None and self.allows(given):
            pairs = parse_qsl(request.url.query, keep_blank_values=True)
            left = urlencode([(name, value) for name, value in pairs if name != "token"])
            path = request.url.path
            response = RedirectResponse("/" + path.lstrip("/") + (f"?{left}" if left else ""), 303)
            response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
            return response
        if self.allows(request.cookies.get(self.cookie)):
            return None
        return refused(request, 401, "this server is locked", PRINTED)

    def allows(self, token: str | None) -> bool:
        """Whether this is the token of this server; what changes something must bring it."""
        return hmac.compare_digest((token or "").encode(), self.token.encode())


class Doorkeeper:
    """Stands before the application: asks the guard, counts who is inside, and looks at the
    clock."""

    def __init__(
        self,
        app: ASGIApp,
        guard: Guard,
        most: int = MOST_AT_WORK,
        deadline: float = DEADLINE,
    ) -> None:
        self._app, self._guard = app, guard
        self._most, self._deadline = most, deadline
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send)
        request = Request(scope)
        instead = self._guard.answer(request)
        if instead is None and self._at_work >= self._most:
            status = HTTPStatus.TOO_MANY_REQUESTS
            instead = refused(request, status, "busy", "try again in a moment", 1)
        if instead is not None:
            await instead(scope, receive, reply.send)
            return
        await self._answered(scope, receive, reply)

    async def _answered(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        """Let the application answer. What it has begun after the deadline is not waited for, but
        counts as work until it ends: threads cannot be stopped."""
        self._at_work += 1
        work = asyncio.ensure_future(self._app(scope, receive, reply.send))
        work.add_done_callback(self._left)
        waiting = asyncio.ensure_future(reply.begun.wait())
        await asyncio.wait(
            {work, waiting}, timeout=self._deadline, return_when=asyncio.FIRST_COMPLETED
        )
        waiting.cancel()
        if reply.begun.is_set() or work.done():
            await work
            return
        status, hint = HTTPStatus.SERVICE_UNAVAILABLE, "ask for less, or in a terminal"
        late = refused(Request(scope), status, "this takes too long: given up", hint, 60)
        await late(scope, receive, reply.send_last)

    def _left(self, work: asyncio.Future[None]) -> None:
        self._at_work -= 1
        if not work.cancelled():
            work.exception()  # a late one is nobody's any more


class _Reply:
    """The way back to the client, which says that an answer has begun and adds the headers."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._closed = False
        self.begun = asyncio.Event()

    async def send(self, message: Message) -> None:
        if self._closed:
            return
        if message["type"] == "http.response.start":
            self.begun.set()
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    async def send_last(self, message: Message) -> None:
        """Send, while whatever else is sent is dropped."""
        self._closed = False
        await self.send(message)
        self._closed = True


def _refuse_weak(token: str) -> None:
    """UsageError unless a token is long, and can stand in an address and in a cookie."""
    hint = f"give at least {SHORTEST_TOKEN} characters, or leave --token out: one is made"
    if len(token) < SHORTEST_TOKEN:
        raise UsageError(f"a token of {len(token)} characters can be guessed", hint)
    if not re.fullmatch(r"[\w.~-]+", token, re.ASCII):
        raise UsageError("a token has letters, digits and -._~ only", hint)


def refused(
    request: Request, status: int, message: str, hint: str, seconds: int | None = None
) -> Response:
    """A refusal: a page for browsers, which loads nothing, since that would be refused as well;
    for programs two lines."""
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    if "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(f"{message}\n{hint}\n", status, headers)
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Sorry · perfectplay</title>'
        f"<main><h1>That does not work</h1><p>{escape(message)}</p><p>{escape(hint)}</p></main>"
    )
    return HTMLResponse(page, status, headers)


def _host(netloc: str) -> str:
    """The host of an address without its port."""
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
