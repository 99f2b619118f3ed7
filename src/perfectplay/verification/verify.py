"""Verify: derive every stored value again from its successors, by other code than the solvers'.

The table is read part by part; the rules are run on every stored position; children are looked up
by binary search in the sorted keys. row_check.py checks each row against its children,
progress_proof.py that no claim rests on play that goes round for ever (the argument is given
there). Strata are verified lowest first, so that all of this is one induction. Ids, hashes and
graphs of the solvers are not used."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfectplay.drawing.rich import Display, Rich
from perfectplay.positions.batch import Expander
from perfectplay.positions.explained import explained
from perfectplay.progress import Progress, Silent
from perfectplay.rules.game import Game
from perfectplay.table.manifest import NUMBERED
from perfectplay.table.reader import MemoryTable, Table
from perfectplay.verification.verify_strata import StrataVerifier


@dataclass(frozen=True)
class Verification(Rich):
    """What `verify` has established."""

    rows: int
    """Positions whose values were derived again."""
    seconds: float
    kind: str
    """The kind of proof, in words."""
    ok: bool = True

    def display(self) -> Display:
        """What was proved."""
        return Display(f"{self.rows:,} values derived again: {self.kind}")


@explained
def verify(
    table: Any,
    game: Game | None = None,
    progress: Progress | None = None,
    sample: int | None = None,
) -> Verification:
    """Prove all values of a table, or check about `sample` of its rows.

    VerificationError names the first position whose value does not follow; TableError reports
    damage, or rules other than the table's."""
    from perfectplay.answer.solution import Solution
    from perfectplay.positions.expand import expander

    if not isinstance(table, str | Path | Table | MemoryTable):
        own: Any = table.game  # which has a solver of its own
        found: Verification = own.own_solver().verify(table, progress, sample)
        return found
    if isinstance(table, str | Path):
        table = Table.open(table)
    if isinstance(table, Table):
        game = Solution.open(table.folder, game, check=False).game
    elif game is None:
        raise ValueError("a table in memory can only be verified with its game")
    rules = expander(game, plain=table.width == 0)
    return verify_table(table, rules, progress, sample)


def verify_table(
    table: Table | MemoryTable,
    rules: Expander,
    progress: Progress | None = None,
    sample: int | None = None,
) -> Verification:
    """What `verify` does, with the rules as an expander."""
    began = time.perf_counter()
    progress = progress or Silent()
    progress.start("verify", table.rows)
    table.check()
    verifier: Any
    if table.header.get("numbers") == "whole":
        from perfectplay.verification.verify_whole_numbers import WholeNumbersVerifier

        verifier = WholeNumbersVerifier(table, rules, sample)
    elif table.header["facts"].get("simultaneous"):
        from perfectplay.verification.verify_simultaneous import SimultaneousVerifier

        verifier = SimultaneousVerifier(table, rules, sample)
    elif table.width == NUMBERED:
        from perfectplay.verification.verify_numbered import NumberedVerifier

        verifier = NumberedVerifier(table, rules, sample)
    elif rules.turn_patterns is None:
        verifier = StrataVerifier(table, rules, sample)
    else:
        from perfectplay.verification.verify_turns import TurnsVerifier

        verifier = TurnsVerifier(table, rules, sample)
    for number, _ in table.strata:
        progress.advance(verifier.stratum(number))
    verifier.check_starts()
    progress.finish()
    return Verification(verifier.checked, time.perf_counter() - began, verifier.words())
