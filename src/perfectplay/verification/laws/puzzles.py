"""Whether what rules say for searches of one player holds: abstractions, positions of equal cost,
forced moves. Each is compared with the moves of the rules, and with the values of all positions
where these are few enough to be known."""

from __future__ import annotations

from typing import Any

from perfectplay.errors import PerfectPlayError, RulesError
from perfectplay.rules.game import OVER, Game, declares
from perfectplay.rules.search_capabilities import (
    Abstractions,
    ForcedMoves,
    MoveOrder,
    abstractions,
    forces,
)
from perfectplay.searching.one_player.best_line import play_forced
from perfectplay.searching.one_player.estimate import DEAD
from perfectplay.searching.one_player.plain import PlainBound
from perfectplay.searching.patterns.databases import group_of
from perfectplay.verification.check_position import Findings

LOOKS = 200
"""Positions whose moves are compared with those of blurred ones."""


def puzzles_hold(game: Game, finder: Findings, positions: list[Any], *, complete: bool) -> None:
    """What guides searches for one player must agree with the rules."""
    for law in (abstractions_hold, forced_moves_hold, move_order_holds):
        try:
            law(game, positions, complete=complete)
        except PerfectPlayError as error:
            finder.add(error.message.partition("(")[0], error.message, error.hint)


def abstractions_hold(game: Game, positions: list[Any], *, complete: bool) -> None:
    """RulesError where abstractions contradict the rules."""
    rules = abstractions(game)
    if rules is None:
        return
    for k in range(rules.blurs):
        group_of(rules, k)
    for p in positions[:LOOKS]:
        for k in range(rules.blurs):
            _blurred(game, rules, p, k)
        if declares(game, "twin"):
            _twins(game, rules, p)
    if complete:
        _bounded(game, rules, positions)


def _blurred(game: Game, rules: Abstractions, p: Any, k: int) -> None:
    """Whatever can be done at `p` can be done at `blur(p, k)`, and leads to the same, blurred."""
    fuzzy, numbered = rules.blur(p, k), declares(game, "blur_index")
    if numbered:
        _numbered(game, rules, (p, fuzzy), k)
    if declares(game, "blur_steps"):
        _stepped(game, rules, fuzzy, k)
    goals = {rules.blur(goal, k) for goal in rules.goals()}
    here = [] if game.to_move(p) == OVER else list(game.moves(p))
    if not here and fuzzy not in goals:
        raise RulesError(
            f"goals() leaves out {game.text(p)}, where play ends",
            "yield every position where play may end",
        )
    there = set(game.moves(fuzzy)) if here and fuzzy not in goals else set(here)
    for m in here:
        if m not in there:
            raise RulesError(
                f"blur(p, {k}) does not allow move {game.move_text(p, m)} of {game.text(p)}",
                "a blurred position must allow all moves of the positions that look like it",
            )
        if fuzzy in goals:
            continue
        q, after = game.play(p, m), game.play(fuzzy, m)
        if rules.blur(q, k) != rules.blur(after, k):
            raise RulesError(
                f"blur(p, {k}): move {game.move_text(p, m)} of {game.text(p)} leads elsewhere "
                "when it is blurred",
                "what is forgotten must not change what is remembered",
            )
        if numbered and rules.blur_index(q, k) != rules.blur_index(after, k):
            raise RulesError(
                f"blur_index(p, {k}): move {game.move_text(p, m)} of {game.text(p)} leads to "
                "another number when it is blurred",
                "the numbers must say what blur(p, k) is, and nothing else",
            )


def _stepped(game: Game, rules: Abstractions, fuzzy: Any, k: int) -> None:
    """What `blur_steps` yields is what moves lead to, one by one."""
    (i, rest), group = rules.blur_index(fuzzy, k), group_of(rules, k)
    free, queue, counted = {rest}, [fuzzy], set[tuple[int, int]]()
    while queue:
        q = queue.pop()
        for m in game.moves(q):
            counts = group < 0 or rules.counts_in(q, m, group) == k
            after = game.play(q, m)
            place = rules.blur_index(after, k)
            if counts:
                counted.add(place)
            elif place[0] == i and place[1] not in free:
                free.add(place[1])
                queue.append(after)
    (number, closed), *told = rules.blur_steps(i, 1 << rest, k)
    named = {(j, r) for j, rests in told for r in range(rests.bit_length()) if rests >> r & 1}
    if (number, closed) != (i, sum(1 << r for r in free)) or named != counted:
        raise RulesError(
            f"blur_steps({i}, {1 << rest}, {k}) does not yield what moves lead to",
            "first the number with all second numbers that free moves lead to, then what moves "
            "that count lead to from there",
        )


def _numbered(game: Game, rules: Abstractions, both: tuple[Any, Any], k: int) -> None:
    found = [rules.blur_index(p, k) for p in both]
    sizes = rules.blur_sizes(k)
    if found[0] != found[1] or not all(0 <= i < n for i, n in zip(found[0], sizes, strict=True)):
        raise RulesError(
            f"blur_index(p, {k}) is {found[0]} at {game.text(both[0])}, and {found[1]} when it is "
            f"blurred; blur_sizes({k}) is {sizes}",
            "it says the same of p and of blur(p, k), below blur_sizes(k)",
        )
    if declares(game, "blur_at"):
        place = rules.blur_index(rules.blur_at(found[0][0], k), k)
        least = {rules.blur_least(p, k) for p in (*both, rules.blur_at(found[0][0], k))}
        if place != (found[0][0], 0) or len(least) > 1:
            raise RulesError(
                f"blur_at({found[0][0]}, {k}) has the numbers {place}, and blur_least says "
                f"{sorted(least)} of what has the first one",
                "blur_at(i, k) has the numbers (i, 0); blur_least depends on the first one only",
            )


