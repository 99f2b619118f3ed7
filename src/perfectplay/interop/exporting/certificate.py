"""A certificate of a solved game: what was solved, by which rules, and who verified what.

It says nothing that others cannot find out by themselves: the digests and the signature are those
that `solve` and `verify` arrive at anew.
"""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfectplay import __version__
from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.rules.parameters import value_text
from perfectplay.strata.sealed_files import MANIFEST, solve_command
from perfectplay.table.reader import Table

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.progress import Progress
    from perfectplay.schemas.reports import CertificateJson


@dataclass(frozen=True)
class Certificate(Rich):
    """What a paper can cite."""

    game: str
    parameters: dict[str, str]
    rules: str
    """The digest of the rules."""
    positions: int
    strata: int
    methods: dict[str, int]
    """How many positions each method solved."""
    start: str
    values: tuple[str, ...]
    """What the first position is worth to each player."""
    signature: str
    manifest: str
    """SHA-256 of the manifest, which has those of all parts."""
    solve: str
    """The command that comes to the same table."""
    verified: str
    """What was derived anew by whom; empty if nothing was."""

    def display(self) -> Display:
        """The certificate, fact by fact."""
        return Display(f"certificate of {self.game}", ("fact", ""), self.rows())

    def rows(self) -> list[tuple[str, str]]:
        """The facts with their names."""
        given = ", ".join(f"{name}={x}" for name, x in self.parameters.items())
        methods = ", ".join(f"{name} ({count:,})" for name, count in self.methods.items())
        return [
            ("game", f"{self.game} ({given})" if given else self.game),
            ("rules", self.rules),
            ("positions", f"{self.positions:,}"),
            ("strata", f"{self.strata:,}"),
            ("solved by", methods),
            ("start", self.start),
            *((f"value {i + 1}", value) for i, value in enumerate(self.values)),
            ("signature", self.signature),
            ("manifest", f"SHA-256 {self.manifest}"),
            ("solve again", self.solve),
            ("verified", self.verified or "not by this certificate"),
        ]

    def __str__(self) -> str:
        wide = max(len(name) for name, _ in self.rows())
        return "\n".join(f"{name:{wide}}  {fact}" for name, fact in self.rows())

    def as_json(self) -> CertificateJson:
        """The same as JSON-ready data."""
        return {
            "game": self.game,
            "parameters": self.parameters,
            "rules": self.rules,
            "positions": self.positions,
            "strata": self.strata,
            "methods": self.methods,
            "start": self.start,
            "values": list(self.values),
            "signature": self.signature,
            "manifest": self.manifest,
            "solve": self.solve,
            "verified": self.verified,
        }


def certificate(
    solution: Solution, *, verify: bool = False, progress: Progress | None = None
) -> Certificate:
    """The certificate of a table in a folder; every byte of it is compared with its hashes, and
    with `verify` every value is derived anew."""
    table = solution.table
    if not isinstance(table, Table):
        raise UsageError("only a table in a folder has a certificate", "solve into a folder")
    verified = ""
    if verify:
        from perfectplay.verification.verify import verify as run

        found = run(table, solution.game, progress)
        verified = (
            f"{found.rows:,} positions by perfectplay {__version__}, Python "
            f"{platform.python_version()}, {platform.machine()}: {found.kind}"
        )
    else:
        table.check()
    header = table.header
    return Certificate(
        game=header["game"],
        parameters={name: value_text(x) for name, x in header["parameters"].items()},
        rules=header["rules"],
        positions=table.rows,
        strata=int(table.extra["strata"]),
        methods=dict(table.extra["methods"]),
        start=solution.game.text(solution.start),
        values=tuple(map(str, solution.values(solution.start))),
        signature=table.signature,
        manifest=hashlib.sha256((table.folder / MANIFEST).read_bytes()).hexdigest(),
        solve=solve_command(header, table.folder),
        verified=verified,
    )
