"""Time for the controller: the machine's, or a simulation's."""

import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def now(self) -> float:
        """Seconds since some fixed moment; never goes back."""

    def sleep_until(self, moment: float) -> None:
        """Return when `now()` has reached `moment`."""


class RealClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        return time.monotonic()

    def sleep_until(self, moment: float) -> None:
        time.sleep(max(0.0, moment - time.monotonic()))


class SimClock:
    """Simulated time: sleeping runs the simulation for that long, so controller and world go in lock-step."""

    def __init__(self, advance: Callable[[float], None] = lambda duration: None) -> None:
        """`advance` is told how many seconds the world has to move on."""
        self._advance = advance
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def sleep_until(self, moment: float) -> None:
        if moment > self._now:
            self._advance(moment - self._now)
            self._now = moment
