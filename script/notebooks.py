"""The example notebooks: run them, and compare what they print with what is saved in them.

python script/notebooks.py            compare
python script/notebooks.py --renew    save the outputs of this run
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "examples"
KINDS = ("text/plain", "text/html", "image/svg+xml")
"""What is saved of an output; not the state of a widget, whose name is another each time."""
SECONDS = 300


def executed(file: Path) -> Any:
    """The notebook with the outputs of a fresh run, in an empty folder."""
    notebook = nbformat.read(file, as_version=4)
    with TemporaryDirectory(prefix="perfectplay-") as folder:
        client = NotebookClient(
            notebook, timeout=SECONDS, resources={"metadata": {"path": folder}},
            record_timing=False, store_widget_state=False,
        )  # fmt: skip
        client.execute()
    return tidy(notebook)


def tidy(notebook: Any) -> Any:
    """Without what differs from run to run, or from machine to machine."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.data = {kind: output.data[kind] for kind in KINDS if kind in output.data}
                output.metadata = {}
    return notebook


def texts(notebook: Any) -> list[str]:
    """What every cell prints, numbers to nine digits: the last ones depend on the processor."""
    found = []
    for cell in notebook.cells:
        shown = [
            each.get("text") or each.get("data", {}).get("text/plain", "")
            for each in cell.get("outputs", ())
        ]
        found.append(_settled("\n".join(shown)))
    return found


def _settled(text: str) -> str:
    text = re.sub(r" ± [\d.e-]+", "", text)
    text = re.sub(r"\d+\.\d{10,}", lambda number: f"{float(number[0]):.9g}", text)
    return re.sub(r" +", " ", text)


def main(arguments: list[str]) -> int:
    """Compare all notebooks, or renew them."""
    wrong = 0
    for file in sorted(FOLDER.glob("*.ipynb")):
        saved, found = nbformat.read(file, as_version=4), executed(file)
        if "--renew" in arguments:
            nbformat.write(found, file)
        same = texts(saved) == texts(found)
        wrong += not same and "--renew" not in arguments
        print(f"{file.name}: {'as saved' if same else 'other outputs'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
