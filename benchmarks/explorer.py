"""The explorer: how long it takes to start, what a page costs, and what a server bears.

    python benchmarks/explorer.py [--pages 200] [--seconds 60] [GAME]...

Pages are those of random play. For the processor time of a page the application is asked in this
process, first as by people who make one move after the other (walks), then for lines of moves that
nobody has asked for (jumps). For the load, `perfectplay explore` runs in a process of its own, and
eight clients make random moves on its pages at a fixed rate, on loopback. An answer that is not a
page ends the run; of every twentieth page the value is compared with the table's.
Games that are not solved yet are solved first. `--seconds 0` leaves the load out, `--pages 0` the
pages. Needs Linux."""

from __future__ import annotations

import argparse
import asyncio
import gc
import html
import http.client
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from perfectplay.answer.faces.match import replay
from perfectplay.answer.solution import Solution
from perfectplay.cli.exploring import collected
from perfectplay.rules.game import CHANCE, OVER
from perfectplay.web import words
from perfectplay.web.app import make_app
from perfectplay.web.state import State

GAMES: dict[str, tuple[str, ...]] = {
    "pig": (),
    "connect": ("width=4", "height=4"),
    "morris": (),
    "chess": (),
    "kalah": (),
    "einstein": (),
}
RATES = {"pig": 100, "morris": 30}
"""Pages a second that clients ask for."""
CLIENTS = 8
LONGEST = 24
"""Moves of the longest line."""
CHECKED = 20
"""Of so many pages one is compared with the table."""
PROGRAM = [sys.executable, "-c", "from perfectplay.cli.main import main; main()"]


# -- Random play. ---------------------------------------------------------------------------------


def choices(solution: Solution, p: Any) -> list[Any]:
    """The positions after all moves or events, in the order of the rules."""
    kind = solution.to_move(p)
    if kind == CHANCE:
        return list(solution.events(p))
    return [solution.game.play(p, m) for m in solution.game.moves(p)] if kind != OVER else []


def lines(solution: Solution, draw: random.Random) -> Iterator[list[State]]:
    """Random matches: the state of each page, one move after the other."""
    while True:
        p, state = solution.start, State("game")
        match = [state]
        for _ in range(LONGEST):
            following = choices(solution, p)
            if not following:
                break
            number = draw.randrange(len(following))
            p, state = following[number], state.after(number)
            match.append(state)
        yield match


def shown(solution: Solution, line: tuple[int, ...]) -> str:
    """What the page after a line says of the value."""
    p = replay(solution, solution.start, line)[-1].position
    if solution.to_move(p) == OVER:
        return "Play has ended"
    return words.number(solution.value(p))


# -- Pages, in this process. ----------------------------------------------------------------------


async def asked(app: Any, query: str) -> bytes:
    """The page at an address of the game."""
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": "/g/game/", "raw_path": b"/g/game/", "root_path": "",
        "query_string": query.lstrip("?").encode(), "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if sent[0]["status"] != 200:
        raise SystemExit(f"{query}: status {sent[0]['status']}")
    return b"".join(each.get("body", b"") for each in sent)


async def pages(name: str, given: tuple[str, ...], count: int, how: str) -> list[float]:
    """Milliseconds of processor time of each page."""
    collection = collected([name], list(given), None, [])
    exhibit = next(iter(collection.exhibits.values()))
    collection.exhibits = {"game": exhibit}
    solution = collection.open("game").solution
    assert solution is not None, f"{name} is not solved"
    matches = lines(Solution(solution.game, solution.table, {}), random.Random(name))
    if how == "walks":
        states = (state for match in matches for state in match)
    else:
        draw = random.Random(how)
        states = (draw.choice(match) for match in matches)
    queries = [state.query() for state, _ in zip(states, range(count), strict=False)]
    app = make_app(collection)
    await asked(app, "")
    gc.collect()
    gc.freeze()  # as the server does
    spent = []
    for query in queries:
        before = time.process_time()
        await asked(app, query)
        spent.append(1000 * (time.process_time() - before))
    gc.unfreeze()
    return spent


def percentile(numbers: Iterable[float], share: float) -> float:
    """The number below which this share of all lie."""
    ordered = sorted(numbers)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


# -- Load, in two processes. ----------------------------------------------------------------------


