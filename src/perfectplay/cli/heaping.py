"""The commands for impartial games: heaps by a code, and rules that have nim values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfectplay.cli import render
from perfectplay.cli.folders import memory_bytes
from perfectplay.cli.options import GameName, Json, Memory, Parameters
from perfectplay.errors import TooLargeError, UsageError
from perfectplay.rules.load import load

if TYPE_CHECKING:
    from perfectplay.schemas.sums import GrundyJson, HeapsJson
    from perfectplay.sums.heaps.heap_game import HeapGame
    from perfectplay.sums.heaps.misere import Misere

ROW = 20
"""Values in a line."""
ROWS = 20
"""Lines of values that are shown, at most; and heaps listed."""
MANY = 60
SEARCH = 1 << 11
"""Heaps among which a period is sought even if fewer values are asked for."""


def heaps(
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE",
            help="A code such as 0.77, 4.(3) or 0.333…, a name such as kayles or nim, "
            '"take 1,3,4", or "all but 2".',
        ),
    ],
    *,
    to: Annotated[
        int | None,
        typer.Option(
            "--to", metavar="N", min=0, help="Values of heaps 0 to N. Default: 39, misère 20."
        ),
    ] = None,
    position: Annotated[
        str | None,
        typer.Option(
            "--position", metavar="HEAPS", help="Who wins from these heaps, and how: 3,5,7."
        ),
    ] = None,
    misere: Annotated[
        bool, typer.Option("--misere", help="Misère play: who cannot move wins.")
    ] = False,
    json: Json = False,
) -> None:
    """Tell nim values of heaps that are taken from and split, their period, and who wins.

    Example: perfectplay heaps kayles --position 3,5,7
    """
    from perfectplay.sums.heaps.heap_game import heap_game
    from perfectplay.sums.heaps.misere import Misere

    game = heap_game(code)
    asked = None if position is None else _heaps(position)
    if misere:
        found = _misere(Misere(game), 20 if to is None else to, asked)
    else:
        found = _normal(game, to, asked)
    if json:
        render.emit(found)
    elif misere:
        _show_misere(found)
    else:
        _show(found)


def _heaps(text: str) -> list[int]:
    words = re.split(r"[,\s+]+", text.strip())
    if not all(word.isdecimal() and len(word) < 40 for word in words):
        raise UsageError(f"{text!r} is no list of heaps", "write them as 3,5,7")
    return [int(word) for word in words]


# -- Normal play. ---------------------------------------------------------------------------------


def _normal(game: HeapGame, to: int | None, asked: list[int] | None) -> HeapsJson:
    values = game.values(2 * ROW - 1 if to is None else to).tolist()
    period = game.period(max(len(values), SEARCH))
    out: HeapsJson = {"code": game.text, "values": values, "period": period.as_json()}
    if not period.found:
        space = game.sparse_space(min(period.checked - 1, 1 << 16))
        out["sparse_space"] = {
            "mask": space.mask,
            "rare": list(space.rare),
            "checked": space.checked,
        }
    if asked is not None:
        moves = [move.text for move in game.winning_moves(asked)]
        out["position"] = {
            "heaps": asked,
            "values": [game.value(heap) for heap in asked],
            "value": game.nim_sum(asked),
            "wins": bool(moves),
            "winning_moves": moves,
        }
    return out


def _show(found: HeapsJson) -> None:

    period = found["period"]
    rows = [("code", found["code"])]
    if period["length"]:
        step = f", saltus {period['saltus']:,}" if period["saltus"] else ""
        rows.append(("period", f"{period['length']:,}{step} from heap {period['start']:,} on"))
        said = period["reason"] if period["proved"] else f"not proved: {period['reason']}"
        rows.append(("proof" if period["proved"] else "", said))
        rows.append(("pattern", _listed(period["pattern"])))
        if period["exceptions"]:
            shown = [f"{heap}:{value}" for heap, value in period["exceptions"]]
            rows.append(("exceptions", _listed(shown)))
    else:
        space = found["sparse_space"]
        rows.append(("period", f"none up to heap {period['checked'] - 1:,}"))
        places = [str(1 << i) for i in range(space["mask"].bit_length()) if space["mask"] >> i & 1]
        few = f"{len(space['rare']) - 1:,} of {space['checked'] - 1:,} heaps"
        rows.append(("sparse space", f"binary places {' '.join(places)} even in {few}"))
    rows += _position_rows(found)
    render.columns(rows)
    render.say()
    _show_values(found["values"])


def _listed(items: list[Any], between: str = " ") -> str:
    shown = between.join(map(str, items[:MANY]))
    return shown + (f" … ({len(items):,} in all)" if len(items) > MANY else "")


def _position_rows(found: HeapsJson) -> list[tuple[str, str]]:
    if "position" not in found:
        return []
    position = found["position"]
    rows = [("position", " ".join(map(str, position["heaps"])))]
    if position.get("value") is not None:
        rows.append(("nim value", str(position["value"])))
        written = " ".join(f"{value:b}" for value in position.get("values", []))
        rows.append(("in binary", f"{written}, the sum without carrying {position['value']:b}"))
    rows.append(("who begins", "wins" if position["wins"] else "loses"))
    if position["wins"]:
        rows.append(("wins by", _listed(position["winning_moves"], ", ")))
    return rows


def _show_values(values: list[Any]) -> None:
    """Values in lines of twenty; of many lines only the first and the last."""

    lines = [
        (f"{begin:,}", *map(str, values[begin : begin + ROW]))
        for begin in range(0, len(values), ROW)
    ]
    if len(lines) > ROWS:
        lines = [*lines[: ROWS - 2], ("…",), *lines[-2:]]
    render.columns(lines, ("heap", *(f"+{i}" for i in range(min(ROW, len(values))))))


# -- Misère play. ---------------------------------------------------------------------------------


def _misere(game: Misere, to: int, asked: list[int] | None) -> HeapsJson:
    quotient, trouble = game.quotient, ""
    for heap in asked or []:
        game.options(heap)  # refuses what is too large
    try:
        quotient.extend(max(to, *(asked or [0])))
    except TooLargeError as error:
        trouble = f"{error.message}: {error.hint}"
    period = quotient.period()
    known = quotient.classes[: to + 1]
    out: HeapsJson = {
        "code": game.game.text,
        "quotient": {
            "heaps": quotient.heaps,
            "classes": quotient.size,
            "lost": quotient.lost,
            "period": {"length": period.length, "start": period.start} if period else None,
            "reason": trouble,
            "names": [quotient.name(q) for q in known],
            "lost_heaps": [n for n, q in enumerate(known) if q in quotient.monoid.lost],
        },
    }
    if asked is not None:
        moves = [move.text for move in game.winning_moves(asked)]
        out["position"] = {"heaps": asked, "wins": game.wins(asked), "winning_moves": moves}
    return out


def _show_misere(found: HeapsJson) -> None:

    quotient = found["quotient"]
    rows = [("code", f"{found['code']}, misère")]
    size = f"{quotient['classes']} classes, {quotient['lost']} of them lost"
    rows.append(("quotient", f"{size}; proved for heaps up to {quotient['heaps']}"))
    if quotient["period"]:
        length, start = quotient["period"]["length"], quotient["period"]["start"]
        rows.append(("period", f"{length} from heap {start} on: proved for all heaps"))
    if quotient["reason"]:
        rows.append(("note", quotient["reason"]))
    rows.append(("lost heaps", _listed(quotient["lost_heaps"]) or "none"))
    rows += _position_rows(found)
    render.columns(rows)
    render.say()
    _show_values(quotient["names"])


# -- Rules. ---------------------------------------------------------------------------------------


def grundy(
    game: GameName,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="Default: the start.")
    ] = None,
    parameter: Parameters = None,
    *,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Tell the nim value of a position of an impartial game, and the moves that win.

    Example: perfectplay grundy nim "5 4 2 1" -p heaps=5,4,3,2
    """
    from perfectplay.searching.search import position_of
    from perfectplay.sums.grundy_values import grundy as run

    rules = load(game, parameter or [])
    with render.watching() as progress:
        found = run(rules, memory=memory_bytes(memory), progress=progress)
    p: Any = found.start if position is None else position_of(rules, position)
    value, moves = found.value(p), found.winning_moves(p)
    counts = found.counts()
    answer: GrundyJson = {
        "position": rules.text(p),
        "value": value,
        "wins": value != 0,
        "winning_moves": moves,
        "positions": found.positions,
        "counts": [[each, many] for each, many in counts.items()],
    }
    if json:
        render.emit(answer)
        return
    rows = [("position", rules.text(p)), ("nim value", str(value))]
    rows.append(("who begins", "wins" if value else "loses"))
    rows += [("wins by", _listed(moves, ", "))] if value else []
    rows.append(("positions", f"{found.positions:,} looked at"))
    render.columns(rows)
    render.say()
    shown = [(str(each), f"{many:,}") for each, many in counts.items()]
    render.columns(shown[:MANY], ("nim value", "positions"))
