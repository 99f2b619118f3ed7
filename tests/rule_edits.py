"""Kinds of edits of rules, from rule_edits.txt: files before and after."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

FRAME = """from dataclasses import dataclass
from perfectplay import Game

{before}
@dataclass(frozen=True)
class Hop(Game):
    heap: int = 20
{members}
    def start(self):
        return self.heap

    def moves(self, p):
        for take in range(1, min(p, {most}) + 1):
            yield take

    def play(self, p, take):
        return p - take
"""


@dataclass(frozen=True)
class Edit:
    """One kind of edit: files and variables, with marks «before|after»."""

    name: str
    files: dict[str, str]
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        return self.name.endswith("(refused)")

    @property
    def folder(self) -> str:
        return re.sub(r"\W+", "-", self.name)

    def write(self, top: Path, *, after: bool) -> Path:
        """Write all files below `top`; the file of the rules."""
        for name, text in self.files.items():
            file = top / self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(chosen(text, after=after))
        return top / self.folder / "rules.py"

    def variables(self, *, after: bool) -> dict[str, str]:
        return {name: chosen(text, after=after) for name, text in self.environment.items()}


def chosen(text: str, *, after: bool) -> str:
    return re.sub("«([^|»]*)\\|([^»]*)»", r"\2" if after else r"\1", text)


def read() -> list[Edit]:
    text = (Path(__file__).parent / "rule_edits.txt").read_text(encoding="utf-8")
    return [_edit(each) for each in text.split("\n== ")[1:]]


def _edit(text: str) -> Edit:
    name, _, rest = text.partition("\n")
    before, *sections = re.split(r"^-- ", rest, flags=re.MULTILINE)
    found = {head.strip(): body for head, _, body in (each.partition("\n") for each in sections)}
    members, most = found.pop("class", ""), found.pop("most", None)
    environment = dict(line.split("=") for line in found.pop("environment", "").split())
    if most is not None:
        whole = FRAME.format(before=before.strip(), members=members.rstrip(), most=most.strip())
        found["rules.py"] = whole
    elif "rules.py" not in found:
        head = "from dataclasses import dataclass\nfrom perfectplay import Game\n"
        found["rules.py"] = head + textwrap.dedent(before)
    return Edit(name.strip(), found, environment)
