"""The lists of a page: moves, events and the main line, each with its address."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from perfectplay.answer.analysis import MoveAnalysis, share_text
from perfectplay.answer.faces.match import PlayedPosition
from perfectplay.answer.faces.mixed_choices import mixed_choices
from perfectplay.answer.faces.opponents import PERSON, dice, pair_number, throw
from perfectplay.answer.faces.strata import PositionStrata, StratumMove
from perfectplay.answer.lines import best_play, pair_text
from perfectplay.answer.solution import Solution
from perfectplay.rules.game import CHANCE, alternate
from perfectplay.rules.value import Value
from perfectplay.web import words
from perfectplay.web.state import State

LARGEST_NUMBER = 100_000
"""Numbers of strata that are larger are packed words, not for people."""
WIDEST = 8
"""Columns of the widest matrix of pairs; larger ones are a list."""
LINE = 8
"""Moves of the main line that a page shows."""


@dataclass(frozen=True)
class MoveRow:
    """One move of the list."""

    number: int
    text: str
    url: str
    value: str
    cost: str
    tone: str
    share: float
    """How long its bar is, from 0 to 100."""
    values: tuple[str, ...] = ()
    """What it is worth to each player, if that is more than one number."""
    kind: str = ""
    """Whether it can be undone, if that was asked."""


@dataclass(frozen=True)
class EventRow:
    """One thing that chance may bring."""

    probability: str
    child: str
    url: str
    value: str
    values: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True)
class PairTable:
    """What two players may choose at once, as the matrix that it is: each choice with its
    probability, and the rows of pairs."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str, tuple[MoveRow, ...]], ...]


def judged(solution: Solution, now: PlayedPosition) -> tuple[MoveAnalysis, ...]:
    """The moves, best first, each with what it is worth to the players as the page calls them."""
    found = solution.moves(now.position)
    if alternate(solution.game) and now.ply % 2:
        return tuple(replace(move, values=move.values[::-1]) for move in found)
    return found


def listed(
    solution: Solution,
    now: PlayedPosition,
    state: State,
    moves: Sequence[MoveAnalysis],
    undone: PositionStrata | None,
) -> Iterator[MoveRow]:
    """The moves, best first, each with its value; in the order of the rules where it is hidden."""
    game = solution.game
    legal = solution.legal(now.position)
    kinds = [*map(_kind, undone.moves)] if undone else [""] * len(legal)
    if not moves:
        for number, m in enumerate(legal):
            text, kind = game.move_text(now.position, m), kinds[number]
            yield MoveRow(number, text, state.after(number).url(), "", "", "", 0, kind=kind)
        return
    facts = solution.facts
    chances = words.unit(facts) == words.CHANCE_TO_WIN
    bar = _bars([move.value for move in moves], minimise=facts.minimise, chances=chances)
    vectors = not solution.facts.scalar
    for move, share in zip(moves, bar, strict=True):
        number = move.number
        yield MoveRow(
            number, move.text, state.after(number).url(), words.number(move.value),
            words.cost(move, moves[0].value), words.tone(move), share,
            tuple(map(words.short, move.values)) if vectors else (), kinds[number],
        )  # fmt: skip


