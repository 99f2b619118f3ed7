"""Game trees: what may follow a position, with values backed up from the ends.

All values are worth to one player, the one to move at the root (to everybody where one number does
not say it all), so that a position is

    max or min over moves of  reward + value     if that player moves, or the opponent
    sum over events of  probability * value      where chance acts
    sum over pairs of  probability * (reward + value)    where both players choose at once

Positions that are equal up to symmetry are followed once, where they first occur nearest to the
root; elsewhere a reference leads there. Moves to equal positions share an edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from perfectplay.answer.compare_moves import gains
from perfectplay.answer.faces.explain import number_text
from perfectplay.answer.faces.mixed_choices import likely_pairs
from perfectplay.answer.lines import pair_text
from perfectplay.drawing.boards import text_board
from perfectplay.drawing.raster import save
from perfectplay.drawing.rich import Display, Rich
from perfectplay.drawing.trees import Branch, text_tree, tree_picture
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate
from perfectplay.rules.value import Value

if TYPE_CHECKING:
    from pathlib import Path

    from perfectplay.answer.solution import Solution
    from perfectplay.schemas.answers import TreeEdgeJson, TreeJson, TreeNodeJson

TreeRule = Literal["max", "min", "sum", "end", "cut", "same"]
MOST = 400
"""Positions that a tree shows, at most."""
DEEPEST = 100
"""Moves after each other that a tree shows, at most."""
TO_MOVE = "the player to move"
"""What the first player is called in alternate play; in a tree it is the one at the root."""


class LargeTreeError(TooLargeError):
    """A tree has more positions than can be shown."""

    fits = 0
    """The moves of the deepest tree that has not."""


@dataclass(frozen=True)
class TreeNode:
    """A position of a tree."""

    position: str
    mover: int
    """Who moves, CHANCE, SIMULTANEOUS or OVER; in alternate play 0 is the player to move at the
    root."""
    rule: TreeRule
    """How the value is backed up: "max", "min" or "sum"; "end" where play has ended; "cut" where
    the tree stops; "same" where the position is followed elsewhere."""
    values: tuple[Value, ...]
    """What it is worth to each player."""
    number: int | None
    """What references call this position, here or elsewhere; None if there are none."""
    edges: tuple[TreeEdge, ...] = ()

    def as_json(self) -> TreeNodeJson:
        """The node and all below it as JSON-ready data."""
        return {
            "position": self.position,
            "player": self.mover,
            "rule": self.rule,
            "number": self.number,
            "values": [value.as_json() for value in self.values],
            "edges": [edge.as_json() for edge in self.edges],
        }


@dataclass(frozen=True)
class TreeEdge:
    """Moves that lead to one position, or an event."""

    moves: tuple[str, ...]
    """The moves as text; none for an event."""
    probability: Fraction
    """Of an event; 1 for a move."""
    earned: tuple[int, ...]
    """What the move earns each player at once."""
    best: bool
    node: TreeNode

    def as_json(self) -> TreeEdgeJson:
        """The edge as JSON-ready data."""
        return {
            "moves": list(self.moves),
            "probability": str(self.probability),
            "earned": list(self.earned),
            "best": self.best,
            "node": self.node.as_json(),
        }


@dataclass(frozen=True)
class GameTree(Rich):
    """A tree of positions: `str` writes it with box characters, `svg` draws it."""

    root: TreeNode
    player: int
    """Whose values are shown."""
    name: str
    """What that player is called."""
    scalar: bool
    """Whether one number says what a position is worth to everybody."""
    names: tuple[str, ...]
    """What all players are called."""

    def __iter__(self) -> Iterator[TreeNode]:
        """All nodes, each before those below it."""
        left = [self.root]
        while left:
            node = left.pop()
            yield node
            left += [edge.node for edge in reversed(node.edges)]

    @property
    def branches(self) -> Branch:
        """The tree as it is drawn."""
        return self._branch("", self.root, marked=False)

    def _branch(self, label: str, node: TreeNode, *, marked: bool) -> Branch:
        below = tuple(self._branch(self.label(e), e.node, marked=e.best) for e in node.edges)
        lines = text_board(node.position) or (node.position,)
        mark = f"[{node.number}] " if node.number is not None and node.rule != "same" else ""
        note = f"{self._rule(node)}  {self.shown(node)}"
        lines = (mark + lines[0], *lines[1:]) if len(lines) == 1 else (*lines, mark.strip())
        lines = tuple(line for line in lines if line)
        return Branch(label, marked, lines, mark + node.position, note, below)

    def _rule(self, node: TreeNode) -> str:
        if node.rule == "same":
            return f"as [{node.number}]"
        if node.rule in ("max", "min") and not self.scalar:
            return f"{node.rule} for {self.names[node.mover]}"
        return {"cut": "…", "sum": "mean"}.get(node.rule, node.rule)

    def shown(self, node: TreeNode) -> str:
        """The value of a node in a few words."""
        ended = node.rule == "end"
        if self.scalar:
            return _short(node.values[self.player], ended=ended)
        return f"({', '.join(_short(value, ended=ended) for value in node.values)})"

    def label(self, edge: TreeEdge) -> str:
        """What stands on an edge: moves, and what they earn."""
        counted = Counter(edge.moves)
        named = (f"{name} ({n} ways)" if n > 1 else name for name, n in counted.items())
        likely = [] if edge.moves and edge.probability == 1 else [str(edge.probability)]
        words = ": ".join(filter(None, [*likely, ", ".join(named)]))
        if not any(edge.earned):
            return words
        if self.scalar:
            return f"{words} {edge.earned[self.player]:+}"
        return f"{words} ({', '.join(f'{each:+}' for each in edge.earned)})"

    def __str__(self) -> str:
        return "\n".join([f"{self.head}; * marks best moves", *text_tree(self.branches)])

    @property
    def head(self) -> str:
        """Whose values are shown, in words."""
        whose = self.name if self.scalar else ", ".join(self.names)
        return f"values to {whose}{' at the root' * (self.name == TO_MOVE)}"

    @property
    def svg(self) -> str:
        """The tree as a picture, best moves thick and with a star."""
        return tree_picture(self.branches)

    def save(self, file: str | Path) -> Path:
        """Write the picture into a file; .png needs Matplotlib."""
        return save(self.svg, file)

    def as_json(self) -> TreeJson:
        """The tree as JSON-ready data."""
        return {"player": self.player, "name": self.name, "tree": self.root.as_json()}

    def display(self) -> Display:
        """The picture, with the text where none can be shown."""
        return Display(str(self), svg=self.svg)


def _short(value: Value, *, ended: bool) -> str:
    if value.kind == "outcome":
        return value.outcome.name.lower() if ended else str(value)
    return number_text(value) if value.exactness == "exact" else f"{float(value):.6g}"


def game_tree(solution: Solution, p: Any, depth: int | None = None, most: int = MOST) -> GameTree:
    """What may follow `p` in `depth` moves, or to the end. LargeTreeError if these are more than
    `most` positions, or it goes deeper than `DEEPEST` moves."""
    if depth is not None and depth < 0:
        raise UsageError(f"a tree of depth {depth}", "its depth is the number of moves: 0, 1, …")
    solution.values(p)  # refused if it cannot arise
    who = solution.seen_by(p)
    growth = _Growth(solution, who, most)
    root = growth.grown(p, depth)
    names = solution.player_names()
    return GameTree(growth.node(root), who, names[who], solution.facts.scalar, tuple(names))


# -- Growing. -------------------------------------------------------------------------------------


@dataclass
class _Sprout:
    """A position while the tree grows."""

    p: Any
    ply: int
    """Plies since the root, of which only the parity matters."""
    key: Any
    """Equal for positions that are the same up to symmetry, with the same values."""
    edges: list[_Shoot] = field(default_factory=list)
    first: _Sprout | None = None
    """Where this position is followed, if it is followed elsewhere."""
    open: bool = False
    """Whether the tree stops here, though play goes on."""
    referred: bool = False
    """Whether there are references to it."""
    number: int | None = None


@dataclass
class _Shoot:
    """An edge while the tree grows."""

    moves: list[str]
    probability: Fraction
    earned: tuple[int, ...]
    best: bool
    child: _Sprout


class _Growth:
    """Grows a tree level by level, so that positions are followed where they are nearest."""

    def __init__(self, solution: Solution, who: int, most: int) -> None:
        self.solution, self.most = solution, most
        self.who = who
        self.game = solution.game
        self.swaps = alternate(solution.game)
        self._numbers, self._players = 0, solution.game.players

    def grown(self, p: Any, depth: int | None) -> _Sprout:
        """The root of the tree down to `depth`."""
        root = self._sprout(p, 0)
        level, done, count = [root], 0, 1
        followed: dict[Any, _Sprout] = {}
        while level and (depth is None or done < depth):
            below: list[_Sprout] = []
            for each in level:
                if self._leads_on(each, followed):
                    if done == DEEPEST:
                        raise _too_large(f"moves deeper than {DEEPEST}", done, count, depth)
                    followed[each.key] = each
                    each.edges = [*self._shoots(each)]
                    below += [shoot.child for shoot in each.edges]
                    if count + len(below) > self.most:
                        raise _too_large(f"more than {self.most} positions", done, count, depth)
            level, done, count = below, done + 1, count + len(below)
        for each in level:
            each.open = self._leads_on(each, followed)
        return root

    def _leads_on(self, sprout: _Sprout, followed: dict[Any, _Sprout]) -> bool:
        """Whether play goes on here and is not followed elsewhere, which is then referred to."""
        if self.solution.to_move(sprout.p) == OVER:
            return False
        sprout.first = followed.get(sprout.key)
        if sprout.first is not None:
            sprout.first.referred = True
        return sprout.first is None

    def _sprout(self, p: Any, ply: int) -> _Sprout:
        same = self.game.representative(p)
        if self.swaps:
            return _Sprout(p, ply, (same, ply % 2))
        return _Sprout(p, ply, (same, (self.game.turn(same) - self.game.turn(p)) % self._players))

    def _shoots(self, sprout: _Sprout) -> Iterator[_Shoot]:
        """The edges of a position; equal positions share one."""
        if self.solution.to_move(sprout.p) == CHANCE:
            yield from self._events(sprout)
        elif self.solution.to_move(sprout.p) == SIMULTANEOUS:
            yield from self._pairs(sprout)
        else:
            yield from self._moves(sprout)

    def _events(self, sprout: _Sprout) -> Iterator[_Shoot]:
        found: dict[Any, _Shoot] = {}
        nothing = (0,) * self._players
        for q, chance in self.solution.events(sprout.p).items():
            child = self._sprout(q, sprout.ply + 1)
            if child.key in found:
                found[child.key].probability += chance
            else:
                found[child.key] = _Shoot([], chance, nothing, best=False, child=child)
        yield from found.values()

    def _pairs(self, sprout: _Sprout) -> Iterator[_Shoot]:
        """What both players may choose at once by optimal mixed strategies."""
        found: dict[Any, _Shoot] = {}
        for pair, share in likely_pairs(self.solution, sprout.p):
            child = self._sprout(self.game.play(sprout.p, pair), sprout.ply + 1)
            earned = gains(self.game.reward(sprout.p, pair), 0, self._players)
            text, same = pair_text(self.game, sprout.p, pair), (child.key, earned)
            if same in found:
                found[same].moves.append(text)
                found[same].probability += share
            else:
                found[same] = _Shoot([text], share, earned, best=False, child=child)
        yield from found.values()

    def _moves(self, sprout: _Sprout) -> Iterator[_Shoot]:
        found: dict[Any, _Shoot] = {}
        mover = self.solution.seen_by(sprout.p)
        for move in self.solution.moves(sprout.p):
            child = self._sprout(self.game.play(sprout.p, move.move), sprout.ply + 1)
            reward = self.game.reward(sprout.p, move.move)
            earned = self._framed(sprout, gains(reward, mover, self._players))
            same = child.key, earned
            if same in found:
                found[same].moves.append(move.text)
            else:
                found[same] = _Shoot([move.text], Fraction(1), earned, move.best, child)
        yield from found.values()

    def _framed(self, sprout: _Sprout, each: tuple[Any, ...]) -> tuple[Any, ...]:
        """What players of a position have, in the order of the players at the root."""
        return each[::-1] if self.swaps and sprout.ply % 2 else each

    def node(self, sprout: _Sprout) -> TreeNode:
        """The finished node of a sprout, with all below it."""
        mover = self.solution.to_move(sprout.p)
        if self.swaps and mover >= 0:
            mover = sprout.ply % 2
        return TreeNode(
            self.game.text(sprout.p),
            mover,
            self._rule(sprout, mover),
            self._framed(sprout, self.solution.values(sprout.p)),
            self._number(sprout),
            tuple(
                TreeEdge(tuple(s.moves), s.probability, s.earned, s.best, self.node(s.child))
                for s in sprout.edges
            ),
        )

    def _number(self, sprout: _Sprout) -> int | None:
        """What a position is called by references, counted as the tree is read."""
        place = sprout.first or sprout
        if place.number is None and place.referred:
            self._numbers += 1
            place.number = self._numbers
        return place.number

    def _rule(self, sprout: _Sprout, mover: int) -> TreeRule:
        if mover == OVER:
            return "end"
        if sprout.first is not None:
            return "same"
        if sprout.open:
            return "cut"
        if mover < 0:
            return "sum"
        return self._best(mover)

    def _best(self, mover: int) -> Literal["max", "min"]:
        """What a player wants of the values shown."""
        facts = self.solution.facts
        if not facts.scalar or facts.players == 1:
            return "min" if facts.minimise else "max"
        return "max" if mover == self.who else "min"


def _too_large(what: str, done: int, count: int, depth: int | None) -> LargeTreeError:
    asked = "to the end" if depth is None else f"to depth {depth}"
    alone = "explain without a tree lists the moves of one position"
    hint = f"--depth {done} shows {count}" if done else alone
    error = LargeTreeError(f"the tree {asked} has {what}", hint)
    error.fits = done
    return error