def _twins(game: Game, rules: Abstractions, p: Any) -> None:
    others = list(rules.also(p))
    if len(others) != 1:
        raise RulesError(
            f"also(p) yields {len(others)} positions at {game.text(p)}, but there is a twin",
            "with twin, also yields exactly one position",
        )
    for m in game.moves(p) if game.to_move(p) != OVER else ():
        if list(rules.also(game.play(p, m))) != [game.play(others[0], rules.twin(p, m))]:
            raise RulesError(
                f"twin(p, m) of move {game.move_text(p, m)} at {game.text(p)} leads elsewhere",
                "it leads from also(p) to also(play(p, m))",
            )


def _bounded(game: Game, rules: Abstractions, positions: list[Any]) -> None:
    """Databases must not promise more than the values."""
    costs = _costs(game)
    bound = PlainBound(game, next(iter(game.starts())))
    if declares(game, "blur_least"):
        _at_least(game, rules, positions, bound)
    for p in positions:
        low, cost = bound(p), costs(p)
        if low > cost:
            told = "that it cannot be ended" if low >= DEAD else f"at least {low}"
            raise RulesError(
                f"blur(p, k): the databases say {told} of {game.text(p)}, which costs {cost}",
                "costs may be added only if every move counts in one abstraction of a group "
                "(counts_in), and goals() must yield every end",
            )
        for q in rules.also(p) if declares(game, "also") else ():
            if costs(q) != cost:
                raise RulesError(
                    f"also(p): {game.text(q)} costs {costs(q)}, {game.text(p)} costs {cost}",
                    "yield positions of equal cost",
                )


def _at_least(game: Game, rules: Abstractions, positions: list[Any], bound: PlainBound) -> None:
    """`blur_least` promises no more than the least cost of what has the same first number."""
    for p in positions[:LOOKS]:
        for k in range(rules.blurs):
            cost, (least, step) = bound.cost(p, k), rules.blur_least(p, k)
            if cost is not None and (cost < least or (cost - least) % step):
                raise RulesError(
                    f"blur_least(p, {k}) is {(least, step)} at {game.text(p)}, which costs {cost} "
                    "in that abstraction",
                    "it costs the first of the two, or a multiple of the second more",
                )


def forced_moves_hold(game: Game, positions: list[Any], *, complete: bool) -> None:
    """RulesError where a forced move loses something, or is none."""
    rules = forces(game)
    if rules is None:
        return
    for p in positions[:LOOKS]:
        _allowed(game, rules, p)
    if complete:
        costs = _costs(game)
        for p in positions:
            for m in rules.forced(p):
                best = costs(p)
                if game.reward(p, m) + costs(game.play(p, m)) != best:
                    raise RulesError(
                        f"forced(p): {game.move_text(p, m)} at {game.text(p)} costs more than the "
                        f"best move, by which it takes {best}",
                        "yield only moves that are as good as any",
                    )


def _allowed(game: Game, rules: ForcedMoves, p: Any) -> None:
    forced = list(rules.forced(p))
    allowed = list(game.moves(p)) if game.to_move(p) != OVER else []
    if any(m not in allowed for m in forced):
        raise RulesError(
            f"forced(p) yields what is no move at {game.text(p)}", "yield one of moves(p), or none"
        )
    play_forced(game, p)


def move_order_holds(game: Game, positions: list[Any], *, complete: bool) -> None:
    """RulesError where a move that need not be tried leads somewhere else than those that are."""
    if not isinstance(game, MoveOrder):
        return
    for p in positions[: LOOKS // 4]:
        tried = {game.representative(p): 0}
        for _, q, cost in _pairs(game, p, wanted=True):
            tried[q] = min(cost, tried.get(q, cost))
        for text, q, cost in _pairs(game, p, wanted=False):
            if tried.get(q, DEAD) > cost:
                raise RulesError(
                    f"follows(last, m) leaves out {text} at {game.text(p)}, which no other moves "
                    "that are tried do at that cost",
                    "leave out a move only if one move, or two in another order, do the same",
                )


def _pairs(game: Any, p: Any, *, wanted: bool) -> Any:
    """(moves, position, cost) for one move, if wanted, and for all pairs of moves at `p` of which
    `follows` says that the second is to be tried, or not."""
    for m in game.moves(p) if game.to_move(p) != OVER else ():
        q, cost = game.play(p, m), game.reward(p, m)
        if wanted:
            yield "", game.representative(q), cost
        for n in game.moves(q) if game.to_move(q) != OVER else ():
            if bool(game.follows(m, n)) == wanted:
                text = f"{game.move_text(p, m)} and {game.move_text(q, n)}"
                yield text, game.representative(game.play(q, n)), cost + game.reward(q, n)


def _costs(game: Game) -> Any:
    """The cost of every position, by a solved game."""
    from perfectplay.answer.solve import solve

    solution = solve(game, plain=True, workers=1)
    return lambda p: solution.values(p)[0].lower