@dataclass
class Load:
    """What clients saw."""

    latencies: list[float] = field(default_factory=list)
    samples: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def begun(name: str, given: tuple[str, ...]) -> tuple[subprocess.Popen[str], str, int, float]:
    """A server for a game, its host and port, and the seconds until its first page."""
    options = [word for each in given for word in ("-p", each)]
    before = time.perf_counter()
    server = subprocess.Popen(
        [*PROGRAM, "explore", name, *options, "--port", "0", "--no-open"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    said = re.search(r"http://([\w.]+):(\d+)", server.stderr.readline())
    assert said is not None
    door = http.client.HTTPConnection(said[1], int(said[2]), timeout=60)
    door.request("GET", f"/g/{name}/")
    assert door.getresponse().status == 200
    return server, said[1], int(said[2]), time.perf_counter() - before


def processor(pid: int) -> float:
    """Seconds of processor time of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Megabytes that a process has in memory."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def play(
    door: http.client.HTTPConnection, name: str, rate: float, until: float, seed: int, seen: Load
) -> None:
    """One client: makes random moves, `rate` a second, and begins anew where a line ends."""
    draw = random.Random(f"{name}/{seed}")
    state, due = State(name), time.perf_counter() + draw.random() / rate
    while (now := time.perf_counter()) < until:
        if now < due:
            time.sleep(due - now)
        due += 1 / rate
        before = time.perf_counter()
        try:
            door.request("GET", state.url())
            answer = door.getresponse()
            page = answer.read().decode()
        except OSError as error:
            seen.failures.append(f"{state.url()}: {error}")
            return
        seen.latencies.append(1000 * (time.perf_counter() - before))
        if answer.status != 200:
            seen.failures.append(f"{state.url()}: status {answer.status}")
            return
        if draw.randrange(CHECKED) == 0:
            seen.samples.append((state.line, page))
        state = moved(state, page, draw)


def moved(state: State, page: str, draw: random.Random) -> State:
    """The state after a random move among the links of a page; the first one where there is
    none."""
    start = "".join(f"{number}." for number in state.line)
    numbers = sorted({int(n) for n in re.findall(rf"[?;]line={re.escape(start)}(\d+)[&\"]", page)})
    if not numbers or len(state.line) >= LONGEST:
        return State(state.game)
    return state.after(draw.choice(numbers))


def load(name: str, given: tuple[str, ...], seconds: float) -> str:
    """One row: what a server bears."""
    rate = RATES[name]
    server, host, port, start = begun(name, given)
    try:
        seen, door = Load(), partial(http.client.HTTPConnection, host, port, timeout=30)
        before, at_first, began = processor(server.pid), 0.0, time.perf_counter()
        clients = [
            threading.Thread(
                target=play,
                args=(door(), name, rate / CLIENTS, began + seconds, seed, seen),
            )
            for seed in range(CLIENTS)
        ]
        for each in clients:
            each.start()
        time.sleep(seconds / 4)
        at_first = memory(server.pid)
        for each in clients:
            each.join()
        took, spent = time.perf_counter() - began, processor(server.pid) - before
        at_last = memory(server.pid)
    finally:
        server.terminate()
        server.wait(20)
    if seen.failures:
        raise SystemExit("\n".join(seen.failures[:5]))
    wrong = unlike(name, given, seen.samples)
    if wrong:
        raise SystemExit(f"{name}: pages with another value than the table: {wrong[:5]}")
    count, late = len(seen.latencies), seen.latencies
    return (
        f"| `{name}` | {start:.2f} | {count:,} | {count / took:.1f} | {percentile(late, 0.5):.1f} "
        f"| {percentile(late, 0.95):.1f} | {1000 * spent / count:.1f} "
        f"| {at_first:.0f} | {at_last:.0f} | {len(seen.samples)} |"
    )


def unlike(
    name: str, given: tuple[str, ...], samples: list[tuple[tuple[int, ...], str]]
) -> list[tuple[int, ...]]:
    """The lines whose pages show another value than the table."""
    solution = collected([name], list(given), None, []).open(name).solution
    assert solution is not None
    return [line for line, page in samples if shown(solution, line) not in html.unescape(page)]


def solved(name: str, given: tuple[str, ...]) -> None:
    """Solve a game, unless there is a table."""
    options = [word for each in given for word in ("-p", each)]
    subprocess.run([*PROGRAM, "solve", name, *options], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Measure the games that were asked for, or all, and print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", help=f"of {', '.join(GAMES)}")
    parser.add_argument("--pages", type=int, default=200, help="pages of each game; 0: none")
    parser.add_argument("--seconds", type=float, default=60, help="of load on each; 0: none")
    given = parser.parse_args()
    chosen = {name: GAMES[name] for name in given.games or GAMES}
    for name, parameters in chosen.items():
        solved(name, parameters)
    if given.pages:
        print(
            "| pages | asked for in | mean ms | p50 | p95 | most |\n| --- | --- | " + "--- | " * 4
        )
    for name, parameters in chosen.items() if given.pages else ():
        for how in ("walks", "jumps"):
            spent = asyncio.run(pages(name, parameters, given.pages, how))
            mean, p50, p95 = (
                sum(spent) / len(spent),
                percentile(spent, 0.5),
                percentile(spent, 0.95),
            )
            row = f"{mean:.1f} | {p50:.1f} | {p95:.1f} | {max(spent):.1f}"
            print(f"| `{name}` | {how} | {row} |", flush=True)
    if given.seconds:
        print(
            "\n| load | first page after s | pages | a second | p50 ms | p95 ms | processor ms "
            "| MB at a quarter | MB at the end | compared |\n| --- |" + " --- |" * 9
        )
    for name, parameters in chosen.items() if given.seconds else ():
        if name in RATES:
            print(load(name, parameters, given.seconds), flush=True)


if __name__ == "__main__":
    main()
