"""Many deals of one game: a verdict for each, on several threads; a file that is resumed."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfectplay.errors import NoSolverError, TableError
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game, first_positions, parameters
from perfectplay.rules.load import rules_path
from perfectplay.rules.search_capabilities import deal_parameter
from perfectplay.searching.one_player.fits import serves
from perfectplay.searching.one_player.greedy import AnyLine, known_way

if TYPE_CHECKING:
    from perfectplay.schemas.runs import DealJson

CHUNK = 5
"""Deals that a thread searches at a time."""
WAIT = 0.5
"""Seconds after which a face is told that the work goes on, though no deal is done."""
HEAD = "deal,verdict,moves,nodes"


@dataclass(frozen=True)
class DealVerdict:
    """What was found out about a deal."""

    deal: int
    verdict: str
    """solved, impossible, or unknown: there was no room for all positions."""
    moves: int | None
    """What the line that was found costs."""
    nodes: int

    @property
    def csv(self) -> str:
        """A row of the file."""
        moves = "" if self.moves is None else self.moves
        return f"{self.deal},{self.verdict},{moves},{self.nodes}"

    def as_json(self) -> DealJson:
        """The row as JSON-ready data."""
        return {
            "deal": self.deal, "verdict": self.verdict, "moves": self.moves, "nodes": self.nodes
        }  # fmt: skip


def search_each(
    game: Game, numbers: Sequence[int], *, size: int, seed: int | None = None, workers: int = 1,
    how: str = "greedy", progress: Progress | None = None,
) -> Iterator[DealVerdict]:  # fmt: skip
    """Search any line for each of many deals, in their order. Each of the threads takes `size`
    bytes, so that no verdict depends on how many there are."""
    name = deal_parameter(game)
    if name is None or not game.native or not serves(game):
        raise NoSolverError(
            f"{type(game).__name__} has no numbered deals that can be searched",
            "--each is for compiled rules of one player with the capability NumberedDeals",
        )
    known_way(how)
    told = progress or Silent()
    if not numbers:
        return
    told.start("deals", len(numbers))
    searcher = _Deals(game, name, size, seed, how)
    searcher.search(numbers[:1])  # compiles
    chunks = [numbers[i : i + CHUNK] for i in range(0, len(numbers), CHUNK)]
    pool = ThreadPoolExecutor(workers)
    try:
        begun = [pool.submit(searcher.search, chunk) for chunk in chunks]
        while begun:
            try:
                rows = begun[0].result(WAIT)
            except TimeoutError:
                told.advance(0)
                continue
            begun.pop(0)
            told.advance(len(rows))
            yield from rows
    finally:
        pool.shutdown(cancel_futures=True)
        told.finish()


class _Deals:
    """Searches deals, with arrays for each thread."""

    def __init__(self, game: Game, name: str, size: int, seed: int | None, how: str) -> None:
        self._game, self._name, self._size, self._seed = game, name, size, seed
        self._how = how
        self._own = threading.local()

    def search(self, numbers: Sequence[int]) -> list[DealVerdict]:
        """The verdicts of some deals."""
        return [self._verdict(number) for number in numbers]

    def _verdict(self, number: int) -> DealVerdict:
        from perfectplay.compiled.rule_types import compiled_alike

        own = self._own
        dealt = dataclasses.replace(self._game, **{self._name: number})  # type: ignore[type-var]
        if not hasattr(own, "known") or not compiled_alike(own.known, dealt):
            own.known = dealt
            own.search = AnyLine(
                NativeExpander(dealt), self._size, self._seed, lines=False, how=self._how
            )
        found = own.search.run(dealt, next(first_positions(dealt)), lambda nodes: "")
        if found.path is not None:
            return DealVerdict(number, "solved", found.cost, found.nodes)
        return DealVerdict(number, "unknown" if found.stopped else "impossible", None, found.nodes)


class DealFile:
    """Verdicts that are known, in a file if there is one: a line that says of what, a head, and a
    row for each deal, as they are found. What is cut off is searched again."""

    def __init__(self, file: Path | None, game: Game) -> None:
        self._file, self.known = file, dict[int, DealVerdict]()
        given = {k: v for k, v in parameters(game).items() if k != deal_parameter(game)}
        said = " ".join(f"{name}={value}" for name, value in given.items())
        self._first = f"# {rules_path(game)} {said}".rstrip()
        if file is not None:
            self._take_up(file)

    def _take_up(self, file: Path) -> None:
        """Read what is there, and leave only whole rows."""
        lines = file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []
        if lines and lines[0] != self._first:
            raise TableError(
                f"{file} has other deals: {lines[0]}", "name another file, or remove this one"
            )
        for line in lines[2:]:
            deal, verdict, moves, nodes = line.split(",")
            row = DealVerdict(int(deal), verdict, int(moves) if moves else None, int(nodes))
            self.known[row.deal] = row
        rows = [row.csv for row in self.known.values()]
        scratch = file.with_name(f"{file.name}.new")
        scratch.write_text("\n".join([self._first, HEAD, *rows, ""]), encoding="utf-8")
        scratch.replace(file)

    def add(self, row: DealVerdict) -> None:
        """Keep a verdict."""
        self.known[row.deal] = row
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(row.csv + "\n")
