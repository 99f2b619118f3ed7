"""Lets all tests import `naive`, the slow twins: pytest puts the folder of this file on the
path. And no test sees the tables of whoever runs it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERFECTPLAY_TABLES", raising=False)
