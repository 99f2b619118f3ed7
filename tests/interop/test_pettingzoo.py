"""Environments pass PettingZoo's own test, and say what positions are worth."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from pettingzoo.test import api_test

from perfectplay import UsageError, load, solve
from perfectplay.interop.pettingzoo_env import pettingzoo_env

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("noughts-and-crosses", {}),
    ("piglet", {"goal": 3}),
    ("piglet", {"goal": 2, "players": 3}),
    ("connect", {"width": 3, "height": 3}),
    ("dots-and-boxes", {"rows": 1, "columns": 2}),
]


@pytest.mark.parametrize(("name", "given"), GAMES)
def test_environments_pass_the_test_of_pettingzoo(
    name: str, given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # on observations that are texts
        api_test(pettingzoo_env(load(name, given)), num_cycles=100)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "given"), GAMES)
def test_best_actions_keep_the_value_that_info_tells(name: str, given: dict[str, Any]) -> None:
    solution = solve(load(name, given), plain=True)
    env, chance = pettingzoo_env(solution), random.Random(3)
    for seed in range(10):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            mask = env.observe(agent)["action_mask"]
            told = env.infos[agent]
            assert mask[told["best"]].all()
            assert told["lower"] <= told["value"] <= told["upper"]
            best = chance.choice(told["best"])
            before = env.infos[agent]["value"]
            env.step(best)
            if not solution.facts.chance and not solution.facts.rewards:
                assert env.infos[agent]["value"] == before
        for agent in env.agents:  # what is told at the end is what was paid, rewards aside
            if name != "dots-and-boxes":
                assert env.infos[agent]["value"] == env.rewards[agent]


def test_illegal_actions_are_refused() -> None:
    env = pettingzoo_env(load("noughts-and-crosses"))
    env.reset(seed=1)
    env.step(4)
    with pytest.raises(UsageError, match="action 4 is not legal"):
        env.step(4)
