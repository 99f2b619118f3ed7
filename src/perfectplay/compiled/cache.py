"""Cache: the folder of what can be made again, and files that are written all or nothing."""

import os
import threading
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled code is kept: PERFECTPLAY_CACHE, or the user's cache folder."""
    home = os.environ.get("PERFECTPLAY_CACHE")
    if home:
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "perfectplay"


def put(file: Path, data: bytes) -> None:
    """Write a file of the cache, so that nobody ever sees a part of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_name(f"{file.name}.{os.getpid()}.{threading.get_ident()}")
    scratch.write_bytes(data)
    scratch.replace(file)
