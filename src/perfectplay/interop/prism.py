"""Models in the language of PRISM: `mdp` for one player, `smg` for two (PRISM-games)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from perfectplay.errors import TooLargeError
from perfectplay.interop.model import LOST, WON, Model
from perfectplay.rules.game import CHANCE

MOST = 10_000
"""States that are written one by one."""


def write_prism(model: Model, file: Path) -> None:
    """Write a model; its properties, and what they mean, stand at the top as comments."""
    if len(model.owners) > MOST:
        raise TooLargeError(
            f"{type(model.game).__name__} has {len(model.owners):,} states, and who reads PRISM's "
            f"language compares each with every command: at most {MOST:,} are written",
            "write an archive instead: .umb",
        )
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{line}\n" for line in prism_lines(model))


def prism_lines(model: Model) -> Iterator[str]:
    """The lines of the model."""
    two = model.game.players == 2
    yield f"// {_comment(str(model.game))}, {len(model.owners):,} states"
    for each in properties(model):
        yield f"// {each}"
    yield f"// {model.meaning}"
    yield "smg" if two else "mdp"
    yield ""
    if two:
        yield "player p1 [p1], [chance] endplayer"
        yield "player p2 [p2] endplayer"
        yield ""
    yield "module game"
    yield f"  s : [0..{len(model.owners) - 1}] init {model.start};"
    for state, choices in enumerate(model.choices):
        owner = model.owners[state]
        yield f"  // {_comment(model.texts[state])}"
        for number, choice in enumerate(choices):
            action = "chance" if owner < 0 or choice.words == "chance" else f"p{owner + 1}"
            if not two:
                action = f"a{number}" if owner >= 0 else "chance"
            likely = " + ".join(f"{q}:(s'={to})" for q, to in choice.branches)
            yield f"  [{action}] s={state} -> {likely};"
    yield "endmodule"
    yield ""
    yield f'label "won" = s={WON};'
    yield f'label "lost" = s={LOST};'
    yield f'label "end" = s<={LOST};'
    if model.total:
        yield ""
        yield 'rewards "gain"'
        for state, choices in enumerate(model.choices):
            for number, choice in enumerate(choices):
                if choice.gain:
                    action = f"a{number}" if model.owners[state] > CHANCE else "chance"
                    yield f"  [{action}] s={state} : {choice.gain};"
        yield "endrewards"


def properties(model: Model) -> list[str]:
    """What to ask: in PRISM-games, of player 1."""
    asked = "<<p1>> " if model.game.players == 2 else ""
    return [f"{asked}{each}" for each in model.properties]


def _comment(text: str) -> str:
    return " ".join(text.split())
