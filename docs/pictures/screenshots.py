"""Takes the screenshots of the explorer again: python docs/pictures/screenshots.py

It solves the games it shows in a folder that is thrown away, and needs the extra `dev` and
Debian's Chromium."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
GAMES = ("chess", "pig", "noughts-and-crosses")
SHOTS = {
    "explorer": ("/g/chess/?at=7k/8/5K2/8/8/8/8/6Q1 w", 1100, 700, "light"),
    "explorer-pig": ("/g/pig/?at=0-50, player 1, total 28", 1100, 620, "light"),
    "explorer-chart": ("/g/pig/chart", 1000, 760, "light"),
    "explorer-front": ("/", 1100, 760, "light"),
    "explorer-dark": ("/g/noughts-and-crosses/?line=4.0", 320, 900, "dark"),
}
"""By name of the file: address, width, height, colours."""


def main() -> None:
    """Serve, and take every picture."""
    command = [sys.executable, "-c", "from perfectplay.cli.main import main; main()"]
    with tempfile.TemporaryDirectory() as folder:
        given = {**os.environ, "PERFECTPLAY_TABLES": folder}
        for game in GAMES:
            subprocess.run([*command, "solve", game], check=True, env=given, capture_output=True)
        server = subprocess.Popen(
            [*command, "explore", "--no-open", "--port", "0"],
            env=given, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stderr is not None
            found = re.search(r"http://[\d.:]+", server.stderr.readline())
            assert found, "the server did not start"
            _take(found[0])
        finally:
            server.terminate()
            server.wait()


def _take(site: str) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, (path, wide, high, colours) in SHOTS.items():
            context = browser.new_context(
                viewport={"width": wide, "height": high}, color_scheme=colours
            )
            page = context.new_page()
            page.goto(site + path)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=HERE / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
