"""What forecasts have in common, and numbers for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from perfectplay.schemas.runs import (
        NumberedPlanJson,
        PlanJson,
        SharedPlanJson,
        UnlabelledPlanJson,
    )

    AnyPlanJson = PlanJson | SharedPlanJson | UnlabelledPlanJson | NumberedPlanJson

from perfectplay.drawing.rich import Rich

FITS = {
    True: "yes",
    False: "no: solve will refuse it",
    None: "unknown: not all positions were seen; solve refuses as soon as memory runs out",
}
DERIVED = ("memory", "disk", "seconds", "core_hours", "fits")


class Forecast(Rich):
    """What solving a game will cost. Subclasses are dataclasses and say memory, disk, seconds and
    whether it `fits`."""

    seconds: float

    @property
    def fits(self) -> bool | None:
        """Whether memory and disk are enough; None if too little was seen to know."""
        raise NotImplementedError

    @property
    def core_hours(self) -> float:
        """The seconds of one core, in hours."""
        return self.seconds / 3600

    def extra(self) -> dict[str, Any]:
        """What else is worked out from what was seen."""
        return {}

    def as_json(self) -> AnyPlanJson:
        """The forecast as JSON-ready data."""
        shown = {**vars(self), **{name: getattr(self, name) for name in DERIVED}, **self.extra()}
        return cast("AnyPlanJson", shown)


def exactly(number: int) -> str:
    """A number in full, and roughly if that is long."""
    return f"{number:,}" if number < 10**12 else f"{number:,} ({float(number):.1e})"


def rounded(number: int) -> str:
    """Large numbers with two digits that mean something."""
    if number < 10**6:
        return f"{number:,}"
    digits = len(str(number)) - 2
    return f"{round(number, -digits):,}" if number < 10**12 else f"{float(number):.1e}"


def duration(seconds: float) -> str:
    """Seconds for people."""
    for unit, length in (
        ("years", 31_557_600.0),
        ("days", 86_400.0),
        ("hours", 3600.0),
        ("minutes", 60.0),
    ):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.1f} seconds"
