"""Everything that can go wrong for a user, as one tree.

    PerfectPlayError            exit code of the command line
    ├── UsageError              2   a game, parameter, position or move that is not there
    ├── RulesError              3   the rules contradict themselves or do not compile
    ├── TableError              4   a table is damaged, foreign, unfinished or of other rules, or
    │                               cannot be written
    ├── TooLargeError           5   the work would not fit in memory or on disk
    ├── NoSolverError           6   no method covers what these rules ask for
    ├── VerificationError       7   a stored value does not follow from its successors
    └── TimeUpError             8   the time that was allowed is over

Each message has up to three parts: what is wrong, with the offending text; what was expected; and,
as `hint`, what to do next.
"""


class PerfectPlayError(Exception):
    """Base of all errors that are the user's to mend."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(PerfectPlayError, ValueError):
    """A game, parameter, position or move that does not exist."""

    exit_code = 2


class RulesError(PerfectPlayError):
    """The rules contradict themselves, or cannot be compiled."""

    exit_code = 3


class TableError(PerfectPlayError):
    """A table is damaged, foreign, unfinished, was made with other rules, or cannot be written."""

    exit_code = 4


class TooLargeError(PerfectPlayError):
    """The work does not fit in the memory or disk it may use."""

    exit_code = 5
    positions = 0
    """How many positions there are, as far as that is known."""
    at_least = False
    """Whether there are no fewer; else that is a forecast."""
    resumable = False
    """Whether working files are kept, with which a run that has more room goes on."""


class NoSolverError(PerfectPlayError):
    """No method of this package covers what the rules ask for."""

    exit_code = 6


class VerificationError(PerfectPlayError):
    """A stored value does not follow from the values of its successors."""

    exit_code = 7


class TimeUpError(PerfectPlayError):
    """The time that was allowed is over before the work is done."""

    exit_code = 8


def unread(text: str, error: Exception, example: str) -> UsageError:
    """What to say of a text that rules could not read as a position, because of `error`; once,
    where they have said themselves what a position looks like. `example` is the text of one."""
    hint = f"a position looks like {example!r}"
    why = "" if " object at 0x" in str(error) else str(error).removeprefix(f"{text!r}: ")
    if why.startswith("a position looks like"):
        why, hint = "", why
    return UsageError(f"{text!r} is not a position: {why}".rstrip(": "), hint)
