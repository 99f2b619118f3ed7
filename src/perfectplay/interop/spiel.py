"""Games of OpenSpiel as games of ours: `load("spiel:pig(players=2,winscore=20)")`.

Any game with perfect information whose states can be told by their strings, with or without
chance, for any number of players. Its rules run in OpenSpiel, a few thousand positions a second.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from perfectplay.errors import RulesError, UsageError
from perfectplay.interop.spiel_states import SpielStates
from perfectplay.rules.capabilities import Walked
from perfectplay.rules.game import CHANCE, OVER, Game
from perfectplay.rules.parameters import did_you_mean

try:
    VERSION = version("open_spiel")
except PackageNotFoundError:
    VERSION = ""
"""Of OpenSpiel: tables of another version are those of other rules."""
NEAR = 4_000
"""States that are walked through to find the one that a text names."""
LARGEST = 10**6
"""Denominators of chances, at most: OpenSpiel has floats."""


@dataclass(frozen=True)
class OpenSpiel(Walked, Game):
    """A game of OpenSpiel, by the text that its `load_game` takes."""

    game: str = "tic_tac_toe"

    def __post_init__(self) -> None:
        """UsageError if there is no such game, or none that can be solved here."""
        object.__setattr__(self, "players", _opened(self.game).players)

    def start(self) -> str:
        return _opened(self.game).states.first

    def to_move(self, p: str) -> int:
        state = self._state(p)
        if state.is_terminal():
            return OVER
        return CHANCE if state.is_chance_node() else int(state.current_player())

    def moves(self, p: str) -> Iterator[int]:
        yield from map(int, self._state(p).legal_actions())

    def play(self, p: str, m: int) -> str:
        return _opened(self.game).states.put(self._state(p).child(m))

    def chances(self, p: str) -> Iterator[tuple[int, str]]:
        state = self._state(p)
        likely = [(action, _fraction(self.game, q)) for action, q in state.chance_outcomes()]
        if sum(q for _, q in likely) != 1:
            raise RulesError(f"{self.game}: chances at {p!r} do not add up to 1")
        common = math.lcm(*(q.denominator for _, q in likely))
        for action, q in likely:
            child = state.child(action)
            if _opened(self.game).rewards and any(child.rewards()):
                raise RulesError(
                    f"{self.game}: chance earns something at {p!r}",
                    "only moves earn rewards here",
                )
            yield int(q * common), _opened(self.game).states.put(child)

    def payoff(self, p: str) -> tuple[int, ...]:
        if _opened(self.game).rewards:
            return (0,) * self.players
        return _whole(self.game, self._state(p).returns())

    def reward(self, p: str, m: int) -> Any:
        if not _opened(self.game).rewards:
            return 0
        return _whole(self.game, self._state(p).child(m).rewards())

    def text(self, p: str) -> str:
        return p.replace("\\", "\\\\").replace("\n", "\\n")

    def parse(self, s: str) -> str:
        p = "\\".join(part.replace("\\n", "\n") for part in s.split("\\\\"))
        states = _opened(self.game).states
        if p not in states:
            states.walk(NEAR)
        if p not in states:
            raise ValueError(f"not among the {NEAR:,} positions next to the start")
        return p

    def move_text(self, p: str, m: int) -> str:
        state = self._state(p)
        return str(state.action_to_string(state.current_player(), m)).strip()

    def walk(self) -> None:
        """Meet all states, so that every text can be read."""
        _opened(self.game).states.walk()

    def _state(self, p: str) -> Any:
        return _opened(self.game).states.get(p)


def load_spiel(name: str) -> OpenSpiel:
    """The OpenSpiel game with this name and parameters."""
    return OpenSpiel(name)


class _Opened:
    """A game of OpenSpiel that was loaded."""

    def __init__(self, name: str) -> None:
        pyspiel = pyspiel_module()
        short, known = name.partition("(")[0].strip(), pyspiel.registered_names()
        if short not in known:  # asked first, since OpenSpiel prints its whole list
            close = difflib.get_close_matches(short, known, n=3)
            near = did_you_mean(close).strip() or "pyspiel.registered_names() lists its games"
            raise UsageError(f"OpenSpiel has no game {short!r}", near)
        try:
            game = pyspiel.load_game(name)
        except (pyspiel.SpielError, RuntimeError, ValueError) as error:
            raise UsageError(
                f"OpenSpiel cannot load {name!r}: {' '.join(str(error).split())[:200]}",
                "write it as OpenSpiel does: spiel:tic_tac_toe, "
                '"spiel:pig(players=2,winscore=20)"',
            ) from None
        kind = game.get_type()
        if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
            raise UsageError(f"{name}: players choose at once", "only one may move at a time")
        if kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
            raise UsageError(
                f"{name}: players do not see everything", "hidden information is not modelled"
            )
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise UsageError(f"{name}: its chances are drawn, not told", "they must be explicit")
        self.players = int(game.num_players())
        self.rewards = kind.reward_model == pyspiel.GameType.RewardModel.REWARDS
        self.states = SpielStates(game, name, rewards=self.rewards)


@functools.cache
def _opened(name: str) -> _Opened:
    return _Opened(name)


def pyspiel_module() -> Any:
    """OpenSpiel itself; UsageError if it is not installed."""
    if not VERSION:
        raise UsageError(
            "games of OpenSpiel need OpenSpiel", "pip install 'perfectplay[openspiel]'"
        )
    import pyspiel

    return pyspiel


def _fraction(name: str, chance: float) -> Fraction:
    """The fraction that a float of OpenSpiel stands for."""
    found = Fraction(chance).limit_denominator(LARGEST)
    if abs(found - Fraction(chance)) > Fraction(1, 10**12):
        raise RulesError(f"{name}: the chance {chance!r} is no fraction of small numbers")
    return found


def _whole(name: str, numbers: Any) -> tuple[int, ...]:
    """What players get, as integers; RulesError if it is none."""
    found = tuple(round(x) for x in numbers)
    if any(x != y for x, y in zip(found, numbers, strict=True)):
        raise RulesError(
            f"{name} pays {list(numbers)}, which are no whole numbers",
            "payoffs and rewards are integers here",
        )
    return found
