"""What an operator wants, from whatever they hold in their hands."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from him.deploy.messages import State
from him.deploy.states import Request

Array = NDArray[np.float64]

DEAD_ZONE = 0.05
"""Stick travel that counts as rest; public controllers use 0.01 to 0.1."""


@dataclass(frozen=True)
class Intent:
    """A velocity (forward m/s, left m/s, turn rad/s) and perhaps a request."""

    command: Array = field(default_factory=lambda: np.zeros(3))
    request: Request = Request.NONE


class Operator(Protocol):
    """Someone who can be asked what they want."""

    def poll(self, state: State | None) -> Intent | None:
        """The present wish, or None when nothing is heard of the operator; never waits.

        A request is reported once. `state` is the robot's last one, for its own remote control.
        """

    def close(self) -> None:
        """Let go of the device."""


def from_sticks(sticks: ArrayLike, ranges: ArrayLike) -> Array:
    """Stick travel -1 to 1 for forward, left and turn, spread over the policy's ranges."""
    travel = np.nan_to_num(np.asarray(sticks, dtype=np.float64), posinf=0.0, neginf=0.0)
    travel = np.where(np.abs(travel) < DEAD_ZONE, 0.0, np.minimum(np.maximum(travel, -1.0), 1.0))
    low, high = np.asarray(ranges, dtype=np.float64).T
    return np.where(travel > 0.0, travel * np.maximum(high, 0.0), travel * np.maximum(-low, 0.0))
