"""Domain randomisation: from uniform numbers to what a world is made of."""

from typing import Any

import mujoco
import numpy as np
import torch
from torch import Tensor

from him.env.settings import Randomisation, Range
from him.robots import Robot
from him.sim import material
from him.sim.bodies import Bodies, Change
from him.sim.engine import Parameters

DRAWS = 7
"""Uniform numbers a world needs: body, friction, restitution, strength, kp, kd, delay."""


def draws(settings: Randomisation) -> int:
    """And one more where contacts differ in their impedance; where they do not, no other chance shall change."""
    low, high = settings.impedance
    return DRAWS + (low < high)


def bodies(model: mujoco.MjModel, settings: Randomisation, seed: int) -> Bodies:
    """The bank of bodies that episodes pick from."""
    rng = np.random.default_rng((seed, 0xB0D1E5))
    links = model.nbody - 2
    changes = [
        Change(
            base_scale=rng.uniform(*settings.base_mass),
            link_scale=rng.uniform(*settings.link_mass, size=links),
            payload=rng.uniform(*settings.payload),
            com_shift=tuple(rng.uniform(-settings.com, settings.com, size=3)),
        )
        for _ in range(settings.bodies)
    ]
    return Bodies(model, changes)


class Randomiser:
    """Turns uniform numbers into parameters, without waiting for the device."""

    def __init__(self, robot: Robot, settings: Randomisation, device: torch.device) -> None:
        self.settings = settings
        self.kp = torch.tensor(robot.kp.tolist(), device=device)
        self.kd = torch.tensor(robot.kd.tolist(), device=device)

    def __call__(self, uniform: Tensor) -> Parameters:
        """From (N, draws) uniform numbers."""
        s = self.settings
        body, friction, restitution, strength, kp, kd, delay = uniform[:, :DRAWS].unbind(-1)
        torque = _between(s.strength, strength)
        return Parameters(
            body=(body * s.bodies).to(torch.int32),
            friction=material.friction(_between(s.friction, friction), s.ground_friction),
            solref=solref(material.restitution(_between(s.restitution, restitution))),
            # without a width of its range it does not matter which number this is
            impedance=_between(s.impedance, uniform[:, -1]),
            kp=(torque * _between(s.kp, kp))[:, None] * self.kp,
            kd=(torque * _between(s.kd, kd))[:, None] * self.kd,
            delay=(delay * (s.delay + 1)).to(torch.int32),
        )


def solref(restitution: Tensor) -> Tensor:
    """`material.solref` for a batch (N, 2)."""
    e = restitution.clamp(1e-9, material.MAX_RESTITUTION)
    ratio = material.damping_ratio(e, torch.log, torch.sqrt)
    stiffness = torch.full_like(ratio, -(material.FREQUENCY**2))
    return torch.stack([stiffness, -2.0 * material.FREQUENCY * ratio], -1)


def _between(limits: Range, uniform: Any) -> Any:
    return limits[0] + (limits[1] - limits[0]) * uniform
