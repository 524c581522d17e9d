"""How fast a policy's feet slide while their load is far within friction: python tools/slip.py aliengo [IMPEDANCE GRIP]

A foot in the middle of its stance should stand still. What slides there are contacts, not robots.
"""

import sys

import torch
from torch import Tensor

from him.bench.player import Player
from him.bench.trial import SETTLE, Cell, Ground
from him.env.geometry import to_world
from him.env.settings import Randomisation, TaskSettings
from him.env.task import LocomotionTask
from him.sim import material
from him.sim.engine import CONTROL_PERIOD

GROUNDS = (Cell("flat", 0), Cell("slope", 6), Cell("stairs", 3))
ROBOTS = 64
LOADED = 20.0
"""Newtons above which a foot carries."""
WITHIN = 0.7
"""Share of what friction would hold, below which a foot should stick."""
NEAR = 0.03
"""Distance in metres over which the inclination of the ground is taken."""


def main(name: str, impedance: float = material.IMPEDANCE, grip: float = material.GRIP) -> None:
    material.GRIP = grip
    settings = TaskSettings(randomisation=Randomisation(impedance=(impedance, impedance)))
    player = Player(name, torch.device("cpu"))
    print(f"{name}, impedance {impedance}, grip {grip}: slip in cm/s, mean and median; error of the velocity estimate")
    for cell in GROUNDS:
        ground = Ground(player.contract.robot, [cell], ROBOTS, settings, device="cpu")
        seen: list[tuple[Tensor, Tensor]] = []
        command = torch.zeros(ROBOTS, 3)
        command[:, :2] = 2 * torch.rand(ROBOTS, 2, generator=torch.Generator().manual_seed(1)) - 1
        outcome = ground.run(player, command, watch=lambda *_, at=ground.task, to=seen: to.append(feet(at)))
        slip, sticks = (torch.stack(part)[round(SETTLE / CONTROL_PERIOD) :] for part in zip(*seen, strict=True))
        sticks[1:-1] &= sticks[2:] & sticks[:-2]
        speeds, rms = 100 * slip[sticks], outcome.estimate[~outcome.fell].mean().sqrt()
        print(f"  {cell.kind} {cell.level}: {speeds.mean():.1f}, {speeds.median():.1f}; {rms:.3f} m/s")


def feet(task: LocomotionTask) -> tuple[Tensor, Tensor]:
    """How fast each foot slides at its contact (N, 4) in m/s, and whether it should not."""
    engine, senses = task.engine, task.senses
    spheres = [k for k, collider in enumerate(engine.colliders) if collider.endswith("_foot")]
    quat, rates = engine.qpos[:, None, 3:7], engine.qvel[:, None, 3:6].expand(-1, 4, -1)
    foot, velocity = senses.feet(engine.qpos[:, 7:], engine.qvel[:, 6:])
    place = engine.qpos[:, None, :3] + to_world(quat, foot)
    moves = engine.qvel[:, None, :3] + to_world(quat, velocity + torch.linalg.cross(rates, foot))
    up = normal(task, place)
    radius = float(engine.model.geom(engine.colliders[spheres[0]]).size[0])
    moves = moves + torch.linalg.cross(to_world(quat, rates + shank_rates(engine)), -radius * up)
    slides = moves - (moves * up).sum(-1, keepdim=True) * up
    force = engine.contact_force[:, spheres]
    pressed = (force * up).sum(-1)
    sideways = torch.linalg.vector_norm(force - pressed[..., None] * up, dim=-1)
    friction = torch.from_numpy(engine._fields["geom_friction"][:, engine._spheres[0], 0]).float()[:, None]
    return torch.linalg.vector_norm(slides, dim=-1), (pressed > LOADED) & (sideways < WITHIN * friction * pressed)


def normal(task: LocomotionTask, place: Tensor) -> Tensor:
    """Of the ground below, from heights around."""
    heights, (x, y, _) = task.senses.heights, place.unbind(-1)
    east = (heights(x + NEAR, y) - heights(x - NEAR, y)) / (2 * NEAR)
    north = (heights(x, y + NEAR) - heights(x, y - NEAR)) / (2 * NEAR)
    return torch.nn.functional.normalize(torch.stack([-east, -north, torch.ones_like(east)], -1), dim=-1)


def shank_rates(engine: object) -> Tensor:
    """Angular velocity of the shanks against the trunk, in its frame (N, 4, 3)."""
    hip = engine.qpos[:, 7:].view(-1, 4, 3)[..., 0]
    roll, thigh, calf = engine.qvel[:, 6:].view(-1, 4, 3).unbind(-1)
    return torch.stack([roll, (thigh + calf) * torch.cos(hip), (thigh + calf) * torch.sin(hip)], -1)


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:]))
