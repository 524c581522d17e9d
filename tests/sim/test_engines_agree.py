"""Warp against MuJoCo C: same robot, same ground, same controls, half a second later the same motion."""

import numpy as np
import pytest
import torch
from torch import Tensor

from him import robots
from him.sim.engine import CONTROL_PERIOD, Engine
from him.sim.heights import Heights
from him.terrain import Terrain, arena, flat
from tests.sim import worlds

PERIODS = round(0.5 / CONTROL_PERIOD)
WORLDS = 8
RISER = 1.0
"""Where stairs begin: the first riser is this far from the centre of a tile."""
GAP = 0.003
"""Feet that start just on the ground touch or do not by the last bit, which decides about a whole substep."""


def smooth(robot: robots.Robot) -> Tensor:
    """Targets (periods, worlds, 12): slow waves around the default pose, different in every world."""
    rng = np.random.default_rng(5)
    rate, size = rng.uniform(3, 12, (WORLDS, 12)), rng.uniform(-0.3, 0.3, (WORLDS, 12))
    t = CONTROL_PERIOD * np.arange(PERIODS)[:, None, None]
    return torch.tensor(robot.default_joint_pos + size * np.sin(rate * t), dtype=torch.float32)


def travel(kind: str, robot: robots.Robot, terrain: Terrain, qpos: Tensor) -> tuple[Engine, set[str]]:
    """The engine half a second later, and what touched on the way."""
    engine = worlds.make(kind, robot, terrain, WORLDS)
    worlds.place(engine, qpos, worlds.nominal(engine, robot.kp, robot.kd))
    touched = set()
    for target in smooth(robot):
        engine.step(target.to(engine.device))
        touched |= {engine.colliders[k] for k in engine.touched.any(0).nonzero().flatten()}
    assert int(engine.faults) == 0
    return engine, touched


def starts(robot: robots.Robot, terrain: Terrain, x: Tensor, yaw: Tensor) -> Tensor:
    """Feet just above the highest ground below."""
    heights = Heights(terrain, "cpu")
    qpos = torch.tensor([0, 0, 0, 1, 0, 0, 0, *robot.default_joint_pos], dtype=torch.float32).repeat(WORLDS, 1)
    qpos[:, 0], qpos[:, 3], qpos[:, 6] = x, torch.cos(yaw / 2), torch.sin(yaw / 2)
    around = torch.linspace(-0.35, 0.35, 15)
    below = heights(x[:, None, None] + around[:, None], around.expand(WORLDS, 15, 15))
    qpos[:, 2] = robot.standing_height + below.flatten(1).amax(1) + GAP
    return qpos


def differences(one: Engine, other: Engine) -> tuple[float, float]:
    """Largest difference of a joint in radians and of a base in metres."""
    apart = (one.qpos.cpu() - other.qpos.cpu()).abs()
    return float(apart[:, 7:].max()), float(apart[:, :3].norm(dim=1).max())


@pytest.mark.parametrize("kind", worlds.KINDS[1:])
@pytest.mark.parametrize("name", robots.names())
def test_on_flat_ground(kind: str, name: str) -> None:
    robot, terrain = robots.load(name), flat(4.0)
    qpos = starts(robot, terrain, torch.zeros(WORLDS), torch.zeros(WORLDS))
    native, touched = travel("native", robot, terrain, qpos)
    warp, _ = travel(kind, robot, terrain, qpos)
    joints, base = differences(native, warp)
    assert "FL_foot" in touched
    assert joints < 1e-3
    assert base < 2e-3


@pytest.mark.parametrize("kind", worlds.KINDS[1:])
def test_on_steps(kind: str) -> None:
    """Around the first two risers of stairs going up, facing them and along them."""
    robot, terrain = robots.load("aliengo"), arena("stairs", 4, (1, 1), direction=1, border=1.0)
    x = RISER + torch.linspace(-0.3, 0.5, WORLDS)
    qpos = starts(robot, terrain, x, torch.arange(WORLDS) * torch.pi / 4)
    native, touched = travel("native", robot, terrain, qpos)
    warp, also_touched = travel(kind, robot, terrain, qpos)
    joints, base = differences(native, warp)
    assert touched == also_touched
    assert joints < 1e-2
    assert base < 1e-2
