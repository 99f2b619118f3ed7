"""The fragment of a page, which a notebook shows, is what the server sends."""

from __future__ import annotations

import subprocess
import sys

from fastapi.testclient import TestClient

from perfectplay import load, solve
from perfectplay.web import render
from perfectplay.web.app import make_app
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.state import State


def test_a_fragment_is_the_main_part_of_the_page() -> None:
    solution = solve(load("nim", ["heaps=1,2"]), plain=True)
    collection = Collection(
        {"nim": Exhibit("nim", "nim", solution=solution)}, lambda spec, game: None
    )
    state = State("nim", line=(1,))
    app = TestClient(make_app(collection), base_url="http://127.0.0.1")
    page = app.get(state.url()).text
    found = render.position(collection, collection.open("nim"), state, render.FRAGMENT)
    inside = found.partition("<main>")[2].partition("</main>")[0]
    assert "<table" in inside
    assert inside in page
    assert "<script" not in found
    assert "<html" not in found


def test_rendering_needs_no_server() -> None:
    code = "import sys, perfectplay.web.render; print({'fastapi', 'uvicorn'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
