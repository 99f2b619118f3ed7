"""Models as UMB archives, which Storm, PRISM-games and stormvogel read; written by umbi."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from perfectplay import __version__
from perfectplay.errors import UsageError
from perfectplay.interop.model import LOST, WON, Model


def write_umb(model: Model, file: Path) -> None:
    """Write a model with exact probabilities, labels, and rewards if it has some."""
    try:
        from umbi import ats as umb
    except ImportError:
        raise UsageError("writing .umb needs umbi", "pip install 'perfectplay[models]'") from None
    states = len(model.owners)
    out = umb.ExplicitAts()
    out.model_info = umb.ModelInfo(
        name=str(model.game),
        description="; ".join([*model.properties, model.meaning]),
        comment=f"written by perfectplay {__version__}",
    )
    out.num_players = model.game.players
    for _ in range(states):
        out.add_state()
    out.set_initial_states([model.start])
    out.state_to_player = [max(owner, 0) for owner in model.owners]
    if model.game.players > 1:
        out.player_to_name = [model.game.player_name(i) for i in range(model.game.players)]
    names = {choice.words: None for choices in model.choices for choice in choices}
    numbers = {name: number for number, name in enumerate(names)}
    out.num_choice_actions = len(names)
    out.choice_action_to_name = list(names)
    gains = []
    for state, choices in enumerate(model.choices):
        for choice in choices:
            added = out.add_state_choice(state)
            added.action = numbers[choice.words]
            gains.append(Fraction(choice.gain))  # Storm reads no integers here
            for probability, target in choice.branches:
                added.add_branch(target, probability)
    for name, those in (("won", {WON}), ("lost", {LOST}), ("end", {WON, LOST})):
        labelled = [state in those for state in range(states)]
        out.add_ap_annotation(name).set_state_values(labelled)
    if model.total:
        out.add_reward_annotation("gain").set_choice_values(gains)
    out.validate()
    umb.write(out, file)
