"""States of an OpenSpiel game by their strings, and whether strings tell states apart.

A position is what `str(state)` writes. Strings are meant for people, and some forget what matters:
that of breakthrough does not say who is to move. So whenever a state is met whose string was met
before, both must agree in everything that can be asked of them: who moves, the legal actions, the
chances, and what play has brought; and of every state whose string was met again for the first
few hundred times, the strings of what follows, too. States that disagree are refused in words.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from perfectplay.errors import RulesError

LOOKED_AHEAD = 500
"""States met again whose children are compared as well."""


class SpielStates:
    """All states that were met so far, one for each string."""

    def __init__(self, game: Any, name: str, *, rewards: bool) -> None:
        self.name = name
        self._game = game
        self._rewards = rewards
        self._known: dict[str, Any] = {}
        self._signatures: dict[str, Any] = {}
        self._ahead = LOOKED_AHEAD
        self._waiting: deque[str] = deque()
        self.first = self.put(game.new_initial_state())
        self._waiting.append(self.first)
        self._seen = {self.first}

    def put(self, state: Any) -> str:
        """The string of a state; RulesError if it stands for another state already."""
        key = str(state)
        signature = self._signature(state)
        if key not in self._known:
            self._known[key] = state
            self._signatures[key] = signature
            return key
        if signature != self._signatures[key]:
            self._refuse(key, _difference(signature, self._signatures[key]))
        if self._ahead and not state.is_terminal():
            self._ahead -= 1
            if _following(state) != _following(self._known[key]):
                self._refuse(key, "the same action leads to different positions")
        return key

    def get(self, key: str) -> Any:
        """The state of a string that was met; KeyError if there is none."""
        return self._known[key]

    def __contains__(self, key: object) -> bool:
        return key in self._known

    def walk(self, most: int | None = None) -> None:
        """Meet more states, nearest to the start first: `most` of them, or all."""
        left = most
        while self._waiting and (left is None or left > 0):
            state = self._known[self._waiting.popleft()]
            for action in actions_of(state):
                key = self.put(state.child(action))
                if key not in self._seen:
                    self._seen.add(key)
                    self._waiting.append(key)
                    left = None if left is None else left - 1

    def _signature(self, state: Any) -> Any:
        """All that can be asked of a state."""
        if state.is_terminal():
            return "over", () if self._rewards else tuple(state.returns())
        if state.is_chance_node():
            return "chance", tuple(state.chance_outcomes())
        return state.current_player(), tuple(state.legal_actions())

    def _refuse(self, key: str, why: str) -> None:
        raise RulesError(
            f"{self.name}: two different states are both written as {key!r}: {why}",
            "OpenSpiel writes states for people, and this game leaves out what play depends on; "
            "no position can be told by its text, so the game cannot be solved here",
        )


def actions_of(state: Any) -> list[int]:
    """The legal actions, or what chance may do; nothing where play is over."""
    if state.is_terminal():
        return []
    return [int(action) for action in state.legal_actions()]


def _following(state: Any) -> list[str]:
    return [str(state.child(action)) for action in actions_of(state)]


def _difference(one: Any, other: Any) -> str:
    """What two signatures disagree about, in words."""
    if one[0] != other[0]:
        words = [
            {"over": "play is over", "chance": "chance acts"}.get(
                each[0], f"player {each[0]} is to move"
            )
            for each in (one, other)
        ]
        return f"in one {words[0]}, in the other {words[1]}"
    if one[0] == "over":
        return f"one brings {one[1]}, the other {other[1]}"
    return "other actions are legal" if one[0] != "chance" else "other chances"
