"""The example notebooks run, and print what is saved in them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

SCRIPT = Path(__file__).parents[1] / "script" / "notebooks.py"
FILES = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))
# A library below the kernel's client warns of its own event loop and of unencrypted loopback.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def notebooks() -> Any:
    """The script that renews them."""
    spec = importlib.util.spec_from_file_location("notebooks", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_three() -> None:
    assert [file.stem for file in FILES] == ["einstein_placements", "own_game", "pig"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_outputs_are_saved_and_name_no_machine(file: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert sum(bool(cell.outputs) for cell in code) >= len(code) - 1, (
        "the rules alone print nothing"
    )
    assert not any(out.output_type == "error" for cell in code for out in cell.outputs)
    words = file.read_text(encoding="utf-8")
    assert not re.search(r"/(home|tmp|root|work|Users)/|0x[0-9a-f]{6}|\bseconds\b", words)
    assert any("image/svg+xml" in out.get("data", {}) for cell in code for out in cell.outputs)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.stem, marks=() if file.stem == "own_game" else pytest.mark.slow)
        for file in FILES
    ],
)
def test_a_run_prints_what_is_saved(file: Path, notebooks: Any) -> None:
    saved = nbformat.read(file, as_version=4)
    assert notebooks.texts(notebooks.executed(file)) == notebooks.texts(saved)


def test_a_kernel_answers_a_click() -> None:
    """What a front end sends when a link is clicked, and what it gets, in a kernel of its own."""
    manager, client = start_new_kernel()
    try:
        client.execute(CELL)
        opened = heard(client, lambda said: said["msg_type"] == "comm_open" and state(said))
        number = opened["content"]["comm_id"]
        click = {"method": "update", "state": {"address": "/g/nim/?line=0"}, "buffer_paths": []}
        client.shell_channel.send(
            client.session.msg("comm_msg", {"comm_id": number, "data": click})
        )
        answer = heard(client, lambda said: said["msg_type"] == "comm_msg" and state(said))
        assert answer["content"]["comm_id"] == number
        assert "0 2 2" in state(answer)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


CELL = """
from perfectplay import load, solve
nim = solve(load("nim", ["heaps=1,2,2"]), plain=True)
nim.explore()
"""


def state(said: dict[str, Any]) -> str:
    """The page that a message carries, if any."""
    found = said["content"].get("data", {}).get("state", {})
    return str(found.get("fragment", ""))


def heard(client: Any, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    while True:
        said: dict[str, Any] = client.get_iopub_msg(timeout=120)
        assert said["msg_type"] != "error", said["content"]
        if wanted(said):
            return said


def test_numbers_are_compared_to_nine_digits(notebooks: Any) -> None:
    cell = {"outputs": [{"text": "0.546150844166788 ± 6e-15 to player 1, 115,493 positions"}]}
    assert notebooks.texts(SimpleNamespace(cells=[cell])) == [
        "0.546150844 to player 1, 115,493 positions"
    ]
