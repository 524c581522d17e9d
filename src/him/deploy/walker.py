"""From a measured state to joint targets through the policy: frame, history, network, action."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from him.deploy.messages import State
from him.policy import Decision, History, Policy, frame, gravity_direction

Array = NDArray[np.float64]


def limited(ranges: ArrayLike, fastest: ArrayLike) -> Array:
    """Ranges of commands (3, 2), nothing in them faster than that."""
    top = np.broadcast_to(np.asarray(fastest, dtype=np.float64), 3)[:, None]
    return np.minimum(np.maximum(np.asarray(ranges, dtype=np.float64), -top), top)


class Walker:
    """Feeds the policy as in training and turns its actions into joint targets."""

    def __init__(self, policy: Policy, fastest: ArrayLike = np.inf) -> None:
        contract = policy.contract
        self._policy = policy
        self._default = np.array(contract.default_joint_pos)
        self._ranges = limited(contract.command_ranges, fastest)
        self._history = History(contract.history_length)
        self.reset(0.0)

    def reset(self, now: float) -> None:
        """Begin anew: the next frame fills the history, and there is no last action."""
        self._history.reset()
        self._start = now
        self.command = np.zeros(3)
        self.decision = Decision(np.zeros(self._default.size, dtype=np.float32), None, None)

    def clamp(self, command: ArrayLike) -> Array:
        """The command inside the policy's ranges and what a person allows; one that is not finite counts as zero."""
        wanted = np.asarray(command, dtype=np.float64)
        if not np.isfinite(wanted).all():
            wanted = np.zeros(3)
        return np.minimum(np.maximum(wanted, self._ranges[:, 0]), self._ranges[:, 1])

    def target(self, state: State, command: ArrayLike, now: float) -> Array:
        """Joint targets for the next control period; raises ValueError if they are not finite."""
        self.command = self.clamp(command)
        newest = frame(
            self.command,
            state.angular_velocity,
            gravity_direction(state.quaternion),
            state.joint_pos - self._default,
            state.joint_vel,
            self.decision.action,
            self._policy.scales,
        )
        self.decision = self._policy.act(self._history.push(newest), now - self._start)
        if not np.isfinite(self.decision.action).all():
            raise ValueError("the policy's action is not finite")
        return self._default + self._policy.contract.action_scale * self.decision.action
