"""Games as files of other systems, by the suffix: what needs no solved table."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import TableError, UsageError
from perfectplay.interop.exporting.export import refuse_existing
from perfectplay.interop.model import Model, model_of
from perfectplay.interop.nfg import write_matrix
from perfectplay.interop.prism import properties, write_prism
from perfectplay.interop.trees import write_efg, write_nfg
from perfectplay.interop.umb import write_umb
from perfectplay.positions.explained import explained
from perfectplay.rules.game import Game
from perfectplay.solvers.matrix.nash import NamedMatrix

if TYPE_CHECKING:
    from perfectplay.schemas.reports import ModelJson

SUFFIXES = (".prism", ".umb", ".efg", ".nfg")


@dataclass(frozen=True)
class GameFile(Rich):
    """A game that was written for another system."""

    file: Path
    properties: tuple[str, ...]
    """What to ask a model checker, in PRISM's words."""
    meaning: str
    """What the answers mean."""

    def display(self) -> Display:
        """The file, what to ask and what it means."""
        rows = [*(("ask", each) for each in self.properties), ("meaning", self.meaning)]
        return Display(f"written: {self.file}", (), rows if self.meaning else [])

    def as_json(self) -> ModelJson:
        """The same as JSON-ready data."""
        return {
            "file": str(self.file),
            "properties": list(self.properties),
            "meaning": self.meaning,
        }


@explained
def write_game(game: Game | NamedMatrix, to: str | Path) -> GameFile:
    """Write a game for a model checker (.prism, .umb) or for Gambit (.efg, .nfg; a matrix .nfg
    only)."""
    file = Path(to)
    if file.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{file}: no game is written so", f"suffixes: {', '.join(SUFFIXES)}")
    refuse_existing(file)
    scratch = file.with_name(f".{file.stem[:60]}-{secrets.token_hex(6)}{file.suffix.lower()}")
    try:
        model = _write(game, scratch)
        refuse_existing(file)
        scratch.rename(file)
    except OSError as error:
        raise TableError(
            f"cannot write {file}: {error.strerror or error}", "choose another folder"
        ) from None
    finally:
        scratch.unlink(missing_ok=True)
    if model is None:
        return GameFile(file, (), "")
    return GameFile(file, tuple(properties(model)), model.meaning)


def _write(game: Game | NamedMatrix, file: Path) -> Model | None:
    if isinstance(game, NamedMatrix):
        if file.suffix != ".nfg":
            raise UsageError("a matrix is written as .nfg", "name a file that ends so")
        write_matrix(game, file)
    elif file.suffix == ".efg":
        write_efg(game, file)
    elif file.suffix == ".nfg":
        write_nfg(game, file)
    else:
        model = model_of(game)
        (write_prism if file.suffix == ".prism" else write_umb)(model, file)
        return model
    return None
