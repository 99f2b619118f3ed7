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
from pygments.formatters import HtmlFormatter
from release import as_installed

import perfectplay

CSS = """.codehilite { background: #f8f8f8 }
.wy-nav-content { max-width: 900px }
.doc-signature .codehilite { margin: 0 }
"""
TOP = Path(__file__).resolve().parent.parent
OUTSIDE = ("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")
CHAPTERS = {
    "Begin": "index tutorial writing-games testing-games capabilities overview",
    "Ask and look": (
        "explorer notebook answers search puzzles policies sweeps study charts export interop"
    ),
    "From rules to answers": (
        "rules positions strata values tables exactness cycles turns simultaneous perfect-index "
        "labelled-pieces out-of-core"
    ),
    "Games": (
        "games chance cant-stop chess checkers placements matrix-games mathematical-games "
        "partizan heaps"
    ),
    "Reference": "cli api json glossary reproduce papers reliability",
    "Development": "design adding-a-game CONTRIBUTING next CHANGELOG LICENSE",
}
"""The pages, by chapter; what is in none comes last."""


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
        names = {page.stem for page in pages.glob("*.md")}
        config.write_text(configuration(names), encoding="utf-8")
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
    readme = as_installed((TOP / "README.md").read_text(encoding="utf-8"))
    (pages / "index.md").write_text(readme, encoding="utf-8")
    for page in pages.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(relinked(text, page.name), encoding="utf-8")
    (pages / "api.md").write_text(reference(), encoding="utf-8")
    style = HtmlFormatter(style="friendly").get_style_defs(".codehilite")
    (pages / "codes.css").write_text(f"{style}\n{CSS}", encoding="utf-8")


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
        lines += [f"::: {home}.{name}", ""]
    return "\n".join(lines)


def chapters(names: set[str]) -> str:
    """The table of contents, as MkDocs takes it."""
    found = {title: pages.split() for title, pages in CHAPTERS.items()}
    rest = sorted(names - {name for pages in found.values() for name in pages})
    lines = ["nav:"]
    for title, pages in [*found.items(), ("More", rest)]:
        if pages:
            lines += [f"  - {title}:", *(f"    - {name}.md" for name in pages)]
    return "\n".join(lines)


def configuration(names: set[str]) -> str:
    """What MkDocs must know; the site asks no other server for anything."""
    return f"""site_name: perfectplay {perfectplay.__version__}
use_directory_urls: true
{chapters(names)}
theme:
  name: readthedocs
  highlightjs: false
extra_css: [codes.css]
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
            show_root_heading: true
            show_root_full_path: false
            separate_signature: true
            show_labels: false
            show_source: false
            show_signature_annotations: true
            docstring_style: null
            members_order: source
            heading_level: 2
markdown_extensions:
  - tables
  - fenced_code
  - codehilite:
      guess_lang: false
  - toc:
      permalink: true
"""


if __name__ == "__main__":
    main()
