"""A page to take away: a solved game in one HTML file that needs no server and no network.

The file holds the explorer's style, two scripts, and the data of page_table.py as JSON, deflated,
in base64, which the browser unpacks. Its content policy names the scripts and the style by their
digests and allows nothing else. Same table, same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from perfectplay import __version__
from perfectplay.answer.solution import Solution
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.progress import Progress, Silent, size
from perfectplay.rules.game import parameters
from perfectplay.rules.parameters import value_text
from perfectplay.web.about import AboutGame, paragraph
from perfectplay.web.offline.page_table import SMALLER, page_table
from perfectplay.web.words import settings

LARGEST = 30_000_000
"""Bytes of the largest page."""
LONGEST_DATA = 400_000_000
"""Characters of the data once a browser has unpacked them; no browser has longer texts."""
STYLES = ("style.css", "takeaway.css")
SCRIPTS = ("explorer.js", "takeaway.js")
_DATA = re.compile(r'<script id="data" type="text/plain">([^<]*)</script>')


def takeaway(
    solution: Solution,
    game: AboutGame,
    positions: dict[Any, int] | None = None,
    progress: Progress | None = None,
) -> bytes:
    """The page of a solved game; TooLargeError if it is none that can be sent around. `positions`
    are those of `page_table.reachable`, if they are known."""
    progress = progress or Silent()
    given = {name: value_text(value) for name, value in parameters(solution.game).items()}
    about = {**asdict(game), "parameters": given, "signature": solution.table.signature}
    data = {**about, **page_table(solution, positions, progress)}
    progress.start("pack")
    page = html(data)
    if len(page) > LARGEST:
        raise TooLargeError(
            f"the page would have {size(len(page))} for {len(data['positions']):,} positions: at "
            f"most {size(LARGEST)}",
            SMALLER,
        )
    return page


def html(data: Mapping[str, Any]) -> bytes:
    """The page for these data."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if len(text) > LONGEST_DATA:
        raise TooLargeError(
            f"the page would have {size(len(text))} of data: at most {size(LONGEST_DATA)}", SMALLER
        )
    packed = zlib.compress(text.encode(), 9)
    style = "".join(map(_static, STYLES))
    scripts = [_static(name) for name in SCRIPTS]
    digests = " ".join(map(_digest, scripts))
    policy = (
        f"default-src 'none'; script-src {digests}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    given = " · ".join(settings(data["parameters"]))
    words = {
        "title": data["title"],
        "summary": data["summary"],
        "parameters": given,
        "count": f"{len(data['positions']):,} position{'s' * (len(data['positions']) != 1)}",
        "sure": data["sure"],
        "signature": data["signature"],
        "version": __version__,
    }
    page = Template(_read("templates", "takeaway.html")).substitute(
        {name: escape(each) for name, each in words.items()},
        policy=policy,
        rules=_rules(data["rules"]),
        style=style,
        scripts="\n".join(f'<script type="module">{each}</script>' for each in scripts),
        data=base64.b64encode(packed).decode(),
    )
    return page.encode()


def unpacked(page: bytes) -> dict[str, Any]:
    """The data in a page; UsageError if it is none of ours."""
    found = _DATA.search(page.decode(errors="replace"))
    if found is None:
        raise UsageError("there is no game in this page", "perfectplay explore GAME --out FILE")
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


def write(page: bytes, file: Path) -> None:
    """Write a page; a file that is there is replaced only once all of it is written."""
    handle, name = _beside(file)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(page)
            stream.flush()
            os.fsync(stream.fileno())
        name.replace(file.resolve())
    except BaseException:
        name.unlink(missing_ok=True)
        raise


def refuse(file: Path) -> None:
    """UsageError unless a page can be written there: asked before the work, not after it."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder", "name a file, such as game.html")
    if file.exists() and not file.is_file():
        raise UsageError(f"{file} is no file that can be replaced", "such as game.html")
    handle, name = _beside(file)
    os.close(handle)
    name.unlink()


def _beside(file: Path) -> tuple[int, Path]:
    """A new file in the folder of another, open for writing, and its name."""
    name = file.resolve().with_name(f".{file.name[:60]}-{secrets.token_hex(6)}.tmp")
    try:
        return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), name
    except OSError as error:
        raise UsageError(
            f"cannot write {file}: {error.strerror}", "choose another folder, or make it first"
        ) from None


def _rules(paragraphs: Iterable[str]) -> str:
    """The rules as a section of the page; nothing if there are none."""
    written = "".join(map(paragraph, paragraphs))
    return f'<section class="wide"><h2>Rules</h2>{written}</section>' if written else ""


def _static(name: str) -> str:
    return _read("static", name)


def _read(folder: str, name: str) -> str:
    return (resources.files("perfectplay.web") / folder / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
