"""Random addresses of the explorer: pages, pictures, JSON for programs, and orders to solve.

Whatever is asked for, the answer must be a page or an error that says what is wrong, never status
500, and no word of the address may stand on a page as it came, since a browser would read it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from urllib.parse import quote

import input_words as words

SHOWN = ("piglet", "small", "nim", "star", "hanoi", "toads", "chess")
"""The tables that are shown."""
SCRIPT = "<script>alert(1)</script>"
PAGES = (
    "/g/{}/", "/g/{}", "/g/{}/chart", "/g/{}/compare", "/g/{}/tree", "/g/{}/table",
    "/picture/{}.svg", "/api/v1/{}", "/api/v1/{}/position", "/api/v1/{}/moves",
    "/api/v1/{}/chances", "/api/v1/{}/line", "/api/v1/{}/explain", "/api/v1/{}/chart",
    "/api/v1/games", "/uwapi/", "/uwapi/{}/", "/uwapi/{}/regular/", "/uwapi/{}/regular/positions/",
    "/uwapi/{}/regular/instructions/", "/", "/tablebase/{}", "/tablebase", "/standard",
    "/static/style.css", "/static/{}", "/api/v1/openapi.json", "/g/{}/solve", "/g/{}/cancel",
)  # fmt: skip
FIELDS = (
    "with", "at", "line", "ply", "or", "seed", "play", "hide", "click", "ask", "find", "p", "fen",
    "position", "policy", "depth", "limit", "values", "over", "fix", "slice", "to", "token",
)  # fmt: skip


def draw_address(rng: random.Random) -> tuple[str, str]:
    """A method of HTTP and an address."""
    key = rng.choice(SHOWN) if rng.random() < 0.9 else words.junk(rng)
    page = rng.choice(PAGES[:13]) if rng.random() < 0.6 else rng.choice(PAGES)
    path = page.format(quote(key, safe="", errors="replace"))
    if rng.random() < 0.1:
        path = "/" + quote(words.mutated(rng, path[1:]), safe="/%", errors="replace")
    asked = [
        f"{name}={quote(_value(rng, name, key), safe='', errors='replace')}"
        for name in rng.choices(FIELDS, k=rng.choice((0, 1, 1, 2, 3, 6)))
    ]
    method = "POST" if page.endswith(("solve", "cancel")) or rng.random() < 0.03 else "GET"
    return method, path + ("?" + "&".join(asked) if asked else "")


def _value(rng: random.Random, name: str, key: str) -> str:
    if rng.random() < 0.15:
        return rng.choice((SCRIPT, words.junk(rng)))
    texts = words.POSITIONS.get(key, ("", "0"))
    dotted = ".".join(str(rng.choice((0, 0, 1, 2, 9))) for _ in range(rng.randint(0, 9)))
    text = rng.choice(texts)
    samples: dict[str, tuple[str, ...]] = {
        "at": (text, words.mutated(rng, text)),
        "fen": (words.mutated(rng, rng.choice(words.FENS)),),
        "line": (dotted,),
        "with": ("goal=4", words.mutated(rng, "heaps=1,2"), "discs=3", "exact=1"),
        "play": ("person,perfect", "perfect", "random,person", "weak,weak", "x"),
        "click": (f"{rng.randint(-9, 300)}_{rng.randint(-9, 300)}",),
        "ask": ("strata", "tree", "x"),
    }
    samples |= {"p": samples["at"], "position": samples["at"], "or": samples["line"]}
    return rng.choice(samples.get(name, (words.number(rng),)))


def client(folder: Path) -> Any:
    """The explorer of the tables below a folder."""
    from fastapi.testclient import TestClient

    from perfectplay import Solution
    from perfectplay.web.app import make_app
    from perfectplay.web.collection import Collection, Exhibit

    exhibits = {
        key: Exhibit(key, key, f"about {key}", solution=Solution.open(folder / key))
        for key in SHOWN
    }
    collection = Collection(exhibits, lambda spec, game: None)
    app = make_app(collection)
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)


def wrong_answer(answer: Any) -> str:
    """What is wrong with an answer; empty if nothing is."""
    if answer.status_code >= 500 and answer.status_code != 503:
        return f"status {answer.status_code} ({answer.text[-300:]})"
    if SCRIPT in answer.text and "html" in answer.headers.get("content-type", ""):
        return "a script of the address stands on the page"
    if "Traceback (most recent" in answer.text:
        return "a traceback on the page"
    return ""
