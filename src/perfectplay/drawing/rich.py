"""Rich results: how a notebook shows what the package answers with.

A result says what there is to show (`display`): a title, a table, a picture. The text, the HTML
and the SVG that a notebook asks for are all made here, so that everything is escaped and every
picture, which may come from rules, is written anew from a list of harmless elements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perfectplay.drawing.svg import escape

MOST_ROWS = 60
"""Rows of a table that are shown."""
PLAIN, HTML, SVG = "text/plain", "text/html", "image/svg+xml"


@dataclass(frozen=True)
class Display:
    """What there is to show of a result."""

    title: str
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    strong: Collection[int] = ()
    """Numbers of rows that stand out."""
    note: str = ""
    """What is said below."""
    svg: str = ""

    def text(self) -> str:
        """As plain text, without the picture."""
        table = [list(map(str, row)) for row in (self.heads, *self._shown()) if row]
        wide = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(cell.ljust(n) for cell, n in zip(row, wide, strict=True)).rstrip()
            for row in table
        ]
        return "\n".join([self.title, *lines, *self._more(), *([self.note] if self.note else [])])

    def html(self) -> str:
        """As HTML, with the picture."""
        below = [*self._more(), *([self.note] if self.note else [])]
        return "".join([_words(self.title), self.svg, *self._table(), *map(_words, below)])

    def _shown(self) -> Sequence[Sequence[object]]:
        return self.rows[:MOST_ROWS]

    def _more(self) -> list[str]:
        left = len(self.rows) - MOST_ROWS
        return [f"… and {left:,} more"] if left > 0 else []

    def _table(self) -> Iterator[str]:
        if not self.rows:
            return
        heads = "".join(f"<th>{_safe(head)}</th>" for head in self.heads)
        yield f"<table>{f'<tr>{heads}</tr>' if heads else ''}"
        for number, row in enumerate(self._shown()):
            cells = [_safe(cell) for cell in row]
            if number in self.strong:
                cells = [f"<b>{cell}</b>" if cell else "" for cell in cells]
            yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        yield "</table>"


class Rich:
    """A result that a notebook shows as a table or a picture, and a terminal as text."""

    __slots__ = ()

    def display(self) -> Display:
        """What there is to show; its text, unless a subclass knows better."""
        return Display(str(self))

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """What Jupyter shows: the richest of these that it can."""
        shown = self.display()
        if shown.svg:
            from perfectplay.drawing.shapes import rewritten

            shown = replace(shown, svg=rewritten(shown.svg))
        bundle = {PLAIN: shown.text(), HTML: shown.html(), SVG: shown.svg}
        return {
            kind: data
            for kind, data in bundle.items()
            if data and (not include or kind in include) and kind not in (exclude or ())
        }

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: FBT001 - IPython's call
        """The same text in IPython, also of results that are tuples."""
        del cycle
        for number, line in enumerate(self.display().text().split("\n")):
            if number:
                printer.break_()
            printer.text(line)


def _safe(thing: object) -> str:
    return escape(str(thing)).replace('"', "&quot;").replace("'", "&#x27;")


def _words(words: str) -> str:
    """A paragraph, or lines as they are."""
    tag = "pre" if "\n" in words else "p"
    return f"<{tag}>{_safe(words)}</{tag}>"
