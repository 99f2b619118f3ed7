"""The rows of a table as Arrow batches, with the columns that people read.

The table is read one group of rows at a time, and rules are run over the groups only if somebody
asks for what depends on them: who is to move, texts, best moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.answer.stored_positions import KeyReader
from perfectplay.interop.exporting.best_moves import BestMoveNumbers
from perfectplay.interop.exporting.columns import schema
from perfectplay.interop.exporting.natural import Natural, natural, to_each
from perfectplay.positions.expand import expander
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate
from perfectplay.rules.value import OUTCOMES
from perfectplay.verification.table_rows import decoded

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution
    from perfectplay.progress import Progress

_OUTCOMES = {int(outcome): word for outcome, word in OUTCOMES.items()}


class ExportedRows:
    """The rows of a solution, some thousand at a time."""

    def __init__(self, solution: Solution, names: Sequence[str]) -> None:
        self.solution, self.names = solution, list(names)
        self.schema = schema(solution, names)
        game, facts = solution.game, solution.facts
        self._denominators = solution.table.extra.get("denominators", {})
        self._moves = "best_move" in names
        seen = {"value", "lower", "upper", "outcome", "exact"} & set(names)
        self._expands = self._moves or "to_move" in names
        self._expands |= bool(seen) and facts.players > 1 and not alternate(game)
        self._reads = self._moves or "position" in names
        self._reader = KeyReader(game, solution.table.key_width)
        if self._expands:
            self._rules = expander(game, plain=solution.table.width == 0, steps=True)
            self._best = BestMoveNumbers(solution, self._rules)
        self._names = [solution.player_name(i) for i in range(facts.players)]

    def batches(self, progress: Progress) -> Iterator[Any]:
        """All rows, in the order of the table."""
        import pyarrow as pa

        progress.start("export", self.solution.table.positions)
        for columns in self.solution.table.batches():
            found = self._columns(columns)
            arrays = [found[field.name].cast(field.type) for field in self.schema]
            yield pa.record_batch(arrays, schema=self.schema)
            progress.advance(len(columns["stratum"]))
        progress.finish()

    def _columns(self, columns: dict[str, Any]) -> dict[str, Any]:
        """The columns that were asked for, as Arrow arrays."""
        import pyarrow as pa

        facts, wanted = self.solution.facts, set(self.names)
        keys = self.solution.table.keys(columns)
        denominator = int(self._denominators.get(str(int(columns["stratum"][0])), 1))
        values = decoded(_values(columns), denominator)
        kind = np.zeros(len(keys), np.int8)
        batch = None
        positions = list(map(self._position, keys)) if self._reads else []
        if self._expands:
            batch = self._rules.expand(keys if isinstance(keys, np.ndarray) else positions or
                                       list(map(self._position, keys)))  # fmt: skip
            kind = batch.kind
        found: dict[str, Any] = {name: pa.array(columns[name]) for name in columns if
                                 name in wanted}  # fmt: skip
        found |= _numbers(natural(facts, values, self._seen_by(kind, keys)))
        if not facts.scalar:
            each = to_each(facts, values)
            found |= {f"value_{i + 1}": pa.array(column) for i, column in enumerate(each)}
        if "to_move" in wanted:
            found["to_move"] = self._movers(kind)
        if "position" in wanted:
            found["position"] = pa.array(map(self.solution.game.text, positions), pa.string())
        if self._moves:
            assert batch is not None
            numbers = self._best.of(keys, positions, batch, values)
            found["best_move"] = pa.array(
                map(self._move, positions, numbers), pa.string()
            ).dictionary_encode()
        return found

    def _position(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._reader.position(key)
        return self._reader.position(tuple(map(int, key)))

    def _seen_by(self, kind: Any, keys: Any) -> Any:
        """The player whose value is shown: who is to move, also without a move left; player 0
        where nobody is."""
        seen = np.maximum(kind, 0).astype(np.int64)
        if self._expands and not alternate(self.solution.game):
            for row in np.flatnonzero(kind == OVER).tolist():
                seen[row] = max(self.solution.game.to_move(self._position(keys[row])), 0)
        return seen

    def _movers(self, kind: Any) -> Any:
        """Who moves, by name."""
        import pyarrow as pa

        special = {OVER: "nobody", CHANCE: "chance", SIMULTANEOUS: "both players"}
        lowest = min(special)
        words = [special.get(i) or self._names[i] for i in range(lowest, len(self._names))]
        return pa.DictionaryArray.from_arrays(pa.array(kind.astype(np.int32) - lowest), words)

    def _move(self, p: Any, number: int) -> str | None:
        """The move with this number in the order of the rules, in words."""
        if number < 0:
            return None
        for i, m in enumerate(self.solution.game.moves(p)):
            if i == number:
                return self.solution.game.move_text(p, m)
        return None


def _values(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a table that hold values."""
    return {
        name: column
        for name, column in columns.items()
        if name != "stratum" and not name.startswith("key")
    }


def _numbers(found: Natural) -> dict[str, Any]:
    """Values as Arrow arrays; what is not known is null."""
    import pyarrow as pa

    out = {"value": pa.array(found.value)}
    if found.lower is not None:
        out |= {"lower": pa.array(found.lower), "upper": pa.array(found.upper)}
    if found.exact is not None:
        out["exact"] = pa.array(found.exact, pa.string())
    if found.depth is not None:
        out["depth"] = pa.array(found.depth, mask=found.depth < 0)
        out["outcome"] = pa.DictionaryArray.from_arrays(
            pa.array(found.value.astype(np.int32) + 1), [_OUTCOMES[i] for i in (-1, 0, 1)]
        )
    return out
