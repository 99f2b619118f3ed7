"""What a page shows of one position, as data for its template: every move with its link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from perfectplay.answer.analysis import share_text
from perfectplay.answer.faces.explain import Equation, explain
from perfectplay.answer.faces.match import CostlyMove, PlayedPosition, mistakes, replay
from perfectplay.answer.faces.mixed_choices import mixed_choices
from perfectplay.answer.faces.opponents import BUILT_IN, dice, known, pair_number, reply, throw
from perfectplay.answer.lines import pair_text
from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, alternate
from perfectplay.web import board, words
from perfectplay.web.collection import Collection, Opened
from perfectplay.web.state import LONGEST_LINE, State

PERSON = "person"
MOST_TERMS = 40
"""Equations with more terms are not shown."""
LONGEST_WEIGHT = 10**6
"""Nor those with probabilities over larger denominators."""
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


@dataclass(frozen=True)
class EventRow:
    """One thing that chance may bring."""

    probability: str
    child: str
    url: str
    value: str


@dataclass(frozen=True)
class Page:
    """Everything on the page of a position."""

    state: State
    title: str
    parameters: dict[str, Any]
    position: str
    board: Markup
    mover: str
    over: bool
    value: str
    sure: str
    unit: str
    others: tuple[tuple[str, str], ...]
    """What the position is worth to each player, if there are more than two or nobody moves."""
    moves: tuple[MoveRow, ...]
    events: tuple[EventRow, ...]
    throw: str
    """The address after the dice are thrown."""
    history: Markup
    steps: tuple[tuple[str, str, bool], ...]
    """The moves of the line: text, address, whether it is the one shown."""
    main_line: tuple[tuple[str, str], ...]
    branches: tuple[tuple[str, str], ...]
    equation: Equation | None
    mistakes: tuple[CostlyMove, ...]
    names: tuple[str, ...]
    result: str
    note: str
    values_hidden: bool
    roles: tuple[str, ...]


def page(collection: Collection, opened: Opened, state: State) -> Page:
    """The page of a position of a solved game; UsageError if the address makes no sense."""
    solution = opened.solution
    assert solution is not None
    positions = replay(solution, first(solution, state), state.line)
    now = positions[min(len(state.shown), len(positions) - 1)]
    names = _names(solution)
    mine = _may_move(state, now)
    picture, _ = board.board(solution.game, now.position, state, clickable=mine and now.mover >= 0)
    hidden = state.hidden and now.mover != OVER
    values = () if hidden else _moves(solution, now, state) if mine else ()
    chances = words.unit(solution.facts) == "chance to win"
    kind = now.values[0].kind
    who = now.mover if now.mover >= 0 else 0
    own = now.values[who]
    return Page(
        state=state,
        title=opened.exhibit.key,
        parameters=_parameters(solution),
        position=solution.game.text(now.position),
        board=picture,
        mover=_mover(now, names),
        over=now.mover == OVER,
        value=words.number(own),
        sure=words.sure(own),
        unit=words.unit(solution.facts),
        others=tuple(
            (names[i], words.number(v))
            for i, v in enumerate(now.values)
            if len(now.values) > 2 or now.mover < 0
        ),
        moves=tuple(_pairs(solution, now, state))
        if now.mover == SIMULTANEOUS
        else tuple(values)
        if not hidden
        else tuple(_plain_moves(solution, now, state) if mine else ()),
        events=tuple(_events(solution, now, state)),
        throw=_thrown(solution, now, state),
        history=board.history(positions, state, board.limits(positions, kind, chance=chances)),
        steps=tuple(
            (each.by.text if each.by else "start", state.jump(i).url(), i == len(state.shown))
            for i, each in enumerate(positions)
        ),
        main_line=() if hidden else tuple(_main_line(solution, now, state)),
        branches=tuple((_branch(each, state), state.along(each).url()) for each in state.branches),
        equation=None if hidden else _equation(solution, now),
        mistakes=tuple(mistakes(solution, positions)) if not hidden else (),
        names=tuple(names),
        result=_result(now, names) if now.mover == OVER else "",
        note=solution.table.note(now.position) if hasattr(solution.table, "note") else "",
        values_hidden=hidden,
        roles=(PERSON, *BUILT_IN, "skill:70", *collection.policies),
    )


def first(solution: Solution, state: State) -> Any:
    """The position at which the line of an address begins."""
    return solution.position(state.at) if state.at else solution.start


def advanced(collection: Collection, opened: Opened, state: State) -> State:
    """The state in which a person is to move, or play has ended: other players and the dice have
    moved until then. The same state if nobody else is to move."""
    solution = opened.solution
    if not state.roles or state.ply is not None or solution is None:
        return state
    if len(state.roles) != solution.game.players:
        raise UsageError(
            f"play={','.join(state.roles)}: there are {solution.game.players} players"
        )
    for role in state.roles:
        if role != PERSON:
            known(role, collection.policies)
    now = replay(solution, first(solution, state), state.line)[-1]
    line = list(state.line)
    while now.mover != OVER and len(line) < LONGEST_LINE:
        roll = dice(state.seed, len(line))
        if now.mover == CHANCE:
            number = throw(solution.events(now.position), roll)
        elif now.mover == SIMULTANEOUS:
            if PERSON in state.roles:
                break
            number = pair_number(solution, now.position, state.roles, roll)
        elif state.roles[now.mover] == PERSON:
            break
        else:
            role = state.roles[now.mover]
            number = reply(solution, now.position, role, roll, collection.policies)
        line.append(number)
        now = _next(solution, now, number)
        if PERSON not in state.roles and len(line) > len(state.line):
            break  # nobody waits for anybody: one move at a time
    return replace(state, line=tuple(line))


def _next(solution: Solution, now: PlayedPosition, number: int) -> PlayedPosition:
    after = replay(solution, now.position, (number,))[-1]
    if not alternate(solution.game) or now.ply % 2 == 0:
        return replace(after, ply=now.ply + 1)
    mover = 1 - after.mover if after.mover >= 0 else after.mover
    return replace(after, ply=now.ply + 1, mover=mover, values=after.values[::-1])


def _may_move(state: State, now: PlayedPosition) -> bool:
    """Whether the reader may move here: always, unless somebody else plays this side."""
    if not state.roles or now.mover < 0 or now.mover >= len(state.roles):
        return now.mover >= 0
    return state.roles[now.mover] == PERSON or state.ply is not None


def _names(solution: Solution) -> list[str]:
    return [solution.game.player_name(i) for i in range(solution.game.players)]


def _parameters(solution: Solution) -> dict[str, Any]:
    from perfectplay.rules.game import parameters

    return parameters(solution.game)


def _mover(now: PlayedPosition, names: list[str]) -> str:
    if now.mover == OVER:
        return "Play has ended"
    nobody = {CHANCE: "Chance decides", SIMULTANEOUS: "Both players choose at once"}
    return nobody.get(now.mover) or f"{names[now.mover]} to move"


def _result(now: PlayedPosition, names: list[str]) -> str:
    values = now.values
    if values[0].kind == "outcome":
        won = next((i for i, value in enumerate(values) if value.lower > 0), None)
        return "a draw" if won is None else f"{names[won]} wins"
    return ", ".join(f"{name}: {words.number(v)}" for name, v in zip(names, values, strict=True))


def _pairs(solution: Solution, now: PlayedPosition, state: State) -> Iterator[MoveRow]:
    """Where both players choose at once: all pairs of choices, their bars as long as the pairs are
    probable; where a person plays one side, only what they may choose."""
    found = mixed_choices(solution, now.position)
    if found is None:
        return
    wide = len(found.moves[1])
    roles = state.roles if state.ply is None else ()
    drawn = pair_number(solution, now.position, roles, dice(state.seed, now.ply)) if roles else 0
    persons = [i for i, role in enumerate(roles) if role == PERSON]
    for number, (pair, share) in enumerate(found.pairs()):
        texts = [solution.game.move_text(now.position, m) for m in pair]
        if len(persons) == 1:
            same = number % wide == drawn % wide, number // wide == drawn // wide
            if not same[persons[0]]:
                continue
            yield MoveRow(number, texts[persons[0]], state.after(number).url(), "", "", "", 0)
            continue
        value = "" if state.hidden else words.number(found.cells[number // wide][number % wide])
        bar = 0.0 if state.hidden else round(100 * float(share), 1)
        shown = share_text(share if found.exact else float(share))
        often = "" if state.hidden else f"probability {shown}"
        yield MoveRow(number, " / ".join(texts), state.after(number).url(), value, often, "", bar)


def _moves(solution: Solution, now: PlayedPosition, state: State) -> Iterator[MoveRow]:
    """The moves, best first, each with its value."""
    listed = list(solution.game.moves(now.position))
    found = solution.moves(now.position)
    worth = [float(move.value) for move in found]
    finite = [each for each in worth if abs(each) != float("inf")]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    if solution.facts.minimise:
        low, high = high, low
    for move, value in zip(found, worth, strict=True):
        number = listed.index(move.move)
        share = 100.0 if high == low else 15 + 85 * (value - low) / (high - low)
        yield MoveRow(
            number, move.text, state.after(number).url(), words.number(move.value),
            words.cost(move), words.tone(move), round(min(max(share, 2), 100), 1),
        )  # fmt: skip


def _plain_moves(solution: Solution, now: PlayedPosition, state: State) -> Iterator[MoveRow]:
    """The moves in the order of the rules, without what they are worth."""
    for number, m in enumerate(solution.game.moves(now.position) if now.mover >= 0 else ()):
        text = solution.game.move_text(now.position, m)
        yield MoveRow(number, text, state.after(number).url(), "", "", "", 0)


def _events(solution: Solution, now: PlayedPosition, state: State) -> Iterator[EventRow]:
    if now.mover != CHANCE:
        return
    for number, event in enumerate(solution.chances(now.position)):
        value = words.number(event.values[0])
        yield EventRow(str(event.probability), event.child, state.after(number).url(), value)


def _thrown(solution: Solution, now: PlayedPosition, state: State) -> str:
    if now.mover != CHANCE:
        return ""
    number = throw(solution.events(now.position), dice(state.seed, now.ply))
    return state.after(number).url()


def _main_line(solution: Solution, now: PlayedPosition, state: State) -> Iterator[tuple[str, str]]:
    """Best play from here on, each step with its address."""
    p = now.position
    for step in solution.line(p, LINE):
        followers = _followers(solution, p)
        number = next(
            i for i, (text, q) in enumerate(followers)
            if text in ("", step.move) and solution.game.text(q) == step.position
        )  # fmt: skip
        state = state.after(number)
        yield step.move, state.url()
        p = followers[number][1]


def _followers(solution: Solution, p: Any) -> list[tuple[str, Any]]:
    """The positions after all moves, with their texts, or after all events."""
    game = solution.game
    if solution.to_move(p) == CHANCE:
        return [("", q) for q in solution.events(p)]
    both = mixed_choices(solution, p)
    if both is not None:
        return [(pair_text(game, p, m), game.play(p, m)) for m, _ in both.pairs()]
    return [(game.move_text(p, m), game.play(p, m)) for m in game.moves(p)]


def _branch(line: tuple[int, ...], state: State) -> str:
    """Where a branch leaves the line."""
    common = 0
    while common < min(len(line), len(state.line)) and line[common] == state.line[common]:
        common += 1
    return f"another line of {len(line)} moves, from move {common + 1} on"


def _equation(solution: Solution, now: PlayedPosition) -> Equation | None:
    found = explain(solution, now.position)
    long = any(term.weight.denominator > LONGEST_WEIGHT for term in found.terms)
    return found if len(found.terms) <= MOST_TERMS and not long else None
