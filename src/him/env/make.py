"""A robot's name and a world's settings, put together to a task."""

import torch

from him import robots
from him.env import randomisation
from him.env.presets import World
from him.env.task import LocomotionTask
from him.sim import engines
from him.sim import model as builder
from him.terrain import grid


def make_task(
    name: str,
    envs: int,
    seed: int,
    world: World,
    device: str | None = None,
    engine: str | None = None,
    deterministic: bool = False,
) -> LocomotionTask:
    """The task of a robot in a world."""
    robot = robots.load(name)
    terrain = grid(world.terrain)
    bank = randomisation.bodies(builder.build(robot).compile(), world.task.randomisation, seed)
    where = torch.device(device) if device else engines.default_device()
    made = engines.make(engine, robot, terrain, envs, bank, where, deterministic, world.substeps)
    return LocomotionTask(robot, terrain, made, world.task, made.device.type == "cuda", bank)
