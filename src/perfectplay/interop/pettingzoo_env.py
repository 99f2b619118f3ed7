"""Games of ours as environments of PettingZoo, with masks of actions and values in `info`."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from perfectplay.errors import UsageError
from perfectplay.interop.playable import Play, playable
from perfectplay.rules.game import CHANCE, Game, alternate, first_positions

try:
    import gymnasium
    import pettingzoo
except ImportError:
    raise UsageError(
        "environments need PettingZoo", "pip install 'perfectplay[pettingzoo]'"
    ) from None

if TYPE_CHECKING:
    from perfectplay.answer.solution import Solution

LONGEST_TEXT = 4_000
"""Characters of the text of a position, at most."""


def pettingzoo_env(source: Game | Solution, moves: Sequence[Any] | None = None) -> Environment:
    """A `pettingzoo.AECEnv` of a game; of a solved one, `info` has `value`, `lower` and `upper`
    of the position to the agent, and `best`, the numbers of the best actions of who moves.

    An observation is a dictionary: `observation` is the position (its integers where rules are
    compiled, else its text), `action_mask` has a 1 for each legal action. Actions are numbers of
    moves, in the order of `moves` or of their texts. Chance is drawn by `reset(seed)`."""
    if isinstance(source, Game):
        return Environment(source, None, moves)
    return Environment(source.game, source, moves)


class Environment(pettingzoo.AECEnv):  # type: ignore[misc]
    """One play of a game after the other."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"], "name": "perfectplay", "is_parallelizable": False,
    }  # fmt: skip

    def __init__(self, game: Game, solution: Solution | None, moves: Sequence[Any] | None) -> None:
        super().__init__()
        self._rules = playable(game, moves)
        self._solution = solution
        self._random = random.Random()
        self._width = 0
        if game.native:
            self._width = np.atleast_1d(np.asarray(next(first_positions(game)))).size
        self.possible_agents = [f"player_{i + 1}" for i in range(game.players)]
        self.agents = list(self.possible_agents)
        self.render_mode = "ansi"
        spaces, actions = gymnasium.spaces, len(self._rules.moves)
        seen = spaces.Text(LONGEST_TEXT, min_length=0, charset=string.printable)
        if self._width:
            seen = spaces.Box(-(2**63), 2**63 - 1, (self._width,), np.int64)
        masked = spaces.Box(0, 1, (actions,), np.int8)
        self._seen = spaces.Dict({"observation": seen, "action_mask": masked})
        self._acts = spaces.Discrete(actions)

    def observation_space(self, agent: str) -> Any:
        """What agents see."""
        return self._seen

    def action_space(self, agent: str) -> Any:
        """What agents do."""
        return self._acts

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begin a new play; a seed makes chance repeatable."""
        if seed is not None:
            self._random = random.Random(seed)
        self.now = Play(self._rules)
        self.agents = list(self.possible_agents)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._settle()

    def _settle(self) -> None:
        """Let chance act until somebody is to move or play is over; then say so."""
        while self.now.who == CHANCE:
            weights = [weight for weight, _ in self.now.events()]
            self.now.step(self._random.choices(range(len(weights)), weights)[0])
            self._give()
        player = self.now.who
        if player < 0:
            ended = self.truncations if self.now.stopped else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
        self.agent_selection = self.possible_agents[max(player, 0)]
        self.infos = self._told(player)

    def _give(self) -> None:
        for name, gain in zip(self.possible_agents, self.now.gains, strict=True):
            self.rewards[name] += gain

    def _told(self, player: int) -> dict[str, dict[str, Any]]:
        """What a solution knows of the position, for each agent."""
        if self._solution is None:
            return {name: {} for name in self.possible_agents}
        values = self._solution.values(self.now.position)
        if alternate(self._rules.game) and self.now.steps % 2:
            values = values[::-1]  # seen by who is to move
        told: dict[str, dict[str, Any]] = {
            name: {"value": float(v), "lower": float(v.lower), "upper": float(v.upper)}
            for name, v in zip(self.possible_agents, values, strict=True)
        }
        if player >= 0:
            best = {move.move for move in self._solution.ranked(self.now.position)[0]}
            numbers = [i for i, m in self.now.legal().items() if m in best]
            told[self.possible_agents[player]]["best"] = numbers
        return told

    def observe(self, agent: str) -> dict[str, Any]:
        """The position, and the legal actions if the agent is to move."""
        mask = np.zeros(len(self._rules.moves), np.int8)
        player = self.now.who
        if player >= 0 and self.possible_agents[player] == agent:
            mask[list(self.now.legal())] = 1
        seen: Any = self.render()
        if self._width:
            seen = np.atleast_1d(np.asarray(self.now.position, np.int64))
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """The agent on turn acts, and chance after it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self.now.legal()
        if action not in legal:
            raise UsageError(f"action {action} is not legal", f"legal are {list(legal)}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.now.step(int(action))
        self._give()
        self._settle()
        self._accumulate_rewards()

    def render(self) -> str:
        """The position as text."""
        return str(self._rules.game.text(self.now.position))

    def close(self) -> None:
        """Nothing is open."""
