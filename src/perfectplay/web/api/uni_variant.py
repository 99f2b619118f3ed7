"""A game as GamesmanUni sees it: positions as text that addresses bear, and their values.

A position is written `1_` or `2_`, for the player to move, and its text: `_` for a blank, `!2B`
for what is neither letter nor digit nor one of `SAFE`.

Values are those of the player to move. A draw is a tie where play must end, a draw where it can go
round; the first has no known remoteness, the second an infinite one. Points are those still to be
won, as in our own values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError, unread
from perfectplay.rules.game import OVER, alternate, first_positions
from perfectplay.rules.parameters import changed
from perfectplay.rules.value import Value
from perfectplay.schemas.server import Gui, UniMoveJson, UniPositionJson, UniValue
from perfectplay.web.api.uni_board import UniBoard
from perfectplay.web.collection import Opened

INFINITE, UNKNOWN = -200, -100
"""Remoteness of draws and of puzzles that cannot be solved; of ends that are not known to be so
many plies away."""
ORDER: tuple[UniValue, ...] = ("win", "tie", "draw", "lose", "unsolved")
SAFE = "-./,*()|"
_ESCAPE = re.compile(rf"[^A-Za-z0-9{re.escape(SAFE)} ]")
_ESCAPED = re.compile(r"(?:![0-9A-F]{2})+")


# -- Positions as text that addresses bear. -------------------------------------------------------


def written(turn: int, text: str) -> str:
    """A position, with the player to move, in characters that mean nothing in an address."""
    escaped = _ESCAPE.sub(lambda m: "".join(f"!{b:02X}" for b in m[0].encode()), text)
    return f"{turn + 1}_{escaped.replace(' ', '_')}"


def read(p: str) -> tuple[int, str]:
    """The player to move, and the text of a position."""
    if p[:2] not in ("1_", "2_"):
        raise UsageError(f"{p[:80]!r} does not say who is to move", "begin with 1_ or 2_")

    def plain(found: re.Match[str]) -> str:
        return bytes.fromhex(found[0].replace("!", "")).decode(errors="replace")

    return int(p[0]) - 1, _ESCAPED.sub(plain, p[2:].replace("_", " "))


# -- Values. --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UniStanding:
    """What is known of a position, seen by the player to move."""

    value: UniValue
    remoteness: int
    winby: int | None = None


UNSOLVED = UniStanding("unsolved", UNKNOWN)


class UniVariant:
    """A game with its parameters, and its table if there is one."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.game = opened.game
        self.solution: Solution | None = opened.solution
        self.board = UniBoard(self.game.text(next(first_positions(self.game))))

    @property
    def name(self) -> str:
        """What is special about its parameters, for people."""
        given = changed(self.game).items()
        return ", ".join(f"{name} {text}" for name, text in given) or "Regular"

    @property
    def gui(self) -> Gui:
        """How it is drawn."""
        return "v1" if self.board.drawn else "v0"

    @cached_property
    def points(self) -> bool:
        """Whether it is played for points."""
        return self.solution is not None and not self.solution.facts.outcome and not self.puzzle

    @property
    def puzzle(self) -> bool:
        """Whether it has one player."""
        return self.game.players == 1

    @cached_property
    def endless(self) -> bool:
        """Whether play can go round, as far as the solvers have seen."""
        return self.solution is None or set(self.solution.report["methods"]) != {"acyclic"}

    def turn(self, p: Any, otherwise: int = 0) -> int:
        """The player to move at `p`. Where the rules do not tell, as in alternate play and where
        play has ended, whoever it is otherwise."""
        player = -1 if alternate(self.game) or self.puzzle else self.game.to_move(p)
        return otherwise if player < 0 else player

    def drawn(self, p: Any, turn: int) -> str:
        """A position for drawing, or its text where there is no board."""
        text = self.game.text(p)
        return self.board.position(turn, text) or written(turn, text)

    def position(self, text: str) -> UniPositionJson:
        """All that GamesmanUni wants to know about a position; UsageError if it is none."""
        said, words = read(text)
        p = self._parsed(words)
        turn = self.turn(p, said)
        here = self.standing(p, turn)
        found: UniPositionJson = {
            "position": written(turn, self.game.text(p)),
            "autoguiPosition": self.drawn(p, turn),
            "positionValue": here.value,
            "remoteness": here.remoteness,
            "moves": self._moves(p, turn, here),
        }
        if here.winby is not None:
            found["winby"] = here.winby
        return found

    def _parsed(self, words: str) -> Any:
        if self.solution is not None:
            return self.solution.position(words)
        try:
            return self.game.parse(words)
        except Exception as error:  # of the rules, which may raise anything
            example = self.game.text(next(first_positions(self.game)))
            raise unread(words[:80], error, example) from None

    # -- What positions and moves are worth. ---

    def standing(self, p: Any, turn: int) -> UniStanding:
        """What a position is worth to the player to move, and how far the end is."""
        if self.solution is None:
            return UNSOLVED
        own = self.solution.values(p)[0 if alternate(self.game) or self.puzzle else turn]
        over = self.solution.to_move(p) == OVER
        if self.puzzle:
            return self._solvable(p, own, over=over)
        value = self._word(own, over=over)
        if not self.points:
            far = 0 if over else INFINITE if own.depth is None else own.depth
            return UniStanding(value, UNKNOWN if value == "tie" and not over else far)
        finite = own.exact is not None and abs(own.exact) != float("inf")
        margin = int(own.exact) if finite and own.exact is not None else None
        return UniStanding(value, 0 if over else INFINITE if value == "draw" else UNKNOWN, margin)

    def _word(self, value: Value, *, over: bool) -> UniValue:
        if value.lower == 0:
            return "draw" if self.endless and not over else "tie"
        return "win" if value.lower > 0 else "lose"

    def _solvable(self, p: Any, cost: Value, *, over: bool) -> UniStanding:
        """A puzzle: the fewest moves are known if each costs one."""
        if cost.exact is None or cost.exact == float("inf"):
            return UniStanding("lose", INFINITE)
        each = over or all(self.game.reward(p, m) == 1 for m in self.game.moves(p))
        return UniStanding("win", int(cost.exact) if each else UNKNOWN)

    def _moves(self, p: Any, turn: int, here: UniStanding) -> list[UniMoveJson]:
        """The moves, best first."""
        game = self.game
        if self.solution is None:
            moves = list(game.moves(p)) if game.to_move(p) >= 0 else []
            worth: list[UniValue] = ["unsolved" for _ in moves]
        else:
            found = self.solution.moves(p)
            moves = [each.move for each in found]
            worth = [self._word(each.value, over=False) for each in found]
        children = [game.play(p, m) for m in moves]
        texts = [game.move_text(p, m) for m in moves]
        buttons = self.board.moves(
            game.text(p), [(t, game.text(q)) for t, q in zip(texts, children, strict=True)]
        )
        rows = []
        for q, text, button, word in zip(children, texts, buttons, worth, strict=True):
            next_turn = self.turn(q, turn if self.puzzle else 1 - turn)
            there = self.standing(q, next_turn)
            row = self._row(q, next_turn, there)
            row["move"], row["autoguiMove"] = text, button
            row["moveValue"] = self._step(here, there) if self.puzzle else _tied(word, there)
            rows.append(row)
        return self._sorted(rows, here)

    def _row(self, q: Any, turn: int, there: UniStanding) -> UniMoveJson:
        row: UniMoveJson = {
            "move": "",
            "autoguiMove": "",
            "moveValue": "unsolved",
            "deltaRemoteness": 0,
            "position": written(turn, self.game.text(q)),
            "autoguiPosition": self.drawn(q, turn),
            "positionValue": there.value,
            "remoteness": there.remoteness,
        }
        if there.winby is not None:
            row["winby"] = there.winby
        return row

    def _step(self, here: UniStanding, there: UniStanding) -> UniValue:
        """A move of a puzzle: towards the solution, away from it, or neither."""
        if self.solution is None:
            return "unsolved"
        if there.remoteness == INFINITE:
            return "lose"
        if UNKNOWN in (here.remoteness, there.remoteness):
            return "win"
        closer = here.remoteness - there.remoteness
        return "win" if closer > 0 else "lose" if closer < 0 else "tie"

    def _sorted(self, rows: list[UniMoveJson], here: UniStanding) -> list[UniMoveJson]:
        """Best first, each with how much sooner or later it ends than the best of its value."""
        for row in rows if here.remoteness >= 0 or not self.puzzle else []:
            far = [
                each["remoteness"]
                for each in rows
                if each["moveValue"] == row["moveValue"] and each["remoteness"] >= 0
            ]
            if row["remoteness"] < 0 or not far:
                continue
            if self.puzzle:
                row["deltaRemoteness"] = here.remoteness - row["remoteness"]
            elif row["moveValue"] == "lose":
                row["deltaRemoteness"] = max(far) - row["remoteness"]
            else:
                row["deltaRemoteness"] = row["remoteness"] - min(far)
        return sorted(rows, key=lambda r: (ORDER.index(r["moveValue"]), abs(r["deltaRemoteness"])))


def _tied(word: UniValue, there: UniStanding) -> UniValue:
    """A draw is a tie if the move ends play."""
    return "tie" if word == "draw" and there.value == "tie" else word
