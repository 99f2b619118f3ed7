"""Progress: how long work tells a face how far it is. `Silent` tells nobody."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """What a face offers to long work. Stages follow each other: expand, solve, write, verify …"""

    def start(self, stage: str, total: int | None = None) -> None:
        """A stage begins; `total` is the number of positions in it, if known."""

    def advance(self, positions: int) -> None:
        """So many more positions are done in the present stage."""

    def finish(self) -> None:
        """The last stage has ended."""


class Silent:
    """Progress that nobody watches."""

    def start(self, stage: str, total: int | None = None) -> None:
        return

    def advance(self, positions: int) -> None:
        return

    def finish(self) -> None:
        return
