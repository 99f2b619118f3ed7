#!/usr/bin/env python3
"""Builds wheel and sdist of the present commit, and tries them outside of the checkout.

    script/release.py https://github.com/OWNER/perfectplay [--out dist] [--python 3.11 3.12 3.13]
    script/release.py --try dist/perfectplay-0.2.0-py3-none-any.whl [--lowest] [--python python3]

The address is where the sources are published: links of the README become absolute, and the
package gets its project URLs from it. Each try makes a virtual environment, installs the file, and
solves, verifies, exports and explores there; its size is shown. `--lowest` installs the lowest
versions of the dependencies that pyproject.toml allows.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)\s]+)\)")
CHECKOUT = re.compile(r"^From a checkout,.*?```sh\n.*?```\n\n", re.M | re.S)
"""What the README says to those who have one."""
HOP = '''from dataclasses import dataclass

from perfectplay import Game


@dataclass(frozen=True)
class Hop(Game):
    """Take 1 or 2 of `heap`; who cannot take loses."""

    heap: int = 7

    def start(self):
        return self.heap

    def moves(self, p):
        return range(1, min(2, p) + 1)

    def play(self, p, m):
        return p - m
'''
STEPS = [
    (["--version"], "perfectplay "),
    (["solve", "pig"], "0.530592725273747"),
    (["verify", "pig"], "960,993 positions verified"),
    (["solve", "hop.py"], "win in 5 plies"),
    (["check", "hop.py"], "nothing wrong"),
    (["export", "hop.py", "--to", "hop.parquet"], "8 positions"),
    (["explore", "hop.py", "--out", "hop.html"], ""),
    (["certificate", "hop.py", "--verify"], "every outcome and depth follows"),
]
"""Commands of a stranger, and what they must print."""


def main() -> None:
    """Build, or try what was built."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("home", nargs="?", help="address of the published sources")
    asked.add_argument("--out", type=Path, default=TOP / "dist")
    asked.add_argument("--try", dest="tried", type=Path, nargs="*", default=[])
    asked.add_argument("--python", nargs="*", default=[sys.executable])
    asked.add_argument("--lowest", action="store_true")
    given = asked.parse_args()
    files = given.tried
    if not files:
        if not given.home or not given.home.startswith("https://"):
            asked.error("say where the sources are published: https://…")
        files = build(given.home.rstrip("/"), given.out)
    for file in files:
        for python in given.python:
            attempt(file.resolve(), python, lowest=given.lowest)


def build(home: str, out: Path) -> list[Path]:
    """Wheel and sdist of the present commit."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        packed = subprocess.run(
            ["git", "archive", "HEAD"], cwd=TOP, check=True, capture_output=True
        )
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(tree, filter="data")
        tag = f"v{tomllib.loads((tree / 'pyproject.toml').read_text())['project']['version']}"
        readme = tree / "README.md"
        page = absolute(as_installed(readme.read_text(encoding="utf-8")), home, tag)
        readme.write_text(page, encoding="utf-8")
        urls = f"""
[project.urls]
Homepage = "{home}"
Documentation = "{home}/blob/{tag}/docs/index.md"
Changelog = "{home}/blob/{tag}/CHANGELOG.md"
Issues = "{home}/issues"
"""
        with (tree / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(urls)
        out.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "build", "--outdir", str(out), str(tree)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    version = tag.removeprefix("v")
    found = [
        out / f"perfectplay-{version}-py3-none-any.whl",
        out / f"perfectplay-{version}.tar.gz",
    ]
    refuse_relative(found[0])
    for each in found:
        print(f"{each.name}: {each.stat().st_size / 1e6:.2f} MB")
    return found


def absolute(text: str, home: str, tag: str) -> str:
    """A page whose links and pictures are those of the published sources."""

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{found[2]}]({home}/{kind}/{tag}/{found[3]})"

    return LINK.sub(whole, text)


def as_installed(text: str) -> str:
    """The README for people who install a package and have no checkout."""
    text = CHECKOUT.sub("", text).replace("script/run ", "perfectplay ")
    text = text.replace("`pip install .`", "`pip install perfectplay`")
    return text.replace("'.[web]'", "'perfectplay[web]'")


def refuse_relative(wheel: Path) -> None:
    """Fail if the page that people see has links that lead nowhere, or commands of a checkout."""
    with zipfile.ZipFile(wheel) as packed:
        name = next(each for each in packed.namelist() if each.endswith("/METADATA"))
        page = packed.read(name).decode()
    left = [found[0] for found in LINK.finditer(page)]
    left += re.findall(r"script/\w+|pip install \.", page)
    if left:
        sys.exit(f"links or commands that lead nowhere are left: {left}")


def attempt(file: Path, python: str, *, lowest: bool) -> None:
    """Install a file in an environment of its own, and do there what a stranger does."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        subprocess.run([python, "-m", "venv", place / "venv"], check=True)
        bin_ = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        pip = [bin_ / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, f"{file}[web]", *(lowest_versions() if lowest else [])], check=True)
        size = sum(each.stat().st_size for each in (place / "venv").rglob("*") if each.is_file())
        work = place / "work"
        work.mkdir()
        (work / "hop.py").write_text(HOP, encoding="utf-8")
        env = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        env |= {"PERFECTPLAY_CACHE": str(place / "cache"), "PERFECTPLAY_TABLES": "tables"}
        for words, says in STEPS:
            done = subprocess.run(
                [bin_ / "perfectplay", *words], cwd=work, env=env, capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            if done.returncode or says not in done.stdout + done.stderr:
                sys.exit(f"{file.name}, {python}: {words}\n{done.stdout}{done.stderr}")
        version = subprocess.run(
            [bin_ / "python", "--version"], check=True, capture_output=True, text=True
        ).stdout.strip()
        which = ", lowest versions" if lowest else ""
        print(f"{file.name}: {version}{which}: all right; environment {size / 1e6:,.0f} MB")
        shutil.rmtree(place / "venv")


def lowest_versions() -> list[str]:
    """The dependencies at the lowest versions that are allowed."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = project["optional-dependencies"]["web"]
    found = []
    for each in [*project["dependencies"], *extra]:
        name, _, rest = each.partition(">=")
        version = rest.partition(",")[0]
        found.append(f"{name}=={version}.*" if version.count(".") < 2 else f"{name}=={version}")
    return found


if __name__ == "__main__":
    main()
