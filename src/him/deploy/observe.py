"""Watches a robot whose motors are off."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from him.deploy import messages
from him.deploy.clock import Clock
from him.deploy.links import Link
from him.deploy.messages import State

SEND_DT = 0.002


class Observer:
    """Keeps a link alive with commands that switch the motors off, and collects the states that come back.

    A robot answers the sender of commands, so silence is not an option; but nothing here ever sends torque.
    """

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link, self._clock = link, clock

    def states(self, seconds: float) -> Iterator[tuple[float, State]]:
        """Moments and states that arrive within `seconds`."""
        start = moment = self._clock.now()
        while moment - start < seconds:
            self._link.send(messages.off())
            state = self._link.receive()
            if state is not None:
                yield self._clock.now(), state
            moment = max(moment + SEND_DT, self._clock.now())
            self._clock.sleep_until(moment)

    def until(self, seen: Callable[[State], bool], seconds: float) -> State | None:
        """The first state that satisfies `seen`, or None if none did in time."""
        return next((state for _, state in self.states(seconds) if seen(state)), None)

    def pose(self, seconds: float = 0.2) -> NDArray[np.float64] | None:
        """Mean joint positions over a short while, or None if no state came."""
        poses = [state.joint_pos for _, state in self.states(seconds)]
        return np.mean(poses, axis=0) if poses else None
