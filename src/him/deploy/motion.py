"""Slow moves between poses: standing up, lying down, and from walking to standing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Glide:
    """A move through poses in equal shares of the time, at rest at each of them."""

    def __init__(self, poses: Sequence[Array], start: float, duration: float) -> None:
        self._poses = [np.array(pose) for pose in poses]
        self._start = start
        self._duration = duration

    def at(self, now: float) -> Array:
        """Pose at a moment; the first before the move, the last after it."""
        legs = len(self._poses) - 1
        done = legs * min(max((now - self._start) / self._duration, 0.0), 1.0)
        index = min(int(done), legs - 1)
        share = 0.5 - 0.5 * np.cos(np.pi * (done - index))
        return self._poses[index] + share * (self._poses[index + 1] - self._poses[index])

    def finished(self, now: float) -> bool:
        """Whether the last pose has been reached."""
        return now - self._start >= self._duration


class Handover:
    """From what the policy wants to a pose, little by little: the policy goes on balancing meanwhile. It may stand on
    two legs, or with its feet so close together that nothing but its steps keeps it from tipping over."""

    def __init__(self, start: float, duration: float) -> None:
        self._start, self._duration = start, duration

    def mix(self, before: Array, after: Array, now: float) -> Array:
        """What holds at a moment."""
        share = min(max((now - self._start) / self._duration, 0.0), 1.0)
        return before + share * (after - before)

    def finished(self, now: float) -> bool:
        """Whether the policy is out."""
        return now - self._start >= self._duration
