"""A game as a model for probabilistic model checkers, and what its answer means.

Model checkers ask how likely it is to reach a state, or what a play costs until then. So payoffs
become probabilities: after the end of play a last step leads to "won" with probability (payoff to
player 1 - least) / (most - least), else to "lost", and

    value to player 1 = least + (most - least) * P(won) = most - (most - least) * P(lost)

where play always ends. Endless play counts for the least in the first and for the most in the
second, so that the value lies between the two. If one player earns something by moves, or pays,
that is a total reward until the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from perfectplay.errors import NoSolverError
from perfectplay.interop.game_graph import GameGraph
from perfectplay.rules.game import CHANCE, OVER, Game

WON, LOST = 0, 1
"""The first two states: where play leads after its end."""


@dataclass(frozen=True)
class ModelChoice:
    """One of the choices at a state."""

    words: str
    gain: int
    """What it earns player 1, or costs if they minimise."""
    branches: tuple[tuple[Fraction, int], ...]
    """Probabilities and states."""


@dataclass(frozen=True)
class Model:
    """States with their choices; the first two are WON and LOST."""

    game: Game
    owners: list[int]
    """Who chooses at each state: player 0 or 1; CHANCE or OVER where there is one choice."""
    texts: list[str]
    choices: list[tuple[ModelChoice, ...]]
    start: int
    least: int
    most: int
    total: bool
    """Whether the value is a total reward until LOST; else it is a probability of WON."""
    cyclic: bool

    @property
    def properties(self) -> list[str]:
        """What to ask a model checker: PRISM's words, without who asks."""
        if self.total:
            return [f'R{{"gain"}}{"min" if self.game.minimise else "max"}=? [F "end"]']
        if self.game.minimise:
            return ['Pmin=? [F "won"]', 'Pmax=? [F "lost"]']
        return ['Pmax=? [F "won"]', 'Pmin=? [F "lost"]']

    def values(self, answers: list[Any]) -> list[Any]:
        """The values that the answers to all properties mean."""
        if self.total:
            return answers
        span = self.most - self.least
        return [self.least + span * answers[0], self.most - span * answers[1]]

    @property
    def meaning(self) -> str:
        """What the answers mean, in words."""
        if self.total:
            return "the answer is the value"
        span = self.most - self.least
        return (
            f"the value to player 1 is {self.least} + {span} * the first answer if endless play "
            f"counts for {self.least}, and {self.most} - {span} * the second if for {self.most}"
        )


def model_of(game: Game) -> Model:
    """The model of a game; NoSolverError if model checkers have no word for its values."""
    if game.players > 2:
        raise NoSolverError(
            f"{type(game).__name__} has {game.players} players",
            "model checkers know one player, or two with opposed interests; `solve --sides` "
            "makes two of several",
        )
    graph = GameGraph(game)
    ends = [node.payoff for node in graph.nodes if node.owner == OVER]
    gains = [edge.gains for node in graph.nodes for edge in node.edges]
    _refuse(game, graph, ends, gains)
    total = any(any(gain) for gain in gains)
    worth = [end[0] for end in ends] or [0]
    least, most = min(worth), max(worth)
    most += least == most
    found = Model(
        game, [OVER, OVER], ["won", "lost"], [(), ()], 2, least, most, total, graph.cyclic
    )
    for node in graph.nodes:
        found.owners.append(node.owner)
        found.texts.append(f"player {node.mover + 1}: {node.text}" if node.mover else node.text)
        found.choices.append(tuple(_choices(found, node)))
    for end in (WON, LOST):
        found.choices[end] = (ModelChoice("stay", 0, ((Fraction(1), end),)),)
    return found


def _choices(model: Model, node: Any) -> list[ModelChoice]:
    """The choices at a position; after its end the last step."""
    if node.owner == OVER:
        if model.total:
            return [ModelChoice("end", node.payoff[0], ((Fraction(1), LOST),))]
        won = Fraction(node.payoff[0] - model.least, model.most - model.least)
        return [
            ModelChoice("end", 0, tuple((q, s) for q, s in ((won, WON), (1 - won, LOST)) if q))
        ]
    if node.owner == CHANCE:
        branches = tuple((edge.probability, edge.target + 2) for edge in node.edges)
        return [ModelChoice("chance", 0, branches)]
    return [
        ModelChoice(edge.words, edge.gains[0], ((Fraction(1), edge.target + 2),))
        for edge in node.edges
    ]


def _refuse(
    game: Game, graph: GameGraph, ends: list[tuple[int, ...]], gains: list[tuple[int, ...]]
) -> None:
    """NoSolverError for values that no model checker computes."""
    name, total = type(game).__name__, any(any(gain) for gain in gains)
    if game.players == 2 and (len({sum(end) for end in ends}) > 1 or any(map(sum, gains))):
        raise NoSolverError(
            f"{name}: the interests of its players are not opposed",
            "model checkers know one player, or two with opposed interests",
        )
    if total and game.players == 2:
        raise NoSolverError(
            f"{name}: moves earn something, and there are two players",
            "a model has rewards of one player, or probabilities to win",
        )
    if total and any(each[0] < 0 for each in [*gains, *ends]):
        raise NoSolverError(
            f"{name} has negative payoffs or rewards", "rewards of a model are 0 or more"
        )
    if graph.cyclic and game.players == 1 and total != bool(game.minimise):
        raise NoSolverError(
            f"{name}: play may go on for ever, which model checkers count otherwise",
            "cycles are possible where one player pays for moves, or earns at the end",
        )
