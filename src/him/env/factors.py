"""What makes one world differ from another, as numbers a network can be told: RMA's environment factors.

Each lies between -1 and 1, the ends of the range it was drawn from; what is not varied reads 0.
"""

import numpy as np
import torch
from torch import Tensor

from him.env.randomisation import DRAWS
from him.env.settings import Randomisation, Range
from him.robots import Robot
from him.sim.bodies import BASE, Bodies

BODY = ("mass", "com_x", "com_y", "com_z")
"""Mass of the base with payload, and its centre: one row of the bank of bodies."""

CONTACT_AND_MOTOR = ("friction", "restitution", "strength", "kp", "kd", "delay")
"""In the order in which `randomisation.Randomiser` draws them."""

NAMES = (*BODY, *CONTACT_AND_MOTOR, "ground")
"""The last is no draw: the highest ground under the feet, against where a standing robot's feet are."""

MIRROR = tuple(-1.0 if name == "com_y" else 1.0 for name in NAMES)
"""Signs of their mirror images."""

GROUND_STEP = 0.1
"""The ground is told in steps of so many metres: nobody shall place feet by it (RMA)."""

GROUND_SCALE = 5.0
"""Factor on the ground, as on the heights of the critic's scan."""


class Factors:
    """Turns the uniform numbers of a world into its factors."""

    def __init__(self, robot: Robot, bodies: Bodies, settings: Randomisation, device: torch.device) -> None:
        self.bodies, self.delay = len(bodies), settings.delay
        self.table = torch.from_numpy(_table(robot, bodies, settings)).float().to(device)
        ranges = [getattr(settings, name) for name in CONTACT_AND_MOTOR[:-1]]
        self.varied = torch.tensor([float(high > low) for low, high in ranges], device=device)

    def __call__(self, uniform: Tensor) -> Tensor:
        """Factors (N, 10), without the ground, from the uniform numbers (N, randomisation.draws) of new worlds."""
        body = self.table[(uniform[:, 0] * self.bodies).to(torch.int32)]
        drawn = (2 * uniform[:, 1 : DRAWS - 1] - 1) * self.varied
        late = (uniform[:, DRAWS - 1 : DRAWS] * (self.delay + 1)).floor()
        delay = 2 * late / self.delay - 1 if self.delay else torch.zeros_like(late)
        return torch.cat([body, drawn, delay], -1)


def ground(base: Tensor, standing: float, heights: Tensor) -> Tensor:
    """The local terrain height (N, 1) from the base's height (N, 1) and those of the ground under the feet (N, 4)."""
    highest = heights.amax(-1, keepdim=True) - (base - standing)
    return (highest / GROUND_STEP).round().mul(GROUND_STEP).clamp(-1.0, 1.0) * GROUND_SCALE


def _table(robot: Robot, bodies: Bodies, settings: Randomisation) -> np.ndarray:
    """Mass and centre of each body of the bank, in units of the most they can differ from the robot's own."""
    nominal = robot.trunk.mass
    lightest, heaviest = (nominal * f + m for f, m in zip(settings.base_mass, settings.payload, strict=True))
    mass = _scaled(bodies.rows["body_mass"][:, BASE], (lightest, heaviest))
    shift = bodies.rows["body_ipos"][:, BASE] - robot.trunk.com
    return np.column_stack([mass, _scaled(shift, (-settings.com, settings.com))])


def _scaled(values: np.ndarray, limits: Range) -> np.ndarray:
    low, high = limits
    return (2 * values - low - high) / (high - low) if high > low else np.zeros_like(values)
