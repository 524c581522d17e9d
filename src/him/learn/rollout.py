"""Storage of a rollout. A frame is kept once; histories are gathered from the rows when they are needed.

Six frames overlap in five: storing each history whole would take six times the memory. Row `history - 1 + t`
holds the frame of time t; the rows before it reach back into the last rollout, and one row more holds the
instant after the last step, with which the next rollout begins.
"""

from __future__ import annotations

import torch
from torch import Tensor

from him.env.protocol import VELOCITY, VELOCITY_SIZE, Observation, Sizes, Step


def gather_history(rows: Tensor, row: Tensor, env: Tensor, age: Tensor, length: int) -> Tensor:
    """Histories (batch, length, width), newest first, of the samples at (row, env).

    `age` counts the steps since the episode began. Looking back stops at the first frame of the episode and
    repeats it, so that an episode starts with a filled history and sees nothing of the one before.
    """
    back = torch.arange(length, device=rows.device)
    wanted = row[:, None] - torch.minimum(back, age[:, None].long())
    flat = (wanted * rows.shape[1] + env[:, None]).flatten()
    return rows.flatten(0, 1).index_select(0, flat).view(*wanted.shape, -1)


class Rollout:
    """What `steps` steps of `envs` environments leave behind for the updates."""

    def __init__(
        self, sizes: Sizes, envs: int, steps: int, history: int, privileged: bool, device: torch.device
    ) -> None:
        self.steps, self.envs, self.history, self.privileged = steps, envs, history, privileged
        self.lead = history - 1
        self.extra_lead = self.lead if privileged else 0

        def rows(count: int, *width: int, dtype: torch.dtype | None = None) -> Tensor:
            return torch.zeros(count, envs, *width, dtype=dtype, device=device)

        self.frames = rows(self.lead + steps + 1, sizes.frame)
        self.extras = rows(self.extra_lead + steps + 1, sizes.extra)
        self.ages = rows(steps + 1, dtype=torch.uint8)
        self.velocities = rows(steps + 1, VELOCITY_SIZE)
        self.final_frames = rows(steps, sizes.frame)
        self.final_velocities = rows(steps, VELOCITY_SIZE)
        self.actions = rows(steps, sizes.action)
        self.means = rows(steps, sizes.action)
        self.rewards, self.final_values = rows(steps), rows(steps)
        self.dones, self.timeouts, self.renewed = (rows(steps, dtype=torch.bool) for _ in range(3))
        self.values, self.log_probs = rows(steps + 1), rows(steps)
        self.advantages, self.returns = rows(steps), rows(steps)
        self.everyone = torch.arange(envs, device=device)
        self.now = torch.zeros(1, dtype=torch.long, device=device)
        """The step that is being made. On the device, so that recording one is the same work each time."""

    def nbytes(self) -> int:
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, Tensor))

    def start(self, observation: Observation, velocity: Tensor) -> None:
        """Place a fresh start of every environment where `begin` will look for it."""
        self._place(torch.full_like(self.now, self.steps), observation, velocity)
        self.ages[-1] = 0

    def begin(self) -> None:
        """Carry the end of the last rollout to the front of this one."""
        for name, count in self._window().items():
            rows = getattr(self, name)
            rows[:count] = rows[-count:].clone()
        self.now.zero_()

    def context(self, t: Tensor | int) -> Tensor:
        """What the policy answers at time t, for every environment."""
        return View(self, torch.zeros_like(self.everyone) + t, self.everyone).context()

    def act(self, action: Tensor, mean: Tensor) -> None:
        """Keep what was done now."""
        _put(self.now, (self.actions, action), (self.means, mean))

    def record(self, step: Step, final_value: Tensor) -> None:
        """Keep what followed, and go on to the next step."""
        final = step.final.extra[:, VELOCITY]
        _put(
            self.now,
            (self.rewards, step.reward),
            *((self.dones, step.done), (self.timeouts, step.timeout), (self.renewed, step.renewed)),
            *((self.final_frames, step.final.frame), (self.final_velocities, final), (self.final_values, final_value)),
        )
        age = (self.ages.index_select(0, self.now)[0] + 1).clamp(max=self.lead)
        self.now += 1
        self._place(self.now, step.observation, step.velocity)
        _put(self.now, (self.ages, torch.where(step.done, 0, age)))

    def critic(self, begin: int, end: int) -> Tensor:
        """Critic inputs (end - begin, envs, width) of consecutive times."""
        frames = self.frames[self.lead + begin : self.lead + end]
        return torch.cat([frames, self.extras[self.extra_lead + begin : self.extra_lead + end]], -1)

    def state_dict(self) -> dict[str, Tensor]:
        """What the next rollout needs of this one."""
        return {name: getattr(self, name)[-count:] for name, count in self._window().items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        for name, count in self._window().items():
            getattr(self, name)[-count:] = state[name]

    def _window(self) -> dict[str, int]:
        return {"frames": self.history, "extras": self.extra_lead + 1, "ages": 1, "velocities": 1}

    def _place(self, t: Tensor, observation: Observation, velocity: Tensor) -> None:
        _put(self.lead + t, (self.frames, observation.frame))
        _put(self.extra_lead + t, (self.extras, observation.extra))
        _put(t, (self.velocities, velocity))


def _put(row: Tensor, *places: tuple[Tensor, Tensor]) -> None:
    """Write values (envs, ...) into a row of each of the tensors (rows, envs, ...)."""
    for rows, value in places:
        rows.index_copy_(0, row, value[None])


class View:
    """Some samples of a rollout, by time and environment. Only what is asked for is gathered."""

    def __init__(self, rollout: Rollout, time: Tensor, env: Tensor) -> None:
        self.rollout, self.time, self.env = rollout, time, env

    @classmethod
    def flat(cls, rollout: Rollout, index: Tensor) -> View:
        """By index into the flattened (steps, envs)."""
        return cls(rollout, index // rollout.envs, index % rollout.envs)

    def pick(self, rows: Tensor, lead: int = 0) -> Tensor:
        """Their rows of one of the rollout's tensors."""
        return rows.flatten(0, 1).index_select(0, (self.time + lead) * self.rollout.envs + self.env)

    def history(self) -> Tensor:
        """(batch, history, frame), newest first."""
        return self._past(self.rollout.frames, self.rollout.lead)

    def context(self) -> Tensor:
        """What the policy sees: the history of frames, or of whole observations for a privileged method."""
        if not self.rollout.privileged:
            return self.history()
        return torch.cat([self.history(), self._past(self.rollout.extras, self.rollout.extra_lead)], -1)

    def extra(self) -> Tensor:
        return self.pick(self.rollout.extras, self.rollout.extra_lead)

    def critic(self) -> Tensor:
        return torch.cat([self.pick(self.rollout.frames, self.rollout.lead), self.extra()], -1)

    def velocity(self) -> Tensor:
        """True base velocity in m/s."""
        return self.pick(self.rollout.velocities)

    def successor(self) -> Tensor:
        """The frame that truly followed, also where the episode ended with it."""
        return self.pick(self.rollout.final_frames)

    def successor_velocity(self) -> Tensor:
        """The base velocity that truly followed, scaled as the critic sees it."""
        return self.pick(self.rollout.final_velocities)

    def _past(self, rows: Tensor, lead: int) -> Tensor:
        return gather_history(rows, self.time + lead, self.env, self.pick(self.rollout.ages), self.rollout.history)
