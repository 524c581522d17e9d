"""Multiplicity of behaviour: a policy that is told how to walk (Walk These Ways, Margolis and Agrawal, CoRL 2022).

Command and behaviour come together, a clock for each foot says when it should stand, and the rewards of
`him.env.gait_rewards` pay for keeping to it. The policy reads a history of its own frames, and beside it an estimate of
friction and restitution that it makes of that history.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from him.env import gait
from him.env.factors import NAMES
from him.env.protocol import Sizes
from him.learn.method import Logs, Method
from him.learn.networks import mlp
from him.learn.rollout import View
from him.learn.settings import TrainSettings
from him.policy.terms import BEHAVIOUR, FRAME_SIZE, OBS_TERMS
from him.sim.engine import CONTROL_PERIOD

FRAMES = 30
"""Length of the history, as published."""

ESTIMATOR = (256, 128)
"""Hidden widths of the estimator, as published."""

ESTIMATED = ("friction", "restitution")
"""What is estimated; of the published checkpoint. The paper speaks of velocity and friction."""


class Mob(Method):
    """Actor and estimator on one history; PPO's gradient reaches both, and the estimator has a loss of its own."""

    factors = True
    gait = True
    frozen_features = False
    scales: Tensor
    ages: Tensor

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        whole = sizes.spaces(settings.symmetry).frame * FRAMES
        estimated = whole.same(len(ESTIMATED))
        super().__init__(sizes, as_published(settings), whole + estimated)
        self.estimator = mlp(whole, ESTIMATOR, estimated)
        self.register_buffer("scales", torch.tensor(gait.SCALES), persistent=False)
        self.register_buffer("ages", CONTROL_PERIOD * torch.arange(FRAMES), persistent=False)

    @property
    def history(self) -> int:
        return FRAMES

    def features(self, context: Tensor) -> Tensor:
        whole = context.flatten(1)
        return torch.cat([whole, self.estimator(whole)], -1)

    def policy_parameters(self) -> list[nn.Parameter]:
        return [*super().policy_parameters(), *self.estimator.parameters()]

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return list(self.estimator.parameters())

    def auxiliary_inputs(self, view: View) -> tuple[Tensor, ...]:
        extra = view.extra()
        truth = torch.stack([extra[:, NAMES.index(name) - len(NAMES)] for name in ESTIMATED], -1)
        return view.history(), truth

    def auxiliary_loss(self, *inputs: Tensor) -> tuple[Tensor, Logs]:
        history, truth = inputs
        loss = nn.functional.mse_loss(self.estimator(history.flatten(1)), truth)
        return loss, {"loss/factors": loss.detach()}

    def inputs(self) -> dict[str, Tensor]:
        """Standard frames, one more than the history is long, the time since walking began, and how to walk."""
        shapes = {"obs": (FRAMES + 1, FRAME_SIZE), "time": (1,), "behaviour": (len(BEHAVIOUR),)}
        return {name: torch.zeros(1, *shape) for name, shape in shapes.items()}

    def outputs(self, context: Tensor, *more: Tensor) -> dict[str, Tensor]:
        return {"action": self.actor(self.features(self.frames(context, *more)))}

    def frames(self, obs: Tensor, time: Tensor, behaviour: Tensor) -> Tensor:
        """This method's frames from those every controller builds: the file needs nothing else to be deployed.

        What is told is taken to have been told all along; before the start the clocks stood still.
        """
        now, before = obs[:, :-1], obs[:, 1:]
        told = (behaviour * self.scales)[:, None].index_select(1, torch.zeros_like(self.ages, dtype=torch.long))
        since = (time - self.ages).clamp(min=0)
        clock = gait.clocks(since * gait.part(behaviour, "frequency")[:, None], behaviour[:, None])
        command, rates, action = OBS_TERMS[0].size, OBS_TERMS[1].size, OBS_TERMS[-1].size
        felt = now[..., command + rates :]
        return torch.cat([now[..., :command], told, felt, before[..., -action:], clock], -1)


def as_published(settings: TrainSettings) -> TrainSettings:
    """A step of the estimator after each of PPO's; the rest of the schedule is everyone's."""
    ppo = replace(settings.ppo, ratio_reference="rollout", kl_reference="rollout")
    him = replace(settings.him, schedule="interleaved", shown=1.0, follow_policy_rate=False)
    return replace(settings, him=him, ppo=ppo)
