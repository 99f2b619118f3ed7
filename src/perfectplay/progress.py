"""Progress: how long work reports to a face how far it is; `Silent` ignores it."""

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


def size(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "RB", "QB"):
        if count < 1000 or unit == "QB":
            return (
                f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
            )
        count /= 1000
    return ""
