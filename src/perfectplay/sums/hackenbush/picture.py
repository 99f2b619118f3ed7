"""Picture: a Hackenbush position as people write and see it.

Letters are edges: B blue, R red, G green (K, for black, is the same). Written from the ground up:

    BBRRB                 a string
    B[R][GG]B             a tree: what is in brackets branches off from the node reached so far
    0-a-b-0 BRG           a path through named nodes, one letter for each edge, or one for all;
                          0, g and ground are the ground
    0-a-b-0 B, a: RG[R]   several pieces of one picture; `a:` plants a piece on node a
    BBR + 0-a-0 GG        pictures side by side, each with its own names
    (BR)  B(R)  BRBR...   strings without end, see strings.py

Edges are numbered from 1 in the order of the letters; a move is called by colour and number: R3.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from perfectplay.drawing.rich import Display, Rich
from perfectplay.errors import UsageError
from perfectplay.sums.canonical_form import Short
from perfectplay.sums.hackenbush.strings import Word, number
from perfectplay.sums.hackenbush.surreal import Total
from perfectplay.sums.hackenbush.values import BLUE, GREEN, GROUND, RED, Edge, Folder, blocks

COLOURS = {"B": BLUE, "R": RED, "G": GREEN, "K": GREEN}
GROUNDS = ("0", "g", "ground")
LEFT, RIGHT = 0, 1
HINT = (
    "pictures look like BBRRB (a string), B[R][GG] (a tree), '0-a-b-0 BRG' (a path; 0 is the "
    "ground) or (BR) (without end); join them with +"
)


@dataclass(frozen=True)
class Picture(Rich):
    """Edges on the ground, and strings without end beside them."""

    edges: tuple[Edge, ...] = ()
    endless: tuple[Word, ...] = ()
    names: tuple[str, ...] = ("0",)
    """What nodes are called, by number."""
    folder: Folder = field(default_factory=Folder, repr=False, compare=False)

    @staticmethod
    def parse(text: str) -> Picture:
        """The picture in a text; UsageError if there is none."""
        return Picture(*read(text))

    @staticmethod
    def of(edges: Iterable[tuple[Hashable, Hashable, str]]) -> Picture:
        """The picture with these edges, each two nodes and a colour: [(0, "a", "B"), …]. Nodes may
        be anything; 0 and "0" are the ground."""
        reader = _PictureReader()
        for edge in edges:
            try:
                low, high, colour = edge
            except (TypeError, ValueError):
                raise UsageError(f"{edge!r} is not an edge", "give (node, node, colour)") from None
            ends = reader.node(str(low)), reader.node(str(high))
            reader.edge(*ends, str(colour), str(edge))
        return Picture(*reader.checked())

    # -- Values and moves. ---

    def value(self) -> Short | Total:
        """What the picture is worth."""
        short = self.folder.value(self.edges)
        if not self.endless:
            return short
        total = Total.of(short)
        for word in self.endless:
            total += number(word)
        return total

    def moves(self, player: int) -> Iterator[tuple[str, Short]]:
        """The name of every finite move of a player, and what its edges are worth afterwards."""
        for i, after in self.takes(player):
            yield f"{self.edges[i][2]}{i + 1}", after

    def takes(self, player: int) -> Iterator[tuple[int, Short]]:
        """Every edge that a player may take, from 0, and what is left is worth."""
        theirs = RED if player == LEFT else BLUE
        for i, (_, _, colour) in enumerate(self.edges):
            if colour != theirs:
                yield i, self.folder.value(self.edges[:i] + self.edges[i + 1 :])

    def apart(self) -> list[list[int]]:
        """The edges, from 0, in groups that hang together without the ground."""
        group: dict[int, int] = {}

        def top(node: int) -> int:
            while group.setdefault(node, node) != node:
                group[node] = node = group[group[node]]
            return node

        for low, high, _ in self.edges:
            if GROUND not in (low, high):
                group[top(low)] = top(high)
        found: dict[int, list[int]] = {}
        for i, (low, high, _) in enumerate(self.edges):
            node = high if low == GROUND else low
            found.setdefault(-1 - i if node == GROUND else top(node), []).append(i)
        return [*found.values()]

    def without(self, move: str) -> Picture:
        """The picture after a move, called by its name; edges are numbered anew."""
        labels = self.labels()
        if move.strip().upper() not in labels:
            raise UsageError(f"there is no edge {move!r}", f"edges: {', '.join(labels)}")
        i = labels.index(move.strip().upper())
        return replace(self, edges=standing(self.edges[:i] + self.edges[i + 1 :]))

    def labels(self) -> list[str]:
        """The names of all edges."""
        return [f"{colour}{i + 1}" for i, (_, _, colour) in enumerate(self.edges)]

    # -- Text and drawing. ---

    def __str__(self) -> str:
        """A text that `parse` reads back: trees as letters, other pictures edge by edge."""
        shown = _trees(self.edges)
        if shown is None:
            names = self.names
            shown = ", ".join(f"{names[a]}-{names[b]} {colour}" for a, b, colour in self.edges)
        return " + ".join([*([shown] if shown else []), *map(str, self.endless)]) or "0"

    def svg(self) -> str:
        """The picture, drawn."""
        from perfectplay.sums.hackenbush.sketch import sketch

        return sketch(self)

    def display(self) -> Display:
        """The picture, drawn."""
        return Display(str(self), svg=self.svg())


def standing(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """The edges that hang together with the ground, in their order."""
    kept = {edge for block, _ in blocks(GROUND, edges) for edge in block}
    return tuple(edge for edge in edges if edge in kept)


def _trees(edges: tuple[Edge, ...]) -> str | None:
    """The letters of a picture that is trees, if they stand in the order of the edges; else None.

    A branch is put in brackets unless it is the last of its node.
    """
    above: dict[int, list[int]] = {GROUND: []}
    for i, (low, high, _) in enumerate(edges):
        if low not in above or high in above:
            return None
        above[low].append(i)
        above[high] = []
    shown: list[str] = []
    order: list[int] = []
    for root in above[GROUND]:
        shown += [" + "] * bool(shown)
        waiting: list[int | str] = [root]
        while waiting:
            here = waiting.pop()
            if isinstance(here, str):
                shown.append(here)
                continue
            order.append(here)
            shown.append(edges[here][2])
            *branches, last = above[edges[here][1]] or [-1]
            waiting += [last] * (last >= 0)
            for branch in reversed(branches):
                waiting += ["]", branch, "["]
    return "".join(shown) if order == [*range(len(edges))] else None


Read = tuple[tuple[Edge, ...], tuple[Word, ...], tuple[str, ...]]
"""Edges, strings without end, and the names of nodes."""


def read(text: str) -> Read:
    """The picture that a text describes; UsageError if it is none."""
    reader = _PictureReader()
    for part in text.split("+"):
        if part.strip() or "+" in text:
            reader.part(part)
    return reader.checked()


class _PictureReader:
    """Reads pictures, one part after the other."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.endless: list[Word] = []
        self.names = ["0"]
        self.local: dict[str, int] = {}

    def checked(self) -> Read:
        """All that was read, if everything in it hangs together with the ground."""
        edges = tuple(self.edges)
        flying = set(edges) - set(standing(edges))
        if flying:
            low, high, colour = min(flying)
            raise UsageError(
                f"edge {self.names[low]}-{self.names[high]} {colour} does not hang together with "
                "the ground",
                HINT,
            )
        return edges, tuple(self.endless), tuple(self.names)

    def part(self, text: str) -> None:
        """Read a part of a sum."""
        self.local = {}
        plain = text.strip()
        if "(" in plain or plain.endswith(("...", "…")):
            if re.search("[GK]", plain.upper()):
                raise UsageError(
                    f"{plain!r}: strings without end are blue and red only",
                    "with green edges they are no numbers; give finitely many edges",
                )
            word = Word.parse(plain)
            if not word.finite:
                self.endless.append(word)
                return
            plain = str(word)
        if plain in ("0", ""):
            return
        for piece in re.split(r"[,;\n]", plain):
            if piece.strip():
                self.piece(piece.strip())

    def piece(self, text: str) -> None:
        """Read a path through named nodes, or a tree."""
        path = re.fullmatch(r"(\w+(?:\s*-\s*\w+)+)(?:\s*:\s*|\s+)([A-Za-z]+)", text)
        if path:
            nodes = [self.node(name.strip()) for name in path[1].split("-")]
            colours = path[2] if len(path[2]) > 1 else path[2] * (len(nodes) - 1)
            if len(colours) != len(nodes) - 1:
                raise UsageError(
                    f"{text!r}: {len(nodes) - 1} edges, but {len(colours)} colours", HINT
                )
            for low, high, colour in zip(nodes, nodes[1:], colours, strict=False):
                self.edge(low, high, colour, text)
            return
        planted = re.fullmatch(r"(\w+)\s*:\s*(.*)", text, re.S)
        node, tree = (self.node(planted[1]), planted[2]) if planted else (GROUND, text)
        self.tree(node, tree)

    def tree(self, node: int, text: str) -> None:
        """Read a tree that stands on a node."""
        forks: list[int] = []
        for letter in text:
            if letter == "[":
                forks.append(node)
            elif letter == "]" and forks:
                node = forks.pop()
            elif letter.upper() in COLOURS:
                self.names.append(f"n{len(self.names)}")
                self.edge(node, len(self.names) - 1, letter, text)
                node = len(self.names) - 1
            elif not letter.isspace():
                raise UsageError(f"{text!r} is not a Hackenbush picture: {letter!r}", HINT)
        if forks:
            raise UsageError(f"{text!r}: a bracket is not closed", HINT)

    def node(self, name: str) -> int:
        """The number of a named node."""
        if name in GROUNDS:
            return GROUND
        if name not in self.local:
            self.local[name] = len(self.names)
            taken = name in self.names or re.fullmatch(r"n\d+", name)
            self.names.append(f"{name}_{len(self.names)}" if taken else name)
        return self.local[name]

    def edge(self, low: int, high: int, colour: str, text: str) -> None:
        """Draw an edge."""
        if colour.upper() not in COLOURS:
            raise UsageError(f"{text!r}: there is no colour {colour!r}", HINT)
        self.edges.append((low, high, COLOURS[colour.upper()]))
