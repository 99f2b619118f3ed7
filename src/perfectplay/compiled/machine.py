"""What the machine grants this process: processors, and memory that can be had.

Containers and batch systems limit processes by control groups, of version 2 (one tree) or version
1 (a tree for each resource). /proc/meminfo and `os.cpu_count` do not know of them, and a process
that takes more memory than its group may have is killed. A limit of a group holds for all groups
below it."""

import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

resource: Any
try:
    import resource
except ImportError:  # Windows
    resource = None

GROUPS = Path("/sys/fs/cgroup")
MEMBER = Path("/proc/self/cgroup")
MEMORY = Path("/proc/meminfo")
STATUS = Path("/proc/self/status")


def cores() -> int:
    """Processors that this process may use, at least 1: those it is bound to, or as many as its
    control group may keep busy."""
    try:
        mine = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # a system that binds no process
        mine = os.cpu_count() or 1
    shares = [*map(_share, _groups("")), *map(_share_v1, _groups("cpu"))]
    return max(1, math.ceil(min([mine, *(each for each in shares if each is not None)])))


def free_memory() -> int:
    """Bytes that nobody uses and that this process may have."""
    left = [*map(_left, _groups("")), *map(_left_v1, _groups("memory"))]
    return int(max(0, min([_unused(), *(each for each in left if each is not None)])))


def private_memory() -> int:
    """Bytes of memory that this process holds and that are no copy of a file: what is mapped from
    files the system can drop at any time. 0 where the system does not say."""
    try:
        held = _fields(STATUS)
    except OSError:
        return 0
    return 1024 * (held.get("RssAnon:", 0) + held.get("RssShmem:", 0))


def _unused() -> int:
    """Memory of the machine that nobody uses, in bytes."""
    try:
        return 1024 * _fields(MEMORY)["MemAvailable:"]
    except (OSError, KeyError, ValueError):  # a system without /proc
        import psutil

        return int(psutil.virtual_memory().available)


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    if resource is None:
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most if sys.platform == "darwin" else most * 1024)  # macOS counts bytes


# -- Control groups. ------------------------------------------------------------------------------


def _groups(resource: str) -> Iterator[Path]:
    """The folders of the groups that this process belongs to, from its own to the outermost one
    that can be seen, in the tree of one resource; "" is the tree of version 2."""
    try:
        lines = MEMBER.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, resources, path = line.split(":", 2)
        if resource in resources.split(","):
            tops = [resource] if resource else ["", "unified"]
            parts = [part for part in path.split("/") if part not in ("", "..")]
            for top in filter(Path.is_dir, (GROUPS / name for name in tops)):
                yield from (top.joinpath(*parts[:n]) for n in range(len(parts), -1, -1))


def _quiet(read: Callable[[Path], float]) -> Callable[[Path], float | None]:
    """None where a group has no such file or no limit."""

    def found(group: Path) -> float | None:
        try:
            return read(group)
        except (OSError, KeyError, ValueError):  # "max" is no number
            return None

    return found


@_quiet
def _share(group: Path) -> float:
    quota, period = (group / "cpu.max").read_text().split()
    return int(quota) / int(period)


@_quiet
def _share_v1(group: Path) -> float:
    quota = _number(group / "cpu.cfs_quota_us")
    return quota / _number(group / "cpu.cfs_period_us") if quota > 0 else math.inf


@_quiet
def _left(group: Path) -> int:
    used = _number(group / "memory.current") - _idle(group, "inactive_file")
    return _number(group / "memory.max") - used


@_quiet
def _left_v1(group: Path) -> int:
    used = _number(group / "memory.usage_in_bytes") - _idle(group, "total_inactive_file")
    return _number(group / "memory.limit_in_bytes") - used


def _idle(group: Path, name: str) -> int:
    """Bytes of files that were read and may be dropped, which count as used."""
    return _fields(group / "memory.stat").get(name, 0)


def _number(file: Path) -> int:
    return int(file.read_text())


def _fields(file: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdecimal()}
