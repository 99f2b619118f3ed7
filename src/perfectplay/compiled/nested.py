"""Nested: functions that only compiled code calls are not made into machine code by themselves.

Numba optimises every function that a kernel calls, with all that it calls in turn, and makes
machine code of it, although the kernel contains it all once more and nothing else is ever run. So
the innermost function is worked on once for every level above it, which is half of the time that
rules take to compile. Here such a function stays in LLVM's language, and the kernel is optimised
as a whole. That concerns functions without a wrapper for Python alone: nobody can call them but
compiled code. Imported by compiling.py; another version of Numba goes without."""

from __future__ import annotations

from typing import Any

from numba.core import event
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

_compiling: list[Any] = []
"""The dispatchers that are being compiled, outermost first; Numba's lock is held meanwhile."""
_waiting: list[tuple[str, Any]] = []
"""Environments of nested functions whose kernels have no machine code yet."""
_finalize = JITCodeLibrary.finalize
_set_env = JITCPUCodegen.set_env


class _Listener(event.Listener):  # type: ignore[misc]
    def on_start(self, event: Any) -> None:
        _compiling.append(event.data["dispatcher"])

    def on_end(self, event: Any) -> None:
        _compiling.pop()


def _inside() -> bool:
    """Whether what is compiled now will only ever be called by what is compiled around it."""
    return len(_compiling) > 1 and _compiling[-1].targetoptions.get("no_cpython_wrapper", False)


def _finalize_nested(self: Any) -> None:
    """`CodeLibrary.finalize`: link what is called; for kernels, optimise and make machine code."""
    if not _inside():
        _finalize(self)
        return
    self._raise_if_finalized()
    for library in dict.fromkeys(self._linking_libraries):
        self._reload_init.update(library._reload_init)
        self._final_module.link_in(library._get_module_for_linking(), preserve=True)
    self._finalize_dynamic_globals()
    self._finalized = True


def _set_env_later(self: Any, name: str, environment: Any) -> None:
    """`JITCPUCodegen.set_env`, as soon as there is code that has a place for the environment."""
    _waiting.append((name, environment))
    if _inside():
        return
    left = []
    for each, home in _waiting:
        if self._engine.get_global_value_address(each):
            _set_env(self, each, home)
        else:
            left.append((each, home))
    _waiting[:] = left


def install() -> None:
    """Let Numba compile so, if it is of a version that has the parts which this needs."""
    parts = ("_raise_if_finalized", "_get_module_for_linking", "_finalize_dynamic_globals")
    if all(hasattr(JITCodeLibrary, each) for each in parts):
        event.register("numba:compile", _Listener())
        JITCodeLibrary.finalize = _finalize_nested
        JITCPUCodegen.set_env = _set_env_later
