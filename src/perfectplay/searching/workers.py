"""Threads of compiled searches: they run until one has answered, or all are stopped."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from perfectplay.compiled.arrays import Ints
from perfectplay.searching import search_stack
from perfectplay.searching.result import Counts

STACK = 2**28
"""Bytes of machine stack for a thread; memory is taken only as far as it is used."""
POLL = 0.05
"""Seconds between two looks at whether to stop."""


class Worker(ABC):
    """One thread of a search, with counters of its own (`control` in search_stack.py)."""

    def __init__(self, control: Ints) -> None:
        self.control = control
        self.answered = False
        self.error: BaseException | None = None

    @abstractmethod
    def answer(self) -> bool:
        """Search until the question is answered, or STOP is set; whether it is answered."""

    def run(self) -> None:
        """Do that, and keep the error if there is one."""
        try:
            self.answered = self.answer()
        except BaseException as error:
            self.error = error


def run_all(workers: Sequence[Worker], counts: Counts, halt: Callable[[int], bool]) -> bool:
    """Run workers, each in a thread, until one has answered or `halt` says so, which is asked now
    and then with the number of nodes so far. Adds to `counts`; True if Ctrl-C ended it."""
    interrupted, before = False, counts.nodes
    size = threading.stack_size(STACK)
    try:
        threads = [threading.Thread(target=worker.run, daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
    finally:
        threading.stack_size(size)
    try:
        while all(thread.is_alive() for thread in threads):
            threads[0].join(POLL)
            if halt(before + sum(int(w.control[search_stack.NODES]) for w in workers)):
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        for worker in workers:
            worker.control[search_stack.STOP] = 1
        for thread in threads:
            thread.join()
    for worker in workers:
        counts.add(counted(worker.control))
        if worker.error:
            raise worker.error
    return interrupted


def counted(control: Ints) -> Counts:
    """What a thread counted."""
    at = control.tolist()
    return Counts(
        nodes=at[search_stack.NODES],
        alpha_cuts=at[search_stack.ALPHA],
        beta_cuts=at[search_stack.BETA],
        star1_cuts=at[search_stack.STAR1],
        star2_cuts=at[search_stack.STAR2],
        probes=at[search_stack.PROBED],
        table_looks=at[search_stack.LOOKS],
        table_hits=at[search_stack.HITS],
        endgame_hits=at[search_stack.ENDGAME_HITS],
        circles=at[search_stack.CYCLES] + at[search_stack.DEEP],
    )
