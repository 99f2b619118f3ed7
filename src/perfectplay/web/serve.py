"""The server at work: a port on this machine, a browser if there is one, until Ctrl-C."""

from __future__ import annotations

import gc
import ipaddress
import socket
import sys
import threading
import webbrowser

import uvicorn

from perfectplay.errors import UsageError
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection
from perfectplay.web.guard import LOOPBACK, Guard

HOST = "127.0.0.1"
BACKLOG = 128


def serve(
    collection: Collection,
    port: int,
    *,
    open_page: bool,
    host: str = HOST,
    token: str | None = None,
) -> None:
    """Serve a collection until it is stopped: on loopback, or with a token at another address of
    this machine."""
    guard = guard_for(host, token)
    with listening(host, port) as door:
        address = printed_address(guard, host, door.getsockname()[1], _first(collection))
        sys.stderr.write(f"perfectplay is at {address} (Ctrl-C stops it)\n")
        sys.stderr.flush()
        if open_page:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        app = make_app(collection, guard)
        settings = uvicorn.Config(app, log_level="warning", access_log=False)
        _settle(collection)
        try:
            uvicorn.Server(settings).run(sockets=[door])
        finally:
            collection.jobs.stop()


def guard_for(host: str, token: str | None) -> Guard:
    """The guard of a server at this address: everybody else needs the token."""
    if is_loopback(host):
        return Guard(LOOPBACK | {host.lower()}, locked=token is not None, token=token)
    own = {socket.gethostname().lower(), host.lower()}
    return Guard(LOOPBACK | own, locked=True, token=token, any_address=_is_wildcard(host))


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def printed_address(guard: Guard, host: str, port: int, path: str) -> str:
    """The address to open, with the token where one is needed."""
    name = socket.gethostname() if _is_wildcard(host) else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}{path}{f'?token={guard.token}' if guard.locked else ''}"


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there, so that nobody who hears of the address is turned away."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise UsageError(
            f"{host!r} is no address: {error.strerror}", "an address of this machine: 0.0.0.0"
        ) from None
    door = socket.socket(family, kind)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind(place)
        door.listen(BACKLOG)
    except OSError as error:
        door.close()
        raise UsageError(
            f"port {port} of {host} cannot be used: {error.strerror}",
            "--port 0 takes one that is free; --host must be an address of this machine",
        ) from None
    return door


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _settle(collection: Collection) -> None:
    """Open the game, if there is only one, or begin to solve it where there is no table; and leave
    what is loaded by now out of the search for garbage, which would hold up some page for a tenth
    of a second."""
    if len(collection.exhibits) == 1:
        opened = collection.open(next(iter(collection.exhibits)))
        if opened.solution is None:
            collection.begin(opened)
    gc.collect()
    gc.freeze()


def _first(collection: Collection) -> str:
    """The page to begin with: the game itself, if there is only one."""
    keys = list(collection.exhibits)
    return f"/g/{keys[0]}/" if len(keys) == 1 else "/"
