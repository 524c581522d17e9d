"""Behaviours to ask for: any gait while training, a plain trot afterwards."""

import torch
from torch import Tensor

from him.env.gait_settings import GaitSettings
from him.policy.terms import BEHAVIOUR
from him.robots import Robot

GO1 = {"height": 0.30, "width": 0.254, "length": 0.376}
"""Body height, and distances between the hips' feet across and along the body, of the robot the figures are for."""

GAITS = ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5))
"""Offsets of pronk, trot, bound and pace, drawn alike."""

TROT = {"height": 0.0, "frequency": 3.0, "duty": 0.5, "swing": 0.08, "pitch": 0.0, "roll": 0.0} | {
    "phase": 0.5,
    "offset": 0.0,
    "bound": 0.0,
    "width": 0.25,
    "length": 0.40,
}
"""How the published script plays a Go1's trot."""

RANGES = ("height", "frequency", "duty", "swing", "pitch", "roll", "width", "length")
"""What is drawn from a range of `GaitSettings`."""

DRAWS = 1 + len(RANGES)
"""Uniform numbers a behaviour needs: which gait, and the rest."""


def sizes(robot: Robot) -> dict[str, float]:
    """How much larger a robot is than the Go1 the figures are for, by what is measured.

    Feet are taken to stand under the hips: half of the default poses splay them.
    """
    thigh = [leg.hip.origin + leg.thigh.origin for leg in robot.legs]
    along, across = thigh[0][0] - thigh[2][0], thigh[0][1] - thigh[1][1]
    return {
        "height": robot.base_height_target / GO1["height"],
        "width": float(across) / GO1["width"],
        "length": float(along) / GO1["length"],
    }


def trot(robot: Robot) -> tuple[float, ...]:
    """The nominal trot at a robot's size."""
    scale = sizes(robot)
    return tuple(TROT[name] * scale.get(name, 1.0) for name in BEHAVIOUR)


class Behaviours:
    """Draws behaviours within their ranges, at a robot's size."""

    def __init__(self, robot: Robot, settings: GaitSettings, device: torch.device) -> None:
        scale = sizes(robot)
        ranges = torch.tensor([getattr(settings, name) for name in RANGES], device=device)
        ranges = ranges * torch.tensor([scale.get(name, 1.0) for name in RANGES], device=device)[:, None]
        self.low, self.span = ranges[:, 0], ranges[:, 1] - ranges[:, 0]
        self.gaits = torch.tensor(GAITS, device=device)

    def __call__(self, uniform: Tensor) -> Tensor:
        """Behaviours (N, 11) from uniform numbers (N, DRAWS)."""
        drawn = self.low + self.span * uniform[:, 1:]
        values = dict(zip(RANGES, drawn.unbind(-1), strict=True))
        offsets = self.gaits[(uniform[:, 0] * len(GAITS)).long()]
        values |= dict(zip(("phase", "offset", "bound"), offsets.unbind(-1), strict=True))
        return torch.stack([values[name] for name in BEHAVIOUR], -1)
