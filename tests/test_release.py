"""What is published: one version everywhere, links that lead somewhere, a site."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import yaml

import perfectplay

TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOP / "script" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_the_same_everywhere() -> None:
    version = perfectplay.__version__
    assert PROJECT["version"] == version
    assert yaml.safe_load((TOP / "CITATION.cff").read_text())["version"] == version
    changes = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.M)[1] == version  # type: ignore[index]


def test_no_link_of_the_published_page_is_relative() -> None:
    release = script("release")
    page = (TOP / "README.md").read_text(encoding="utf-8")
    assert release.LINK.search(page)
    made = release.absolute(release.as_installed(page), "https://example.org/perfectplay", "v1.0")
    assert "script/" not in made
    assert made.count("\n## ") == page.count("\n## ")
    assert "`pip install perfectplay`" in made
    assert not release.LINK.search(made)
    assert "](https://example.org/perfectplay/blob/v1.0/docs/tutorial.md)" in made
    assert "](https://example.org/perfectplay/raw/v1.0/docs/pictures/pig.svg)" in made


def test_every_dependency_has_a_lowest_version() -> None:
    lowest = script("release").lowest_versions()
    assert len(lowest) == len(PROJECT["dependencies"]) + len(
        PROJECT["optional-dependencies"]["web"]
    )
    assert all(re.fullmatch(r"[\w-]+==\d+(\.\d+)*(\.\*)?", each) for each in lowest)


def test_the_workflow_runs_what_is_here() -> None:
    workflow = yaml.safe_load((TOP / ".github" / "workflows" / "ci.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    for command in (step["run"] for step in steps if "run" in step):
        for name in re.findall(r"script/\S+", command):
            assert (TOP / name).exists(), name
    pythons = workflow["jobs"]["try"]["strategy"]["matrix"]["python"]
    told = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if ":: 3." in each]
    assert pythons == told


def test_the_site_has_an_entry_for_every_public_name(tmp_path: Path) -> None:
    command = [sys.executable, TOP / "script" / "site.py", "--out", tmp_path / "site"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
    for name in perfectplay.__all__:
        assert re.search(rf'<h2 id="perfectplay\.[^"]*\.{name}"', page), name
    assert (tmp_path / "site" / "tutorial" / "index.html").exists()
