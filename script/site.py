#!/usr/bin/env python3
"""Builds the documentation as a site, with a reference of the Python API, into `--out`.

Pages are those of docs/, the README is the first one, and every public name of the package has an
entry made from its docstring. Any warning, such as a link that leads nowhere, is an error.
"""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import sys
import tempfile
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

import perfectplay

TOP = Path(__file__).resolve().parent.parent
OUTSIDE = ("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")
FIRST = ("README.md", "tutorial.md", "writing-games.md", "capabilities.md")


def main() -> None:
    """Put the pages together, and build."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--out", type=Path, default=TOP / "site")
    out = asked.parse_args().out.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        pages = Path(scratch) / "docs"
        collect(pages)
        config = Path(scratch) / "mkdocs.yml"
        config.write_text(configuration(), encoding="utf-8")
        build(load_config(str(config), docs_dir=str(pages), site_dir=str(out), strict=True))
    count = len(list(out.rglob("*.html")))
    if not (out / "api" / "index.html").exists():
        sys.exit("the reference is missing")
    print(f"{out}: {count} pages")


def collect(pages: Path) -> None:
    """Copy all pages to one folder, in which their links lead to each other."""
    shutil.copytree(TOP / "docs", pages, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (pages / "index.md").rename(pages / "overview.md")
    shutil.copytree(TOP / "examples", pages / "examples")
    for name in OUTSIDE:
        target = pages / (name if name.endswith(".md") else f"{name}.md")
        target.write_text((TOP / name).read_text(encoding="utf-8"), encoding="utf-8")
    (pages / "index.md").write_text((TOP / "README.md").read_text(encoding="utf-8"))
    for page in pages.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(relinked(text, page.name), encoding="utf-8")
    (pages / "api.md").write_text(reference(), encoding="utf-8")


def relinked(text: str, name: str) -> str:
    """A page whose links lead to pages of the site."""

    def target(found: re.Match[str]) -> str:
        link, mark, part = found[1].partition("#")
        link = link.removeprefix("../").removeprefix("docs/")
        if link == "index.md" and name != "index.md":
            link = "overview.md"
        link = {"README.md": "index.md", "LICENSE": "LICENSE.md"}.get(link, link)
        if name == "index.md" and link == "index.md":
            link = "overview.md"
        return f"]({link}{mark}{part})"

    text = re.sub(r"\[([^\]]*)\]\(\.\./(?:tests|src|script)[^)]*\)", r"\1", text)  # sources
    outside = re.compile(r"\]\((?!https?://|#|mailto:)([^)\s]+)\)")
    blocks = re.split(r"(```.*?```)", text, flags=re.S)
    return "".join(b if b.startswith("```") else outside.sub(target, b) for b in blocks)


def reference() -> str:
    """A page with an entry for every public name."""
    lines = ["# Python API", "", "All names of `perfectplay`, by alphabet.", ""]
    for name in perfectplay.__all__:
        found = getattr(perfectplay, name)
        home = getattr(found, "__module__", None)
        if home is None or not home.startswith("perfectplay."):  # a number
            home = perfectplay._LAZY[name]
        lines += [f"## {name}", "", f"::: {home}.{name}", ""]
    return "\n".join(lines)


def configuration() -> str:
    """What MkDocs must know."""
    return f"""site_name: perfectplay {perfectplay.__version__}
use_directory_urls: true
theme: readthedocs
validation:
  links:
    unrecognized_links: warn
    anchors: warn
plugins:
  - search
  - mkdocstrings:
      handlers:
        python:
          paths: [{TOP / "src"}]
          options:
            show_root_heading: false
            show_root_toc_entry: false
            show_source: false
            show_signature_annotations: true
            docstring_style: null
            members_order: source
            heading_level: 3
markdown_extensions:
  - tables
  - fenced_code
  - toc:
      permalink: true
"""


if __name__ == "__main__":
    main()
