"""Games of ours as games of OpenSpiel, and a bot that plays perfectly."""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from perfectplay.errors import UsageError
from perfectplay.interop.playable import Play, Playable, playable
from perfectplay.interop.spiel import OpenSpiel, pyspiel_module
from perfectplay.rules.game import CHANCE, OVER, Game, alternate, parameters
from perfectplay.rules.load import rules_path

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

pyspiel: Any = pyspiel_module()
_rules: dict[str, tuple[Playable, Any]] = {}
"""By the names under which games are registered: their rules, and what OpenSpiel knows."""


def to_open_spiel(game: Game, moves: Sequence[Any] | None = None) -> Any:
    """A `pyspiel.Game` with these rules, registered with OpenSpiel; states have the attribute
    `position`. Actions are numbers of moves, in the order of `moves` or of their texts."""
    given = json.dumps([rules_path(game), parameters(game), repr(moves)], default=str)
    name = f"perfectplay_{hashlib.sha256(given.encode()).hexdigest()[:12]}"
    if name not in _rules:
        rules = playable(game, moves)
        kind = _kind(rules, name)
        _rules[name] = rules, kind
        make = partial(SpielGame, name)
        # OpenSpiel lets go of it after Python has ended, where nothing can be freed any more
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(make))
        pyspiel.register_game(kind, make)
    return pyspiel.load_game(name)


def _kind(rules: Playable, name: str) -> Any:
    """What OpenSpiel wants to know of a game before it is played."""
    of, game = pyspiel.GameType, rules.game
    chance, reward = of.ChanceMode, of.RewardModel
    return of(
        short_name=name,
        long_name=f"{type(game).__name__} of perfectplay",
        dynamics=of.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if rules.events else chance.DETERMINISTIC,
        information=of.Information.PERFECT_INFORMATION,
        utility=of.Utility.GENERAL_SUM,
        reward_model=reward.REWARDS if rules.rewards else reward.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """The game as a whole."""

    def __init__(self, name: str, params: Any = None) -> None:
        self.rules, kind = _rules[name]
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.rules.moves),
            max_chance_outcomes=self.rules.events,
            num_players=self.rules.game.players,
            min_utility=float(self.rules.least),
            max_utility=float(self.rules.most),
            utility_sum=None,
            max_game_length=self.rules.longest,
        )
        super().__init__(kind, info, params or {})

    def new_initial_state(self) -> SpielState:
        """The first position."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What reads states: their texts say everything."""
        return _Observer()


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position, with how play came to it as far as that matters."""

    def __init__(self, of: SpielGame) -> None:
        super().__init__(of)
        self.now = Play(of.rules)

    @property
    def position(self) -> Any:
        """The position of the rules."""
        return self.now.position

    def legal_moves(self) -> dict[int, Any]:
        """The moves of the rules that are legal now, by their actions."""
        return self.now.legal()

    def current_player(self) -> Any:
        special = {OVER: pyspiel.PlayerId.TERMINAL, CHANCE: pyspiel.PlayerId.CHANCE}
        return special.get(self.now.who, self.now.who)

    def _legal_actions(self, player: int) -> list[int]:
        return [*self.now.legal()]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        weights = [weight for weight, _ in self.now.events()]
        return [(i, weight / sum(weights)) for i, weight in enumerate(weights)]

    def _apply_action(self, action: int) -> None:
        self.now.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        game, p = self.now.rules.game, self.position
        if player == pyspiel.PlayerId.CHANCE:
            words = {i: game.text(child) for i, (_, child) in enumerate(self.now.events())}
        else:
            words = {i: game.move_text(p, m) for i, m in self.now.legal().items()}
        alone = sum(word == words[action] for word in words.values()) == 1
        return words[action] if alone else f"{words[action]} ({action})"

    def is_terminal(self) -> bool:
        return self.now.who == OVER

    def rewards(self) -> list[float]:
        return list(map(float, self.now.gains))

    def returns(self) -> list[float]:
        return list(map(float, self.now.sums))

    def observation_string(self, player: int) -> str:
        return str(self)

    def information_state_string(self, player: int) -> str:
        return str(self)

    def __str__(self) -> str:
        game = self.now.rules.game
        mover = f"player {self.now.steps % 2}: " if alternate(game) else ""
        return f"{mover}{game.text(self.position)}"

    def __getstate__(self) -> dict[str, Any]:
        return {}  # OpenSpiel plays the actions again


class _Observer:
    """What OpenSpiel reads of a state."""

    def __init__(self) -> None:
        self.dict: dict[str, Any] = {}
        self.tensor = np.zeros(0, np.float32)

    def set_from(self, state: Any, player: int) -> None:
        return

    def string_from(self, state: Any, player: int) -> str:
        return str(state)


def perfect_bot(solution: Solution) -> PerfectBot:
    """A `pyspiel.Bot` that makes a best move at every state of a solved game: of a game that was
    made by `to_open_spiel`, or of one of OpenSpiel's own that was loaded as "spiel:…"."""
    return PerfectBot(solution)


class PerfectBot(pyspiel.Bot):  # type: ignore[misc]
    """Plays a solved game perfectly."""

    def __init__(self, solution: Solution) -> None:
        super().__init__()
        self._solution = solution

    def step(self, state: Any) -> int:
        """The action of a best move."""
        if isinstance(self._solution.game, OpenSpiel):
            return int(self._solution.best(str(state)))
        if not isinstance(state, SpielState):
            raise UsageError(
                "that state is none of a game made by to_open_spiel",
                'solve OpenSpiel\'s own games as "spiel:…"',
            )
        best = self._solution.best(state.position)
        return next(action for action, m in state.legal_moves().items() if m == best)

    def restart_at(self, state: Any) -> None:
        """Nothing is remembered."""
