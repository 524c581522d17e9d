"""Rapid motor adaptation (Kumar et al., RSS 2021) in two phases.

First a policy is trained that is told what makes its world differ, through a small latent. Then the policy is left
alone, and an adaptation module learns to say that latent from what the robot did and felt: on its own walks, driven by
its own guesses, as it will have to on a robot.
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor, nn

from him.env.factors import NAMES
from him.env.protocol import VELOCITY, Sizes
from him.learn.method import Logs, Method
from him.learn.networks import mlp
from him.learn.rollout import View
from him.learn.settings import TrainSettings

LATENT = 8
"""Width of the latent (RMA)."""

ENCODER = (256, 128)
"""Hidden widths of the encoder of the factors (RMA)."""

FRAMES = 50
"""Past frames the adaptation module reads, the present one not among them (RMA)."""

EMBEDDING = (128, 32)
"""Widths of what each frame goes through first (RMA prints the 32)."""

CONVOLUTIONS = ((8, 4), (5, 1), (5, 1))
"""Kernel and stride of each convolution over time (RMA)."""

RATE = 5e-4
"""Learning rate of the second phase (RMA)."""

SHARE = 0.4
"""Samples of the second phase as a share of the first's, on top of them: RMA's own 80 M at 200 M."""


class Adaptation(nn.Module):
    """A history of frames to the latent: each frame alone, then convolutions over time.

    The newest frame comes first. The strides leave two frames at the end out, which are then the oldest.
    """

    def __init__(self, frame: int) -> None:
        super().__init__()
        hidden, width = EMBEDDING
        self.embedding = nn.Sequential(nn.Linear(frame, hidden), nn.ELU(), nn.Linear(hidden, width), nn.ELU())
        layers: list[nn.Module] = []
        length = FRAMES
        for kernel, stride in CONVOLUTIONS:
            layers += [nn.Conv1d(width, width, kernel, stride), nn.ELU()]
            length = (length - kernel) // stride + 1
        self.convolutions = nn.Sequential(*layers)
        self.last = nn.Linear(width * length, LATENT)

    def forward(self, frames: Tensor) -> Tensor:
        """From (batch, FRAMES, width)."""
        return self.last(self.convolutions(self.embedding(frames).transpose(1, 2)).flatten(1))


class Rma(Method):
    """First phase: PPO on the policy and the encoder of the factors together.

    The factors are those of the HIM paper's table 1: elevation map, friction, restitution and the like, that is all the
    critic sees of the world besides the robot's velocity.
    """

    factors = True
    privileged = True
    frozen_features = False

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        spaces = sizes.spaces(settings.symmetry)
        latent = spaces.frame.pairs(LATENT)
        super().__init__(sizes, settings, spaces.frame + latent)
        told = self.told(torch.arange(sizes.extra)[None])[0].tolist()
        self.encoder = mlp(spaces.extra.only(told), ENCODER, latent)
        self.adaptation = Adaptation(sizes.frame)

    @property
    def history(self) -> int:
        return 1

    def told(self, extra: Tensor) -> Tensor:
        """The factors among what the critic sees besides the frame."""
        return extra[..., VELOCITY.stop :]

    def features(self, context: Tensor) -> Tensor:
        frame, extra = context[:, 0].split([self.sizes.frame, self.sizes.extra], -1)
        return torch.cat([frame, self.encoder(self.told(extra))], -1)

    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        features = self.features(context)
        return {"action": self.actor(features), "latent": features[:, self.sizes.frame :]}

    def policy_parameters(self) -> list[nn.Parameter]:
        return [*super().policy_parameters(), *self.encoder.parameters()]

    def following(self) -> Method:
        return Student(self)


class RmaOriginal(Rma):
    """With the factors of RMA's own paper: payload and its place, motor strength, friction, local terrain height."""

    names = ("mass", "com_x", "com_y", "strength", "friction", "ground")

    def told(self, extra: Tensor) -> Tensor:
        return torch.stack([extra[..., NAMES.index(name) - len(NAMES)] for name in self.names], -1)


class Student(Method):
    """Second phase: the policy stays, the adaptation module learns to say what the encoder says."""

    phase = "adaptation"
    explores = False
    improves_policy = False

    def __init__(self, teacher: Rma) -> None:
        sizes, settings = teacher.sizes, second_phase(teacher.settings)
        frame = sizes.spaces(settings.symmetry).frame
        super().__init__(sizes, settings, frame + frame.pairs(LATENT))
        self.actor, self.critic = teacher.actor, teacher.critic
        self.encoder, self.adaptation, self.told = teacher.encoder, teacher.adaptation, teacher.told

    @property
    def history(self) -> int:
        return FRAMES + 1

    def features(self, context: Tensor) -> Tensor:
        return torch.cat([context[:, 0], self.adaptation(context[:, 1:])], -1)

    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        features = self.features(context)
        return {"action": self.actor(features), "latent": features[:, self.sizes.frame :]}

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return list(self.adaptation.parameters())

    def auxiliary_inputs(self, view: View) -> tuple[Tensor, ...]:
        return view.history()[:, 1:], self.told(view.extra())

    def auxiliary_loss(self, *inputs: Tensor) -> tuple[Tensor, Logs]:
        past, told = inputs
        with torch.no_grad():
            latent = self.encoder(told)
        loss = (self.adaptation(past) - latent).square().sum(-1).mean()
        return loss, {"loss/latent": loss.detach(), "latent/variance": latent.var(0).sum()}


def second_phase(settings: TrainSettings) -> TrainSettings:
    """One pass over each rollout at a constant rate, for `SHARE` as long as the first phase."""
    him = replace(settings.him, schedule="first", epochs=1, learning_rate=RATE, follow_policy_rate=False, shown=1.0)
    return replace(
        settings,
        him=him,
        calm_down=0.0,
        samples=math.ceil(SHARE * settings.samples),
        iterations=None if settings.iterations is None else math.ceil(SHARE * settings.iterations),
        seconds=None if settings.seconds is None else (1 + SHARE) * settings.seconds,
    )
