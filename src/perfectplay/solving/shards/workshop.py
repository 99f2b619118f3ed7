"""What a worker keeps of a run between two tasks: the rules, and the shards it has looked at."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from perfectplay.compiled.digest import rules_digest
from perfectplay.errors import UsageError
from perfectplay.positions.batch import Expander
from perfectplay.positions.expand import expander
from perfectplay.rules.game import Game
from perfectplay.rules.load import load
from perfectplay.solvers.chance.policy import try_moves
from perfectplay.solvers.work import Options
from perfectplay.solving.shards.row_solver import RowSolver
from perfectplay.solving.shards.shard_edges import ShardEdges, ShardedValues
from perfectplay.solving.shards.shard_keys import keys_of
from perfectplay.strata.graph import Facts

JOB = "job.json"
KNOWN = "known.json"


def versions() -> dict[str, str]:
    """What must be the same for all workers of a run."""
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: version(name) for name in ("perfectplay", "numba", "numpy")},
        "byte order": sys.byteorder,
    }


class Workshop:
    """One run, as its workers know it."""

    def __init__(self, folder: Path, job: dict[str, Any], rules: Expander) -> None:
        self.folder, self.rules = folder, rules
        self.native = bool(rules.width)
        self.keys = keys_of(rules)
        self.strata = ShardedValues(folder, self.keys)
        options = Options(exact=job["exact"], ties=job["ties"], method=job["method"])
        turns = rules.turn_patterns is not None
        self.options = replace(options, audit=try_moves) if turns else options

    @cached_property
    def known(self) -> dict[str, Any]:
        """What was found out of all positions."""
        return json.loads((self.folder / KNOWN).read_text())  # type: ignore[no-any-return]

    @cached_property
    def facts(self) -> Facts:
        """What is true of the game, once all positions are found."""
        return Facts(**{**self.known["facts"], "endless": float(self.known["facts"]["endless"])})

    @cached_property
    def edges(self) -> ShardEdges:
        """Where moves lead."""
        return ShardEdges(self.rules, self.keys, self.strata)

    @cached_property
    def solver(self) -> RowSolver:
        """What solves rows, once all positions are found."""
        return RowSolver(
            self.rules, self.edges, self.strata, self.options, self.facts, self.known["whole"]
        )


# -- In a process of its own. ---------------------------------------------------------------------

_shops: dict[tuple[str, str], Workshop] = {}
_lock = Lock()


def workshop(folder: Path, token: str) -> Workshop:
    """The run with this token in a folder, opened when the first task of it comes."""
    with _lock:
        found = _shops.get((str(folder), token))
        if found is None:
            found = _opened(folder, token)
            _shops.clear()  # a worker serves one run at a time
            _shops[str(folder), token] = found
        return found


def _opened(folder: Path, token: str) -> Workshop:
    try:
        job = json.loads((folder / JOB).read_text())
    except OSError as error:
        raise UsageError(
            f"a worker on {platform.node()} cannot read {folder / JOB}: {error.strerror}",
            "put the table into a folder that all workers see by the same path (--table)",
        ) from None
    if job["token"] != token:
        raise UsageError(
            f"a worker on {platform.node()} sees another run in {folder}",
            "put the table into a folder that all workers see by the same path (--table)",
        )
    mine = versions()
    for name, wanted in job["versions"].items():
        if mine[name] != wanted:
            raise UsageError(
                f"a worker on {platform.node()} has {name} {mine[name]}, this process {wanted}",
                "let all workers run in copies of one environment",
            )
    game = load_rules(folder, job)
    rules = expander(game, plain=job["plain"], steps=job["method"] != "auto")
    if rules.width:
        rules.expand(next(rules.start_batches())[0][:1])
    return Workshop(folder, job, rules)


def load_rules(folder: Path, job: dict[str, Any]) -> Game:
    """The rules of a run, compared with those of the process that began it."""
    game = load(job["rules"], job["parameters"])
    digest = rules_digest(game)
    if digest != job["digest"]:
        raise UsageError(
            f"the rules of {job['rules']} on {platform.node()} are others than in the process "
            "that began the run",
            "install the same version of the package that has the rules on all workers",
        )
    return game