def pair_rows(
    solution: Solution, now: PlayedPosition, state: State, undone: PositionStrata | None
) -> Iterator[MoveRow]:
    """Where both players choose at once: all pairs of choices, their bars as long as the pairs are
    probable; where a person plays one side, only what they may choose."""
    found = mixed_choices(solution, now.position)
    if found is None:
        return
    game, wide = solution.game, len(found.moves[1])
    roles = state.roles if state.ply is None else ()
    persons = [i for i, role in enumerate(roles) if role == PERSON]
    if len(persons) == 1:
        own = persons[0]
        drawn = pair_number(solution, now.position, roles, dice(state.seed, now.ply))
        for i, choice in enumerate(found.moves[own]):
            number = drawn // wide * wide + i if own else i * wide + drawn % wide
            text = game.move_text(now.position, choice)
            yield MoveRow(number, text, state.after(number).url(), "", "", "", 0)
        return
    kinds = [*map(_kind, undone.moves)] if undone else [""] * len(found.pairs())
    for number, (pair, share) in enumerate(found.pairs()):
        text, url = pair_text(game, now.position, pair), state.after(number).url()
        if state.hidden:
            yield MoveRow(number, text, url, "", "", "", 0, kind=kinds[number])
            continue
        value = words.number(found.cells[number // wide][number % wide])
        often = share_text(share if found.exact else float(share))
        bar = round(100 * float(share), 1)
        yield MoveRow(number, text, url, value, often, "", bar, kind=kinds[number])


def pair_table(
    solution: Solution, now: PlayedPosition, pairs: Sequence[MoveRow]
) -> PairTable | None:
    """All pairs as a matrix; None where nobody, or not both, may be chosen for, where values are
    hidden, or if it is too wide."""
    found = mixed_choices(solution, now.position) if pairs and pairs[0].value else None
    if found is None or len(found.moves[1]) > WIDEST:
        return None
    game, wide = solution.game, len(found.moves[1])
    mine, theirs = (
        [
            (game.move_text(now.position, m), share_text(x if found.exact else float(x)))
            for m, x in zip(found.moves[i], found.shares[i], strict=True)
        ]
        for i in (0, 1)
    )
    return PairTable(
        tuple(theirs),
        tuple(
            (text, share, tuple(pairs[wide * i : wide * (i + 1)]))
            for i, (text, share) in enumerate(mine)
        ),
    )


def mixtures(solution: Solution, now: PlayedPosition) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where both players choose at once: each player, and what they choose with which probability
    by an optimal mixed strategy."""
    for i, choices in enumerate(solution.choices(now.position)):
        played = [each for each in choices if each.probability]
        told = tuple(f"{each.text} with {share_text(each.probability)}" for each in played)
        yield solution.game.player_name(i), told


def _kind(move: StratumMove) -> str:
    """Whether a move can be undone, and if not, to which stratum it leads, if that has a number
    that says something."""
    named = stratum_number(move.stratum) is not None
    return f"{move.word}, to {move.stratum}" if named and not move.recurrent else move.word


def stratum_number(stratum: int | None) -> int | None:
    """The number of a stratum, if it is one for people."""
    return stratum if stratum is not None and abs(stratum) < LARGEST_NUMBER else None


def _bars(values: Sequence[Value], *, minimise: bool, chances: bool) -> Iterator[float]:
    """How long the bars of moves are: a chance to win as it is, out of 100; else from the worst to
    the best. Wins that come sooner and losses that come later are longer."""
    if chances:
        yield from (round(100 * min(max(float(value), 0.0), 1.0), 1) for value in values)
        return
    outcome = values[0].kind == "outcome"
    depths = [float(value.depth or 0) for value in values] if outcome else []
    latest = max(depths, default=0.0) + 1
    worth = [float(value) for value in values]
    if outcome:
        worth = [2 * w - w * d / latest for w, d in zip(worth, depths, strict=True)]
    finite = [each for each in worth if abs(each) != float("inf")]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    if minimise:
        low, high = high, low
    for value in worth:
        share = 100.0 if high == low else 15 + 85 * (value - low) / (high - low)
        yield round(min(max(share, 2), 100), 1)


def event_rows(
    solution: Solution, now: PlayedPosition, state: State, undone: PositionStrata | None
) -> Iterator[EventRow]:
    """What chance may bring, in the order of the rules."""
    if now.mover != CHANCE:
        return
    for number, event in enumerate(solution.chances(now.position)):
        values = tuple(map(words.short, event.values))
        kind = _kind(undone.moves[number]) if undone else ""
        url = state.after(number).url()
        shown = () if solution.facts.scalar else values
        value = words.number(event.values[0])
        yield EventRow(str(event.probability), event.child, url, value, shown, kind)


def thrown(solution: Solution, now: PlayedPosition, state: State) -> str:
    """The address after the dice are thrown; empty where nothing is left to chance."""
    if now.mover != CHANCE:
        return ""
    number = throw(solution.events(now.position), dice(state.seed, now.ply))
    return state.after(number).url()


def main_line(solution: Solution, now: PlayedPosition, state: State) -> Iterator[tuple[str, str]]:
    """Best play from here on, each step with its address."""
    for step in best_play(solution, now.position, LINE):
        state = state.after(step.number)
        event = step.move.removeprefix("chance ")  # which one it is, only the position says
        yield (
            f"{event}: {solution.game.text(step.position)}" if step.by == CHANCE else step.move,
            state.url(),
        )
