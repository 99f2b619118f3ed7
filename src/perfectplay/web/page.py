"""What a page shows of one position, as data for its template: every move with its link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from perfectplay.answer.analysis import MoveAnalysis
from perfectplay.answer.faces.explain import Equation, explain
from perfectplay.answer.faces.match import (
    CostlyMove,
    PlayedPosition,
    mistakes,
    number_lost,
    replay,
)
from perfectplay.answer.faces.opponents import PERSON, dice, known, pair_number, reply, throw
from perfectplay.answer.faces.strata import PositionStrata, strata
from perfectplay.answer.solution import Solution
from perfectplay.errors import UsageError
from perfectplay.rules.capabilities import Charted
from perfectplay.rules.game import CHANCE, OVER, SIMULTANEOUS, Game, alternate, declares
from perfectplay.web import board, several, words
from perfectplay.web.about import AboutGame, about
from perfectplay.web.collection import Collection, Opened
from perfectplay.web.listing import (
    EventRow,
    MoveRow,
    PairTable,
    event_rows,
    judged,
    listed,
    main_line,
    mixtures,
    pair_rows,
    pair_table,
    stratum_number,
    thrown,
)
from perfectplay.web.state import LONGEST_LINE, State
from perfectplay.web.trees import DrawnTree, drawn_tree

ROLES = (
    (PERSON, "a person"),
    ("perfect", "perfect play"),
    ("stubborn", "resists longest"),
    ("skill", "plays with skill"),
    ("random", "any legal move"),
)
"""Who may play a side, as the page calls them; opponents.py has them all."""
MARKS = {"good": "● best", "bad": "\N{EN DASH} a mistake"}
"""What the marks on a board mean."""
LOOKED = 4_000
"""Positions that are looked at to find out which moves can be undone."""
MOST_TERMS = 40
"""Equations with more terms are not shown."""
LONGEST_WEIGHT = 10**6
"""Nor those with probabilities over larger denominators."""


@dataclass(frozen=True)
class Page:
    """Everything on the page of a position."""

    state: State
    title: str
    about: AboutGame
    parameters: tuple[str, ...]
    position: str
    board: Markup
    hints: tuple[str, ...]
    """What a newcomer may want to know about the board."""
    mover: str
    over: bool
    value: str
    decimal: str
    """The value as a decimal, if it is a fraction."""
    sure: str
    unit: str
    whose: str
    """To whom the position is worth that, if it is not clear: nobody moves, or both do."""
    others: tuple[tuple[str, str], ...]
    """What the position is worth to each player, if there are more than two or nobody moves."""
    moves: tuple[MoveRow, ...]
    events: tuple[EventRow, ...]
    throw: str
    """The address after the dice are thrown."""
    next_move: str
    """The address after the next move, where no person plays."""
    history: Markup
    scale: str
    """Whose value the graph shows, in words."""
    steps: tuple[tuple[str, str, bool], ...]
    """The moves of the line: text, address, whether it is the one shown."""
    main_line: tuple[tuple[str, str], ...]
    branches: tuple[tuple[str, str], ...]
    equation: Equation | None
    mistakes: tuple[CostlyMove, ...]
    totals: tuple[str, ...]
    """What the mistakes of each player come to."""
    names: tuple[str, ...]
    vectors: bool
    """Whether moves are worth something else to each player, not one number."""
    ties: tuple[str, ...]
    """What it means that several moves are best."""
    coalitions: tuple[tuple[str, str], ...]
    """Who plays with whom, and what each side wants."""
    stratum: int | None
    """The stratum of the position, if the rules declare any, and number them for people."""
    strata: PositionStrata | None
    """Which moves can be undone, if that was asked."""
    mixtures: tuple[tuple[str, tuple[str, ...]], ...]
    """Where both players choose at once: how each of them chooses at best."""
    pairs: PairTable | None
    """The moves as a matrix, where both players choose at once."""
    tree: DrawnTree | None
    """The game tree below the position, if that was asked."""
    charted: bool
    """Whether there is a chart of the strategy."""
    settable: bool
    """Whether there are parameters that can be changed."""
    result: str
    note: str
    values_hidden: bool
    skill: str
    """How good a player of skill is, in percent."""
    roles: tuple[tuple[str, str], ...]
    """Who can play a side: the name in the address, and in words."""


def page(collection: Collection, opened: Opened, state: State) -> Page:
    """The page of a position of a solved game; UsageError if the address makes no sense."""
    solution = opened.solution
    assert solution is not None
    game = solution.game
    positions = replay(solution, first(solution, state), state.line)
    now = positions[min(len(state.shown), len(positions) - 1)]
    names = _names(solution)
    mine, both = _may_move(state, now), now.mover == SIMULTANEOUS
    texts = {move.number: move.text for move in solution.moves(now.position)} if mine else {}
    clickable = mine and now.mover >= 0
    hidden = state.hidden and now.mover != OVER
    undone = strata(game, now.position, LOOKED) if state.ask == "strata" else None
    moves = judged(solution, now) if mine and not hidden else ()
    tones = {move.number: words.tone(move) for move in moves}
    picture, _ = board.board(
        game, now.position, state, clickable=clickable, texts=texts, tones=tones
    )
    chances = game.players > 1 and words.unit(solution.facts) == words.CHANCE_TO_WIN
    own = now.values[max(now.mover, 0)]
    costly = () if hidden else tuple(mistakes(solution, positions))
    limits = board.limits(positions, now.values[0].kind, chance=chances)
    rows = tuple(_rows(solution, now, state, moves, undone)) if mine or both else ()
    return Page(
        state=state,
        title=opened.exhibit.key,
        about=about(opened.exhibit.spec, game),
        parameters=words.settings(opened.parameters),
        position=game.text(now.position),
        board=picture,
        hints=_hints(game, picture, tones),
        mover=_mover(solution, now, names),
        over=now.mover == OVER,
        value=words.number(own),
        decimal=words.about(own),
        sure=words.sure(own),
        unit=words.unit(solution.facts),
        whose=f"to {names[0]}" if now.mover < 0 and len(names) > 1 else "",
        others=tuple(
            (names[i], words.number(v))
            for i, v in enumerate(now.values)
            if len(now.values) > 2 or now.mover < 0
        ),
        moves=rows,
        pairs=pair_table(solution, now, rows) if both and not undone else None,
        events=tuple(event_rows(solution, now, state, undone)),
        throw=thrown(solution, now, state),
        next_move=_watched(collection, solution, now, state),
        history=board.history(positions, state, limits, names),
        scale=board.scale(names),
        steps=tuple(
            (each.by.text if each.by else "start", state.jump(i).url(), i == len(state.shown))
            for i, each in enumerate(positions)
        ),
        main_line=() if hidden else tuple(main_line(solution, now, state)),
        branches=tuple((_branch(each, state), state.along(each).url()) for each in state.branches),
        equation=None if hidden else _equation(solution, now),
        mistakes=costly,
        totals=tuple(_totals(costly, names)),
        names=tuple(names),
        vectors=not solution.facts.scalar,
        ties=several.ties(solution, moves, now.mover, names),
        coalitions=several.coalitions(solution),
        stratum=stratum_number(game.stratum(now.position) if declares(game, "stratum") else None),
        strata=undone,
        mixtures=() if hidden else tuple(mixtures(solution, now)),
        tree=drawn_tree(solution, now.position) if state.ask == "tree" and not hidden else None,
        charted=isinstance(game, Charted),
        settable=opened.exhibit.solution is None and bool(opened.parameters),
        result=_result(now, names, chances=chances) if now.mover == OVER else "",
        note=solution.table.note(now.position) if hasattr(solution.table, "note") else "",
        values_hidden=hidden,
        skill=next((r.partition(":")[2] for r in state.roles if r.startswith("skill:")), "70"),
        roles=(*ROLES, *((name, name) for name in collection.policies)),
    )


def _rows(
    solution: Solution,
    now: PlayedPosition,
    state: State,
    moves: Sequence[MoveAnalysis],
    undone: PositionStrata | None,
) -> Iterator[MoveRow]:
    """The moves of the list: of who is to move, or pairs where both are."""
    if now.mover == SIMULTANEOUS:
        return pair_rows(solution, now, state, undone)
    return listed(solution, now, state, moves, undone)


def _hints(game: Game, picture: Markup, tones: Mapping[int, str]) -> tuple[str, ...]:
    """What a newcomer may want to know about a board: that it can be clicked, what its marks
    mean, and by whom it is seen, if the rules leave it to us to draw what the mover sees."""
    said = []
    if 'class="place"' in picture:
        said.append("Click on the board or choose from the list.")
    shown = [mean for tone, mean in MARKS.items() if f'class="tone {tone}"' in picture]
    if shown:
        said.append(f"{', '.join(shown)}.")
    if alternate(game) and not declares(game, "picture") and tones:
        said.append("Drawn as the player to move sees it.")
    return tuple(said)


def first(solution: Solution, state: State) -> Any:
    """The position at which the line of an address begins."""
    return solution.position(state.at) if state.at else solution.start


def advanced(collection: Collection, opened: Opened, state: State) -> State:
    """The state in which a person is to move, or play has ended: other players and the dice have
    moved until then. The same state if nobody else is to move, or if no person plays: then every
    move is asked for."""
    solution = opened.solution
    if not state.roles or solution is None:
        return state
    if len(state.roles) != solution.game.players:
        raise UsageError(
            f"play={','.join(state.roles)}: there are {solution.game.players} players"
        )
    for role in state.roles:
        if role != PERSON:
            known(role, collection.policies)
    if PERSON not in state.roles or state.ply is not None:
        return state
    now = replay(solution, first(solution, state), state.line)[-1]
    line = list(state.line)
    while now.mover != OVER and len(line) < LONGEST_LINE:
        if now.mover == SIMULTANEOUS or (now.mover >= 0 and state.roles[now.mover] == PERSON):
            break  # where both choose at once, a person is one of them
        line.append(_chosen(collection, solution, now, state))
        now = _next(solution, now, line[-1])
    return replace(state, line=tuple(line))


def _chosen(collection: Collection, solution: Solution, now: PlayedPosition, state: State) -> int:
    """The number of what follows where no person moves: an event, a player's
    move, or what two players choose at once."""
    roll = dice(state.seed, now.ply)
    if now.mover == CHANCE:
        return throw(solution.events(now.position), roll)
    if now.mover == SIMULTANEOUS:
        return pair_number(solution, now.position, state.roles, roll)
    return reply(solution, now.position, state.roles[now.mover], roll, collection.policies)


def _watched(collection: Collection, solution: Solution, now: PlayedPosition, state: State) -> str:
    """The address after the next move of a game that no person plays; else nothing."""
    if not state.roles or PERSON in state.roles or state.ply is not None or now.mover == OVER:
        return ""
    return state.after(_chosen(collection, solution, now, state)).url()


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


def _mover(solution: Solution, now: PlayedPosition, names: list[str]) -> str:
    if now.mover == OVER:
        return "Play has ended"
    if now.mover < 0:
        return "Chance decides" if now.mover == CHANCE else "Both players choose at once"
    return f"{several.on_turn(solution, now.position, now.mover, names)} to move"


def _result(now: PlayedPosition, names: list[str], *, chances: bool) -> str:
    values = now.values
    if values[0].kind == "outcome" or chances:
        won = next((i for i, value in enumerate(values) if value.lower > 0), None)
        return "a draw" if won is None else f"{names[won]} wins"
    return ", ".join(f"{name}: {words.number(v)}" for name, v in zip(names, values, strict=True))


def _totals(costly: Sequence[CostlyMove], names: Sequence[str]) -> Iterator[str]:
    """How many mistakes each player made, and what they cost together where that is a number."""
    for i, name in enumerate(names):
        own = [each for each in costly if each.by == i]
        if not own:
            continue
        said = f"{name}: {len(own)} {'mistake' if len(own) == 1 else 'mistakes'}"
        if any(each.change for each in own):
            yield said
            continue
        fractions = [each.exact for each in own if each.exact is not None]
        exact = sum(fractions, Fraction(0)) if len(fractions) == len(own) else None
        yield f"{said}, {number_lost(sum(each.loss for each in own), exact)} in all"


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
