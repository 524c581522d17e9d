"""What the learner asks of a task. Anything that offers this can be trained, a simulator or three lines of torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from him.env.symmetry import Mirror, Space

COMMAND = slice(0, 3)
"""Where the command stands in a frame: the only part of it that is no response of the robot."""

VELOCITY = slice(0, 3)
"""Where the (scaled) base velocity stands in what the critic sees besides the frame."""

VELOCITY_SIZE = 3


class Observation(NamedTuple):
    """One instant as seen by the networks, already scaled."""

    frame: Tensor
    """(N, frame_size) the newest policy frame, with sensor noise."""
    extra: Tensor
    """(N, extra_size) what the critic sees besides the frame; begins with the scaled base velocity."""

    def critic(self) -> Tensor:
        return torch.cat([self.frame, self.extra], -1)


class Step(NamedTuple):
    """What follows an action. Finished environments have been reset by mask, so two instants are told apart."""

    observation: Observation
    """The instant the next action answers: after the reset where an episode ended."""
    final: Observation
    """The true successor of the action, before any reset and still under the command that the action followed;
    equals `observation` where neither done nor renewed."""
    reward: Tensor
    """(N,)"""
    done: Tensor
    """(N,) bool, the episode ended with this step."""
    timeout: Tensor
    """(N,) bool, part of `done`: cut short by the clock and not by a fall, so the future still has a value."""
    renewed: Tensor
    """(N,) bool, no part of `done`: the episode goes on under a new command."""
    velocity: Tensor
    """(N, 3) true base velocity in m/s, body frame, of the instant that `observation` describes."""


class Task(Protocol):
    """A batch of environments. No method may wait for the device, except `state_dict`."""

    @property
    def num_envs(self) -> int: ...
    @property
    def device(self) -> torch.device: ...
    @property
    def frame_size(self) -> int: ...
    @property
    def extra_size(self) -> int: ...
    @property
    def action_size(self) -> int: ...

    @property
    def mirror(self) -> Mirror | None:
        """Mirror images of what it shows and is told, for a task that is symmetric."""
        ...

    def reset(self) -> tuple[Observation, Tensor]:
        """Start every environment anew; the velocity as in `Step.velocity`."""
        ...

    def act(self, action: Tensor) -> None:
        """Hand over the actions of the next step; nothing moves yet."""
        ...

    def simulate(self) -> None:
        """Physics, for one step."""
        ...

    def outcome(self) -> Step:
        """What followed. Like `act` it changes nothing but tensors, and those in place, so that a CUDA graph of it
        can be replayed."""
        ...

    def schedule(self, done: float) -> None:
        """Set what changes along a training run, of which this share is done."""
        ...

    def state_dict(self) -> dict[str, Tensor]:
        """Everything the next step depends on, apart from torch's default random generators, which the
        checkpoint keeps itself. Flat, tensors alone."""
        ...

    def load_state_dict(self, state: dict[str, Tensor]) -> None: ...

    def metrics(self) -> dict[str, Tensor]:
        """Named 0-dim tensors, averaged since the last call. The names do not change during a run."""
        ...


@dataclass(frozen=True)
class Sizes:
    """The widths a method builds its networks for; kept with a run so that it can be exported without a task."""

    frame: int
    extra: int
    action: int
    mirror: Mirror | None = None
    """Mirror images, for networks that know that left and right can be exchanged."""

    @classmethod
    def of(cls, task: Task) -> Sizes:
        return cls(task.frame_size, task.extra_size, task.action_size, task.mirror)

    def spaces(self, symmetric: bool) -> Spaces:
        """What networks read and write; with their mirror images if they are to be symmetric and there are any."""
        if self.mirror is None or not symmetric:
            return Spaces(Space(self.frame), Space(self.extra), Space(self.action), Space(VELOCITY_SIZE))
        return Spaces(**{name: Space.of(self.mirror[name]) for name in Spaces._fields})


class Spaces(NamedTuple):
    """A task's numbers."""

    frame: Space
    extra: Space
    action: Space
    velocity: Space
