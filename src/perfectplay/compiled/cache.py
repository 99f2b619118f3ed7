"""Cache: the folder of what can be made again, and files that are written all or nothing.

Compiled code is run as it is found there, so nobody else may write to the folder."""

import contextlib
import os
import stat
import threading
from collections.abc import Iterable
from pathlib import Path

from perfectplay.errors import UsageError

ROOT = 0
"""The user who can write anywhere: what they have put there need not be refused."""


def cache_folder() -> Path:
    """Where compiled code is kept: PERFECTPLAY_CACHE, or the user's cache folder. It is made for
    its owner alone; UsageError if it is somebody else's, or others can write to it."""
    home = os.environ.get("PERFECTPLAY_CACHE")
    if home:
        folder = Path(home)
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("perfectplay", appauthor=False)
    with contextlib.suppress(OSError):  # whoever writes to it goes on without
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        _refuse_shared(folder, folder.stat())
    return folder


def _refuse_shared(folder: Path, found: os.stat_result) -> None:
    """UsageError if others could have put compiled code into the folder."""
    if not hasattr(os, "getuid"):  # Windows keeps the folders of users apart by itself
        return
    whose = ""
    if found.st_uid not in (os.getuid(), ROOT):
        whose = "belongs to another user"
    elif found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        whose = "can be written to by other users"
    if whose:
        raise UsageError(
            f"{folder}, the cache of compiled code, {whose}",
            "compiled code is run as it is found: remove the folder, which is made again, or set "
            "PERFECTPLAY_CACHE to one of your own",
        )


def put(file: Path, data: bytes) -> None:
    """Write a file of the cache, so that nobody ever sees a part of it."""
    put_pieces(file, [data])


def put_pieces(file: Path, pieces: Iterable[bytes]) -> None:
    """The same, piece by piece."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    scratch = file.with_name(f"{file.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with scratch.open("wb") as out:
            for piece in pieces:
                out.write(piece)
        scratch.replace(file)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
