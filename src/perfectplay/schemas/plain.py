"""What has to be done to data before it is JSON."""

from __future__ import annotations

import math
from typing import Any


def finite(data: Any) -> Any:
    """JSON has no infinity: it is written as text. Tuples become lists, and keys text."""
    if isinstance(data, float) and not math.isfinite(data):
        return "infinite" if data > 0 else "-infinite" if data < 0 else None
    if isinstance(data, dict):
        return {str(name): finite(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return data
