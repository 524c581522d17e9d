"""A small task in torch alone: a point mass that must follow a commanded velocity it cannot measure.

The frame shows command, noisy position and last action; velocity and a constant wind are for the critic.
"""

from __future__ import annotations

import torch
from torch import Tensor

from him.env.protocol import Observation, Step

VELOCITY_SCALE = 2.0
STATE = ("position", "velocity", "wind", "command", "action", "age")


class Toy:
    mirror = None
    frame_size, extra_size, action_size = 9, 6, 3

    def __init__(self, num_envs: int = 64, limit: int = 40, device: str = "cpu") -> None:
        self.num_envs, self.limit, self.device = num_envs, limit, torch.device(device)
        for name in STATE[:-1]:
            setattr(self, name, torch.zeros(num_envs, 3, device=self.device))
        self.age = torch.zeros(num_envs, device=self.device)
        self.errors = torch.zeros((), device=self.device)
        self.count = 0
        self.poison: Tensor | None = None

    def reset(self) -> tuple[Observation, Tensor]:
        self._restart(torch.ones(self.num_envs, dtype=torch.bool, device=self.device))
        self.age = torch.floor(self._uniform(self.num_envs).abs() * self.limit)
        return self._observe(), self.velocity.clone()

    def act(self, action: Tensor) -> None:
        self.action = action.clamp(-5, 5)

    def simulate(self) -> None:
        """Nothing but `outcome` moves the point."""

    def outcome(self) -> Step:
        self.velocity = 0.8 * self.velocity + 0.2 * self.action + 0.05 * self.wind
        self.position = self.position + 0.2 * self.velocity
        self.age = self.age + 1
        error = (self.command - self.velocity).norm(dim=-1)
        reward = torch.exp(-error.square())
        if self.poison is not None:
            reward = reward + self.poison
        fall = self.position.abs().amax(-1) > 6.0
        done = fall | (self.age >= self.limit)
        final = self._observe()
        self._restart(done)
        fresh = self._observe()
        observation = Observation(*(torch.where(done[:, None], a, b) for a, b in zip(fresh, final, strict=True)))
        self.errors, self.count = self.errors + error.mean(), self.count + 1
        return Step(observation, final, reward, done, done & ~fall, torch.zeros_like(done), self.velocity.clone())

    def state_dict(self) -> dict[str, Tensor]:
        return {name: getattr(self, name) for name in STATE}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        for name in STATE:
            setattr(self, name, state[name].to(self.device, copy=True))

    def schedule(self, done: float) -> None:
        self.done = done

    def metrics(self) -> dict[str, Tensor]:
        mean = self.errors / max(self.count, 1)
        self.errors, self.count = torch.zeros_like(self.errors), 0
        return {"tracking/error": mean}

    def _observe(self) -> Observation:
        noisy = self.position + 0.01 * self._uniform(self.num_envs, 3)
        extra = torch.cat([self.velocity * VELOCITY_SCALE, self.wind], -1)
        return Observation(torch.cat([self.command, noisy, self.action], -1), extra)

    def _restart(self, done: Tensor) -> None:
        mask = done[:, None]
        self.position = torch.where(mask, 0.0, self.position)
        self.velocity = torch.where(mask, self._uniform(self.num_envs, 3), self.velocity)
        self.wind = torch.where(mask, self._uniform(self.num_envs, 3), self.wind)
        self.command = torch.where(mask, self._uniform(self.num_envs, 3), self.command)
        self.action = torch.where(mask, 0.0, self.action)
        self.age = torch.where(done, 0.0, self.age)

    def _uniform(self, *shape: int) -> Tensor:
        return torch.rand(*shape, device=self.device) * 2 - 1
