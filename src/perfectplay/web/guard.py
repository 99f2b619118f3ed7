"""What a server on a person's own machine must refuse: other names for it (DNS rebinding), forms
of other sites, and requests without the token once it can be reached from outside."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

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
COOKIE = "perfectplay"


class Guard:
    """Looks at every request before anything else does."""

    def __init__(self, hosts: frozenset[str] = LOOPBACK, *, locked: bool = False) -> None:
        self.token = secrets.token_urlsafe(24)
        self._hosts = hosts
        self._locked = locked
        """Whether reading needs the token too: the server is not on loopback alone."""

    async def __call__(
        self, request: Request, go_on: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        refused = self._refused(request)
        response = refused or await go_on(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if self._locked and refused is None and self._given(request) == self.token:
            response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
        return response

    def _refused(self, request: Request) -> Response | None:
        host = _host(request.headers.get("host", ""))
        if host not in self._hosts:
            return PlainTextResponse(f"this server does not answer for {host[:80]!r}\n", 400)
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return PlainTextResponse("requests of other sites are refused\n", 403)
        if self._locked and not self._known(self._given(request) or request.cookies.get(COOKIE)):
            return PlainTextResponse("open the address that the server printed\n", 401)
        return None

    def _given(self, request: Request) -> str:
        return request.query_params.get("token", "")

    def _known(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self.token.encode())

    def allows(self, token: str | None) -> bool:
        """Whether a form may change something: it must bring the token of this server."""
        return self._known(token)


def _host(netloc: str) -> str:
    """The host of an address without its port."""
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""
