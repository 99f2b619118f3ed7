"""The way in and out: runs a command and leaves with its exit code (errors.py lists them).

Data on stdout, messages on stderr. Only light modules are imported before Ctrl-C has a meaning;
commands.py has the commands."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than this file
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

STOPPED = 130
INTERNAL = 70

_interrupts: list[int] = []
"""Ctrl-C so far: libraries turn it into errors of their own if they are being imported."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    _on_interrupt(_leave)
    _open_closed()
    import gc

    gc.set_threshold(100_000, 50, 100)  # imports make many objects and hardly any garbage
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's idle threads go to sleep
    code = _flushed(_run_interruptibly(sys.argv[1:]))
    _on_interrupt(_leave if code == STOPPED else signal.SIG_IGN)  # threads may still compute
    sys.exit(code)


def _open_closed() -> None:
    """Standard streams that were closed lead nowhere, as if they were there; what the encoding of
    stdout lacks (± in ASCII) is written as an escape."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open to the end
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _on_interrupt(action: object) -> None:
    """What Ctrl-C does from now on, unless who started this wants it to be ignored."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, action)  # type: ignore[arg-type]


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing is begun yet, so that there is nothing to tidy up."""
    os.write(2, b"\nstopped\n")
    os._exit(STOPPED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    raise KeyboardInterrupt


def _run_interruptibly(arguments: Sequence[str]) -> int:
    try:
        from perfectplay.cli import commands, system_errors  # noqa: F401 - run needs them
    except Exception as error:
        return _ended_by(error)
    try:
        _on_interrupt(_interrupt)
        return run(arguments)
    except KeyboardInterrupt:  # again, while the first was being answered
        return STOPPED


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. No mistake of a user ends in a traceback."""
    try:
        from perfectplay.cli.commands import app

        code = app(args=list(arguments), prog_name="perfectplay", standalone_mode=False)
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        return _ended_by(error)
    if code == STOPPED:
        _note("\nstopped")
    else:
        _note_uncached()
    return code if isinstance(code, int) else 0


def _ended_by(error: BaseException) -> int:
    """The exit code of a command that ended so, after a message."""
    if isinstance(error, SystemExit):  # how typer answers completion and a closed pipe
        return error.code if isinstance(error.code, int) else 0
    told = isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Interrupted"
    if _interrupts or told or type(error).__name__ == "Abort":
        kept = str(error) if told else ""
        _note(f"\nstopped{': ' * bool(kept)}{kept}")
        return STOPPED
    if isinstance(error, BrokenPipeError):
        _quiet()
        return 0
    if os.environ.get("PERFECTPLAY_DEBUG"):
        import traceback

        traceback.print_exception(error)
    return _explained(error)


def _explained(error: BaseException) -> int:
    """The exit code of an error, which is explained."""
    from perfectplay.cli.system_errors import in_words
    from perfectplay.errors import UsageError

    known = in_words(error)
    if known is not None:
        _complain(known.message, known.hint)
        return known.exit_code
    if hasattr(error, "format_message"):  # a command line that typer refuses
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "perfectplay"
        _complain(error.format_message(), f"{path} --help shows what is possible")
        return UsageError.exit_code
    from perfectplay.positions.explained import explanation

    fault = explanation(error) if isinstance(error, Exception) else None
    if fault is not None:
        _complain(fault.message, fault.hint)
        return fault.exit_code
    _complain(
        f"internal error: {type(error).__name__}: {error}",
        "set PERFECTPLAY_DEBUG=1 to see where; please report it",
    )
    return INTERNAL


# -- Words on stderr, which may be closed or full, and without memory. ----------------------------


def _complain(message: str, hint: str) -> None:
    try:
        from perfectplay.cli.render import complain

        complain(message, hint)
    except (MemoryError, ImportError):
        _note(f"error: {message}\nhint: {hint}")
    except OSError:
        pass


def _note(text: str) -> None:
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody listens
        pass


def _note_uncached() -> None:
    """Say if compiled code could not be kept."""
    kernels = sys.modules.get("perfectplay.compiled.kernels")
    why = kernels.uncached_because() if kernels is not None else ""
    if why:
        _note(f"note: compiled code is not kept, so that every run compiles anew: {why}")


def _flushed(code: int) -> int:
    """The exit code when all output is written, or cannot be."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _quiet()
    except OSError as error:
        _quiet()
        return _ended_by(error)
    return code


def _quiet() -> None:
    """Nobody reads stdout any more: let no flush at exit complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
