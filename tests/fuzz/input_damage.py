"""Damage to tables: bytes that are flipped, and manifests that were edited and sealed again."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from perfectplay.strata.sealed_files import MANIFEST, sealed

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 10**6, 2**63, -(2**63) - 1, 10**40, 0.5, {"float": "inf"},
    "", "x", "0", "\x1b[2J",
    "../../etc/passwd", "part-000000.parquet", "part-9.parquet", "evil.py:Gift", "rules.py:Steps",
    "os:path", [], {},
    [[]], [None], [1, 2], {"a": 1}, "a" * 1000, "0" * 64,
)  # fmt: skip


def flip(rng: random.Random, file: Path) -> None:
    """Change some bytes of a file, cut it, or add to it."""
    data = bytearray(file.read_bytes())
    match rng.randrange(6):
        case 0:
            data = data[: rng.randrange(len(data))]
        case 1:
            data += bytes(rng.randrange(256) for _ in range(rng.randint(1, 20)))
        case _:
            for _ in range(rng.choice((1, 1, 1, 2, 8))):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(bytes(data))


def edit(rng: random.Random, folder: Path) -> None:
    """Change values in a manifest, and seal it again."""
    data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for name in ("format", "version", "checksum"):
        del data[name]
    if rng.random() < 0.1:
        data["header"]["game"] = rng.choice(("evil.py:Gift", "evil:Gift", "evil.py", "./evil.py"))
    else:
        for _ in range(rng.choice((1, 1, 2, 4))):
            _edit_one(rng, data)
    try:
        text = sealed(data)
    except ValueError:  # JSON has no such number
        return
    (folder / MANIFEST).write_bytes(text)


def _edit_one(rng: random.Random, data: Any) -> None:
    """Replace, remove, double or rename one entry, wherever it is."""
    places: list[tuple[Any, Any]] = []
    stack = [data]
    while stack:
        holder = stack.pop()
        entries = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in list(entries):
            places.append((holder, key))
            if isinstance(value, dict | list):
                stack.append(value)
    if not places:
        return
    holder, key = rng.choice(places)
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 1:
            holder[f"{key}x"] = holder.pop(key)
        case 2 if type(holder[key]) is int:
            holder[key] += rng.choice((-1, 1, 1000))
        case _:
            holder[key] = rng.choice(VALUES)
