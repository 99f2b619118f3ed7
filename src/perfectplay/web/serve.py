"""The server at work: a port on this machine, a browser if there is one, until Ctrl-C."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser

import uvicorn

from perfectplay.errors import UsageError
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection

HOST = "127.0.0.1"


def serve(collection: Collection, port: int, *, open_page: bool) -> None:
    """Serve a collection on loopback until it is stopped."""
    with _listening(port) as door:
        address = f"http://{HOST}:{door.getsockname()[1]}{_first(collection)}"
        sys.stderr.write(f"perfectplay is at {address} (Ctrl-C stops it)\n")
        sys.stderr.flush()
        if open_page:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        settings = uvicorn.Config(make_app(collection), log_level="warning", access_log=False)
        try:
            uvicorn.Server(settings).run(sockets=[door])
        finally:
            collection.jobs.stop()


def _listening(port: int) -> socket.socket:
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port))
    except OSError as error:
        door.close()
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}", "--port 0 takes one that is free"
        ) from None
    return door


def _first(collection: Collection) -> str:
    """The page to begin with: the game itself, if there is only one."""
    keys = list(collection.exhibits)
    return f"/g/{keys[0]}/" if len(keys) == 1 else "/"
